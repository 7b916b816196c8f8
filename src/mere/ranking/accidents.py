"""Which columns match unrelated ones by accident: years, dates, booleans, letters, small integers?

Judged by at most a thousand values of my column, the first by hash.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.ranking.names import identifies
from mere.store import Strings
from mere.values import Type, infer, parse_numbers

_SAMPLE = 1_000
_YEARS = (1500, 2200)
_SMALL = 1_000
_DENSE = 1.25  # times as many numbers as occur: then they count the rows, but for a few that were left out

MONTHS = "months or days"

# how trivial a match of such values is, and how a reason names them
TRIVIAL = {
    "": 0.0,
    "small integers": 0.25,
    "single digits": 0.75,
    "row numbers": 1.0,
    "dates": 0.75,
    "years": 1.0,
    MONTHS: 1.0,
    "one-letter codes": 1.0,
    "two values": 1.0,
    "a single value": 1.0,
}


def accident_of(values: Strings, numeric: bool, rows: int, header: str = "") -> str:
    """What makes a match of this column say little: a key of `TRIVIAL`; empty if nothing does.

    `rows` is how many rows have a value.  A column that is named as an identifier does not hold months or days.

    >>> accident_of(Strings.of(["1999", "2001", "2004"]), True, 9), accident_of(Strings.of(["at", "ch", "f"]), False, 9)
    ('years', '')
    >>> accident_of(Strings.of(["1", "2", "3", "4"]), True, 4), accident_of(Strings.of(["1", "2", "3", "4"]), True, 9)
    ('row numbers', 'single digits')
    """
    sample = values.slice(0, min(len(values), _SAMPLE)).to_arrow()
    if len(sample) <= 1:
        return "a single value" if len(sample) else ""
    if len(values) == 2:
        return "two values"
    if numeric:
        reason = _of_numbers(sample, len(values), rows)
        return "small integers" if reason == MONTHS and identifies(header) else reason
    if pc.max(pc.utf8_length(sample)).as_py() <= 1:
        return "one-letter codes"
    starts = np.array([0, len(sample)], np.int64)
    types = infer(sample.cast(pa.string()), starts, np.ones(len(sample), np.int64)).types
    return "dates" if Type(int(types[0])) == Type.DATETIME else ""


def _of_numbers(sample: pa.Array, distinct: int, rows: int) -> str:
    numbers = parse_numbers(sample)
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) == 0 or (numbers != np.rint(numbers)).any():
        return ""
    low, high = numbers.min(), numbers.max()
    if low >= _YEARS[0] and high <= _YEARS[1]:
        return "years"
    if distinct == rows and low >= 0 and high <= _DENSE * distinct:
        return "row numbers"
    if low >= 0 and high <= 9:
        return "single digits"
    if low >= 0 and high in (12, 31):
        return MONTHS
    return "small integers" if low >= 0 and high < _SMALL else ""
