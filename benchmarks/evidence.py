"""How much of a question's time is evidence, and do long lists wait for it?

    python benchmarks/evidence.py FOLDER [--lake LAKE] [--questions 200]

Without `--lake`, FOLDER is indexed first.  Questions are columns of the lake, of all sizes.  For each kind, milliseconds:

    search    plan and search of ten hits, without evidence: the baseline
    evidence  what their evidence adds
    whole     the question as a user asks it: input, plan, search, evidence of ten hits
    all       a question for all hits (k=0): until it returns, and until every hit's evidence has been read

The last lines are ratios: search with evidence of ten hits / search; target: at most 3.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import mere
from measuring import report, timed
from mere.indexes import KINDS
from mere.indexes.kind import explained
from mere.pipeline import index
from mere.search import ask as asking

SEED, K = 5, 10
Question = tuple[str, Any, dict[str, Any]]  # kind, what it asks with, other parameters


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--lake", type=Path)
    arguments.add_argument("--questions", type=int, default=200, help="per kind")
    arguments.add_argument("--kinds", nargs="*")
    options = arguments.parse_args()
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        if options.lake is None:
            index([options.folder], work / "lake")
        with mere.open(options.lake or work / "lake") as lake:
            measure(lake.warm(), options.questions, options.kinds)
    finally:
        shutil.rmtree(work)


def measure(lake: mere.Lake, count: int, kinds: list[str] | None) -> None:
    ratios = []
    for name, questions in questions_of(lake, count).items():
        if kinds and name not in kinds:
            continue
        measured = [one for question in questions if (one := times_of(lake, question)) is not None]
        search, evidence, whole, returned, read = (np.array(side) * 1000 for side in zip(*measured, strict=True))
        slowest = questions[int(np.argmax(whole))]
        report(
            f"{name}, {len(measured)} questions, milliseconds",
            [
                ("search of ten hits", spread(search), ""),
                ("evidence of ten hits", spread(evidence), ""),
                ("whole question", spread(whole), ""),
                ("all hits, until returned", spread(returned), ""),
                ("all hits, until all evidence is read", spread(read), ""),
                ("slowest", f"{slowest[1]} {slowest[2].get('on', '')}", ""),
            ],
        )
        ratios.append(
            (
                name,
                f"{(search + evidence).sum() / search.sum():.2f} (median {np.median((search + evidence) / search):.2f})",
                "<= 3",
            )
        )
    report("Search with evidence of ten hits / search", ratios)


def spread(times: np.ndarray) -> str:
    p50, p99 = np.percentile(times, [50, 99])
    return f"p50 {p50:.2f}, p99 {p99:.2f}, mean {times.mean():.2f}, most {times.max():.2f}"


def times_of(lake: mere.Lake, question: Question) -> tuple[float, ...]:
    """Seconds of: search, evidence, the whole question, all hits until returned, and until read; each the better of
    two, so that a pause of the machine is not counted."""
    name, given, more = question
    asker = lake._asker

    def whole(k: int) -> Any:
        return lake.ask(name, given, k, **more)

    kind = KINDS[name]
    parameters = {kind.parameters[0].name: given, **more}
    route = kind.route(asker.query(name, parameters), len(asker.opened.segments))
    answering = KINDS[route.kind]
    parts = asker.parts(answering)

    def search() -> tuple[Any, Any]:
        probe = answering.plan({**route.query, "k": K, "per": "table"}, parts)
        asked = [part.for_question() for part in parts]
        return probe, asking.merged_search(answering, asked, probe, K, "table")

    def all_hits() -> tuple[float, float]:
        started = time.perf_counter()
        hits = whole(0)
        returned = time.perf_counter() - started
        for hit in hits:
            hit.evidence  # noqa: B018 (reading it is what is measured)
        return returned, time.perf_counter() - started

    searched, both, asked = [], [], []
    for _ in range(2):
        started = time.perf_counter()
        probe, merged = search()
        searched.append(time.perf_counter() - started)
        explained(answering, probe, merged.pairs)
        both.append(time.perf_counter() - started)
        asked.append(timed(lambda: [hit.evidence for hit in whole(K)])[0])
    returned, read = (min(side) for side in zip(*(all_hits() for _ in range(2)), strict=True))
    return min(searched), max(0.0, min(both) - min(searched)), min(asked), returned, read


def questions_of(lake: mere.Lake, count: int) -> dict[str, list[Question]]:
    """Questions of every kind, chosen with a seed."""
    columns = list(columns_of(lake))
    words = [column for _, column, _, _ in columns]
    pick = random.Random(SEED)
    texts = [(table, column, distinct) for table, column, distinct, numeric in columns if not numeric]
    few = [one for one in texts if one[2] <= 5_000]
    every = [(table, column, distinct) for table, column, distinct, _ in columns]
    named = [("overlap", table, {"on": column}) for table, column, _ in by_size(every, count)]
    tables: dict[str, list[str]] = {}
    for table, column, _ in texts:
        tables.setdefault(table, []).append(column)
    wide = [name for name, names in tables.items() if len(names) > 1]
    predicates = [
        f"at least {pick.choice([10, 50, 90])}% of any column > {pick.choice([0, 10, 1000])}" for _ in range(count)
    ]
    return {
        "overlap": named,
        "containment": [("containment", table, more) for _, table, more in named],
        "composite": [
            ("composite", table, {"on": sorted(pick.sample(tables[table], 2))}) for table in pick.choices(wide, k=count)
        ],
        "similar": [("similar", table, {"on": column, "share": 0.3}) for table, column, _ in by_size(few, count // 4)],
        "distribution": [("distribution", predicate, {}) for predicate in predicates],
        "keywords": [
            (
                "keywords",
                f"{pick.choice(words)} {pick.choice(words)}".replace(":", " ").replace('"', " ").replace("-", " "),
                {},
            )
            for _ in range(count)
        ],
    }


def columns_of(lake: mere.Lake) -> Iterator[tuple[str, str, int, bool]]:
    """Table, name, distinct values and whether they are numbers, of every column."""
    for segment in lake._opened.segments:
        types = segment.catalog["column.types"]
        sizes = np.diff(segment.values["set.starts"])
        for number, name in enumerate(segment.column_names):
            if sizes[number]:
                from mere.values import Type

                yield (
                    segment.names[segment.table_of_column[number]],
                    name,
                    int(sizes[number]),
                    Type(int(types[number])).is_number,
                )


def by_size(columns: list[Any], count: int) -> list[Any]:
    """As many columns of every order of magnitude of size as there are."""
    pick = random.Random(SEED)
    classes: dict[int, list[Any]] = {}
    for column in columns:
        classes.setdefault(int(np.log2(column[2])), []).append(column)
    for members in classes.values():
        pick.shuffle(members)
    chosen: list[Any] = []
    while len(chosen) < min(count, len(columns)):
        chosen += [members.pop() for members in classes.values() if members]
    return chosen[:count]


if __name__ == "__main__":
    main()
