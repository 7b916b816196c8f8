"""The answer to `mere.transform_join` says what the outcome says, in every form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mere
from mere.errors import UsageError
from mere.search.transforming import TransformJoin
from mere.search.transforming.sides import read_side
from mere.transform import Constant, Outcome, Piece, Program, Rule
from tests.transform_join.outcomes import BADGES, HOLDER, RULE, STAFF, TURNED, refusing, staff_and_badges


@pytest.fixture
def result(matching: Any) -> TransformJoin:
    matching(staff_and_badges)
    return mere.transform_join(STAFF, BADGES)


def test_pairs_are_in_the_order_of_the_left_table_with_what_made_them(result: TransformJoin) -> None:
    assert [tuple(pair) for pair in result.pairs] == [
        (0, 1, "program 1", 1.0), (1, 2, "fuzzy", 0.92), (4, 0, "program 1", 1.0),
    ]  # fmt: skip
    assert len(result) == 3 and result


def test_coverage_and_unmatched_rows_are_those_of_each_table(result: TransformJoin) -> None:
    assert result.coverage == {"left": 0.6, "right": 0.75}
    assert result.unmatched == {"left": [2, 3], "right": [3]}
    assert result.unmatched_left.to_pydict() == {"person": ["Plato", None], "age": [2452, 1]}
    assert result.unmatched_right.to_pydict() == {"holder": ["Nobody"], "age": [4.5]}


def test_the_pairs_as_frames_have_both_keys(result: TransformJoin) -> None:
    expected = {
        "left_row": [0, 1, 4],
        "right_row": [1, 2, 0],
        "left_key": ["Obama, Barack (1961-)", "Curie, Marie (1867-)", "Lovelace, Ada (1815-)"],
        "right_key": ["Barack Obama", "Marie Currie", "Ada Lovelace"],
        "by": ["program 1", "fuzzy", "program 1"],
        "score": [1.0, 0.92, 1.0],
    }
    assert result.to_arrow().to_pydict() == expected
    assert result.to_pandas().to_dict("list") == expected
    assert result.to_polars().to_dict(as_series=False) == expected


def test_keys_of_several_columns_and_of_several_programs_are_shown_together() -> None:
    both = Program(("first", "last"), (Piece(0), Constant("."), Piece(1)))
    whole = Program(("mail",), (Piece(0),))
    rules = (Rule("left to right", both, whole, 1), Rule("right to left", whole, Program(("last",), (Piece(0),)), 1))
    outcome = Outcome(np.array([0, 1, 2]), np.array([1, 0, 2]), np.array([1, 0, -1]), np.array([1, 1, 0.9]), rules)
    left = {"first": ["a", "b", None], "last": ["x", "y", "z"]}
    join = TransformJoin(outcome, read_side("left", left, None), read_side("right", {"mail": ["p", "q", "r"]}, None))
    assert join.to_arrow().column("left_key").to_pylist() == ["x", "b | y", "z"]
    assert join.to_arrow().column("right_key").to_pylist() == ["q", "p", "r"]


def test_the_document_is_json_and_holds_everything(result: TransformJoin) -> None:
    document = json.loads(json.dumps(result.to_dict()))
    assert document["pairs"] == [[0, 1], [1, 2], [4, 0]]
    assert document["coverage"] == {"left": 0.6, "right": 0.75} and document["refused"] is None
    assert document["matches"][1] == {"by": "fuzzy", "score": 0.92}
    assert document["conflicts"] == [
        {"side": "left", "row": 2, "partners": [0, 3], "taken": []},
        {"side": "right", "row": 1, "partners": [0, 1], "taken": [0]},
    ]
    assert document["unmatched"] == {"left": [2, 3], "right": [3]} and document["rows"] == {"left": 5, "right": 4}
    assert document["seconds"]["learning"] == 0.25 and document["seconds"]["reading"] >= 0
    [program] = document["programs"]
    assert program["direction"] == "left to right" and program["pairs"] == 2
    assert program["text"] == str(TURNED) and program["python"] == TURNED.to_python()
    assert program["spark_sql"] == TURNED.to_spark_sql() and program["program"] == TURNED.to_json()


def test_a_refusal_is_an_answer_without_pairs(matching: Any) -> None:
    matching(refusing)
    result = mere.transform_join(STAFF, BADGES)
    assert not result and result.refused == "the join looks like an accident: 3 of 100 rows match"
    assert result.pairs == [] and result.programs == [] and result.coverage == {"left": 0.0, "right": 0.0}
    assert result.to_arrow().num_rows == 0 and result.frame().num_rows == 0
    assert result.unmatched_left.to_pydict() == STAFF
    assert result.to_dict()["refused"] == result.refused
    assert "accidents=True" in repr(result) and result.refused in repr(result)


@pytest.mark.parametrize(
    ("how", "rows"),
    [
        ("inner", [(63, 2.0), (157, None), (209, 1.0)]),
        ("left", [(63, 2.0), (157, None), (2452, None), (1, None), (209, 1.0)]),
        ("right", [(209, 1.0), (63, 2.0), (157, None), (None, 4.5)]),
        ("outer", [(63, 2.0), (157, None), (2452, None), (1, None), (209, 1.0), (None, 4.5)]),
    ],
)
def test_the_joined_frame_has_the_rows_of_the_kind_of_join(result: TransformJoin, how: str, rows: list[Any]) -> None:
    frame = result.frame(how)
    assert frame.column_names == ["person", "age", "holder", "age_right"]
    assert list(zip(frame["age"].to_pylist(), frame["age_right"].to_pylist(), strict=True)) == rows


def test_an_unknown_kind_of_join_is_refused(result: TransformJoin) -> None:
    with pytest.raises(UsageError, match="'how' must be one of left, inner, right, outer, got 'cross'"):
        result.frame("cross")


rows = st.integers(0, 5)


@given(st.sets(st.tuples(rows, rows)), st.sampled_from(["inner", "left", "right", "outer"]))
def test_the_joined_frame_agrees_with_a_merge_of_pandas(pairs: set[tuple[int, int]], how: Any) -> None:
    outcome = Outcome(
        np.array([left for left, _ in pairs], np.int64),
        np.array([right for _, right in pairs], np.int64),
        np.zeros(len(pairs), np.int64),
        np.ones(len(pairs)),
        (RULE,),
    )
    mine, theirs = {"l": list(range(6))}, {"r": list(range(6))}
    join = TransformJoin(outcome, read_side("left", mine, None), read_side("right", theirs, None))
    link = pd.DataFrame(sorted(pairs), columns=["l", "r"], dtype="Int64")
    merged = link
    if how in ("left", "outer"):
        merged = pd.DataFrame(mine, dtype="Int64").merge(merged, "left", on="l")
    if how in ("right", "outer"):
        merged = merged.merge(pd.DataFrame(theirs, dtype="Int64"), "right" if how == "right" else "outer", on="r")
    expected = [tuple(None if cell is pd.NA else cell for cell in row) for row in merged[["l", "r"]].values.tolist()]
    got = join.frame(how)
    assert sorted(zip(got["l"].to_pylist(), got["r"].to_pylist(), strict=True), key=str) == sorted(expected, key=str)
    matched = {left for left, _ in pairs}
    assert join.coverage["left"] == pytest.approx(len(matched) / 6, abs=1e-6)
    assert join.unmatched["left"] == sorted(set(range(6)) - matched)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_have_the_type_that_was_given(kind: Any, matching: Any) -> None:
    matching(staff_and_badges)
    result = mere.transform_join(kind(STAFF), pl.DataFrame(BADGES))
    expected = type(kind(STAFF))
    assert isinstance(result.frame("left"), expected) and isinstance(result.unmatched_left, expected)
    assert isinstance(result.unmatched_right, pl.DataFrame)


def test_a_learnt_program_is_applied_to_new_rows_and_saved(result: TransformJoin, tmp_path: Path) -> None:
    [program] = result.programs
    new = ["Noether, Emmy (1882-)", "Plato", None]
    assert program(new) == ["Emmy Noether", None, None]
    assert program(pl.DataFrame({"person": new})) == program(new)
    assert str(program) == str(TURNED) and program.key == HOLDER and program.direction == "left to right"
    result.save_programs(tmp_path / "programs.json")
    assert mere.load_programs(tmp_path / "programs.json") == result.programs
    assert [path.name for path in tmp_path.iterdir()] == ["programs.json"]


SAVED = '{"format": "mere programs 1", "programs": [{"direction": %s}]}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not a file of programs"),
        ("[]", "is not a file of programs"),
        ('{"format": "x", "programs": []}', "has the format 'x'"),
        (SAVED % '"left to right"', "is not a file of programs"),
        (SAVED % '"up", "program": 1, "key": 1', "is not a file of programs"),
        (SAVED % '"left to right", "program": 1, "key": 1', "expected an object"),
        ("\udcff", "is not a file of programs"),
    ],
)
def test_a_file_of_programs_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "programs.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=message):
        mere.load_programs(path)
    with pytest.raises(UsageError, match="is not a file"):
        mere.load_programs(tmp_path / "none.json")


def test_it_is_shown_with_its_programs_and_notebooks_escape_everything(matching: Any) -> None:
    matching(staff_and_badges)
    evil = {**STAFF, "person": ["<script>alert(1)</script>", *STAFF["person"][1:]]}
    result = mere.transform_join(evil, BADGES)
    assert repr(result).splitlines() == [
        "<3 of 5 left rows match 3 of 4 right rows: 2 by 1 program and 1 by similarity>",
        f"program 1, left to right: {TURNED}",
    ]
    page = result._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "a sample of the rows" in page
