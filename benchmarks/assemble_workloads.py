"""Which tables, prices and queries are bundles measured on?  Section 5 of the paper, and tighter ones.

A source is a Parquet file; tables are cut from it by row numbers, drawn by a seed, so that they overlap.

    paper       here        meaning
    d_pool      source      the table that others are cut from
    D           candidates  tables that are offered; 20
    d_u         base        the user's table: one more table cut in the same way
    s           rate        share of the source's rows that a candidate has; between 1 / |D| and 2 / |D|
    w           -           price per row, between 0 and 1
    B-ratio     budget      as a share of the price of all candidates; 0.5
    ol          overlap     share of a table that any two queries of a pair have in common at least; 5 %

The paper's ranges reach from the least to the greatest value of a sample of each table, so that they hold nearly every
row.  The other workloads tell more about a method: 20 queries that each hold a hundredth of the rows (`selective`), one
such query (`single`); and with 5 queries of a tenth of the rows, candidates whose rows are near each other
(`clustered`), that are copies of each other but for 1 to 5 % of their rows (`duplicates`), or that have between 1,000
and 200,000 rows (`sizes`).

Departs: the pairs of queries are drawn as they are needed instead of a hundred beforehand.  Texts are compared without
regard to case and runs of spaces, and words like `?` are null, as in Mere; baselines get the texts in this form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mere.bundles.relation import Column, Relation, relation_of_cells
from mere.bundles.schema import Schema
from mere.readers.as_text import as_text
from mere.values import Type

NULL_WORDS = pa.array(["", "?", "na", "n/a", "nan", "null", "none", "-", "missing"])
SUBSAMPLE = 20_000  # rows that ranges around a row are fitted on

Typed = dict[str, np.ndarray]  # float64 with NaN for null, or int32 codes of texts with -1 for null


@dataclass(frozen=True, eq=False)
class Source:
    """A table that others are cut from: as typed arrays for the baselines, and as a relation for Mere."""

    name: str
    columns: Typed
    words: dict[str, list[str]]  # of the text columns: the text of each code
    dates: frozenset[str]
    relation: Relation
    salt: str = ""  # a part of the columns' names in SQL: other names give rows other hashes

    @property
    def rows(self) -> int:
        return self.relation.rows

    @cached_property
    def real(self) -> list[str]:
        """Columns of numbers and dates that have at least two values."""
        return [name for name, values in self.columns.items() if name not in self.words and spread(values) > 0]

    @cached_property
    def varied(self) -> list[str]:
        """Those whose most frequent value has at most a tenth of the rows; the two most varied ones at least."""
        counts = {name: np.unique(self.columns[name][:SUBSAMPLE], return_counts=True)[1].max() for name in self.real}
        ascending = sorted(self.real, key=lambda name: counts[name])
        most = 0.1 * min(SUBSAMPLE, self.rows)
        return [name for place, name in enumerate(ascending) if place < 2 or counts[name] <= most]

    def title(self, column: str) -> str:
        """The name of a column in SQL."""
        return column + self.salt

    def salted(self, salt: str) -> Source:
        """The same with other names, so that its rows have other hashes."""
        schema = Schema(tuple(name + salt for name in self.columns), self.relation.schema.types)
        return replace(self, salt=salt, relation=replace(self.relation, schema=schema))

    def cut(self, rows: np.ndarray) -> Typed:
        return {name: values[rows] for name, values in self.columns.items()}

    def literal(self, column: str, value: float) -> str:
        """A value as SQL."""
        if column in self.words:
            return "'" + self.words[column][int(value)].replace("'", "''") + "'"
        if column in self.dates:
            return f"'{np.datetime64(int(value), 's')}'".replace("T", " ")
        return str(int(value)) if value == int(value) else repr(float(value))

    def extended(self, places: dict[str, np.ndarray]) -> Source:
        """With more rows: in each column, the values that are at these places."""
        typed = {name: np.concatenate([values, values[places[name]]]) for name, values in self.columns.items()}
        columns = [
            Column(column.values, column.hashes, np.concatenate([column.codes, column.codes[places[name]]]))
            for name, column in zip(self.columns, self.relation.columns, strict=True)
            if column is not None
        ]
        rows = len(next(iter(typed.values())))
        return replace(self, columns=typed, relation=replace(self.relation, rows=rows, columns=tuple(columns)))


def spread(values: np.ndarray) -> float:
    present = values[~np.isnan(values)]
    return float(np.ptp(present)) if len(present) else 0.0


def sources(folder: Path, most_rows: int | None = None, only: str | None = None) -> list[Source]:
    """The Parquet files of a folder; of larger ones only `most_rows` rows, drawn at random."""
    files = [path for path in sorted(folder.glob("*.parquet")) if only is None or only in path.stem]
    if not files:
        raise SystemExit(f"no Parquet file{f' with {only!r} in its name' if only else ''} in {folder}")
    return [read_source(path, most_rows) for path in files]


def read_source(path: Path, most_rows: int | None = None) -> Source:
    table = pq.read_table(path).combine_chunks()
    if most_rows is not None and table.num_rows > most_rows:
        kept = np.random.default_rng(0).choice(table.num_rows, most_rows, replace=False)
        table = table.take(np.sort(kept)).combine_chunks()
    columns, words, types, cells, dates = {}, {}, [], [], set()
    for name in table.column_names:
        column = table[name].chunk(0) if table[name].num_chunks else pa.array([], table[name].type)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column = _clean(column)
            coded = column.dictionary_encode()
            columns[name] = coded.indices.fill_null(-1).to_numpy().astype(np.int32)
            words[name] = coded.dictionary.to_pylist()
            types.append(Type.TEXT)
        elif pa.types.is_timestamp(column.type):
            columns[name] = _numbers(column.cast(pa.timestamp("s"), safe=False).cast(pa.int64()))
            column = column.cast(pa.timestamp("s"), safe=False)
            dates.add(name)
            types.append(Type.DATETIME)
        else:
            columns[name] = _numbers(column)
            types.append(Type.INTEGER if pa.types.is_integer(column.type) else Type.DECIMAL)
        cells.append(as_text(column))
    schema = Schema(tuple(table.column_names), tuple(types))
    relation = relation_of_cells(path.stem, table.column_names, cells, schema)
    return Source(path.stem, columns, words, frozenset(dates), relation)


def _clean(column: pa.Array) -> pa.Array:
    column = pc.utf8_lower(pc.utf8_trim_whitespace(column.cast(pa.string())))
    column = pc.replace_substring_regex(column, r"\s+", " ")
    return pc.if_else(pc.is_in(column, NULL_WORDS), pa.scalar(None, pa.string()), column)


def _numbers(column: pa.Array) -> np.ndarray:
    return column.cast(pa.float64(), safe=False).fill_null(np.nan).to_numpy(zero_copy_only=False).copy()


@dataclass(frozen=True)
class Query:
    """A conjunction: columns in ranges whose ends are included, and at most one text column equal to a value."""

    ranges: tuple[tuple[str, float, float], ...]
    equal: tuple[str, int] | None = None

    def rows(self, table: Typed) -> np.ndarray:
        """Which rows of typed arrays meet it."""
        mask = np.ones(len(next(iter(table.values()))), bool)
        if self.equal is not None:
            mask &= table[self.equal[0]] == self.equal[1]
        for column, low, high in self.ranges:
            mask &= table[column] >= low
            mask &= table[column] <= high
        return mask

    def sql(self, source: Source) -> str:
        parts = [
            f'"{source.title(column)}" BETWEEN {source.literal(column, low)} AND {source.literal(column, high)}'
            for column, low, high in self.ranges
        ]
        if self.equal is not None:
            parts.insert(0, f'"{source.title(self.equal[0])}" = {source.literal(*self.equal)}')
        return " AND ".join(parts)


@dataclass(frozen=True, eq=False)
class Workload:
    """A question: which of the candidates to take.  Tables are row numbers of the source."""

    name: str
    source: Source
    base: np.ndarray
    candidates: list[np.ndarray]
    prices: np.ndarray
    budget: float
    queries: tuple[Query, ...]

    @property
    def rows(self) -> int:
        return len(self.base) + sum(len(rows) for rows in self.candidates)

    @cached_property
    def tables(self) -> list[Typed]:
        """The base and the candidates as typed arrays."""
        return [self.source.cut(rows) for rows in (self.base, *self.candidates)]

    @cached_property
    def relations(self) -> list[Relation]:
        """The base and the candidates as Mere has them."""
        names = ["base", *(f"t{number}" for number in range(len(self.candidates)))]
        cut = [self.source.relation.take(rows) for rows in (self.base, *self.candidates)]
        return [replace(relation, name=name) for name, relation in zip(names, cut, strict=True)]

    @cached_property
    def texts(self) -> list[str]:
        return [query.sql(self.source) for query in self.queries]

    def salted(self, number: int) -> Workload:
        """The same question with other hashes; those of different workloads are independent."""
        other = replace(self, source=self.source.salted(f" {self.name} {number}"))
        schema = other.source.relation.schema
        other.__dict__["tables"] = self.tables
        other.__dict__["relations"] = [replace(relation, schema=schema) for relation in self.relations]
        return other


@dataclass(frozen=True)
class Setting:
    """The parameters of Table 3, at their default."""

    tables: int = 20
    queries: int = 20
    budget: float = 0.5
    overlap: float = 0.05
    largest_rate: float | None = None  # 2 / tables


DEFAULT = Setting()


def make_workload(name: str, source: Source, seed: int, setting: Setting = DEFAULT) -> Workload:
    """A workload of this name (`WORKLOADS`)."""
    chance = np.random.default_rng([seed, sum(map(ord, name + source.name))])
    cut, ask = WORKLOADS[name]
    source, base, candidates = cut(source, setting, chance)
    prices = np.array([len(rows) * (1 - chance.random()) for rows in candidates])
    queries = tuple(ask(source, [base, *candidates], setting, chance))
    return Workload(name, source, base, candidates, prices, setting.budget * float(prices.sum()), queries)


Cut = tuple[Source, np.ndarray, list[np.ndarray]]


def sampled(source: Source, setting: Setting, chance: np.random.Generator) -> Cut:
    """Section 5.1: rows at random, at a rate at random."""
    base, *candidates = (_sample(source, setting, chance) for _ in range(setting.tables + 1))
    return source, base, candidates


def _sample(source: Source, setting: Setting, chance: np.random.Generator) -> np.ndarray:
    most = 2 / setting.tables if setting.largest_rate is None else setting.largest_rate
    rate = chance.uniform(min(1 / setting.tables, most), most)
    return chance.choice(source.rows, int(rate * source.rows), replace=False)


def clustered(source: Source, setting: Setting, chance: np.random.Generator) -> Cut:
    """Each candidate has its rows from one range of one column: some overlap much, most little."""
    order = {name: np.argsort(source.columns[name], kind="stable") for name in chance.permutation(source.varied)[:3]}
    candidates = []
    for _ in range(setting.tables):
        ranked = order[str(chance.choice(list(order)))]
        width = int(chance.uniform(0.1, 0.3) * source.rows)
        start = int(chance.integers(source.rows - width + 1))
        size = min(width, len(_sample(source, setting, chance)))
        candidates.append(chance.choice(ranked[start : start + width], size, replace=False))
    return source, _sample(source, setting, chance), candidates


def duplicates(source: Source, setting: Setting, chance: np.random.Generator) -> Cut:
    """A quarter of the candidates are originals, the others copies with another value in 1 to 5 % of the rows."""
    base, *originals = (_sample(source, setting, chance) for _ in range(max(1, setting.tables // 4) + 1))
    candidates, added = list(originals), []
    rows = source.rows
    for number in range(setting.tables - len(originals)):
        copy = originals[number % len(originals)].copy()
        places = chance.choice(len(copy), max(1, int(chance.uniform(0.01, 0.05) * len(copy))), replace=False)
        added.append(copy[places])
        copy[places] = np.arange(rows, rows + len(places))
        rows += len(places)
        candidates.append(copy)
    changed = np.concatenate([np.empty(0, np.int64), *added])
    origin = dict.fromkeys(source.columns, changed)
    origin[source.varied[0]] = chance.integers(source.rows, size=len(changed))
    return source.extended(origin), base, candidates


def sizes(source: Source, setting: Setting, chance: np.random.Generator) -> Cut:
    """Between 1,000 and 200,000 rows, on a logarithmic scale; at most half of the source."""
    most = min(200_000, source.rows // 2)
    counts = np.exp(chance.uniform(np.log(1_000), np.log(most), setting.tables)).astype(int)
    candidates = [chance.choice(source.rows, count, replace=False) for count in counts]
    return source, _sample(source, setting, chance), candidates


Ask = Callable[[Source, Sequence[np.ndarray], Setting, np.random.Generator], list[Query]]


def wide_queries(
    source: Source, tables: Sequence[np.ndarray], setting: Setting, chance: np.random.Generator
) -> list[Query]:
    """Section 5.2: pairs of queries with the ranges of one sample."""
    frequent = _frequent(source, tables, setting.overlap)
    queries: list[Query] = []
    while len(queries) < setting.queries:
        if frequent and chance.random() < 0.5:
            equal = frequent[int(chance.integers(len(frequent)))]
            sample = np.concatenate([rows[source.columns[equal[0]][rows] == equal[1]] for rows in tables])
            counts = (1, 4)
        else:
            equal, counts = None, (2, 5)
            sample = np.concatenate([chance.choice(rows, int(setting.overlap * len(rows)) + 1) for rows in tables])
        queries += [Query(_ranges(source, sample, int(chance.integers(*counts)), chance), equal) for _ in range(2)]
    return queries[: setting.queries]


def _ranges(
    source: Source, rows: np.ndarray, count: int, chance: np.random.Generator
) -> tuple[tuple[str, float, float], ...]:
    """From the least to the greatest value of these rows, in some columns."""
    ranges = []
    for name in chance.permutation(source.real):
        values = source.columns[name][rows]
        if len(ranges) < count and not np.isnan(values).all():
            ranges.append((str(name), float(np.nanmin(values)), float(np.nanmax(values))))
    return tuple(ranges)


def _frequent(source: Source, tables: Sequence[np.ndarray], share: float) -> list[tuple[str, int]]:
    """Text columns and the values that more than this share of every table has."""
    pairs = []
    for name, words in source.words.items():
        least = np.full(len(words), np.inf)
        for rows in tables:
            codes = source.columns[name][rows]
            least = np.minimum(least, np.bincount(codes[codes >= 0], minlength=len(words)) / len(rows))
        pairs += [(name, int(code)) for code in np.flatnonzero(least > share)]
    return pairs


def narrow_queries(share: float, count: int | None = None) -> Ask:
    """Ranges in two columns around a row, that hold about this share of the source's rows."""

    def ask(source: Source, tables: Sequence[np.ndarray], setting: Setting, chance: np.random.Generator) -> list[Query]:
        rows = chance.choice(source.rows, min(SUBSAMPLE, source.rows), replace=False)
        return [_box(source, rows, share, chance) for _ in range(count or setting.queries)]

    return ask


def _box(source: Source, rows: np.ndarray, share: float, chance: np.random.Generator) -> Query:
    """The box nearest to the share of several tries: in columns of few values a box holds more rows than asked for."""
    best, distance = Query(()), np.inf
    for _ in range(20):
        columns = [str(name) for name in chance.permutation(source.varied)[:2]]
        values = np.array([source.columns[name][rows] for name in columns])
        values = values[:, ~np.isnan(values).any(axis=0)]
        if not values.size:
            continue
        ranks = np.argsort(np.argsort(values, axis=1, kind="stable"), axis=1)
        away = np.abs(ranks - ranks[:, [int(chance.integers(values.shape[1]))]]).max(axis=0)
        near = values[:, np.argsort(away, kind="stable")[: max(2, int(share * len(rows)))]]
        query = Query(tuple((n, float(v.min()), float(v.max())) for n, v in zip(columns, near, strict=True)))
        held = query.rows(source.cut(rows)).mean()
        if abs(np.log(held / share)) < distance:
            best, distance = query, abs(np.log(held / share))
        if distance < 0.25:
            break
    return best


WORKLOADS: dict[str, tuple[Callable[[Source, Setting, np.random.Generator], Cut], Ask]] = {
    "paper": (sampled, wide_queries),
    "selective": (sampled, narrow_queries(0.01)),
    "single": (sampled, narrow_queries(0.01, 1)),
    "clustered": (clustered, narrow_queries(0.1, 5)),
    "duplicates": (duplicates, narrow_queries(0.1, 5)),
    "sizes": (sizes, narrow_queries(0.1, 5)),
}
TIGHT = tuple(name for name in WORKLOADS if name != "paper")
