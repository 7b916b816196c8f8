"""What does each table cost?

Prices are a number per row, a function of name and number of rows, or a price list (`price_lists`).  A name in a price
list may leave out folders and the extension, if only one candidate is meant.  Without prices every table costs 1.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

from mere.errors import UsageError
from mere.search.assembling.price_lists import WANTED, one_price, price_list

_SHOWN = 5  # names in a note
_HIGHEST = 1e300  # price, so that no sum of prices is beyond the largest float


class Prices(NamedTuple):
    """The price of each table, None where none is known; and what to know about them."""

    by_table: dict[str, float | None]
    notes: list[str]


def prices_of(given: Any, tables: Sequence[tuple[str, int | None]], default: Any = None) -> Prices:
    """The prices of tables, which are pairs of a name and its number of rows (None if that is not known)."""
    fallback = None if default is None else _checked("'default_price'", one_price(default))
    names = [name for name, _ in tables]
    notes: list[str] = []
    price: Callable[[str, int | None], Any]
    if given is None:
        price = lambda name, rows: 1.0 if fallback is None else fallback  # noqa: E731
    elif callable(given):
        price = lambda name, rows: None if rows is None else _called(given, name, rows)  # noqa: E731
    elif _is_number(given):
        per_row = _checked("the price of each row", given)
        price = lambda name, rows: None if rows is None else per_row * rows  # noqa: E731
    else:
        meanings = _Meanings(names)
        listed, notes = price_list(given, lambda entries: sum(bool(meanings.of(entry)) for entry in entries))
        matched, unknown = _matched(listed, names)
        notes += [_unknown_note(unknown)] if unknown else []
        price = lambda name, rows: matched.get(name)  # noqa: E731
    known = {name: price(name, rows) for name, rows in tables}
    checked = {
        name: None if value is None else _checked(f"the price of '{name}'", value) for name, value in known.items()
    }
    return Prices({name: fallback if value is None else value for name, value in checked.items()}, notes)


def _called(function: Callable[[str, int], Any], name: str, rows: int) -> Any:
    try:
        return function(name, rows)
    except Exception as error:
        fault = f"prices= failed for '{name}': {type(error).__name__}: {error}"
        raise UsageError(fault, "correct the function; it is called with a name and a number of rows") from error


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
        remedy = WANTED if isinstance(value, str) else "correct it"
        raise UsageError(fault, f"{remedy}; a table without a price can be left out, or gets default_price=")
    return price


class _Meanings:
    """The candidates that a name in a price list can mean: it may lack folders and the extension."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names, self._short = set(names), dict[str, list[str]]()
        for name in names:
            endings = {name[place + 1 :] for place, letter in enumerate(name) if letter in "/#"}
            for ending in {*endings, _stem(name)}:
                self._short.setdefault(ending, []).append(name)

    def of(self, entry: str) -> list[str]:
        entry = entry.strip()
        return [entry] if entry in self._names else self._short.get(entry) or self._short.get(_stem(entry)) or []


def _matched(listed: Mapping[str, Any], names: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The prices by the candidates' own names, and the names in the list that are no candidate's."""
    prices = {name: listed[name] for name in names if name in listed}
    others = _Meanings([name for name in names if name not in prices])
    unknown = []
    for entry, price in listed.items():
        if entry in prices:
            continue
        meant = others.of(entry)
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
