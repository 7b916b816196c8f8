"""On which columns should a table be joined, if its key is not known?

Proposed are minimal near-unique combinations: at least 95 % of the rows in which none of the columns is null differ,
and no smaller combination within it is near-unique.  They are found level by level (the apriori way of Agrawal and
Srikant, VLDB 1994): a combination is counted only if nothing within it is near-unique.

A column can be unique and still be a bad key, so what people join on comes first.  A combination costs the sum of its
columns, and half a point for every tenfold of combinations that could be there and are not: (country, year) fills its
grid, a key by accident hardly touches it.

    cost   column
    1      words, codes, dates, years
    2.5    whole numbers that repeat and are dense, or repeat often, or are named like a key
    4      other whole numbers: quantities, proposed only if there is nothing else
    5      a surrogate, 1 to n: small whole numbers join with everything

Cost: a look at 1,000 rows to choose at most 14 columns, the coding of those, and at most 231 counts (four columns
wide).  Of a longer table 50,000 rows are taken: fewer rows show fewer repeats, so they may flatter a combination.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mere.search.inputs import texts
from mere.segments import Facts, code_column, digest, summarise
from mere.values import Type, per_column

_NEAR = 0.95  # of the complete rows differ
_COMPLETE = 0.5  # of the rows, at least: among few, everything is unique
_LOOK, _ROWS = 1_000, 50_000  # rows that choose the columns, and rows that are counted
_COLUMNS, _WIDE = 14, 8  # columns tried alone and in pairs, and in wider combinations: 14 + 91 + 56 + 70 counts
_LONGEST = 60  # characters on average: longer text is prose
_YEARS = (1000, 2200)
_NATURAL, _ORDINAL, _QUANTITY, _SURROGATE = 1.0, 2.5, 4.0, 5.0
_ALTERNATIVE = 1.5  # more, for a combination that says with other columns what a better one says
_KEY_WORDS = {
    "abbr", "code", "date", "day", "fips", "id", "iso", "key", "month", "name", "quarter", "sku", "symbol", "ticker",
    "week", "year", "zip",
}  # fmt: skip

_Columns = tuple[int, ...]


@dataclass(frozen=True)
class Proposal:
    """Columns that together tell (nearly) every row from the others."""

    columns: tuple[str, ...]
    distinct: int  # combinations without nulls
    rows: int  # of the table, as far as it was looked at
    complete: float  # share of the rows in which none of the columns is null
    unique: float  # distinct / complete rows
    why: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"columns": list(self.columns)}


def propose_keys(table: pa.Table, most: int = 5, widest: int = 4) -> list[Proposal]:
    """The best keys first; if nothing is near-unique, the most distinct combinations.  A name given twice is none."""
    looks = _look(table)
    if not looks:
        return []
    rows = _Rows(table, looks)
    keys, others = _search(rows, widest)
    plain = [key for key in keys if _QUANTITY not in (rows.kinds[c] for c in key)]
    if keys:
        ranked = _ranked(rows, plain or keys)
    else:
        ranked = sorted(_worthwhile(rows, others), key=lambda one: (-round(rows.count(one).unique, 2), rows.cost(one)))
    return [_proposal(rows, one) for one in ranked[:most]]


class _Look(NamedTuple):
    """What a look at some rows says of a column."""

    place: int
    name: str
    type: Type
    low: float
    high: float
    length: float  # characters, on average
    filled: float  # share of the rows looked at
    distinct: int
    right: float  # 0 is the leftmost column, 1 the rightmost

    def tells_rows_apart(self, rows: int) -> bool:
        """Measures, constants, columns that are mostly null and prose do not."""
        constant = self.distinct <= 1 and rows > 1
        return self.type != Type.DECIMAL and not constant and self.filled >= _COMPLETE and self.length <= _LONGEST

    def kind(self, distinct: int, rows: int, of_rows: int) -> float:
        """What sort of column it is, as a cost, by some rows of all; dense is a quarter, for numbers go out of use."""
        if self.type != Type.INTEGER or (self.low >= _YEARS[0] and self.high <= _YEARS[1]):
            return _NATURAL
        span = self.high - self.low + 1
        if distinct >= _NEAR * rows and span <= 4 * of_rows:
            return _SURROGATE
        counts_off = span / 4 <= distinct <= rows / 2 or distinct <= rows / 20
        return _ORDINAL if counts_off or self.named_like_a_key() else _QUANTITY

    def cost(self, kind: float) -> float:
        flag = 2.0 if self.distinct <= 2 else 0.0
        return kind + flag - 0.5 * self.named_like_a_key() + self.length / _LONGEST + self.right / 2

    def named_like_a_key(self) -> bool:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)
        return not _KEY_WORDS.isdisjoint(re.findall(r"[^\W\d_]+", words.casefold()))


def _look(table: pa.Table) -> list[_Look]:
    """The columns that may be parts of keys, from the left; of too many, the likeliest."""
    named = Counter(table.column_names)
    places = [c for c, name in enumerate(table.column_names) if named[name] == 1]
    if not places or table.num_rows == 0:
        return []
    some = _some_rows(table.select(places), _LOOK)
    rows, names = some.num_rows, some.column_names
    [seen] = summarise([Facts("", "", "")], digest([pa.table([texts(column) for column in some.columns], names)]))
    types, low, high, sets = seen.columns.types, seen.columns.low, seen.columns.high, seen.sets
    filled, sizes = rows - seen.columns.nulls, np.diff(sets.starts)
    letters = per_column(sets.counts.astype(np.int64) * sets.values.lengths(), sets.starts) / np.maximum(filled, 1)
    looks = [
        _Look(place, names[c], Type(int(types[c])), float(low[c]), float(high[c]), float(letters[c]),
              float(filled[c] / rows), int(sizes[c]), place / table.num_columns)
        for c, place in enumerate(places)
    ]  # fmt: skip
    able = [look for look in looks if look.tells_rows_apart(rows)]
    able.sort(key=lambda look: look.cost(look.kind(look.distinct, rows, table.num_rows)))
    return sorted(able[:_COLUMNS])


def _some_rows(table: pa.Table, most: int) -> pa.Table:
    """One row of each of `most` equal stretches, at no fixed distance: tables often repeat themselves at one."""
    if table.num_rows <= most:
        return table
    edges = np.arange(most + 1) * table.num_rows // most
    wanted = edges[:-1] + (np.random.default_rng(0).random(most) * np.diff(edges)).astype(np.int64)
    taken, start = [], 0
    for batch in table.to_batches():  # batch by batch, so that no column is copied as a whole
        a, b = np.searchsorted(wanted, [start, start + batch.num_rows])
        taken.append(batch.take(pa.array(wanted[a:b] - start)))
        start += batch.num_rows
    return pa.Table.from_batches(taken, table.schema)


class _Count(NamedTuple):
    distinct: int
    complete: int  # rows without nulls
    unique: float
    sparse: bool  # too few complete rows to judge by
    near_unique: bool


class _Rows:
    """The rows as codes, how many distinct combinations they hold (each counted once), and what columns cost."""

    def __init__(self, table: pa.Table, looks: list[_Look]) -> None:
        some = _some_rows(table.select([look.place for look in looks]), _ROWS)
        coded = [code_column(texts(column)) for column in some.columns]
        self.rows, self.all = some.num_rows, table.num_rows
        self.codes = [column.codes.astype(np.int64) for column in coded]
        self.sizes = [len(column.hashes) + 1 for column in coded]  # the null among them
        self.filled = [codes > 0 if not codes.all() else None for codes in self.codes]
        self.counts: dict[_Columns, _Count] = {}
        self.names = [look.name for look in looks]
        self.kinds = [look.kind(n - 1, self.rows, self.all) for look, n in zip(looks, self.sizes, strict=True)]
        self.costs = [look.cost(kind) for look, kind in zip(looks, self.kinds, strict=True)]

    def count(self, columns: _Columns) -> _Count:
        if columns not in self.counts:
            keys, size = self._keys(columns)
            distinct, complete = _distinct(keys, size), len(keys)
            unique, sparse = distinct / max(complete, 1), complete < max(1, _COMPLETE * self.rows)
            self.counts[columns] = _Count(distinct, complete, unique, sparse, unique >= _NEAR and not sparse)
        return self.counts[columns]

    def _keys(self, columns: _Columns) -> tuple[np.ndarray, int]:
        """A number for each complete row, equal where the combination is, and how many numbers there could be."""
        filled = [some for c in columns if (some := self.filled[c]) is not None]
        whole = np.logical_and.reduce(filled) if filled else slice(None)
        keys, size = np.zeros(self.rows, np.int64)[whole], 1
        for c in columns:
            if size * self.sizes[c] >= 2**63:
                values, keys = np.unique(keys, return_inverse=True)
                size = len(values)
            keys = keys * self.sizes[c] + self.codes[c][whole]
            size *= self.sizes[c]
        return keys, size

    def cost(self, columns: _Columns) -> float:
        """Of the columns, of the grid that they leave empty, and of the rows that they leave out."""
        complete = self.count(columns).complete
        possible = sum(np.log10(self.count((c,)).distinct) for c in columns)
        empty = max(0.0, float(possible - np.log10(complete)))
        return sum(self.costs[c] for c in columns) + empty / 2 + 2 * (1 - complete / self.rows)


def _distinct(keys: np.ndarray, size: int) -> int:
    if size <= 1024 + 16 * len(keys):  # ticking them off is faster than sorting while the list is short
        seen = np.zeros(size, bool)
        seen[keys] = True
        return int(np.count_nonzero(seen))
    keys = np.sort(keys)
    return len(keys[:1]) + int(np.count_nonzero(keys[1:] != keys[:-1]))


def _search(rows: _Rows, widest: int) -> tuple[list[_Columns], list[_Columns]]:
    """The minimal near-unique combinations, and the others that were counted."""
    keys: list[_Columns] = []
    others: list[_Columns] = []
    among = list(range(len(rows.names)))
    last: set[_Columns] = {()}
    for width in range(1, widest + 1):
        if width == 3:
            among = _likeliest(rows)
        tried = [one for one in combinations(among, width) if last.issuperset(combinations(one, width - 1))]
        keys += [one for one in tried if rows.count(one).near_unique]
        last = {one for one in tried if not rows.count(one).near_unique and not rows.count(one).sparse}
        others += sorted(last)
    return keys, others


def _likeliest(rows: _Rows) -> list[int]:
    """The best columns that are left for combinations of three and more, twins after all others."""
    twins = _twins(rows)
    left = [c for c in range(len(twins)) if not rows.count((c,)).near_unique]
    return sorted(sorted(left, key=lambda c: (twins[c] != c, rows.costs[c]))[:_WIDE])


def _twins(rows: _Rows) -> list[int]:
    """For each column the best that says the same, such as a country's code for its name; often itself."""
    twins = list(range(len(rows.names)))
    for c in sorted(twins, key=lambda c: (rows.costs[c], c)):
        better = [b for b in twins if (rows.costs[b], b) < (rows.costs[c], c) and twins[b] == b]
        twins[c] = next((b for b in better if _are_twins(rows, b, c)), c)
    return twins


def _are_twins(rows: _Rows, one: int, other: int) -> bool:
    """Whether each nearly determines the other; two columns that are near-unique always do."""
    a, b = rows.count((one,)), rows.count((other,))
    if a.near_unique or b.near_unique:
        return a.near_unique and b.near_unique
    both = rows.count((min(one, other), max(one, other)))
    return not both.sparse and min(a.distinct, b.distinct) >= _NEAR * both.distinct


def _ranked(rows: _Rows, keys: list[_Columns]) -> list[_Columns]:
    """The cheapest first; one that only swaps twins of a cheaper one costs more."""
    twins = _twins(rows)
    ideas: set[_Columns] = set()
    cost = {key: rows.cost(key) for key in keys}
    for key in sorted(keys, key=lambda key: (cost[key], key)):
        idea = tuple(sorted(twins[c] for c in key))
        cost[key] += _ALTERNATIVE if idea in ideas else 0.0
        ideas.add(idea)
    return sorted(keys, key=lambda key: (cost[key], key))


def _worthwhile(rows: _Rows, others: list[_Columns]) -> list[_Columns]:
    """Combinations in which every column adds something: without it, at least a twentieth fewer are distinct."""
    inside = {one: [rows.count(part).distinct for part in combinations(one, len(one) - 1) if part] for one in others}
    return [one for one in others if max(inside[one], default=0) <= _NEAR * rows.count(one).distinct]


def _proposal(rows: _Rows, key: _Columns) -> Proposal:
    found, names = rows.count(key), tuple(rows.names[c] for c in key)
    why = _why(found, names, rows)
    if len(key) > 1:
        alone = max(rows.count((c,)).unique for c in key)
        why += f"; {'neither' if len(key) == 2 else 'no'} column alone has more than {int(np.ceil(100 * alone))}%"
    elif rows.kinds[key[0]] == _SURROGATE:
        why += "; but it only numbers the rows, and such numbers join with everything"
    return Proposal(names, found.distinct, rows.rows, found.complete / rows.rows, found.unique, why)


def _why(found: _Count, names: tuple[str, ...], rows: _Rows) -> str:
    what = names[0] if len(names) == 1 else f"({', '.join(names)})"
    where = f"{rows.rows:,} rows" + (" looked at" if rows.rows < rows.all else "")
    if found.complete < rows.rows:
        where = f"the {found.complete:,} of {where} without nulls"
    if found.distinct == found.complete:
        return f"each of {where} has its own {what}"
    share = f"{np.floor(1000 * found.unique) / 10:g}%"  # rounded down, for only the whole is 100 %
    start = "" if found.near_unique else "nothing is near-unique, but among the most distinct are "
    return f"{start}{found.distinct:,} different {what} in {where}, {share}"
