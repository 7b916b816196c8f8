"""How are two tables joined on pairs of columns, by value and not by spelling?

Both sides are coded like columns of the lake: equal values have equal codes, whatever their case, spacing or number
format, and nulls match nothing.  Where a hit says which values match (`pairs`), those match, and no others.  Rows
are in the order of the left table, then in that of the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mere.errors import UsageError
from mere.indexes.sets.codes import Recoding
from mere.search.ask import Asker
from mere.search.catalog import find_table
from mere.search.inputs import (
    Decimal,
    code_given,
    decimal_of,
    is_table_of_the_lake,
    number_share,
    only_column,
    same_type,
    several_columns,
)
from mere.search.raw import raw_rows
from mere.segments import Coded
from mere.store import Dictionary, Strings, offsets_of, places_of
from mere.values import NUMBER_SHARE, hash_values

HOW = ("left", "inner", "right", "outer")
MOST_ROWS = 50_000_000
_NO_ROW = -1


class Target(NamedTuple):
    """A table of the lake to join with."""

    table: str
    columns: str | Sequence[str]
    pairs: Sequence[Sequence[Any]] | None = None  # of one column: my value, its value, ...; equal values if None
    codes: Recoding | None = None  # of one column: how my codes are spelled there


def joined(asker: Asker, left: Any, right: Target, how: str, on: str | Sequence[str] | None) -> Any:
    """A frame, file or table joined with a table of the lake; as the type that was given."""
    table, columns = right.table, right.columns
    wanted = [on] if isinstance(on, str) else list(on or [])
    mine, theirs = asker.table(left, wanted), raw_rows(asker.opened, table, None, None)
    names_right = several_columns(
        theirs.column_names, [columns] if isinstance(columns, str) else columns, f"table '{table}'"
    )
    if not wanted and len(names_right) == 1:
        wanted = [only_column(mine.column_names, None, "the left table")]
    names_left = several_columns(mine.column_names, wanted, "the left table")
    if len(names_left) != len(names_right):
        raise UsageError(
            f"different numbers of columns: {len(names_left)} of mine and {len(names_right)} of '{table}'",
            "name as many of mine with on=, in the same order",
        )
    matching: Matching | None = None if right.pairs is None else [(pair[0], pair[1]) for pair in right.pairs]
    share, stored = number_share(asker.opened), _stored_decimal(asker, table)
    own = _stored_decimal(asker, left) if is_table_of_the_lake(left) else None
    left_side = Side(mine, names_left, own or (lambda: decimal_of(mine, share)), share)
    if right.codes is not None:
        matching = _same_codes(left_side, right.codes)
    return same_type(join(left_side, Side(theirs, names_right, stored, share), how, matching), left)


def _same_codes(side: Side, recoding: Recoding) -> Matching:
    """Each of my codes, and how it is spelled on the other side."""
    [mine] = side.coded()
    return [(value, recoding.theirs(value)) for value in mine.values.tolist()]


def _stored_decimal(asker: Asker, table: str) -> Decimal:
    """The decimal mark that a table of the lake was indexed with."""
    segment, number = find_table(asker.opened, table)
    return lambda: str(segment.facts(number).numbers.get("decimal", ""))


class Side(NamedTuple):
    """A table, the columns to join on, and how numbers are written in it."""

    table: pa.Table
    columns: list[str]
    decimal: Decimal = str  # gives an empty text
    share: float = NUMBER_SHARE

    def coded(self) -> list[Coded]:
        return [code_given(self.table.column(name), self.decimal, self.share) for name in self.columns]


Matching = Sequence[tuple[str, str]]  # values of the left column, and of the right one, that match


def join(left_side: Side, right_side: Side, how: str = "left", matching: Matching | None = None) -> pa.Table:
    """All columns of both, joined where the columns are equal, or match; a name that both have gets `_right`."""
    left, right = left_side.table, right_side.table
    check_how(how)
    mine, theirs = left_side.coded(), right_side.coded()
    if how == "right":
        turned = None if matching is None else [(theirs, mine) for mine, theirs in matching]
        right_rows, left_rows = pairs(theirs, mine, True, turned)
    else:
        left_rows, right_rows = pairs(mine, theirs, how != "inner", matching)
    if how == "outer":
        unmatched = np.setdiff1d(np.arange(right.num_rows), right_rows)
        left_rows, right_rows = (
            np.concatenate([left_rows, np.full(len(unmatched), _NO_ROW)]),
            np.concatenate([right_rows, unmatched]),
        )
    return side_by_side(left, left_rows, right, right_rows)


def check_how(how: str) -> None:
    if how not in HOW:
        raise UsageError(f"'how' must be one of {', '.join(HOW)}, got {how!r}", "how='left' keeps all of my rows")


def side_by_side(left: pa.Table, left_rows: np.ndarray, right: pa.Table, right_rows: np.ndarray) -> pa.Table:
    """All columns of both in these rows; -1 is a row of nulls; a name that both have gets `_right`."""
    used = list(left.column_names)
    names = [*used, *(_unused_name(name, used) for name in right.column_names)]
    arrays = [*take_rows(left, left_rows).columns, *take_rows(right, right_rows).columns]
    return pa.table(arrays, names=names)


def pairs(
    left: list[Coded], right: list[Coded], outer: bool, matching: Matching | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of rows that match; with `outer`, also the left rows without a match, paired with -1."""
    if matching is None:
        mine, theirs = _common_codes(left, right)
        by_code = np.argsort(theirs, kind="stable")
        rows_of_code = np.bincount(theirs, minlength=int(mine.max(initial=0)) + 1)
    else:
        mine, rows_of_code, by_code = _matching_codes(left[0], right[0], matching)
    matches = np.where(mine > 0, rows_of_code[mine], 0)  # nulls match nothing
    repeats = np.maximum(matches, 1) if outer else matches
    if (total := int(repeats.sum())) > MOST_ROWS:
        remedy = "join on a column whose values repeat less often, or join fewer rows"
        raise UsageError(f"the join would have {total:,} rows, more than {MOST_ROWS:,}", remedy)
    right_rows = np.full(total, _NO_ROW)
    first_places = offsets_of(repeats)[:-1]
    right_rows[places_of(first_places, matches)] = by_code[places_of(offsets_of(rows_of_code)[mine], matches)]
    return np.repeat(np.arange(len(mine)), repeats), right_rows


def _common_codes(left: list[Coded], right: list[Coded]) -> tuple[np.ndarray, np.ndarray]:
    """A number per row of each side, equal where all values are; 0 where one is null or does not occur on the right."""
    mine, theirs = np.ones(len(left[0].codes), np.int64), np.ones(len(right[0].codes), np.int64)
    for my_cells, their_cells in zip(left, right, strict=True):
        code_there = Dictionary(their_cells.hashes, their_cells.values).find(my_cells.values, my_cells.hashes) + 1
        size = len(their_cells.hashes) + 1
        mine = _combined(mine, np.append(0, code_there)[my_cells.codes], size)
        theirs = _combined(theirs, their_cells.codes, size)
        numbers, theirs = np.unique(np.append(0, theirs), return_inverse=True)  # dense again; 0 stays 0
        theirs = theirs[1:]
        place = np.minimum(np.searchsorted(numbers, mine), len(numbers) - 1)
        mine = np.where(numbers[place] == mine, place, 0)
    return mine, theirs


def _matching_codes(mine: Coded, theirs: Coded, matching: Matching) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A number per left row, the number of right rows that match each number, and these rows, number after number."""
    codes = [
        Dictionary(side.hashes, side.values).find(*_coded([pair[place] for pair in matching])) + 1
        for place, side in enumerate((mine, theirs))
    ]
    both = np.unique(np.stack(codes, axis=1)[(codes[0] > 0) & (codes[1] > 0)], axis=0)
    rows_of_code = np.bincount(theirs.codes, minlength=len(theirs.hashes) + 1)
    sizes = rows_of_code[both[:, 1]]
    rows = np.argsort(theirs.codes, kind="stable")[places_of(offsets_of(rows_of_code)[both[:, 1]], sizes)]
    owner = np.repeat(both[:, 0], sizes)
    order = np.lexsort((rows, owner))
    return mine.codes.astype(np.int64), np.bincount(owner, minlength=len(mine.hashes) + 1), rows[order]


def _coded(values: list[str]) -> tuple[Strings, np.ndarray]:
    """Values that are normalised already, and their hashes."""
    texts = pa.array(values, pa.string())
    return Strings.from_arrow(texts), hash_values(texts)


def _combined(numbers: np.ndarray, codes: np.ndarray, size: int) -> np.ndarray:
    return np.where((numbers > 0) & (codes > 0), numbers * size + codes, 0)


def take_rows(table: pa.Table, rows: np.ndarray) -> pa.Table:
    """These rows; -1 is a row of nulls."""
    numbers = pa.array(rows, pa.int64(), mask=rows == _NO_ROW)
    try:
        return table.take(numbers)
    except pa.ArrowInvalid:  # more than two gigabytes of text in one column
        types = [pa.large_string() if pa.types.is_string(kind) else kind for kind in table.schema.types]
        return table.cast(pa.schema(zip(table.column_names, types, strict=True))).take(numbers)


def _unused_name(name: str, used: list[str]) -> str:
    while name in used:
        name = f"{name}_right"
    used.append(name)
    return name
