"""How are two tables joined on pairs of columns, by value and not by spelling?

Both sides are coded like columns of the lake: equal values have equal codes, whatever their case, spacing or number
format, and nulls match nothing.  Rows come in the order of the left table, and for each in the order of the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from mere.errors import UsageError
from mere.search.ask import Asker
from mere.search.inputs import only_column, same_type, several_columns, texts
from mere.segments import code_column
from mere.store import Dictionary, offsets_of, places_of

WAYS = ("left", "inner", "right", "outer")
MOST_ROWS = 50_000_000
_NONE = -1


def joined(
    asker: Asker, left: Any, right: tuple[str, str | Sequence[str]], how: str, on: str | Sequence[str] | None
) -> Any:
    """What was given, joined with a table of the lake on its columns; a frame of the type that was given."""
    table, columns = right
    wanted = [on] if isinstance(on, str) else list(on or [])
    mine, theirs = asker.table(left, wanted), asker.table(table)
    names_right = several_columns(
        theirs.column_names, [columns] if isinstance(columns, str) else columns, f"table '{table}'"
    )
    if not wanted and len(names_right) == 1:
        wanted = [only_column(mine.column_names, None, "the left table")]
    names_left = several_columns(mine.column_names, wanted, "the left table")
    if len(names_left) != len(names_right):
        raise UsageError(
            f"{len(names_left)} columns of mine and {len(names_right)} of '{table}'",
            "name as many, in the same order, with on=",
        )
    return same_type(join(mine, names_left, theirs, names_right, how), left)


def join(left: pa.Table, on: list[str], right: pa.Table, columns: list[str], how: str = "left") -> pa.Table:
    """All columns of both, joined where each pair of columns agrees; a name that both have ends in `_right`."""
    if how not in WAYS:
        raise UsageError(f"'how' must be one of {', '.join(WAYS)}, got {how!r}", "how='left' keeps all rows of mine")
    mine, theirs = [texts(left.column(name)) for name in on], [texts(right.column(name)) for name in columns]
    if how == "right":
        right_rows, left_rows = pairs(theirs, mine, outer=True)
    else:
        left_rows, right_rows = pairs(mine, theirs, outer=how != "inner")
    if how == "outer":
        unmatched = np.setdiff1d(np.arange(right.num_rows), right_rows)
        left_rows, right_rows = (
            np.concatenate([left_rows, np.full(len(unmatched), _NONE)]),
            np.concatenate([right_rows, unmatched]),
        )
    taken = list(left.column_names)
    names = [*taken, *(_free(name, taken) for name in right.column_names)]
    joined = [*_take(left, left_rows).columns, *_take(right, right_rows).columns]
    return pa.table(joined, names=names)


def pairs(left: list[pa.Array], right: list[pa.Array], outer: bool) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of rows with equal values; with `outer`, rows of the left without a partner too, paired with -1."""
    wanted, theirs = _coded_alike(left, right)
    every = np.bincount(theirs, minlength=int(wanted.max(initial=0)) + 1)
    rows = every.copy()
    rows[0] = 0  # nulls match nothing
    found = rows[wanted]
    repeats = np.maximum(found, 1) if outer else found
    if (total := int(repeats.sum())) > MOST_ROWS:
        remedy = "join on a column with fewer repeats, or ask for fewer rows first"
        raise UsageError(f"the join would have {total:,} rows, more than {MOST_ROWS:,}", remedy)
    order = np.argsort(theirs, kind="stable")
    starts = offsets_of(every)
    other = np.full(total, _NONE)
    firsts = offsets_of(repeats)[:-1]
    other[places_of(firsts, found)] = order[places_of(starts[wanted], found)]
    return np.repeat(np.arange(len(wanted)), repeats), other


def _coded_alike(left: list[pa.Array], right: list[pa.Array]) -> tuple[np.ndarray, np.ndarray]:
    """Both sides' rows as numbers that are equal where all values are; 0 where one is null, or unknown to the right."""
    mine, theirs = np.ones(len(left[0]), np.int64), np.ones(len(right[0]), np.int64)
    for one, other in zip(left, right, strict=True):
        asked, known = code_column(one), code_column(other)
        partner = Dictionary(known.hashes, known.values).find(asked.values, asked.hashes) + 1
        size = len(known.hashes) + 1
        mine = _combined(mine, np.append(0, partner)[asked.codes], size)
        theirs = _combined(theirs, known.codes, size)
        numbers, theirs = np.unique(np.append(0, theirs), return_inverse=True)  # small again; 0 stays 0
        theirs = theirs[1:]
        place = np.minimum(np.searchsorted(numbers, mine), len(numbers) - 1)
        mine = np.where(numbers[place] == mine, place, 0)
    return mine, theirs


def _combined(numbers: np.ndarray, codes: np.ndarray, size: int) -> np.ndarray:
    return np.where((numbers > 0) & (codes > 0), numbers * size + codes, 0)


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
