"""Two tables of any form are read as text; what cannot be matched is refused with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import mere
from mere.errors import UsageError
from mere.transform import Columns, Options, Outcome
from tests.transform_join.outcomes import BADGES, STAFF

SEEN: dict[str, Any] = {}


def recording(left: Columns, right: Columns, options: Options, progress: Any = None) -> Outcome:
    """Remembers what it was called with."""
    SEEN.update(left=left, right=right, options=options)
    if progress is not None:
        progress("looking")
    return Outcome.refusal("this is a test")


@pytest.fixture(autouse=True)
def _recording(matching: Any) -> None:
    SEEN.clear()
    matching(recording)


CELLS = {"key": ["a", None, "b"], "number": ["5", "7", None]}


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"key": ["a", None, "b"], "number": [5, 7, None]}),
        pl.DataFrame({"key": ["a", None, "b"], "number": [5, 7, None]}),
        pa.table({"key": ["a", None, "b"], "number": [5.0, 7.0, None]}),
        {"key": ["a", None, "b"], "number": np.array([5.0, 7.0, float("nan")])},
        [{"key": "a", "number": 5}, {"number": 7}, {"key": "b", "number": None}],
    ],
    ids=["pandas", "polars", "Arrow", "mapping", "rows"],
)
def test_cells_are_texts_as_people_write_them(table: Any) -> None:
    mere.transform_join(table, BADGES)
    assert SEEN["left"] == CELLS


@pytest.mark.parametrize("name", ["table.csv", "table.parquet", "table.json"])
def test_files_of_any_format_are_read(tmp_path: Path, name: str) -> None:
    frame = pd.DataFrame({"key": ["a", "b"], "code": ["007", "NA"]})
    path = tmp_path / name
    {"csv": lambda: frame.to_csv(path, index=False), "parquet": lambda: frame.to_parquet(path),
     "json": lambda: frame.to_json(path, orient="records")}[path.suffix[1:]]()  # fmt: skip
    for given in (path, str(path)):
        result = mere.transform_join(given, STAFF)
        assert SEEN["left"] == {"key": ["a", "b"], "code": ["007", "NA"]}
        assert isinstance(result.unmatched_left, pa.Table)


def test_a_file_with_several_tables_is_noted(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        for sheet in ("one", "two"):
            pd.DataFrame({"key": [sheet, "x"], "n": [1, 2]}).to_excel(book, sheet_name=sheet, index=False)
    result = mere.transform_join(tmp_path / "book.xlsx", STAFF)
    assert "several tables" in result.notes[0] and SEEN["left"]["key"] == ["one", "x"]
    mere.transform_join(f"{tmp_path / 'book.xlsx'}#two", STAFF)
    assert SEEN["left"]["key"] == ["two", "x"]


def test_a_hint_restricts_the_columns_and_the_result_keeps_all() -> None:
    result = mere.transform_join(STAFF, BADGES, on=("person", ["holder", "AGE"]))
    assert list(SEEN["left"]) == ["person"] and list(SEEN["right"]) == ["holder", "age"]
    assert result.unmatched_left.column_names == ["person", "age"]


def test_options_are_passed_on_and_progress_is_told() -> None:
    sentences: list[str] = []
    mere.transform_join(
        STAFF,
        BADGES,
        seconds=1.5,
        fuzzy=False,
        accidents=True,
        many_to_many=True,
        most_programs=3,
        seed=4,
        progress=sentences.append,
    )
    assert SEEN["options"] == Options(1.5, 3, False, True, True, 4)
    assert sentences == ["reading the left table", "reading the right table", "looking"]


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ({}, BADGES, "the left table has no columns"),
        ([], BADGES, "the left table has no columns"),
        (pd.DataFrame(), BADGES, "the left table has no columns"),
        ({"a": []}, BADGES, "the left table has no rows"),
        (STAFF, pl.DataFrame({"a": []}), "the right table has no rows"),
        (STAFF, {"a": [None, None], "b": [None, "  "]}, "all cells of the right table are missing"),
    ],
)
def test_a_table_without_values_is_an_answer_with_the_reason(left: Any, right: Any, reason: str) -> None:
    result = mere.transform_join(left, right)
    assert result.refused == reason and SEEN == {}
    assert result.pairs == [] and result.to_dict()["pairs"] == []
    assert 0.0 in result.coverage.values() and len(result.frame("outer")) == sum(result.rows.values())
    assert result.advice == ""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mere.transform_join("nowhere.csv", STAFF), "'nowhere.csv' is not a file"),
        (lambda: mere.transform_join(5, STAFF), "expected a table on the left, got int"),
        (lambda: mere.transform_join(STAFF, ["a", "b"]), "expected rows with named columns on the right, got str"),
        (lambda: mere.transform_join({"a": [1], "b": [1, 2]}, STAFF), "columns of different lengths"),
        (
            lambda: mere.transform_join(pd.DataFrame([[1, 2]], columns=["x", "x"]), STAFF),
            "the left table has several columns called 'x'",
        ),
        (lambda: mere.transform_join(STAFF, BADGES, on="person"), "expected a column of each table, got 'person'"),
        (lambda: mere.transform_join(STAFF, BADGES, on=("person",)), "expected a column of each table"),
        (lambda: mere.transform_join(STAFF, BADGES, on=("person", 5)), "expected a column of each table"),
        (lambda: mere.transform_join(STAFF, BADGES, on=("person", [])), "expected a column of each table"),
        (lambda: mere.transform_join(STAFF, BADGES, on=("nobody", "holder")), "has no column 'nobody'"),
        (lambda: mere.transform_join(STAFF, BADGES, seconds=0), "'seconds' must be a number above 0, got 0"),
        (lambda: mere.transform_join(STAFF, BADGES, seconds="fast"), "'seconds' must be a number above 0, got 'fast'"),
        (lambda: mere.transform_join(STAFF, BADGES, seconds=float("nan")), "'seconds' must be a number above 0"),
        (lambda: mere.transform_join(STAFF, BADGES, seconds=True), "'seconds' must be a number above 0"),
        (lambda: mere.transform_join(STAFF, BADGES, fuzzy="no"), "'fuzzy' must be True or False, got 'no'"),
        (lambda: mere.transform_join(STAFF, BADGES, accidents=1), "'accidents' must be True or False, got 1"),
        (lambda: mere.transform_join(STAFF, BADGES, most_programs=0), "'most_programs' must be an int >= 1, got 0"),
        (lambda: mere.transform_join(STAFF, BADGES, seed=1.5), "'seed' must be an int >= 0, got 1.5"),
        (lambda: mere.transform_join(STAFF, BADGES, progress="yes"), "'progress' must be a function"),
    ],
)
def test_wrong_arguments_are_refused_with_the_value(call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        call()
    assert raised.value.remedy and SEEN == {}


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00")
    with pytest.raises(UsageError, match="cannot read"):
        mere.transform_join(tmp_path / "picture.csv", STAFF)


@pytest.mark.spark
def test_frames_of_spark_are_tables(spark: Any) -> None:
    from pyspark.sql import SparkSession

    frame = SparkSession(spark).createDataFrame([("a", 1), ("b", 2)], "key string, n int")
    mere.transform_join(frame, STAFF)
    assert SEEN["left"] == {"key": ["a", "b"], "n": ["1", "2"]}


def test_a_megabyte_in_one_cell_is_read(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text(f"key,n\na,1\n{'x' * 900_000},2\n")
    mere.transform_join(tmp_path / "long.csv", STAFF)
    assert [len(cell) for cell in SEEN["left"]["key"]] == [1, 900_000]
