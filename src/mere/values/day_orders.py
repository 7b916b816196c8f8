"""Is the day or the month first in `5/1/2020`?

Only dates with the year last, and slashes or hyphens, can be read in both ways; with dots the day is first.  A first
part above twelve shows that the day is first, a second one that the month is; `5/5/2020` is the same in both.

**A column** whose dates show one order is read by it.  One that shows both is read with the day first; the others are
misfits.  One that shows none follows **its table**: the columns of dates that show one order only, if they agree.  What
is still open is read with the month first, and **unsure**: nothing that is said of it is guaranteed.

The counts of the cells that show each add up over the blocks of a table.  Values are stored as they are written, so
stored rows show what the raw ones did.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.date_patterns import DIGIT_FIRST
from mere.values.hashing import string_buffers

DAY_FIRST, MONTH_FIRST = "day first", "month first"
UNSURE = "dates"
_DECIDING_SHARE = 0.9  # of a column's cells are such dates: a column of text does not decide for others
_SHORTEST = len("1/2/20")
_MARKS = np.frombuffer(b"/-", np.uint8)


class Shown(IntEnum):
    """What one date shows."""

    DAY = 0  # the day is first
    MONTH = 1
    EITHER = 2
    SAME = 3  # it is the same in both orders


ORDERS = len(Shown)


class Orders(NamedTuple):
    """How the dates of some columns are read."""

    day_first: np.ndarray  # bool per column: the day is first where its own dates do not show it
    unsure: np.ndarray  # bool per column: it has dates that may be read in both ways
    tables: list[str]  # per table: DAY_FIRST, MONTH_FIRST, or empty if its columns do not show it or disagree


def shown_orders(values: pa.Array) -> np.ndarray:
    """What each value shows (int8); -1 if it is not such a date."""
    shown = np.full(len(values), -1, np.int8)
    places = _candidates(values)
    if not places.size:
        return shown
    groups = pc.extract_regex(values.take(pa.array(places)), DIGIT_FIRST["numeric"])
    matched = np.flatnonzero(np.asarray(groups.is_valid()))
    groups = groups.take(pa.array(matched))
    shown[places[matched]] = orders_of_parts(*(_integers(groups.field(name)) for name in ("first", "other")))
    return shown


def orders_of_parts(first: np.ndarray, other: np.ndarray) -> np.ndarray:
    """What dates with these two first parts show (int8); -1 if they are no dates."""
    real = (first >= 1) & (first <= 31) & (other >= 1) & (other <= 31)
    either = (first <= 12) & (other <= 12)
    shown = np.where(first == other, Shown.SAME, Shown.EITHER)
    shown = np.where(either, shown, np.where(other <= 12, Shown.DAY, Shown.MONTH))
    return np.where(real & ((first <= 12) | (other <= 12)), shown, -1).astype(np.int8)


def _candidates(values: pa.Array) -> np.ndarray:
    """The values that start with one or two digits and a slash or hyphen, found without a regular expression."""
    offsets, data = string_buffers(values)
    places = np.flatnonzero(np.diff(offsets) >= _SHORTEST)
    starts = offsets[places]
    digit = [(data[starts + shift] >= ord("0")) & (data[starts + shift] <= ord("9")) for shift in (0, 1)]
    mark = [np.isin(data[starts + shift], _MARKS) for shift in (1, 2)]
    return places[digit[0] & (mark[0] | (digit[1] & mark[1]))]


def _integers(texts: pa.Array) -> np.ndarray:
    return np.asarray(texts.cast(pa.int64()))


def counted_orders(values: pa.Array, column: np.ndarray, counts: np.ndarray, columns: int) -> np.ndarray:
    """How many cells of each column show what: int64 (columns, ORDERS)."""
    shown = shown_orders(values)
    places = np.flatnonzero(shown >= 0)
    cells = np.bincount(column[places] * ORDERS + shown[places], counts[places], columns * ORDERS)
    return cells.astype(np.int64).reshape(columns, ORDERS)


def decide_orders(cells: np.ndarray, every: np.ndarray, table: np.ndarray, tables: int) -> Orders:
    """How the dates of columns are read; `cells` are counted by order, `every` are all of them, `table` has each."""
    day, month = cells[:, Shown.DAY] > 0, cells[:, Shown.MONTH] > 0
    decides = (day != month) & (cells.sum(axis=1) >= _DECIDING_SHARE * every)
    with_day, with_month = (np.bincount(table[decides & each], minlength=tables) > 0 for each in (day, month))
    orders = np.where(with_day == with_month, "", np.where(with_day, DAY_FIRST, MONTH_FIRST))
    open_ = (day == month) & (cells[:, Shown.EITHER] > 0)
    follows = ~day & ~month & (orders[table] != "")
    return Orders(orders[table] == DAY_FIRST, open_ & ~follows, orders.tolist())


def day_order(values: pa.Array) -> bool | None:
    """Whether the dates of one column are written with the day first; None if they do not tell.

    >>> [day_order(pa.array(dates)) for dates in (["5/1/2020", "13/1/2020"], ["1/13/2020"], ["5/1/2020"])]
    [True, False, None]
    """
    shown = shown_orders(values)
    if (shown == Shown.DAY).any():
        return True
    return False if (shown == Shown.MONTH).any() else None


def has_open_dates(values: pa.Array) -> bool:
    """Whether a column has dates that may be read in both orders, and shows neither, or both.

    >>> [has_open_dates(pa.array(dates)) for dates in (["5/1/2020"], ["5/1/2020", "13/1/2020"], ["5/5/2020"])]
    [True, False, False]
    """
    shown = shown_orders(values)
    day, month, either = ((shown == each).any() for each in (Shown.DAY, Shown.MONTH, Shown.EITHER))
    return bool(either and day == month)


def may_be_exchanged(value: str) -> bool:
    """Whether a value alone is a date that may be read in both orders.

    >>> [may_be_exchanged(date) for date in ("5/1/2020", "5/5/2020", "13/1/2020", "2020-01-05")]
    [True, False, False, False]
    """
    return bool(shown_orders(pa.array([value], pa.string()))[0] == Shown.EITHER)
