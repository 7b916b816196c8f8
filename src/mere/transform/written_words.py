"""How is a transformation program written in words, in one line?

Positions are counted from 1.  A phrase in front (`digits of`) applies to all that follows in its step; a phrase behind
(`in lower case`) applies to a column, or to what is in parentheses before it.  Texts are in double quotes, with `\\n`
for a line break; a column name that is not one word is in single quotes.
"""

from __future__ import annotations

import json
import re

from mere.transform.program import Constant, Piece, Program, Split

_CASES = {"lower": "in lower case", "upper": "in upper case", "title": "in title case"}


def in_words(program: Program, plus: str = " + ") -> str:
    """The program in one line, or with another sign between its steps.

    >>> in_words(Program(("name",), (Piece(0, (Split(", ", 1, 1),)), Constant(" "), Piece(0, start=0, stop=1))))
    'part 2 of name split at ", " + " " + first character of name'
    """
    steps = [
        quoted(step.text) if isinstance(step, Constant) else _piece(step, program.columns[step.column])
        for step in program.steps
    ]
    text = plus.join(steps) or '""'
    if program.limit is None:
        return text
    return f"first {_count(program.limit, 'character')} of {text if len(steps) == 1 else f'({text})'}"


def quoted(text: str, mark: str = '"') -> str:
    """A text in quotation marks, on one line: what cannot be printed is escaped as in JSON."""
    escaped = json.dumps(text, ensure_ascii=False)[1:-1]
    if mark != '"':
        escaped = escaped.replace('\\"', '"').replace(mark, "\\" + mark)
    return mark + "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in escaped) + mark


def _piece(piece: Piece, column: str) -> str:
    phrase = column if re.fullmatch(r"\w+", column) else quoted(column, "'")
    name = phrase
    for split in piece.splits:
        phrase = _part(split, phrase, _operand(phrase, name))
    if piece.keep:
        phrase = (
            f"{_operand(phrase, name)} without spaces" if piece.keep == "no spaces" else f"{piece.keep} of {phrase}"
        )
    if piece.month:
        phrase = f"month number of {phrase}"
    if piece.zeros is not None:
        zeros = f"filled with zeros to {_count(piece.zeros, 'character')}" if piece.zeros else "without leading zeros"
        phrase = f"{_operand(phrase, name)} {zeros}"
    if piece.start or piece.stop is not None:
        phrase = f"{_slice(piece.start, piece.stop)} of {phrase}"
    return f"{_operand(phrase, name)} {_CASES[piece.case]}" if piece.case else phrase


def _operand(phrase: str, name: str) -> str:
    return phrase if phrase == name else f"({phrase})"


def _part(split: Split, phrase: str, operand: str) -> str:
    """`part 2 of name split at ", "`; parts between spaces are words."""
    if split.separator == " ":
        return f"{_range(split.first, split.last, 'word')} of {phrase}"
    return f"{_range(split.first, split.last, 'part')} of {operand} split at {quoted(split.separator)}"


def _slice(start: int, stop: int | None) -> str:
    """What Python's slice from start to stop takes."""
    if stop == 0:
        return "no characters"
    if (start, stop) == (0, 1):
        return "first character"
    return _range(start, -1 if stop is None else stop - 1, "character")


def _range(first: int, last: int, noun: str) -> str:
    """`part 2`, `last 3 characters`, `all but the first word`: from the first to the last, both included."""
    if (first < 0) == (last < 0) and last < first:
        return f"no {noun}s"
    if first == last:
        return f"last {noun}" if last == -1 else f"{noun} {_place(first)}"
    if first >= 0 > last:
        ends = [f"the first {_count(first, noun)}"] * (first > 0) + [f"the last {_count(-last - 1, noun)}"] * (
            last < -1
        )
        return f"all but {' and '.join(ends)}" if ends else f"all {noun}s"
    if first < 0 <= last:
        return f"{noun} {_place(first)} to {noun} {_place(last)}"
    if first == 0 or last == -1:
        return f"first {_count(last + 1, noun)}" if first == 0 else f"last {_count(-first, noun)}"
    return f"{noun}s {first + 1} to {last + 1}" if first > 0 else f"{noun}s {-first} to {-last} from the end"


def _place(position: int) -> str:
    return f"{-position} from the end" if position < 0 else str(position + 1)


def _count(count: int, noun: str) -> str:
    return noun if count == 1 else f"{count} {noun}s"
