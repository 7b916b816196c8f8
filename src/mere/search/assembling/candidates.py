"""Which tables can be chosen, of those that were named?  (If none is named: see `covering`.)

A table that cannot be chosen is rejected with the reason, and the others are still considered: a file that cannot be
read, a table of which only a profile was published, one without the wanted licence, or without a common column.  A
name that is wrong is an error.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mere.bundles.schema import Schema
from mere.errors import ProfileOnly, UsageError
from mere.search.assembling.inputs import Member, Table, member_of, read_table
from mere.search.given import is_file
from mere.search.given.files import path_and_member
from mere.search.given.frames import collected, is_frame
from mere.segments import OpenSnapshot

REMEDY = "give a list of tables, or a mapping from names to tables"
_SHOWN = 5  # names in a note or a reason
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Refusal:
    """A candidate that cannot be chosen; `code` is one of `outcome.REASONS`."""

    name: str
    code: str
    reason: str
    rows: int | None = None


@dataclass
class Candidates:
    """The tables that can be chosen, those that cannot, and notes."""

    members: list[Member] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    alike: bool = True  # whether all could be read alike (`readings`)

    def names(self) -> list[str]:
        return [member.table.name for member in self.members] + [refusal.name for refusal in self.refused]


def named_candidates(given: Any, opened: OpenSnapshot | None, schema: Schema, say: Progress) -> Candidates:
    """The tables that the user named or handed in."""
    found = Candidates()
    pairs = _pairs(given)
    _check_files([os.fspath(table) for name, table in pairs if name is None and is_file(table)])
    for place, (name, table) in enumerate(pairs, 1):
        if len(pairs) > 1:
            say(f"reading candidate {place:,} of {len(pairs):,}")
        _add(found, name, table, opened, schema)
    _check_unique(found.names())
    lacking = [member.table for member in found.members if None in schema.places(member.table.columns)]
    if lacking:
        found.notes.append(_lacking_note(lacking, schema))
    return found


def _pairs(given: Any) -> list[tuple[str | None, Any]]:
    """Each candidate with the name that the user gave it, or None."""
    given = collected(given)
    if isinstance(given, list | tuple | Mapping) and not given:
        raise UsageError("there are no candidates", "name tables with candidates=, or leave it out to search the lake")
    if isinstance(given, Mapping):
        if not all(isinstance(name, str) and name for name in given):
            raise UsageError("candidates= has a name that is not a text", REMEDY)
        return list(given.items())
    if isinstance(given, str | os.PathLike) or is_frame(given):
        return [(None, given)]
    if not isinstance(given, list | tuple):
        raise UsageError(f"expected candidates, got {type(given).__name__}", REMEDY)
    return [(None, table) for table in given]


def _check_files(paths: Sequence[str]) -> None:
    """Refuse a file that is named twice, also if its path is written in two ways."""
    files: dict[tuple[str, str], str] = {}
    for name in paths:
        path, member = path_and_member(name)
        if (other := files.setdefault((os.path.realpath(path), member), name)) != name:
            raise UsageError(f"the candidates '{other}' and '{name}' are the same file", "name each once")


def _add(found: Candidates, name: str | None, given: Any, opened: OpenSnapshot | None, schema: Schema) -> None:
    unnamed = name or f"candidate {len(found.members) + len(found.refused) + 1}"
    shown = name or (os.fspath(given) if isinstance(given, str | os.PathLike) else unnamed)
    try:
        table = read_table(given, opened, unnamed)
    except ProfileOnly:
        found.refused.append(profile_only(shown))
        return
    except UsageError as error:
        if not is_file(given):
            raise
        found.refused.append(Refusal(shown, "unreadable", error.message))
        return
    table = table if name is None else table.called(name)
    if table.stored is not None and table.stored.profile_only:
        found.refused.append(profile_only(table.name))
    elif len(set(table.columns)) < len(table.columns):
        repeated = next(name for name, times in Counter(table.columns).items() if times > 1)
        found.refused.append(Refusal(table.name, "unreadable", f"it has several columns called '{repeated}'"))
    elif all(place is None for place in schema.places(table.columns)):
        reason = f"it has no column of the base: {', '.join(table.columns[:_SHOWN])}"
        found.refused.append(Refusal(table.name, "no columns", reason, table.rows))
    else:
        found.members.append(member_of(table, schema))
        found.notes += table.notes


def profile_only(name: str) -> Refusal:
    """The refusal of a table whose rows stay with their owner."""
    return Refusal(name, "profile only", "only a profile of it was published; its owner has the rows")


def _check_unique(names: Sequence[str]) -> None:
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        raise UsageError(f"two candidates are called '{repeated[0]}'", "name each once")


def _lacking_note(tables: Sequence[Table], schema: Schema) -> str:
    first = tables[0]
    missing = [name for name, place in zip(schema.names, schema.places(first.columns), strict=True) if place is None]
    others = f", and {len(tables) - 1:,} more candidates lack some" if len(tables) > 1 else ""
    return f"'{first.name}' lacks {', '.join(missing[:_SHOWN])}, which are missing values in its rows{others}"
