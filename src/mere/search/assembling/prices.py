"""What does each table cost?

Prices are a number per row, a mapping from names, a function of name and number of rows, or a table (frame or file)
with a column of names and one of prices.  A name in a price list may leave out folders and the extension, if only one
candidate is meant.  Without prices every table costs 1.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import pyarrow as pa

from mere.bundles.relation import Column
from mere.errors import UsageError
from mere.search.assembling.inputs import Table, inferred_type, read_table
from mere.search.inputs import is_file, texts
from mere.search.inputs.frames import is_frame
from mere.segments import code_column
from mere.values import column_key, normalise, parse_numbers

REMEDY = "give a number per row, a mapping or function from tables to prices, or a file with columns table and price"
_SHOWN = 5  # names in a note
_HIGHEST = 1e300  # price, so that no sum of prices is beyond the largest float


class Prices(NamedTuple):
    """The price of each table, None where none is known; and what to know about them."""

    by_table: dict[str, float | None]
    notes: list[str]


def prices_of(given: Any, tables: Sequence[tuple[str, int | None]], default: Any = None) -> Prices:
    """The prices of tables, which are pairs of a name and its number of rows (None if that is not known)."""
    fallback = None if default is None else _checked("'default_price'", default)
    names = [name for name, _ in tables]
    notes: list[str] = []
    price: Callable[[str, int | None], Any]
    if given is None:
        price = lambda name, rows: 1.0 if fallback is None else fallback  # noqa: E731
    elif callable(given):
        price = lambda name, rows: None if rows is None else given(name, rows)  # noqa: E731
    elif _is_number(given):
        per_row = _checked("the price of each row", given)
        price = lambda name, rows: None if rows is None else per_row * rows  # noqa: E731
    else:
        listed, notes = _listed(given)
        matched, unknown = _matched(listed, names)
        notes += [_unknown_note(unknown)] if unknown else []
        price = lambda name, rows: matched.get(name)  # noqa: E731
    known = {name: price(name, rows) for name, rows in tables}
    checked = {
        name: None if value is None else _checked(f"the price of '{name}'", value) for name, value in known.items()
    }
    return Prices({name: fallback if value is None else value for name, value in checked.items()}, notes)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def _checked(what: str, value: Any) -> float:
    """A price that can be paid; `what` names it in the error."""
    try:
        price = float(value) if _is_number(value) else math.nan
    except OverflowError:  # an int that no float can hold
        price = sys.float_info.max
    if _HIGHEST < price < math.inf:
        raise UsageError(f"{what} is higher than {_HIGHEST:g}", "give prices in a larger unit of money")
    if not 0 <= price < math.inf:
        fault = f"{what} must be a finite number >= 0, got {value!r}"
        raise UsageError(fault, "correct it; a table without a price can be left out, or gets default_price=")
    return price


def _listed(given: Any) -> tuple[dict[str, Any], list[str]]:
    """A price list by name, and notes on how it was read."""
    if isinstance(given, Mapping) and all(isinstance(value, str) or not _has_length(value) for value in given.values()):
        return {str(name): price for name, price in given.items()}, []
    if isinstance(given, str | os.PathLike) and not is_file(given):
        raise UsageError(f"the price list '{os.fspath(given)}' is not a file", REMEDY)
    if not isinstance(given, str | os.PathLike | list | tuple) and not is_frame(given):
        raise UsageError(f"expected prices, got {type(given).__name__}", REMEDY)
    return _from_table(read_table(given, None, "the price list"))


def _has_length(value: Any) -> bool:
    return hasattr(value, "__len__")


def _from_table(table: Table) -> tuple[dict[str, Any], list[str]]:
    cells = table.cells if table.cells is not None else table.read()
    columns = {name: texts(column) for name, column in zip(cells.column_names, cells.columns, strict=True)}
    names, prices = _columns(columns, table.name)
    notes = list(table.notes)
    if (column_key(names), column_key(prices)) != ("table", "price"):
        notes.append(f"in '{table.name}', '{names}' was read as the tables' names and '{prices}' as their prices")
    return _price_list(columns[names].to_pylist(), columns[prices], table.name), notes


def _columns(columns: Mapping[str, pa.Array], owner: str) -> tuple[str, str]:
    """The columns with the tables' names and with their prices."""
    by_key = {column_key(name): name for name in reversed(list(columns))}
    numeric = [name for name, cells in columns.items() if _is_numeric(cells)]
    names = by_key.get("table") or next((name for name in columns if name not in numeric), None)
    prices = by_key.get("price") or next((name for name in numeric if name != names), None)
    if names is None or prices is None:
        missing = "of names" if names is None else "of prices"
        raise UsageError(f"'{owner}' has no column {missing}", "call the columns 'table' and 'price'")
    return names, prices


def _is_numeric(cells: pa.Array) -> bool:
    coded = code_column(cells)
    return inferred_type(Column(coded.values, coded.hashes, coded.codes)).is_number


def _price_list(names: Sequence[str | None], cells: pa.Array, owner: str) -> dict[str, Any]:
    """Prices by name; a cell that is not a number stays a text, an empty one is no price."""
    numbers = parse_numbers(normalise(cells)).tolist()
    listed: dict[str, Any] = {}
    for name, text, number in zip(names, cells.to_pylist(), numbers, strict=True):
        if name is None or not name.strip() or text is None or not text.strip():
            continue
        price = text if math.isnan(number) else number
        if listed.setdefault(name.strip(), price) != price:
            fault = f"'{owner}' has two prices of '{name.strip()}': {listed[name.strip()]} and {price}"
            raise UsageError(fault, "leave one of them")
    return listed


def _matched(listed: Mapping[str, Any], names: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The prices by the candidates' own names, and the names in the list that are no candidate's."""
    prices = {name: listed[name] for name in names if name in listed}
    short = _short_names([name for name in names if name not in prices])
    unknown = []
    for entry, price in listed.items():
        if entry in prices:
            continue
        meant = short.get(entry) or short.get(_stem(entry)) or []
        if len(meant) > 1:
            fault = f"the price of '{entry}' may be that of {len(meant)} candidates: {', '.join(meant[:_SHOWN])}"
            raise UsageError(fault, "write more of the path in the price list")
        if not meant:
            unknown.append(entry)
        elif meant[0] in prices and prices[meant[0]] != price:
            fault = f"'{meant[0]}' has two prices in the price list: {prices[meant[0]]} and {price}"
            raise UsageError(fault, "leave one of them")
        else:
            prices[meant[0]] = price
    return prices, unknown


def _short_names(names: Sequence[str]) -> dict[str, list[str]]:
    """The candidates that each short name can mean: names without folders, and stems."""
    short: dict[str, list[str]] = {}
    for name in names:
        endings = {name[place + 1 :] for place, letter in enumerate(name) if letter in "/#"}
        for ending in {*endings, _stem(name)}:
            short.setdefault(ending, []).append(name)
    return short


def _stem(name: str) -> str:
    """
    >>> _stem("sales/orders_2024-01.csv.gz"), _stem("book.xlsx#May"), _stem("Orders")
    ('orders_2024-01', 'book#may', 'orders')
    """
    path, mark, member = name.partition("#")
    base = path.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{base.split('.')[0] or base}{mark}{member}".casefold()


def _unknown_note(unknown: Sequence[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in unknown[:_SHOWN]) + (" ..." if len(unknown) > _SHOWN else "")
    counted = "1 name" if len(unknown) == 1 else f"{len(unknown):,} names"
    return f"{counted} in the price list {'is' if len(unknown) == 1 else 'are'} not among the candidates: {listed}"
