"""Headers of dates, years, percentages and numbers, with an empty corner or the name of the first column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mere.readers.header_evidence import is_header
from tests.readers.raw_files import read

LABELS: dict[str, Callable[[int], list[str]]] = {
    "days": lambda n: [f"2020-01-{day:02}" for day in range(1, n + 1)],
    "months": lambda n: [f"2020-{month:02}" for month in range(1, n + 1)],
    "years": lambda n: [str(2010 + year) for year in range(n)],
    "percentages": lambda n: [f"{10 * share}%" for share in range(1, n + 1)],
    "numbers": lambda n: [str(place) for place in range(n)],
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("corner", ["", "country", "id"])
@pytest.mark.parametrize("columns", [2, 3, 6])
@pytest.mark.parametrize("count", [3, 5, 10])
@pytest.mark.parametrize("decimals", ["", ".5"])
def test_labels_of_columns_are_a_header(
    tmp_path: Path, labels: str, corner: str, columns: int, count: int, decimals: str
) -> None:
    if labels == "numbers" and corner and columns == 2:
        corner = ""  # `id, 0, 1` may be a row
    names = LABELS[labels](columns)
    rows = [
        [f"k{row}", *(f"{(row + 2) * (column + 3)}{decimals}" for column in range(columns))] for row in range(count)
    ]
    table, found = read(tmp_path, "f.csv", "".join(",".join(row) + "\n" for row in [[corner, *names], *rows]))
    assert table.columns == [corner or "column_1", *names]
    assert found == rows


@pytest.mark.parametrize("labels", LABELS)
def test_rows_of_such_values_are_not_a_header(tmp_path: Path, labels: str) -> None:
    row = ["k", *LABELS[labels](4)]
    table, rows = read(tmp_path, "f.csv", (",".join(row) + "\n") * 6)
    assert rows == [row] * 6
    assert table.columns[0] == "column_1"


@pytest.mark.parametrize("first", [",2010,2011", ",5.5,6.5,7.5", ",2020-01-01,2020-01-02"])
def test_a_row_that_lacks_its_first_cell_is_not_a_header_of_rows_like_it(tmp_path: Path, first: str) -> None:
    other = "k" + first
    _, rows = read(tmp_path, "f.csv", "\n".join([first, *[other] * 6]) + "\n")
    assert len(rows) == 7


@pytest.mark.parametrize("row", [[], [""], ["", ""], [None]])
def test_a_row_without_cells_is_not_a_header(row: list[str | None]) -> None:
    assert not is_header(row, [["k", "1"], ["l", "2"], []])
