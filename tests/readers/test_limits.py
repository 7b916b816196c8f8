"""What may a file declare?  Sizes are refused before anything is unfolded, and the remedy names the limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.errors import Unreadable
from mere.readers.limits import MIB, Limits

SMALL = Limits(rows=100, cells=1000, cells_per_byte=2, cells_free=50)
counts = st.integers(0, 300)


@given(counts, st.integers(1, 40), st.none() | counts)
def test_a_table_is_refused_exactly_if_it_is_beyond_a_limit(rows: int, columns: int, stored: int | None) -> None:
    cells = rows * columns
    out_of_proportion = stored is not None and cells > 50 and cells > 2 * stored
    if rows > 100 or cells > 1000 or out_of_proportion:
        with pytest.raises(Unreadable):
            SMALL.check_extent("t.csv", rows, columns, stored)
    else:
        SMALL.check_extent("t.csv", rows, columns, stored)


@pytest.mark.parametrize(
    ("rows", "columns", "stored", "limit"),
    [(101, 1, None, "rows"), (100, 11, None, "cells"), (51, 1, 25, "cells_per_byte")],
)
def test_the_refusal_names_the_file_and_the_limit_to_raise(
    rows: int, columns: int, stored: int | None, limit: str
) -> None:
    with pytest.raises(Unreadable, match=rf"^t\.csv: .*; raise the limit '{limit}'$"):
        SMALL.check_extent("t.csv", rows, columns, stored)


def test_large_real_tables_pass_and_unfolded_ones_do_not() -> None:
    limits = Limits()
    limits.check_extent("100 GB of CSV", 10**9, 20)
    limits.check_extent("Parquet, compressed well", 10**9, 10, 2 * 10**9)
    for rows in (10**9, 10**10, 10**12):
        with pytest.raises(Unreadable):
            limits.check_extent("null rows", rows, 1, 400)
    with pytest.raises(Unreadable):
        limits.check_extent("runs of one value", 300_000_000, 1, 700_000)


def test_a_large_file_has_more_time() -> None:
    assert Limits(seconds=7).seconds_for(256 * MIB - 1) == 7
    assert Limits(seconds=7).seconds_for(256 * MIB) == 14
