"""Are the right columns found: all that brute force finds, and the partners that a schema declares?

    python benchmarks/join_quality.py FOLDER --queries FOLDER --overlap TRUTH.csv --keys TRUTH.csv

`--overlap` (query, query_column, overlap, path, column_index, ...) lists, per query file, the columns with the most
values in common, by brute force and another normalisation.  `--keys` (left_path, left_cols, right_path, right_cols,
arity, ...) lists declared foreign keys; the world is open, so only recall is told: how often the declared partner is
among the first ten.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import mere
from measuring import report
from mere.errors import MereError
from mere.pipeline import index


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--queries", type=Path, required=True)
    arguments.add_argument("--overlap", type=Path, required=True)
    arguments.add_argument("--keys", type=Path, required=True)
    arguments.add_argument("--lake", type=Path, help="an index of the folder, if there is one")
    options = arguments.parse_args()
    room = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        if options.lake is None:
            index([options.folder], room / "lake")
        with mere.open(options.lake or room / "lake") as lake:
            report("Against brute force over raw columns", against_brute_force(lake, options))
            report("Declared keys: is the partner among the first ten tables?", declared_keys(lake, options.keys))
    finally:
        shutil.rmtree(room)


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def against_brute_force(lake: mere.Lake, options: Any) -> list[tuple[str, str, str]]:
    """Mere's own exact answer, and how far the other normalisation agrees with it."""
    wanted: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(options.overlap):
        wanted[row["query"], row["query_column"]].append(row)
    listed = json.loads((options.queries / "queries.json").read_text())
    files = {entry["id"]: options.queries / entry["file"] for entry in listed}
    brute = Brute(lake)
    exact = same = near = absent = total = 0
    for (query, column), rows in wanted.items():
        name = _column_name(lake, files[query], column)
        hits = lake.overlap(files[query], 0, on=name, per="column", numbers=True)
        found = {(hit.table, hit.columns[0]): int(hit.score) for hit in hits}
        exact += found == brute.ask(lake, files[query], name)
        tables = {table.split("#")[0] for table, _ in found}
        for row in rows:
            there = [score for (table, _), score in found.items() if table.split("#")[0] == row["path"]]
            agrees = int(row["overlap"]) in there
            total += 1
            same += agrees
            near += not agrees and any(abs(score - int(row["overlap"])) <= 2 for score in there)
            absent += row["path"] not in tables
    return [
        ("questions answered as brute force answers them, on Mere's values", f"{exact} of {len(wanted)}", "all"),
        ("columns of the truth with the same overlap", f"{same} of {total} ({same / total:.1%})", ""),
        ("the same but for one or two values", f"{near}", ""),
        ("tables of the truth that were not found", f"{absent}", ""),
    ]


def _column_name(lake: mere.Lake, file: Path, column: str) -> str:
    """The truth names a column, or gives its place where a file has no header."""
    from mere.search.inputs import column_names

    names = column_names(file, lake._opened)
    return names[int(column)] if column.isdigit() and column not in names else column


class Brute:
    """Every column as a set of strings."""

    def __init__(self, lake: mere.Lake) -> None:
        self.columns = {}
        for segment in lake._opened.segments:
            for number in range(segment.table_count):
                for column in segment.columns_of(number):
                    values = segment.dictionary.values.take(segment.set_of(column)).tolist()
                    self.columns[segment.names[number], segment.column_name(column)] = set(values)

    def ask(self, lake: mere.Lake, file: Path, column: str) -> dict[tuple[str, str], int]:
        from mere.segments import code_column

        mine = set(code_column(lake._column(file, column)["values"]).values.tolist())
        counted = {name: len(mine & values) for name, values in self.columns.items()}
        return {name: shared for name, shared in counted.items() if shared}


def declared_keys(lake: mere.Lake, truth: Path) -> list[tuple[str, str, str]]:
    keys = [row for row in rows_of(truth) if row["arity"] == "1"]
    pairs = [[_place(lake, row[f"{side}_path"], row[f"{side}_cols"]) for side in ("left", "right")] for row in keys]
    known = [(left, right) for left, right in pairs if left and right]
    rows = [("keys of one column, both sides in the lake", f"{len(known)} of {len(keys)}", "")]
    for ties in ("name", "keys"):
        ranks = []
        for left, right in known:
            ranked = [hit.table for hit in lake.overlap(left[0], 0, on=left[1], ties=ties)]
            ranks.append(ranked.index(right[0]) if right[0] in ranked else len(ranked) + 1_000_000)
        for most, what in ((1, "the first"), (10, "among the first ten"), (1_000_000, "found at all")):
            found = sum(rank < most for rank in ranks)
            rows.append((f"ties by {ties}: partner {what}", f"{found} ({found / len(known):.1%})", ""))
    return rows


def _place(lake: mere.Lake, path: str, column: str) -> tuple[str, str] | None:
    try:
        profile = lake.profile(path)
        return profile.name, profile.columns[int(column)].name
    except (MereError, IndexError):
        return None


if __name__ == "__main__":
    main()
