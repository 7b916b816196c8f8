"""Which columns are compared?  Those of the base table; other tables are aligned with them by name.

Names are compared by their letters and digits (`values.column_key`).  A column that a table lacks is null in all of its
rows; a column that only the table has is left out.

Columns of the base may be left out, and two of its columns may have names that are compared as equal: of `City` and
`city`, the second has the key `city#2`.  It keeps that key if `City` is left out, so that in a table with the same
columns the same ones are compared.  A table that has only one of them has no `city#2`: its `city` is meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mere.values import Type, column_keys


@dataclass(frozen=True)
class Schema:
    """The columns that are compared, with their types."""

    names: tuple[str, ...]
    types: tuple[Type, ...]
    all_names: tuple[str, ...] = ()  # of the base's columns, if some of them are not compared

    @cached_property
    def keys(self) -> tuple[str, ...]:
        if not self.all_names:
            return tuple(column_keys(self.names))
        key_of = dict(zip(self.all_names, column_keys(self.all_names), strict=True))
        return tuple(key_of[name] for name in self.names)

    def places(self, names: Sequence[str]) -> list[int | None]:
        """Where each column of the schema is among the columns of a table; None if the table lacks it."""
        there = {key: place for place, key in enumerate(column_keys(names))}
        found = [there.get(key) for key in self.keys]
        for place, first in self._left_alone.items():
            if found[place] is None and f"{first}#2" not in there:
                found[place] = there.get(first)
        return found

    @cached_property
    def _left_alone(self) -> dict[int, str]:
        """The numbered columns whose namesakes are all left out: their places, and the key of the first namesake."""
        first = [key.rpartition("#")[0] or key for key in self.keys]
        times = Counter(first)
        numbered = enumerate(zip(self.keys, first, strict=True))
        return {place: own for place, (key, own) in numbered if key != own and times[own] == 1}

    def covers(self, names: Sequence[str]) -> bool:
        """Whether a table has no other columns: then the hashes of its rows are those of its compared rows."""
        return set(column_keys(names)) <= set(self.keys)
