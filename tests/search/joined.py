"""Two tables joined in memory, without a lake: the steps of `mere.search.joining`, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from mere.search.given import code_given
from mere.search.joining import Matching, Pairs, side_by_side
from mere.segments import Coded


class Side(NamedTuple):
    """A table, and the columns to join on."""

    table: pa.Table
    columns: list[str]

    def coded(self) -> list[Coded]:
        return [code_given(self.table.column(name), str, name=name) for name in self.columns]


def join(left: Side, right: Side, how: str = "left", matching: Matching | None = None) -> pa.Table:
    """All columns of both, joined where the columns are equal, or match."""
    pairs = Pairs.of(left.coded(), right.coded(), how, matching)
    left_rows, right_rows = pairs.slice(0, len(pairs))
    return side_by_side(left.table, left_rows, right.table, right_rows)
