"""How are the numbers written in a column that is asked with, or joined?

By the rules of the lake: a column decides for itself; where its numbers may be read in two ways, the other columns of
its table decide, as they do when a table is indexed.  Only then are the others looked at.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from mere.search.given.files import is_typed
from mere.search.given.frames import texts
from mere.segments import Coded, OpenSnapshot, code_column, table_dates, table_decimal
from mere.values import NUMBER_SHARE

Decimal = Callable[[], str]  # gives the decimal mark of a table: point, comma, or empty if it is not known


def number_share(opened: OpenSnapshot) -> float:
    """The share of a column's cells that must be numbers, as the lake was indexed with."""
    return float(opened.snapshot.settings.get("number_share", NUMBER_SHARE))


def code_given(
    column: pa.Array | pa.ChunkedArray,
    decimal: Decimal,
    share: float = NUMBER_SHARE,
    data: frozenset[str] = frozenset(),
    name: str | None = None,
) -> Coded:
    """The values and codes of a column; numbers that are not text have a decimal point (`data`: see `code_column`)."""
    cells = texts(column)
    coded = code_column(cells, data, "" if _is_text(column.type) else "point", share, name or "")
    if coded.undecided and (mark := decimal()):
        return code_column(cells, data, mark, share, name or "")
    return coded


def decimal_of(frame: pa.Table, share: float = NUMBER_SHARE) -> str:
    """The decimal mark of a frame, or of a file's table (`rows_of`)."""
    written = [texts(column) for column in frame.columns if _is_text(column.type)]
    return table_decimal(written, is_typed(frame), share)


def dates_of(frame: pa.Table, share: float = NUMBER_SHARE) -> str:
    """The order of day and month in a frame, or in a file's table."""
    return table_dates([texts(column) for column in frame.columns if _is_text(column.type)], share)


def _is_text(type_: pa.DataType) -> bool:
    type_ = type_.value_type if pa.types.is_dictionary(type_) else type_
    return pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_)


def doubts(column: Coded, name: str | None) -> tuple[str, ...]:
    """Notes on a column whose numbers may be read in two ways, and on words that are data because the lake shows it."""
    what = f"'{name}'" if name else "the query column"
    unsure = f"{what} may have decimal points or decimal commas: it was read with points"
    words = ", ".join(repr(word) for word in column.kept)
    kept = f"{words} in {what} was read as a value, because it is one in a column of codes of the lake"
    return (*([unsure] if column.unsure else []), *([kept] if words else []))
