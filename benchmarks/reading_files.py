"""Files of the benchmark of reading: tables with known cells, written with one fault or several."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reading_faults import FAULTS, Fault, Style, combination, style_of
from reading_shapes import decimals, header, spell_numbers
from reading_tables import NUMBER, TEXT, Column, Maker, Truth

SETS_OF_FAULTS = (2, 3, 4)
SHARE_OF_COMBINATIONS = 0.2


@dataclass
class File:
    fault: str  # the row of the report
    faults: list[str]
    data: bytes
    truths: list[Truth]


def files(count: int, seed: int, held_out: bool) -> Iterator[File]:
    """About `count` files, as many of each fault, and a fifth with several at once; the same for the same seed."""
    combined = int(count * SHARE_OF_COMBINATIONS) // len(SETS_OF_FAULTS)
    single = max(1, (count - combined * len(SETS_OF_FAULTS)) // len(FAULTS))
    for fault in FAULTS:
        for number in range(single):
            yield make(fault.name, [fault], random.Random(f"{seed}/{fault.name}/{number}"), held_out)
    for size in SETS_OF_FAULTS:
        for number in range(combined):
            rng = random.Random(f"{seed}/{size} faults/{number}")
            yield make(f"{size} faults together", combination(rng, size), rng, held_out)


def make(row: str, faults: list[Fault], rng: random.Random, held_out: bool) -> File:
    style = style_of(faults, rng)
    maker = Maker(rng, held_out, style.language)
    if style.layout == "stacked":
        texts, truths = _stacked(maker, style)
    else:
        text, truth = _one(maker, style)
        texts, truths = [text], [truth]
    text = style.newline.join(texts)
    if not style.final_newline:
        text = text.removesuffix(style.newline)
    return File(row, [fault.name for fault in faults], text.encode(style.encoding), truths)


def _stacked(maker: Maker, style: Style) -> tuple[list[str], list[Truth]]:
    """Tables with different headers: the same header again would be a table that goes on."""
    texts, truths = [], []
    for number in range(maker.rng.randint(2, 3)):
        text, truth = _one(maker, replace(style, layout=""))
        while truth.names in [earlier.names for earlier in truths]:
            text, truth = _one(maker, replace(style, layout=""))
        title = f"Table {number + 1}{style.newline}" if maker.rng.random() < 0.3 else ""
        texts.append(title + text)
        truths.append(truth)
    return texts, truths


def _one(maker: Maker, style: Style) -> tuple[str, Truth]:
    columns = maker.table(style.null)
    wanted = {"percent": {"decimal"}}.get(style.numbers, {"decimal", "large"})
    while (style.numbers and not any(column.kind in wanted for column in columns)) or (
        style.header in ("years", "units", "two lines", "three lines") and len(decimals(columns)) < 2
    ):
        columns = maker.table(style.null)
    spell_numbers(columns, style, maker.rng)
    _fill_quotes(columns, style, maker.rng)
    _make_writable(columns, style)
    head, truth = header(columns, style, maker.rng)
    rows = [list(row) for row in zip(*(column.cells for column in columns), strict=True)]
    if style.layout == "fixed":
        return _fixed(head, rows, columns, style, maker.rng), truth
    text = [list(row) for row in rows]
    if style.header == "R write.table":
        text = [[str(number), *row] for number, row in enumerate(text, 1)]
        truth.cells = [list(row) for row in text]
    _make_ragged(text, truth, style, maker.rng)
    kinds = [column.type for column in columns]
    if style.header == "R write.table":
        kinds = [TEXT, *kinds]
    footer = _footer(columns, style, maker.rng)
    if style.footer == "totals":
        totals = [str(len(text) + 1), *footer[0]] if style.header == "R write.table" else footer[0]
        truth.rows_below = 1
        truth.cells.append(totals)
        text, footer = [*text, totals], []
    lines = [*_preamble(style, maker.rng), *(_line(row, style, [TEXT] * len(row)) for row in head)]
    lines += [_line(row, style, kinds) for row in text]
    lines += [line for row in footer for line in row]
    return "".join(line + style.newline for line in lines), truth


def _fill_quotes(columns: list[Column], style: Style, rng: random.Random) -> None:
    """Quote characters inside text cells: around a word, never next to a delimiter or at an edge."""
    if not style.inner_quotes:
        return
    for column in [column for column in columns if column.type == TEXT]:
        for row in range(len(column.cells)):
            if column.cells[row] and rng.random() < 0.4:
                cell = column.cells[row]
                stray = (
                    f'{rng.randint(2, 9)}" pipe'
                    if style.quoting == "none"
                    else f"the {style.quote}new{style.quote} kind"
                )
                column.cells[row] = f"{cell} {stray}"


def _make_writable(columns: list[Column], style: Style) -> None:
    """Without quotes, no cell may contain a delimiter or a line end; and some line ends cannot be in a cell."""
    bare = style.quoting == "none" or style.layout == "fixed"
    if bare and any(style.delimiter in cell for c in columns if c.type != TEXT for cell in c.cells):
        style.delimiter = "\t"
    for column in columns:
        if bare or style.newline == "\r\r\n":
            column.cells = [cell.replace("\n", " ") for cell in column.cells]
        if bare:
            column.cells = [" ".join(cell.replace(style.delimiter, " ").split()) for cell in column.cells]
        column.cells = [cell.replace("\n", style.newline) for cell in column.cells]
    if bare and style.delimiter == " ":
        style.delimiter = "\t"


def _line(row: list[str], style: Style, kinds: list[str]) -> str:
    kinds = kinds + [TEXT] * (len(row) - len(kinds))
    return style.delimiter.join(_written(cell, style, kind) for cell, kind in zip(row, kinds, strict=False))


def _written(cell: str, style: Style, kind: str) -> str:
    quote = style.quote
    if style.quoting == "none":
        return cell
    special = style.delimiter in cell or quote in cell or "\n" in cell or "\r" in cell
    special |= style.delimiter == " " and not cell
    special |= bool(style.delimiter.strip()) and style.delimiter.strip()[0] in cell
    if not (special or style.quoting == "all" or (style.quoting == "text" and kind == TEXT and cell)):
        return cell
    if style.escape == "doubled":
        cell = cell.replace(quote, quote + quote)
    elif style.escape == "backslash":
        cell = cell.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return f"{quote}{cell}{quote}"


def _make_ragged(rows: list[list[str]], truth: Truth, style: Style, rng: random.Random) -> None:
    if not style.ragged:
        return
    width = len(rows[0])
    for place in rng.sample(range(len(rows)), k=max(1, min(3, len(rows) // 4))):
        if style.ragged == "long":
            rows[place] = [*rows[place], rng.choice(["", "x", "7"])]
            continue
        kept = width - rng.randint(1, max(1, min(2, width - 2)))
        rows[place] = rows[place][:kept]
        truth.cells[place] = rows[place] + [""] * (width - kept)


def _preamble(style: Style, rng: random.Random) -> list[str]:
    about = rng.choice(["Survey of the year 2019", "Annual figures by region", "Measurements, second series"])
    if style.preamble.endswith("comments"):
        mark = style.preamble[0]
        return [
            f"{mark} {line}"
            for line in (about, "made by export 2.1", "contact: office@example.org")[: rng.randint(1, 3)]
        ]
    return {"": [], "title": [about], "title and blank": [about, ""], "blank lines": [""] * rng.randint(1, 3)}[
        style.preamble
    ]


def _footer(columns: list[Column], style: Style, rng: random.Random) -> list[list[str]]:
    if style.footer == "source note":
        note = rng.choice(
            ["Source: national statistics office, 2019", "Note: figures are provisional", "Source: own count"]
        )
        return [["", note] if rng.random() < 0.5 else [note]]
    if style.footer == "totals":
        cells = [rng.choice(column.cells) if column.type == NUMBER else "" for column in columns]
        return [["Total", *cells[1:]]]
    return []


def _fixed(
    head: list[list[str]], rows: list[list[str]], columns: list[Column], style: Style, rng: random.Random
) -> str:
    """Columns padded to their widest cell, two blanks apart, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*head, *rows, strict=True)]
    right = [column.type == NUMBER for column in columns]
    lines = ["  ".join(cell.rjust(width) if side else cell.ljust(width)
                       for cell, width, side in zip(row, widths, right, strict=True)).rstrip()
             for row in (*head, *rows)]  # fmt: skip
    lines = [*_preamble(style, rng), *lines, *(line for row in _footer(columns, style, rng) for line in row)]
    return "".join(line + style.newline for line in lines)
