"""Which pieces of a cell occur in an output?  All operators, with all parameters that are feasible for one example.

Section 4.4.2 of the thesis iterates over all separators, parts, positions and lengths of SUBSTRING, SPLITSUBSTR and
SPLITSPLITSUBSTR.  We only make those whose text occurs in the output, and of the substrings the longest ones and the
first and last few characters: the others are never the most progress.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

from mere.transform.canonical import LONGEST
from mere.transform.program import KEEPS, Piece, Split, month_number

_MOST_PARTS = 8
_MOST_SEPARATORS = 8
_LONGEST_SEPARATOR = 3
_BETWEEN = re.compile(r"[^\w]+|_+")
_DIGITS = re.compile("[0-9]+")


def fold(text: str) -> str:
    """Case and runs of spaces do not count while learning: the join does not see them."""
    return " ".join(text.casefold().split())


@lru_cache(maxsize=1024)
def separators(text: str) -> tuple[str, ...]:
    """What may divide a text: every run of signs in it, without the spaces around it, and the space.

    Parts are trimmed, so that ", " divides like ","; unless "," also occurs elsewhere, as in "Jean-Luc - Paris".
    """
    runs = Counter(match.group() for match in _BETWEEN.finditer(text[:LONGEST]))
    found: dict[str, None] = {}
    for run in runs:
        signs = run.strip()
        if not signs:
            found[" "] = None
        elif len(signs) <= _LONGEST_SEPARATOR:
            found[signs] = None
            if signs != run and text.count(signs) > text.count(run):
                found[run] = None
        if " " in run:
            found[" "] = None
        if len(signs) > 1:
            found |= dict.fromkeys(sign for sign in signs if not sign.isspace())
    return tuple(list(found)[:_MOST_SEPARATORS])


def splits(text: str, separator: str, ranges: bool) -> Iterator[tuple[Split, str]]:
    """The ways to take a part of a text, counted from either end; with `ranges`, also several parts."""
    parts = text.split(separator)
    count = len(parts)
    places = range(count) if count <= _MOST_PARTS else [*range(3), *range(count - 3, count)]
    for place in places:
        if part := parts[place].strip(" "):
            yield Split(separator, place, place), part
            yield Split(separator, place - count, place - count), part
    if not ranges or count < 2:
        return
    for place in range(1, min(count, 3)):
        yield Split(separator, place, -1), separator.join(parts[place:]).strip(" ")
        yield Split(separator, 0, -1 - place), separator.join(parts[: count - place]).strip(" ")
        if place + 1 < count:
            yield Split(separator, 0, place), separator.join(parts[: place + 1]).strip(" ")


@lru_cache(maxsize=128)  # each has up to thousands
def bases(column: int, cell: str) -> tuple[tuple[Piece, str], ...]:
    """The whole cell and its parts after one or two splits, with their texts."""
    cell = cell.strip(" ")
    if not cell:
        return ()
    found: dict[Piece, str] = {Piece(column): cell}
    for separator in separators(cell):
        for split, part in splits(cell, separator, ranges=True):
            found[Piece(column, (split,))] = part
            for inner in separators(part) if split.first == split.last else ():
                if inner == separator:
                    continue
                for second, piece in splits(part, inner, ranges=False):
                    found[Piece(column, (split, second))] = piece
    return tuple((piece, text) for piece, text in found.items() if text)


def _with(piece: Piece, **changes: object) -> Piece:
    fields = {name: getattr(piece, name) for name in ("column", "splits", "keep", "month", "zeros", "start", "stop")}
    return Piece(**(fields | changes))  # type: ignore[arg-type]


def _variants(piece: Piece, text: str, output: str) -> Iterator[tuple[Piece, str]]:
    """The piece as it is, and filtered."""
    yield piece, text
    if len(piece.splits) < 2:
        for keep in KEEPS[1:]:
            changed = _with(piece, keep=keep)
            filtered = changed(text) if not piece.splits else _with(changed, splits=())(text)
            if filtered and filtered != text:
                yield changed, filtered
    if text.isascii() and text.isdigit():
        yield _with(piece, zeros=0), text.lstrip("0") or "0"
        for width in {len(run) for run in _DIGITS.findall(output) if run[0] == "0" or len(run) >= len(text)}:
            if len(text) <= width <= 20:
                yield _with(piece, zeros=width), text.rjust(width, "0")
    elif (number := month_number(text)) is not None:
        yield _with(piece, month=True), number
        yield _with(piece, month=True, zeros=2), number.rjust(2, "0")


def pieces_in(column: int, cell: str, output: str) -> Iterator[Piece]:
    """The pieces of a cell whose folded text occurs in a folded output, or begins with it."""
    for base, base_text in bases(column, cell[:LONGEST]):
        for piece, text in _variants(base, base_text, output):
            folded = fold(text)
            if not folded:
                continue
            if folded in output or folded.startswith(output):
                yield piece
            if piece.zeros is not None or piece.month or len(text) < 2:
                continue
            if len(piece.splits) < 2 and not (piece.splits and piece.keep):
                yield from _cuts(piece, text, output)
            elif len(piece.splits) == 2 and fold(text[0]) in output:
                yield _with(piece, stop=1)


def _cuts(piece: Piece, text: str, output: str) -> Iterator[Piece]:
    """The beginnings and ends of a text that occur in the output; of whole cells, its longest substring that does."""
    length = len(text)
    for size in _sizes(length, lambda size: fold(text[:size]) in output):
        yield _with(piece, stop=size)
        if size < length and length - size <= 4:
            yield _with(piece, stop=size - length)
    for size in _sizes(length, lambda size: fold(text[length - size :]) in output):
        yield _with(piece, start=-size)
        if size < length:
            yield _with(piece, start=length - size)
    if not piece.keep and len(piece.splits) < 2 and length <= 40:
        for start, stop in _longest_within(text, output):
            yield _with(piece, start=start, stop=stop)
            yield _with(piece, start=start - length, stop=stop - length)


def _sizes(length: int, occurs: Callable[[int], bool]) -> list[int]:
    """Which sizes of a beginning, or of an end: the longest that occurs, and the first three."""
    low, high = 0, length - 1
    while low < high:  # whether it occurs is monotone: a longer one contains the shorter ones
        middle = (low + high + 1) // 2
        if occurs(middle):
            low = middle
        else:
            high = middle - 1
    return sorted({size for size in (1, 2, 3, low) if 1 <= size <= low})


def _longest_within(text: str, output: str) -> list[tuple[int, int]]:
    """The substrings inside a text, at least two characters long, that occur in the output and cannot be extended."""
    found, reach, folded = [], 0, text.casefold()
    if len(folded) != len(text):
        return []
    for start in range(1, len(text) - 2):
        stop = max(start, reach)
        while stop < len(text) - 1 and folded[start : stop + 1] in output:
            stop += 1
        if stop - start >= 2 and stop > reach and text[start] != " " and text[stop - 1] != " ":
            found.append((start, stop))
            reach = stop
    return found[:4]
