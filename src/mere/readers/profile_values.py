"""The values of a profile: properties, numbers of rows, numbers and dates, checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from mere.values import normalise, parse_dates
from mere.values.dates import FIRST_MOMENT, LAST_MOMENT

Json = dict[str, Any]

MOST_ROWS = 1 << 53  # a larger JSON number may be rounded; times the levels of the index, this fits in 64 bits
_DATE_CHARACTERS = 64


class Malformed(ValueError):
    """A profile that is inconsistent; the message says where."""


def property_of(node: Json, name: str) -> Any:
    """A property, by its name alone or with a prefix."""
    if name in node:
        return node[name]
    return next((value for key, value in node.items() if key.endswith((f":{name}", f"/{name}"))), None)


def shown(value: Any, most: int = 100) -> str:
    """A value in a message: escaped, and cut."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


def row_count(value: Any, what: str) -> int | None:
    """A number of rows or values; None if it is not a number."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else number_of(value)
    if number is None:
        return None
    if number < 0:
        raise Malformed(f"{what} is negative: {shown(number)}")
    if number != int(number):
        raise Malformed(f"{what} is not an integer: {number!r}")
    if number >= MOST_ROWS:
        raise Malformed(f"{what} is {shown(number)}, more than {MOST_ROWS:,}")
    return int(number)


def number_of(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def on_axis(values: Sequence[Any], dated: bool) -> list[float | None]:
    """Values as numbers; in a column of dates, dates become seconds since 1970.  None for any other value."""
    if not dated:
        return [number_of(each) for each in values]
    moments = _moments([each if isinstance(each, str) else "" for each in values])
    places = [
        moment if isinstance(each, str) else number_of(each) for each, moment in zip(values, moments, strict=True)
    ]
    for each, place in zip(values, places, strict=True):
        if place is not None and not FIRST_MOMENT <= place <= LAST_MOMENT:
            raise Malformed(f"a date is outside of the years 1 to 9999: {shown(each)}")
    return places


def _moments(texts: list[str]) -> list[float | None]:
    """Seconds since 1970 of dates in ISO 8601 or, parsed together as one column, in other formats."""
    texts = [text if len(text) <= _DATE_CHARACTERS and text.isprintable() else "" for text in texts]
    if not any(texts):
        return [None] * len(texts)
    others = parse_dates(normalise(pa.array(texts)), np.zeros(len(texts), int)).tolist()
    return [_iso(text, other) for text, other in zip(texts, others, strict=True)]


def _iso(text: str, otherwise: float) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except ValueError:
        return number_of(otherwise)
