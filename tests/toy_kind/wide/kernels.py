"""The places of wide tables, compiled; `search` has the NumPy version."""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel
from tests.toy_kind.wide.records import Tables


@helper
def is_wide(tables, place, least):
    return tables.live[place] and tables.widths[place] >= least


@kernel
def places_of_wide(tables: Tables, least):
    """The places of the living tables with at least so many columns."""
    places, count = np.empty(len(tables.widths), np.int64), 0
    for place in range(len(tables.widths)):
        if is_wide(tables, place, least):
            places[count] = place
            count += 1
    return places[:count]
