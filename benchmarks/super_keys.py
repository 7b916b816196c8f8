"""How well do super keys dismiss rows, by hash function and size?

    python benchmarks/super_keys.py FOLDER [--lake LAKE] [--questions N] [--seed S]

MATE (Esmailoghli, Quiané-Ruiz, Abedjan; PVLDB 2022): table 3, figure 5, figure 6 (b), and what patterns cost.

A question is a table of the lake picked by a seed, and some of its columns: words and dates, or any.  Algorithm 1 looks
at pairs of a row and a key: the rows, of all other tables, that hold the key's value in the initial column, which is
the one with the fewest values.  A pair is **right** if the row holds all values of the key, in distinct columns; a
super key never dismisses a right one.  All functions are asked about the same pairs, at most `PAIRS` a question.

    precision   right pairs / pairs that pass: the mean of the questions that have a right pair
    wrong       wrong pairs that pass / wrong pairs: the mean of all questions
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mere
from measuring import report, timed
from mere.indexes import KINDS
from mere.indexes.composite.plain import order_of
from mere.indexes.composite.super_keys import ALL_PARTS, NAMES, SIZES, Recipe, patterns
from mere.indexes.kind import Part
from mere.pipeline import index
from mere.store import Strings, offsets_of, places_of
from mere.values import Type

GROUPS = {
    "words and dates": (Type.TEXT, Type.DATETIME),
    "any": (Type.TEXT, Type.INTEGER, Type.DECIMAL, Type.DATETIME, Type.BOOLEAN),
}
WIDTHS, WIDE = (2, 3, 4), tuple(range(2, 9))  # columns of a key: in table 3, in figure 6
ROWS, PAIRS = 300, 20_000  # of a question, at most
FEWEST = 10  # keys: fewer are hardly a question
XASH_PARTS = {
    "length": {"length"},
    "characters": {"characters"},
    "characters, location": {"characters", "location"},
    "characters, length, location": {"characters", "length", "location"},
    "all, with rotation": ALL_PARTS,
}
Row = tuple[str, str, str]


class Question(NamedTuple):
    """Keys, as ids in the dictionary of the segment they come from, and the pairs that they make with rows."""

    segment: int
    keys: np.ndarray
    pair_rows: np.ndarray  # counted through the lake, ascending
    pair_keys: np.ndarray
    right: np.ndarray


class Figures(NamedTuple):
    precision: float
    wrong: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--lake", type=Path, help="an index of the folder, if there is one")
    arguments.add_argument("--questions", type=int, default=40, help="per group and number of columns")
    arguments.add_argument("--seed", type=int, default=11)
    options = arguments.parse_args()
    room = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        if options.lake is None:
            index([options.folder], room / "lake")
        with mere.open(options.lake or room / "lake") as lake:
            compare(lake, options.questions, options.seed)
    finally:
        shutil.rmtree(room)


def compare(lake: mere.Lake, count: int, seed: int) -> None:
    picker = Picker(lake, seed)
    table_3 = {(group, width): picker.questions(group, width, width, count) for group in GROUPS for width in WIDTHS}
    figure_6 = {width: picker.questions("any", width, max(WIDE), count) for width in WIDE}
    rows = Rows(picker.parts, [one for some in table_3.values() for one in some])
    found: dict[tuple[str, int, str, int], Figures] = {}
    for name in NAMES:
        for bits in SIZES:
            test = Test(rows, Recipe(name, bits))
            found.update({(name, bits, *key): test.figures(some) for key, some in table_3.items()})
    for group in GROUPS:
        pairs = {width: table_3[group, width] for width in WIDTHS}
        report(f"Table 3: columns of {group}; {_described(pairs)}", _table_3(found, group))
    report("Figure 5: what the parts of XASH contribute, at 128 bits", _figure_5(rows, table_3))
    report(
        f"Figure 6: longer keys, at 128 bits; any columns; {_described(figure_6)}", _figure_6(picker.parts, figure_6)
    )
    report("What patterns cost, at 128 bits: seconds per million values", _costs(rows))
    report("The wrong pairs that XASH lets through for each of Bloom's", _ratios(found))


class Picker:
    """Questions with their pairs, from one lake."""

    def __init__(self, lake: mere.Lake, seed: int) -> None:
        self.parts, self.seed = lake._asker.parts(KINDS["composite"]), seed
        self.edges = edges_of(self.parts)

    def questions(self, group: str, width: int, least: int, count: int) -> list[Question]:
        """Keys of so many columns, from tables that have at least so many of the group."""
        tables = [(number, table) for number, edges in enumerate(self.edges) for table in range(len(edges) - 1)]
        found: list[Question] = []
        for place in np.random.default_rng(self.seed).permutation(len(tables)).tolist():
            chance = np.random.default_rng([self.seed, place])  # wider keys have the columns of narrower ones
            keys = self._keys(*tables[place], group, width, least, chance)
            if len(keys) >= FEWEST:
                question = self._with_pairs(*tables[place], keys, chance)
                found += [question] if len(question.right) else []
            if len(found) == count:
                break
        return found

    def _keys(
        self, number: int, table: int, group: str, width: int, least: int, chance: np.random.Generator
    ) -> np.ndarray:
        segment = self.parts[number].segment
        types, sizes = segment.catalog["column.types"], segment.distinct_counts(table)
        span = [c for c, n in zip(segment.columns_of(table), sizes, strict=True) if n > 1 and types[c] in GROUPS[group]]
        if len(span) < least:
            return np.zeros((0, width), np.int64)
        columns = chance.permutation(span)[:width].tolist()
        whole = np.flatnonzero(np.logical_and.reduce([segment.codes_of(column) > 0 for column in columns]))
        rows = chance.permutation(whole)[:ROWS]
        ids = [segment.set_of(column)[segment.codes_of(column)[rows] - 1] for column in columns]
        return np.unique(np.stack(ids, axis=1).astype(np.int64), axis=0)

    def _with_pairs(self, number: int, table: int, keys: np.ndarray, chance: np.random.Generator) -> Question:
        initial = min(range(keys.shape[1]), key=lambda place: len(np.unique(keys[:, place])))
        keys = keys[np.argsort(keys[:, initial], kind="stable")]
        firsts, starts, counts = np.unique(keys[:, initial], return_index=True, return_counts=True)
        here = [self._ids_in(part, number, firsts) for part in self.parts]
        items = np.concatenate([self._items(n, ids, table if n == number else -1) for n, ids in enumerate(here)])
        items = np.unique(items)  # a row may hold a value in several columns
        rows, values = items // len(firsts), items % len(firsts)
        ends = offsets_of(counts[values])
        chosen = np.sort(chance.choice(int(ends[-1]), min(PAIRS, int(ends[-1])), replace=False))
        item = np.searchsorted(ends, chosen, side="right") - 1
        pair_rows, pair_keys = rows[item], starts[values[item]] + chosen - ends[item]
        return Question(number, keys, pair_rows, pair_keys, self._right(number, keys, pair_rows, pair_keys))

    def _ids_in(self, part: Part, number: int, ids: np.ndarray) -> np.ndarray:
        """The ids that values of one segment have in another; -1 if it lacks them."""
        own = self.parts[number].segment.dictionary
        return part.segment.dictionary.find(own.values.take(ids), own.hashes[ids])

    def _items(self, number: int, ids: np.ndarray, skip: int) -> np.ndarray:
        """Of these values, every (row, value) of a segment, but for one table: the row times the values, and which."""
        part, segment = self.parts[number], self.parts[number].segment
        found = [np.zeros(0, np.int64)]
        for column, values in _columns_with(part, ids):
            table = int(segment.table_of_column[column])
            if table != skip:
                code = np.searchsorted(segment.set_of(column), ids[values].astype(np.uint32))
                counts = segment.counts_of(column).astype(np.int64)
                rows = order_of(part, column)[places_of(offsets_of(counts)[code], counts[code])]
                found.append((self.edges[number][table] + rows) * len(ids) + np.repeat(values, counts[code]))
        return np.concatenate(found)

    def _right(self, number: int, keys: np.ndarray, pair_rows: np.ndarray, pair_keys: np.ndarray) -> np.ndarray:
        """Whether the row holds each value of the key in as many columns as the key does."""
        held = np.zeros((len(pair_rows), keys.shape[1]), np.int64)
        for part, edges in zip(self.parts, self.edges, strict=True):
            segment = part.segment
            for place in range(keys.shape[1]):
                ids = self._ids_in(part, number, keys[:, place])
                for column, _ in _columns_with(part, np.unique(ids)):
                    table = segment.table_of_column[column]
                    some = slice(*np.searchsorted(pair_rows, edges[table : table + 2]))
                    codes = segment.codes_of(column)[pair_rows[some] - edges[table]].astype(np.int64)
                    same = segment.set_of(column)[np.maximum(codes, 1) - 1] == ids[pair_keys[some]]
                    held[some, place] += same & (codes > 0)
        needed = (keys[:, :, None] == keys[:, None, :]).sum(axis=2)
        return (held >= needed[pair_keys]).all(axis=1)


def edges_of(parts: list[Part]) -> list[np.ndarray]:
    """Of each segment, where the rows of its tables start and end, counted through the lake."""
    found, before = [], 0
    for part in parts:
        found.append(before + offsets_of(part.segment.catalog["table.rows"].astype(np.int64)))
        before = int(found[-1][-1])
    return found


def _columns_with(part: Part, ids: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The columns of a segment that hold any of these values, and which of them."""
    values, starts = np.flatnonzero(ids >= 0), part.arrays["list.starts"]
    begins, ends = starts[ids[values]].astype(np.int64), starts[ids[values] + 1].astype(np.int64)
    columns, values = part.arrays["list.columns"][places_of(begins, ends - begins)], np.repeat(values, ends - begins)
    order = np.argsort(columns, kind="stable")
    for several in np.split(order, np.flatnonzero(np.diff(columns[order])) + 1):
        if len(several):
            yield int(columns[several[0]]), values[several]


class Rows:
    """The rows that questions look at, each cell the number of its value among those that occur; 0 is null."""

    def __init__(self, parts: list[Part], questions: list[Question]) -> None:
        self.ranks = parts[0].arrays["recipe.ranks"]
        self.wanted = np.unique(np.concatenate([question.pair_rows for question in questions]))
        self.columns: list[tuple[slice, np.ndarray]] = []
        self.numbers, values, hashes = [], [], []
        before = 1
        for number, (part, edges) in enumerate(zip(parts, edges_of(parts), strict=True)):
            dictionary, cells = part.segment.dictionary, list(self._cells(part, edges))
            used = np.zeros(len(dictionary) + 1, bool)  # the last is null
            for ids in [*(ids for _, ids in cells), *(one.keys for one in questions if one.segment == number)]:
                used[ids] = True
            chosen = np.flatnonzero(used[:-1])
            numbers = np.where(used, before + np.cumsum(used) - 1, 0).astype(np.uint32)
            numbers[-1] = 0
            self.columns += [(some, numbers[ids]) for some, ids in cells]
            self.numbers.append(numbers)
            values.append(dictionary.values.take(chosen))
            hashes.append(dictionary.hashes[chosen])
            before += len(chosen)
        self.values, self.hashes = Strings.concat(values), np.concatenate(hashes)

    def _cells(self, part: Part, edges: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Column by column, which of the wanted rows are its table's, and the ids of their values; -1 is null."""
        for column, table in enumerate(part.segment.table_of_column.tolist()):
            some = slice(*np.searchsorted(self.wanted, edges[table : table + 2]))
            if some.start < some.stop and len(part.segment.set_of(column)):
                codes = part.segment.codes_of(column)[self.wanted[some] - edges[table]].astype(np.int64)
                ids = part.segment.set_of(column)[np.maximum(codes, 1) - 1].astype(np.int32)
                yield some, np.where(codes > 0, ids, -1)


class Test:
    """The super keys of all rows by one recipe."""

    def __init__(self, rows: Rows, recipe: Recipe, parts: frozenset[str] = ALL_PARTS) -> None:
        words = patterns(rows.values, rows.hashes, recipe, rows.ranks, parts)
        self.rows, self.bits = rows, np.concatenate([np.zeros((1, words.shape[1]), np.uint64), words])
        self.super_keys = np.zeros((len(rows.wanted), words.shape[1]), np.uint64)
        for some, numbers in rows.columns:
            self.super_keys[some] |= self.bits[numbers]

    def figures(self, questions: list[Question]) -> Figures:
        precision, wrong = [], []
        for one in questions:
            passes, right = self._passes(one), int(one.right.sum())
            assert passes[one.right].all(), "a super key dismisses a row that holds the key"
            if right:
                precision.append(right / int(passes.sum()))
            if right < len(passes):
                wrong.append((int(passes.sum()) - right) / (len(passes) - right))
        return Figures(*(float(np.mean(some)) if some else float("nan") for some in (precision, wrong)))

    def _passes(self, one: Question) -> np.ndarray:
        keys = np.bitwise_or.reduce(self.bits[self.rows.numbers[one.segment][one.keys]], axis=1)
        theirs = self.super_keys[np.searchsorted(self.rows.wanted, one.pair_rows)]
        return ~(keys[one.pair_keys] & ~theirs).any(axis=1)


def _described(questions: dict[int, list[Question]]) -> str:
    lines = [
        f"{width} columns: {len(some)} questions ({sum(one.right.any() for one in some)} with a right pair), "
        f"{sum(len(one.right) for one in some):,} pairs ({np.mean(np.concatenate([o.right for o in some])):.2%} right)"
        for width, some in questions.items()
    ]
    return "\n  ".join(["", *lines])


def _table_3(found: dict[tuple[str, int, str, int], Figures], group: str) -> list[Row]:
    rows = [("bits", " / ".join(map(str, SIZES)), "")]
    for width in WIDTHS:
        for name in NAMES:
            several = [found[name, bits, group, width] for bits in SIZES]
            rows.append((f"{width} columns: {name}", _shown(several), ""))
    return rows


def _shown(several: list[Figures]) -> str:
    precision, wrong = (
        " ".join(f"{one.precision:.3f}" for one in several),
        " ".join(f"{one.wrong:.4f}" for one in several),
    )
    return f"precision {precision}   wrong {wrong}"


def _figure_5(rows: Rows, table_3: dict[tuple[str, int], list[Question]]) -> list[Row]:
    lines = []
    tests = {what: Test(rows, Recipe("xash", 128), frozenset(parts)) for what, parts in XASH_PARTS.items()}
    for (group, width), questions in table_3.items():
        for what, test in tests.items():
            lines.append((f"{width} columns of {group}: {what}", _shown([test.figures(questions)]), ""))
    return lines


def _figure_6(parts: list[Part], figure_6: dict[int, list[Question]]) -> list[Row]:
    lines, rows = [], Rows(parts, [one for some in figure_6.values() for one in some])
    for name in ("xash", "bloom"):
        test = Test(rows, Recipe(name, 128))
        lines += [(f"{name}: {width} columns", _shown([test.figures(some)]), "") for width, some in figure_6.items()]
    return lines


def _costs(rows: Rows, most: int = 100_000) -> list[Row]:
    some = np.sort(np.random.default_rng(0).permutation(len(rows.values))[:most])
    values, hashes = rows.values.take(some), rows.hashes[some]
    lines = []
    for name in NAMES:
        for _ in range(2):  # the first is a warm-up
            took, _ = timed(lambda n=name: patterns(values, hashes, Recipe(n, 128), rows.ranks))
        lines.append((name, f"{took / len(some) * 1e6:.3f} s", ""))
    return [*lines, ("bytes per row: 128 / 256 / 512 bits", " / ".join(str(bits // 8) for bits in SIZES), "")]


def _ratios(found: dict[tuple[str, int, str, int], Figures]) -> list[Row]:
    lines = []
    for bits in SIZES:
        for group in GROUPS:
            ratios = [found["xash", bits, group, w].wrong / found["bloom", bits, group, w].wrong for w in WIDTHS]
            figure = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            lines.append((f"{bits} bits, columns of {group}: {', '.join(map(str, WIDTHS))}", figure, ""))
    return lines


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - started:.0f} s")
