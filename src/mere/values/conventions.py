"""Which columns are columns of numbers, and which of point and comma is their decimal mark?

**Evidence** counts, per column, the cells of every kind (`spelled`) and of every unit.  It is added up over the blocks
of a table, so that what is decided does not depend on where the table was cut.  Spellings of null do not count.

**A column is one of numbers** if at least `share` of its cells are (the setting `number_share`), and nine tenths are
numbers or labels: words without a digit, bounds such as `<5`.  So `TOT` in a column of counts is a misfit, but house
numbers of which some are `12a` are text.  One zero-padded code makes a column text, and so does it if all its numbers
are in brackets or have a minus behind them, or if more than half are like `1e3`, which may be codes; and versions are
text (`versions`).  If only these two shares make it text, and a tenth of its cells are numbers, it is **mixed**: it may
be meant as a column of numbers.  Misfits are also

- numbers with another unit than most: `$5` is not `€5`;
- one or two digits in brackets, and one digit with a minus behind it, if nothing else in brackets or with a minus
  behind it is in the column: `(2)` is a footnote and `2-` a grade; if there is `2+`, too, the column is text.  If more
  than a tenth of the numbers, but not most, are such brackets, they are negative numbers, and the column is unsure;
- `2,4` among ten times as many integers, unless the table is known to have decimal commas: that is a list.

**The decimal mark** of a column is that of its numbers that show it, or of more than nine tenths of them.  A column
in which all may be either follows the other columns of its table; if these disagree, or none shows it, it is
**unsure**: read with a decimal point, and nothing that is said of it is guaranteed.  It is unsure as well, but read
with a comma, if the others show it by numbers like `2,5` only, which may be lists.  So is a column with percentages
and numbers that are none.

In a column of degrees, by its name (`headers`), both point and comma are decimal marks, and show nothing of others.

**The order of day and month** of dates is decided in the same way (`day_orders`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.day_orders import ORDERS, UNSURE, counted_orders, decide_orders
from mere.values.hashing import string_buffers
from mere.values.headers import have_degrees
from mere.values.nulls import SPELLINGS, null_spellings
from mere.values.spelled import Kind, Spelled
from mere.values.units import PERCENT
from mere.values.versions import PARTS, are_versions, parts_behind_marks

NUMBER_SHARE = 0.66  # of a column's cells are numbers: a third may be labels
WITH_LABELS = 0.9  # of them are numbers or labels
MIXED = 0.1  # of a text column's cells are numbers, or dates: it may be meant where numbers, or dates, are asked for
_KINDS = len(Kind)
MARKED, FOOTNOTE, _ZERO = _KINDS, _KINDS + 1, _KINDS + 2  # of the numbers: see `Spelled`; written `0`
_UNLIKE = _KINDS + 3  # with a point or comma, but unlike a version
_MINUS_BEHIND, _PLUS_BEHIND = _KINDS + 4, _KINDS + 5  # the latter are labels
BARE = _KINDS + 6  # with a bare exponent, as in `1e3`
_SHORT = _KINDS + 7  # like `2,5`: a decimal, or a list of two
_WIDTH = _KINDS + 8
_NOT_ARRAYS = ("unsure", "units", "decimals", "orders", "share")  # of `Readings`
_LONGEST_SPELLING = max(len(spelling.encode()) for spelling in SPELLINGS)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the cells of some columns are."""

    cells: np.ndarray  # int64 (columns, _WIDTH): of each kind, and as named above
    units: list[dict[str, int]]  # per column: numbers with each unit
    parts: np.ndarray  # bool (columns, PARTS): what was seen behind points and commas (`versions`)
    days: np.ndarray  # int64 (columns, ORDERS): cells that are dates, by the order that they show (`day_orders`)
    degrees: np.ndarray  # bool (columns): its name says that its numbers are degrees (`headers`)

    def __len__(self) -> int:
        return len(self.units)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evidence) and self.to_list() == other.to_list()

    def __add__(self, other: Evidence) -> Evidence:
        """The evidence of two blocks of rows; one may have more columns."""
        cells = np.zeros((max(len(self), len(other)), _WIDTH), np.int64)
        cells[: len(self)] += self.cells
        cells[: len(other)] += other.cells
        longer, shorter = sorted((self.units, other.units), key=len, reverse=True)
        units = [dict(Counter(a) + Counter(b)) for a, b in zip(longer, shorter, strict=False)]
        parts = np.zeros((len(cells), PARTS), bool)
        parts[: len(self)] |= self.parts
        parts[: len(other)] |= other.parts
        days = np.zeros((len(cells), ORDERS), np.int64)
        days[: len(self)] += self.days
        days[: len(other)] += other.days
        degrees = np.zeros(len(cells), bool)
        degrees[: len(self)] |= self.degrees
        degrees[: len(other)] |= other.degrees
        return Evidence(cells, units + longer[len(shorter) :], parts, days, degrees)

    @staticmethod
    def nothing(columns: int) -> Evidence:
        """That of columns without cells."""
        cells, parts = np.zeros((columns, _WIDTH), np.int64), np.zeros((columns, PARTS), bool)
        days, degrees = np.zeros((columns, ORDERS), np.int64), np.zeros(columns, bool)
        return Evidence(cells, [{} for _ in range(columns)], parts, days, degrees)

    def versions(self, tens: bool = True) -> np.ndarray:
        """Which columns have versions (`are_versions`)."""
        return are_versions(self.parts, self.cells[:, _UNLIKE], tens)

    def to_list(self) -> list[list[Any]]:
        parts = [np.flatnonzero(seen).tolist() for seen in self.parts]
        rows = zip(self.cells.tolist(), self.units, parts, self.days.tolist(), self.degrees.tolist(), strict=True)
        return [[*cells, *others] for cells, *others in rows]

    @staticmethod
    def from_list(rows: Sequence[Sequence[Any]]) -> Evidence:
        cells = np.array([row[:_WIDTH] for row in rows], np.int64).reshape(len(rows), _WIDTH)
        parts = np.zeros((len(rows), PARTS), bool)
        for column, row in enumerate(rows):
            parts[column, row[_WIDTH + 1]] = True
        days = [row[_WIDTH + 2] if len(row) > _WIDTH + 2 else [0] * ORDERS for row in rows]  # older lakes have none
        counted = np.array(days, np.int64).reshape(len(rows), ORDERS)
        degrees = np.array([len(row) > _WIDTH + 3 and bool(row[_WIDTH + 3]) for row in rows], bool)  # nor these
        return Evidence(cells, [dict(row[_WIDTH]) for row in rows], parts, counted, degrees)


def evidence_of(
    values: pa.Array,
    starts: np.ndarray,
    counts: np.ndarray,
    spelled: Spelled,
    pointed: np.ndarray | None = None,
    names: Sequence[str] | None = None,
) -> Evidence:
    """The evidence of columns given as flat arrays (`types`).

    `pointed` are the cells of each column that were written with a point, like `5.00`, of which their values keep none.
    """
    columns = len(starts) - 1
    column = np.repeat(np.arange(columns), np.diff(starts))
    counted = np.where(_is_null(values, spelled), 0, counts)
    cells = np.zeros((columns, _WIDTH), np.int64)
    by_kind = np.bincount(column * _KINDS + spelled.kinds, counted, columns * _KINDS)
    cells[:, :_KINDS] = by_kind.reshape(columns, _KINDS)
    if pointed is not None:
        cells[:, Kind.POINT] += pointed
        cells[:, Kind.NEUTRAL] -= pointed
    flags = {MARKED: spelled.marked, FOOTNOTE: spelled.footnote, _MINUS_BEHIND: spelled.behind}
    special = {place: spelled.places[those] for place, those in flags.items()}
    special |= {_PLUS_BEHIND: spelled.with_plus, BARE: spelled.bare}
    for place, those in special.items():
        cells[:, place] = np.bincount(column[those], counts[those], columns)
    zeros = np.flatnonzero(np.asarray(pc.equal(values, "0")))
    cells[:, _ZERO] = np.bincount(column[zeros], counts[zeros], columns)
    with_mark = np.flatnonzero((spelled.kinds >= Kind.POINT) & (spelled.kinds <= Kind.EITHER))
    behind = parts_behind_marks(values, with_mark)
    unlike, alike = with_mark[behind < 0], with_mark[behind >= 0]
    cells[:, _UNLIKE] = np.bincount(column[unlike], counts[unlike], columns)
    commas = np.flatnonzero(spelled.kinds == Kind.COMMA)
    short = commas[np.diff(string_buffers(values)[0])[commas] <= len("2,5")]
    cells[:, _SHORT] = np.bincount(column[short], counts[short], columns)
    parts = np.zeros((columns, PARTS), bool)
    parts[column[alike], behind[behind >= 0]] = True
    degrees, days = have_degrees(names or [""] * columns), _days(values, column, counts, spelled.kinds, columns)
    return Evidence(cells, _units(spelled, column, counts, columns), parts, days, degrees)


def _units(spelled: Spelled, column: np.ndarray, counts: np.ndarray, columns: int) -> list[dict[str, int]]:
    units: list[dict[str, int]] = [{} for _ in range(columns)]
    with_unit = np.flatnonzero(spelled.units)
    if with_unit.size:
        places, names = spelled.places[with_unit], len(spelled.unit_names)
        sums = np.bincount(column[places] * names + spelled.units[with_unit], counts[places])
        for place in np.flatnonzero(sums).tolist():
            units[place // names][spelled.unit_names[place % names]] = int(sums[place])
    return units


def _days(values: pa.Array, column: np.ndarray, counts: np.ndarray, kinds: np.ndarray, columns: int) -> np.ndarray:
    codes = np.flatnonzero(kinds == Kind.CODE)
    return counted_orders(values.take(pa.array(codes)), column[codes], counts[codes], columns)


def _is_null(values: pa.Array, spelled: Spelled) -> np.ndarray:
    """Which values are spellings of null; these are words, so only labels are looked at."""
    null = np.zeros(len(values), bool)
    short = np.diff(string_buffers(values)[0]) <= _LONGEST_SPELLING
    words = np.flatnonzero((spelled.kinds == Kind.LABEL) & short)
    if words.size:
        null[words] = np.asarray(pc.is_in(values.take(pa.array(words)), value_set=null_spellings().cast(values.type)))
    return null


@dataclass(frozen=True, eq=False)
class Readings:
    """How columns are read, one entry each."""

    numbers: np.ndarray  # bool: it is one of numbers...
    mixed: np.ndarray  # bool: it is text, with many numbers
    lists: np.ndarray  # bool: ...but those with a comma are lists...
    footnotes: np.ndarray  # bool: ...and one or two digits in brackets are footnotes, those with a minus behind grades
    versions: np.ndarray  # bool: it is text, in which `1.10` is not `1.1`
    comma: np.ndarray  # bool: the comma is the decimal mark where it may be both
    unsure: list[str]  # what is not known, or empty: "decimal", which mark is it; "percent", are all numbers
    # percentages; "brackets", are some negative; "dates", if it is one of dates: is the day or the month first
    units: list[str]  # of its numbers; empty if they have none
    decimals: list[str]  # per table: point, comma, or empty if its columns do not show it or disagree
    degrees: np.ndarray  # bool: both point and comma are decimal marks where they may be thousands
    day_first: np.ndarray  # bool: dates have the day first, where the column does not show it
    orders: list[str]  # per table: the order of its dates, or empty if its columns do not show it or disagree
    share: float  # of the cells are numbers, in a column of numbers, or dates

    def slice(self, start: int, stop: int) -> Readings:
        """Some columns of one table."""
        columns = slice(start, stop)
        of_tables = {"decimals", "orders", "share"}
        chosen = {name: each if name in of_tables else each[columns] for name, each in self.__dict__.items()}
        return Readings(**chosen)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Readings) and self.to_dict() == other.to_dict()

    def to_dict(self) -> dict[str, Any]:
        return {name: each if name in _NOT_ARRAYS else each.tolist() for name, each in self.__dict__.items()}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Readings:
        known: dict[str, Any] = {
            name: each if name in _NOT_ARRAYS else np.array(each, bool) for name, each in document.items()
        }
        return Readings(**known)


@dataclass(frozen=True)
class Known:
    """What is known of a table's numbers before its values are looked at."""

    decimal: str = ""  # the decimal mark that the user, or a description of the file, names
    typed: bool = False  # the format writes numbers with a point, as in JSON


def decide(evidence: Evidence, widths: Sequence[int], known: Sequence[Known], share: float = NUMBER_SHARE) -> Readings:
    """How the columns of several tables are read; `widths` are the columns of each."""
    table = np.repeat(np.arange(len(widths)), widths)
    units, foreign = _main_units(evidence.units)
    footnotes = evidence.cells[:, MARKED] == evidence.cells[:, FOOTNOTE]
    brackets = footnotes & _many_brackets(evidence.cells)
    footnotes &= ~brackets
    foreign = foreign + np.where(footnotes, evidence.cells[:, FOOTNOTE], 0)
    versions = evidence.versions()
    is_number, mixed = (each & ~versions for each in _are_numbers(evidence.cells, foreign, share))
    few = _few_commas(evidence.cells)
    point, comma = _shown_marks(evidence.cells, is_number & ~few & ~evidence.degrees)
    either = is_number & (evidence.cells[:, Kind.EITHER] > 0)
    shown = [np.bincount(table[marks], minlength=len(widths)) > 0 for marks in (point, comma)]
    with_point = shown[0] | np.array([one.typed for one in known], bool)
    inferred = np.where(with_point == shown[1], "", np.where(with_point, "point", "comma"))
    given = np.array([one.decimal for one in known], "U5")
    decimals = np.where(given == "", inferred, given)
    more_commas = evidence.cells[:, Kind.COMMA] > evidence.cells[:, Kind.POINT]
    follows = np.where(decimals[table] == "", point & more_commas, decimals[table] == "comma")
    open_ = point == comma  # its own numbers do not show it, or disagree
    undecided = open_ & either & ((decimals[table] == "") | (point & (given[table] == "")))
    sure = comma & (evidence.cells[:, Kind.COMMA] > evidence.cells[:, _SHORT])
    guessed = (inferred == "comma") & (given == "") & (np.bincount(table[sure], minlength=len(widths)) == 0)
    undecided |= open_ & either & guessed[table]
    undecided &= ~evidence.degrees
    partly = is_number & _partly_percent(evidence, units, foreign)
    dates = decide_orders(evidence.days, evidence.cells[:, :_KINDS].sum(axis=1), table, len(widths))
    doubts = {"decimal": undecided, "percent": partly, "brackets": brackets & is_number, UNSURE: dates.unsure}
    unsure = np.select(list(doubts.values()), list(doubts), "").tolist()
    return Readings(
        is_number, mixed, few & (decimals[table] != "comma"), footnotes, versions,
        np.where(open_, follows, comma) & ~evidence.degrees, unsure,
        [unit if number else "" for unit, number in zip(units, is_number.tolist(), strict=True)], decimals.tolist(),
        evidence.degrees, dates.day_first, dates.tables, share,
    )  # fmt: skip


def decimal_commas(values: pa.Array, readings: Readings, column: np.ndarray) -> np.ndarray:
    """For each value of some columns, whether the comma is the decimal mark where it may be both."""
    comma = (readings.comma & readings.numbers)[column]
    degrees = np.flatnonzero(readings.degrees[column])
    if degrees.size:
        comma[degrees] = np.asarray(pc.match_substring(values.take(pa.array(degrees)), ","))
    return comma


def _main_units(units: Sequence[Mapping[str, int]]) -> tuple[list[str], np.ndarray]:
    """The unit that most numbers of each column have, and how many have another one."""
    most = [min((-cells, unit) for unit, cells in each.items())[1] if each else "" for each in units]
    foreign = [sum(each.values()) - each.get(unit, 0) for each, unit in zip(units, most, strict=True)]
    return most, np.array(foreign, np.int64)


def _are_numbers(cells: np.ndarray, foreign: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Whether each column is one of numbers, and whether it is mixed; `foreign` numbers are misfits."""
    every = cells[:, :_KINDS].sum(axis=1)
    numbers = cells[:, Kind.NEUTRAL : Kind.EITHER + 1].sum(axis=1) - foreign
    known = (numbers >= share * every) & (numbers + cells[:, Kind.LABEL] >= WITH_LABELS * every)
    grades = (cells[:, _MINUS_BEHIND] > 0) & (cells[:, _PLUS_BEHIND] > 0)
    codes = (cells[:, Kind.PADDED] > 0) | (2 * cells[:, BARE] > numbers)
    may = (every > 0) & ~codes & (numbers > cells[:, MARKED]) & ~grades
    return may & known, may & ~known & (numbers >= MIXED * every)


def _shown_marks(cells: np.ndarray, is_number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether a column's numbers show a decimal point, and a comma; fewer than one in ten do not count."""
    points, commas = cells[:, Kind.POINT], cells[:, Kind.COMMA]
    shown = is_number & (points + commas > 0)
    return shown & (10 * points >= points + commas), shown & (10 * commas >= points + commas)


def _few_commas(cells: np.ndarray) -> np.ndarray:
    """Whether a column has numbers that show a comma, ten times as many integers, and nothing else that is a number."""
    commas, integers = cells[:, Kind.COMMA], cells[:, Kind.NEUTRAL]
    others = cells[:, Kind.POINT] + cells[:, Kind.EITHER]
    return (commas > 0) & (10 * commas < integers) & (others == 0)


def _many_brackets(cells: np.ndarray) -> np.ndarray:
    """Whether more than a tenth, but not most, of a column's numbers are like `(2)`."""
    numbers, brackets = cells[:, Kind.NEUTRAL : Kind.EITHER + 1].sum(axis=1), cells[:, FOOTNOTE]
    return (10 * brackets > numbers) & (2 * brackets <= numbers) & (cells[:, _MINUS_BEHIND] == 0)


def _partly_percent(evidence: Evidence, units: list[str], foreign: np.ndarray) -> np.ndarray:
    """Whether some numbers are percentages and others, which are not zero, have no unit."""
    numbers = evidence.cells[:, Kind.NEUTRAL : Kind.EITHER + 1].sum(axis=1) - foreign - evidence.cells[:, _ZERO]
    with_unit = np.array([each.get(unit, 0) for each, unit in zip(evidence.units, units, strict=True)], np.int64)
    return np.isin(units, PERCENT) & (numbers > with_unit)
