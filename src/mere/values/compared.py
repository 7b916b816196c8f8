"""In which form are the cells of a column compared, in several tables that have it?

Rows of two tables are equal if their cells are, as cells of one column: what one table reads as a number and another
as text must not differ for that.  So the form is one for all tables, whichever comes first, and is decided by the types
that the column has in them:

    numbers    a number in any table: `1,234`, `€ 1 234` and `1234.0` are `1234` in all of them, also among texts; a
               number with another unit than the column's stays a text, and so does a code such as `007`
    dates      dates in any table: `5 jan 2020` is `2020-01-05` in all of them
    booleans   words for true and false in every table, or numbers: `yes` is `true`, or 1 if a table has numbers.  Among
               other texts they are texts: `no` may be Norway, and `t` and `y` two codes

Most values are written in that form already.  What is more exact than it (fractions of a second, numbers of more than
15 digits) or less (a month without a day) is left as it is.

A table that reads a column as numbers has them plain.  Elsewhere they are as they are written, so the decimal mark of
that table is given.  Signs are read as widely as any table may read them: `(2)` is -2, and `2,4` no list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.dates import details_of
from mere.values.headers import have_degrees
from mere.values.spelled import classify, plain_numbers
from mere.values.types import Type, parse_numbers

_PLAIN_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$"  # which has this form already
_OTHER_NUMBER = r"^-?[0-9.,]*[,e][0-9.,e+-]*$"  # thousands or an exponent
_USUAL_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(t[0-9]{2}:[0-9]{2}:[0-9]{2})?$"
_MIDNIGHT = "t00:00:00"
_MOST, _LONGEST = 1e15, 18  # up to these, a number is told apart by 15 digits
_WORDS = ((("true", "yes", "t", "y", "1"), "true", "1"), (("false", "no", "f", "n", "0"), "false", "0"))

Forms = tuple[np.ndarray, pa.Array]  # places of values, and their usual forms
Moments = Callable[[np.ndarray], np.ndarray]  # seconds since 1970 of the values at places, NaN for what is no date


@dataclass(frozen=True)
class Form:
    """In which form the values of a column are compared, in every table that has it."""

    numbers: bool = False
    dates: bool = False
    booleans: bool = False
    unit: str = ""  # of its numbers
    degrees: bool = False  # they are degrees: both point and comma are decimal marks

    @staticmethod
    def of(types: Iterable[Type], unit: str = "", name: str = "") -> Form:
        """The form of a column that has these types in some tables; it has no values where it is EMPTY.

        >>> Form.of([Type.TEXT, Type.INTEGER]) == Form.of([Type.INTEGER, Type.TEXT]) == Form(numbers=True)
        True
        >>> Form.of([Type.BOOLEAN, Type.EMPTY]), Form.of([Type.BOOLEAN, Type.TEXT]) == Form()
        (Form(numbers=False, dates=False, booleans=True, unit='', degrees=False), True)
        """
        kinds = set(types) - {Type.EMPTY}
        numbers = any(type_.is_number for type_ in kinds)
        booleans = Type.BOOLEAN in kinds and not kinds & {Type.TEXT, Type.DATETIME}
        return Form(numbers, Type.DATETIME in kinds, booleans, unit, numbers and bool(have_degrees([name])[0]))


def compared_forms(values: pa.Array, form: Form, moments: Moments, comma: bool = False) -> pa.Array:
    """The values in the form in which they are compared; `comma`: the decimal mark of numbers that may have either."""
    if form.dates:
        values = _with(values, _usual_dates(values, moments))
    if form.numbers:
        values = _with(values, written_numbers(values, form, comma))
        values = _with(values, usual_numbers(values))
    if form.booleans:
        for words, word, digit in _WORDS:
            among = pc.is_in(values, value_set=pa.array(words, values.type))
            values = pc.if_else(among, pa.scalar(digit if form.numbers else word, values.type), values)
    return values


def _with(values: pa.Array, forms: Forms) -> pa.Array:
    """The values with other texts at some places, which ascend."""
    mask = np.zeros(len(values), bool)
    mask[forms[0]] = True
    return pc.replace_with_mask(values, pa.array(mask), forms[1].cast(values.type)) if forms[0].size else values


def written_numbers(values: pa.Array, form: Form, comma: bool = False) -> Forms:
    """Numbers that are not written plainly, with the unit of the form or without one, and their plain forms."""
    places = np.arange(len(values))
    if form.degrees or not comma:
        places = np.flatnonzero(~np.asarray(pc.match_substring_regex(values, _PLAIN_NUMBER)))
    if not places.size:
        return places, values[:0]
    texts = values.take(pa.array(places))
    spelled = classify(texts)
    numeric = spelled.numeric
    foreign = np.array([name not in ("", form.unit) for name in spelled.unit_names])[spelled.units]
    numeric[spelled.places[foreign]] = False
    commas = np.asarray(pc.match_substring(texts, ",")) if form.degrees else np.full(len(texts), comma)
    at, forms = plain_numbers(texts, spelled, commas)
    kept = np.flatnonzero(numeric[at])
    kept = kept[np.argsort(at[kept])]
    return places[at[kept]], forms.take(pa.array(kept))


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
