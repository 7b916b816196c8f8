"""On which columns should a table be joined, if its key is not known?

Proposed are minimal near-unique combinations: at least 95 % of the rows in which none of the columns is null differ,
and no smaller combination within it is near-unique.  They are found level by level (the apriori way of Agrawal and
Srikant, VLDB 1994): a combination is counted only if nothing within it is near-unique.

A column can be unique and still be a bad key, so combinations are ranked by a cost, the lowest first: the sum of the
costs of their columns, and half a point per factor of ten between the combinations that are possible and those that
occur.  Nearly all possible pairs (country, year) occur; of a combination that is unique by accident hardly any do.

    cost   column
    1      words, codes, dates, years
    2.5    integers that repeat and are dense, or repeat often, or are named like a key
    4      other integers: quantities, proposed only if there is nothing else
    5      row numbers, 1 to n: small integers occur in unrelated columns

Computation: 1,000 rows are examined to choose at most 14 columns; those are coded, and at most 231 combinations (of up
to four columns) are counted.  Of a longer table a sample of 50,000 rows is used: fewer rows have fewer repeats, so a
combination may look more unique than it is.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mere.search.given import code_given, decimal_of, texts
from mere.search.given.files import is_typed
from mere.segments import Facts, digest, summarise
from mere.values import NUMBER_SHARE, Type, per_column

_NEAR = 0.95  # of the rows without nulls differ
_COMPLETE = 0.5  # of the rows, at least: in a few rows every column is unique
_SAMPLE_ROWS, _COUNTED_ROWS = 1_000, 50_000  # rows that choose the columns, and rows in which they are counted
_COLUMNS, _WIDE = 14, 8  # columns tried alone and in pairs, and in wider combinations: 14 + 91 + 56 + 70 counts
_LONGEST = 60  # characters on average: longer text is prose
_YEARS = (1000, 2200)
_NATURAL, _ORDINAL, _QUANTITY, _ROW_NUMBER = 1.0, 2.5, 4.0, 5.0
_ALTERNATIVE = 1.5  # added for a combination that is equivalent to a cheaper one
_KEY_WORDS = {
    "abbr", "code", "date", "day", "fips", "id", "iso", "key", "month", "name", "quarter", "sku", "symbol", "ticker",
    "week", "year", "zip",
}  # fmt: skip

_Columns = tuple[int, ...]


@dataclass(frozen=True)
class Proposal:
    """Columns whose values together differ in (nearly) every row."""

    columns: tuple[str, ...]
    distinct: int  # combinations without nulls
    rows: int  # of the table, or of the sample of it
    complete: float  # share of the rows in which none of the columns is null
    unique: float  # distinct / complete rows
    why: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"columns": list(self.columns)}


def propose_keys(table: pa.Table, most: int = 5, widest: int = 4, share: float = NUMBER_SHARE) -> list[Proposal]:
    """The best keys first; if nothing is near-unique, the most distinct combinations.  Repeated names are left out."""
    candidates = candidate_columns(table, share)
    if not candidates:
        return []
    rows = Rows(table, candidates, share)
    keys, others = _search(rows, widest)
    without_quantities = [key for key in keys if _QUANTITY not in (rows.kinds[c] for c in key)]
    if keys:
        ranked = _ranked(rows, without_quantities or keys)
    else:
        ranked = sorted(_worthwhile(rows, others), key=lambda key: (-round(rows.count(key).unique, 2), rows.cost(key)))
    return [_proposal(rows, key) for key in ranked[:most]]


class Candidate(NamedTuple):
    """A column, as a sample of its rows shows it."""

    place: int
    name: str
    type: Type
    low: float
    high: float
    length: float  # characters, on average
    filled: float  # share of the sample that is not null
    distinct: int
    position: float  # 0 is the leftmost column, 1 the rightmost

    def can_be_part_of_a_key(self, rows: int) -> bool:
        """Decimals, constants, long text and columns that are mostly null cannot."""
        constant = self.distinct <= 1 and rows > 1
        return self.type != Type.DECIMAL and not constant and self.filled >= _COMPLETE and self.length <= _LONGEST

    def kind(self, distinct: int, rows: int, of_rows: int) -> float:
        """The cost of its type, from a sample of all rows.  Numbers are dense if a quarter of their range occurs."""
        if self.type != Type.INTEGER or (self.low >= _YEARS[0] and self.high <= _YEARS[1]):
            return _NATURAL
        span = self.high - self.low + 1
        if distinct >= _NEAR * rows and span <= 4 * of_rows:
            return _ROW_NUMBER
        is_ordinal = span / 4 <= distinct <= rows / 2 or distinct <= rows / 20
        return _ORDINAL if is_ordinal or self.named_like_a_key() else _QUANTITY

    def cost(self, kind: float) -> float:
        two_values = 2.0 if self.distinct <= 2 else 0.0
        return kind + two_values - 0.5 * self.named_like_a_key() + self.length / _LONGEST + self.position / 2

    def named_like_a_key(self) -> bool:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)
        return not _KEY_WORDS.isdisjoint(re.findall(r"[^\W\d_]+", words.casefold()))


def candidate_columns(table: pa.Table, share: float = NUMBER_SHARE) -> list[Candidate]:
    """The columns that may be parts of keys, from the left; of too many, the cheapest."""
    occurrences = Counter(table.column_names)
    places = [c for c, name in enumerate(table.column_names) if occurrences[name] == 1]
    if not places or table.num_rows == 0:
        return []
    sample = _sample(table.select(places), _SAMPLE_ROWS)
    rows, names = sample.num_rows, sample.column_names
    facts = Facts("", "", "", numbers={"typed": is_typed(table)})
    [summary] = summarise([facts], digest([pa.table([texts(column) for column in sample.columns], names)]), share)
    types, low, high, sets = summary.columns.types, summary.columns.low, summary.columns.high, summary.sets
    filled, sizes = rows - summary.columns.nulls, np.diff(sets.starts)
    letters = per_column(sets.counts.astype(np.int64) * sets.values.lengths(), sets.starts) / np.maximum(filled, 1)
    columns = [
        Candidate(place, names[c], Type(int(types[c])), float(low[c]), float(high[c]), float(letters[c]),
                   float(filled[c] / rows), int(sizes[c]), place / table.num_columns)
        for c, place in enumerate(places)
    ]  # fmt: skip
    candidates = [column for column in columns if column.can_be_part_of_a_key(rows)]
    candidates.sort(key=lambda column: column.cost(column.kind(column.distinct, rows, table.num_rows)))
    return sorted(candidates[:_COLUMNS])


def _sample(table: pa.Table, most: int) -> pa.Table:
    """A random row of each of `most` equal ranges of rows; not at a fixed distance, as tables are often periodic."""
    if table.num_rows <= most:
        return table
    edges = np.arange(most + 1) * table.num_rows // most
    wanted = edges[:-1] + (np.random.default_rng(0).random(most) * np.diff(edges)).astype(np.int64)
    batches, start = [], 0
    for batch in table.to_batches():  # batch by batch, so that no column is copied completely
        a, b = np.searchsorted(wanted, [start, start + batch.num_rows])
        batches.append(batch.take(pa.array(wanted[a:b] - start)))
        start += batch.num_rows
    return pa.Table.from_batches(batches, table.schema)


class _Count(NamedTuple):
    distinct: int
    complete: int  # rows without nulls
    unique: float
    sparse: bool  # too few complete rows to judge
    near_unique: bool


class Rows:
    """The rows as codes, the numbers of distinct combinations (computed once each), and the costs of the columns."""

    def __init__(self, table: pa.Table, candidates: list[Candidate], share: float = NUMBER_SHARE) -> None:
        sample = _sample(table.select([candidate.place for candidate in candidates]), _COUNTED_ROWS)
        decimal = cache(lambda: decimal_of(_sample(table, _COUNTED_ROWS), share))
        coded = [code_given(column, decimal, share) for column in sample.columns]
        self.rows, self.all = sample.num_rows, table.num_rows
        self.codes = [column.codes.astype(np.int64) for column in coded]
        self.sizes = [len(column.hashes) + 1 for column in coded]  # distinct values, and null
        self.filled = [codes > 0 if not codes.all() else None for codes in self.codes]
        self.counts: dict[_Columns, _Count] = {}
        self.names = [column.name for column in candidates]
        self.kinds = [column.kind(n - 1, self.rows, self.all) for column, n in zip(candidates, self.sizes, strict=True)]
        self.costs = [column.cost(kind) for column, kind in zip(candidates, self.kinds, strict=True)]

    def count(self, columns: _Columns) -> _Count:
        if columns not in self.counts:
            keys, size = self._keys(columns)
            distinct, complete = _distinct(keys, size), len(keys)
            unique, sparse = distinct / max(complete, 1), complete < max(1, _COMPLETE * self.rows)
            self.counts[columns] = _Count(distinct, complete, unique, sparse, unique >= _NEAR and not sparse)
        return self.counts[columns]

    def _keys(self, columns: _Columns) -> tuple[np.ndarray, int]:
        """A number for each complete row, equal where the combination is equal; and how many numbers are possible."""
        filled = [mask for c in columns if (mask := self.filled[c]) is not None]
        complete = np.logical_and.reduce(filled) if filled else slice(None)
        keys, size = np.zeros(self.rows, np.int64)[complete], 1
        for c in columns:
            if size * self.sizes[c] >= 2**63:
                values, keys = np.unique(keys, return_inverse=True)
                size = len(values)
            keys = keys * self.sizes[c] + self.codes[c][complete]
            size *= self.sizes[c]
        return keys, size

    def cost(self, columns: _Columns) -> float:
        """Of the columns, of the possible combinations that do not occur, and of the rows that have nulls."""
        complete = self.count(columns).complete
        possible = sum(np.log10(self.count((c,)).distinct) for c in columns)
        absent = max(0.0, float(possible - np.log10(complete)))
        return sum(self.costs[c] for c in columns) + absent / 2 + 2 * (1 - complete / self.rows)


def _distinct(keys: np.ndarray, size: int) -> int:
    if size <= 1024 + 16 * len(keys):  # marking them is faster than sorting while the array is short
        seen = np.zeros(size, bool)
        seen[keys] = True
        return int(np.count_nonzero(seen))
    keys = np.sort(keys)
    return len(keys[:1]) + int(np.count_nonzero(keys[1:] != keys[:-1]))


def _search(rows: Rows, widest: int) -> tuple[list[_Columns], list[_Columns]]:
    """The minimal near-unique combinations, and the others that were counted."""
    keys: list[_Columns] = []
    others: list[_Columns] = []
    columns = list(range(len(rows.names)))
    last: set[_Columns] = {()}
    for width in range(1, widest + 1):
        if width == 3:
            columns = _cheapest(rows)
        tried = [key for key in combinations(columns, width) if last.issuperset(combinations(key, width - 1))]
        keys += [key for key in tried if rows.count(key).near_unique]
        last = {key for key in tried if not rows.count(key).near_unique and not rows.count(key).sparse}
        others += sorted(last)
    return keys, others


def _cheapest(rows: Rows) -> list[int]:
    """The cheapest columns for combinations of three and more, those that are equivalent to a cheaper one last."""
    equivalents = _equivalents(rows)
    repeating = [c for c in range(len(equivalents)) if not rows.count((c,)).near_unique]
    return sorted(sorted(repeating, key=lambda c: (equivalents[c] != c, rows.costs[c]))[:_WIDE])


def _equivalents(rows: Rows) -> list[int]:
    """For each column the cheapest that is equivalent to it, such as a country's code for its name; often itself."""
    equivalents = list(range(len(rows.names)))
    for c in sorted(equivalents, key=lambda c: (rows.costs[c], c)):
        cheaper = [b for b in equivalents if (rows.costs[b], b) < (rows.costs[c], c) and equivalents[b] == b]
        equivalents[c] = next((b for b in cheaper if _are_equivalent(rows, b, c)), c)
    return equivalents


def _are_equivalent(rows: Rows, left: int, right: int) -> bool:
    """Whether each column nearly determines the other; two columns that are near-unique always do."""
    a, b = rows.count((left,)), rows.count((right,))
    if a.near_unique or b.near_unique:
        return a.near_unique and b.near_unique
    both = rows.count((min(left, right), max(left, right)))
    return not both.sparse and min(a.distinct, b.distinct) >= _NEAR * both.distinct


def _ranked(rows: Rows, keys: list[_Columns]) -> list[_Columns]:
    """The cheapest first; one that is a cheaper one with equivalent columns costs more."""
    equivalents = _equivalents(rows)
    seen: set[_Columns] = set()
    cost = {key: rows.cost(key) for key in keys}
    for key in sorted(keys, key=lambda key: (cost[key], key)):
        representative = tuple(sorted(equivalents[c] for c in key))
        cost[key] += _ALTERNATIVE if representative in seen else 0.0
        seen.add(representative)
    return sorted(keys, key=lambda key: (cost[key], key))


def _worthwhile(rows: Rows, others: list[_Columns]) -> list[_Columns]:
    """Combinations that need every column: without it, at least 5 % fewer are distinct."""
    within = {key: [rows.count(part).distinct for part in combinations(key, len(key) - 1) if part] for key in others}
    return [key for key in others if max(within[key], default=0) <= _NEAR * rows.count(key).distinct]


def _proposal(rows: Rows, key: _Columns) -> Proposal:
    count, names = rows.count(key), tuple(rows.names[c] for c in key)
    why = _why(count, names, rows)
    if len(key) > 1:
        alone = max(rows.count((c,)).unique for c in key)
        why += f"; {'neither' if len(key) == 2 else 'no'} column alone has more than {int(np.ceil(100 * alone))}%"
    elif rows.kinds[key[0]] == _ROW_NUMBER:
        why += "; but it only numbers the rows, and such numbers occur in unrelated columns"
    return Proposal(names, count.distinct, rows.rows, count.complete / rows.rows, count.unique, why)


def _why(count: _Count, names: tuple[str, ...], rows: Rows) -> str:
    key = names[0] if len(names) == 1 else f"({', '.join(names)})"
    examined = f"{rows.rows:,} row{'' if rows.rows == 1 else 's'}" + (" of a sample" if rows.rows < rows.all else "")
    if count.complete < rows.rows:
        examined = f"the {count.complete:,} of {examined} without nulls"
    if count.distinct == count.complete:
        return f"{key} is different in each of {examined}"
    share = f"{np.floor(1000 * count.unique) / 10:g}%"  # rounded down, so that only all of them are 100 %
    start = "" if count.near_unique else "nothing is near-unique, but among the most distinct are "
    return f"{start}{count.distinct:,} different {key} in {examined}, {share}"
