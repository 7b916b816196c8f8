"""How well do super keys dismiss rows, by hash function and size?

    python benchmarks/super_keys.py FOLDER [--lake LAKE] [--questions N] [--seed S]

MATE (Esmailoghli, Quiané-Ruiz, Abedjan; PVLDB 2022): table 3, figure 5, figure 6 (b), and what patterns cost.

A question is a table picked by a seed, and some of its columns: text and dates, or any.  Algorithm 1 looks at pairs of
a row and a key: the rows, of all other tables of the segment, that hold the key's value in the initial column, which is
the one with the fewest values.  A pair is **right** if the row holds all values of the key, in distinct columns; a
super key never dismisses a right one.  All functions are asked about the same pairs, at most `PAIRS` a question.

    precision   right pairs / pairs that pass: the mean of the questions that have a right pair
    wrong       wrong pairs that pass / wrong pairs: the mean of all questions
    ideal       lets a pair pass if the row holds all values of the key: if two of them are equal, no OR can do better
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mere
from measuring import report, timed
from mere.indexes import KINDS
from mere.indexes.composite.numpy import order_of
from mere.indexes.composite.super_keys import ALL_PARTS, NAMES, SIZES, Recipe, patterns
from mere.indexes.kind import Part
from mere.pipeline import index
from mere.store import offsets_of, places_of
from mere.values import Type

GROUPS = {"text and date": (Type.TEXT, Type.DATETIME), "any": tuple(Type)}
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
BANDS = {"1-12": (1, 12), "13-40": (13, 40), "more than 40": (41, 1 << 32)}  # cells of a row
Row = tuple[str, str, str]


class Question(NamedTuple):
    """Keys, as ids of a segment's values, and the pairs that they make with its rows."""

    segment: int
    keys: np.ndarray
    rows: np.ndarray
    numbers: np.ndarray  # of the keys
    covered: np.ndarray  # whether the row holds all values of the key, be it in fewer columns
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
            compare([Cells(part) for part in lake._asker.parts(KINDS["composite"])], options.questions, options.seed)
    finally:
        shutil.rmtree(room)


def compare(lake: list[Cells], count: int, seed: int) -> None:
    table_3 = {(g, width): picked(lake, g, width, width, count, seed) for g in GROUPS for width in WIDTHS}
    figure_6 = {width: picked(lake, "any", width, max(WIDE), count, seed) for width in WIDE}
    sample = Sample(lake, [one for some in table_3.values() for one in some])
    found, bands = {}, {}
    for recipe in (Recipe(name, bits) for name in NAMES for bits in SIZES):
        test = Test(sample, recipe)
        found.update({(*recipe, *key): test.figures(some) for key, some in table_3.items()})
        if recipe.name in ("bloom", "xash"):
            bands.update({(*recipe, band): test.wrong_in(table_3, *edges) for band, edges in BANDS.items()})
    for key, some in table_3.items():
        found.update({("ideal", bits, *key): figures_of(some, [one.covered for one in some]) for bits in SIZES})
    for group in GROUPS:
        lines = [
            (f"{width} columns: {name}", _shown(*(found[name, bits, group, width] for bits in SIZES)), "")
            for width in WIDTHS
            for name in (*NAMES, "ideal")
        ]
        asked = {width: table_3[group, width] for width in WIDTHS}
        report(f"Table 3: {group} columns, at 128, 256 and 512 bits{_described(asked)}", lines)
    report("Figure 5: what the parts of XASH contribute, at 128 bits", _figure_5(sample, table_3))
    sample = Sample(lake, [one for some in figure_6.values() for one in some])
    report(f"Figure 6: longer keys, any columns, at 128 bits{_described(figure_6)}", _figure_6(sample, figure_6))
    report("What patterns cost, at 128 bits", _costs(lake[0]))
    report("Wrong pairs that pass, by cells of the row, but for those that the ideal lets pass", _by_cells(bands))


class Cells:
    """A segment's cells, by value and by row; rows are counted through the segment."""

    def __init__(self, part: Part) -> None:
        self.part, self.segment = part, part.segment
        starts, ids = self.segment.values["set.starts"], self.segment.values["set.ids"]
        self.sets = np.repeat(np.arange(len(starts) - 1), np.diff(starts)) << 32 | ids  # (column, value), ascending
        self.counts = self.segment.counts_between(0, len(self.segment.values["set.ids"])).astype(np.int64)
        self.before = offsets_of(self.counts)
        edges, tables = offsets_of(self.segment.catalog["table.rows"].astype(np.int64)), self.segment.table_of_column
        self.rows = np.concatenate([edges[table] + order_of(part, c) for c, table in enumerate(tables.tolist())])
        self.by_row = np.sort(self.rows << 32 | np.repeat(ids, self.counts))
        self.row_starts = np.searchsorted(self.by_row, np.arange(edges[-1] + 1) << 32)

    def keys(self, table: int, group: str, width: int, least: int, chance: np.random.Generator) -> np.ndarray:
        """Keys of so many columns, if the table has at least so many of the group."""
        segment, types = self.segment, self.segment.catalog["column.types"]
        sizes = zip(segment.columns_of(table), segment.distinct_counts(table), strict=True)
        columns = chance.permutation([column for column, size in sizes if size > 1 and types[column] in GROUPS[group]])
        if len(columns) < least:
            return np.zeros((0, width), np.int64)
        codes = np.stack([segment.codes_of(int(column)).astype(np.int64) for column in columns[:width]], axis=1)
        some = chance.permutation(codes[(codes > 0).all(axis=1)])[:ROWS]
        ids = [segment.set_of(int(column))[own - 1] for column, own in zip(columns, some.T, strict=False)]
        return np.unique(np.stack(ids, axis=1).astype(np.int64), axis=0)

    def pairs(self, table: int, keys: np.ndarray, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Pairs that Algorithm 1 looks at: rows of other tables, ascending, and keys."""
        initial = min(keys.T, key=lambda values: len(np.unique(values)))
        by_value = np.argsort(initial, kind="stable")
        ids, firsts, several = np.unique(initial[by_value], return_index=True, return_counts=True)
        starts = self.part.arrays["list.starts"].astype(np.int64)
        lengths = starts[ids + 1] - starts[ids]
        columns = self.part.arrays["list.columns"][places_of(starts[ids], lengths)].astype(np.int64)
        others = self.segment.table_of_column[columns] != table
        columns, values = columns[others], np.repeat(np.arange(len(ids)), lengths)[others]
        lists = np.searchsorted(self.sets, columns << 32 | ids[values])
        ends = offsets_of(self.counts[lists] * several[values])
        chosen = chance.choice(ends[-1], min(PAIRS, ends[-1]), replace=False)
        item = np.searchsorted(ends, chosen, side="right") - 1
        row, key = np.divmod(chosen - ends[item], several[values[item]])
        row, key = self.rows[self.before[lists[item]] + row], by_value[firsts[values[item]] + key]
        return np.divmod(np.unique(row * len(keys) + key), len(keys))  # a row may hold a value twice

    def held(self, rows: np.ndarray, ids: np.ndarray) -> np.ndarray:
        """In how many cells each of the rows holds its value."""
        wanted = rows << 32 | ids
        return np.searchsorted(self.by_row, wanted, side="right") - np.searchsorted(self.by_row, wanted)


def picked(lake: list[Cells], group: str, width: int, least: int, count: int, seed: int) -> list[Question]:
    """Tables in an order given by the seed, as long as questions are wanted."""
    tables = [(number, table) for number, cells in enumerate(lake) for table in range(cells.segment.table_count)]
    found: list[Question] = []
    for place in np.random.default_rng(seed).permutation(len(tables)).tolist():
        chance = np.random.default_rng([seed, place])  # wider keys have the columns of narrower ones
        number, table = tables[place]
        keys = lake[number].keys(table, group, width, least, chance)
        rows, numbers = lake[number].pairs(table, keys, chance) if len(keys) >= FEWEST else ((), ())
        if len(rows):
            needed = (keys[:, :, None] == keys[:, None, :]).sum(axis=2)[numbers]
            held = np.stack([lake[number].held(rows, ids) for ids in keys[numbers].T], axis=1)
            found.append(Question(number, keys, rows, numbers, held.all(axis=1), (held >= needed).all(axis=1)))
        if len(found) == count:
            break
    return found


class Sample:
    """The rows that questions look at, and the values that occur in them or in keys, segment by segment."""

    def __init__(self, lake: list[Cells], questions: list[Question]) -> None:
        self.lake, self.rows, self.lengths, self.ids, self.numbers = lake, [], [], [], []
        for number, cells in enumerate(lake):
            own = [one for one in questions if one.segment == number]
            rows = np.unique(np.concatenate([np.zeros(0, np.int64), *(one.rows for one in own)]))
            lengths = np.diff(cells.row_starts)[rows]
            ids = cells.by_row[places_of(cells.row_starts[rows], lengths)] & 0xFFFFFFFF
            self.ids.append(np.unique(np.concatenate([ids, *(one.keys.reshape(-1) for one in own)])))
            self.numbers.append(np.searchsorted(self.ids[-1], ids))
            self.rows.append(rows)
            self.lengths.append(lengths)

    def places(self, one: Question) -> np.ndarray:
        return np.searchsorted(self.rows[one.segment], one.rows)


class Test:
    """The super keys of a sample by one recipe."""

    def __init__(self, sample: Sample, recipe: Recipe, parts: frozenset[str] = ALL_PARTS) -> None:
        self.sample, self.bits, self.super_keys = sample, [], []
        for cells, ids, numbers, lengths in zip(sample.lake, sample.ids, sample.numbers, sample.lengths, strict=True):
            known, ranks = cells.segment.dictionary, cells.part.arrays["recipe.ranks"]
            self.bits.append(patterns(known.values.take(ids), known.hashes[ids], recipe, ranks, parts))
            edges = offsets_of(lengths)
            pieces = [np.zeros((0, recipe.bits // 64), np.uint64)]
            for start in range(0, len(lengths), 1 << 14):  # some at a time, so that they stay near the processor
                some = edges[start : start + (1 << 14) + 1]
                own = self.bits[-1][numbers[some[0] : some[-1]]]
                pieces.append(np.bitwise_or.reduceat(own, some[:-1] - some[0], axis=0))
            self.super_keys.append(np.concatenate(pieces))

    def passes(self, one: Question) -> np.ndarray:
        values = np.searchsorted(self.sample.ids[one.segment], one.keys)
        keys = np.bitwise_or.reduce(self.bits[one.segment][values], axis=1)
        theirs = self.super_keys[one.segment][self.sample.places(one)]
        return ~(keys[one.numbers] & ~theirs).any(axis=1)

    def figures(self, questions: list[Question]) -> Figures:
        return figures_of(questions, [self.passes(one) for one in questions])

    def wrong_in(self, questions: dict[tuple[str, int], list[Question]], low: int, high: int) -> tuple[int, int]:
        """The pairs that pass, and all, among those with so many cells that the ideal dismisses."""
        passing = pairs = 0
        for one in (one for some in questions.values() for one in some):
            lengths = self.sample.lengths[one.segment][self.sample.places(one)]
            asked = ~one.covered & (lengths >= low) & (lengths <= high)
            passing, pairs = passing + int((self.passes(one) & asked).sum()), pairs + int(asked.sum())
        return passing, pairs


def figures_of(questions: list[Question], passing: list[np.ndarray]) -> Figures:
    precision, wrong = [], []
    for one, passes in zip(questions, passing, strict=True):
        assert passes[one.covered].all(), "a super key dismisses a row that holds the key"
        right, through = int(one.right.sum()), int(passes.sum())
        precision += [right / through] if right else []
        wrong += [(through - right) / (len(passes) - right)] if right < len(passes) else []
    return Figures(*(float(np.mean(some)) if some else float("nan") for some in (precision, wrong)))


def _shown(*several: Figures) -> str:
    precision, wrong = (" ".join(f"{one[n]:.{3 + n}f}" for one in several) for n in (0, 1))
    return f"precision {precision}, wrong {wrong}"


def _described(questions: dict[int, list[Question]]) -> str:
    lines = []
    for width, some in questions.items():
        right = [int(one.right.sum()) for one in some]
        pairs = f"{sum(len(one.right) for one in some):,} pairs, {sum(right):,} right, in {np.count_nonzero(right)}"
        lines.append(f"\n  {width} columns: {len(some)} questions; {pairs} of them")
    return "".join(lines)


def _figure_5(sample: Sample, table_3: dict[tuple[str, int], list[Question]]) -> list[Row]:
    tests = {what: Test(sample, Recipe("xash", 128), frozenset(parts)) for what, parts in XASH_PARTS.items()}
    return [
        (f"{width} {group} columns: {what}", _shown(test.figures(questions)), "")
        for (group, width), questions in table_3.items()
        for what, test in tests.items()
    ]


def _figure_6(sample: Sample, figure_6: dict[int, list[Question]]) -> list[Row]:
    tests = {name: Test(sample, Recipe(name, 128)) for name in ("xash", "bloom")}
    return [
        (f"{name}: {width} columns", _shown(test.figures(questions)), "")
        for name, test in tests.items()
        for width, questions in figure_6.items()
    ]


def _costs(cells: Cells, most: int = 100_000) -> list[Row]:
    known, ranks = cells.segment.dictionary, cells.part.arrays["recipe.ranks"]
    some = np.sort(np.random.default_rng(0).permutation(len(known))[:most])
    values, hashes = known.values.take(some), known.hashes[some]
    lines = []
    for name in NAMES:
        laps = [timed(lambda n=name: patterns(values, hashes, Recipe(n, 128), ranks))[0] for _ in range(2)]
        lines.append((f"{name}: a million values", f"{laps[-1] / len(some) * 1e6:.3f} s", ""))
    return [*lines, ("a row: 128, 256, 512 bits", ", ".join(str(bits // 8) for bits in SIZES) + " bytes", "")]


def _by_cells(bands: dict[tuple[str, int, str], tuple[int, int]]) -> list[Row]:
    lines = []
    for bits in SIZES:
        for band in BANDS:
            bloom, xash = (
                passing / max(1, pairs) for passing, pairs in (bands[n, bits, band] for n in ("bloom", "xash"))
            )
            ratio = f"{xash / bloom:.1f} times" if bloom else "-"
            lines.append((f"{bits} bits, {band} cells: xash / bloom", f"{xash:.5f} / {bloom:.5f}: {ratio}", ""))
    return lines


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - started:.0f} s")
