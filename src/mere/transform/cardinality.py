"""Is one side of the pairs a key?  A join is one to one, or many to one (definition 4.3.1 of the thesis).

A program that reads only a part of both values, such as the given names of people, pairs nearly every row, and nearly
every row wrongly.  Two tests tell it from one that drops what does not matter (`US-CA-2019` to `CA`):

- In a true join, the rows of one side have one partner each.  Where rows of both sides have further partners, pairs are
  accidental: rows without a true partner get as many by accident as the others get further ones.
      accidental pairs = rows x (pairs / rows with a partner - 1), on the side where they are fewer
- Rows of one side may have a key each by luck, because they are few.  If so many rows of the other side would repeat no
  more keys, and what the program does not read tells the rows apart, it has not been shown that they have.

Values that are equal, such as people of one name in both tables, are not the program's fault: they count as one row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mere.transform.agreement import Agreement
from mere.transform.candidates import Candidate, sides_of
from mere.transform.canonical import shape_of, tokens, unread
from mere.transform.program import Cell, Program
from mere.transform.resolve import resolve
from mere.transform.tables import Rows, Side

_ACCIDENTAL = 0.02  # share of the pairs that may be
_FEW = 2.0  # accidental pairs that are not counted
_REPEATS = 2.0  # that must be expected of keys before their absence says anything
_TELLING = 0.5  # of the rows differ in what is not read
_MOST_KEYS = 300  # whose rows are settled, or looked at


class Pairing(NamedTuple):
    """Rows with a key of the source and of the target, how many of them have a partner, and in how many pairs."""

    rows: tuple[int, int]
    matched: tuple[int, int]
    pairs: int

    @property
    def accidental(self) -> tuple[float, float]:
        """How many pairs are accidental, if the rows of the source, or of the target, should have one partner each."""
        source, target = (
            rows * (self.pairs / max(1, matched) - 1) for rows, matched in zip(self.rows, self.matched, strict=True)
        )
        return source, target

    @property
    def too_many(self) -> tuple[bool, bool]:
        """Whether too many pairs are accidental, if the source is the key, or the target; both: neither is one."""
        source, target = (number > max(_FEW, _ACCIDENTAL * self.pairs) for number in self.accidental)
        return source, target


class Group(NamedTuple):
    """The rows of both tables that have a key."""

    source: list[int]
    target: list[int]


def many_to_many(candidate: Candidate, agreement: Agreement, settled: bool = False) -> str | None:
    """Why neither side of a candidate's pairs is a key; None if one is.

    `settled`: rows that have several partners are first told apart by their other columns.
    """
    groups = _groups(candidate, agreement)
    pairing = _settled(candidate, groups, agreement) if settled else _pairing(candidate, groups)
    source, target = pairing.too_many
    if (source and target) or (source != target and _by_luck(candidate, agreement, of_source=source)):
        return _reason(candidate, pairing, agreement)
    return None


def _groups(candidate: Candidate, agreement: Agreement) -> list[Group]:
    """The rows of every key that both sides have; of equal values, the first."""
    sides = sides_of(candidate, agreement.left, agreement.right)
    columns = candidate.rule.program.columns, candidate.rule.key.columns
    groups = []
    for key, mine in candidate.made.items():
        group = Group(mine, candidate.keys.rows.get(key, []))
        if len(group.source) > 1 < len(group.target) and all(
            _is_one(side.canonical(names, row) for row in rows)
            for side, names, rows in zip(sides, columns, group, strict=True)
        ):
            group = Group(group.source[:1], group.target[:1])
        if group.target:
            groups.append(group)
    return groups


def _is_one(values: Iterable[tuple[str, ...]]) -> bool:
    values = iter(values)
    first = next(values)
    return all(value == first for value in values)


def _pairing(candidate: Candidate, groups: list[Group]) -> Pairing:
    return Pairing(
        (sum(map(len, candidate.made.values())), sum(map(len, candidate.keys.rows.values()))),
        (sum(len(group.source) for group in groups), sum(len(group.target) for group in groups)),
        sum(len(group.source) * len(group.target) for group in groups),
    )


def _settled(candidate: Candidate, groups: list[Group], agreement: Agreement) -> Pairing:
    """The pairing of some keys after their rows were told apart."""
    chosen = groups[:: max(1, len(groups) // _MOST_KEYS)]
    partners = {row: group.target for group in chosen for row in group.source}
    pairs = resolve([replace(candidate, partners=partners)], agreement).pairs
    every = _pairing(candidate, groups)
    share = sum(len(group.source) * len(group.target) for group in chosen) / max(1, every.pairs)
    rows = round(every.rows[0] * share), round(every.rows[1] * share)
    matched = len({one for one, _ in pairs}), len({other for _, other in pairs})
    forwards = candidate.rule.direction == "left to right"
    return Pairing(rows, matched if forwards else matched[::-1], len(pairs))


def _by_luck(candidate: Candidate, agreement: Agreement, of_source: bool) -> bool:
    """Whether the rows of one side may have a key each only because they are few."""
    mine, theirs = ([len(rows) for rows in keys.values()] for keys in (candidate.made, candidate.keys.rows))
    few, many = (mine, theirs) if of_source else (theirs, mine)
    repeats = sum(few) * (sum(few) - 1) / 2 * sum(count * count for count in many) / sum(many) ** 2
    return repeats < _REPEATS and _is_telling(candidate, agreement, of_source)


def _is_telling(candidate: Candidate, agreement: Agreement, of_source: bool) -> bool:
    """Whether what is not read of the values of one side tells most of them apart."""
    source, target = sides_of(candidate, agreement.left, agreement.right)
    rest = (
        unread_of(source, candidate.rule.program, candidate.made)
        if of_source
        else unread_of(target, candidate.rule.key, candidate.keys.rows)
    )
    return len({*rest} - {()}) > _TELLING * len(rest)


def unread_of(side: Side, program: Program, keys: Rows) -> list[tuple[str, ...]]:
    """What a program does not read of some rows."""
    seen = [(key, row) for key, rows in keys.items() for row in rows][:_MOST_KEYS]
    return [unread(" ".join(side.canonical(program.columns, row)), key) for key, row in seen]


def contradicted(candidate: Candidate, agreement: Agreement) -> str | None:
    """Why a program between two columns that share values is none: it pairs values with others than the equal ones.

    Values of one form that have other words are different values, if some of that form are equal.
    """
    rule, (source, target) = candidate.rule, sides_of(candidate, agreement.left, agreement.right)
    if len(rule.program.columns) + len(rule.key.columns) > 2:
        return None
    mine, theirs = source.normal(rule.program.columns[0]), target.normal(rule.key.columns[0])
    equal = mine.values & theirs.values
    if len(equal) <= _FEW:
        return None
    pairs = list(_pairs(candidate, mine.cells, theirs.cells, equal))
    forms = set(map(shape_of, equal))
    wrong = [
        (one, other)
        for one, other in pairs
        if (
            (one in equal or shape_of(one) == shape_of(other) in forms) and sorted(tokens(one)) != sorted(tokens(other))
        )
        or (other in mine.values and Counter(tokens(other)) - Counter(tokens(one)))
    ]
    if min(len(wrong), len(equal)) <= max(_FEW, _ACCIDENTAL * len(pairs)):
        return None
    return f"'{rule.program}' pairs '{wrong[0][0]}' with '{wrong[0][1]}', although the tables share equal values"


def _pairs(
    candidate: Candidate, mine: Sequence[Cell], theirs: Sequence[Cell], equal: set[str]
) -> Iterator[tuple[str, str]]:
    """The values that a program pairs; and equal ones of which it makes another of their form that is no key."""
    for key, rows in candidate.made.items():
        partners = candidate.keys.rows.get(key)
        other = key if partners is None else theirs[partners[0]]
        for row in rows:
            one = mine[row]
            if one and other and (partners or (one in equal and shape_of(one) == shape_of(key))):
                yield one, other


def _reason(candidate: Candidate, pairing: Pairing, agreement: Agreement) -> str:
    """How many rows a row is paired with, and what the program reads of an example."""
    forwards = candidate.rule.direction == "left to right"
    names = ("left", "right") if forwards else ("right", "left")
    each = (
        f"each of {rows:,} {mine} rows with {pairing.pairs / rows:,.1f} {theirs} rows on average"
        for rows, mine, theirs in zip(pairing.matched, names, names[::-1], strict=True)
    )
    groups = [
        (key, rows, candidate.keys.rows[key]) for key, rows in candidate.made.items() if key in candidate.keys.rows
    ]
    key, mine, theirs = max(groups, key=lambda group: (len(group[1]) * len(group[2]), group[0]))
    source, target = sides_of(candidate, agreement.left, agreement.right)
    values = (
        " ".join(cell for name in program.columns if (cell := side.cells(name, row)))
        for side, program, row in ((source, candidate.rule.program, mine[0]), (target, candidate.rule.key, theirs[-1]))
    )
    return (
        f"'{candidate.rule.program}' = '{candidate.rule.key}' pairs {', and '.join(each)}: it reads '{key}' of "
        f"{' and of '.join(map(repr, values))}, and neither table has been shown to have one row for each"
    )
