"""Joins that are counted before they are made, and written batch by batch."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.errors import UsageError
from mere.search.exporting import Written, export
from mere.search.joining import HOW, Pairs
from mere.search.text_lines import Style
from mere.search.typed_rows import facts_of
from mere.search.writing import JoinRows
from mere.segments import code_column
from tests.conftest import write_files

FILES = {
    "visits.csv": "place,minutes,day,note\n"
    + "".join(f'city {i % 7},{i}.50 €,2020-01-{i % 28 + 1:02d},"a ""b"", {i}"\n' for i in range(60))
    + "=1+1,7.5 €,2020-02-01,=A1\n",
}
MINE = "city,n,remark\n" + "".join(f"city {i % 9},{i},+cmd|x{i % 2}\n" for i in range(30)) + ",,\n=1+1,5,-5\n"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from mere.pipeline import index
    from mere.pipeline.engine import Inline

    folder = tmp_path_factory.mktemp("plans")
    index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.csv").write_text(MINE)
    return tmp_path / "mine.csv"


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mere.search.writing._step", lambda size, row_bytes: 7)


HIT = ("visits.csv", "place")
keys = st.lists(st.sampled_from([None, "a", "A", "b", "c", "1", "1.0"]), max_size=7)
matchings = st.one_of(st.none(), st.lists(st.tuples(st.sampled_from("abc1"), st.sampled_from("abc1")), max_size=6))


@settings(max_examples=150, deadline=None)
@given(keys, keys, st.sampled_from(HOW), matchings, st.integers(1, 5))
def test_any_part_of_the_pairs_is_that_part_of_all_pairs(
    left: Any, right: Any, how: str, matching: Any, step: int
) -> None:
    coded = [code_column(pa.array(side, pa.string())) for side in (left, right)]
    values = [[None if code == 0 else side.values[code - 1] for code in side.codes] for side in coded]
    matches = [
        (i, j)
        for i, a in enumerate(values[0])
        for j, b in enumerate(values[1])
        if a is not None and b is not None and (a == b if matching is None else (a, b) in matching)
    ]
    alone = [
        [row for row in range(len(values[side])) if row not in {match[side] for match in matches}] for side in (0, 1)
    ]
    more = {"left": "l", "right": "r", "inner": "", "outer": "lr"}[how]
    expected = [*matches, *((i, -1) for i in alone[0] if "l" in more), *((-1, j) for j in alone[1] if "r" in more)]
    pairs = Pairs.of([coded[0]], [coded[1]], how, matching)
    assert len(pairs) == len(expected)
    parts = [pairs.slice(start, min(start + step, len(pairs))) for start in range(0, len(pairs), step)]
    got = [pair for rows in parts for pair in zip(*(side.tolist() for side in rows), strict=True)]
    assert sorted(got) == sorted(expected)
    outer = 1 if how == "right" else 0
    paired = [pair for pair in got if pair[outer] != -1]
    assert paired == sorted(paired, key=lambda pair: (pair[outer], pair[1 - outer])) and paired == got[: len(paired)]
    whole = pairs.slice(0, len(pairs))
    for place in (0, 1):
        assert np.concatenate([np.empty(0, int), *(part[place] for part in parts)]).tolist() == whole[place].tolist()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.usefixtures("small_batches")
def test_what_is_written_is_what_is_returned(lake: Any, mine: Path, tmp_path: Path, how: str) -> None:
    plan = lake.plan_join(mine, HIT, how, on="city")
    table, text = plan.table(), plan.table(raw=True)
    assert plan.rows == table.num_rows == text.num_rows and plan.columns == table.column_names
    for name in ("out.parquet", "out.arrow", "out.feather"):
        assert lake.join_to(mine, HIT, tmp_path / name, how, on="city").rows == plan.rows
        read = pq.read_table if name.endswith("parquet") else lambda path: pa.ipc.open_file(path).read_all()
        assert read(tmp_path / name) == table and read(tmp_path / name).schema.types == table.schema.types
        assert facts_of(read(tmp_path / name)) == facts_of(table) == {"minutes": {"unit": "EUR"}}
        plan.write(tmp_path / name, raw=True)
        assert read(tmp_path / name) == text
    for name, delimiter in (("out.csv", ","), ("out.tsv", "\t")):
        written = plan.write(tmp_path / name)
        with open(tmp_path / name, newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file, delimiter=delimiter)
        changed = {"=1+1", "=A1", "+cmd|x0", "+cmd|x1"}
        cells = [["" if cell is None else cell for cell in row.values()] for row in text.to_pylist()]
        assert header == plan.columns
        assert rows == [[f"'{cell}" if cell in changed else cell for cell in row] for row in cells]
        assert written == Written(plan.rows, sum(cell in changed for row in cells for cell in row))
        assert plan.write(tmp_path / name, formulas=True).neutralised == 0
        assert "\n=1+1" in (tmp_path / name).read_text()
    export(text, str(tmp_path / "again.csv"))
    plan.write(tmp_path / "out.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.usefixtures("small_batches")
def test_a_join_without_rows_is_a_file_with_columns(lake: Any, tmp_path: Path) -> None:
    none = pa.table({"c": pa.array(["zz"]), "n": pa.array([1], pa.int8())})
    for name in ("a.parquet", "a.arrow", "a.csv"):
        assert lake.join_to(none, HIT, tmp_path / name, "inner", on="c") == Written(0)
    schema = pq.read_schema(tmp_path / "a.parquet")
    assert schema.field("n").type == pa.int8() and schema.field("minutes").type == pa.float64()
    assert (tmp_path / "a.csv").read_text() == "c,n,place,minutes,day,note\n"


def test_a_part_of_the_rows_is_as_long_as_asked_for(lake: Any, mine: Path) -> None:
    plan = lake.plan_join(mine, HIT, on="city")
    assert [plan.table(limit=limit).num_rows for limit in (0, 1, None)] == [0, 1, plan.rows] and plan.rows > 1


def test_types_that_parquet_does_not_have_are_read_again(lake: Any, tmp_path: Path) -> None:
    lengths, days = pa.array([5, None], pa.duration("s")), pa.array([0, 1], pa.timestamp("s", "Asia/Tokyo"))
    mine = pa.table({"c": pa.array(["city 1", "zz"], pa.large_string()), "length": lengths, "day": days})
    mine = mine.append_column("kind", pa.array(["a", "b"]).dictionary_encode())
    lake.join_to(mine, HIT, tmp_path / "a.parquet", on="c")
    assert pq.read_schema(tmp_path / "a.parquet").types[:2] == mine.schema.types[:2]
    assert pq.read_table(tmp_path / "a.parquet") == lake.join(mine, HIT, on="c").cast(
        pq.read_schema(tmp_path / "a.parquet")
    )


@pytest.mark.usefixtures("small_batches")
def test_progress_is_reported_and_ends_with_all_rows(lake: Any, mine: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    rows = lake.join_to(mine, HIT, tmp_path / "a.csv", on="city", progress=lambda *now: seen.append(now)).rows
    assert [done for done, _ in seen] == [*range(7, rows, 7), rows] and {total for _, total in seen} == {rows}


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.arrow"])
def test_an_interruption_leaves_the_old_file(lake: Any, mine: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("old")

    def interrupt(done: int, total: int) -> None:
        if done > 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lake.join_to(mine, HIT, tmp_path / name, on="city", progress=interrupt)
    assert (tmp_path / name).read_text() == "old" and sorted(os.listdir(tmp_path)) == ["mine.csv", name]


def test_a_batch_takes_a_part_of_the_memory(lake: Any, mine: Path, tmp_path: Path) -> None:
    from mere.search import writing

    assert writing._step(1 << 20, 64) == (1 << 20) // 64 and writing._step(1, 64) == 1024
    assert writing._step(1 << 40, 64) == 1 << 20
    for wrong in (0, -1, 1.5, True, "1"):
        with pytest.raises(UsageError, match="'memory' must be an int >= 1"):
            lake.join_to(mine, HIT, tmp_path / "a.csv", on="city", memory=wrong)


def test_a_single_column_has_no_blank_lines(tmp_path: Path) -> None:
    export(pa.table({"a": ["x", None, ""]}), str(tmp_path / "a.csv"))
    assert (tmp_path / "a.csv").read_text() == 'a\nx\n""\n""\n'


def _json(capsys: Any, *arguments: str) -> tuple[int, Any, str]:
    capsys.readouterr()
    code = run([*arguments, "--json"])
    printed = capsys.readouterr()
    return code, json.loads(printed.out), printed.err


def test_the_command_says_how_many_rows_there_will_be_and_asks_if_they_are_many(
    lake: Any, mine: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.csv"
    named = ["join", str(mine), "--on", "city", "--with", "visits.csv", "--how", "inner"]
    ask = [*named, "-o", str(out), "--force", "--lake", lake.path]
    rows = lake.plan_join(mine, HIT, "inner", on="city").rows
    code, document, said = _json(capsys, *ask)
    assert (code, document["rows"]) == (0, rows) and f"this join makes {rows} rows\n" in said
    assert document["neutralised"] == len([line for line in out.read_text().splitlines() if "cmd" in line]) + 3
    assert run(ask) == 0
    assert (
        f"{document['neutralised']} cells that a spreadsheet would run were given an apostrophe"
        in capsys.readouterr().out
    )
    monkeypatch.setattr("mere.cli.join_with._ASK_FROM", 50)
    out.unlink()
    code, document, _ = _json(capsys, *ask)
    assert code == 2 and document["error"]["message"] == f"this join makes {rows} rows, more than 50"
    assert "--yes" in document["error"]["remedy"] and not out.exists()
    code, document, _ = _json(capsys, *ask, "--yes", "--buffer", "1")
    assert code == 0 and out.exists()
    answers = iter([False, True])
    monkeypatch.setattr("mere.cli.join_with.click.confirm", lambda *given, **options: next(answers))
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"mere.cli.join_with.sys.{stream}.isatty", lambda: True, raising=False)
    out.unlink()
    assert run(ask) == 2 and not out.exists()
    assert run(ask) == 0 and out.exists()


def test_parquet_on_the_command_line_has_types_unless_raw(lake: Any, mine: Path, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out.parquet"
    ask = ["join", str(mine), "--on", "city", "--with", "visits.csv", "-o", str(out), "--force", "--lake", lake.path]
    code, document, _ = _json(capsys, *ask)
    assert (code, document["neutralised"]) == (0, 0)
    assert pq.read_schema(out).field("minutes").type == pa.float64()
    assert _json(capsys, *ask, "--raw")[0] == 0 and pq.read_schema(out).field("minutes").type == pa.string()
    code, document, _ = _json(capsys, *ask[:6], "--raw", "--lake", lake.path)
    assert code == 2 and document["error"]["message"] == "--raw goes with -o"
    code, document, _ = _json(capsys, "join", str(mine), "--on", "city", "--yes", "--lake", lake.path)
    assert code == 2 and document["error"]["message"] == "--yes goes with --with"


def test_a_column_that_stays_text_is_told(tmp_path: Path, run_index: Any, capsys: Any) -> None:
    counts = "".join(f"c{i},{i}\n" for i in range(20))
    raw = write_files(tmp_path / "raw", {"a.csv": f"city,count\n{counts}all,TOT\n"})
    run_index(raw)
    (tmp_path / "mine.csv").write_text("city,x\nc1,1\n")
    out = tmp_path / "out.parquet"
    ask = ["join", str(tmp_path / "mine.csv"), "--on", "city", "--with", "a.csv", "-o", str(out)]
    _, document, _ = _json(capsys, *ask, "--lake", str(run_index.lake))
    assert document["notes"] == ["'count' stays text: 'tot' is not a number"]


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow", "out.csv"])
def test_columns_of_any_type_are_written(lake: Any, tmp_path: Path, name: str) -> None:
    mine = pa.table({"city": ["Bern", "Wien"], "nothing": pa.nulls(2), "list": [[1, 2], [3]]})
    plan = lake.plan_join(mine, HIT, on="city")
    assert plan.write(tmp_path / name).rows == plan.rows


def test_long_rows_that_are_repeated_make_small_batches(tmp_path: Path) -> None:
    long, most = "x" * 50_000, 64 << 10
    texts = [long, *(f"{n}" for n in range(500))]
    mine, theirs = (code_column(pa.array(cells)) for cells in (["k"] * 40, ["k", *texts[1:]]))
    pairs = Pairs.of([mine], [theirs], "inner")
    rows = JoinRows((pa.table({"k": ["k"] * 40}), pa.table({"t": texts})), pairs, ["k", "t"])
    batches = [text.lines for text in rows.texts(Style(",", False), most)]
    assert sum(map(len, batches)) == 40 and all(pc.sum(pc.binary_length(each)).as_py() < 2 * most for each in batches)
