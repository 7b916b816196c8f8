"""JSON records as rows of text: one level is flattened to `a.b`, deeper values stay compact JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from mere.readers.json_shapes import Verbatim

DIGITS = 4000  # Python refuses to convert longer integers; they are kept as text


class TooDeep(ValueError):
    """Nested more deeply than the limit allows."""


def parse(text: str | bytes) -> Any:
    """A JSON value; NaN, Infinity, repeated keys (the last wins) and huge integers are accepted."""
    try:
        return json.loads(text)
    except RecursionError:
        raise TooDeep("nested too deeply to parse") from None
    except ValueError as fault:
        if "integer string" not in str(fault):
            raise
        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < DIGITS else digits)


def flatten(record: Any, nesting: int) -> dict[str, str | None]:
    """Cells by column name; a value that is not an object becomes the column `value`."""
    if not isinstance(record, dict):
        return {"value": cell(record, nesting)}
    cells: dict[str, str | None] = {}
    for key, value in record.items():
        if isinstance(value, dict) and value and not isinstance(value, Verbatim):
            for inner, deep in value.items():
                cells.setdefault(f"{key}.{inner}", cell(deep, nesting))
        else:
            cells[key] = cell(value, nesting)
    return cells


def cell(value: Any, nesting: int) -> str | None:
    """The text of one value; null stays null."""
    if value is None or isinstance(value, str):
        return value
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return compact(value, nesting)


def compact(value: Any, nesting: int) -> str:
    """JSON text without blanks; refuses values nested beyond `nesting` before they can exhaust the stack."""
    level: list[Any] = [value]
    depth = 0
    while level:
        depth += 1
        if depth > nesting:
            raise TooDeep(f"nested deeper than {nesting} levels")
        level = [inner for outer in level for inner in _children(outer)]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _children(value: Any) -> Iterable[Any]:
    inner = value.values() if isinstance(value, dict) else value
    return [item for item in inner if isinstance(item, (dict, list))]


def names_of(records: Iterable[dict[str, Any]]) -> list[str]:
    """Every key in order of first appearance."""
    return list(dict.fromkeys(key for record in records for key in record))


def rows_of(records: Iterable[dict[str, str | None]], names: list[str]) -> Iterator[list[str | None]]:
    return ([record.get(name) for name in names] for record in records)
