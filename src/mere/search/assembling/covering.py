"""Which tables of the lake have all columns of the base?

Names are compared by their letters and digits; types need not agree, because a column is compared in one form in all
tables (`values.compared`).  The base itself is left out.

Cost: one look at the names of the columns of every table; rows are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mere.bundles.schema import Schema
from mere.errors import UsageError
from mere.search.assembling.candidates import Candidates, profile_only
from mere.search.assembling.inputs import Member, Stored, Table, table_of_the_lake
from mere.segments import OpenSnapshot
from mere.values import column_key

_SHOWN = 5  # columns in an error


def lake_candidates(opened: OpenSnapshot, schema: Schema, base: Table) -> Candidates:
    """The tables of the lake that have all columns of the base by name, but for the base itself."""
    found = Candidates()
    wanted = _Wanted(schema)
    nearest, fewest = "", list(schema.names)
    for stored in _living(opened):
        if missing := wanted.missing_in(stored):
            if len(missing) < len(fewest):
                nearest, fewest = stored.segment.names[stored.number], missing
            continue
        table = table_of_the_lake(opened, stored)
        if stored == base.stored or table.path == base.path:
            continue
        if stored.profile_only:
            found.refused.append(profile_only(table.name))
        else:
            found.members.append(Member(table, None))
            found.notes += table.notes
    if not found.members and not found.refused:
        raise _nothing_covers(schema, nearest, fewest)
    found.members.sort(key=lambda member: member.table.name)
    return found


def _living(opened: OpenSnapshot) -> Iterator[Stored]:
    for segment, live in zip(opened.segments, opened.live, strict=True):
        yield from (Stored(segment, number) for number in np.flatnonzero(live).tolist())


class _Wanted:
    """The columns that a table must have."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._roots = [key.partition("#")[0] for key in schema.keys]
        self._keys: dict[str, str] = {}  # of names, which are repeated from table to table

    def missing_in(self, stored: Stored) -> list[str]:
        """The columns that a table does not have."""
        schema, names = self._schema, stored.columns
        there = {self._key(name) for name in names}
        absent = [name for name, root in zip(schema.names, self._roots, strict=True) if root not in there]
        if absent:
            return absent
        return [name for name, place in zip(schema.names, schema.places(names), strict=True) if place is None]

    def _key(self, name: str) -> str:
        if name not in self._keys:
            self._keys[name] = column_key(name)
        return self._keys[name]


def _nothing_covers(schema: Schema, nearest: str, missing: Sequence[str]) -> UsageError:
    count = len(schema.names)
    fault = f"no other table of the lake has {'the column' if count == 1 else f'all {count} columns'} of the base"
    remedy = "name tables with candidates=, or leave out columns with exclude="
    if nearest:
        listed = ", ".join(missing[:_SHOWN]) + (" ..." if len(missing) > _SHOWN else "")
        remedy = f"the nearest, '{nearest}', lacks {listed}; {remedy}"
    return UsageError(fault, remedy)
