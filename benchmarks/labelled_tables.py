"""Pairs of tables whose rows that belong together are known: reading them, and scoring answers.

A folder per pair, with source.csv, target.csv and ground truth.csv (the cells of a source row, then those of a target
row), as in the Web benchmark of Auto-Join (Zhu, He, Chaudhuri; PVLDB 2017).  Headers of the truth are not read: some
lack a prefix, one repeats a name.  A row of the truth is that table row that has the same cells; or, since some
are written differently there, the same letters and digits.  The target rows are shuffled, with a seed.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np

Row = tuple[str, ...]
Answers = set[tuple[Row, Row]]  # distinct pairs of a source and a target row
SEED = 7


class Table(NamedTuple):
    columns: dict[str, list[str | None]]
    rows: list[Row]


class Labelled(NamedTuple):
    name: str
    source: Table
    target: Table
    truth: Answers
    unplaced: list[list[str]]  # rows of the truth that are no rows of the tables


class Figures(NamedTuple):
    precision: float
    recall: float
    f: float


def read_all(folder: Path) -> list[Labelled]:
    """The pairs of a folder, by name."""
    return [read(path) for path in sorted(folder.iterdir()) if (path / "ground truth.csv").is_file()]


def read(folder: Path) -> Labelled:
    source, target = table(folder / "source.csv"), shuffled(table(folder / "target.csv"))
    places = by_letters(source.rows), by_letters(target.rows)
    truth: Answers = set()
    unplaced = []
    width = len(source.columns)
    for cells in rows_of(folder / "ground truth.csv")[1:]:
        mine = placed(cells[:width], width, places[0])
        theirs = placed(cells[width:], len(target.columns), places[1])
        if mine and theirs:
            truth.add((mine, theirs))
        elif any(cells):
            unplaced.append(cells)
    return Labelled(folder.name, source, target, truth, unplaced)


def table(path: Path) -> Table:
    header, *rows = rows_of(path)
    width = len(header)
    names = [name if name and name not in header[:place] else f"column {place}" for place, name in enumerate(header)]
    padded = [padded_to(width, cells) for cells in rows]
    columns = {name: [row[place] or None for row in padded] for place, name in enumerate(names)}
    return Table(columns, padded)


def shuffled(of: Table) -> Table:
    order = list(range(len(of.rows)))
    random.Random(SEED).shuffle(order)
    columns = {name: [cells[row] for row in order] for name, cells in of.columns.items()}
    return Table(columns, [of.rows[row] for row in order])


def rows_of(path: Path) -> list[list[str]]:
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.reader(file))


def padded_to(width: int, cells: list[str]) -> Row:
    return tuple((cells + [""] * width)[:width])


def by_letters(rows: list[Row]) -> dict[Row | str, Row]:
    """Rows by their cells, and by their letters and digits."""
    return {letters(row): row for row in reversed(rows)} | {row: row for row in rows}


def letters(row: Row) -> str:
    return "".join(character for cell in row for character in cell.casefold() if character.isalnum())


def placed(cells: list[str], width: int, places: dict[Row | str, Row]) -> Row | None:
    row = padded_to(width, cells)
    return places.get(row) or places.get(letters(row))


def scored(answers: Answers, truth: Answers) -> Figures:
    """Where nothing is answered, all three are 0."""
    right = len(answers & truth)
    return Figures(right / max(1, len(answers)), right / len(truth), 2 * right / (len(answers) + len(truth)))


def average(figures: list[Figures]) -> Figures:
    return Figures(*np.mean(figures, axis=0).tolist())
