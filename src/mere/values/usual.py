"""How is a value usually written, if its column has a type?

Rows of two tables are compared by type: in a column of numbers `1,234` is `1234`, in a column of dates `5 jan 2020` is
`2020-01-05`, in a column of booleans `yes` is `true`.  Most values are written in the usual form already, so only
those that are not are returned.  What is more exact than the usual form (fractions of a second, numbers of more than
15 digits) or less (a month without a day) is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.dates import details_of
from mere.values.types import Type, parse_numbers

_OTHER_NUMBER = r"^-?[0-9.,]*[,e][0-9.,e+-]*$"  # thousands or an exponent
_USUAL_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(t[0-9]{2}:[0-9]{2}:[0-9]{2})?$"
_MIDNIGHT = "t00:00:00"
_MOST, _LONGEST = 1e15, 18  # up to these, a number is told apart by 15 digits
_WORDS = dict.fromkeys(("yes", "t", "y", "1"), "true") | dict.fromkeys(("no", "f", "n", "0"), "false")

Forms = tuple[np.ndarray, pa.Array]  # places of values, and their usual forms


Moments = Callable[[np.ndarray], np.ndarray]  # seconds since 1970 of the values at places, NaN for what is no date


def usual_forms(values: pa.Array, type_: Type, moments: Moments) -> Forms:
    """Which values are written in another form than the usual one of a type, and their usual forms."""
    if type_.is_number:
        return usual_numbers(values)
    if type_ is Type.DATETIME:
        return _usual_dates(values, moments)
    if type_ is Type.BOOLEAN:
        places = np.flatnonzero(np.asarray(pc.is_in(values, value_set=pa.array(list(_WORDS), values.type))))
        return places, pa.array([_WORDS[values[place].as_py()] for place in places.tolist()], pa.string())
    return np.empty(0, np.int64), pa.array([], pa.string())


def usual_numbers(values: pa.Array) -> Forms:
    """Numbers with thousands or an exponent, and their usual forms."""
    places = np.flatnonzero(np.asarray(pc.match_substring_regex(values, _OTHER_NUMBER)))
    numbers = parse_numbers(values.take(pa.array(places))) if places.size else np.empty(0)
    lengths = np.asarray(pc.binary_length(values.take(pa.array(places)))) if places.size else np.empty(0)
    small = (np.abs(numbers) < _MOST) & (lengths <= _LONGEST)  # NaN is not
    return places[small], pa.array([f"{number:.15g}" for number in numbers[small].tolist()], pa.string())


def _usual_dates(values: pa.Array, moments: Moments) -> Forms:
    usual = np.asarray(pc.match_substring_regex(values, _USUAL_DATE))
    usual &= ~np.asarray(pc.ends_with(values, _MIDNIGHT))
    places = np.flatnonzero(~usual)
    if places.size:
        details = details_of(values.take(pa.array(places)))
        places = places[(details.fraction == "") & ~details.no_day]
    if not places.size:
        return places, pa.array([], pa.string())
    seconds = moments(places)
    places, seconds = places[np.isfinite(seconds)], seconds[np.isfinite(seconds)]
    texts = np.datetime_as_string(np.floor(seconds).astype("datetime64[s]"))
    return places, pa.array([text.lower().removesuffix(_MIDNIGHT) for text in texts.tolist()], pa.string())
