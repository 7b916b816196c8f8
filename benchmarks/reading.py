"""Which share of messy files is read right: every cell, the header, the type of every column?

    python benchmarks/reading.py [--files 3000] [--seed 0] [--held-out] [--tools Mere,DuckDB] [--show FAULT]

Files are generated from known tables and written with one fault at a time, or with two to four (`reading_faults.py`).
A file is right if all its tables are: cells are compared as text without blanks at either end, an absent value may be
spelled or empty, cells beyond the header may be kept or dropped, and so may a line of totals. A header of several
lines is right if a name has the words of all its lines, in whatever way they are joined; names that are repeated or
empty may be changed to others. Types are number, date, boolean and text.

`--held-out` takes tables and words that the readers were not tuned with; `--show` prints the first file of a fault
that Mere reads wrong.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from reading_files import File, files
from reading_tables import Truth
from reading_tools import TOOLS, Read, read_with

NULLS = {"", "na", "n/a", "null", "nan", "none"}


@dataclass
class Score:
    files: int = 0
    right: int = 0
    cells: int = 0
    header: int = 0
    types: int = 0
    seconds: float = 0.0

    def add(self, verdict: tuple[bool, bool, bool], seconds: float) -> None:
        self.files += 1
        self.right += all(verdict)
        self.cells += verdict[0]
        self.header += verdict[1]
        self.types += verdict[2]
        self.seconds += seconds


Scores = dict[str, dict[str, Score]]


def judge(truths: list[Truth], tables: list[Read]) -> tuple[bool, bool, bool]:
    """Whether cells, header and types of all tables are right."""
    if len(truths) != len(tables):
        return False, False, False
    pairs = list(zip(truths, tables, strict=True))
    return (
        all(cells_right(*pair) for pair in pairs),
        all(header_right(*pair) for pair in pairs),
        all(types_right(*pair) for pair in pairs),
    )


def cells_right(truth: Truth, table: Read) -> bool:
    expected = truth.cells
    if len(table.cells) == len(expected) - truth.rows_below:
        expected = expected[: len(table.cells)]
    width = len(truth.types)
    if len(table.cells) != len(expected) or any(len(row) < width for row in table.cells):
        return False
    return all(
        _same(a, b) for row, read in zip(expected, table.cells, strict=True) for a, b in zip(row, read, strict=False)
    )


def _same(expected: str, cell: str) -> bool:
    expected, cell = _plain(expected), _plain(cell)
    return expected == cell or (expected.lower() in NULLS and cell.lower() in NULLS)


def _plain(cell: str) -> str:
    return cell.replace("\r\n", "\n").replace("\r", "\n").strip()


def header_right(truth: Truth, table: Read) -> bool:
    if len(table.names) < len(truth.names):
        return False
    if not truth.has_header:
        first = [_plain(cell) for cell in truth.cells[0]]
        return sum(_plain(name) == cell for name, cell in zip(table.names, first, strict=False) if cell) * 2 < len(
            first
        )
    return all(
        not names or _letters(read) in map(_letters, names)
        for names, read in zip(truth.names, table.names, strict=False)
    )


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name))


def types_right(truth: Truth, table: Read) -> bool:
    if len(table.types) < len(truth.types):
        return False
    empty = [all(cell.lower() in NULLS for cell in column) for column in zip(*truth.cells, strict=True)]
    return all(
        not expected or read == expected or blank
        for expected, read, blank in zip(truth.types, table.types, empty, strict=False)
    )


def show(file: File, tables: list[Read], fault: str) -> None:
    print(f"--- {file.fault}: {', '.join(file.faults)}\n{file.data[:1500].decode('utf-8', 'backslashreplace')}")
    for truth, table in zip(file.truths, tables, strict=False):
        print("names   ", truth.names, "\nread    ", table.names)
        print("types   ", truth.types, "\nread    ", table.types)
        pairs = zip(truth.cells, table.cells, strict=False)
        differing = [pair for pair in pairs if not all(map(_same, *pair)) or len(pair[0]) > len(pair[1])]
        print(f"rows     {len(truth.cells)}, read {len(table.cells)}; first that differ:", *differing[:2], sep="\n  ")
    if len(file.truths) != len(tables):
        print(f"tables   {len(file.truths)}, read {len(tables)}")
    print(fault)


def report(scores: Scores, tools: list[str]) -> None:
    width = max(map(len, scores))
    print(f"\nfiles right (cells, header and types)\n{'':<{width}}  files" + "".join(f"{tool:>11}" for tool in tools))
    for row, by_tool in scores.items():
        counts = by_tool[tools[0]].files
        shares = "".join(f"{by_tool[tool].right / counts:>11.1%}" for tool in tools)
        print(f"{row:<{width}}  {counts:>5}{shares}{_lead(by_tool, tools)}")
    print(f"\ncells / header / types right\n{'':<{width}}" + "".join(f"{tool:>17}" for tool in tools))
    for row, by_tool in scores.items():
        parts = [by_tool[tool] for tool in tools]
        print(f"{row:<{width}}" + "".join(_parts(score) for score in parts))
    print(f"\n{'ms per file':<{width}}" + "".join(
        f"{1000 * scores['all'][tool].seconds / scores['all'][tool].files:>17.1f}" for tool in tools))  # fmt: skip


def _parts(score: Score) -> str:
    shares = (score.cells, score.header, score.types)
    return f"{'/'.join(f'{100 * share / score.files:.0f}' for share in shares):>17}"


def _lead(by_tool: dict[str, Score], tools: list[str]) -> str:
    best = max(tools, key=lambda tool: by_tool[tool].right)
    return "" if by_tool[best].right == by_tool[tools[0]].right else f"  behind {best}"


@dataclass
class Wrong:
    """The first files that a tool reads wrong, kept for `--show`."""

    fault: str
    limit: int = 3
    shown: int = field(default=0)

    def see(self, file: File, tables: list[Read], failure: str, verdict: tuple[bool, bool, bool]) -> None:
        if self.fault and file.fault == self.fault and not all(verdict) and self.shown < self.limit:
            self.shown += 1
            show(file, tables, f"verdict  cells, header, types: {verdict} {failure}\n")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--files", type=int, default=3000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--held-out", action="store_true")
    arguments.add_argument("--tools", default=",".join(TOOLS))
    arguments.add_argument("--show", default="", metavar="FAULT")
    options = arguments.parse_args()
    tools, wrong = options.tools.split(","), Wrong(options.show)
    scores: Scores = defaultdict(lambda: defaultdict(Score))
    with tempfile.TemporaryDirectory(prefix="mere-bench-") as folder:
        path = Path(folder) / "table.csv"
        for file in files(options.files, options.seed, options.held_out):
            if options.show and file.fault != options.show:
                continue
            path.write_bytes(file.data)
            for tool in tools:
                seconds, tables, failure = read_with(tool, str(path))
                verdict = judge(file.truths, tables)
                for row in (file.fault, "all"):
                    scores[row][tool].add(verdict, seconds)
                if tool == tools[0]:
                    wrong.see(file, tables, failure, verdict)
    scores["all"] = scores.pop("all")
    report(scores, tools)


if __name__ == "__main__":
    main()
