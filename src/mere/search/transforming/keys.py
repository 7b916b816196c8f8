"""Which rows does a join have, and which texts were matched in each pair?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.search.transforming.sides import Side

SEPARATOR = " | "  # between the cells of a key of several columns
_NO_ROW = -1

Rows = tuple[np.ndarray, np.ndarray]  # of the left table, and of the right one


def rows_of_join(pairs: Rows, missing: Rows, how: str) -> Rows:
    """The rows of a join: the pairs, and those without a partner that `how` keeps, paired with -1.

    In the order of the left table (for `right`, of the right one); right rows without a partner come last.
    """
    left, right = pairs
    if how in ("left", "outer"):
        left, right = np.append(left, missing[0]), np.append(right, np.full(len(missing[0]), _NO_ROW))
    if how == "right":
        left, right = np.append(left, np.full(len(missing[1]), _NO_ROW)), np.append(right, missing[1])
    order = np.lexsort((left, right) if how == "right" else (right, left))
    left, right = left[order], right[order]
    if how == "outer":
        left, right = np.append(left, np.full(len(missing[1]), _NO_ROW)), np.append(right, missing[1])
    return left.astype(np.int64), right.astype(np.int64)


def key_texts(side: Side, columns: Sequence[Sequence[str]], rows: np.ndarray, programs: np.ndarray) -> pa.Array:
    """The texts that were matched, one per pair: the cells of the columns that its program reads.

    `columns` has those of every program, `programs` the program of every pair.  Pairs that no program made (-1) show
    the columns of the first program.
    """
    if not columns:
        return pa.nulls(len(rows), pa.string())
    chosen = np.maximum(programs, 0)
    cells = {name: side.texts(name) for names in columns for name in names}
    texts, places = [], []
    for number, names in enumerate(columns):
        here = np.flatnonzero(chosen == number)
        taken = [cells[name].take(pa.array(rows[here])) for name in names]
        texts.append(taken[0] if len(taken) == 1 else _united(taken, len(here)))
        places.append(here)
    return pa.concat_arrays(texts).take(pa.array(np.argsort(np.concatenate(places))))


def _united(cells: list[pa.Array], rows: int) -> pa.Array:
    if not cells:
        return pa.nulls(rows, pa.string())
    return pc.binary_join_element_wise(*cells, SEPARATOR, null_handling="skip")
