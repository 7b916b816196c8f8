"""Does the join graph keep what matters, and is the first join path the right one?

    python benchmarks/join_graph.py LAKE --keys dev_join_fk.csv [--pairs 60]

LAKE is an index; --keys lists declared foreign keys (left_path, left_names, right_path, right_names, arity, ...).

Graph: all pairs of columns, numbers included, of which one has 80 % of the other's values; and what is left by
default.  Declared keys that are among all pairs should be among the rest.

Paths: two tables that declared keys connect over one other table, chosen by a fixed seed.  Right is a path whose steps
all join columns that declared keys connect: directly, or because both refer to the same key.  The baseline is the
shortest path over all links, of equally short ones that with the most shared values; `Lake.paths` has the same limits
(50 % of the smaller column, 5 values, 3 joins).
"""

from __future__ import annotations

import argparse
import csv
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import mere
from measuring import report
from mere.pipeline.engine import Inline
from mere.search.links.quality import UNITS
from mere.search.paths.best_paths import best_paths
from mere.search.paths.link import Link, Links
from mere.search.paths.reading import GraphFile, read_graph

Key = frozenset[tuple[str, str]]  # both ends of a link: table and column
LEAST, THRESHOLD, LONGEST = 5, 0.5, 3


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("lake", type=Path)
    arguments.add_argument("--keys", type=Path, required=True)
    arguments.add_argument("--pairs", type=int, default=60)
    given = arguments.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        with mere.open(given.lake) as lake:
            keys = read_keys(given.keys, {table.name for table in lake.tables})
            graphs(lake, keys, folder)
            ratio = paths(lake, keys, given.pairs, folder)
    finally:
        shutil.rmtree(folder)
    title = "first paths that are right"
    report(title, [("against the shortest with the most shared values", f"{ratio:.1f} times", "> 1")])


def read_keys(path: Path, tables: set[str]) -> set[Key]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["arity"] == "1"]
    ends = [((r["left_path"], r["left_names"]), (r["right_path"], r["right_names"])) for r in rows]
    return {frozenset(pair) for pair in ends if pair[0][0] != pair[1][0] and {p[0] for p in pair} <= tables}


def keys_of(graph: GraphFile) -> list[Key]:
    columns = [
        graph.rows.column(name).to_pylist() for name in ("left_table", "left_column", "right_table", "right_column")
    ]
    return [frozenset([(a, b), (c, d)]) for a, b, c, d in zip(*columns, strict=True)]


def graphs(lake: mere.Lake, keys: set[Key], folder: Path) -> None:
    started = time.perf_counter()
    every = lake.graph(folder / "all", least=1, accidents=True, numbers=True, engine=Inline())
    seconds = time.perf_counter() - started
    among_all = keys & set(keys_of(read_graph(str(folder / "all"))))
    print(f"all pairs: {every['pairs']:,}, {len(among_all)} declared keys, {seconds:.1f} s")
    for least in (1, LEAST, 10, 20):
        name = folder / f"least {least}"
        rest = lake.graph(name, least=least, numbers=True, engine=Inline())
        kept = among_all & set(keys_of(read_graph(str(name))))
        print(f"without accidents, least {least}: {rest['pairs']:,} pairs, {len(kept)} declared keys")
    text = lake.graph(folder / "default", engine=Inline())
    print(f"default (without numbers): {text['pairs']:,} pairs; left out: {text['left_out']}")


def paths(lake: mere.Lake, keys: set[Key], most: int, folder: Path) -> float:
    lake.graph(folder / "links", THRESHOLD, least=LEAST, accidents=True, numbers=True, engine=Inline())
    links = read_graph(str(folder / "links"))
    keys &= set(keys_of(links))  # some files have no headers, so that declared names are not theirs
    domains = Domains(keys)
    linked: dict[str, set[str]] = {}
    for key in keys:
        one, other = sorted(table for table, _ in key)
        linked.setdefault(one, set()).add(other)
        linked.setdefault(other, set()).add(one)
    pairs = sorted({tuple(sorted((a, b))) for there in linked.values() for a in there for b in there if a != b})
    chosen = random.Random("join paths").sample(pairs, min(most, len(pairs)))
    shortest = shortest_links(links)
    right, first_five, before, times = 0, 0, 0, []
    for one, other in chosen:
        started = time.perf_counter()
        found = lake.paths(one, other, 5, LONGEST, least=LEAST, threshold=THRESHOLD)
        times.append(time.perf_counter() - started)
        declared = [all(domains.has(key_of(step)) for step in path.steps) for path in found]
        right, first_five = right + declared[:1].count(True), first_five + any(declared)
        base = best_paths(shortest, one, other, 1, LONGEST)
        before += bool(base) and all(domains.has(key_of(link)) for link in base[0].links)
    count = len(chosen)
    shares = f"the first is right in {right / count:.0%}, one of the first five in {first_five / count:.0%}"
    print(f"paths between {count} pairs of tables: {shares}")
    print(f"shortest path with the most shared values: right in {before / count:.0%}")
    print(f"median {1000 * np.median(times):.0f} ms, 95 % below {1000 * np.quantile(times, 0.95):.0f} ms")
    return right / max(before, 1)


class Domains:
    """Columns that declared keys connect have one domain."""

    def __init__(self, keys: set[Key]) -> None:
        self._domains: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for key in keys:
            both = set().union(*(self._domains.get(end, {end}) for end in key))
            self._domains.update(dict.fromkeys(both, both))

    def has(self, key: Key) -> bool:
        one, other = key
        return other in self._domains.get(one, ())


def key_of(step: object) -> Key:
    if isinstance(step, Link):
        return frozenset([(step.left, step.left_column), (step.right, step.right_column)])
    names = ("left_table", "left_column", "right_table", "right_column")
    a, b, c, d = (getattr(step, name) for name in names)
    return frozenset([(a, b), (c, d)])


def shortest_links(graph: GraphFile) -> Links:
    """All links, each as long as every other, and the shorter the more values it shares."""
    rows = graph.rows.select(["left_table", "left_column", "right_table", "right_column", "overlap"]).to_pydict()
    best: dict[tuple[str, str], Link] = {}
    for left, left_column, right, right_column, shared in zip(*rows.values(), strict=True):
        cost = round(UNITS * (40 - float(np.log2(shared))))
        link = Link(left, left_column, right, right_column, cost, 0, 0, shared)
        if left != right and ((left, right) not in best or cost < best[left, right].cost):
            best[left, right] = link
    return Links(best.values())


if __name__ == "__main__":
    sys.exit(main())
