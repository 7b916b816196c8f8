"""How long does a shell wait for the names that it proposes?

    python benchmarks/completion.py LAKE

Each line is a press of the tab key: a process of its own, the least CPU time of several.  The baseline is the same
completion without the cache, where the engine is imported and the lake opened each time.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import mere
from measuring import report

TIMES = 5


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("lake", type=Path)
    lake = os.path.abspath(arguments.parse_args().lake)
    with mere.open(lake) as opened:
        table = opened.tables[0].name
        count = len(opened.tables)
    cache = tempfile.mkdtemp(prefix="mere-bench-")
    lines = {
        "a command": ["jo"],
        "a flag": ["join", "x.csv", "--fo"],
        "a table": ["show", table[:3]],
        "a column of a table": ["join", "x.csv", "--with", table, "--column", ""],
    }
    rows, ratios = [("tables", f"{count:,}", "")], []
    for name, words in lines.items():
        without = min(_seconds(words, lake, cache, fresh=True) for _ in range(TIMES))
        cached = min(_seconds(words, lake, cache, fresh=False) for _ in range(TIMES))
        ratios.append(without / cached)
        rows.append((name, f"{cached * 1000:.0f} ms of CPU; {without * 1000:.0f} ms without the cache", "< 100 ms"))
    shutil.rmtree(cache)
    report("completion", [*rows, ("without the cache / with it, least", f"{min(ratios[1:]):.1f}", "> 3")])


def _seconds(words: list[str], lake: str, cache: str, fresh: bool) -> float:
    """The CPU seconds of one completion."""
    if fresh:
        shutil.rmtree(cache, ignore_errors=True)
    complete = {"_MERE_COMPLETE": "fish_complete", "COMP_WORDS": " ".join(["mere", *words]), "COMP_CWORD": words[-1]}
    environment = {**os.environ, **complete, "XDG_CACHE_HOME": cache, "MERE_LAKE": lake}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-m", "mere"], env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stdout, words
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
