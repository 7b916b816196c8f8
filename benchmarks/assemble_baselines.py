"""What do other ways to choose a bundle find?  Baselines, in NumPy and DuckDB, that share no code with Mere.

Exact-Greedy is Algorithm 1 of the paper on the 64-bit hashes of rows; the others choose by something cheaper or less
exact, and are then judged by the exact count of what they chose.

    relevance     tables whose values are most like the base's, until the budget is spent
    price only    the cheapest first
    all rows      a table adds all of its rows, whatever the queries (|d|)
    single query  a table adds what each query returns, summed: rows of several queries or tables count several times
    new rows      as before, without rows that chosen tables have (incremental update); rows of several queries still do
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from assemble_workloads import Query, Source, Typed, Workload

_ODD = np.uint64(0x9E3779B97F4A7C15)


def row_ids(table: Typed) -> np.ndarray:
    """A 64-bit hash per row: the sum of one mixed term per cell."""
    total = np.zeros(len(next(iter(table.values()))), np.uint64)
    for values, salt in zip(table.values(), _mixed(np.arange(1, len(table) + 1, dtype=np.uint64)), strict=True):
        total += _mixed(_bits(values) + salt)
    return _mixed(total)


def _bits(values: np.ndarray) -> np.ndarray:
    if values.dtype == np.float64:
        return (values + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    return values.astype(np.int64).view(np.uint64)


def _mixed(words: np.ndarray) -> np.ndarray:
    words = words * _ODD
    words ^= words >> np.uint64(29)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(32)
    return words * np.uint64(0x94D049BB133111EB) ^ (words >> np.uint64(31))


@dataclass(frozen=True, eq=False)
class Sets:
    """Which rows meet the queries: for the base and each candidate, the numbers of its distinct rows."""

    members: list[np.ndarray]
    size: int  # how many distinct rows there are in all
    queries_met: np.ndarray  # by how many queries each row is returned

    def distinct(self, chosen: Sequence[int]) -> int:
        """How many distinct rows the base and the chosen candidates have."""
        return int(np.count_nonzero(self.covered(chosen)))

    def covered(self, chosen: Sequence[int]) -> np.ndarray:
        covered = np.zeros(self.size, bool)
        for table in (0, *(number + 1 for number in chosen)):
            covered[self.members[table]] = True
        return covered


def exact_sets(tables: Sequence[Typed], queries: Sequence[Query], ids: Sequence[np.ndarray] | None = None) -> Sets:
    """Evaluate the queries on every row; `ids` if the hashes of the rows are known."""
    hashes, met = [], []
    for number, table in enumerate(tables):
        times = np.zeros(len(next(iter(table.values()))), np.uint16)
        for query in queries:
            times += query.rows(table)
        kept = np.flatnonzero(times)
        all_ids = row_ids(table) if ids is None else ids[number]
        hashes.append(all_ids[kept])
        met.append(times[kept])
    universe, places = np.unique(np.concatenate(hashes), return_inverse=True)
    queries_met = np.zeros(len(universe), np.int64)
    queries_met[places] = np.concatenate(met)
    members, marked = [], np.zeros(len(universe), bool)
    for part in np.split(places, np.cumsum([len(part) for part in hashes])[:-1]):
        marked[part] = True
        members.append(np.flatnonzero(marked))
        marked[part] = False
    return Sets(members, len(universe), queries_met)


def exact_greedy(sets: Sets, prices: np.ndarray, budget: float) -> list[int]:
    """Algorithm 1: most new rows for the price, or the best single table if that has more."""
    chosen = _greedy(sets, prices, budget, np.ones(sets.size, np.int64))
    affordable = np.flatnonzero(prices <= budget).tolist()
    best = max(affordable, key=lambda number: sets.distinct([number]), default=None)
    return [best] if best is not None and sets.distinct([best]) > sets.distinct(chosen) else chosen


def _greedy(sets: Sets, prices: np.ndarray, budget: float, weights: np.ndarray) -> list[int]:
    covered, left, chosen = sets.covered([]), set(range(len(prices))), []
    while left:
        gains = {number: int(_new_weight(sets.members[number + 1], covered, weights)) for number in left}
        best = max(sorted(left), key=lambda number: gains[number] / prices[number])
        left.remove(best)
        if gains[best] and prices[best] <= budget:
            chosen.append(best)
            budget -= prices[best]
            covered[sets.members[best + 1]] = True
    return chosen


def _new_weight(members: np.ndarray, covered: np.ndarray, weights: np.ndarray) -> int:
    return weights[members[~covered[members]]].sum()


def in_order(scores: np.ndarray, prices: np.ndarray, budget: float) -> list[int]:
    """The candidates with the highest scores that the budget still pays for."""
    chosen = []
    for number in np.argsort(-scores, kind="stable").tolist():
        if prices[number] <= budget:
            chosen.append(number)
            budget -= prices[number]
    return chosen


def relevance(workload: Workload) -> np.ndarray:
    """How alike each candidate and the base are: the Jaccard similarity of their values, the mean of all columns."""
    base, *others = workload.tables
    scores = np.zeros(len(others))
    for name in base:
        own = np.unique(base[name])
        for number, other in enumerate(others):
            values = np.unique(other[name])
            both = len(np.intersect1d(own, values, assume_unique=True))
            scores[number] += both / max(1, len(own) + len(values) - both) / len(base)
    return scores


def rows_of_single_queries(workload: Workload) -> np.ndarray:
    return np.array([sum(query.rows(table).sum() for query in workload.queries) for table in workload.tables[1:]])


def policies(workload: Workload, sets: Sets | None = None) -> dict[str, Callable[[], list[int]]]:
    """How each baseline chooses; `sets` if the rows were counted before."""
    prices, budget = workload.prices, workload.budget
    rows = np.array([len(candidate) for candidate in workload.candidates])

    def new_rows() -> list[int]:
        counted = sets or exact_sets(workload.tables, workload.queries)
        return _greedy(counted, prices, budget, counted.queries_met)

    return {
        "relevance": lambda: in_order(relevance(workload), prices, budget),
        "price only": lambda: in_order(-prices, prices, budget),
        "all rows": lambda: in_order(rows / prices, prices, budget),
        "single query": lambda: in_order(rows_of_single_queries(workload) / prices, prices, budget),
        "new rows": new_rows,
    }


def duckdb_count(workload: Workload, chosen: Sequence[int], runs: int = 1) -> tuple[float, int]:
    """The seconds of the fastest run, and how many distinct rows the base and the chosen have, by a UNION in SQL."""
    condition = " OR ".join(f"({text})" for text in workload.texts)
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        numbers = [0, *(number + 1 for number in chosen)]
        for number in numbers:
            connection.register(f"arrow_{number}", arrow_table(workload.source, workload.tables[number]))
            connection.execute(f"CREATE TABLE t{number} AS SELECT * FROM arrow_{number}")
        union = " UNION ".join(f"SELECT * FROM t{number} WHERE {condition}" for number in numbers)
        seconds, count = [], 0
        for _ in range(runs):
            started = time.perf_counter()
            [(count,)] = connection.execute(f"SELECT count(*) FROM ({union})").fetchall()
            seconds.append(time.perf_counter() - started)
        return min(seconds), count


def arrow_table(source: Source, table: Typed) -> pa.Table:
    columns = {}
    for name, values in table.items():
        if name in source.words:
            indices = pa.array(values, pa.int32(), mask=values < 0)
            columns[source.title(name)] = pa.DictionaryArray.from_arrays(
                indices, source.words[name]
            ).dictionary_decode()
        elif name in source.dates:
            seconds = pa.array(np.nan_to_num(values).astype(np.int64), pa.int64(), mask=np.isnan(values))
            columns[source.title(name)] = seconds.cast(pa.timestamp("s"))
        else:
            columns[source.title(name)] = pa.array(values, pa.float64(), mask=np.isnan(values))
    return pa.table(columns)
