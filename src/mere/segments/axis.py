"""Which numbers do the columns of a segment hold?

Numbers are themselves; dates and moments are seconds since 1970.  Values of a column of numbers or dates that are
neither are left out.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.segments.segment import Segment
from mere.store import places_of
from mere.values import Type, parse_dates, parse_numbers

_LARGEST = float(np.finfo(np.float64).max)
_INFINITE = {
    sign + word: number
    for sign, number in (("", _LARGEST), ("+", _LARGEST), ("-", -_LARGEST))
    for word in ("inf", "infinity", "∞")
}


def axis_values(segment: Segment, wanted: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(column, number, rows) of every distinct value of a column with an axis (or of these), columns ascending."""
    types, starts = segment.catalog["column.types"], segment.values["set.starts"]
    if wanted is not None:
        types = np.where(np.isin(np.arange(len(types)), wanted), types, Type.EMPTY)
    pieces = []
    for types_of_axis, dated in (((Type.INTEGER, Type.DECIMAL), False), ((Type.DATETIME,), True)):
        chosen = np.flatnonzero(np.isin(types, types_of_axis))
        sizes = starts[chosen + 1] - starts[chosen]
        places, owners = places_of(starts[chosen], sizes), np.repeat(chosen, sizes)
        ids = segment.values["set.ids"][places]
        if dated:  # a column decides together whether days or months come first, and else its table
            day_first = np.repeat(segment.day_first(chosen), sizes)
            numbers = parse_dates(segment.dictionary.values.take(ids).to_arrow(), owners, day_first)
        else:
            numbers = _parsed_once(segment, ids)
        pieces.append((owners, numbers, segment.counts_at(places)))
    owners, numbers, counts = (np.concatenate(piece) for piece in zip(*pieces, strict=True))
    valid = np.flatnonzero(np.isfinite(numbers))
    order = valid[np.argsort(owners[valid], kind="stable")]
    return owners[order], numbers[order], counts[order]


def _parsed_once(segment: Segment, ids: np.ndarray) -> np.ndarray:
    """The numbers of the values with these ids, of which many may be equal."""
    values, size = segment.dictionary.values, len(segment.dictionary)
    if len(ids) < size // 8:
        once, where = np.unique(ids, return_inverse=True)
        return numbers_of(values.take(once).to_arrow())[where]
    wanted = np.zeros(size, bool)  # faster than sorting them
    wanted[ids] = True
    once, numbers = np.flatnonzero(wanted), np.full(size, np.nan)
    numbers[once] = numbers_of(values.take(once).to_arrow())
    return numbers[ids]


def numbers_of(values: pa.Array) -> np.ndarray:
    """The numbers of a column's values, NaN where a value is not a number; an infinity is the largest number."""
    numbers = parse_numbers(values)
    others = np.flatnonzero(np.isnan(numbers))
    known = pa.array(list(_INFINITE), values.type)
    which = pc.fill_null(pc.index_in(values.take(pa.array(others)), known), -1).to_numpy(zero_copy_only=False)
    numbers[others[which >= 0]] = np.array(list(_INFINITE.values()))[which[which >= 0]]
    return numbers
