"""Which price has each name in a price list: a mapping, a pandas Series, or a table (frame or file)?

The columns of a table are chosen by their names: `table`, `name`, `dataset` or `file`, and `price`, `cost` or `amount`,
alone or at an end of the name.  If there is none, the names are the text column in which the most candidates occur, and
the prices are the only column of numbers.  Numbers may have a currency sign, and thousands.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from mere.drawing import number_label
from mere.errors import UsageError
from mere.search.assembling.inputs import Table, check_names, read_table
from mere.search.given import is_file, texts
from mere.search.given.frames import collected, is_frame
from mere.segments import code_column
from mere.values import column_key, normalise, parse_numbers

REMEDY = "give a number per row, a mapping or function from tables to prices, or a file with columns table and price"
FILE_REMEDY = "give a file with columns table and price, or a number per row"
WANTED = "write prices as 1200 or 1,200.50, with a currency sign or without"
_NAMES = ("table", "name", "dataset", "file")
_PRICES = ("price", "cost", "amount")
_SIGN = r"[$£¥\u20a0-\u20cf]?"
_SIGNS = re.compile(r"[$£¥\u20a0-\u20cf]")
_NUMBER = r"[0-9][0-9.,'’e+-]*"
_PRICE = re.compile(rf"(-?)\s*{_SIGN}\s*(-?{_NUMBER}(?:\s{_NUMBER})*)\s*{_SIGN}")
_THOUSANDS = re.compile(r"(?<=[0-9])[\s'’](?=[0-9]{3}(?![0-9]))")
Known = Callable[[Sequence[str]], int]  # how many of these names are those of candidates


def price_list(given: Any, known: Known) -> tuple[dict[str, Any], list[str]]:
    """A price list by name, and notes on how it was read; a price that is not a number stays a text."""
    given = collected(given)
    if _is_series(given):
        given = given.dropna()
        given = dict(zip(given.index.tolist(), given.tolist(), strict=True))
    if isinstance(given, Mapping) and all(isinstance(value, str) or not _has_length(value) for value in given.values()):
        known_prices = {str(name): price for name, price in given.items() if not _is_missing(price)}
        return {name: one_price(price) for name, price in known_prices.items()}, _sign_notes(known_prices.values())
    if isinstance(given, str | os.PathLike) and not is_file(given):
        raise UsageError(f"the price list '{os.fspath(given)}' is not a file", FILE_REMEDY)
    if not isinstance(given, str | os.PathLike | list | tuple) and not is_frame(given):
        raise UsageError(f"expected prices, got {type(given).__name__}", REMEDY)
    return _from_table(read_table(given, None, "the price list"), known)


def _is_series(given: Any) -> bool:
    return hasattr(given, "index") and hasattr(given, "iloc") and not hasattr(given, "columns")


def one_price(given: Any) -> Any:
    """The price that a text stands for; whatever is not a text, or not a number, stays as it is."""
    return read_prices([given])[0] if isinstance(given, str) else given


def _is_missing(price: Any) -> bool:
    """Whether a table has no price: None, NaN, or an empty text."""
    return price is None or (not price.strip() if isinstance(price, str) else price != price)


def _sign_notes(prices: Iterable[Any]) -> list[str]:
    """A note on prices in several currencies, which are added up as they are."""
    texts = [price for price in prices if isinstance(price, str)]
    signs = sorted({sign for text in texts for sign in _SIGNS.findall(text)})
    if len(signs) < 2:
        return []
    return [f"the prices have several currency signs ({', '.join(signs)}), which are not converted"]


def _has_length(value: Any) -> bool:
    return hasattr(value, "__len__")


def read_prices(cells: Sequence[str]) -> list[float | str]:
    """The prices that texts stand for; a text itself if it is not a number.

    >>> read_prices(["€ 1,200.50", "1 200 €", "1'200", "12,5", "1200 or so"])
    [1200.5, 1200.0, 1200.0, '12,5', '1200 or so']
    """
    numbers = parse_numbers(normalise(pa.array(map(_plain, cells), pa.string()))).tolist()
    return [text if math.isnan(number) else number for text, number in zip(cells, numbers, strict=True)]


def _plain(text: str) -> str:
    """A price without currency sign and separators of thousands that Mere does not read everywhere."""
    match = _PRICE.fullmatch(text.strip())
    return text if match is None else _THOUSANDS.sub("", match[1] + match[2])


def _from_table(table: Table, known: Known) -> tuple[dict[str, Any], list[str]]:
    check_names(table)
    cells = table.cells if table.cells is not None else table.read()
    columns = {name: texts(column) for name, column in zip(cells.column_names, cells.columns, strict=True)}
    plain = {name: pa.array([None if cell is None else _plain(cell) for cell in column.to_pylist()], pa.string())
             for name, column in columns.items()}  # fmt: skip
    numeric = [name for name, column in plain.items() if _is_numeric(column)]
    names = _column_of_names(columns, numeric, known, table.name)
    prices = _column_of_prices([name for name in columns if name != names], numeric, table.name)
    notes = list(table.notes)
    if (column_key(names), column_key(prices)) != ("table", "price"):
        notes.append(f"in '{table.name}', '{names}' was read as the tables' names and '{prices}' as their prices")
    cells_of_prices = columns[prices].to_pylist()
    notes += _sign_notes(cells_of_prices)
    return _by_name(columns[names].to_pylist(), cells_of_prices, table.name), notes


def _column_of_names(columns: Mapping[str, pa.Array], numeric: Sequence[str], known: Known, owner: str) -> str:
    """The column with the tables' names: of several that fit, the one in which the most candidates occur."""
    fitting = _called(list(columns), _NAMES) or [name for name in columns if name not in numeric]
    if not fitting:
        raise UsageError(f"'{owner}' has no column of names", "call the columns 'table' and 'price'")
    return max(fitting, key=lambda name: known([cell for cell in columns[name].to_pylist() if cell]))


def _column_of_prices(names: Sequence[str], numeric: Sequence[str], owner: str) -> str:
    fitting = _called(names, _PRICES)
    exact = [name for name in fitting if column_key(name) in _PRICES]
    fitting = exact[:1] or fitting or [name for name in names if name in numeric]
    if not fitting:
        raise UsageError(f"'{owner}' has no column of prices", "call the columns 'table' and 'price'")
    if len(fitting) > 1:
        listed = ", ".join(f"'{name}'" for name in fitting)
        raise UsageError(f"several columns of '{owner}' may be the prices: {listed}", "call one of them 'price'")
    return fitting[0]


def _called(names: Sequence[str], words: Sequence[str]) -> list[str]:
    """The columns that are called by one of the words, in the order of the words, then those with one at an end."""
    keys = {name: column_key(name) for name in names}
    exact = [name for word in words for name in names if keys[name] == word]
    at_an_end = [
        name for name in names if any(map(keys[name].startswith, words)) or any(map(keys[name].endswith, words))
    ]
    return list(dict.fromkeys([*exact, *at_an_end]))


def _is_numeric(cells: pa.Array) -> bool:
    coded = code_column(cells)
    return coded.numeric


def _by_name(names: Sequence[str | None], cells: Sequence[str | None], owner: str) -> dict[str, Any]:
    """Prices by name; a cell that is not a number stays a text, an empty one is no price."""
    pairs = [(name.strip(), text) for name, text in zip(names, cells, strict=True) if name and text]
    pairs = [(name, text) for name, text in pairs if name and text.strip()]
    listed: dict[str, Any] = {}
    for (name, _), price in zip(pairs, read_prices([text for _, text in pairs]), strict=True):
        if listed.setdefault(name, price) != price:
            both = f"{_shown(listed[name])} and {_shown(price)}"
            raise UsageError(f"'{owner}' has two prices of '{name}': {both}", "leave one of them")
    return listed


def _shown(price: float | str) -> str:
    return price if isinstance(price, str) else number_label(price)
