"""Where do rows of delimited text end, without parsing it?

A newline ends a row unless it is quoted. Quote characters alternate between opening and closing (a doubled
quote closes and opens again), so the number of quotes before a newline says whether it is quoted, provided
that the quoting is *sound*: each opening quote follows a delimiter, a newline, an edge or a quote; each closing
quote precedes one. A stray quote (`5" pipe`) makes a block unsound; then only a parser can find the row ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def quote_positions(data: bytes, quote: str) -> NDArray[np.int64]:
    if not quote or quote.encode() not in data:
        return np.empty(0, np.int64)
    return np.flatnonzero(np.frombuffer(data, np.uint8) == ord(quote))


def is_sound(
    data: bytes,
    quotes: NDArray[np.int64],
    delimiter: str,
    inside: bool,
    before: bytes = b"",
    after: bytes = b"",
) -> bool:
    """Whether every quote opens or closes a cell; `before`, `after`: the bytes around the data, empty at an edge."""
    if not len(quotes):
        return True
    edge = np.zeros(256, bool)
    edge[[ord(delimiter), data[quotes[0]], 10, 13]] = True
    around = np.frombuffer((before or b"\n") + data + (after or b"\n"), np.uint8)
    opening, closing = quotes[int(inside) :: 2], quotes[1 - int(inside) :: 2]
    return bool(edge[around[opening]].all() and edge[around[closing + 2]].all())


def last_row_end(data: bytes, quotes: NDArray[np.int64], newline: bytes) -> int:
    """The offset after the last newline outside quotes, 0 if none; `data` starts outside, and is sound."""
    end = len(data)
    while (position := data.rfind(newline, 0, end)) >= 0:
        count = int(np.searchsorted(quotes, position))
        if count % 2 == 0:
            return position + len(newline)
        end = int(quotes[count - 1])  # no newline after the opening quote can end a row
    return 0


def next_row_start(data: bytes, quotes: NDArray[np.int64], newline: bytes, inside: bool) -> int:
    """The offset after the first newline outside quotes, -1 if there is none."""
    start = 0
    while (position := data.find(newline, start)) >= 0:
        count = int(np.searchsorted(quotes, position))
        if (count + inside) % 2 == 0:
            return position + len(newline)
        if count >= len(quotes):
            return -1
        start = int(quotes[count])
    return -1
