"""Which columns are compared?  Those of the base table; other tables are aligned with them by name.

Names are compared by their letters and digits (`values.column_key`).  A column that a table lacks is null in all of its
rows; a column that only the table has is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mere.values import Type, column_keys


@dataclass(frozen=True)
class Schema:
    """The columns that are compared, with their types."""

    names: tuple[str, ...]
    types: tuple[Type, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(column_keys(self.names))

    def places(self, names: Sequence[str]) -> list[int | None]:
        """Where each column of the schema is among the columns of a table; None if the table lacks it."""
        there = {key: place for place, key in enumerate(column_keys(names))}
        return [there.get(key) for key in self.keys]

    def covers(self, names: Sequence[str]) -> bool:
        """Whether a table has no other columns: then the hashes of its rows are those of its compared rows."""
        return set(column_keys(names)) <= set(self.keys)
