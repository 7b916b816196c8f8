"""JSON values: parsed, their depth checked, and written as the text of a cell."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

from mere.readers.table import Findings

SAFE_LENGTH = 16  # characters: a point, and 15 digits, which every float holds
DIGITS = 4000  # Python refuses to convert longer integers; they are kept as text


class TooDeep(ValueError):
    """Nested more deeply than the limit allows."""


class Written(float):
    """A number that a float does not hold; its text is kept."""

    text = ""


@dataclass
class Repeated:
    """How many keys occurred again in one object, and replaced a value."""

    keys: int = 0

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        self.keys += len(pairs) - len(record)
        return record

    def note(self, findings: Findings) -> None:
        findings.note("{n} {key occurs|keys occur} twice in an object: the last value was kept", self.keys, lost=True)


def parse(text: str, repeated: Repeated | None = None) -> Any:
    """A JSON value; NaN, Infinity, repeated keys (the last wins; they are counted) and huge numbers are accepted."""
    hook = (repeated or Repeated()).object
    try:
        return json.loads(text, parse_float=_number, object_pairs_hook=hook)
    except RecursionError:
        raise TooDeep("nested too deeply to parse") from None
    except ValueError as fault:
        if "integer string" not in str(fault):
            raise
        return json.loads(text, parse_float=_number, parse_int=_integer, object_pairs_hook=hook)


def decoder(repeated: Repeated) -> json.JSONDecoder:
    """The same for several values in a row."""
    return json.JSONDecoder(parse_float=_number, object_pairs_hook=repeated.object)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < DIGITS else digits


def _number(text: str) -> float:
    """The number, with its text if it is too large or has more digits than a float holds."""
    number = float(text)
    if len(text) <= SAFE_LENGTH and abs(number) < math.inf:
        return number
    if abs(number) < math.inf and len(text) <= DIGITS and Decimal(repr(number)) == Decimal(text):
        return number
    written = Written(number)
    written.text = text
    return written


def cell(value: Any) -> str | None:
    """The text of one value; null stays null, objects and lists are JSON without blanks."""
    if value is None or isinstance(value, str):
        return value
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Written):
        return value.text
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return _AS_TEXT.encode(value)


_AS_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


def is_fraction(value: Any) -> bool:
    """Whether it is a number with a fraction, which becomes text with a decimal point."""
    return isinstance(value, float) and not value.is_integer()


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
