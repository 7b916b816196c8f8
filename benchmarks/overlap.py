"""How fast are the columns found that share the most values with mine?

    python benchmarks/overlap.py FOLDER [--queries N]

One process, one thread, one run; every system answers the same questions, which are columns of the lake picked by a
seed, given as strings.  Baselines: DuckDB (join, group, order) on strings; MergeList in NumPy, with Mere's dictionary;
MergeList compiled, over distinct posting lists (as the thesis has it, without collapsing equal sets).  Baselines have
the whole lake in one index; Mere has it in the segments it was built in, and, for comparison, in one.  Kernels, which
take microseconds, are timed three times and the best counts; everything else is timed once.

The last part leaves the lake: a million small sets, as in web tables, drawn from a power law.
"""

from __future__ import annotations

import argparse
import heapq
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numba import njit

import mere
from measuring import indexed_twice, report, timed
from mere.compiled import read_only
from mere.indexes import KINDS
from mere.indexes.overlap import josie, kernels
from mere.indexes.overlap.build import _grouped_lists, _set_side, arrays_of
from mere.indexes.overlap.costs import costs_for
from mere.indexes.overlap.records import Index, Lists, Owners, Wanted, scratch_for
from mere.indexes.sets.duplicate_sets import DistinctSets, first_duplicates
from mere.indexes.sets.question import Distinct
from mere.search.asking.ask import merged_search
from mere.segments import Segment
from mere.store import offsets_of, places_of

SIZES = {"10-1k": (10, 1_000), "1k-10k": (1_000, 10_000), "10k-100k": (10_000, 100_000)}
KS = (1, 10, 100)
Asked = tuple[np.ndarray, np.ndarray]  # groups, and the weight of each


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--queries", type=int, default=60, help="per range of sizes")
    arguments.add_argument("--seed", type=int, default=11)
    options = arguments.parse_args()
    with indexed_twice(options.folder) as (lake, whole):
        on_a_lake(lake, whole, options)
    on_web_tables(options.seed)


def on_a_lake(lake: mere.Lake, whole: mere.Lake, options: Any) -> None:
    [segment] = whole._opened.segments
    lake.warm()
    sizes_and_times(lake)
    systems = {
        "Mere": Ours(lake),
        "Mere, one segment": Ours(whole),
        "DuckDB": DuckDB(segment),
        "NumPy": NumPy(segment),
    }
    modes = Kernels(segment)
    for name, (low, high) in SIZES.items():
        queries = list(picked(segment, low, high, options.queries, options.seed))
        rows: list[tuple[str, str, str]] = []
        for k in KS:
            rows += compared(systems, queries, k)
            rows += modes.compared(queries, k)
        report(
            f"{name} values: {len(queries)} questions, {np.mean([len(q.hashes) for q in queries]):.0f} on average", rows
        )


def picked(segment: Segment, low: int, high: int, count: int, seed: int) -> Iterator[Distinct]:
    """Columns of text with so many values, the order of their cells shuffled by hash."""
    sizes, types = np.diff(segment.values["set.starts"]), segment.catalog["column.types"]
    columns = np.flatnonzero((sizes >= low) & (sizes < high) & (types == 1))
    for column in np.random.default_rng(seed).permutation(columns)[:count].tolist():
        ids, counts = segment.set_of(column), segment.counts_of(column)
        yield Distinct(segment.dictionary.values.take(ids), segment.dictionary.hashes[ids], counts, False)


def sizes_and_times(lake: mere.Lake) -> None:
    """What the index of this kind takes, per million cells and per million (column, value) pairs."""
    segments = lake._opened.segments
    took, _ = timed(lambda: [arrays_of(segment, {}) for segment in segments])
    cells = sum(segment.entry.cells for segment in segments) / 1e6
    held = sum(len(segment.values["set.ids"]) for segment in segments)
    kept = sum(segment.entry.files["overlap.idx"].bytes for segment in segments)
    parts = lake._asker.parts(KINDS["overlap"])
    entries, sets = (sum(len(part.arrays[n]) for part in parts) for n in ("list.sets", "set.sizes"))
    groups = sum(len(part.arrays["list.starts"]) - 1 for part in parts)
    rows = [
        ("columns, distinct sets", f"{sum(s.column_count for s in segments):,}, {sets:,}", ""),
        ("values, groups", f"{sum(len(s.dictionary) for s in segments):,}, {groups:,}", ""),
        ("postings, entries kept of them", f"{held:,}, {entries:,} ({entries / held:.1%})", ""),
        ("build per million cells", f"{took / cells:.3f} s, {kept / cells / 1e6:.2f} MB", ""),
        ("build per million postings", f"{took / held * 1e6:.3f} s, {kept / held:.2f} MB", ""),
    ]
    report("The index", rows)


def compared(systems: dict[str, Any], queries: list[Distinct], k: int) -> list[tuple[str, str, str]]:
    """Every system answers every question; the best overlaps must agree."""
    laps: dict[str, list[float]] = {name: [] for name in systems}
    for system in systems.values():  # one warm-up
        system.ask(system.prepared(queries[0]), k)
    for query in queries:
        answers = {}
        for name, system in systems.items():
            asked = system.prepared(query)
            took, answers[name] = timed(lambda s=system, a=asked: s.ask(a, k))
            laps[name].append(took * 1000)
        assert len({tuple(answer) for answer in answers.values()}) == 1, "the systems disagree"
    rows = [(f"k={k}: {name}", _spread(laps[name]), "") for name in systems]
    for ours in ("Mere", "Mere, one segment"):
        for name, target in (("DuckDB", ">= 20"), ("NumPy", ">= 3")):
            ratio = np.mean(laps[name]) / np.mean(laps[ours])
            rows.append((f"k={k}: {name} / {ours}", f"{ratio:.1f}", target))
    return rows


def _spread(laps: list[float]) -> str:
    return f"{np.mean(laps):.3f} ms, p50 {np.median(laps):.3f}, p99 {np.quantile(laps, 0.99):.3f}"


class Ours:
    """Mere, from strings to the overlaps of the best columns, names included; evidence is asked of no other system."""

    def __init__(self, lake: mere.Lake) -> None:
        self.kind, self.parts = KINDS["overlap"], lake._asker.parts(KINDS["overlap"])

    def prepared(self, query: Distinct) -> Any:
        return query

    def ask(self, query: Any, k: int) -> list[int]:
        probe = self.kind.plan({"values": query, "k": k, "per": "column", "numbers": True}, self.parts)
        return [int(hit.score) for hit, _ in merged_search(self.kind, self.parts, probe, k, "column").pairs]


class DuckDB:
    """(value, column) pairs in a table of its own, one thread."""

    def __init__(self, segment: Segment) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        starts, ids = segment.values["set.starts"], segment.values["set.ids"]
        pairs = pa.table(
            {
                "value": segment.dictionary.values.take(ids).to_arrow(),
                "number": np.repeat(np.arange(len(starts) - 1), np.diff(starts)),
            }
        )
        self.connection.register("given", pairs)
        self.connection.execute("CREATE TABLE pairs AS SELECT value, number FROM given ORDER BY value")

    def prepared(self, query: Distinct) -> Any:
        return pa.table({"value": query.values.to_arrow()})

    def ask(self, query: Any, k: int) -> list[int]:
        self.connection.register("query", query)
        sql = f"SELECT count(*) AS n FROM query JOIN pairs USING (value) GROUP BY number ORDER BY n DESC LIMIT {k}"
        return [row[0] for row in self.connection.execute(sql).fetchall()]


class NumPy:
    """MergeList over a plain inverted index; values are looked up in Mere's dictionary, compiled."""

    def __init__(self, segment: Segment) -> None:
        starts, ids = segment.values["set.starts"], segment.values["set.ids"]
        order = np.argsort(ids, kind="stable")
        self.columns = np.repeat(np.arange(len(starts) - 1, dtype=np.uint32), np.diff(starts))[order]
        self.starts = offsets_of(np.bincount(ids, minlength=len(segment.dictionary)))
        self.dictionary, self.count = segment.dictionary, len(starts) - 1

    def prepared(self, query: Distinct) -> Any:
        return query

    def ask(self, query: Any, k: int) -> list[int]:
        ids = self.dictionary.find(query.values, query.hashes)
        ids = ids[ids >= 0]
        lengths = self.starts[ids + 1] - self.starts[ids]
        overlaps = np.bincount(self.columns[places_of(self.starts[ids], lengths)], minlength=self.count)
        best = np.partition(overlaps, -k)[-k:]
        return np.sort(best[best > 0])[::-1].tolist()


class Kernels:
    """Only the reading, over one index of the whole lake, from groups to the best sets."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        sets, values = (segment.values["set.starts"], segment.values["set.ids"]), len(segment.dictionary)
        self.ours, self.theirs = Graph(*sets, values, collapse=True), Graph(*sets, values, collapse=False)

    def compared(self, queries: list[Distinct], k: int) -> list[tuple[str, str, str]]:
        modes: dict[str, Callable[..., Any]] = {
            "auto": _adapt,
            "merge": _merge,
            "probe": lambda *a: josie.best_sets(True, *a),
            "josie": lambda *a: josie.best_sets(False, *a),
        }
        laps: dict[str, list[float]] = {name: [] for name in [*modes, "MergeList"]}
        reads = {name: np.zeros(4) for name in modes}
        for number, query in enumerate([queries[0], *queries]):  # the first is a warm-up
            ids = self.segment.dictionary.find(query.values, query.hashes)
            asked = self.theirs.groups(ids)
            took, truth = best_of(lambda a=asked: self.theirs.plain_merge(a, k))
            if number:
                laps["MergeList"].append(took * 1000)
            for name, work in modes.items():
                asked = self.ours.groups(ids)
                took, answer = best_of(lambda w=work, a=asked: self.ours.best(w, a, k))
                assert np.sort(self.ours.overlaps(answer, k))[::-1].tolist() == truth[truth > 0].tolist(), (
                    "the modes disagree"
                )
                if number:
                    laps[name].append(took * 1000)
                    reads[name] += answer[2] / len(queries)
        rows = [(f"k={k}: kernel {name}", f"{np.mean(laps[name]):.4f} ms; {_read(reads[name])}", "") for name in modes]
        mean = np.mean(laps["MergeList"])
        rows.append((f"k={k}: kernel MergeList over distinct lists", f"{mean:.4f} ms", ""))
        rows.append((f"k={k}: MergeList / auto", f"{mean / np.mean(laps['auto']):.2f}", ">= 0.83; 10-1k: >= 1.3"))
        return rows


def best_of(work: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
    laps = [timed(work) for _ in range(times)]
    return min(lap for lap, _ in laps), laps[0][1]


def _read(reads: np.ndarray) -> str:
    return f"{reads[0]:,.0f} lists ({reads[1]:,.0f}), {reads[2]:,.0f} sets ({reads[3]:,.0f})"


class Graph:
    """Posting lists over any sets of integers, as the kernels take them; equal sets collapsed, or not."""

    def __init__(self, starts: np.ndarray, ids: np.ndarray, values: int, collapse: bool) -> None:
        columns = np.flatnonzero(np.diff(starts) > 0)
        first_of = first_duplicates(starts, ids, columns) if collapse else np.arange(len(columns))
        firsts = columns[first_of == np.arange(len(columns))]
        sizes = starts[firsts + 1] - starts[firsts]
        of_column = np.searchsorted(firsts, columns[first_of]).astype(np.uint32)
        sets = DistinctSets(of_column, offsets_of(sizes), ids[places_of(starts[firsts], sizes)])
        self.group_of_value, list_starts, members, group_sizes = _grouped_lists(sets, values)
        side = _set_side(len(firsts), list_starts, members, group_sizes)
        lists = (list_starts, members, side["list.after"], side["set.starts"], side["set.groups"])
        self.lists = Lists(*map(read_only, (*lists, sizes.astype(np.uint32))))
        self.owners = Owners(*map(read_only, sets.columns()))
        self.widths = np.diff(self.owners.starts)
        self.index = Index(self.lists, self.owners, costs_for(self.lists))

    def groups(self, ids: np.ndarray) -> Asked:
        """The query's groups, and how many values each stands for."""
        groups = self.group_of_value[ids[ids >= 0]]
        return np.unique(groups[groups != 0xFFFFFFFF], return_counts=True)

    def best(self, work: Callable[..., Any], asked: Asked, k: int, bound: int = 0) -> Any:
        """The sets, their overlaps, and what was read."""
        with scratch_for(self.lists, len(self.owners.numbers)) as scratch:
            scratch.weights[asked[0]] = asked[1]
            return *work(asked[0], self.index, Wanted(k, bound), scratch), scratch.reads.copy()

    def plain_merge(self, asked: Asked, k: int) -> np.ndarray:
        """The baseline: the largest k overlaps; only for sets that are not collapsed."""
        return _plain_merge(self.lists.starts, self.lists.sets, *asked, k, len(self.lists.set_sizes))

    def overlaps(self, answer: Any, k: int) -> np.ndarray:
        """One overlap per column, the largest k, in any order."""
        sets, overlaps, _ = answer
        return largest(np.repeat(overlaps, self.widths[sets]), k)


def largest(numbers: np.ndarray, k: int) -> np.ndarray:
    return numbers if len(numbers) <= k else np.partition(numbers, -k)[-k:]


def on_web_tables(seed: int, sets: int = 1_000_000, values: int = 2_000_000, parts: int = 8) -> None:
    """A million sets of about ten values; ours in segments, with the bound that runs from one to the next."""
    chance = np.random.default_rng(seed)
    sizes = np.minimum(1 + chance.geometric(0.1, sets), 200)
    drawn = (values ** chance.random(int(sizes.sum()))).astype(np.uint32)
    starts, ids = _as_sets(sizes, drawn)
    theirs = Graph(starts, ids, values, collapse=False)
    edges = pairwise(np.linspace(0, sets, parts + 1).astype(int).tolist())
    ours = [Graph(starts[a : b + 1] - starts[a], ids[starts[a] : starts[b]], values, collapse=True) for a, b in edges]
    rows = []
    for low, high in ((10, 50), (50, 200)):
        wide = np.flatnonzero((np.diff(starts) >= low) & (np.diff(starts) < high))
        chosen = chance.permutation(wide)[:100]
        for k in KS:
            laps: dict[str, list[float]] = {"merge": [], "auto": []}
            for number, which in enumerate([chosen[0], *chosen]):  # the first is a warm-up
                query = ids[starts[which] : starts[which + 1]].astype(np.int64)
                asked, one = [graph.groups(query) for graph in ours], theirs.groups(query)
                took, mine = best_of(lambda a=asked, k=k: _over_segments(ours, a, k))
                other, answer = best_of(lambda a=one, k=k: theirs.plain_merge(a, k))
                assert mine == answer[answer > 0].tolist()
                if number:
                    laps["auto"].append(took * 1000)
                    laps["merge"].append(other * 1000)
            merge, auto = np.mean(laps["merge"]), np.mean(laps["auto"])
            rows.append((f"{low}-{high} values, k={k}: MergeList, Mere", f"{merge:.3f}, {auto:.3f} ms", ""))
            rows.append((f"{low}-{high} values, k={k}: MergeList / Mere", f"{merge / auto:.2f}", ">= 2"))
    report(f"Web tables: {sets:,} sets, {len(ids):,} postings, {parts} segments", rows)


def _as_sets(sizes: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    owners = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes) << np.uint64(32)
    pairs = np.unique(owners | drawn)
    counts = np.bincount((pairs >> np.uint64(32)).astype(np.int64), minlength=len(sizes))
    return offsets_of(counts), pairs.astype(np.uint32)


def _merge(*arguments: Any) -> Any:
    return kernels.best_sets(False, *arguments)


@njit(nogil=True)
def _plain_merge(starts: Any, sets: Any, groups: Any, weights: Any, k: int, size: int) -> Any:
    """MergeList as one would write it: fresh counters, every list, a heap of the best k."""
    counts = np.zeros(size, np.uint32)
    for i in range(len(groups)):
        for place in range(starts[groups[i]], starts[groups[i] + 1]):
            counts[sets[place]] += weights[i]
    heap = [np.uint32(0)] * k
    for count in counts:
        if count > heap[0]:
            heapq.heapreplace(heap, count)
    return np.sort(np.array(heap))[::-1]


def _adapt(*arguments: Any) -> Any:
    return kernels.best_sets(True, *arguments)


def _over_segments(graphs: list[Graph], asked: list[Any], k: int) -> list[int]:
    best = np.zeros(0, np.uint32)
    for graph, one in zip(graphs, asked, strict=True):
        bound = int(best.min()) if len(best) >= k else 0
        best = largest(np.concatenate([best, graph.overlaps(graph.best(_adapt, one, k, bound), k)]), k)
    return np.sort(best)[::-1].tolist()


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - started:.0f} s")
