"""Are the numbers of a column versions, sections or months, so that `1.10` comes after `1.9` and is not `1.1`?

A program that writes decimals either drops last zeros (`1.1`) or writes all with as many digits (`1.10`, `1.05`).
Numbers that are counted after the mark do neither.  So a column has **versions** if every number with a point or comma
has one or two digits behind it, without a zero in front of two; and the parts behind it, as whole numbers, go up to ten
at least, are at least four fifths of those from one to the largest, and one of them is 10, 20, ...

Whether each part was seen is kept for 0 to 99, and united over the blocks of a table.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.hashing import string_buffers

PARTS = 100  # parts behind the mark are less than this
_DENSE = 0.8
_SHAPE = r"^(0|[1-9][0-9]*)[.,](0|[1-9][0-9]?)$"
_TENS = np.arange(10, PARTS, 10)


def parts_behind_marks(values: pa.Array, places: np.ndarray) -> np.ndarray:
    """For the values at some places, the part behind the mark as a whole number; -1 if it is not like a version's."""
    parts = np.full(len(places), -1)
    if not places.size:
        return parts
    texts = values.take(pa.array(places))
    alike = np.flatnonzero(np.asarray(pc.match_substring_regex(texts, _SHAPE)))
    offsets, data = string_buffers(texts)
    last = offsets[1:][alike] - 1
    ones, tens = data[last].astype(np.int64) - ord("0"), data[last - 1].astype(np.int64) - ord("0")
    parts[alike] = ones + np.where(tens >= 0, 10 * tens, 0)  # point and comma come before the digits in ASCII
    return parts


def are_versions(parts: np.ndarray, unlike: np.ndarray, tens: bool = True) -> np.ndarray:
    """Whether columns have versions, given the parts that were seen, and the numbers with a mark that are unlike them.

    Without `tens`, where they would be if 10, 20, ... had been seen: stored numbers no longer show it.
    """
    parts = parts.copy()
    if not tens:
        parts[:, _TENS] |= parts[:, 1:10]
    seen = parts[:, 1:]
    most = np.where(seen.any(axis=1), PARTS - 1 - np.argmax(seen[:, ::-1], axis=1), 0)
    dense = seen.sum(axis=1) >= _DENSE * most
    return (unlike == 0) & (most >= 10) & dense & parts[:, _TENS].any(axis=1)
