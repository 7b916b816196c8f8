"""How the benchmark of reading writes numbers in a convention, and headers of several shapes."""

from __future__ import annotations

import random

from reading_faults import Style
from reading_tables import NUMBER, Column, Truth

SIGNS = ("${}", "€{}", "{} €", "£{}", "{} USD", "R$ {}")


def decimals(columns: list[Column]) -> list[Column]:
    return [column for column in columns if column.type == NUMBER and column.kind != "id"]


def spell_numbers(columns: list[Column], style: Style, rng: random.Random) -> None:
    if not style.numbers:
        return
    sign = rng.choice([sign for sign in SIGNS if sign == sign.encode(style.encoding, "replace").decode(style.encoding)])
    for column in decimals(columns):
        decimal = column.kind in ("decimal", "large")
        column.cells = [_spelled(cell, style.numbers, sign, decimal, rng) for cell in column.cells]


def _spelled(cell: str, convention: str, sign: str, decimal: bool, rng: random.Random) -> str:
    """The number in the convention; whole numbers below 1000 have no separator to write."""
    if not cell[:1].isdigit():
        return cell
    if convention == "currency":
        return sign.format(f"{float(cell):,.2f}") if decimal else cell
    if convention == "percent":
        return f"{cell}%" if decimal else cell
    if convention in ("brackets", "trailing minus"):
        negative = rng.random() < 0.3
        return (f"({cell})" if convention == "brackets" else f"{cell}-") if negative else cell
    marks = {"decimal comma": ("", ","), "comma thousands": (",", "."), "point thousands": (".", ","),
             "space thousands": (" ", ","), "apostrophe thousands": ("'", "."), "indian": (",", ".")}  # fmt: skip
    thousands, point = marks[convention]
    whole, _, fraction = cell.partition(".")
    grouped = _indian(whole) if convention == "indian" else f"{int(whole):,}"
    return grouped.replace(",", thousands) + (point + fraction if fraction else "")


def _indian(whole: str) -> str:
    head, tail = whole[:-3], whole[-3:]
    pairs = []
    while head:
        pairs.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*pairs, tail])


def header(columns: list[Column], style: Style, rng: random.Random) -> tuple[list[list[str]], Truth]:
    names = [column.name for column in columns]
    cells = [list(row) for row in zip(*(column.cells for column in columns), strict=True)]
    types = [column.type for column in columns]
    truth = Truth([[name] for name in names], cells, types)
    if style.header == "none":
        truth.has_header, truth.names = False, [[] for _ in names]
        return [], truth
    if style.header in ("two lines", "three lines"):
        uppers = [_groups(len(names), rng) for _ in range(1 if style.header == "two lines" else 2)]
        truth.names = [[" ".join(filter(None, (*(_reaching(upper, i) for upper in reversed(uppers)), name)))]
                       for i, name in enumerate(names)]  # fmt: skip
        return [*reversed(uppers), names], truth
    if style.header == "units":
        units = [rng.choice(["m", "kg", "EUR", "cm"]) if column in decimals(columns) else "" for column in columns]
        truth.names = [[name, f"{name} {unit}"] for name, unit in zip(names, units, strict=True)]
        return [names, units], truth
    if style.header == "R write.table":
        truth.names, truth.types = [[], *truth.names], ["", *types]
    elif style.header == "repeated name":
        first, second = sorted(rng.sample(range(len(names)), 2))
        names[second] = names[first]
        for place in (first, second):
            truth.names[place] = [names[first], *(f"{names[first]}{n}" for n in range(len(names) + 2))]
    elif style.header == "empty name":
        place = rng.randrange(len(names))
        names[place], truth.names[place] = "", []
    elif style.header == "years":
        start = rng.randint(1990, 2015)
        for year, column in enumerate(decimals(columns), start):
            names[columns.index(column)] = str(year)
        truth.names = [[name] for name in names]
    return [names], truth


def _groups(width: int, rng: random.Random) -> list[str]:
    """Merged cells as exports write them: the name of a group in its first column, blanks in the others."""
    cells, words = [""], rng.sample(["North", "South", "Male", "Female", "Plan", "Actual", "Old", "New", "Mean"], 9)
    while len(cells) < width:
        cells += [words.pop() if words else "Rest", *[""] * rng.randint(1, 2)]
    return cells[:width]


def _reaching(upper: list[str], place: int) -> str:
    return next((cell for cell in reversed(upper[: place + 1]) if cell), "")
