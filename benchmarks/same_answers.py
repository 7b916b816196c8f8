"""Does a lake give the same answers in all ways in which it can be asked: by NumPy, kernels, threads, tasks, Python?

    python benchmarks/same_answers.py FOLDER [--questions 300] [--lake LAKE]

FOLDER holds raw tables, which are indexed into a temporary lake, and once more into one segment; with `--lake`, an
index of them is asked as it is.  The questions are derived from the lake (`tests/kinds/same_answers.py` says how, and
what the ways are): the same lake is always asked the same.  Prints, per kind, how many questions were compared and how
many differed, after the first differences.  Exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import mere
from mere.pipeline import Settings, index

sys.path.append(str(Path(__file__).resolve().parents[1]))

from tests.kinds.same_answers import differences, questions_of

SHOWN = 20


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--questions", type=int, default=300)
    arguments.add_argument("--lake", type=Path)
    options = arguments.parse_args()
    if options.lake:
        return compare(options.lake, options.questions, {})
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        index([options.folder], work / "lake")
        index([options.folder], work / "single", settings=Settings(segment_bytes=1 << 40))
        return compare(work / "lake", options.questions, {"one segment": work / "single"})
    finally:
        shutil.rmtree(work)


def compare(lake: Path, count: int, others: dict[str, Path]) -> int:
    with mere.open(lake) as opened:
        questions = questions_of(opened, count)
    found = {}
    for question, way, place in differences(lake, questions, others):
        found[id(question)] = question
        if len(found) <= SHOWN:
            print(f"{way}: {str(question)[:300]}\n    {place}", flush=True)
    differing = Counter(question.kind for question in found.values())
    print(f"\n{'kind':<14}{'questions':>10}{'differ':>8}")
    for kind, number in Counter(question.kind for question in questions).items():
        print(f"{kind:<14}{number:>10}{differing[kind]:>8}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
