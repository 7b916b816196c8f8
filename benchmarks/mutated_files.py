"""Does any file stop a run?  Thousands of damaged files of every format, read as the pipeline reads them.

Random bytes, truncations, splices, flipped bits, large numbers at random places; every file is read by a child process
with limits, as after a lost worker (`mere.pipeline.careful`).  Each must end as indexed or quarantined with a reason.
A file that ended its child, or reached a limit of memory or time, would have cost a worker, once; it is counted apart.
With `--files` the number of files, `--first` and `--seed` which ones; `--keep` a folder for those that were counted
apart, or met an exception that no reader expects.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from mere.pipeline import Settings
from mere.pipeline.careful import read
from mere.pipeline.journal import Journal
from mere.pipeline.payloads import ReadTask
from mere.pipeline.receipts import unit_keys
from mere.pipeline.records import Outcome, Unit
from mere.readers import Limits
from mutations import mutated, seed_files

TOGETHER = 500  # files that are on the disk at a time
SETTINGS = Settings(limits=Limits(seconds=60, memory_bytes=4 << 30))
Times = list[tuple[float, str]]


def unit_of(path: Path) -> Unit:
    size = path.stat().st_size
    return Unit(str(path.parent), path.name, str(path), path.name, size, "", (), False, size)


def record_times(path: Path) -> None:
    """Have every process below append when it begins which unit; so the slowest is known."""
    begin = Journal.begin

    def timed(self: Journal, key: str, seconds: int) -> None:
        with open(path, "a", encoding="ascii") as file:
            file.write(f"{os.getpid()} {time.monotonic()} {key}\n")
        begin(self, key, seconds)

    Journal.begin = timed  # type: ignore[method-assign]


def slowest(path: Path, names: dict[str, str]) -> tuple[float, str]:
    """Seconds from the beginning of a unit to that of the next in the same process."""
    begun: dict[str, Times] = defaultdict(list)
    for line in path.read_text(encoding="ascii").splitlines():
        process, moment, key = line.split()
        begun[process].append((float(moment), key))
    took = [
        (after - before, names[key]) for moments in begun.values() for (before, key), (after, _) in pairwise(moments)
    ]
    path.unlink()
    return max(took, default=(0.0, ""))


def ending(outcome: Outcome) -> str:
    if "ended the process" in outcome.reason:
        return "ended a process"
    if "took more than" in outcome.reason:
        return "over a limit"
    if re.search(r"unexpected [A-Z]\w+:", outcome.reason):
        return "unexpected"
    if outcome.tables:
        return "in part" if outcome.reason else "indexed"
    return "quarantined" if outcome.reason else "without a reason"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    seeds, missing = seed_files()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    longest, started = (0.0, ""), time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record_times(folder / "times")
        for first in range(options.first, options.first + options.files, TOGETHER):
            numbers = range(first, min(first + TOGETHER, options.first + options.files))
            longest = max(longest, read_some(folder, seeds, options, numbers, counts))
    print(f"formats whose library is not installed: {', '.join(missing) or 'none'}")
    print_figures(counts, longest, time.perf_counter() - started)


def read_some(
    folder: Path, seeds: dict[str, bytes], options: argparse.Namespace, numbers: range, counts: dict[str, Counter[str]]
) -> tuple[float, str]:
    """Write, read and judge some files; the slowest of them."""
    raw, staging = folder / "raw", folder / "staging"
    for made in (raw, staging):
        made.mkdir()
    units = []
    for number in numbers:
        extension, data = mutated(seeds, options.seed, number)
        path = raw / f"{number}.{extension}"
        path.write_bytes(data)
        units.append(unit_of(path))
    outcomes = {outcome.path: outcome for outcome in read(ReadTask(units, str(staging), SETTINGS, careful=True))}
    for unit in units:
        outcome = outcomes.get(unit.path)
        kind = ending(outcome) if outcome else "lost"
        counts[unit.path.split(".", 1)[1]][kind] += 1
        if outcome and kind in ("ended a process", "over a limit", "unexpected", "without a reason"):
            print(f"{unit.path}: {outcome.reason[:200]}")
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(unit.full, options.keep)
    longest = slowest(folder / "times", dict(zip(unit_keys(units, SETTINGS), (u.path for u in units), strict=True)))
    for made in (raw, staging):
        shutil.rmtree(made)
    return longest


def print_figures(counts: dict[str, Counter[str]], longest: tuple[float, str], seconds: float) -> None:
    columns = [
        "indexed",
        "in part",
        "quarantined",
        "over a limit",
        "ended a process",
        "unexpected",
        "without a reason",
        "lost",
    ]
    rows = [[name, sum(count.values()), *(count[column] for column in columns)] for name, count in counts.items()]
    total = sum(counts.values(), Counter[str]())
    rows.append(["all", sum(total.values()), *(total[column] for column in columns)])
    widths = [max(len(str(row[n])) for row in [["format", "files", *columns], *rows]) for n in range(len(rows[0]))]
    for row in [["format", "files", *columns], *rows]:
        print("  ".join(str(cell).rjust(width) for cell, width in zip(row, widths, strict=True)))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{seconds:.0f} s; slowest file {longest[1]} {longest[0]:.1f} s; peak memory of a child {memory:,.0f} MiB")


if __name__ == "__main__":
    main()
