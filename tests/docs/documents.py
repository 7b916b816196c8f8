"""The documents as data: sections, blocks of code, tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


class Block(NamedTuple):
    """A fenced block: its language, and its lines."""

    language: str
    lines: list[str]


class Command(NamedTuple):
    """A command of a console block, and the output that the document shows below it."""

    line: str
    shown: list[str]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def sections(text: str, level: int = 2) -> dict[str, str]:
    """The text below each heading of a level, by the heading."""
    pieces = re.split(rf"(?m)^{'#' * level} (.+)$", text)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def blocks(text: str) -> list[Block]:
    return [Block(match[1], match[2].splitlines()) for match in re.finditer(r"(?ms)^```(\w*)\n(.*?)^```$", text)]


def commands(block: Block) -> list[Command]:
    """The commands of a console block; each starts with a dollar sign."""
    found: list[Command] = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        else:
            found[-1].shown.append(line)
    return found


def tables(text: str) -> list[list[list[str]]]:
    """Every table: its rows of cells, the header first, without the line of dashes."""
    found: list[list[list[str]]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("|"):
            if not inside:
                found.append([])
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                found[-1].append(cells)
        inside = line.startswith("|")
    return found


def code_names(cell: str) -> list[str]:
    """What a cell has in backquotes."""
    return re.findall(r"`([^`]+)`", cell)
