"""JSON values: parsed, their depth checked, and written as the text of a cell."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

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


def cell(value: Any) -> str | None:
    """The text of one value; null stays null, objects and lists are JSON without blanks."""
    if value is None or isinstance(value, str):
        return value
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def is_fraction(value: Any) -> bool:
    """Whether it is a number with a fraction, which becomes text with a decimal point."""
    return type(value) is float and not value.is_integer()


def check_depth(value: Any, nesting: int) -> Any:
    """The value, unless it is nested deeper than `nesting` levels: recursion could exhaust the stack."""
    level = [value] if isinstance(value, (dict, list)) else []
    depth = 0
    while level:
        depth += 1
        if depth > nesting:
            raise TooDeep(f"nested deeper than {nesting} levels")
        inside = chain.from_iterable(outer.values() if type(outer) is dict else outer for outer in level)
        level = [inner for inner in inside if type(inner) is dict or type(inner) is list]
    return value
