"""Which columns are compared?  Those of the base table; other tables are aligned with them by name.

The same name comes first, then names that differ in case or spacing, then those with the same letters and digits
(`values.column_key`): a base with `PM2.5` and `PM25` finds both in a table that has both, in whichever order.  A column
that a table lacks is null in all of its rows; a column that only the table has is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from mere.values import Form, Type, column_key, column_keys, normalise_cell


@dataclass(frozen=True)
class Reading:
    """How the cells of a column are read in a table that does not tell, and compared in all: as in the other tables."""

    day_first: bool = False  # of dates like 5/1/2020
    data: frozenset[str] = frozenset()  # spellings of null, such as `na`, that are data
    form: Form = field(default_factory=Form)
    mark: str = ""  # the decimal mark, if numbers were left as they are written; else they are as a segment has them


AS_STORED = Reading()


@dataclass(frozen=True)
class Schema:
    """The columns that are compared, with their types and readings."""

    names: tuple[str, ...]
    types: tuple[Type, ...]
    known_readings: tuple[Reading, ...] = ()  # one per column; without them all tables have the same types

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        pairs = zip(self.types, self.names, strict=True)
        return self.known_readings or tuple(Reading(form=Form.of([type_], name=name)) for type_, name in pairs)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(column_keys(self.names))

    def places(self, names: Sequence[str]) -> list[int | None]:
        """Where each column of the schema is among the columns of a table; None if the table lacks it."""
        found: list[int | None] = [None] * len(self.names)
        for form in (str, normalise_cell, column_key):
            _match(found, [form(name) for name in self.names], [form(name) for name in names])
        return found

    def same_rows(self, names: Sequence[str], types: Sequence[Type]) -> bool:
        """Whether the hashes of a table's own rows are those of its compared rows.

        So it is if it has no other columns, and its columns have the keys, and the forms, of the schema's.
        """
        keys, places = column_keys(names), self.places(names)
        same = [
            place is not None and keys[place] == key and _alike(types[place], reading.form)
            for key, reading, place in zip(self.keys, self.readings, places, strict=True)
        ]
        return sum(same) == len(names)


def _match(found: list[int | None], mine: Sequence[str | None], theirs: Sequence[str | None]) -> None:
    """Give each column that has no partner the first one of the same form that is not taken."""
    taken = {place for place in found if place is not None}
    free: dict[str | None, list[int]] = {}
    for place, form in enumerate(theirs):
        if place not in taken:
            free.setdefault(form, []).append(place)
    for number, form in enumerate(mine):
        if found[number] is None and free.get(form):
            found[number] = free[form].pop(0)


def _alike(own: Type, form: Form) -> bool:
    """Whether values of a type have the form already; a column without values is like every other."""
    return own is Type.EMPTY or Form.of([own]) == replace(form, unit="", degrees=False)
