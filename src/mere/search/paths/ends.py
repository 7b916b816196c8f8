"""Which two tables are to be connected: tables of the lake, files, or frames?"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mere.errors import UsageError
from mere.search.given import LakeInputs, WholeTable, whole_table

FRAMES = ("the first frame", "the second frame")


@dataclass(frozen=True, eq=False)
class End:
    """One end of the paths: its name in the answer, and its columns."""

    name: str
    table: WholeTable

    @property
    def in_lake(self) -> bool:
        return self.table.table is not None

    @cached_property
    def headers(self) -> list[str]:
        return list(self.table.names)


def ends_of(inputs: LakeInputs, first: Any, second: Any) -> tuple[End, End]:
    """Both ends; an error if they are the same table."""
    one, other = (_end(inputs, given, frame) for given, frame in zip((first, second), FRAMES, strict=True))
    if one.name == other.name:
        raise UsageError(f"both ends are '{one.name}'", "give two different tables")
    return one, other


def _end(inputs: LakeInputs, given: Any, frame: str) -> End:
    table = whole_table(inputs, given)
    if table.table is not None:
        return End(table.table, table)
    if repeated := [name for name in table.names if list(table.names).count(name) > 1]:
        raise UsageError(f"{frame} has several columns called '{repeated[0]}'", "rename one of them")
    name = os.fspath(given) if isinstance(given, str | os.PathLike) else frame
    known = any(name in segment.names for segment in inputs.opened.segments)
    return End(f"./{name}" if known else name, table)
