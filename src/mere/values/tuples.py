"""Which 64-bit hash does a row have?

The hash of a row is the mixed sum of one term per cell: the hash of the value, mixed with the name of its column.
Addition commutes, and a null adds nothing, so the hash depends neither on the order of the columns nor on columns that
are null, or that a table lacks.  Two tables that have the same rows under the same names give them the same hashes: a
sample of the rows with the smallest hashes has the same rows of both.

Names are compared by their letters and digits: `Unit Price` and `unit_price` are the same column.  Of several columns
with one name, the second has the key `name#2`.  All of this is part of the format of stored row sketches: a change is a
new `ROW_HASHES_VERSION`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa

from mere.values.hashing import hash_values, mix
from mere.values.normalise import normalise_cell

ROW_HASHES_VERSION = 2  # 1: fewer ways to write dates were known
_ROW = np.uint64(0x6D65726500000002)  # so that a row of nulls does not have the hash 0


@lru_cache(maxsize=1 << 14)  # tables of one lake share names
def column_key(name: str) -> str:
    """What a column's name is compared by.

    >>> column_key("Unit Price"), column_key("unit_price"), column_key("%")
    ('unitprice', 'unitprice', '%')
    """
    normal = normalise_cell(name) or ""
    return "".join(letter for letter in normal if letter.isalnum()) or normal


def column_keys(names: Iterable[str]) -> list[str]:
    """The keys of a table's columns; each is different.

    >>> column_keys(["a", "b", "A"])
    ['a', 'b', 'a#2']
    """
    seen: Counter[str] = Counter()
    keys = []
    for name in names:
        key = column_key(name)
        seen[key] += 1
        keys.append(key if seen[key] == 1 else f"{key}#{seen[key]}")
    return keys


def key_hashes(keys: Sequence[str]) -> np.ndarray:
    """The hash of each column's key, as `value_terms` takes it; many at once cost little more than one."""
    return mix(hash_values(pa.array(keys, pa.string())))


def value_terms(hashes: np.ndarray, keys: np.ndarray | np.uint64) -> np.ndarray:
    """What each value adds to the sum of a row; with the hash of its column's key, one for all or one per value."""
    return mix(hashes ^ keys)


def cell_terms(hashes: np.ndarray, key: str) -> np.ndarray:
    """What each code of a column adds to the sum of a row: entry 0 (null) adds nothing, entry k the k-th value."""
    terms = np.zeros(len(hashes) + 1, np.uint64)
    terms[1:] = value_terms(hashes, key_hashes([key])[0])
    return terms


def row_hashes(sums: np.ndarray) -> np.ndarray:
    """The hashes of rows from the sums of their terms."""
    return mix(sums + _ROW)
