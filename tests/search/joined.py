"""A join of two Arrow tables of text, coded like columns of the lake, as tests need it."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from mere.search.joining import Matching, Pairs, side_by_side
from mere.segments import Coded, code_column


class Side(NamedTuple):
    """A table, and the columns to join on."""

    table: pa.Table
    columns: list[str]

    def coded(self) -> list[Coded]:
        return [code_column(self.table.column(name).combine_chunks(), name=name) for name in self.columns]


def join(left: Side, right: Side, how: str = "left", matching: Matching | None = None) -> pa.Table:
    """All columns of both, joined where the columns are equal, or match; a name that both have gets `_right`."""
    pairs = Pairs.of(left.coded(), right.coded(), how, matching)
    return side_by_side(left.table, pairs.slice(0, len(pairs))[0], right.table, pairs.slice(0, len(pairs))[1])
