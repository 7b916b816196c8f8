"""What is a transformation program, and what does it make of a row?

A program concatenates steps.  A step is a text that is always the same (`Constant`), or a `Piece` of one cell of the
row.  Zhu, He and Chaudhuri (Auto-Join; section 4.4.2 of Zhu's thesis) call these the logical operators:

    CONSTANT                        Constant(text)
    SUBSTRING                       Piece(column, start=, stop=, case=)
    SPLITSUBSTR                     Piece(column, (Split(..),), ...)
    SPLITSPLITSUBSTR                Piece(column, (Split(..), Split(..)), ...)
    CONCAT                          a program's steps, one after the other

Beyond the thesis: a split may give several neighbouring parts ("all but the first word"); a piece may keep only its
digits or letters, lose or gain leading zeros, turn the name of a month into its number; and a program may cut its
output off after some characters (user names).

A row to which a step does not apply (no such part, an empty piece) has no output: None.  Positions are counted from 0,
or from the end if negative.  Every piece is trimmed of spaces, before and after each split.
Cost: one pass over the cell per step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from mere.errors import UsageError

Case = Literal["", "lower", "upper", "title"]
Keep = Literal["", "digits", "letters", "letters and digits", "no spaces"]
Cell = str | None

CASES: tuple[Case, ...] = ("", "lower", "upper", "title")
KEEPS: tuple[Keep, ...] = ("", "digits", "letters", "letters and digits", "no spaces")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
MONTH_NUMBER = {name: str(number) for number, month in enumerate(MONTHS, 1) for name in (month, month[:3])} | {
    "sept": "9"
}


@dataclass(frozen=True, slots=True)
class Split:
    """The parts `first` to `last` (both included) of a text divided at every `separator`, with it between them."""

    separator: str
    first: int
    last: int

    def __call__(self, text: str) -> Cell:
        if self.separator not in text:  # one part: the whole text
            return text if self.first in (0, -1) and self.last in (0, -1) else None
        parts = text.split(self.separator)
        count = len(parts)
        first = self.first + count if self.first < 0 else self.first
        last = self.last + count if self.last < 0 else self.last
        if first < 0 or last >= count or first > last:
            return None
        return parts[first] if first == last else self.separator.join(parts[first : last + 1])


@dataclass(frozen=True, slots=True)
class Constant:
    """The same text in every row."""

    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of one cell: split, filtered, cut, and written in one case; in this order."""

    column: int  # its place among the program's columns
    splits: tuple[Split, ...] = ()  # at most two
    keep: Keep = ""
    month: bool = False  # the name of a month becomes its number
    zeros: int | None = None  # 0: without leading zeros; more: with leading zeros up to so many characters
    start: int = 0
    stop: int | None = None  # as in Python's slices
    case: Case = ""

    def __call__(self, cell: str) -> Cell:
        text: Cell = cell.strip(" ")
        for split in self.splits:
            text = split(text)  # type: ignore[arg-type]
            if text is None:
                return None
            text = text.strip(" ")
        if self.keep:
            text = kept(text, self.keep)  # type: ignore[arg-type]
        if self.month:
            text = month_number(text)  # type: ignore[arg-type]
            if text is None:
                return None
        if self.zeros is not None and text:
            text = text.rjust(self.zeros, "0") if self.zeros else text.lstrip("0") or "0"
        if self.start or self.stop is not None:
            text = text[self.start : self.stop].strip(" ")  # type: ignore[index]
        if not text:
            return None
        return cased(text, self.case) if self.case else text


def month_number(name: str) -> Cell:
    """The number of a month, by its English name or its first three letters."""
    return MONTH_NUMBER.get(name.lower())


def kept(text: str, keep: Keep) -> str:
    """Only these characters of a text; digits are 0 to 9, letters are those of every script."""
    match keep:
        case "digits":
            return "".join(c for c in text if "0" <= c <= "9")
        case "letters":
            return "".join(c for c in text if c.isalpha())
        case "letters and digits":
            return "".join(c for c in text if c.isalpha() or "0" <= c <= "9")
        case "no spaces":
            return text.replace(" ", "")
    return text


def cased(text: str, case: Case) -> str:
    """A text in one case; `title`: the first letter of every word between spaces is large, the others are small."""
    match case:
        case "lower":
            return text.lower()
        case "upper":
            return text.upper()
        case "title":
            return " ".join(word[:1].upper() + word[1:].lower() for word in text.split(" "))
    return text


Step = Piece | Constant


@dataclass(frozen=True, slots=True)
class Program:
    """Steps whose outputs are concatenated, over cells of the named columns.

    >>> turn = Program(("name",), (Piece(0, (Split(", ", 1, 1),)), Constant(" "), Piece(0, (Split(", ", 0, 0),))))
    >>> turn(["Obama, Barack", "Plato"])
    ['Barack Obama', None]
    """

    columns: tuple[str, ...]
    steps: tuple[Step, ...]
    limit: int | None = None  # most characters of the output
    _places: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {step.column for step in self.steps if isinstance(step, Piece)}
        object.__setattr__(self, "_places", tuple(sorted(places)))

    def row(self, cells: Sequence[Cell]) -> Cell:
        """The output for one row: the cells of the program's columns."""
        outputs = []
        for step in self.steps:
            if isinstance(step, Constant):
                outputs.append(step.text)
                continue
            cell = cells[step.column]
            output = None if cell is None else step(cell)
            if output is None:
                return None
            outputs.append(output)
        text = "".join(outputs)
        return text if self.limit is None else text[: self.limit]

    def over(self, columns: Sequence[Sequence[Cell]]) -> list[Cell]:
        """The outputs for many rows: a list of cells per column of the program."""
        if len(columns) == 1:
            done: dict[Cell, Cell] = {}
            for cell in columns[0]:
                if cell not in done:
                    done[cell] = self.row((cell,))
            return [done[cell] for cell in columns[0]]
        return [self.row(cells) for cells in zip(*columns, strict=True)]

    def __call__(self, values: Any) -> list[Cell]:
        """The outputs for new rows: texts, if the program reads one column; otherwise a mapping or a frame."""
        if isinstance(values, Mapping) or hasattr(values, "columns") or hasattr(values, "column_names"):
            columns = [_texts(_column(values, name)) for name in self.columns]
            if len({len(column) for column in columns}) > 1:
                lengths = ", ".join(f"{name} {len(column)}" for name, column in zip(self.columns, columns, strict=True))
                raise UsageError(f"the columns are not of one length: {lengths}", "give a value of each for every row")
            return self.over(columns)
        if len(self.columns) != 1:
            raise UsageError(
                f"the program reads {len(self.columns)} columns ({', '.join(self.columns)}), got one list",
                "give a mapping from column names to values, or a frame",
            )
        return self.over([_texts(values)])

    def __str__(self) -> str:
        from mere.transform.written import in_words

        return in_words(self)

    def to_python(self, name: str = "transform") -> str:
        """The program as the source text of a Python function."""
        from mere.transform.written import as_python

        return as_python(self, name)

    def to_spark_sql(self) -> str:
        """The program as one Spark SQL expression over its columns."""
        from mere.transform.written import as_spark_sql

        return as_spark_sql(self)

    def to_json(self) -> dict[str, Any]:
        """The program as a document that `from_json` reads."""
        from mere.transform.written import as_json

        return as_json(self)

    @classmethod
    def from_json(cls, document: Any) -> Program:
        """The program that `to_json` wrote."""
        from mere.transform.written import from_json

        return from_json(document)


def _column(frame: Any, name: str) -> Any:
    known = list(frame if isinstance(frame, Mapping) else getattr(frame, "column_names", None) or frame.columns)
    if known.count(name) != 1:
        fault = f"{known.count(name)} columns are named '{name}'" if name in known else f"no column '{name}'"
        raise UsageError(fault, f"there are: {', '.join(map(str, known))}")
    return frame[name]


def _texts(values: Any) -> list[Cell]:
    """The cells as texts; what means "no value" in a frame (NaN, NaT, NA) is None."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise UsageError(f"expected several values, got {values!r}", "give a list, or a frame with the columns")
    as_list: Callable[[], list[Any]] | None = getattr(values, "to_pylist", None) or getattr(values, "to_list", None)
    cells = as_list() if as_list else values
    return [cell if isinstance(cell, str) else None if _is_missing(cell) else str(cell) for cell in cells]


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas' NA refuses to be compared
        return True
    except ValueError:  # an array is not one value, but it is a value
        return False
