"""The two tables while they are matched: distinct rows, canonical cells, keys, and samples of them (section 4.5).

Equal rows are matched once and multiplied at the end.  For large tables, pairs are looked for in samples of both.
With p_s and p_t the shares of the source and target rows that are sampled, r the share of the target rows that have a
partner, T examples needed and K = T / (1 - delta), the least rows are read with

    p_s = sqrt(K / (r N_s)),    p_t = sqrt(K N_s / (r N_t^2)),

each at most 1 (the thesis swaps the two; a share that would be above 1 becomes 1, and the other follows from
N_t p_t p_s r = K).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from math import sqrt
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from mere.transform.canonical import canonical
from mere.transform.outcome import Columns
from mere.transform.program import Cell, Program
from mere.values import normalise

EXAMPLES_NEEDED = 4  # T
SHARES_OF_PARTNERS = (0.5, 0.05)  # r: a small sample first; if no program explains most rows, a large one
_DELTA = 0.8
_SMALL = 2500  # rows up to which a table is looked at as a whole
LONGEST_KEY = 1024  # characters: longer cells are not keys
MOST_ROWS_OF_A_KEY = 100  # a value that more distinct rows of a table have, such as "unknown", is not a key


Partners = dict[int, list[int]]  # rows of the target by row of the source
Rows = dict[str, list[int]]  # of one table, by key


class Normal(NamedTuple):
    """A column as its values are compared."""

    cells: list[Cell]
    values: set[str]


class Side:
    """One of the tables: its columns that hold anything, and its distinct rows."""

    def __init__(self, columns: Columns) -> None:
        blank = {
            name: [cell if cell and not cell.isspace() else None for cell in cells] for name, cells in columns.items()
        }
        self.columns = {name: cells for name, cells in blank.items() if any(cell is not None for cell in cells)}
        self.names = list(self.columns)
        self.copies: dict[int, list[int]] = {}  # the first of equal rows, and all of them
        first: dict[tuple[Cell, ...], int] = {}
        for row, cells in enumerate(zip(*self.columns.values(), strict=True)):
            if any(cell is not None for cell in cells):
                self.copies.setdefault(first.setdefault(cells, row), []).append(row)
        self.rows = list(self.copies)
        self._normal: dict[str, Normal] = {}

    def cells(self, name: str, row: int) -> Cell:
        return self.columns[name][row]

    def normal(self, name: str) -> Normal:
        """A column's cells as they are compared, and which there are."""
        if name not in self._normal:
            cells = keys_of(self.columns[name])
            self._normal[name] = Normal(cells, {cell for cell in cells if cell})
        return self._normal[name]

    def canonical(self, names: Sequence[str], row: int) -> tuple[str, ...]:
        """The canonical texts of a row's cells, without the empty ones."""
        cells = (self.columns[name][row] for name in names)
        return tuple(text for cell in cells if cell is not None and (text := canonical(cell)))

    def outputs(self, program: Program, rows: Sequence[int]) -> list[Cell]:
        """What a program makes of some rows."""
        return program.over([[self.columns[name][row] for row in rows] for name in program.columns])


def keys_of(texts: Sequence[Cell]) -> list[Cell]:
    """What must be equal for texts to join; None for what cannot be a key."""
    short = [text if text is not None and len(text) <= LONGEST_KEY else None for text in texts]
    return [key or None for key in normalise(pa.array(short, pa.string())).to_pylist()]


class Keys:
    """The keys of a target table: which distinct rows have which key; what too many rows have is none (`crowded`)."""

    def __init__(self, side: Side, program: Program) -> None:
        self.texts = side.outputs(program, side.rows)
        self.rows: Rows = defaultdict(list)
        for row, key in zip(side.rows, keys_of(self.texts), strict=True):
            if key is not None:
                self.rows[key].append(row)
        self.crowded = [key for key, rows in self.rows.items() if len(rows) > MOST_ROWS_OF_A_KEY]
        for key in self.crowded:
            del self.rows[key]

    def partners(self, source: Side, program: Program, rows: Sequence[int]) -> tuple[Partners, Rows]:
        """The target rows whose key a program makes of source rows, for those that have any; and all keys it makes."""
        found, made = {}, defaultdict(list)
        for row, key in zip(rows, keys_of(source.outputs(program, rows)), strict=True):
            if key is not None:
                made[key].append(row)
                if key in self.rows:
                    found[row] = self.rows[key]
        return found, made


def sample(source: Side, target: Side, share: float, seed: int) -> tuple[list[int], list[int]]:
    """The distinct rows of both tables in which pairs are looked for: all of them, if there are few.

    `share` is the share of the target rows that are expected to have a partner.
    """
    source_count, target_count = len(source.rows), len(target.rows)
    if max(source_count, target_count) <= _SMALL:
        return source.rows, target.rows
    wanted = EXAMPLES_NEEDED / (1 - _DELTA) / share
    of_source = min(1.0, sqrt(wanted / source_count))
    of_target = min(1.0, wanted / target_count / of_source)
    of_source = min(1.0, wanted / target_count / of_target)
    rng = random.Random(seed)  # noqa: S311
    least = min(_SMALL, source_count), min(_SMALL, target_count)
    return (
        _some(source.rows, max(least[0], round(of_source * source_count)), rng),
        _some(target.rows, max(least[1], round(of_target * target_count)), rng),
    )


def _some(rows: list[int], count: int, rng: random.Random) -> list[int]:
    return rows if count >= len(rows) else sorted(rng.sample(rows, count))


def expanded(pairs: Sequence[tuple[int, int]], left: Side, right: Side) -> np.ndarray:
    """Pairs of distinct rows as pairs of all rows, with the number of the pair: three rows of numbers."""
    sides = ((left, [one for one, _ in pairs]), (right, [other for _, other in pairs]))
    copies = [[side.copies[row] for row in rows] for side, rows in sides]
    mine, theirs = (np.array([len(rows) for rows in side], np.int64) for side in copies)
    flat, other = (np.fromiter(chain.from_iterable(side), np.int64) for side in copies)
    number = np.repeat(np.arange(len(pairs)), mine * theirs)
    starts = np.concatenate([[0], np.cumsum(theirs)])[:-1]
    within = np.arange(len(number)) - np.repeat(np.cumsum(mine * theirs) - mine * theirs, mine * theirs)
    return np.stack([np.repeat(flat, np.repeat(theirs, mine)), other[starts[number] + within % theirs[number]], number])


def expanded_count(pairs: Sequence[tuple[int, int]], left: Side, right: Side) -> int:
    """How many pairs of all rows there are."""
    return sum(len(left.copies[one]) * len(right.copies[other]) for one, other in pairs)
