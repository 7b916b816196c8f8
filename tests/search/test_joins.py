"""Asking with a column in every form, and joining what was found."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.answers import Hit
from mere.cli import run
from mere.errors import NoSuchTable, UsageError
from mere.search.exporting import Written, export
from mere.search.joining import Pairs
from mere.segments import Facts, code_column, digest, summarise
from tests.conftest import touch, write_files
from tests.search.joined import Side, join

FILES = {
    "geo/countries.csv": "code,name,population\nAT,Austria,9000000\nNA,Namibia,2600000\nCH,Switzerland,8700000\n"
    "DE,Germany,83000000\nFR,France,68000000\n",
    "geo/cities.csv": "city,country\nVienna,at\nGraz,AT\nWindhoek,NA\nBern, ch \nParis,FR\nRome,IT\n",
    "geo/copy.csv": "code,note\nAT,a\nNA,b\nCH,c\nDE,d\nFR,e\n",
    "ids/orders.csv": "order,customer\n1,10\n2,11\n3,12\n4,10\n",
    "ids/customers.csv": "id,name\n10,Ann\n11,Bob\n12,Cid\n13,Dan\n",
    "codes/padded.csv": "zip,town\n010,A\n011,B\n012,C\n",
}
MINE = ["AT", "at ", "CH", "DE", "XX", None]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from mere.pipeline import index
    from mere.pipeline.engine import Inline

    folder = tmp_path_factory.mktemp("joins")
    raw = write_files(folder / "raw", FILES)
    index([raw], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


def places(hits: Any) -> list[tuple[str, str, float]]:
    return [(hit.table, hit.columns[0], hit.score) for hit in hits]


EXPECTED = [("geo/copy.csv", "code", 3.0), ("geo/countries.csv", "code", 3.0), ("geo/cities.csv", "country", 2.0)]


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        iter,
        pa.array,
        lambda cells: pa.chunked_array([cells[:2], cells[2:]]),
        lambda cells: pa.array(cells).dictionary_encode(),
        lambda cells: pd.Series(cells, name="mine"),
        lambda cells: pd.Series(cells, dtype="category"),
        lambda cells: pl.Series("mine", cells),
        lambda cells: np.array(cells, object),
    ],
)
def test_a_column_asks_the_same_in_every_form(lake: Any, make: Any) -> None:
    hits = lake.overlap(make(MINE))
    assert places(hits) == EXPECTED
    assert hits[0].evidence["containment"] == 3 / 4  # at, ch, de of at, ch, de, xx


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_a_frame_asks_with_the_column_named(lake: Any, make: Any) -> None:
    frame = make({"mine": MINE, "other": list("abcdef")})
    hits = lake.overlap(frame, on="mine")
    assert places(hits) == EXPECTED and hits[0].evidence["on"] == ["mine"]
    with pytest.raises(UsageError, match="2 columns"):
        lake.overlap(frame)
    with pytest.raises(UsageError, match="no column 'nine'"):
        lake.overlap(frame, on="nine")


def test_a_file_asks_and_so_does_a_table_of_the_lake(lake: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text("k\tmine\n" + "".join(f"{i}\t{cell or ''}\n" for i, cell in enumerate(MINE)))
    assert places(lake.overlap(file, on="mine")) == EXPECTED
    assert places(lake.overlap(str(file), on="MINE")) == EXPECTED  # another case, if it is clear which column
    hits = lake.overlap("geo/countries.csv", on="code")
    assert places(hits) == [("geo/copy.csv", "code", 5.0), ("geo/cities.csv", "country", 4.0)]  # not itself
    assert places(lake.overlap("countries.csv", on="code", k=1)) == [("geo/copy.csv", "code", 5.0)]
    with pytest.raises(NoSuchTable, match="no file"):
        lake.overlap("geo/nowhere.csv", on="code")
    with pytest.raises(UsageError, match="not a file"):
        lake.overlap(tmp_path, on="code")


def test_an_excel_sheet_asks_by_its_member_name(lake: Any, tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"x": [1]}).to_excel(book, sheet_name="first", index=False)
        pd.DataFrame({"mine": MINE, "n": range(6)}).to_excel(book, sheet_name="second", index=False)
    assert places(lake.overlap(path, on="mine")) == EXPECTED  # the only sheet with that column
    assert places(lake.overlap(f"{path}#second", on="mine")) == EXPECTED
    with pytest.raises(UsageError, match="no member 'third'"):
        lake.overlap(f"{path}#third", on="mine")


@pytest.mark.parametrize("given_", [7, b"bytes", None, object()])
def test_anything_but_a_column_is_refused(lake: Any, given_: Any) -> None:
    with pytest.raises(UsageError, match="expected a column"):
        lake.overlap(given_)


def test_an_empty_column_finds_nothing_and_says_why(lake: Any) -> None:
    for hits in (lake.overlap([None, "", "n/a"]), lake.containment([]), lake.containment([], exact=False)):
        assert len(hits) == 0 and "no values" in hits.notes[0]


def test_numbers_answer_numbers_and_text_answers_text(lake: Any) -> None:
    hits = lake.overlap([10, 11.0, 12])
    numbers = [("ids/customers.csv", "id", 3.0), ("ids/orders.csv", "customer", 3.0)]
    assert places(hits) == [*numbers, ("codes/padded.csv", "zip", 3.0)]  # by restored zeros, hence last
    assert places(lake.overlap([10, 11.0, 12], codes=False)) == numbers
    assert "coincidence" in hits.notes[0]
    padded = lake.overlap(["010", "011"], codes=False)
    assert places(padded) == [("codes/padded.csv", "zip", 2.0)]  # padded codes are text
    assert places(lake.overlap(["10", "x", "y"])) == []
    assert places(lake.overlap(["10", "x", "y"], numbers=True, k=1)) == [("ids/customers.csv", "id", 1.0)]


def test_one_row_per_table_or_per_column_and_only_in_one_table(lake: Any) -> None:
    both = lake.overlap(["Ann", "AT"], per="column", k=0)
    assert len(both) == 4
    assert places(lake.overlap(MINE, table="cities.csv")) == [("geo/cities.csv", "country", 2.0)]
    with pytest.raises(NoSuchTable):
        lake.overlap(MINE, table="nowhere.csv")


def test_fan_out_and_examples(lake: Any) -> None:
    [hit] = lake.overlap(["AT", "AT", "CH", "zz"], table="geo/cities.csv")
    assert hit.evidence["fan_out"] == {
        "rows": 5, "left": 1.5, "right": 1.5, "left_max": 2, "right_max": 2, "shape": "many-to-many",
    }  # fmt: skip
    assert hit.evidence["matched"] == ["at", "ch"] and hit.evidence["unmatched"] == ["zz"]
    assert hit.evidence["jaccard"] == 2 / 6


@pytest.mark.parametrize("exact", [None, True, False])
def test_containment_says_how_it_was_found(lake: Any, exact: bool | None) -> None:
    hits = lake.containment(["AT", "NA", "CH", "DE"], 0.7, exact=exact)
    truth = [("geo/copy.csv", "code", 1.0), ("geo/countries.csv", "code", 1.0), ("geo/cities.csv", "country", 0.75)]
    assert (
        places(hits) == truth
        if exact is not False
        else {("geo/copy.csv", "code", 1.0)} <= set(places(hits)) <= set(truth)
    )
    way = "signatures" if exact is False else "posting lists"
    assert {(hit.exact, hit.evidence["found_by"]) for hit in hits} == {(True, way)}
    assert any("missed" in note for note in hits.notes) == (exact is False)
    assert hits.kind == "containment"
    estimated = lake.containment(["AT", "NA", "CH", "DE"], 0.7, exact=exact and None, verify=False)
    assert estimated and not any(hit.exact for hit in estimated)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_hit_is_joined_by_value_and_the_result_has_the_type_of_the_frame(lake: Any, make: Any) -> None:
    mine = make({"cc": ["at", "XX", "CH"], "n": [1, 2, 3]})
    hit = lake.overlap(mine, on="cc", table="geo/countries.csv")[0]
    joined = lake.join(mine, hit)
    assert type(joined) is type(mine)
    rows = pa.table(joined) if isinstance(joined, pd.DataFrame) else joined
    rows = rows.to_arrow() if hasattr(rows, "to_arrow") else rows
    assert rows.column("cc").to_pylist() == ["at", "XX", "CH"]
    assert rows.column("name").to_pylist() == ["Austria", None, "Switzerland"]


def test_left_inner_right_and_outer_joins(lake: Any) -> None:
    mine = pa.table({"code": ["AT", None, "zz", "AT"], "name": list("abcd")})
    where = ("geo/cities.csv", "country")
    assert lake.join(mine, where, on="code").num_rows == 6
    assert lake.join(mine, where, "inner", on="code").column("city").to_pylist() == ["Vienna", "Graz"] * 2
    right = lake.join(mine, where, "right", on="code")
    assert right.column("city").to_pylist() == ["Vienna", "Vienna", "Graz", "Graz", "Windhoek", "Bern", "Paris", "Rome"]
    outer = lake.join(mine, where, "outer", on="code")
    assert outer.num_rows == 6 + 4 and outer.column("code").null_count == 1 + 4
    assert lake.join(mine, ("geo/countries.csv", "code"), on="code").column_names == [
        "code", "name", "code_right", "name_right", "population",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="'how' must be one of"):
        lake.join(mine, where, "cross", on="code")
    with pytest.raises(UsageError, match="2 columns, and none is named"):
        lake.join(mine, where)
    with pytest.raises(UsageError, match="no column 'nope'"):
        lake.join(mine, ("geo/cities.csv", "nope"), on="code")


def test_a_join_of_too_many_rows_is_refused(lake: Any) -> None:
    with pytest.raises(UsageError, match="would have 12 rows, more than 10"):
        lake.join(pa.table({"c": ["AT"] * 6}), ("geo/cities.csv", "country"), on="c", most_rows=10)


cells = st.one_of(st.none(), st.sampled_from(["a", "A ", "b", "1", "1.0", "", "n/a", "ß", "SS", "007", "7"]))


@settings(max_examples=300, deadline=None)
@given(st.lists(cells, max_size=8), st.lists(cells, max_size=8), st.sampled_from(["left", "inner", "right", "outer"]))
def test_joins_agree_with_two_loops(left: list[Any], right: list[Any], how: str) -> None:
    def keys(side: list[Any]) -> list[str | None]:
        [table] = summarise([Facts("t", "", "")], digest([pa.table({"c": pa.array(side, pa.string())})]))
        values, codes = table.sets.values.tolist(), table.cells.data[0] if side else []
        return [None if code == 0 else values[code - 1] for code in codes]

    mine, theirs = keys(left), keys(right)
    match = [(i, j) for i, a in enumerate(mine) for j, b in enumerate(theirs) if a is not None and a == b]
    unmatched_left = [(i, None) for i in range(len(left)) if i not in {i for i, _ in match}]
    unmatched_right = [(None, j) for j in range(len(right)) if j not in {j for _, j in match}]
    more = {"inner": [], "left": unmatched_left, "right": unmatched_right, "outer": unmatched_left + unmatched_right}[
        how
    ]
    tables = [
        pa.table({"c": pa.array(side, pa.string()), name: pa.array(range(len(side)), pa.int64())})
        for side, name in ((left, "i"), (right, "j"))
    ]
    rows = join(Side(tables[0], ["c"]), Side(tables[1], ["c"]), how)
    got = list(zip(rows.column("i").to_pylist(), rows.column("j").to_pylist(), strict=True))
    assert sorted(got, key=str) == sorted(match + more, key=str)
    if how in ("left", "inner"):
        assert got == sorted(got, key=lambda pair: (pair[0], -1 if pair[1] is None else pair[1]))


def test_empty_columns_have_no_pairs() -> None:
    none = pa.array([], pa.string())
    assert [side.tolist() for side in Pairs.of([code_column(none)], [code_column(none)], "outer").slice(0, 0)] == [
        [],
        [],
    ]


@settings(max_examples=300, deadline=None)
@given(st.lists(cells, max_size=12))
def test_the_values_of_a_question_are_those_of_a_segment(column: list[Any]) -> None:
    frame = pa.array(column, pa.string())
    [table] = summarise([Facts("t", "", "")], digest([pa.table({"c": frame})]))
    coded = code_column(frame)
    assert coded.values.tolist() == table.sets.values.tolist()
    assert coded.hashes.tolist() == table.sets.hashes.tolist()
    assert coded.counts().tolist() == table.sets.counts.tolist()


def test_formulas_get_an_apostrophe_and_numbers_do_not(tmp_path: Path) -> None:
    cells = ["=HYPERLINK(1)", "+1+cmd", "-5", "-5.5e3", "+49 170", "@SUM(1)", "\tx", "a=b", None, "-", "1,5"]
    table = pa.table({"@h(1)": cells, "n": list(range(len(cells)))})
    assert export(table, str(tmp_path / "a.csv")) == Written(11, 4)  # three cells and a name
    assert (tmp_path / "a.csv").read_text().splitlines() == [
        "'@h(1),n", "'=HYPERLINK(1),0", "'+1+cmd,1", "-5,2", "-5.5e3,3", "+49 170,4", "'@SUM(1),5", "\tx,6", "a=b,7",
        ",8", "-,9", '"1,5",10',
    ]  # fmt: skip
    assert export(table, str(tmp_path / "b.csv"), neutralise=False).neutralised == 0
    assert "\n=HYPERLINK(1),0\n" in (tmp_path / "b.csv").read_text()
    export(table, str(tmp_path / "c.tsv"))
    assert "'@SUM(1)\t5" in (tmp_path / "c.tsv").read_text()
    export(table, str(tmp_path / "d.parquet"))
    assert pq.read_table(tmp_path / "d.parquet").equals(table)
    export(table, str(tmp_path / "e.arrow"))
    assert pa.ipc.open_file(tmp_path / "e.arrow").read_all().equals(table)
    with pytest.raises(UsageError, match="cannot write"):
        export(table, str(tmp_path / "e.docx"))
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "b.csv", "c.tsv", "d.parquet", "e.arrow"]


def _json(capsys: Any, *arguments: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = run([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_joins_on_the_command_line(lake: Any, tmp_path: Path, capsys: Any) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("cc,n\nAT,=1+1\nCH,2\nzz,3\n")
    at = ["--lake", lake.path]
    code, document = _json(capsys, "join", str(mine), "--on", "cc", "--by", "overlap", *at)
    assert code == 0 and document["kind"] == "overlap" and document["hits"][0]["score"] == 2
    assert set(document["hits"][0]["evidence"]) >= {
        "overlap",
        "containment",
        "jaccard",
        "fan_out",
        "matched",
        "unmatched",
    }
    code, document = _json(capsys, "join", str(mine), "--on", "cc", "--threshold", "0.6", *at)
    assert (code, document["kind"], len(document["hits"])) == (0, "containment", 3)
    code, document = _json(capsys, "join", str(mine), "--on", "cc", "--threshold", "0.6", "--approximate", *at)
    assert code == 0 and {hit["evidence"]["found_by"] for hit in document["hits"]} == {"signatures"}
    out = tmp_path / "out.csv"
    code, document = _json(capsys, "join", str(mine), "--on", "cc", "--with", "geo/countries.csv", "-o", str(out), *at)
    assert (code, document["rows"], document["columns"]) == (0, 3, ["code"])
    assert out.read_text() == (
        "cc,n,code,name,population\nAT,'=1+1,AT,Austria,9000000\nCH,2,CH,Switzerland,8700000\nzz,3,,,\n"
    )
    assert run(["join", str(mine), "--on", "cc", *at]) == 0
    assert "geo/copy.csv" in capsys.readouterr().out
    assert run(["join", str(mine), "--on", "cc", "--with", "cities.csv", "--column", "country", *at]) == 0
    assert "Vienna" in capsys.readouterr().out
    assert run(["join", "geo/copy.csv", "--on", "code", *at]) == 0
    assert "geo/countries.csv" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--on", "nope"], "no column 'nope'"),
        (["--by", "overlap"], "2 columns"),
        (["--on", "cc", "--threshold", "7"], "threshold"),
        (["--on", "cc", "--by", "overlap", "--threshold", "0.5"], "--threshold"),
        (["--on", "cc", "-o", "x.csv"], "-o goes with --with"),
        (["--on", "cc", "--with", "nowhere.csv"], "nowhere.csv"),
        (["--on", "cc", "--with", "ids/orders.csv"], "is shared"),
        (["--on", "cc", "--with", "geo/copy.csv", "--column", "note"], "is shared"),
        (["--on", "cc", "--with", "geo/copy.csv", "--column", "nope"], "no column 'nope'"),
        (["--on", "cc", "--with", "geo/copy.csv", "-o", "no/such/x.csv"], "no folder"),
        (["--on", "cc", "--column", "code"], "--column"),
        (["--on", "cc", "--with", "geo/copy.csv", "-o", "x.docx"], "cannot write"),
        (["--on", "cc", "--k", "-1"], "--k"),
        (["--on", "cc", "--approximate"], "--approximate"),
        (["--on", "cc", "--threshold", "0.5", "--mode", "josie"], "--mode"),
    ],
)
def test_wrong_arguments_are_named(lake: Any, tmp_path: Path, capsys: Any, arguments: list[str], message: str) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("cc,n\nAT,1\nCH,2\n")
    code, document = _json(capsys, "join", str(mine), *arguments, "--lake", lake.path)
    assert code == 2 and message in document["error"]["message"] and document["error"]["remedy"]


def test_updates_keep_both_kinds_exact(tmp_path: Path, run_index: Any) -> None:
    """Add, change, delete: the answers are those of a lake made afresh, segment by segment."""
    raw = write_files(tmp_path / "raw", FILES)
    run_index(raw)
    steps: list[dict[str, str | None]] = [
        {"new/more.csv": "land,x\nAT,1\nCH,2\nDE,3\nXX,4\n"},
        {"geo/copy.csv": "code,note\nAT,a\nzz,b\n"},
        {"geo/countries.csv": None},
        {"new/more.csv": None, "new/again.csv": FILES["geo/copy.csv"]},
    ]
    for number, step in enumerate(steps):
        for path, text in step.items():
            if text is None:
                (raw / path).unlink()
            else:
                write_files(raw, {path: text})
                touch(raw / path)
        run_index(raw)
        from mere.pipeline import index
        from mere.pipeline.engine import Inline

        fresh = tmp_path / f"fresh{number}"
        index([raw], fresh, engine=Inline())
        with mere.open(run_index.lake) as updated, mere.open(fresh) as new:
            assert updated.info()["segments"] >= 1
            for ask in (
                lambda lake: lake.overlap(MINE, 0, per="column"),
                lambda lake: lake.containment(MINE, 0.3, per="column", exact=True),
            ):
                assert ask(updated).to_dicts() == ask(new).to_dicts()
            truth = places(new.containment(MINE, 0.3, per="column", exact=True))
            approximate = places(updated.containment(MINE, 0.3, per="column", exact=False))
            assert approximate and set(approximate) <= set(truth)


def test_a_hit_can_be_made_by_the_caller(lake: Any) -> None:
    hit = Hit("geo/countries.csv", ("code",), 1.0)
    assert lake.join({"c": ["AT"]}, hit, on="c").column("name").to_pylist() == ["Austria"]


def test_a_truncated_query_file_gives_a_note(lake: Any, tmp_path: Path, capsys: Any) -> None:
    import gzip

    complete = gzip.compress(("code,n\n" + "".join(f"AT,{i}\nCH,{i * 7919}\n" for i in range(20_000))).encode())
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(complete[: len(complete) // 2])
    assert any("only in part" in note for note in lake.overlap(cut, on="code").notes)
    with pytest.warns(UserWarning, match="only in part"):
        lake.join(cut, ("geo/copy.csv", "code"), on="code")
    out = str(tmp_path / "out.csv")
    _, document = _json(
        capsys, "join", str(cut), "--on", "code", "--with", "geo/copy.csv", "-o", out, "--lake", lake.path
    )
    assert "only in part" in document["notes"][0]


def test_a_table_of_the_lake_can_be_the_left_side(lake: Any, capsys: Any) -> None:
    joined = lake.join("geo/cities.csv", ("geo/countries.csv", "code"), on="country")
    assert joined.column("name").to_pylist() == ["Austria", "Austria", "Namibia", "Switzerland", "France", None]
    _, document = _json(
        capsys, "join", "geo/cities.csv", "--on", "country", "--with", "geo/countries.csv", "--lake", lake.path
    )
    assert document["rows"] == 6


def test_cells_of_unusual_types_are_compared_as_text(lake: Any) -> None:
    from uuid import UUID

    from mere.indexes.inputs import Distinct
    from mere.search.given import LakeInputs
    from mere.segments import OpenSnapshot

    inputs = LakeInputs(OpenSnapshot(lake.path))

    def words(given: Any) -> set[str]:
        cells = inputs.column(given, None).cells
        assert isinstance(cells, Distinct)
        return set(cells.values.tolist())

    assert words([UUID(int=1)]) == {"00000000-0000-0000-0000-000000000001"}
    assert words(pd.Series(pd.period_range("2020-01", periods=2, freq="M"))) == {"2020-01", "2020-02"}
    assert words(["a", 1, pd.NA, float("nan"), None]) == {"a", "1"}
    assert words(pd.Series([2**70, 1])) == {str(2**70), "1"}
    assert words(pd.Series([1, None], dtype="Int64")) == {"1"}
    assert words(pl.Series([1, 2], dtype=pl.Object)) == {"1", "2"}
    for frame in (pd.DataFrame({"a": ["x", 1, pd.NA]}), pd.DataFrame({"a": [2**70, 1]})):
        lake.overlap(frame, on="a")
    assert places(lake.overlap(pd.DataFrame({0: MINE, 1: MINE}), on=0)) == EXPECTED  # type: ignore[arg-type]
    repeated = pd.DataFrame([["AT", "CH"]], columns=["c", "c"])
    with pytest.raises(UsageError, match="several columns"):
        lake.overlap(repeated, on="c")
    with pytest.raises(UsageError, match="2 dimensions"):
        lake.overlap(np.zeros((2, 2)))
    assert len(lake.overlap(MINE, np.int64(2))) == 2
    assert len(lake.containment(MINE, np.float32(0.5))) == 3


def test_an_estimated_hit_knows_its_column(lake: Any) -> None:
    mine = pa.table({"land": ["AT", "NA", "CH", "DE", "FR"]})
    hit = lake.containment(mine, 0.5, on="land", exact=False, verify=False)[0]
    assert lake.join(mine, hit).num_rows >= 5


def test_a_carriage_return_does_not_end_a_row(tmp_path: Path) -> None:
    import csv

    path = tmp_path / "a.csv"
    export(pa.table({"a": ["x\r=1+1", "y"], "b": ["\n=2", "\uff1d3"]}), str(path))
    with open(path, newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["a", "b"], ["x\r=1+1", "'\n=2"], ["y", "'\uff1d3"]]
    assert b'"x\r=1+1"' in path.read_bytes()


def test_a_join_with_more_text_than_fits_into_one_array() -> None:
    from mere.search import joining

    class Narrow:
        """A table whose `take` fails; the same table with wide strings can."""

        def __init__(self, table: pa.Table) -> None:
            self.table, self.schema, self.column_names = table, table.schema, table.column_names

        def take(self, rows: Any) -> pa.Table:
            raise pa.ArrowInvalid("overflowed")

        def cast(self, schema: pa.Schema) -> pa.Table:
            return self.table.cast(schema)

    taken = joining.take_rows(Narrow(pa.table({"a": ["x", "y"]})), np.array([1, -1]))  # type: ignore[arg-type]
    assert taken.column("a").to_pylist() == ["y", None] and taken.schema.types == [pa.large_string()]


def test_a_code_with_an_e_is_text_and_a_time_at_midnight_is_a_date(lake: Any, tmp_path: Path, run_index: Any) -> None:
    run_index(write_files(tmp_path / "raw", {"a.csv": "iata,day\n0E0,2020-01-01\n0E8,2020-01-02\n12E3,2020-01-03\n"}))
    with mere.open(run_index.lake) as own:
        assert own.overlap(["0E0"])[0].score == 1 and len(own.overlap(["0", "12000"], numbers=True)) == 0
        days = pd.to_datetime(pd.Series(["2020-01-01", None, "2020-01-03"]))
        assert own.overlap(days)[0].score == 2


def test_values_that_are_read_as_null_are_named(lake: Any) -> None:
    assert any("'na'" in note for note in lake.overlap(["NA", "Austria", "Namibia", "n/a"]).notes)
    assert not lake.overlap(["AT", "CH", "DE", "NA"]).notes  # a code among codes


def test_integers_stay_integers(lake: Any) -> None:
    mine = pd.DataFrame({"c": ["AT", "zz"], "big": pd.Series([2**60 + 1, None], dtype="Int64"), "n": [1, 2]})
    joined = lake.join(mine, ("geo/cities.csv", "country"), "outer", on="c")
    assert joined["big"].dtype == "Int64" and joined["big"].iloc[0] == 2**60 + 1
    assert joined["n"].dtype == "Int64" and joined["n"].iloc[0] == 1
    assert lake.join(mine, ("geo/cities.csv", "country"), on="c")["n"].dtype == "int64"
    with pytest.raises(UsageError, match="expected a Hit"):
        lake.join(mine, "geo/cities.csv", on="c")


def test_a_file_with_several_tables_says_which_was_used(lake: Any, tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "c,n\nAT,1\nCH,2\n")
        archive.writestr("b.csv", "c,n\nDE,1\nFR,2\n")
    assert any("several tables" in note for note in lake.overlap(path, on="c").notes)
    assert not lake.overlap(f"{path}#b.csv", on="c").notes
    with pytest.raises(UsageError, match="no member") as fault:
        lake.overlap(f"{path}#c.csv", on="c")
    assert "a.csv, b.csv" in fault.value.remedy


def test_the_query_file_is_never_overwritten(lake: Any, tmp_path: Path, capsys: Any) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("cc,n\nAT,1\n")
    arguments = ["--with", "geo/copy.csv", "-o", str(mine), "--lake", lake.path]
    code, _ = _json(capsys, "join", str(mine), "--on", "cc", *arguments)
    assert code == 2 and mine.read_text() == "cc,n\nAT,1\n"


def test_batches_are_answered_as_questions_one_by_one_are(lake: Any) -> None:
    from mere.pipeline.engine import Inline

    columns: list[Any] = [MINE, pd.Series(["Ann", "Bob"]), {"values": "geo/cities.csv", "on": "country"}, [10, 11]]
    alone = [lake.overlap(c, 2) for c in columns[:2]]
    alone += [lake.overlap("geo/cities.csv", 2, on="country"), lake.overlap([10, 11], 2)]
    together = lake.batch("overlap", columns, Inline(), k=2)
    assert [hits.to_dicts() for hits in together] == [hits.to_dicts() for hits in alone]
    assert [hits.notes for hits in together] == [hits.notes for hits in alone]
    queries = [{"values": MINE, "threshold": 0.5, "exact": exact} for exact in (None, True, False)]
    shares = [lake.containment(MINE, 0.5, exact=exact) for exact in (None, True, False)]
    answers = lake.batch("containment", queries, Inline(), k=0)
    assert [hits.to_dicts() for hits in answers] == [hits.to_dicts() for hits in shares]
    assert [hits.kind for hits in answers] == ["containment"] * 3


def test_a_join_has_the_notes_of_the_question(lake: Any, tmp_path: Path, capsys: Any) -> None:
    mine = tmp_path / "na.csv"
    mine.write_text("iso,sales\nNA,5\nAT,7\nAustria,2\n")
    _, document = _json(capsys, "join", str(mine), "--on", "iso", "--with", "geo/countries.csv", "--lake", lake.path)
    assert document["notes"] == ["read as missing: 'na'"]
