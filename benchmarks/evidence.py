"""How much of a question's time is evidence, do long answers wait for it, and what does a cold shell take?

    python benchmarks/evidence.py FOLDER [--lake LAKE] [--questions 200] [--kinds overlap similar]

Without `--lake`, FOLDER is indexed first.  Questions are columns of the lake, of all sizes.  For each kind, in
milliseconds of processor time, which other programs on the machine change little:

    search    plan and search of ten hits, without evidence: the baseline
    evidence  what their evidence adds
    whole     the question as a user asks it: input, plan, search, evidence of ten hits
    all       a question for all hits (k=0): until it returns, and until every hit's evidence has been read

Then the seconds of `mere` in new processes, beside those of importing NumPy and Arrow, which every question needs.  The
last lines are ratios: search with evidence of ten hits / search; target: at most 3.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mere
from measuring import report, timed
from mere.indexes import KINDS
from mere.indexes.kind import explained
from mere.pipeline import index
from mere.search.asking.ask import merged_search
from mere.values import Type

SEED, K, PROCESSES = 5, 10, 10


class Question(NamedTuple):
    kind: str
    given: Any
    more: dict[str, Any]


class Column(NamedTuple):
    table: str
    name: str
    distinct: int
    numeric: bool


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--lake", type=Path)
    arguments.add_argument("--questions", type=int, default=200, help="per kind")
    arguments.add_argument("--kinds", nargs="*", default=[])
    options = arguments.parse_args()
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        path = options.lake or work / "lake"
        if options.lake is None:
            index([options.folder], path)
        with mere.open(path) as lake:
            questions = questions_of(lake, options.questions)
            cold_shell(lake, work)
            chosen = {kind: asked for kind, asked in questions.items() if not options.kinds or kind in options.kinds}
            measure(lake.warm(), chosen)
    finally:
        shutil.rmtree(work)


def measure(lake: mere.Lake, questions: dict[str, list[Question]]) -> None:
    ratios = []
    for kind, asked in questions.items():
        search, evidence, whole, returned, read = np.array([times_of(lake, each) for each in asked]).T * 1000
        slowest = asked[int(np.argmax(whole))]
        rows = [
            ("search of ten hits", spread(search), ""),
            ("evidence of ten hits", spread(evidence), ""),
            ("whole question", spread(whole), ""),
            ("all hits, until returned", spread(returned), ""),
            ("all hits, until all evidence is read", spread(read), ""),
            ("slowest", f"{slowest.given} {slowest.more.get('on', '')}"[:100], ""),
        ]
        report(f"{kind}, {len(asked)} questions, milliseconds", rows)
        both = search + evidence
        ratios.append((kind, f"{both.sum() / search.sum():.2f}, median {np.median(both / search):.2f}", "<= 3"))
    report("Search with evidence of ten hits / search", ratios)


def spread(times: np.ndarray) -> str:
    p50, p99 = np.percentile(times, [50, 99])
    return f"p50 {p50:.2f}, p99 {p99:.2f}, mean {times.mean():.2f}"


def times_of(lake: mere.Lake, question: Question) -> tuple[float, ...]:
    """Seconds of: search, evidence, the whole question, all hits until returned, and until read.

    Each is the better of two, so that a pause of the machine is not counted.
    """
    laps = [(*searched(lake, question), *asked(lake, question)) for _ in range(2)]
    search, both, whole, returned, read = (min(lap) for lap in zip(*laps, strict=True))
    return search, max(0.0, both - search), whole, returned, read


def searched(lake: mere.Lake, question: Question) -> tuple[float, float]:
    """Seconds until ten hits are found, and until they have evidence."""
    kind, asker = KINDS[question.kind], lake._asker
    parameters = {kind.parameters[0].name: question.given, **question.more}
    route = kind.route(asker.query(question.kind, parameters), len(asker.opened.segments))
    answering = KINDS[route.kind]
    parts = [part.for_question() for part in asker.parts(answering)]
    started = time.process_time()
    probe = answering.plan({**route.query, "k": K, "per": "table"}, parts)
    merged = merged_search(answering, parts, probe, K, "table")
    found = time.process_time() - started
    explained(answering, probe, merged.pairs)
    return found, time.process_time() - started


def asked(lake: mere.Lake, question: Question) -> tuple[float, float, float]:
    """Seconds of the whole question with ten hits; with all hits, until it returns and until all are read."""
    kind, given, more = question
    started = time.process_time()
    for hit in lake.ask(kind, given, K, **more):
        hit.evidence  # noqa: B018 (reading it is what is measured)
    whole = time.process_time() - started
    started = time.process_time()
    hits = lake.ask(kind, given, 0, **more)
    returned = time.process_time() - started
    for hit in hits:
        hit.evidence  # noqa: B018
    return whole, returned, time.process_time() - started


def questions_of(lake: mere.Lake, count: int) -> dict[str, list[Question]]:
    """Questions of every kind, chosen with a seed."""
    columns, pick = list(columns_of(lake)), random.Random(SEED)
    texts = [column for column in columns if not column.numeric]
    by_table: dict[str, list[str]] = {}
    for column in texts:
        by_table.setdefault(column.table, []).append(column.name)
    wide = [table for table, names in by_table.items() if len(names) > 1]
    chosen, keys = by_size(columns, count), pick.choices(wide, k=count)
    short = by_size([column for column in texts if column.distinct <= 5_000], count // 4)
    words = ["".join(c for c in column.name if c.isalnum() or c == " ").strip() or "x" for column in columns]
    shares, values = (10, 50, 90), (0, 10, 1000)
    return {
        "overlap": [Question("overlap", c.table, {"on": c.name}) for c in chosen],
        "containment": [Question("containment", c.table, {"on": c.name}) for c in chosen],
        "composite": [Question("composite", table, {"on": pick.sample(by_table[table], 2)}) for table in keys],
        "similar": [Question("similar", c.table, {"on": c.name, "share": 0.3}) for c in short],
        "distribution": [
            Question("distribution", f"at least {pick.choice(shares)}% of any column > {pick.choice(values)}", {})
            for _ in range(count)
        ],
        "keywords": [Question("keywords", f"{pick.choice(words)} {pick.choice(words)}", {}) for _ in range(count)],
    }


def columns_of(lake: mere.Lake) -> Iterator[Column]:
    """Every column that has values."""
    for segment in lake._opened.segments:
        sizes, types = np.diff(segment.values["set.starts"]).tolist(), segment.catalog["column.types"].tolist()
        owners = segment.table_of_column.tolist()
        for owner, name, size, kind in zip(owners, segment.column_names, sizes, types, strict=True):
            if size:
                yield Column(segment.names[owner], name, size, Type(kind).is_number)


def by_size(columns: list[Column], count: int) -> list[Column]:
    """As many columns of every order of magnitude of size as there are."""
    pick = random.Random(SEED)
    classes: dict[int, list[Column]] = {}
    for column in columns:
        classes.setdefault(int(np.log2(column.distinct)), []).append(column)
    for members in classes.values():
        pick.shuffle(members)
    chosen: list[Column] = []
    while len(chosen) < min(count, len(columns)):
        chosen += [members.pop() for members in classes.values() if members]
    return chosen[:count]


def cold_shell(lake: mere.Lake, work: Path) -> None:
    """Seconds of `mere` in new processes, their modules compiled to bytecode and the files of the lake in memory."""
    column = next(c for c in by_size(list(columns_of(lake)), 100) if not c.numeric and 100 < c.distinct < 10_000)
    table = work / "mine.csv"
    lake.rows(column.table, [column.name]).to_pandas().to_csv(table, index=False)
    program, place = str(Path(sys.executable).with_name("mere")), ["--lake", lake.path]
    commands = {
        "import numpy, pyarrow": [sys.executable, "-c", "import numpy, pyarrow"],
        "mere --help": [program, "--help"],
        "mere search": [program, "search", "airport", "codes", *place],
        "mere join": [program, "join", str(table), "--on", column.name, *place],
    }
    rows = []
    for name, command in commands.items():
        laps = sorted(timed(lambda c=command: run(c, work))[0] for _ in range(PROCESSES + 1))
        rows.append((name, f"{laps[len(laps) // 2]:.2f} s, least {laps[0]:.2f} s", ""))
    report("Cold shell", rows)


def run(command: list[str], work: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(work / "bytecode")
    subprocess.run(command, check=True, capture_output=True, env=environment)


if __name__ == "__main__":
    main()
