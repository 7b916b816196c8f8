"""Which tables of the lake have all columns of the base?

Names are compared by their letters and digits.  Types need not agree, because a column is compared in one form in all
tables (`values.compared`): codes may be numbers in one table and text in another.  But numbers are no dates, and where
columns have no header, types are all that says what is in them; such a table is rejected with the reason.  The base
itself is left out.

Cost: one look at the names of the columns of every table; rows are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mere.bundles.schema import Schema
from mere.errors import UsageError
from mere.ranking.names import plain
from mere.search.assembling.candidates import Candidates, Refusal, profile_only
from mere.search.assembling.inputs import Member, Stored, table_of_the_lake
from mere.segments import OpenSnapshot
from mere.values import Type, column_key

_SHOWN = 5  # columns in an error


def lake_candidates(opened: OpenSnapshot, schema: Schema, base: Member) -> Candidates:
    """The tables of the lake that have all columns of the base by name, but for the base itself."""
    found = Candidates()
    nearest, fewest, types = "", list(schema.names), base.types(schema)
    for stored in _living(opened):
        if missing := _missing_in(stored.columns, schema):
            if len(missing) < len(fewest):
                nearest, fewest = stored.segment.names[stored.number], missing
            continue
        table = table_of_the_lake(opened, stored)
        if stored == base.table.stored or table.path == base.table.path:
            continue
        if stored.profile_only:
            found.refused.append(profile_only(table.name))
        elif reason := _other_type(schema.names, types, stored.types(schema)):
            found.refused.append(Refusal(table.name, "other type", reason, table.rows))
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


def _missing_in(columns: Sequence[str], schema: Schema) -> list[str]:
    """The columns of the schema that a table does not have."""
    there = {*map(column_key, columns)}
    absent = [name for name, key in zip(schema.names, schema.keys, strict=True) if key.partition("#")[0] not in there]
    pairs = zip(schema.names, () if absent else schema.places(columns), strict=not absent)
    return absent or [name for name, place in pairs if place is None]


def _other_type(names: Sequence[str], mine: Sequence[Type], theirs: Sequence[Type]) -> str:
    """Why columns of a table are not those of the base, although they are called so; empty if they may be."""
    for name, own, other in zip(names, mine, theirs, strict=True):
        if not _fit(name, own, other):
            return f"'{name}' is {other.word} in it and {own.word} in the base; candidates= takes it all the same"
    return ""


def _fit(name: str, mine: Type, theirs: Type) -> bool:
    pair = {mine, theirs}
    if len(pair) == 1 or Type.EMPTY in pair or all(type_.is_number for type_ in pair):
        return True
    return plain(name) != "" and (Type.TEXT in pair or Type.DATETIME not in pair)


def _nothing_covers(schema: Schema, nearest: str, missing: Sequence[str]) -> UsageError:
    count = len(schema.names)
    fault = f"no other table of the lake has {'the column' if count == 1 else f'all {count} columns'} of the base"
    remedy = "name tables with candidates=, or leave out columns with exclude="
    if nearest:
        listed = ", ".join(missing[:_SHOWN]) + (" ..." if len(missing) > _SHOWN else "")
        remedy = f"the nearest, '{nearest}', lacks {listed}; {remedy}"
    return UsageError(fault, remedy)
