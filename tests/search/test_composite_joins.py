"""Asking with a key of several columns in every form, joining on it, from Python, the shell and Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.errors import UsageError
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.segments import code_column
from tests.conftest import touch, write_files
from tests.search.joined import Side, join

FILES = {
    "gdp.csv": "year,code,gdp\n2001,AT,1\n2001,CH,2\n2002,AT,3\n2002,CH,4\n2002,FR,5\n",
    "people.csv": "country,when,people\nat,2001,8\nat,2002,9\nch,2002,7\nde,2002,80\n",
    "towns.csv": "town,country,founded\nGraz,AT,1128\nBern,CH,1191\n",
    "odd.csv": '"a,b",c\nAT,2001\nCH,2002\n',
}
MINE = {"land": ["AT", "ch ", "AT", "XX", None], "year": ["2001", "2002", "2002.0", "2001", "2001"], "x": list("abcde")}
KEY = ["land", "year"]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("keys")
    index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


@pytest.fixture
def mine(tmp_path: Path) -> str:
    pd.DataFrame(MINE).to_csv(tmp_path / "mine.csv", index=False)
    return str(tmp_path / "mine.csv")


def matches(hits: Any) -> list[tuple[str, tuple[str, ...], float]]:
    return [(hit.table, hit.columns, hit.score) for hit in hits]


EXPECTED = [
    ("gdp.csv", ("code", "year"), 3.0),
    ("people.csv", ("country", "when"), 3.0),
    ("odd.csv", ("a,b", "c"), 2.0),
]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_a_key_asks_the_same_in_every_form(lake: Any, make: Any) -> None:
    assert matches(lake.composite(make(MINE), KEY)) == EXPECTED
    assert matches(lake.composite(make({name: MINE[name] for name in KEY}))) == EXPECTED


def test_a_file_asks_like_a_frame_and_the_order_of_columns_is_mine(lake: Any, mine: str) -> None:
    assert matches(lake.composite(mine, KEY)) == EXPECTED
    turned = [(table, columns[::-1], score) for table, columns, score in EXPECTED]
    assert matches(lake.composite(mine, KEY[::-1])) == turned


def test_a_table_of_the_lake_asks_and_does_not_answer_itself(lake: Any) -> None:
    hits = lake.composite("people.csv", ["country", "when"])
    assert matches(hits) == [("gdp.csv", ("code", "year"), 3.0), ("odd.csv", ("a,b", "c"), 2.0)]


def test_a_least_share_and_a_table_can_be_given(lake: Any) -> None:
    assert [hit.table for hit in lake.composite(MINE, KEY, threshold=0.7)] == ["gdp.csv", "people.csv"]
    assert matches(lake.composite(MINE, KEY, table="odd.csv")) == EXPECTED[2:]
    assert matches(lake.composite(MINE, KEY, numbers=False)) == []  # years are numbers
    assert matches(lake.composite(MINE, KEY, k=1)) == EXPECTED[:1]


def test_a_numbers_column_of_a_frame_matches_the_text_of_a_file(lake: Any) -> None:
    frame = pd.DataFrame({"land": ["AT", "CH"], "year": [2001.0, 2002.0]})
    assert matches(lake.composite(frame))[0] == ("gdp.csv", ("code", "year"), 2.0)


@pytest.mark.parametrize(
    ("frame", "on", "message"),
    [
        (MINE, ["land", "nope"], "no column 'nope'"),
        (MINE, ["land", "land"], "named twice"),
        (MINE, [], "no column is named"),
        ({f"c{i}": ["1"] for i in range(9)}, None, "9 columns, and none is named"),
        (["AT"], KEY, "expected a frame"),
        ({"a": ["x"], "b": ["y", "z"]}, None, "columns of different lengths: 'a' 1, 'b' 2"),
        ("no such file.csv", KEY, "no file 'no such file.csv'"),
    ],
)
def test_wrong_questions_are_refused_with_the_remedy(lake: Any, frame: Any, on: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        lake.composite(frame, on)
    assert caught.value.remedy


def test_a_composite_hit_is_joined_on_all_its_columns(lake: Any, mine: str) -> None:
    hit = lake.composite(MINE, KEY)[0]
    joined = lake.join(pd.DataFrame(MINE), hit)
    assert joined["gdp"].tolist()[:3] == [1, 4, 3] and joined["gdp"].isna().tolist()[3:] == [True, True]
    assert list(joined.columns) == ["land", "year", "x", "year_right", "code", "gdp"]
    assert lake.join(mine, hit, "inner").num_rows == 3
    by_hand = lake.join(MINE, ("people.csv", ["country", "when"]), "inner", on=KEY)
    assert by_hand.column("people").to_pylist() == [8, 7, 9]


@pytest.mark.parametrize("columns", ["when", ["when"], ["country", "when", "people"]])
def test_a_join_needs_as_many_columns_on_both_sides(lake: Any, columns: Any) -> None:
    with pytest.raises(UsageError, match="different numbers of columns"):
        lake.join(MINE, ("people.csv", columns), on=KEY)


cells = st.sampled_from([None, "a", "A ", "b", "1", "1.0", "2", ""])


@settings(max_examples=200, deadline=None)
@given(
    left=st.lists(st.tuples(cells, cells), max_size=12),
    right=st.lists(st.tuples(cells, cells), max_size=12),
    how=st.sampled_from(["left", "inner", "right", "outer"]),
)
def test_a_join_on_two_columns_is_that_of_a_nested_loop(left: list[Any], right: list[Any], how: str) -> None:
    left_table = pa.table({"a": [r[0] for r in left], "b": [r[1] for r in left], "l": range(len(left))}, schema("l"))
    right_table = pa.table(
        {"a": [r[0] for r in right], "b": [r[1] for r in right], "r": range(len(right))}, schema("r")
    )
    mine, theirs = _values(left_table), _values(right_table)
    pairs = [(i, j) for i, m in enumerate(mine) for j, t in enumerate(theirs) if m == t and None not in m]
    unmatched_left = [(i, None) for i in range(len(left)) if all(i != pair[0] for pair in pairs)]
    unmatched_right = [(None, j) for j in range(len(right)) if all(j != pair[1] for pair in pairs)]
    truth = (
        pairs
        + (unmatched_left if how in ("left", "outer") else [])
        + (unmatched_right if how in ("right", "outer") else [])
    )
    joined = join(Side(left_table, ["a", "b"]), Side(right_table, ["a", "b"]), how)
    got = list(zip(joined.column("l").to_pylist(), joined.column("r").to_pylist(), strict=True))
    key = lambda pair: tuple(-1 if side is None else side for side in pair)  # noqa: E731
    assert sorted(got, key=key) == sorted(truth, key=key)


def schema(last: str) -> pa.Schema:
    return pa.schema({"a": pa.string(), "b": pa.string(), last: pa.int64()})


def _values(table: pa.Table) -> list[tuple[str | None, ...]]:
    columns = []
    for name in ("a", "b"):
        coded = code_column(table.column(name).combine_chunks())
        words = [None, *coded.values.tolist()]
        columns.append([words[code] for code in coded.codes.tolist()])
    return list(zip(*columns, strict=True))


def document(capsys: Any) -> Any:
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


def test_the_command_line_asks_with_several_columns(lake: Any, mine: str, capsys: Any) -> None:
    assert run(["join", mine, "--on", "land,year", "--lake", lake.path, "--json"]) == 0
    answer = document(capsys)
    assert answer["kind"] == "joinable" and answer["hits"][0]["evidence"]["by"] == "composite"
    assert {hit["table"]: hit["evidence"]["shared"] for hit in answer["hits"]} == {t: s for t, _, s in EXPECTED}
    assert run(["join", mine, "--on", "land,year", "--by", "composite", "--lake", lake.path, "--json"]) == 0
    answer = document(capsys)
    assert answer["kind"] == "composite" and [(h["table"], h["score"]) for h in answer["hits"]] == [
        (table, score) for table, _, score in EXPECTED
    ]
    assert answer["hits"][0]["evidence"]["mapping"] == {"land": "code", "year": "year"}
    assert run(["join", mine, "--on", "land, year", "--threshold", "0.7", "--lake", lake.path]) == 0
    out = capsys.readouterr().out
    assert "code, year" in out and "75%" in out and "2 hits" in out


def test_a_column_with_a_comma_in_its_name_is_given_alone_or_in_quotes(lake: Any, tmp_path: Path, capsys: Any) -> None:
    file = str(write_files(tmp_path, {"q.csv": '"a,b",c\nAT,2001\n'}) / "q.csv")
    assert run(["join", file, "--on", "a,b", "--lake", lake.path, "--json"]) == 0
    assert document(capsys)["hits"][0]["evidence"]["on"] == ["a,b"]
    assert run(["join", file, "--on", '"a,b",c', "--lake", lake.path, "--json"]) == 0
    assert document(capsys)["hits"][0]["evidence"]["mapping"] == {"a,b": "code", "c": "year"}


def test_auto_proposes_a_key_and_says_why(lake: Any, tmp_path: Path, capsys: Any) -> None:
    rows = [f"{code},{year},{year % 7}.5" for code in ("AT", "CH", "FR", "DE") for year in range(2000, 2010)]
    file = str(write_files(tmp_path, {"q.csv": "\n".join(["land,year,rate", *rows])}) / "q.csv")
    assert run(["join", file, "--on", "auto", "--lake", lake.path, "--json"]) == 0
    assert document(capsys)["hits"][0]["evidence"]["on"][0] == "land", "any columns, as without --on"
    assert run(["join", file, "--on", "auto", "--by", "composite", "--lake", lake.path, "--json"]) == 0
    answer = document(capsys)
    assert answer["kind"] == "composite" and answer["notes"][0].startswith("on land, year: ")
    assert answer["hits"][0]["table"] == "gdp.csv" and answer["hits"][0]["score"] == 5.0
    assert lake.propose_keys(file)[0].columns == ("land", "year")
    assert (
        run(["join", file, "--on", "auto", "--with", "gdp.csv", "--how", "inner", "--lake", lake.path, "--json"]) == 0
    )
    assert document(capsys)["rows"] == 5
    without_hits = "\n".join(["no,land,year", *(f"x{i},{row}" for i, row in enumerate(rows))]).replace(".5", "")
    file = str(write_files(tmp_path, {"b.csv": without_hits}) / "b.csv")
    assert run(["join", file, "--on", "auto", "--by", "composite", "--lake", lake.path, "--json"]) == 0
    answer = document(capsys)
    assert answer["notes"][0] == "nothing joins on no" and answer["hits"], "the next proposal is tried"
    empty = str(write_files(tmp_path, {"e.csv": "a,b\n1.5,\n2.5,\n"}) / "e.csv")
    assert run(["join", empty, "--on", "auto", "--by", "composite", "--lake", lake.path]) == 2
    assert "look like a key" in capsys.readouterr().err


def test_the_command_line_joins_on_several_columns(lake: Any, mine: str, tmp_path: Path, capsys: Any) -> None:
    out = str(tmp_path / "out.csv")
    arguments = ["join", mine, "--on", "land,year", "--with", "people.csv", "--lake", lake.path]
    assert run([*arguments, "-o", out, "--json"]) == 0
    assert document(capsys)["columns"] == ["country", "when"]
    assert pd.read_csv(out)["people"].tolist()[:3] == [8, 7, 9]
    assert run([*arguments, "--column", "country,when"]) == 0
    assert "3 keys matched (75% of mine), one-to-one" in capsys.readouterr().out
    assert run([*arguments, "--column", "when,country"]) == 0  # as the user says, though nothing matches
    out = capsys.readouterr().out
    assert "0 keys matched (0% of mine), none, 5 rows" in out and "note: none of my keys" in out
    assert run(["join", mine, "--on", "land,year", "--with", "towns.csv", "--lake", lake.path]) == 2
    assert "no key of 'towns.csv' is shared with mine" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--by", "overlap"], "takes one column"),
        (["--exact", "--threshold", "0.5"], "--exact does not go with composite"),
        (["--how", "inner"], "--how goes with --with"),
        (["--with", "gdp.csv", "--k", "3"], "--k 3 goes with a search"),
        (["--per", "column"], "answered by tables"),
        (["--mode", "josie"], "--mode must be one of"),
        (["--threshold", "7"], "must be above 0"),
        (["--with", "gdp.csv", "--column", "code"], "different numbers of columns"),
    ],
)
def test_flags_that_do_not_go_with_several_columns_are_refused(
    lake: Any, mine: str, capsys: Any, more: list[str], message: str
) -> None:
    assert run(["join", mine, "--on", "land,year", "--lake", lake.path, *more]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("on", ["", "\n", "land,\nyear", ","])
def test_texts_that_are_not_names_are_refused(lake: Any, mine: str, capsys: Any, on: str) -> None:
    assert run(["join", mine, "--on", on, "--lake", lake.path]) == 2
    assert capsys.readouterr().err.startswith("mere: ")


def test_a_warm_lake_has_loaded_what_a_hit_needs(lake: Any) -> None:
    from mere.indexes.composite import descent, follow, kernels

    lake.warm()
    compiled = [kernels.known_of, kernels.share, descent.best_tables, follow.follow]
    before = [list(kernel.signatures) for kernel in compiled]
    assert all(before)
    assert matches(lake.composite(MINE, KEY)) == EXPECTED
    assert matches(lake.composite(MINE, ["land"]))
    assert [list(kernel.signatures) for kernel in compiled] == before


def test_a_batch_has_the_notes_on_searches_that_were_stopped(lake: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("mere.indexes.composite.search.WORK", 1)
    key = {name: MINE[name] for name in KEY}
    [answer] = lake.batch("composite", [key], Inline())
    assert {"too many ways to match, in tables: 'gdp.csv'" in note for note in answer.notes} == {True}
    assert sorted(lake.composite(key).notes) == sorted(answer.notes)


def test_updates_keep_composite_answers_exact(tmp_path: Path, run_index: Any) -> None:
    raw = write_files(tmp_path / "raw", FILES)
    run_index(raw)
    (raw / "gdp.csv").write_text("year,code,gdp\n2001,AT,1\n")
    touch(raw / "gdp.csv")
    (raw / "people.csv").unlink()
    write_files(raw, {"new.csv": "k,y\nAT,2001\nCH,2002\nAT,2002\nXX,2001\n"})
    run_index(raw)
    with mere.open(run_index.lake) as changed:
        assert matches(changed.composite(MINE, KEY)) == [
            ("new.csv", ("k", "y"), 4.0),
            ("odd.csv", ("a,b", "c"), 2.0),
            ("gdp.csv", ("code", "year"), 1.0),
        ]


def test_other_super_keys_rebuild_the_index_and_give_the_same_answers(tmp_path: Path, run_index: Any) -> None:
    raw = write_files(tmp_path / "raw", FILES)
    for recipe in ("bloom-128", "xash-256", "md5-512"):
        run_index(raw, settings=Settings(super_keys=recipe))
        with mere.open(run_index.lake) as lake:
            assert lake.info()["settings"]["super_keys"] == recipe
            for mode in ("auto", "mate"):
                assert matches(lake.composite(MINE, KEY, mode=mode)) == EXPECTED


def test_a_batch_of_keys_is_answered_as_one_by_one(lake: Any) -> None:
    queries = [{"frame": MINE, "on": KEY}, {name: MINE[name] for name in KEY}, {"frame": "people.csv", "on": ["when"]}]
    queries.append({"frame": MINE["land"], "year": MINE["year"]})  # a column of that name
    answers = lake.batch("composite", queries, Inline())
    assert matches(answers[0]) == matches(answers[1]) == EXPECTED
    assert matches(answers[3]) == EXPECTED
    assert matches(answers[2]) == matches(lake.composite("people.csv", ["when"]))
    assert answers[0][0].evidence == lake.composite(MINE, KEY)[0].evidence
