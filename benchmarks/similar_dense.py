"""How fast are the values found whose dense vectors are close to those of a column?

    OPENBLAS_NUM_THREADS=1 python benchmarks/similar_dense.py LAKE VECTORS.npy ... [--normal DISTANCE ...] [--queries N]

The values are those of the text columns in the largest segment of a lake, without repetition, in the order of their
ids; each file has a vector for each of them.  Queries are columns of the segment.  One process, one thread, CPU
seconds, one warm-up.  The baseline is a product of float32 matrices in tiles, comparison, and counting the sets of
matching pairs in NumPy; FAISS (IndexFlatL2) and scikit-learn (BallTree, for a few vectors), where they are installed,
only have to find the pairs.  FAISS is asked with the same columns, twice: with its defaults, which use matrix products
only for columns of at least 128,000 numbers (version 1.15), and with products always, which is several times as fast.
The PEXESO paper's engine, with its inverted index and without (PEXESO-H), is timed with a few columns.
Every count is needed (no set is refused early), unless a share is given.  The baseline and the engines must agree.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mere
from measuring import report
from mere import compiled
from mere.compiled import read_only
from mere.indexes.sets.duplicate_sets import DistinctSets, distinct_sets
from mere.indexes.similar import dense, pexeso
from mere.indexes.similar.records import TOLERANCE, Lists, Vectors, Wanted, dense_vectors
from mere.store import offsets_of, places_of

LIMITS = (0.04, 0.08, 0.12, 0.16)  # 2, 4, 6 and 8 % of the largest distance
TILE = 1 << 19  # products that the baseline computes together
DOUBT = 1e-5  # products closer to the bound than this are decided in float64
SAMPLE = 20_000  # vectors from which the axes are learnt
PAPER = 3  # columns that the paper's engine is timed with
FEW = 40  # vectors of the queries that BallTree is timed with: it takes one after another

FAISS, FAISS_PRODUCTS = "FAISS flat", "FAISS flat, products"


class Search(NamedTuple):
    """How a library finds the vectors within a distance."""

    find: Callable[[np.ndarray, float], object]
    few: bool  # timed with a few vectors only


class Collection(NamedTuple):
    """The vectors of a segment's values, as an index, and the sets they are in."""

    vectors: Vectors
    arrays: dict[str, np.ndarray]
    lists: Lists
    sets: int
    paper: pexeso.Index


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("lake", type=Path)
    arguments.add_argument("vectors", type=Path, nargs="+")
    arguments.add_argument("--normal", type=float, nargs="*", default=[], help="usual distance of each file's embedder")
    arguments.add_argument("--limits", type=float, nargs="*", default=LIMITS)
    arguments.add_argument("--queries", type=int, default=15)
    arguments.add_argument("--share", type=float, default=0.0, help="share of a query's values that a set must match")
    arguments.add_argument("--seed", type=int, default=23)
    options = arguments.parse_args()
    with mere.open(options.lake) as lake:
        all_sets = [distinct_sets(segment, numbers=False) for segment in lake._opened.segments]
        sets = max(all_sets, key=lambda sets: len(np.unique(sets.ids)))
        for number, path in enumerate(options.vectors):
            compare(path, sets, (*options.limits, *options.normal[number : number + 1]), options)


def compare(path: Path, sets: DistinctSets, limits: tuple[float, ...], options: Any) -> None:
    """All systems on the vectors of one file."""
    collection, rows = collected(path, sets, options.seed)
    ids, places = np.unique(sets.ids, return_inverse=True)
    fitting = np.flatnonzero((sets.sizes >= 10) & (sets.sizes <= 1_000))
    chosen = np.random.default_rng(options.seed).permutation(fitting)[: options.queries]
    columns = [places[sets.starts[which] : sets.starts[which + 1]] for which in chosen.tolist()]
    queries = [collection.vectors._replace(dense=collection.vectors.dense[column]) for column in columns]
    queries = [query for query in queries if query.dense.any()]
    report(f"{path.name}: {len(ids):,} values, {collection.sets:,} sets", rows)
    libraries = range_searches(collection.arrays["dense.vectors"])
    for limit in limits:
        measure(collection, queries, limit, options.share, libraries)


def collected(path: Path, sets: DistinctSets, seed: int) -> tuple[Collection, list[tuple[str, str, str]]]:
    """The vectors of a file as an index; and how long that took."""
    vectors = dense_vectors(np.load(path, mmap_mode="r"))
    sample = np.random.default_rng(seed).permutation(len(vectors.dense))[:SAMPLE]
    learning, axes = spent(lambda: dense.principal_axes(vectors.dense[sample]))
    building, arrays = spent(lambda: dense.arrays_of(vectors, axes))
    arrays = {name: read_only(array) for name, array in arrays.items()}
    _, places = np.unique(sets.ids, return_inverse=True)
    owners = np.repeat(np.arange(len(sets.sizes), dtype=np.uint32), sets.sizes)
    counts = np.bincount(places, minlength=len(vectors.dense))
    lists = Lists(offsets_of(counts), owners[np.argsort(places, kind="stable")])
    compiled.warm([dense.trial(arrays, lists)])
    stored = arrays["dense.vectors"]
    extra = sum(array.nbytes for array in arrays.values()) - stored.nbytes
    rows = [
        ("vectors other than zeros", f"{len(stored):,} of {stored.shape[1]} dimensions", ""),
        ("learning the axes", f"{learning:.2f} s", ""),
        ("building", f"{building:.2f} s", ""),
        ("kept beside the vectors", f"{extra / max(len(stored), 1):.0f} bytes each", ""),
    ]
    preparing, paper = spent(lambda: pexeso.prepared(vectors, lists))
    rows.append(("building the paper's index", f"{preparing:.2f} s", ""))
    return Collection(vectors, arrays, lists, len(sets.sizes), paper), rows


def measure(
    collection: Collection, queries: list[Vectors], limit: float, share: float, libraries: dict[str, Search]
) -> None:
    """Microseconds for a vector of the query, and ratios to the baseline."""
    seconds = {"blocked product": 0.0, "blocks": 0.0, "product": 0.0, "auto": 0.0}
    differing, total = 0, sum(int(query.dense.any(axis=1).sum()) for query in queries)
    for number, query in enumerate([queries[0], *queries]):
        size = int(query.dense.any(axis=1).sum())
        wanted = Wanted(limit, max(math.ceil(share * size - 1e-9), 1), np.ones(collection.sets, bool))
        took, right = spent(lambda query=query: by_product(collection, query, limit))
        seconds["blocked product"] += took * (number > 0)
        for engine in ("blocks", "product", "auto"):
            took, counts = spent(lambda q=query, w=wanted, e=engine: counted(collection, q, w, e))
            seconds[engine] += took * (number > 0)
            differing += int(np.count_nonzero((counts != right) & (np.maximum(counts, right) >= wanted.need)))
    each = {name: took / total for name, took in seconds.items()}
    columns = [query.dense[query.dense.any(axis=1)] for query in queries]
    each |= {name: of_library(search, columns, limit) for name, search in libraries.items()}
    papers = {name: of_paper(collection, queries[:PAPER], (limit, share), name) for name in ("pexeso", "pexeso-h")}
    each |= {name: took for name, (took, _) in papers.items()}
    base, dimensions = each["blocked product"], columns[0].shape[1]
    rows = [(name, f"{took * 1e6:,.0f} us, {base / took:.2f}x", "") for name, took in each.items()]
    rows.append(("ratio: blocked product / auto", f"{base / each['auto']:.1f}", target(dimensions, limit)))
    for name in sorted(each.keys() & {FAISS, FAISS_PRODUCTS}):
        faiss_target = ">= 50" if (dimensions, limit) == (50, 0.12) else ""
        rows.append((f"ratio: {name} / auto", f"{each[name] / each['auto']:.1f}", faiss_target))
    for name, (_, distances) in papers.items():
        rows.append((f"share of all distances that {name} computes", f"{distances:.3f}", ""))
    rows.append(("counts that differ from the baseline", f"{differing}", "0"))
    report(f"Distance {limit:g}: {len(queries)} queries with {total:,} vectors; for each vector", rows)


def of_paper(
    collection: Collection, queries: list[Vectors], thresholds: tuple[float, float], mode: str
) -> tuple[float, float]:
    """Seconds for a vector of the queries, and the share of all distances that are computed."""
    seconds, distances, total = 0.0, 0, 0
    for query in queries:
        size = int(query.dense.any(axis=1).sum())
        need = max(math.ceil(thresholds[1] * size - 1e-9), 1)
        wanted = Wanted(thresholds[0], need, np.ones(collection.sets, bool))
        took, (_, counters) = spent(
            lambda q=query, w=wanted: pexeso.counted(collection.paper, q, w, inverted=mode == "pexeso")
        )
        seconds, distances, total = seconds + took, distances + counters.distances, total + size
    return seconds / total, distances / total / max(1, len(collection.paper.order))


def of_library(search: Search, columns: list[np.ndarray], limit: float) -> float:
    """Seconds for a vector of the queries."""
    if search.few:
        vectors = np.concatenate(columns)
        columns = [vectors[np.linspace(0, len(vectors) - 1, min(FEW, len(vectors))).astype(np.int64)]]
    search.find(columns[0][:1], limit)
    took, _ = spent(lambda: [search.find(column, limit) for column in columns])
    return took / sum(map(len, columns))


def target(dimensions: int, limit: float) -> str:
    return {(50, 0.12): ">= 15", (256, 0.12): ">= 5"}.get((dimensions, limit), ">= 0.9")


def counted(collection: Collection, query: Vectors, wanted: Wanted, engine: str) -> np.ndarray:
    return dense.counted(collection.arrays, collection.lists, query, wanted, dense.Options(engine))


def by_product(collection: Collection, query: Vectors, limit: float) -> np.ndarray:
    """The baseline: how many vectors of the query match a value of each set."""
    mine = query.dense[query.dense.any(axis=1)]
    theirs, order = collection.arrays["dense.vectors"], collection.arrays["dense.order"].astype(np.int64)
    lists, seen = collection.lists, np.zeros((collection.sets, len(mine)), bool)
    width, bound = max(TILE // len(mine), 1), 1 - limit * limit / 2
    room, least = np.empty((width, len(mine)), np.float32), np.float32(bound - DOUBT)
    for begin in range(0, len(theirs), width):
        tile = theirs[begin : begin + width]
        products = np.matmul(tile, mine.T, out=room[: len(tile)])
        row, column = np.divmod(np.flatnonzero(products >= least), len(mine))
        doubtful = np.flatnonzero(products[row, column] <= bound + DOUBT)
        gaps = tile[row[doubtful]].astype(np.float64) - mine[column[doubtful]]
        kept = np.ones(len(row), bool)
        kept[doubtful] = np.sqrt((gaps * gaps).sum(axis=1)) <= limit + TOLERANCE
        places, column = order[begin + row[kept]], column[kept]
        lengths = lists.starts[places + 1] - lists.starts[places]
        seen[lists.sets[places_of(lists.starts[places], lengths)], np.repeat(column, lengths)] = True
    return np.count_nonzero(seen, axis=1)


def range_searches(vectors: np.ndarray) -> dict[str, Search]:
    """The libraries that are installed: each finds the vectors within a distance."""
    searches: dict[str, Search] = {}
    if find_spec("faiss"):
        import faiss

        faiss.omp_set_num_threads(1)
        flat = faiss.IndexFlatL2(vectors.shape[1])
        flat.add(np.ascontiguousarray(vectors))

        def find(query: np.ndarray, limit: float, products_from: int) -> object:
            faiss.cvar.distance_compute_blas_threshold = products_from
            return flat.range_search(query, limit * limit)

        searches[FAISS] = Search(partial(find, products_from=faiss.cvar.distance_compute_blas_threshold), few=False)
        searches[FAISS_PRODUCTS] = Search(partial(find, products_from=1), few=False)
    if find_spec("sklearn"):
        from sklearn.neighbors import BallTree

        searches["BallTree"] = Search(BallTree(vectors).query_radius, few=True)
    return searches


def spent(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, which other programs on the machine do not prolong, and the result."""
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


if __name__ == "__main__":
    main()
