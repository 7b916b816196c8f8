"""How are two tables joined on a pair of columns, by value and not by spelling?

Both columns are coded like columns of the lake: equal values have equal codes, whatever their case, spacing or number
format, and nulls match nothing.  Rows come in the order of the left table, and for each in the order of the right.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from mere.errors import UsageError
from mere.search.inputs import texts
from mere.segments import code_column
from mere.store import Dictionary, offsets_of, places_of

WAYS = ("left", "inner", "right", "outer")
MOST_ROWS = 50_000_000
_NONE = -1


def join(left: pa.Table, on: str, right: pa.Table, column: str, how: str = "left") -> pa.Table:
    """All columns of both; a name that both have ends in `_right` for the right one."""
    if how not in WAYS:
        raise UsageError(f"no way to join is called '{how}'", f"known are {', '.join(WAYS)}")
    if how == "right":
        other, one = pairs(texts(right.column(column)), texts(left.column(on)), outer=True)
    else:
        one, other = pairs(texts(left.column(on)), texts(right.column(column)), outer=how != "inner")
    if how == "outer":
        lonely = np.setdiff1d(np.arange(right.num_rows), other)
        one, other = np.concatenate([one, np.full(len(lonely), _NONE)]), np.concatenate([other, lonely])
    taken = list(left.column_names)
    names = [*taken, *(_free(name, taken) for name in right.column_names)]
    columns = [*_take(left, one).columns, *_take(right, other).columns]
    return pa.table(columns, names=names)


def pairs(left: pa.Array, right: pa.Array, outer: bool) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of rows with equal values; with `outer`, rows of the left without a partner too, paired with -1."""
    mine, theirs = code_column(left), code_column(right)
    partner = Dictionary(theirs.hashes, theirs.values).find(mine.values, mine.hashes) + 1  # a code of the right, or 0
    wanted = np.append(0, partner)[mine.codes]
    every = np.bincount(theirs.codes, minlength=len(theirs.hashes) + 1)
    rows = every.copy()
    rows[0] = 0  # nulls match nothing
    found = rows[wanted]
    repeats = np.maximum(found, 1) if outer else found
    if (total := int(repeats.sum())) > MOST_ROWS:
        remedy = "join on a column with fewer repeats, or ask for fewer rows first"
        raise UsageError(f"the join would have {total:,} rows, more than {MOST_ROWS:,}", remedy)
    order = np.argsort(theirs.codes, kind="stable")
    starts = offsets_of(every)
    other = np.full(total, _NONE)
    firsts = offsets_of(repeats)[:-1]
    other[places_of(firsts, found)] = order[places_of(starts[wanted], found)]
    return np.repeat(np.arange(len(left)), repeats), other


def _take(table: pa.Table, rows: np.ndarray) -> pa.Table:
    """These rows; -1 is a row of nulls."""
    wanted = pa.array(rows, pa.int64(), mask=rows == _NONE)
    try:
        return table.take(wanted)
    except pa.ArrowInvalid:  # more than two gigabytes of text in one column
        wide = [pa.large_string() if pa.types.is_string(kind) else kind for kind in table.schema.types]
        return table.cast(pa.schema(zip(table.column_names, wide, strict=True))).take(wanted)


def _free(name: str, taken: list[str]) -> str:
    while name in taken:
        name = f"{name}_right"
    taken.append(name)
    return name
