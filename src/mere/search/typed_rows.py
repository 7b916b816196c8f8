"""How do the rows of a table get their types?

A column whose type is known (`values/typed.py`) is decoded from what the lake compares: its distinct values, each
converted once, and a code per row.  So a typed cell is the value that questions and joins know, read by the conventions
of its whole table, and the first ten rows have the types of all.  Columns that stay text are read from the raw file, as
they are written.  Columns of files that have types themselves (Parquet, ORC, Arrow, DuckDB, frames) keep these.

A file that is not in the lake is first read like one that is indexed.

What a reader of the rows should know of a column is JSON in the schema's metadata, under `mere.columns`: `unit`, `text`
(why it is text although most of it is not), `inexact` (a number that a float64 does not hold), `misfits` (cells that
became null, if that was asked for).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mere.errors import LakeError, UsageError
from mere.search.catalog import find_rows
from mere.search.given import number_share
from mere.search.raw import RawRows, raw_batches, read_rows, selected
from mere.segments import Facts, OpenSnapshot, Segment, Table, digest, summarise
from mere.values import Type, Typed, typed_values

KEY = b"mere.columns"
_UNSURE = {
    "decimal": "its numbers may have decimal points or commas: mere index SOURCE --decimal point, or comma, decides it",
    "percent": "some numbers are percentages and others are not",
    "brackets": "numbers in brackets may be negative, or footnotes",
    "dates": "its dates may have the day or the month first",
}


class Column(NamedTuple):
    """A column as it is compared: its distinct values, and a code per row, 0 for null and k for the k-th value."""

    type: Type
    values: Callable[[], pa.Array]
    codes: np.ndarray
    misfits: int = 0
    unsure: str = ""
    unit: str = ""
    order: str = ""  # of day and month in the table's dates, if its columns show it

    def typed(self, drop_misfits: bool) -> Typed:
        """Its distinct values with their types; without values if it stays text."""
        if self.type in (Type.TEXT, Type.EMPTY):
            return Typed(None)
        if self.unsure and self.type.is_number:
            return Typed(None, _UNSURE[self.unsure])
        typed = typed_values(self.values(), self.type, drop_misfits, "" if self.unsure else self.order)
        return Typed(None, typed.reason or _UNSURE[self.unsure]) if self.unsure else typed

    def facts(self, typed: Typed) -> dict[str, Any]:
        """What a reader of the typed cells should know."""
        told = {"unit": self.unit, "text": typed.reason, "inexact": typed.inexact, "misfits": self.misfits}
        kept = ("unit", "inexact", "misfits") if typed.values is not None else ("text",)
        return {name: told[name] for name in kept if told[name]}


def typed_rows(
    opened: OpenSnapshot,
    table: str,
    columns: Sequence[str] | None = None,
    limit: int | None = None,
    drop_misfits: bool = False,
    keep_words: frozenset[str] = frozenset(),
) -> pa.Table:
    """The rows (at most `limit`) and columns of a table of the lake, with their types.

    With words for missing values that are data, the types are those that its raw rows then have.
    """
    segment, number = find_rows(opened, table)
    raw = raw_batches(opened, table, own_types=True)
    if raw.own_types:
        rows = read_rows(raw, limit)
        return rows if columns is None else selected(rows, columns, table)
    if keep_words:
        written = _written(raw, segment, number)
        rows = _typed(_summary(opened, segment.facts(number), written, keep_words), written, drop_misfits)
        return (rows if columns is None else selected(rows, columns, table)).slice(0, limit)
    known = stored_columns(segment, number)
    wanted = list(known) if columns is None else [*columns]
    if not wanted or len(set(wanted)) < len(wanted):  # Arrow makes tables of no columns, and of equal names
        return selected(typed_rows(opened, table, None, limit, drop_misfits), wanted, table)
    selected(pa.table({name: pa.array([], pa.string()) for name in known}), wanted, table)
    return typed_table({name: known[name] for name in wanted}, lambda: _written(raw, segment, number, limit), limit,
                       drop_misfits)  # fmt: skip


def _written(raw: RawRows, segment: Segment, number: int, limit: int | None = None) -> pa.Table:
    rows = read_rows(raw, limit)
    check_rows(segment, number, rows.num_rows, limit)
    return rows


def check_rows(segment: Segment, number: int, rows: int, limit: int | None = None) -> None:
    """An error if the raw file has not as many rows as were indexed."""
    indexed = int(segment.catalog["table.rows"][number])
    if rows != (indexed if limit is None else min(indexed, limit)):
        raise LakeError(
            f"'{segment.names[number]}' had {indexed:,} rows when it was indexed, and now has {rows:,}",
            "bring the lake up to date with 'mere index', or with 'mere index --rebuild'",
        )


def stored_columns(segment: Segment, number: int) -> dict[str, Column]:
    """The columns of a table of the lake, by name."""
    numbers = segment.facts(number).numbers
    places, catalog = segment.columns_of(number), segment.catalog
    return {
        segment.column_name(place): Column(
            Type(int(catalog["column.types"][place])), _values_in(segment, place), segment.codes_of(place),
            int(catalog["column.misfits"][place]), **_told(numbers, segment.column_name(place)),
        )
        for place in places
    }  # fmt: skip


def _values_in(segment: Segment, place: int) -> Callable[[], pa.Array]:
    def values() -> pa.Array:
        ids = segment.set_of(place)
        return segment.dictionary.values.take(ids).to_arrow() if len(ids) else pa.array([], pa.string())

    return values


def _told(numbers: Mapping[str, Any], name: str) -> dict[str, str]:
    of_column = {"unsure": numbers.get("unsure", {}), "unit": numbers.get("units", {})}
    return {part: known.get(name, "") for part, known in of_column.items()} | {"order": numbers.get("dates", "")}


def summarised_again(opened: OpenSnapshot, table: str, keep_words: frozenset[str]) -> Table:
    """What a segment would keep of a table of the lake in which these words for missing values are values."""
    segment, number = find_rows(opened, table)
    return _summary(opened, segment.facts(number), _written(raw_batches(opened, table), segment, number), keep_words)


def _summary(opened: OpenSnapshot, facts: Facts, written: pa.Table, keep_words: frozenset[str]) -> Table:
    numbers: dict[str, Any] = {name: facts.numbers[name] for name in ("given", "typed") if name in facts.numbers}
    again = Facts("", "", "", numbers=numbers)
    return summarise([again], digest([written]), number_share(opened), data=keep_words)[0]


def typed_text(
    written: pa.Table,
    share: float,
    has_fractions: bool,
    keep_words: frozenset[str] = frozenset(),
    drop_misfits: bool = False,
) -> pa.Table:
    """The rows of a file that is not in the lake, all of them text, with their types."""
    facts = Facts("", "", "", numbers={"typed": True} if has_fractions else {})
    [table] = summarise([facts], digest([written]), share, data=keep_words)
    return _typed(table, written, drop_misfits)


def _typed(table: Table, written: pa.Table, drop_misfits: bool = False) -> pa.Table:
    """Rows that are text with the types that were found."""
    starts, edges = table.sets.starts, table.cells.starts
    cells = np.concatenate([np.empty(0, np.uint8), *table.cells.data])
    columns = {}
    for place, name in enumerate(table.columns.names):
        values = table.sets.values.slice(int(starts[place]), int(starts[place + 1]))
        codes = cells[edges[place] : edges[place + 1]].view(f"<u{table.cells.widths[place]}")
        columns[name] = Column(
            Type(int(table.columns.types[place])), values.to_arrow, codes, int(table.columns.misfits[place]),
            **_told(table.facts.numbers, name),
        )  # fmt: skip
    return typed_table(columns, lambda: written, None, drop_misfits)


def typed_table(
    columns: Mapping[str, Column], read_text: Callable[[], pa.Table], limit: int | None, drop_misfits: bool
) -> pa.Table:
    """The columns with their types; those that stay text as `read_text` gives them, if there are any."""
    typed = {name: column.typed(drop_misfits) for name, column in columns.items()}
    is_text = any(each.values is None for each in typed.values())
    written = read_text() if is_text else None
    arrays = []
    for name, each in typed.items():
        if each.values is None:
            assert written is not None
            arrays.append(written.column(name))
        else:
            arrays.append(decoded(each.values, columns[name].codes[:limit]))
    facts = {name: facts for name, each in typed.items() if (facts := columns[name].facts(each))}
    return pa.table(arrays, names=list(columns), metadata=metadata(facts))


def decoded(values: pa.Array, codes: np.ndarray) -> pa.Array:
    """The value of each code; code 0 is null."""
    return pa.concat_arrays([pa.nulls(1, values.type), values]).take(pa.array(codes))


def checked_misfits(misfits: str) -> bool:
    """Whether cells that are not of their column's type become null."""
    if misfits not in ("text", "null"):
        raise UsageError(f"'misfits' must be 'text' or 'null', got {misfits!r}", "'text' keeps such a column text")
    return misfits == "null"


def metadata(facts: Mapping[str, Any]) -> dict[bytes, bytes] | None:
    return {KEY: json.dumps(facts, ensure_ascii=False).encode()} if facts else None


def facts_of(table: pa.Table) -> dict[str, dict[str, Any]]:
    """What a reader should know of the columns of a typed table, by name."""
    return _facts_in(table.schema.metadata)


def _facts_in(schema_metadata: Mapping[bytes, bytes] | None) -> dict[str, dict[str, Any]]:
    known: dict[str, dict[str, Any]] = json.loads((schema_metadata or {}).get(KEY, b"{}"))
    return known


def notes_on(schema_metadata: Mapping[bytes, bytes] | None) -> tuple[str, ...]:
    """Sentences on columns that stayed text, and on what typed cells do not say."""
    facts = _facts_in(schema_metadata)
    return (*kept_texts(facts), *losses(facts))


def losses(facts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Sentences on what typed cells do not say; empty if they say all that was written."""
    inexact = {name: each["inexact"] for name, each in facts.items() if "inexact" in each}
    names = ", ".join(f"'{name}'" for name in inexact)
    digits = f"numbers of {names} have more digits than a float64 holds, for example {next(iter(inexact.values()), '')}"
    misfits = [
        f"{_misfits(each['misfits'], name)}; misfits='text' keeps {'it' if each['misfits'] == 1 else 'them'}"
        for name, each in facts.items()
        if "misfits" in each
    ]
    return [f"{digits}; raw=True, or a .csv file, has them as written", *misfits] if inexact else misfits


def _misfits(cells: int, name: str) -> str:
    if cells == 1:
        return f"1 cell of '{name}' is not of its type and is null"
    return f"{cells:,} cells of '{name}' are not of its type and are null"


def kept_texts(facts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Sentences on columns that are text although most of their cells are not."""
    return [f"'{name}' stays text: {each['text']}" for name, each in facts.items() if "text" in each]


def warn_of_losses(table: pa.Table, stacklevel: int) -> pa.Table:
    """The table; with a warning if its typed cells do not say all that was written."""
    for sentence in losses(facts_of(table)):
        warnings.warn(sentence, stacklevel=stacklevel + 1)
    return table
