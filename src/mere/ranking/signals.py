"""What speaks for and against a join with a column, known from the index without reading a row?

Signals are numbers from 0 to 1, one row of a matrix per candidate column.  Ideas: names, uniqueness and coverage from
Rostin, Albrecht, Bauckmann, Naumann and Leser (WebDB 2009); how evenly the values of a foreign key lie among those of
the key from Zhang, Hadjieleftheriou, Ooi, Procopiuc and Srivastava (VLDB 2010), here by deciles and the 16 bins
that the catalog has; the rest is plain statistics.

    of the columns           header, same_header, named_table, key_name, my_table, folder, key, unique, repeats,
                             filled, first, running, size, uneven, other_type, unsupported
    of what matches          rows, values, bits, all_bits, brings, alike, trivial, my_key, two_keys

Equal overlaps are ordered by the signals of the columns alone (`sets.eligible_columns`): those of what matches differ
little among them, and cost a look into the posting lists.

All sums are of whole numbers, so that a signal does not depend on how the lake is divided into segments.

Cost: a few array operations; words of each distinct name once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mere.ranking.mine import QUANTILES, Mine
from mere.ranking.names import agreement, folders, only_identifies, plain, same_folders, table_words, words
from mere.ranking.rarity import UNITS
from mere.segments import Segment
from mere.store import Strings
from mere.values import Type

OF_COLUMNS = (
    "header", "same_header", "named_table", "key_name", "my_table", "folder", "key", "unique", "repeats", "filled",
    "first", "running", "size", "uneven", "other_type", "unsupported",
)  # fmt: skip
OF_MATCHES = ("rows", "values", "bits", "all_bits", "brings", "alike", "trivial", "my_key", "two_keys")
SIGNALS = OF_COLUMNS + OF_MATCHES

UNKNOWN = 0.5  # whether two tables are in the same folder, if mine is not in the lake
_MOST_REPEATS = 10.0  # doublings
_MOST_COLUMNS = 6.0  # doublings: 63 new columns are as good as more
_BITS = 16.0  # a value of more bits counts as one of 16: it occurs in one of 65,536 columns


class Matched(NamedTuple):
    """What each candidate column shares with mine; one entry per column."""

    values: np.ndarray  # distinct values in both
    rows: np.ndarray  # my rows that hold one of them
    units: np.ndarray  # the information of these values, in units of `rarity.UNITS` per bit


class Totals(NamedTuple):
    """My column as a whole."""

    values: int
    rows: int
    trivial: float  # of `accidents.TRIVIAL`
    numbers: bool = False


def column_signals(segment: Segment, columns: np.ndarray, mine: Mine) -> np.ndarray:
    """The signals of these columns of a segment, whichever values match: (columns, OF_COLUMNS)."""
    signals = np.zeros((len(columns), len(OF_COLUMNS)))
    if len(columns) == 0:
        return signals
    tables = segment.table_of_column[columns]
    _names(signals, segment, columns, tables, mine)
    _keys(signals, segment, columns, tables, mine)
    _ranges(signals, segment, columns, mine)
    if mine.digits:  # numbers match by accident: names and folders must speak for the join
        support = signals[:, _place("folder")] if mine.in_lake else 0.0
        signals[:, _place("unsupported")] = 1 - np.maximum(_agreeing_names(signals), support)
    return signals


def _agreeing_names(signals: np.ndarray) -> np.ndarray:
    return signals[:, [_place(name) for name in ("header", "named_table", "my_table")]].max(axis=1)


def _names(signals: np.ndarray, segment: Segment, columns: np.ndarray, tables: np.ndarray, mine: Mine) -> None:
    """Headers, names of tables, folders: each distinct one is compared once."""
    headers = Strings.mapped(segment.catalog, "column.names").take(columns).tolist()
    names = [segment.names[table] for table in tables.tolist()]
    by_header = {header: _header(header, mine) for header in set(headers)}
    by_table = {name: _table(name, mine) for name in set(names)}
    of_headers = np.array([by_header[header] for header in headers])
    signals[:, [_place("header"), _place("same_header"), _place("my_table")]] = of_headers
    signals[:, [_place("named_table"), _place("folder")]] = np.array([by_table[name] for name in names])
    signals[:, _place("key_name")] = [key_name(header, name) for header, name in zip(headers, names, strict=True)]


def _header(header: str, mine: Mine) -> tuple[float, float, float]:
    """Against my header: words, all of it; against the name of my table."""
    theirs = words(header)
    if not theirs:
        return 0.0, 0.0, 0.0
    same = bool(mine.words) and plain(header) == mine.plain
    return agreement(mine.words, theirs), float(same), agreement(theirs, mine.table_words)


def _table(name: str, mine: Mine) -> tuple[float, float]:
    """Against my header, and against my folder."""
    near = same_folders(mine.folders, folders(name)) if mine.in_lake else UNKNOWN
    return agreement(mine.words, table_words(name)), near


@lru_cache(1 << 16)
def key_name(header: str, table: str) -> float:
    """Whether a column is named as the key of its table: `id` or `team_id` of `teams`.

    >>> key_name("id", "a/teams.csv"), key_name("TeamID", "a/teams.csv"), key_name("team_id", "a/matches.csv")
    (1.0, 1.0, 0.0)
    """
    return 1.0 if only_identifies(header) else float(agreement(words(header), table_words(table)) == 1.0)


def _keys(signals: np.ndarray, segment: Segment, columns: np.ndarray, tables: np.ndarray, mine: Mine) -> None:
    """Is the column a key, and not much larger than mine?"""
    starts, all_rows = segment.values["set.starts"], segment.catalog["table.rows"][tables]
    distinct = (starts[columns + 1] - starts[columns]).astype(np.float64)
    rows = np.maximum(all_rows - segment.catalog["column.nulls"][columns], 1)
    distinct = np.maximum(distinct, 1)
    signals[:, _place("key")] = distinct == all_rows
    signals[:, _place("unique")] = np.minimum(distinct / rows, 1.0)
    signals[:, _place("repeats")] = np.clip(np.log2(rows / distinct) / _MOST_REPEATS, 0.0, 1.0)
    signals[:, _place("filled")] = rows / np.maximum(all_rows, 1)
    signals[:, _place("first")] = columns == segment.first_column[tables]
    signals[:, _place("size")] = np.minimum(mine.distinct / distinct, 1.0)
    numeric = is_numeric(segment.catalog["column.types"][columns])
    signals[:, _place("other_type")] = numeric != mine.numeric


def _ranges(signals: np.ndarray, segment: Segment, columns: np.ndarray, mine: Mine) -> None:
    """Of numbers: does the column count 1, 2, 3, and do mine lie among its values like a random choice of them?"""
    catalog, starts = segment.catalog, segment.values["set.starts"]
    low, high = catalog["column.low"][columns], catalog["column.high"][columns]
    distinct = starts[columns + 1] - starts[columns]
    counts = (catalog["column.types"][columns] == Type.INTEGER) & ((low == 0) | (low == 1))
    signals[:, _place("running")] = counts & (high == low + distinct - 1)  # a difference of floats may overflow
    if not mine.numeric:
        return
    numeric = np.flatnonzero(is_numeric(catalog["column.types"][columns]) & np.isfinite(low) & np.isfinite(high))
    at = shares_below(mine.quantiles, low[numeric], high[numeric], catalog["column.histogram"][columns[numeric]])
    signals[numeric, _place("uneven")] = np.minimum(2 * np.abs(at - QUANTILES).mean(axis=1), 1.0)


def shares_below(numbers: np.ndarray, low: np.ndarray, high: np.ndarray, histogram: np.ndarray) -> np.ndarray:
    """Which share of each column's rows is below each number: (columns, numbers), straight lines within the bins.

    >>> shares_below(np.array([5.0, 99]), np.array([0.0]), np.array([10.0]), np.array([[1, 3]]))
    array([[0.25, 1.  ]])
    """
    bins = histogram.shape[1]
    width = (high / 2 - low / 2)[:, None]  # halved, because the difference of two floats may be more than a float
    inside = np.clip(numbers, low[:, None], high[:, None]) / 2 - low[:, None] / 2
    above = (numbers > low[:, None]).astype(np.float64)  # of columns of one number
    place = np.divide(inside, width, out=above, where=width > 0) * bins
    whole = np.minimum(place.astype(np.int64), bins - 1)
    below = np.concatenate([np.zeros((len(low), 1)), np.cumsum(histogram, axis=1)], axis=1)
    row = np.arange(len(low))[:, None]
    counted = below[row, whole] + (place - whole) * histogram[row, whole]
    return counted / np.maximum(below[:, -1:], 1)


def match_signals(matched: Matched, totals: Totals, columns: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """The signals of what matches, given those of columns and tables (`table_signals`): (columns, OF_MATCHES)."""
    signals = np.zeros((len(matched.values), len(OF_MATCHES)))
    bits = matched.units / UNITS
    signals[:, 0] = matched.rows / max(totals.rows, 1)
    signals[:, 1] = matched.values / max(totals.values, 1)
    signals[:, 2] = np.minimum(bits / np.maximum(matched.values, 1) / _BITS, 1.0)
    signals[:, 3] = np.minimum(np.log2(1 + bits) / _BITS, 1.0)
    signals[:, 4:6] = tables
    signals[:, 6] = totals.trivial
    signals[:, 7] = totals.values / max(totals.rows, 1)
    if totals.numbers and totals.values == totals.rows:  # keys of two tables count alike, whatever they identify
        signals[:, 8] = columns[:, _place("key")] * (1 - _agreeing_names(columns))
    return signals


def table_signals(segment: Segment, columns: np.ndarray, mine: Mine) -> np.ndarray:
    """What the tables of these columns would bring, and how much they are like mine: (columns, 2)."""
    known = {plain(header) for header in mine.headers} - {""}
    tables = segment.table_of_column[columns]
    once, place = np.unique(tables, return_inverse=True)
    return np.array([_brings(segment, table, known) for table in once.tolist()]).reshape(-1, 2)[place]


def _brings(segment: Segment, table: int, known: set[str]) -> tuple[float, float]:
    span = segment.columns_of(table)
    headers = {plain(header) for header in segment.column_names[span.start : span.stop]} - {""}
    same = len(headers & known)
    new = max(len(span) - max(same, 1), 0)  # the column that is joined on is not new
    return min(float(np.log2(1 + new)) / _MOST_COLUMNS, 1.0), same / max(len(headers), 1)


def is_numeric(types: np.ndarray) -> np.ndarray:
    return (types == Type.INTEGER) | (types == Type.DECIMAL)


def _place(name: str) -> int:
    return OF_COLUMNS.index(name)
