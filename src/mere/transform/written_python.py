"""How is a transformation program written as a Python function that needs nothing but Python?

A piece becomes one expression, or a few lines where one would be hard to read.  Three facts keep it short:

- A missing part and an empty one come to the same: no output.  So an expression may give "" for either, and one line
  at the end asks whether every piece has text.
- Trimming before a split changes nothing if the separator has no space, because the parts are trimmed afterwards; nor
  does trimming before all spaces are removed.  Such calls are left out.
- Only `text.split(..)[i]` can raise, and only IndexError: one `try` around the pieces is enough.

Column names become parameters: small letters, digits and underscores, distinct from each other and from all else that
the function uses.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata

from mere.errors import UsageError
from mere.transform.program import MONTHS, Constant, Piece, Program, Split
from mere.transform.written_words import in_words

_WIDE = 80  # characters: a longer expression is continued on the next line
_NAMES = {"all", "isinstance", "str", "parts", "month_number"}  # that the text of a function may use
_PARTS = '''\
def parts(text, separator, first, last):
    """The parts from first to last of a text, both included; an empty text if it has not that many."""
    found = text.split(separator)
    first = first + len(found) if first < 0 else first
    last = last + len(found) if last < 0 else last
    return separator.join(found[first : last + 1]) if 0 <= first <= last < len(found) else ""
'''
_MONTH = f'''\
def month_number(name):
    """The number of a month, by its name or the first three letters of it; an empty text if it is none."""
    months = "{" ".join(MONTHS)}".split()
    name = "sep" if name.lower() == "sept" else name.lower()
    return next((str(i) for i, month in enumerate(months, 1) if name in (month, month[:3])), "")
'''
_DIGITS = '"0123456789"'
_KEPT = {
    "digits": f'"".join(c for c in {{}} if c in {_DIGITS})',
    "letters": '"".join(c for c in {} if c.isalpha())',
    "letters and digits": f'"".join(c for c in {{}} if c.isalpha() or c in {_DIGITS})',
}


def as_python(program: Program, name: str = "transform") -> str:
    """The source text of a function `name` that takes a cell of every column, and returns the output or None.

    >>> print(as_python(Program(("Full name",), (Piece(0, (Split(",", 1, 1),)),)), "first_name"))
    def first_name(full_name):
        \"""part 2 of 'Full name' split at ","
    <BLANKLINE>
        None if a cell is not a text, a part is missing, or a piece is empty.
        \"""
        if not isinstance(full_name, str):
            return None
        try:
            piece = full_name.split(",")[1].strip(" ")
        except IndexError:
            return None
        return piece or None
    <BLANKLINE>
    """
    _check_name(name)
    name = unicodedata.normalize("NFKC", name)  # as Python itself does
    parameters = _parameters(program.columns, {name, *_NAMES})
    pieces = [step for step in program.steps if isinstance(step, Piece)]
    variables = _variables(len(pieces), {name, *parameters})
    body = [line for piece, variable in zip(pieces, variables, strict=True)
            for line in _Lines(variable).of(piece, parameters[piece.column])]  # fmt: skip
    if any(_may_raise(piece) for piece in pieces):
        body = ["try:", *(f"    {line}" for line in body), "except IndexError:", "    return None"]
    read = sorted({piece.column for piece in pieces})
    lines = [
        *_docstring(program),
        *_guard([parameters[column] for column in read]),
        *body,
        *_result(program, variables),
    ]
    header = f"def {name}({', '.join(parameters)}):"
    function = "\n".join([header, *(f"    {line}" if line else "" for line in lines)]) + "\n"
    return "\n\n".join([*_helpers(pieces), function])


def _check_name(name: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or name in _NAMES or hasattr(builtins, name):
        raise UsageError(f"a function cannot be named {name!r}", "give a name of letters, digits and underscores")


def _parameters(columns: tuple[str, ...], taken: set[str]) -> list[str]:
    """A valid, distinct identifier for every column."""
    names: list[str] = []
    for column in columns:
        words = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", column).lower()))
        words = words.strip("_") or "column"
        words = words if words.isidentifier() else f"column_{words}"
        words = words if words.isidentifier() else "column"
        names.append(_free(f"{words}_" if keyword.iskeyword(words) else words, taken | set(names)))
    return names


def _variables(count: int, taken: set[str]) -> list[str]:
    """`piece`, or `piece_1`, `piece_2` and so on."""
    names: list[str] = []
    for number in range(1, count + 1):
        names.append(_free("piece" if count == 1 else f"piece_{number}", taken | set(names)))
    return names


def _free(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _docstring(program: Program) -> list[str]:
    words = in_words(program)
    if len(words) > _WIDE:
        words = in_words(program, " +\n")
    words = words.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    opening = '""" ' if words.startswith('"') else '"""'
    note = "None if a cell is not a text, a part is missing, or a piece is empty."
    return [*f"{opening}{words}".split("\n"), "", note, '"""']


def _guard(read: list[str]) -> list[str]:
    """Lines that return None if a cell the program reads is not a text."""
    if not read:
        return []
    test = f"isinstance({read[0]}, str)" if len(read) == 1 else f"all(isinstance(x, str) for x in ({', '.join(read)}))"
    return [f"if not {test}:", "    return None"]


def _result(program: Program, variables: list[str]) -> list[str]:
    names = iter(variables)
    terms = [_literal(step.text) if isinstance(step, Constant) else next(names) for step in program.steps]
    if terms == variables and len(variables) == 1:
        limit = "" if program.limit is None else f"[:{program.limit}]"
        return [f"return {variables[0]}{limit} or None"]
    output = " + ".join(terms) or '""'
    if program.limit is not None:
        output = f"({output})[:{program.limit}]"
    if not variables:
        return [f"return {output}"]
    return [f"return {output} if {' and '.join(variables)} else None"]


def _helpers(pieces: list[Piece]) -> list[str]:
    """The functions that the function calls."""
    helpers = []
    if any(piece.month for piece in pieces):
        helpers.append(_MONTH)
    if any(_form(split) == "helper" for piece in pieces for split in piece.splits):
        helpers.append(_PARTS)
    return helpers


def _form(split: Split) -> str:
    """How the split is written: an index, a slice (which gives nothing where a part is missing), or with a helper."""
    if split.first == split.last:
        return "index"
    return "slice" if split.first >= 0 > split.last else "helper"


def _may_raise(piece: Piece) -> bool:
    return any(_form(split) == "index" and split.first not in (0, -1) for split in piece.splits)


class _Lines:
    """The lines that set one variable to a piece."""

    def __init__(self, variable: str) -> None:
        self.variable = variable
        self.lines: list[str] = []
        self.expression = ""

    def of(self, piece: Piece, parameter: str) -> list[str]:
        self.expression = parameter
        self._cut(piece)
        if piece.month:
            self.expression = f"month_number({self.expression})"
        if piece.zeros is not None:
            text = self._named()
            filled = f'{text}.rjust({piece.zeros}, "0")' if piece.zeros else f'({text}.lstrip("0") or "0")'
            self._set(f"{text} and {filled}")
        if piece.start or piece.stop is not None:
            self._chain(f'[{piece.start or ""}:{"" if piece.stop is None else piece.stop}].strip(" ")')
        if piece.case == "title":
            text = self._named(_WIDE // 2)
            self._set(f'" ".join(word[:1].upper() + word[1:].lower() for word in {text}.split(" "))')
        elif piece.case:
            self._chain(f".{piece.case}()")
        if self.expression != self.variable:
            self._set(self.expression)
        return self.lines

    def _cut(self, piece: Piece) -> None:
        """Split, trim and filter."""
        for split in piece.splits:
            if " " in split.separator:
                self._chain('.strip(" ")')
            self._split(split)
        if not piece.keep:
            self._chain('.strip(" ")')
        elif piece.keep == "no spaces":
            self._chain('.replace(" ", "")')
        else:
            self.expression = _KEPT[piece.keep].format(self._named(_WIDE // 2))

    def _split(self, split: Split) -> None:
        separator = _literal(split.separator)
        match _form(split):
            case "index":
                self._chain(f".split({separator})[{split.first}]")
            case "slice":
                stop = "" if split.last == -1 else split.last + 1
                text = self._named(_WIDE // 2)
                self.expression = f"{separator}.join({text}.split({separator})[{split.first or ''}:{stop}])"
            case _:
                self.expression = f"parts({self.expression}, {separator}, {split.first}, {split.last})"

    def _chain(self, call: str) -> None:
        self.expression = self._named(_WIDE) + call

    def _named(self, widest: int = 0) -> str:
        """The expression so far, or the variable that it is given to if it is wider than this."""
        if len(self.expression) > widest and self.expression != self.variable:
            self._set(self.expression)
        return self.expression

    def _set(self, expression: str) -> None:
        self.lines.append(f"{self.variable} = {expression}")
        self.expression = self.variable


def _literal(text: str) -> str:
    """A text between double quotes, as most people write it, where that is as simple."""
    return f'"{text}"' if text.isprintable() and not set(text) & set('"\\') else repr(text)
