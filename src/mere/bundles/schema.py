"""Which columns are compared?  Those of the base table; other tables are aligned with them by name.

Names are compared without regard to case, then by their letters and digits (`values.column_key`).  A column that a table
lacks is null in all of its rows; a column that only the table has is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mere.values import Type, column_key, column_keys, normalise_cell


@dataclass(frozen=True)
class Schema:
    """The columns that are compared, with their types."""

    names: tuple[str, ...]
    types: tuple[Type, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(column_keys(self.names))

    def places(self, names: Sequence[str]) -> list[int | None]:
        """Where each column of the schema is among the columns of a table; None if the table lacks it.

        A column of the same name comes first, then one of the same key that no other column of the schema has taken.
        """
        same = {normalise_cell(name): place for place, name in reversed(list(enumerate(names)))}
        found = [same.get(normalise_cell(name)) for name in self.names]
        found = [place if place not in found[:number] else None for number, place in enumerate(found)]
        left: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            if place not in found:
                left.setdefault(column_key(name), []).append(place)
        for number, name in enumerate(self.names):
            if found[number] is None and left.get(column_key(name)):
                found[number] = left[column_key(name)].pop(0)
        return found

    def same_rows(self, names: Sequence[str], types: Sequence[Type]) -> bool:
        """Whether the hashes of a table's own rows are those of its compared rows.

        So it is if it has no other columns, and its columns have the keys, and the kinds of type, of the schema's.
        """
        keys, places = column_keys(names), self.places(names)
        used = [(key, type_, place) for key, type_, place in zip(self.keys, self.types, places, strict=True)
                if place is not None]  # fmt: skip
        return len(used) == len(names) and all(
            keys[place] == key and _alike(types[place], type_) for key, type_, place in used
        )


def _alike(first: Type, second: Type) -> bool:
    """Whether values of two types are compared in the same way; a column without values is like every other."""
    kinds = [(type_.is_number, type_ is Type.DATETIME, type_ is Type.BOOLEAN) for type_ in (first, second)]
    return first is Type.EMPTY or kinds[0] == kinds[1]
