"""Which hits are copies of one another, and how many copies does the lake have?

Two hits are copies if their tables have the same header (the same names of columns, in the same order), the same
columns answered, and these hold the same sets of values; of kinds that do not join, all columns of the tables must.
Such tables are often the same file in several folders, or editions of it.

A **group** is a hit and its copies.  Groups are in the order of their best members, so the first k groups of an answer
are known as soon as the best hits hold k of them: the search is asked for more hits until they do.  Members that come
later in the order are then looked for in the tables that have the same header, and asked the same question.  So groups
are those of the complete list of hits, whichever way it is divided into segments.

Of the members with the best score the one with the shortest path stands for the group: the fewest folders, then the
fewest characters, then the first by name; before all others those whose numbers are read in one way only.

Cost: the searches of k, 4 k, ... hits, until they hold k groups; and a comparison of the lengths of headers in every
segment.  Sets are compared only where headers are equal: by their sizes and the 64-bit hashes of their values.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mere.answers import Field, Hit, Shown
from mere.answers.shown import Cell
from mere.indexes.kind import Kind, Part
from mere.search.finishing.marks import unsure_names
from mere.segments import Segment
from mere.store import Strings

Pair = tuple[Hit, Part]
Group = list[Pair]  # the best member first
Search = Callable[[Sequence[Part]], Iterable[Pair]]  # all hits of these parts

MORE = 4  # times as many hits are asked for, if they hold too few groups
_NAMED = 5  # copies that the evidence names

FIELDS = (
    Field("copies", "int64", "how many other tables have the same header and the same values in these columns"),
    Field("copied_in", "json", "the names of some of them"),
)


def groups_among(kind: Kind, pairs: Sequence[Pair], differ: Callable[[Hit], Any] = lambda hit: None) -> list[Group]:
    """The groups of these hits, in the order of their best members; hits that `differ` are not copies."""
    alike: dict[tuple[Any, ...], Group] = {}
    for pair in sorted(pairs, key=lambda pair: pair[0].order):
        alike.setdefault((_outline(pair), differ(pair[0])), []).append(pair)
    groups = [group for pairs in alike.values() for group in _by_content(kind, pairs)]
    return sorted(groups, key=lambda group: group[0][0].order)


def completed(kind: Kind, groups: Sequence[Group], parts: Sequence[Part], search: Search) -> list[Group]:
    """The same groups with all members that the parts have."""
    known = [pair for group in groups for pair in group]
    others = {id(part.segment): part for part in parts}
    further = search(list(_candidates(groups, {hit.table for hit, _ in known}, parts)))
    pairs = [*known, *((hit, others[id(part.segment)]) for hit, part in further)]
    return groups_among(kind, pairs)[: len(groups)]


def copies_of(kind: Kind, pair: Pair, parts: Sequence[Part]) -> list[str]:
    """The names of the living tables that are copies of a hit's table, whatever the question."""
    hit, part = pair
    header, content = _header(part.segment, _number(part.segment, hit.table)), _content(kind, pair)
    names = []
    for other in parts:
        for number in _with_header(other.segment, header):
            name = other.segment.names[number]
            if (
                other.live[number]
                and name != hit.table
                and _content(kind, (replace(hit, table=name), other)) == content
            ):
                names.append(name)
    return sorted(names)


def representative(group: Group, rounded: int | None = None) -> Pair:
    """The member that is shown: of the best ones, the one with the shortest path.

    The best have the same score and tie-break as the first; or, if scores are `rounded`, the same rounded score.
    """
    best = group[0][0]
    equals = [pair for pair in group if (pair[0].score, pair[0].tie) == (best.score, best.tie)]
    if rounded is not None:
        equals = [pair for pair in group if round(pair[0].score, rounded) == round(best.score, rounded)]
    return min(equals, key=_path)


def _path(pair: Pair) -> tuple[Any, ...]:
    hit, part = pair
    unsure = unsure_names(part.segment, _number(part.segment, hit.table), hit.columns)
    return bool(unsure), hit.table.count("/"), len(hit.table), hit.order


def with_copies(hit: Hit, group: Group) -> Hit:
    """The hit that stands for a group, with the number of the other tables and the first of their names."""
    return with_names(hit, sorted({member.table for member, _ in group} - {hit.table}))


def with_names(hit: Hit, others: Sequence[str]) -> Hit:
    """The hit, with the number of its copies and the first of their names."""
    return replace(hit, evidence={**hit.evidence, "copies": len(others), "copied_in": list(others[:_NAMED])})


def with_copies_column(columns: Sequence[Shown]) -> tuple[Shown, ...]:
    """The columns in which hits are shown, and the number of copies behind the name of the table."""
    place = 1 + next((place for place, column in enumerate(columns) if column.header == "table"), len(columns) - 1)
    return (*columns[:place], Shown("copies", _copies_cell, right=True), *columns[place:])


def _copies_cell(hit: Hit) -> Cell:
    return f"+{hit.evidence['copies']:,}" if hit.evidence.get("copies") else ""


def _outline(pair: Pair) -> tuple[Any, ...]:
    """What is known of a hit without a look at its values: equal for copies."""
    hit, part = pair
    header = _header(part.segment, _number(part.segment, hit.table))
    return hit.columns, header.lengths().tobytes(), header.data.tobytes()


def _by_content(kind: Kind, pairs: Group) -> Iterable[Group]:
    """Hits with equal headers and columns, divided by the sets of values."""
    if len(pairs) == 1:
        return [pairs]
    groups: dict[bytes, Group] = {}
    for pair in pairs:
        groups.setdefault(_content(kind, pair), []).append(pair)
    return groups.values()


def _content(kind: Kind, pair: Pair) -> bytes:
    """A digest of the sets that must be equal."""
    hit, segment = pair[0], pair[1].segment
    columns: Iterable[int] = segment.columns_of(_number(segment, hit.table))
    if kind.joins:
        columns = [segment.column_number(hit.table, column) for column in hit.columns]
    digest, hashes = hashlib.blake2b(digest_size=16), segment.dictionary.hashes
    for column in columns:
        ids = segment.set_of(column)
        digest.update(len(ids).to_bytes(8, "little"))
        digest.update(hashes[ids].tobytes())
    return digest.digest()


def _candidates(groups: Sequence[Group], known: set[str], parts: Sequence[Part]) -> Iterator[Part]:
    """The parts, with only those tables alive that have the header of a group and are not known as members."""
    headers = {_outline(group[0])[1:]: group[0] for group in groups}
    wanted = [_header(part.segment, _number(part.segment, hit.table)) for hit, part in headers.values()]
    for part in parts:
        live = np.zeros_like(part.live)
        for header in wanted:
            live[list(_with_header(part.segment, header))] = True
        live &= part.live
        live[[number for number in np.flatnonzero(live).tolist() if part.segment.names[number] in known]] = False
        if live.any():
            yield replace(part, live=live, memo={})


def _with_header(segment: Segment, header: Strings) -> Iterator[int]:
    """The tables of a segment that have this header."""
    names, first = Strings.mapped(segment.catalog, "column.names"), segment.first_column
    sizes = np.diff(names.offsets[first])
    for table in np.flatnonzero((np.diff(first) == len(header)) & (sizes == len(header.data))).tolist():
        theirs = _header(segment, table)
        if np.array_equal(theirs.lengths(), header.lengths()) and np.array_equal(theirs.data, header.data):
            yield table


def _header(segment: Segment, table: int) -> Strings:
    span = segment.columns_of(table)
    return Strings.mapped(segment.catalog, "column.names").slice(span.start, span.stop)


def _number(segment: Segment, table: str) -> int:
    return bisect_left(segment.names, table)
