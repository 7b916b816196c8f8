"""Which tables of the lake have all columns of the base?

Names are compared by their letters and digits, types by what they can hold: numbers, dates, or texts.  A column without
a value fits every type.  The base itself is left out.

Cost: one look at the names of the columns of every table; rows are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mere.assemble.schema import Schema
from mere.errors import UsageError
from mere.search.assembling.candidates import Candidates, profile_only
from mere.search.assembling.inputs import Member, Stored, Table, table_of_the_lake
from mere.segments import OpenSnapshot
from mere.values import Type, column_key

_SHOWN = 5  # columns in an error


def lake_candidates(opened: OpenSnapshot, schema: Schema, base: Table) -> Candidates:
    """The tables of the lake whose columns cover those of the base in name and type, but for the base itself."""
    found = Candidates()
    keys = _Keys()
    nearest: tuple[int, str, list[str]] = (0, "", [])
    for stored in _living(opened):
        missing = _missing(stored, schema, keys)
        if missing:
            nearest = max(nearest, (len(schema.names) - len(missing), stored.segment.names[stored.number], missing),
                          key=lambda near: near[0])  # fmt: skip
            continue
        table = table_of_the_lake(opened, stored)
        if table.name == base.name or (table.path and table.path == base.path):
            continue
        if stored.profile_only:
            found.refused.append(profile_only(table.name))
        else:
            found.members.append(Member(table, None))
    if not found.members and not found.refused:
        raise _nothing_covers(schema, nearest[1], nearest[2])
    found.members.sort(key=lambda member: member.table.name)
    return found


def _living(opened: OpenSnapshot) -> Iterator[Stored]:
    for segment, live in zip(opened.segments, opened.live, strict=True):
        yield from (Stored(segment, number) for number in np.flatnonzero(live).tolist())


class _Keys(dict[str, str]):
    """The keys of columns' names; names are repeated from table to table."""

    def __missing__(self, name: str) -> str:
        self[name] = column_key(name)
        return self[name]


def _missing(stored: Stored, schema: Schema, keys: _Keys) -> list[str]:
    """The columns of the schema that a table does not have, or has with another type."""
    wanted = {key.partition("#")[0] for key in schema.keys}
    names = stored.columns
    if wanted.isdisjoint(keys[name] for name in names):
        return list(schema.names)
    types, places = stored.types(schema), schema.places(names)
    triples = zip(schema.names, schema.types, types, places, strict=True)
    return [name for name, mine, theirs, place in triples if place is None or not _fit(mine, theirs)]


def _fit(mine: Type, theirs: Type) -> bool:
    """Whether columns of these types can hold the same things: numbers, dates, or texts."""
    if Type.EMPTY in (mine, theirs):
        return True
    return (mine.is_number, mine is Type.DATETIME) == (theirs.is_number, theirs is Type.DATETIME)


def _nothing_covers(schema: Schema, nearest: str, missing: Sequence[str]) -> UsageError:
    count = len(schema.names)
    fault = f"no other table of the lake has {'the column' if count == 1 else f'all {count} columns'} of the base"
    remedy = "name tables with candidates=, or leave out columns with exclude="
    if nearest:
        listed = ", ".join(missing[:_SHOWN]) + (" ..." if len(missing) > _SHOWN else "")
        remedy = f"the nearest, '{nearest}', lacks {listed} (or has another type there); {remedy}"
    return UsageError(fault, remedy)
