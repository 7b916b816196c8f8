"""What is known of a table of which only a profile was published, and whose rows stay with their owner?

Kept in the table's facts, as JSON; what was not published is absent:

    rows        how many the owner counted
    source      where to ask for them
    columns     one each, in order: type (a `Type`), count (cells that are not null), nulls, distinct; low, high and
                mean on the column's axis (numbers, or seconds since 1970); edges and counts of the histogram;
                unsure, what its owner's lake does not know of it (`plain_numbers`)

A histogram is as in `indexes/distribution`: a bin holds its left edge, the last bin both edges; counts are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mere.values import Type

Published = Mapping[str, Any]

MOST_BINS = 256  # of a histogram: a bin's number fits in a byte
WITHHELD = "withheld"


def types_in(published: Published) -> np.ndarray:
    """The type of every column."""
    return np.array([column["type"] for column in published["columns"]], np.uint8)


def histograms_in(published: Published) -> Iterator[tuple[int, list[float], list[int]]]:
    """Of every column that has a histogram: its place, the edges, and the rows between them."""
    for place, column in enumerate(published.get("columns", [])):
        if "edges" in column:
            yield place, column["edges"], column["counts"]


def unknown_in(published: Published) -> Iterator[tuple[int, str]]:
    """Of every column whose distribution is not known: its place, and what is not known; `WITHHELD`: its histogram."""
    for place, column in enumerate(published.get("columns", [])):
        withheld = "edges" not in column and Type(column["type"]).has_order
        if what := column.get("unsure") or (WITHHELD if withheld else ""):
            yield place, what
