"""How do the numbers of a table become plain, so that equal numbers are equal values?

In a column of numbers `6.718,21`, `€ 6 718.21` and `6718.21` are one value.  Each distinct value is rewritten once;
those that become equal are united, and the codes of the rows follow.

What was decided is kept in the facts of a table (`Facts.numbers`), as JSON; what is empty is absent:

    given       the decimal mark that the user, or a description of the file, names: "point" or "comma"
    typed       true if its file has fractions that are numbers, not text: Mere wrote these with a decimal point
    decimal     the decimal mark of the table: the given one, or the one that its columns show
    units       by column: the unit of its numbers, such as EUR, $ or %
    dates       the order of day and month in the table's dates, as its columns show it: "day first" or "month first"
    unsure      by column: what is not known, "decimal" (which mark is it?), "percent" (are all numbers percentages?),
                "brackets" (are numbers like `(2)` negative?) or "dates" (is the day or the month first?); and text
                that may be meant where numbers or dates are asked for, `SOME`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mere.store import Strings, distinct
from mere.values import (
    Evidence,
    Readings,
    Spelled,
    Type,
    decide,
    decimal_commas,
    fold,
    hash_values,
    numeric_values,
    plain_numbers,
    read_number,
)
from mere.values.conventions import Known
from mere.values.day_orders import UNSURE as UNSURE_DATES
from mere.values.day_orders import may_be_exchanged

SOME = ("some numbers", "some dates", "some numbers and dates")  # what a mixed column of text has
_SHOWN = 10  # columns named in a note


class Flat(NamedTuple):
    """Distinct values of several columns, in the order of (hash, bytes) in each."""

    values: Strings
    hashes: np.ndarray
    starts: np.ndarray


class Plain(NamedTuple):
    """The same with plain numbers."""

    flat: Flat
    source: np.ndarray  # for each value, the place where it was before; of several, one of them
    code: np.ndarray  # for each value before, the number (from 1) of what it is now in its column
    changed: np.ndarray  # the columns whose codes changed


def readings_of(evidence: Evidence, widths: Sequence[int], facts: Sequence[Any], share: float) -> Readings:
    """How the columns of several tables are read, given the facts of each."""
    known = [Known(fact.numbers.get("given", ""), fact.numbers.get("typed", False)) for fact in facts]
    return decide(evidence, widths, known, share)


def made_plain(flat: Flat, spelled: Spelled, readings: Readings) -> tuple[Plain, np.ndarray]:
    """The values with plain numbers, and which of them are numbers in columns of numbers."""
    column = np.repeat(np.arange(len(flat.starts) - 1), np.diff(flat.starts))
    numeric = numeric_values(spelled, readings, column)
    texts = flat.values.to_arrow()
    places, forms = plain_numbers(texts, spelled, decimal_commas(texts, readings, column))
    rewritten = numeric[places]
    rewritten |= ~(readings.numbers | readings.versions)[column[places]] & _is_plain(spelled, places)
    plain = rewrite(flat, places[rewritten], forms.filter(pa.array(rewritten)))
    return plain, numeric[plain.source]


def _is_plain(spelled: Spelled, places: np.ndarray) -> np.ndarray:
    """Whether a number has neither unit, comma nor bare exponent: in text, `1.500` is `1.5`, but for versions."""
    plain = ~np.isin(places, spelled.bare)
    plain[: len(spelled.places)] = False
    return plain


def rewrite(flat: Flat, places: np.ndarray, forms: pa.Array) -> Plain:
    """Other texts at some places; values of a column that become equal are united."""
    column = np.repeat(np.arange(len(flat.starts) - 1), np.diff(flat.starts))
    size = len(flat.hashes)
    code = np.arange(size) - flat.starts[column] + 1
    new = Strings.from_arrow(forms)
    new_hashes = hash_values(forms)
    differs = new_hashes != flat.hashes[places]  # a form that is what was there before is none
    if not differs.any():
        return Plain(flat, np.arange(size), code, np.empty(0, np.int64))
    places, kept = places[differs], np.flatnonzero(differs)
    pool, hashes = Strings.concat([flat.values, new]), np.concatenate([flat.hashes, new_hashes])
    text = np.arange(size)  # where each value's text is in the pool
    text[places] = size + kept
    touched = np.zeros(len(flat.starts) - 1, bool)
    touched[column[places]] = True
    members = np.flatnonzero(touched[column])
    order, number = distinct(pool.take(text[members]), hashes[text[members]], column[members])
    first = members[order]  # the old place of each new value of a touched column
    sizes = np.where(touched, np.bincount(column[first], minlength=len(touched)), np.diff(flat.starts))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    source = np.empty(int(starts[-1]), np.int64)
    is_new = np.repeat(touched, sizes)
    source[is_new], source[~is_new] = first, np.flatnonzero(~touched[column])
    before = np.concatenate([[0], np.cumsum(np.where(touched, sizes, 0))])
    code[members] = number - before[column[members]] + 1
    return Plain(Flat(pool.take(text[source]), hashes[text[source]], starts), source, code, np.flatnonzero(touched))


def numbers_told(readings: Readings, table: int, columns: Any, some_dates: np.ndarray, own: slice) -> dict[str, Any]:
    """What is kept of how a table's numbers and dates were read; empty if there is nothing to tell.

    `columns` are the `Columns` of all tables, of which `own` are those of this one.
    """
    names, dated = columns.names[own], columns.types[own] == Type.DATETIME
    units = {name: unit for name, unit in zip(names, readings.units[own], strict=True) if unit}
    doubts = zip(names, readings.unsure[own], dated.tolist(), strict=True)
    unsure = {name: what for name, what, is_date in doubts if what and (what != UNSURE_DATES or is_date)}
    mixed = np.where(columns.types[own] == Type.TEXT, readings.mixed[own] + 2 * some_dates[own], 0)
    unsure |= {names[place]: SOME[mixed[place] - 1] for place in np.flatnonzero(mixed).tolist()}
    told = {"decimal": readings.decimals[table], "dates": readings.orders[table], "units": units, "unsure": unsure}
    return {name: value for name, value in told.items() if value}


def numbers_side_by_side(pieces: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The same of a table whose columns were read in pieces."""
    joined: dict[str, Any] = {name: value for piece in pieces for name, value in piece.items()}
    for part in ("units", "unsure"):
        if part in joined:
            joined[part] = {name: value for piece in pieces for name, value in piece.get(part, {}).items()}
    return joined


def numbers_in_doubt(numbers: Mapping[str, Any], examples: Mapping[str, Sequence[str]]) -> list[str]:
    """What the user should know of how a table's numbers were read, with the remedy; `examples` are by column."""
    unsure, mark = numbers.get("unsure", {}), numbers.get("decimal", "point")
    other = "point" if mark == "comma" else "comma"
    decimal, percent, brackets, dates = (
        [name for name, what in unsure.items() if what == kind]
        for kind in ("decimal", "percent", "brackets", UNSURE_DATES)
    )
    remedy = f"(if that is wrong: mere index SOURCE --decimal {other})"
    notes = [
        (decimal, f"{_in_doubt(decimal, examples, mark)} {remedy}"),
        (percent, "some numbers are percentages, others have no unit; both were read as they are written"),
        (brackets, "numbers like (2) may be negative, or footnotes; they were read as negative"),
    ]
    return [f"{_columns(names)}: {note}" for names, note in notes if names] + dates_in_doubt(dates, examples)


def dates_in_doubt(names: Sequence[str], examples: Mapping[str, Sequence[str]]) -> list[str]:
    """A note on columns in which day and month may be exchanged, with one of their dates."""
    if not names:
        return []
    shown = (example for name in names for example in examples.get(name, ()))
    example = next((each for each in shown if may_be_exchanged(fold(pa.array([each]))[0][0].as_py())), "5/1/2020")
    order = f"the day or the month of {example} may be first; the month was taken to be"
    return [f"{_columns(names)}: {order} (no column of the table shows it alone; dates with the year first are sure)"]


def _in_doubt(names: Sequence[str], examples: Mapping[str, Sequence[str]], mark: str) -> str:
    """A value that may be read in two ways, and how it was read."""
    for name in names:
        for text in examples.get(name, ()):
            written = read_number(fold(pa.array([text]))[0][0].as_py(), mark)
            if written and written.kind == "either":
                where = f" in '{name}'" if len(names) > 1 else ""
                return f"{text}{where} may be a decimal or more than a thousand; it was read as {written.plain}"
    return f"numbers like 1.234 may be decimals or more than a thousand; they were read with a decimal {mark}"


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
    return f"column{'' if len(names) == 1 else 's'} {shown}"
