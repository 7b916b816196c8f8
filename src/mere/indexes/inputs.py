"""What can a question be asked with?

A user hands in a list, a frame, a file or the name of a table of the lake.  `search.given` reads it; a kind sees the
result, in one of these forms, through `Inputs`, and so needs to know neither readers nor frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from mere.segments import Coded
from mere.store import Strings


class Origin(NamedTuple):
    """Where a column comes from: the name or path of its table, and the headers of all columns there."""

    table: str = ""
    headers: tuple[str, ...] = ()


NOWHERE = Origin()


class Distinct(NamedTuple):
    """A column whose distinct values are known already, such as one of the lake's own."""

    values: Strings  # in the order of (hash, bytes)
    hashes: np.ndarray
    counts: np.ndarray  # rows that hold each value
    numeric: bool
    dropped: tuple[str, ...] = ()  # spellings that were read as null
    unsure: bool = False  # its numbers may be read in two ways


@dataclass(frozen=True)
class Column:
    """One column to ask with."""

    cells: pa.Array | Distinct
    name: str | None = None
    table: str | None = None  # of the lake, if the column is one of its own
    notes: tuple[str, ...] = ()  # what the user should know of how it was read
    origin: Origin = NOWHERE


@dataclass(frozen=True)
class Key:
    """Several columns of one table to ask with, together."""

    columns: list[pa.Array | Coded]
    names: list[str]
    table: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Histogram:
    """How the numbers of a column are distributed, if that is all that is known of it."""

    edges: list[float]
    counts: list[float]
    table: str | None = None


class Inputs(Protocol):
    """What a kind can have read for it when it checks a question."""

    def column(self, given: Any, on: str | None) -> Column:
        """One column of what was given."""
        ...

    def key(self, given: Any, on: Sequence[str] | str | None, most: int) -> Key:
        """The named columns of a frame, file or table; if none is named, all of them, if they are at most `most`."""
        ...

    def published_histogram(self, given: Any, on: str | None) -> Histogram | None:
        """The histogram of a column whose owner publishes only a profile; None if its values can be read."""
        ...

    def day_order(self, given: Any, on: str | None) -> str:
        """The order of day and month in the dates of a frame, a file or a table of the lake; empty if unknown."""
        ...

    def table(self, name: str | None, with_rows: bool) -> str | None:
        """The full name of a table of the lake; with `with_rows`, an error if only a profile of it was published."""
        ...
