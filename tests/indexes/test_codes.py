"""Codes of digits match although their leading zeros were lost, on either side: digits are compared as integers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.indexes import KINDS
from mere.indexes.probe import packed, unpacked
from mere.indexes.sets.codes import Recoding, recodings
from mere.pipeline.engine import Inline
from mere.segments import Facts, Table, digest, summarise
from mere.store import Strings
from tests.conftest import write_files
from tests.kinds.harness import answer, build_parts, dicts, folder
from tests.kinds.lakes import cuts
from tests.oracles.overlap import brute

DIGITS = [str(number) for number in (0, 1, 2, 3, 7, 10, 12, 99, 100, 101)]
CELLS = st.sampled_from([*DIGITS, *(d.zfill(2) for d in DIGITS), *(d.zfill(3) for d in DIGITS), "x", None, "007.0"])


@st.composite
def lakes(draw: Any) -> list[Table]:
    """Columns of digits: with zeros, without, of one length or of several, with others among them; running numbers."""
    tables, facts = [], []
    for number in range(draw(st.integers(1, 6))):
        columns: dict[str, list[Any]] = {}
        rows = draw(st.sampled_from([1, 4, 9, 40]))
        for name in draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True)):
            width = draw(st.sampled_from([0, 1, 2, 3, 4]))
            some = draw(st.lists(CELLS if width == 0 else st.sampled_from(DIGITS), min_size=1, max_size=8))
            if draw(st.integers(0, 5)) == 0:
                some = [str(n) for n in range(draw(st.integers(0, 1)), 40)]  # running numbers
            columns[name] = ([cell if cell is None else cell.zfill(width) for cell in some] * rows)[:rows]
        tables.append(pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}))
        facts.append(Facts(f"t{number}.csv", "here", f"t{number}.csv"))
    return summarise(facts, digest(tables))


@st.composite
def queries(draw: Any) -> dict[str, Any]:
    width = draw(st.sampled_from([0, 1, 1, 2, 2, 3]))
    some = draw(st.lists(CELLS if width == 0 else st.sampled_from(DIGITS), min_size=1, max_size=12))
    return {
        "values": [cell if cell is None else cell.zfill(width) for cell in some],
        "k": draw(st.sampled_from([0, 0, 1, 2])), "per": draw(st.sampled_from(["table", "column"])),
        "numbers": draw(st.sampled_from([None, None, True, False])), "ties": draw(st.sampled_from(["name", "keys"])),
        "codes": draw(st.sampled_from([True, True, True, False])),
        "threshold": draw(st.sampled_from([None, None, 0.5])), "mode": draw(st.sampled_from(["auto", "josie"])),
        "table": draw(st.sampled_from([None, None, None, "t0.csv"])),
    }  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_codes_agree_with_integers_whatever_the_segments(data: Any) -> None:
    kind, tables = KINDS["overlap"], data.draw(lakes(), label="tables")
    asked = data.draw(st.lists(queries(), min_size=3, max_size=3), label="queries")
    answers = []
    for groups in ([tables], [[table] for table in tables], data.draw(cuts(tables), label="cuts")):
        with folder() as path:
            parts = build_parts(kind, path, groups, {}, {})
            probes = [unpacked(json.loads(json.dumps(packed(kind.plan(dict(query), parts))))) for query in asked]
            answers.append(
                [answer(kind, parts, probe, q["k"], q["per"]).hits for probe, q in zip(probes, asked, strict=True)]
            )
    assert [dicts(hits) for hits in answers[0]] == [dicts(hits) for hits in answers[1]]
    assert [dicts(hits) for hits in answers[0]] == [dicts(hits) for hits in answers[2]]
    for query, hits in zip(asked, answers[0], strict=True):
        truth = brute(query, tables, {})
        assert [(h.table, h.columns, h.score, _codes(h)) for h in hits] == [
            (h.table, h.columns, h.score, _codes(h)) for h in truth
        ]
        for hit in hits:
            assert hit.evidence["overlap"] == hit.score
            assert {*hit.evidence["matched"], *hit.evidence["unmatched"]} <= {_value(cell) for cell in query["values"]}


def _codes(hit: Any) -> tuple[int, str] | None:
    codes = hit.evidence.get("codes")
    return None if codes is None else (codes["digits"], codes["lost_in"])


def _value(cell: str | None) -> str | None:
    return "7" if cell == "07.0" else cell


def test_only_codes_of_one_length_are_recoded() -> None:
    def found(*values: str) -> tuple[list[Recoding], int]:
        recoded, notes = recodings(Strings.of(values))
        return recoded, len(notes)

    assert found("01", "02", "10") == ([Recoding(2, "theirs")], 1)
    assert found("1", "2", "10") == ([Recoding(2, "mine"), Recoding(3, "mine")], 0)
    assert found("11", "12", "13") == ([Recoding(3, "mine")], 0)
    assert found("01", "002", "10") == ([], 1)  # a note says why
    assert found("01", "1", "10") == ([], 1)  # two codes would be one number
    assert found("01", "02") == ([], 0)  # too few
    assert found("01", "02", "03", "x") == ([], 0)  # a quarter is something else
    assert found(*(f"{n:02}" for n in range(20)), "x") == ([Recoding(2, "theirs")], 1)
    assert found("1" * 19, "2" * 19, "3" * 19) == ([], 0)


FILES = {
    "counties.csv": "fips,county\n01001,Autauga\n01003,Baldwin\n56045,Weston\n36061,New York\n",
    "population.csv": "fips,people\n1001,58805\n1003,231767\n36061,1694251\n",  # read as numbers: zeros lost
    "rows.csv": "n\n" + "".join(f"{n}\n" for n in range(1, 60_000)),
    "small.csv": "score\n" + "".join(f"{3 * n}\n" for n in range(1, 60)),
    "words.csv": "w\na\nb\nc\n",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("codes")
    mere.index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


MINE = {"code": ["01001", "01003", "56045", "99999"], "x": [1, 2, 3, 4]}


def test_codes_with_zeros_find_numbers_and_say_so(lake: Any) -> None:
    first, second = lake.overlap(MINE, on="code")  # and not the running numbers
    assert (first.table, first.score, "codes" in first.evidence) == ("counties.csv", 3, False)
    assert (second.table, second.columns, second.score) == ("population.csv", ("fips",), 2)
    assert second.evidence["codes"] == {
        "digits": 5, "lost_in": "theirs", "examples": [["01001", "1001"], ["01003", "1003"]]
    }  # fmt: skip
    assert second.evidence["matched"] == ["01001", "01003"] and second.evidence["unmatched"] == ["56045", "99999"]
    assert [hit.table for hit in lake.overlap(MINE, on="code", codes=False)] == ["counties.csv"]
    assert [hit.table for hit in lake.overlap(MINE, on="code", numbers=False)] == ["counties.csv"]
    [hit] = [hit for hit in lake.containment(MINE, 0.5, on="code") if hit.table == "population.csv"]
    assert (hit.score, hit.evidence["codes"]["digits"]) == (0.5, 5)


def test_many_small_numbers_do_not_answer_short_codes_unless_their_table_is_named(lake: Any) -> None:
    assert len(lake.overlap(["003", "006", "099"])) == 0
    assert [hit.score for hit in lake.overlap(["003", "006", "099"], table="small.csv")] == [3]


def test_small_numbers_that_match_codes_are_accidents_in_either_spelling(tmp_path: Path) -> None:
    files = {"signs.csv": "code,sign\n" + "".join(f"{n:02d},sign {n}\n" for n in range(10))}
    mere.index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as opened:
        for stars in ([5, 4, 3, 1, 2, 4, 5], ["5", "4", "3", "1", "2", "4", "5"]):
            [hit] = opened.joinable({"stars": stars})
            assert hit.evidence["codes"]["digits"] == 2 and hit.score < 0.2
            reasons = hit.evidence["reasons"]
            assert any(reason.startswith("single digits") for reason in reasons), "not as if the codes were texts"
            assert hit.evidence["signals"]["unsupported"] == 1


def test_rows_are_counted_by_code(lake: Any) -> None:
    mine = {"code": ["01001"] * 5 + ["01003"] * 2 + ["56045", "99998"]}
    hit = next(hit for hit in lake.overlap(mine, on="code") if hit.table == "population.csv")
    assert (hit.evidence["fan_out"]["rows"], hit.evidence["fan_out"]["left_max"]) == (7, 5)


def test_numbers_find_the_codes_that_they_were(lake: Any) -> None:
    mine = {"fips": [1001, 1003, 56045]}
    hits = {hit.table: hit for hit in lake.overlap(mine, on="fips")}
    assert hits["counties.csv"].score == 3 and hits["counties.csv"].evidence["codes"]["lost_in"] == "mine"
    assert "codes" not in hits["population.csv"].evidence
    assert any("coincidence" in note for note in lake.overlap(mine, on="fips").notes)
    joined = lake.join(pa.table(mine), hits["counties.csv"])
    assert joined.column("county").to_pylist() == ["Autauga", "Baldwin", "Weston"]


@pytest.mark.parametrize("how", ["left", "inner", "right", "outer"])
def test_the_executed_join_restores_the_zeros(lake: Any, how: str) -> None:
    hit = next(hit for hit in lake.overlap(MINE, on="code") if hit.table == "population.csv")
    rows = lake.join(pa.table(MINE), hit, how).select(["code", "people"]).to_pylist()
    matched = [("01001", "58805"), ("01003", "231767")]
    mine, theirs = [("56045", None), ("99999", None)], [(None, "1694251")]
    expected = {"left": [*matched, *mine], "inner": matched, "right": [*matched, *theirs]}
    expected["outer"] = [*matched, *mine, *theirs]
    assert [(row["code"], None if row["people"] is None else str(row["people"])) for row in rows] == expected[how]


def test_the_command_line_joins_by_codes(lake: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.csv").write_text("code\n01001\n01003\n56045\n")
    asked = ["join", str(tmp_path / "mine.csv"), "--on", "code", "--lake", lake.path]
    assert run(asked) == 0
    assert "01001 = 1001 (5 digits)" in capsys.readouterr().out
    assert run([*asked, "--no-codes"]) == 0
    assert "population" not in capsys.readouterr().out
    assert run([*asked, "--with", "population.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["evidence"]["shared"] == 2 and document["evidence"]["codes"]["digits"] == 5
