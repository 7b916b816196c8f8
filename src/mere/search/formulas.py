"""Which cells would a spreadsheet run as formulas, if they were opened from a CSV file?

Facts about Excel, LibreOffice and Google Sheets, which read a cell of a CSV file as if it were typed:

- White space, control characters and a byte order mark before the first character do not count.
- After `=` everything is a formula, unless there is nothing behind it.
- After `+`, `-` or `@` (`@SUM(1)`, from Lotus) a cell is run if the rest is an expression: it calls a function, names
  a cell (`-A1`), a sheet (`!`), a workbook (`[`) or another program (`|`, which is how DDE starts one), has text or
  arrays in it, or computes with numbers: `+43-1-234` becomes -192.
- It is not run if it is a number, or no expression: `+43 1 234` and `-34,-64` have two operands without an operator
  between them; `- item` and `@name` are names that nothing is done with.
- Some versions read the full-width forms of these signs in the same way.

Where in doubt, a cell is taken for a formula.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_BEFORE = r"^[\s\x00-\x20\x7f\x{a0}\x{feff}\x{200b}]*"
_SUSPECT = _BEFORE + r"[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"
_EQUALS = _BEFORE + r"=[=\s]*[^=\s]"
_WIDE = _BEFORE + r"[\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"
_WIDE_NUMBER = _BEFORE + r"[\x{ff0b}\x{ff0d}]?[\s0-9.,\x{ff10}-\x{ff19}\x{ff0e}\x{ff0c}]*%?\s*$"
_OPERATOR = r"[-+*/^&<>=]"
_NUMBER = r"(?:[0-9]+(?:[.,][0-9]+)*\.?(?:[eE][+-]?[0-9]+)?|[.,][0-9]+)\s*%?"
_CELL = r"\$?[A-Za-z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Za-z]{1,3}\$?[0-9]{1,7})?"
_NAME = r"[\pL_\\][\pL\pN_.\\]*"
_OPERAND = rf"(?:{_CELL}|{_NUMBER}|{_NAME})"
_SIGNS = r"(?:[-+@]\s*)+"
_RUNS = (  # after signs
    r'[|!\[\]{}"&^\\#;]',  # other programs, sheets, workbooks, arrays, texts
    rf"{_NAME}\s*\(",  # a function is called
    rf"(?:{_BEFORE}|{_OPERATOR}){_SIGNS}?\s*\(",  # an expression in brackets
    rf"{_BEFORE}{_SIGNS}{_CELL}\s*$",
    rf"{_BEFORE}{_SIGNS}{_OPERAND}(?:\s*{_OPERATOR}[-+@\s]*{_OPERAND})+\s*$",
)
_PLAIN = rf"{_BEFORE}{_SIGNS}(?:{_NUMBER}\s*)?$"


def would_run(cells: pa.Array) -> np.ndarray:
    """Which texts a spreadsheet would run; false for null.

    >>> would_run(pa.array(["=1+1", "-5", "+43 1 234", "-34,-64", "- item", "+A1", "+cmd|' /C calc'!A0"])).tolist()
    [True, False, False, False, False, True, True]
    """
    runs = np.zeros(len(cells), bool)
    suspects = np.flatnonzero(_matches(cells, _SUSPECT))
    if suspects.size:
        texts = cells.take(pa.array(suspects))
        wide = _matches(texts, _WIDE)
        signed = np.logical_or.reduce([_matches(texts, each) for each in _RUNS]) & ~_matches(texts, _PLAIN)
        runs[suspects] = np.where(wide, ~_matches(texts, _WIDE_NUMBER), signed & ~_matches(texts, _BEFORE + "="))
        runs[suspects] |= _matches(texts, _EQUALS)
    return runs


def _matches(cells: pa.Array, pattern: str) -> np.ndarray:
    return np.asarray(pc.fill_null(pc.match_substring_regex(cells, pattern), False))
