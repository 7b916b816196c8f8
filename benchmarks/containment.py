"""How well, and how fast, are the columns found that hold at least this share of mine?

    python benchmarks/containment.py FOLDER [--queries N]

One process, one run.  Against datasketch's MinHashLSHEnsemble (as many hashes, the same partitions, given the values'
hashes, so that it need not hash them): time to index, time to ask, precision and recall of the candidates before they
are verified.  And against the baselines of section 2.5.3: one partition, asymmetric MinHash (Shrivastava
and Li), and the exact prefix filter.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from datasketch import MinHash, MinHashLSHEnsemble
from datasketch import lshensemble as theirs

import mere
from measuring import indexed_twice, report, timed
from mere.compiled import read_only
from mere.indexes import KINDS
from mere.indexes.containment import build, search
from mere.indexes.containment.kernels import walk
from mere.indexes.containment.minhash import signatures
from mere.indexes.containment.plan import containment_probe
from mere.indexes.containment.records import HASHES, Forest
from mere.indexes.containment.tuning import CLASSES, best_shapes, shapes_for
from mere.indexes.inputs import Column, Distinct
from mere.indexes.overlap.search import best_sets as exact_sets
from mere.indexes.sets.duplicate_sets import DistinctSets, distinct_sets
from mere.indexes.sets.eligible_columns import eligible_columns
from mere.segments import Segment

THRESHOLDS = (0.3, 0.5, 0.7, 0.9, 1.0)
Found = set[int]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--queries", type=int, default=150)
    arguments.add_argument("--seed", type=int, default=23)
    options = arguments.parse_args()
    with indexed_twice(options.folder) as (lake, whole):
        compare(lake, whole, options)


def compare(lake: mere.Lake, whole: mere.Lake, options: Any) -> None:
    """The systems see the distinct sets of the whole lake, as one collection; Mere is asked as it is built."""
    [segment] = whole._opened.segments
    lake.warm()
    sets = distinct_sets(segment, numbers=True)
    hashes = segment.dictionary.hashes[sets.ids]
    chosen = picked(sets.sizes, options.queries, options.seed)
    queries = [as_question(segment, sets, which) for which in chosen.tolist()]
    print(f"{segment.column_count:,} columns, {len(sets.sizes):,} distinct sets, {len(hashes):,} values in them")
    signing, signed = timed(lambda: signatures(hashes, sets.starts))
    systems: dict[str, Any] = {}
    rows = []
    systems["Mere"] = Ours(whole)
    mine = timed(lambda: build.arrays_of(segment, {}))[0]
    rows.append(("Mere: build, signatures included", f"{mine:.2f} s, of which signing {signing:.2f} s", ""))
    rows += per_million(lake)
    systems["datasketch"] = Datasketch(hashes, sets)
    library = systems["datasketch"]
    parts = f"{library.built:.2f} s, of which signing {library.signing:.2f} s"
    rows.append(("datasketch: build, signatures included", parts, ""))
    rows.append(("ratio: datasketch / Mere", f"{library.built / mine:.1f}", ">= 25"))
    systems["one partition"] = Banded(signed, sets.sizes, np.array([int(sets.sizes.max())]))
    systems["asymmetric"] = Asymmetric(signed, sets.sizes, options.seed)
    report("Building", rows)
    for threshold in THRESHOLDS:
        quality(threshold, queries, systems, PrefixFilter(whole))
    exact_or_not(lake, queries)


def picked(sizes: np.ndarray, count: int, seed: int) -> np.ndarray:
    """As many from 10-100, 100-1k and 1k-100k values."""
    chance = np.random.default_rng(seed)
    ranges = [(10, 100), (100, 1_000), (1_000, 100_000)]
    return np.concatenate(
        [chance.permutation(np.flatnonzero((sizes >= a) & (sizes < b)))[: count // 3] for a, b in ranges]
    )


def as_question(segment: Segment, sets: DistinctSets, which: int) -> Distinct:
    ids = sets.ids[sets.starts[which] : sets.starts[which + 1]]
    values, hashes = segment.dictionary.values.take(ids), segment.dictionary.hashes[ids]
    return Distinct(values, hashes, np.ones(len(ids), np.int64), True)


def per_million(lake: mere.Lake) -> list[tuple[str, str, str]]:
    segments = lake._opened.segments
    cells = sum(segment.entry.cells for segment in segments) / 1e6
    kept = sum(segment.entry.files["containment.idx"].bytes for segment in segments)
    took, _ = timed(lambda: [build.arrays_of(segment, {}) for segment in segments])
    return [("Mere: per million cells", f"{took / cells:.3f} s, {kept / cells / 1e6:.2f} MB", "")]


def quality(threshold: float, queries: list[Distinct], systems: dict[str, Any], exact: PrefixFilter) -> None:
    known = {name: system for name, system in systems.items() if system.knows(threshold)}
    laps: dict[str, list[float]] = {name: [] for name in [*known, "prefix filter"]}
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in known}
    for number, query in enumerate([queries[0], *queries]):  # the first is a warm-up
        took, truth = timed(lambda q=query: exact.ask(q, threshold))
        if number:
            laps["prefix filter"].append(took * 1000)
        for name, system in known.items():
            asked = system.prepared(query)
            took, found = timed(lambda s=system, a=asked: s.ask(a, threshold))
            if number:
                laps[name].append(took * 1000)
                right = len(found & truth)
                scores[name].append((right / len(found) if found else 1.0, right / len(truth)))
    means = {name: np.mean(scores[name], axis=0) for name in known}
    rows = [
        (name, f"precision {means[name][0]:.3f}, recall {means[name][1]:.3f}, {_spread(laps[name])}", "")
        for name in known
    ]
    rows.append(("prefix filter (exact)", _spread(laps["prefix filter"]), ""))
    if "datasketch" in known:
        ratio = np.mean(laps["datasketch"]) / np.mean(laps["Mere"])
        precision, recall = 100 * (means["Mere"] - means["datasketch"])
        rows.append(("ratio of times: datasketch / Mere", f"{ratio:.1f}", ">= 4"))
        gain = f"precision {precision:+.1f}, recall {recall:+.1f} points"
        rows.append(("Mere against datasketch", gain, "+4, and -1.5 at most" if threshold == 0.5 else ""))
    report(f"At least {threshold:.0%}: {len(queries)} questions; candidates, signature of the query given", rows)


def _spread(laps: list[float]) -> str:
    return f"{np.mean(laps):.3f} ms, p99 {np.quantile(laps, 0.99):.3f}"


class Ours:
    """The kind itself, one segment, up to the candidates."""

    def __init__(self, lake: mere.Lake) -> None:
        [self.part] = lake._asker.parts(KINDS["containment"])

    def knows(self, threshold: float) -> bool:
        return True

    def prepared(self, question: Distinct) -> Any:
        return containment_probe({"values": question, "numbers": True, "threshold": 0.5, "k": 0}, [self.part])

    def ask(self, probe: Any, threshold: float) -> Found:
        shapes = shapes_for(best_shapes(), CLASSES, len(probe["hashes"]), threshold)
        probe = {**probe, "bands": shapes[:, 0].copy(), "rows": shapes[:, 1].copy(), "threshold": threshold}
        return set(search.candidates(self.part, probe, eligible_columns(self.part, probe))[0].tolist())


class Banded:
    """LSH Ensemble with other partitions, and nothing but the bands."""

    def __init__(self, signed: np.ndarray, sizes: np.ndarray, bounds: np.ndarray) -> None:
        self.bounds = bounds
        self.partitions = read_only(np.searchsorted(self.bounds, sizes).astype(np.uint16))
        trees = np.array([build._tree(signed, i) for i in range(HASHES)], np.uint32)
        keys = (signed[trees, np.arange(HASHES)[:, None]] >> np.uint32(16)).astype(np.uint16)
        self.forest = Forest(read_only(signed), read_only(keys), read_only(trees))

    def knows(self, threshold: float) -> bool:
        return True

    def prepared(self, question: Distinct) -> Any:
        size = len(question.hashes)
        return signatures(question.hashes, np.array([0, size]))[0], size

    def ask(self, asked: Any, threshold: float) -> Found:
        signature, size = asked
        shapes = shapes_for(best_shapes(), self.bounds, size, threshold)
        return set(walk(read_only(signature), self.forest, self.partitions, read_only(shapes))[0].tolist())


class Asymmetric(Banded):
    """Every set is padded with values of its own up to the size of the largest, and there is one partition.

    The smallest hash of n fresh values is drawn from its distribution instead of being found: 1 - (1 - u)^(1/n).
    """

    def __init__(self, signed: np.ndarray, sizes: np.ndarray, seed: int) -> None:
        largest = int(sizes.max())
        chance = np.random.default_rng(seed).random(signed.shape)
        missing = np.maximum(largest - sizes, 1)[:, None]
        padded = -np.expm1(np.log1p(-chance) / missing) < _as_share(signed)
        padded &= (sizes < largest)[:, None]
        fresh = np.random.default_rng(seed + 1).integers(0, 1 << 32, signed.shape, np.uint32)
        super().__init__(np.where(padded, fresh, signed), np.full(len(sizes), largest), np.array([largest]))


def _as_share(signed: np.ndarray) -> np.ndarray:
    """Signatures as numbers between 0 and 1, in the order of the hashes they stand for: `scatter` undone."""
    x = signed ^ (signed >> np.uint32(16))
    x = x * np.uint32(0x7ED1B41D)
    x = x ^ (x >> np.uint32(13)) ^ (x >> np.uint32(26))
    x = x * np.uint32(0xA5CB9243)
    x = x ^ (x >> np.uint32(16))
    return x / 2.0**32


class Datasketch:
    """The library, with the same number of hashes, and Mere's partitions handed to it; one index per threshold."""

    def __init__(self, hashes: np.ndarray, sets: DistinctSets) -> None:
        edges = list(pairwise(sets.starts.tolist()))
        self.signing, signed = timed(lambda: [self._sign(hashes[a:b]) for a, b in edges])
        entries = [
            (which, signature, b - a) for which, (signature, (a, b)) in enumerate(zip(signed, edges, strict=True))
        ]
        bounds = CLASSES[: 1 + np.searchsorted(CLASSES, sets.sizes.max())].tolist()
        parts = list(zip([0, *bounds[:-1]], bounds, strict=True))
        with patch.object(theirs, "optimal_partitions", lambda sizes, counts, number: parts):
            self.index = {t: timed(lambda t=t: self._index(t, entries, len(parts))) for t in (0.5, 0.9)}
        self.built = self.signing + self.index[0.5][0]

    @staticmethod
    def _index(threshold: float, entries: list[Any], parts: int) -> MinHashLSHEnsemble:
        ensemble = MinHashLSHEnsemble(threshold=threshold, num_perm=HASHES, num_part=parts)
        ensemble.index(entries)
        return ensemble

    @staticmethod
    def _sign(values: np.ndarray) -> MinHash:
        signature = MinHash(num_perm=HASHES, hashfunc=lambda value: value)
        signature.update_batch((values >> np.uint64(32)).tolist())
        return signature

    def knows(self, threshold: float) -> bool:
        return threshold in self.index

    def prepared(self, question: Distinct) -> Any:
        return self._sign(question.hashes), len(question.hashes)

    def ask(self, asked: Any, threshold: float) -> Found:
        return set(self.index[threshold][1].query(*asked))


class PrefixFilter:
    """The exact engine of Mere's overlap, with a threshold: posting lists of a prefix, then the candidates."""

    def __init__(self, lake: mere.Lake) -> None:
        [self.part] = lake._asker.parts(KINDS["overlap"])

    def ask(self, question: Distinct, threshold: float) -> Found:
        probe = KINDS["overlap"].plan(
            {"values": question, "numbers": True, "threshold": threshold, "k": 0}, [self.part]
        )
        sets, _ = exact_sets(self.part, eligible_columns(self.part, probe), probe, probe["at_least"])
        return set(sets.tolist())


def exact_or_not(lake: mere.Lake, queries: list[Distinct]) -> None:
    """The whole way, strings in, evidence out, on the segments the lake was built in."""
    rows = []
    for exact in (True, False):
        laps, hits = [], 0
        for number, query in enumerate([queries[0], *queries]):
            column = Column(query)
            took, answer = timed(lambda c=column, e=exact: lake.containment(c, 0.5, numbers=True, exact=e))
            if number:
                laps.append(took * 1000)
                hits += len(answer)
        rows.append((f"exact={exact}", f"{_spread(laps)}; {hits:,} tables", ""))
    report("Lake.containment(values, 0.5), with evidence", rows)


if __name__ == "__main__":
    main()
