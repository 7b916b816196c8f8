"""What a question is asked with in Python: lists of rows, lazy frames, streams and iterators give one answer."""

from __future__ import annotations

from typing import Any

import polars
import pyarrow as pa
import pytest

import mere
from mere.errors import UsageError
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import RAW, write_files

ROWS = [{"land": "AT", "town": "Vienna", "size": 2}, {"land": "CH", "town": "Bern"}, {"land": "FR", "size": 1}]
COLUMNS = {"land": ["AT", "CH", "FR"], "town": ["Vienna", "Bern", None], "size": [2, None, 1]}
FRAMES = {
    "list of rows": lambda: ROWS,
    "tuple of rows": lambda: tuple(ROWS),
    "generator of rows": lambda: (row for row in ROWS),
    "lazy frame": lambda: polars.LazyFrame(COLUMNS),
    "polars": lambda: polars.DataFrame(COLUMNS),
    "Arrow": lambda: pa.table(COLUMNS),
    "stream of batches": lambda: pa.RecordBatchReader.from_batches(
        pa.table(COLUMNS).schema, pa.table(COLUMNS).to_batches()
    ),
}
every_frame = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: Any) -> Any:
    folder = tmp_path_factory.mktemp("given")
    index([write_files(folder / "raw", RAW)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


@every_frame
def test_a_question_gives_one_answer_however_its_frame_is_given(lake: Any, make: Any) -> None:
    assert lake.overlap(make(), on="land").to_dicts() == lake.overlap(COLUMNS, on="land").to_dicts() != []
    assert lake.containment(make(), 0.5, on="land").to_dicts() == lake.containment(COLUMNS, 0.5, on="land").to_dicts()
    key = ["land", "town"]
    assert lake.composite(make(), key).to_dicts() == lake.composite(COLUMNS, key).to_dicts() != []
    assert lake.similar(make(), 0.3, on="town").to_dicts() == lake.similar(COLUMNS, 0.3, on="town").to_dicts() != []
    like = {"like": COLUMNS, "on": "size"}
    assert lake.distribution(like=make(), on="size").to_dicts() == lake.distribution(**like).to_dicts() != []
    assert lake.columns(make()) == list(COLUMNS)


@every_frame
def test_a_join_has_the_rows_that_were_given(lake: Any, make: Any) -> None:
    joined = lake.join(make(), ("geo/countries.csv", "code"), on="land")
    joined = joined if isinstance(joined, pa.Table) else joined.to_arrow()
    assert joined.column("land").to_pylist() == COLUMNS["land"]
    assert joined.column("name").to_pylist() == ["Austria", "Switzerland", None]


@every_frame
def test_transform_and_assemble_take_the_same(make: Any) -> None:
    other = {"code": ["at-1", "ch-1", "fr-1"]}
    assert len(mere.transform_join(make(), other, on=("land", "code"))) == 3
    assert mere.assemble(make(), [COLUMNS], budget=1).base == 3


@pytest.mark.parametrize("given", [iter(["AT", "CH"]), {"AT", "CH"}, polars.Series(["AT", "CH"]), ("AT", "CH")])
def test_columns_of_every_sort_are_asked_with(lake: Any, given: Any) -> None:
    assert lake.overlap(given)[0].score == 2


@pytest.mark.parametrize(
    ("given", "on", "text"),
    [
        ([{"a": 1}, 2], "a", "row 2 of the list is 2, which has no columns"),
        ([{"a": 1}], "b", "the frame has no column 'b'; it has a"),
        ([{"a": 1, "b": 2}], None, "the frame has 2 columns, and none is named"),
        ([1, 2], "a", "on='a' needs named columns, got a list"),
        (7, None, "expected a column, got 7"),
        (b"AT", None, "expected a column, got b'AT'"),
        (None, None, "expected a column, got None"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_with_is_refused_with_the_remedy(lake: Any, given: Any, on: Any, text: str) -> None:
    with pytest.raises(UsageError) as refused:
        lake.overlap(given, on=on)
    assert text in str(refused.value) and refused.value.remedy


def test_a_key_needs_columns_with_names(lake: Any) -> None:
    for given in ([1, 2], 7, []):
        with pytest.raises(UsageError, match="expected a frame"):
            lake.composite(given, ["a"])
        with pytest.raises(UsageError, match="expected a frame"):
            lake.columns(given)
