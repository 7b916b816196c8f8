"""Are the right columns found: all that brute force finds, and the partners that a schema declares?

    python benchmarks/join_quality.py FOLDER --queries FOLDER --overlap TRUTH.csv --keys TRUTH.csv
        [--composite TRUTH.csv] [--lake LAKE]

`--overlap` (query, query_column, overlap, path, column_index, ...) lists, per query file, the columns with the most
values in common, by brute force and another normalisation.  `--keys` (left_path, left_cols, right_path, right_cols,
arity, ...) lists declared foreign keys; other joins are possible too, so only recall is reported: how often the
declared partner is among the first ten.

`--composite` (query, query_columns, matched_tuples, path, ...) lists, per key of several columns, the tables that have
the most of it: a lower bound, since only five columns were tried for each part of a key.  With it, declared keys of
several columns are asked too, and keys are proposed for the query files, and compared with the listed ones.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import tempfile
from collections import defaultdict
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

import mere
from measuring import report
from mere.errors import MereError
from mere.pipeline import index
from mere.search.given import LakeInputs
from mere.segments import OpenSnapshot, code_column


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--queries", type=Path, required=True)
    arguments.add_argument("--overlap", type=Path, required=True)
    arguments.add_argument("--keys", type=Path, required=True)
    arguments.add_argument("--composite", type=Path)
    arguments.add_argument("--lake", type=Path, help="an index of the folder, if there is one")
    options = arguments.parse_args()
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        if options.lake is None:
            index([options.folder], work / "lake")
        with mere.open(options.lake or work / "lake") as lake:
            report("Against brute force over raw columns", against_brute_force(lake, options))
            report("Declared keys: is the partner among the first ten tables?", declared_keys(lake, options.keys))
            if options.composite:
                report("Keys of several columns, against brute force", composite_keys(lake, options))
                report("Declared keys of several columns", declared_composite_keys(lake, options))
                report("Is a listed key of several columns proposed?", proposed_keys(lake, options.queries))
    finally:
        shutil.rmtree(work)


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def listed_queries(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "queries.json").read_text())


def against_brute_force(lake: mere.Lake, options: Any) -> list[tuple[str, str, str]]:
    """Mere's own exact answer, and how far the other normalisation agrees with it."""
    wanted: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(options.overlap):
        wanted[row["query"], row["query_column"]].append(row)
    files = {entry["id"]: options.queries / entry["file"] for entry in listed_queries(options.queries)}
    brute = Brute(lake)
    exact = same = near = absent = total = 0
    for (query, column), rows in wanted.items():
        name = _column_name(lake, files[query], column)
        hits = lake.overlap(files[query], 0, on=name, per="column", numbers=True)
        overlaps = {(hit.table, hit.columns[0]): int(hit.score) for hit in hits}
        exact += overlaps == brute.ask(files[query], name)
        tables = {table.split("#")[0] for table, _ in overlaps}
        for row in rows:
            scores = [score for (table, _), score in overlaps.items() if table.split("#")[0] == row["path"]]
            agrees = int(row["overlap"]) in scores
            total += 1
            same += agrees
            near += not agrees and any(abs(score - int(row["overlap"])) <= 2 for score in scores)
            absent += row["path"] not in tables
    return [
        ("questions answered as brute force answers them, on Mere's values", f"{exact} of {len(wanted)}", "all"),
        ("columns of the truth with the same overlap", f"{same} of {total} ({same / total:.1%})", ""),
        ("the same but for one or two values", f"{near}", ""),
        ("tables of the truth that were not found", f"{absent}", ""),
    ]


def _column_name(lake: mere.Lake, file: Path | str, column: str) -> str:
    """The truth names a column, or has its number where a file has no header."""
    names = lake.columns(str(file))
    return names[int(column)] if column.isdigit() and column not in names else column


class Brute:
    """Every column as a set of strings."""

    def __init__(self, lake: mere.Lake) -> None:
        self.columns = {}
        opened = OpenSnapshot(lake.path)
        self.inputs = LakeInputs(opened)
        for segment in opened.segments:
            for number in range(segment.table_count):
                for column in segment.columns_of(number):
                    values = segment.dictionary.values.take(segment.set_of(column)).tolist()
                    self.columns[segment.names[number], segment.column_name(column)] = set(values)

    def ask(self, file: Path, column: str) -> dict[tuple[str, str], int]:
        mine = set(self.inputs.column(file, column).cells.values.tolist())
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


def composite_keys(lake: mere.Lake, options: Any) -> list[tuple[str, str, str]]:
    """Mere's own exact answer, and how it compares with the truth's counts."""
    wanted: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(options.composite):
        wanted[row["query"], row["query_columns"]].append(row)
    files = {entry["id"]: options.queries / entry["file"] for entry in listed_queries(options.queries)}
    brute = CompositeBrute(lake)
    exact = mapped = hits_made = 0
    compared = dict.fromkeys(("same", "more", "fewer", "absent"), 0)
    for (query, columns), rows in wanted.items():
        on = [_column_name(lake, files[query], column) for column in columns.split("|")]
        hits = lake.composite(files[query], on, 0)
        keys = brute.keys(files[query], on)
        exact += {hit.table: int(hit.score) for hit in hits} == brute.ask(keys)
        mapped += sum(brute.matched(keys, hit.table, hit.columns) == hit.score for hit in hits)
        hits_made += len(hits)
        best: dict[str, int] = defaultdict(int)
        for hit in hits:
            best[hit.table.split("#")[0]] = max(best[hit.table.split("#")[0]], int(hit.score))
        for row in rows:
            compared[_comparison(best.get(row["path"]), int(row["matched_tuples"]))] += 1
    total = sum(compared.values())
    return [
        ("questions answered as brute force answers them, on Mere's values", f"{exact} of {len(wanted)}", "all"),
        ("hits whose columns have as many keys as the score", f"{mapped} of {hits_made}", "all"),
        ("tables of the truth with the same count", f"{compared['same']} of {total}", ""),
        ("with more, and with fewer", f"{compared['more']}, {compared['fewer']}", ""),
        ("tables of the truth that were not found", f"{compared['absent']}", ""),
    ]


def _comparison(count: int | None, truth: int) -> str:
    if count is None:
        return "absent"
    return "same" if count == truth else "more" if count > truth else "fewer"


class Keys:
    """The keys of a question: a number for each value of each column (0: not a value), and a number for each key."""

    def __init__(self, parts: list[list[str | None]]) -> None:
        tuples = {key for key in zip(*parts, strict=True) if None not in key}
        self.numbers = [
            {value: n for n, value in enumerate(sorted(set(part)), 1)} for part in zip(*tuples, strict=True)
        ]
        self.sizes = [len(numbers) + 1 for numbers in self.numbers]
        assert prod(self.sizes) < 1 << 62
        rows = [[numbers[value] for numbers, value in zip(self.numbers, key, strict=True)] for key in tuples]
        self.columns = np.array(rows, np.int64).reshape(len(rows), len(parts)).T
        self.keys = np.sort(np.ravel_multi_index(tuple(self.columns), self.sizes))

    def matched(self, columns: list[np.ndarray]) -> int:
        """How many keys occur in the rows of these columns, whose cells are numbers of values."""
        complete = np.flatnonzero(np.logical_and.reduce([column > 0 for column in columns]))
        rows = np.ravel_multi_index(tuple(column[complete] for column in columns), self.sizes)
        return len(np.intersect1d(rows, self.keys))


class CompositeBrute:
    """Tries every mapping of columns, except those with a column that shares too few keys to be the best."""

    def __init__(self, lake: mere.Lake) -> None:
        opened = OpenSnapshot(lake.path)
        self.inputs, self.segments = LakeInputs(opened), opened.segments
        self.ids = [{v: n for n, v in enumerate(segment.dictionary.values.tolist())} for segment in self.segments]

    def keys(self, file: Path, on: list[str]) -> Keys:
        parts = []
        for column in self.inputs.key(file, on, len(on)).columns:
            coded = code_column(column)
            values = [None, *coded.values.tolist()]
            parts.append([values[code] for code in coded.codes.tolist()])
        return Keys(parts)

    def ask(self, keys: Keys) -> dict[str, int]:
        """All tables that have a key, and how many keys their best columns have."""
        counts = {}
        for place, segment in enumerate(self.segments):
            lookups = self._lookups(keys, place)
            bounds = [self._bounds(keys, part, lookup, segment) for part, lookup in enumerate(lookups)]
            for number, table in enumerate(segment.names):
                span = segment.columns_of(number)
                candidates = [sorted((-int(of[c]), c) for c in span if of[c]) for of in bounds]
                if all(candidates) and (best := self._best(keys, segment, lookups, candidates)):
                    counts[table] = best
        return counts

    def matched(self, keys: Keys, table: str, columns: tuple[str, ...]) -> int:
        """How many keys occur in these columns."""
        [place] = [n for n, segment in enumerate(self.segments) if table in segment.names]
        segment, lookups = self.segments[place], self._lookups(keys, place)
        number = segment.names.index(table)
        numbers = [segment.columns_of(number)[segment.columns(number).names.index(column)] for column in columns]
        assert len(set(numbers)) == len(numbers), "a column is used twice"
        return keys.matched([_cells(segment, column, lookup) for column, lookup in zip(numbers, lookups, strict=True)])

    def _lookups(self, keys: Keys, place: int) -> list[np.ndarray]:
        """For each column of the key, the numbers of the values of a segment."""
        lookups = []
        for numbers in keys.numbers:
            lookup = np.zeros(len(self.ids[place]), np.int64)
            for value, number in numbers.items():
                if value in self.ids[place]:
                    lookup[self.ids[place][value]] = number
            lookups.append(lookup)
        return lookups

    def _bounds(self, keys: Keys, part: int, lookup: np.ndarray, segment: Any) -> np.ndarray:
        """For each column of a segment, how many keys have their value of this key column in it."""
        weights = np.bincount(keys.columns[part], minlength=keys.sizes[part])[lookup[segment.values["set.ids"]]]
        return np.diff(np.append(0, np.cumsum(weights))[segment.values["set.starts"]])

    def _best(self, keys: Keys, segment: Any, lookups: list[np.ndarray], candidates: Any) -> int:
        per_part = zip(candidates, lookups, strict=True)
        cells = [{c: _cells(segment, c, lookup) for _, c in columns} for columns, lookup in per_part]
        best = 0
        for mapping in product(*candidates):
            columns = [column for _, column in mapping]
            if -max(bound for bound, _ in mapping) > best and len(set(columns)) == len(columns):
                best = max(best, keys.matched([cells[part][column] for part, column in enumerate(columns)]))
        return best


def _cells(segment: Any, column: int, lookup: np.ndarray) -> np.ndarray:
    return np.append(0, lookup[segment.set_of(column)])[segment.codes_of(column)]


def declared_composite_keys(lake: mere.Lake, options: Any) -> list[tuple[str, str, str]]:
    """Left sides are tables of the lake or query files, right sides tables of the lake."""
    keys = [row for row in rows_of(options.keys) if row["arity"] != "1"]
    files = {entry["orig_path"]: str(options.queries / entry["file"]) for entry in listed_queries(options.queries)}
    known = ten = first = columns = 0
    for row in keys:
        left = files.get(row["left_path"], row["left_path"])
        on = [_column_name(lake, left, column) for column in row["left_cols"].split("|")]
        right = [_place(lake, row["right_path"], column) for column in row["right_cols"].split("|")]
        if None in right:
            continue
        known += 1
        tables = [(hit.table, hit.columns) for hit in lake.composite(left, on)]
        ranked = [table for table, _ in tables]
        ten += right[0][0] in ranked
        first += ranked[:1] == [right[0][0]]
        columns += (right[0][0], tuple(column for _, column in right)) in tables
    return [
        ("keys of several columns, the right side in the lake", f"{known} of {len(keys)}", ""),
        ("partner the first", f"{first}", ""),
        ("partner among the first ten", f"{ten}", ""),
        ("and with the declared columns", f"{columns}", ""),
    ]


def proposed_keys(lake: mere.Lake, queries: Path) -> list[tuple[str, str, str]]:
    tasks = among = first = 0
    for entry in listed_queries(queries):
        file = queries / entry["file"]
        listed = [{_column_name(lake, file, str(column)) for column in key} for key in entry["keys"] if len(key) > 1]
        if listed:
            proposed = [set(proposal.columns) for proposal in lake.propose_keys(file)]
            tasks += 1
            among += any(key in proposed for key in listed)
            first += any(key in proposed[:1] for key in listed)
    return [
        ("tasks with a key of several columns", f"{tasks}", ""),
        ("one of them among the five proposals", f"{among}", ""),
        ("one of them the first", f"{first}", ""),
    ]


if __name__ == "__main__":
    main()
