"""How many columns of real files have the name that is known to be right?

    python benchmarks/header_names.py LAKE TRUTH

TRUTH is a folder of CSV files that name columns of the files in LAKE: `path`, `column_index`, `column_name`. An empty
name means that the file has no header. Of a file with several tables, the first is compared. The truths know nested
lists as columns of text; where they are tables of their own, the columns behind them are counted apart.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import defaultdict
from pathlib import Path

from mere.errors import MereError
from mere.readers import open_tables

REPEAT = re.compile(r"_\d+$")  # of a name that occurs twice in a file


def known_names(truth: Path) -> dict[str, set[tuple[int, str]]]:
    """Positions and names of columns, by path."""
    known: dict[str, set[tuple[int, str]]] = defaultdict(set)
    for file in sorted(truth.glob("*.csv")):
        with open(file, newline="", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                if row.get("path") and row.get("column_index"):
                    known[row["path"]].add((int(row["column_index"]), " ".join(row["column_name"].split())))
    return known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lake", type=Path)
    parser.add_argument("truth", type=Path)
    given = parser.parse_args()
    right = total = elsewhere = 0
    for path, columns in sorted(known_names(given.truth).items()):
        if not (given.lake / path).is_file():
            continue
        names = _names(given.lake / path)
        for index, name in sorted(columns):
            found = names[index] if index < len(names) else "(no such column)"
            agrees = found == (name or f"column_{index + 1}") or (name and REPEAT.sub("", found) == name)
            right, total = right + agrees, total + 1
            if not agrees:
                elsewhere += name in names
                print(f"{path}: column {index} is '{found}', expected '{name}'")
    print(f"{right:,} of {total:,} names agree: {right / max(1, total):.1%}; {elsewhere} are those of another column")


def _names(path: Path) -> list[str]:
    """The columns of the first table, as most truths know one table per file."""
    try:
        return next(iter(open_tables(str(path)))).columns
    except MereError:
        return []


if __name__ == "__main__":
    main()
