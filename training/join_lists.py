"""Lists of candidate joins, each with the right ones marked, and the model that puts those first.

Each list is one question: the column named (candidates: all columns that share a value with it), or none named (those
of all columns of the left table).  A column whose set is the same as the declared partner's is as good as the partner.
The model is a conditional logit (McFadden 1974): the likelihood that the partner comes first.  Weights are drawn
towards `PRIOR`, a guess, and keep its signs, so that a signal that these data do not need, because their tables have no
headers, say, keeps a sensible weight for tables that do.  Every source counts with the square root of its lists.  Adam
with a fixed number of steps: the same weights on every run.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mere
from mere.ranking import SIGNALS, Model
from mere.search.given import LakeInputs, whole_table
from mere.search.joinable.choosing import chosen_columns
from mere.search.joinable.singles import Candidates, asked_column, candidates_of

PRIOR = {
    "header": 1.0, "same_header": 0.8, "named_table": 2.0, "key_name": 0.8, "my_table": 0.7, "folder": 2.5,
    "key": 0.7, "unique": 1.5, "repeats": -1.0, "filled": 0.5, "first": 0.6, "running": -0.8, "size": 1.0,
    "uneven": -2.0, "other_type": -0.5, "unsupported": -3.0, "rows": 3.0, "values": 2.5, "bits": 1.5, "all_bits": 1.5,
    "brings": 0.5, "alike": -0.5, "trivial": -4.0, "my_key": 0.7, "two_keys": -2.0,
}  # fmt: skip
DRAWN = 0.03  # strength of the prior
PARTNERS = 0.95  # the score of the median of declared partners
KEPT = 300  # candidates of a list: the best by the prior, and the partners


@dataclass(frozen=True)
class List:
    """One question: candidates with their signals, and which of them are right."""

    source: str
    left: str
    named: bool
    signals: np.ndarray
    right: np.ndarray
    tables: np.ndarray

    def place(self, weights: np.ndarray) -> int:
        """The place of the first right table, each table by its best column; a large number if there is none."""
        seen: set[str] = set()
        for each in np.lexsort((self.tables, -np.round(self.signals @ weights, 6))).tolist():
            if self.tables[each] not in seen:
                seen.add(self.tables[each])
                if self.right[each]:
                    return len(seen)
        return 1_000_000


def read_keys(paths: list[Path]) -> list[dict[str, Any]]:
    """The declared keys of one column."""
    rows = [row for path in paths for row in csv.DictReader(path.open())]
    return [row for row in rows if row["arity"] == "1" and row["left_path"] != row["right_path"]]


def given_tables(lake: mere.Lake, queries: Path | None) -> dict[str, str]:
    """What to ask with for each path: the table of the lake, or the file that was taken out of it."""
    given = {info.name: info.name for info in lake.tables}
    for query in json.loads((queries / "queries.json").read_text()) if queries else []:
        given.setdefault(query["orig_path"], str(queries / query["file"]))
    return given


def lists_of(lake: mere.Lake, keys: list[dict[str, Any]], queries: Path | None) -> list[List]:
    """Of every declared key a list with the column named; of every left table one with none named."""
    given, known = given_tables(lake, queries), {info.name for info in lake.tables}
    by_left: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in keys:
        if row["left_path"] in given and row["right_path"] in known:
            by_left[row["evidence"], row["left_path"]].append(row)
    lists = []
    for (source, left), rows in by_left.items():
        mine = whole_table(LakeInputs(lake._opened), given[left])
        places = sorted({*chosen_columns(mine)[0], *(int(row["left_cols"]) for row in rows)})
        found = {place: candidates_of(asked_column(lake._asker, mine.distinct(place), place, None)) for place in places}
        marks = {place: [np.zeros(len(each.columns), bool) for each in found[place]] for place in places}
        for row in rows:
            right = right_columns(found[int(row["left_cols"])], row["right_path"], int(row["right_cols"]))
            if any(mark.any() for mark in right):
                lists.append(_list(source, left, True, found[int(row["left_cols"])], right))
            for total, more in zip(marks[int(row["left_cols"])], right, strict=True):
                total |= more
        if any(mark.any() for each in marks.values() for mark in each):
            pooled = [each for place in places for each in found[place]]
            lists.append(_list(source, left, False, pooled, [mark for place in places for mark in marks[place]]))
    return lists


def right_columns(found: list[Candidates], table: str, place: int) -> list[np.ndarray]:
    """Which candidates are the partner's column, or one with the same set."""
    sets = set()
    for each in found:
        numbers = [number for number, name in enumerate(each.segment.names) if name == table]
        wanted = [each.segment.columns_of(number)[place] for number in numbers]
        sets |= {signature(each.segment, column) for column in wanted if column in each.columns}
    sizes = {size for size, _ in sets}
    marks = []
    for each in found:
        starts = each.segment.values["set.starts"]
        distinct = (starts[each.columns + 1] - starts[each.columns]).tolist()
        pairs = zip(each.columns.tolist(), distinct, strict=True)
        marks.append(np.array([size in sizes and signature(each.segment, c) in sets for c, size in pairs], bool))
    return marks


def signature(segment: Any, column: int) -> tuple[int, int]:
    """A number for a set: equal for equal sets, in whichever segment."""
    hashes = segment.dictionary.hashes[segment.set_of(column)]
    return len(hashes), int(np.bitwise_xor.reduce(hashes, initial=np.uint64(0))) ^ int(hashes.sum())


def _list(source: str, left: str, named: bool, found: list[Candidates], marks: list[np.ndarray]) -> List:
    signals = np.concatenate([each.signals for each in found])
    right = np.concatenate(marks)
    tables = np.array([each.segment.names[t] for each in found for t in each.tables.tolist()])
    kept = np.argsort(-(signals @ prior()), kind="stable")[:KEPT]
    kept = np.union1d(kept, np.flatnonzero(right))
    return List(source, left, named, signals[kept], right[kept], tables[kept])


def prior() -> np.ndarray:
    return np.array([PRIOR[name] for name in SIGNALS])


def fit(lists: list[List], steps: int = 400, rate: float = 0.03) -> np.ndarray:
    """The weights."""
    start = prior()
    weights, mean, square = start.copy(), np.zeros(len(start)), np.zeros(len(start))
    sizes = Counter((each.source, each.named) for each in lists)
    shares = np.array([sizes[each.source, each.named] ** -0.5 for each in lists])
    shares /= shares.sum()
    for step in range(1, steps + 1):
        slope = DRAWN * (weights - start)
        for each, share in zip(lists, shares.tolist(), strict=True):
            odds = np.exp(each.signals @ weights - (each.signals @ weights).max())
            right = odds * each.right
            slope += share * (odds @ each.signals / odds.sum() - right @ each.signals / right.sum())
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights = weights - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = np.where(weights * np.sign(start) < 0, 0.0, weights)
    return weights


def model_of(weights: np.ndarray, lists: list[List]) -> Model:
    """Scaled such that a score of a half is half-way between partners and accidents, and partners have `PARTNERS`."""
    right = [float((each.signals[each.right] @ weights).max()) for each in lists]
    pooled = [each.signals[~each.right & _accidents(each.signals)] @ weights for each in lists]
    wrong = [float(odds.max()) for odds in pooled if len(odds)]
    partners, accidents = float(np.median(right)), float(np.median(wrong))
    scale = float(np.log(PARTNERS / (1 - PARTNERS))) / ((partners - accidents) / 2)
    usual = np.mean([each.signals.mean(axis=0) for each in lists], axis=0)
    return Model(scale * weights, usual, -scale * (partners + accidents) / 2)


def _accidents(signals: np.ndarray) -> np.ndarray:
    """Candidates that nobody wants: trivial values, numbers that no name speaks for, keys that merely count alike."""
    known = {name: signals[:, SIGNALS.index(name)] for name in ("trivial", "unsupported", "two_keys")}
    return (known["trivial"] >= 0.75) | (known["unsupported"] >= 0.9) | (known["two_keys"] > 0.5)
