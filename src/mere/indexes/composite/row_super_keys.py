"""What is the super key of each row?  It is computed for the mode `mate`, and not stored.

The default mode has no use for super keys (`composite`), and stored ones would be a tenth of an index.  Those of a
segment are computed when the first question asks for them, and kept as long as it is open.
"""

from __future__ import annotations

import numpy as np

from mere.compiled import read_only
from mere.indexes.composite.super_keys import Recipe, patterns
from mere.indexes.kind import Part
from mere.store import offsets_of


def recipe_in(part: Part) -> Recipe:
    """How the values of a part become bits."""
    return Recipe(part.arrays["recipe.name"].tobytes().decode("ascii"), int(part.arrays["recipe.bits"][0]))


def super_keys_of(part: Part) -> np.ndarray:
    """Of each row of the segment (a row) the words of its super key: the OR of the patterns of all its values."""
    if "super keys" not in part.memo:
        part.memo["super keys"] = read_only(_super_keys(part))
    return part.memo["super keys"]


def no_super_keys(part: Part) -> np.ndarray:
    """What a kernel is given that compares none."""
    return read_only(np.zeros((0, recipe_in(part).bits // 64), np.uint64))


def _super_keys(part: Part) -> np.ndarray:
    segment, recipe = part.segment, recipe_in(part)
    bits = patterns(segment.dictionary.values, segment.dictionary.hashes, recipe, part.arrays["recipe.ranks"])
    edges = offsets_of(segment.catalog["table.rows"])
    keys = np.zeros((int(edges[-1]), bits.shape[1]), np.uint64)
    for column, table in enumerate(segment.table_of_column.tolist()):
        codes = segment.codes_of(column)
        if len(codes):
            ids = segment.set_of(column)
            own = np.zeros((len(ids) + 1, keys.shape[1]), np.uint64)
            own[1:] = bits.take(ids, axis=0)  # faster than bits[ids]
            keys[edges[table] : edges[table + 1]] |= own.take(codes, axis=0)
    return keys
