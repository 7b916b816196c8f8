"""Why does a join stand where it stands: which signals lifted or lowered it, in plain words?

A signal is a reason if it moves the logarithm of the odds by at least `LEAST`, compared with what it usually is.  The
strongest come first; at most `MOST` are given.  What makes a match an accident is always said, and first.  What speaks
against a hit can be asked for alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mere.ranking.score import Model
from mere.ranking.signals import SIGNALS

LEAST, MOST = 0.25, 6


class Context(NamedTuple):
    """What sentences about one hit mention."""

    my_header: str
    header: str
    table_columns: int
    distinct: int
    my_distinct: int
    rows_per_value: float
    low: float
    high: float
    columns_with: float  # columns of the lake that have a shared value, on average (geometric mean)
    accident: str  # what makes matches of my column say little; empty if nothing does
    in_lake: bool  # whether my table is one of the lake, so that its folder is known


def reasons(signals: np.ndarray, model: Model, context: Context) -> list[str]:
    """The sentences about one hit."""
    return _sentences(signals, model, context, against_only=False)


def reasons_against(signals: np.ndarray, model: Model, context: Context) -> list[str]:
    """The sentences on what makes one hit unlikely."""
    return _sentences(signals, model, context, against_only=True)


def _sentences(signals: np.ndarray, model: Model, context: Context, against_only: bool) -> list[str]:
    known = dict(zip(SIGNALS, signals.tolist(), strict=True))
    moved = dict(zip(SIGNALS, model.contributions(signals).tolist(), strict=True))
    strongest = sorted((name for name in SIGNALS if abs(moved[name]) >= LEAST), key=lambda name: -abs(moved[name]))
    sentences = _accidents(known, context)
    for name in strongest:
        if against_only and moved[name] > 0:
            continue
        sentence = (_FOR if moved[name] > 0 else _AGAINST).get(name, _nothing)(known, context)
        if sentence and sentence not in sentences:
            sentences.append(sentence)
    return sentences[:MOST]


Known = dict[str, float]
Sentence = Callable[[Known, Context], str]


def _nothing(known: Known, context: Context) -> str:
    return ""


def _accidents(known: Known, context: Context) -> list[str]:
    """What alone would make the match a coincidence."""
    sentences = []
    if context.accident:
        sentences.append(f"{context.accident}: such values occur in {_count(context.columns_with)} of the lake")
    if known["running"] and known["folder"] < 1 and known["named_table"] == 0 and known["header"] == 0:
        sentences.append(f"row numbers {context.low:.0f} to {context.high:.0f}: they contain any small integers")
    return sentences


def _count(columns: float) -> str:
    number = max(1, round(columns))
    return f"{number:,} column{'' if number == 1 else 's'}"


def _rarity(known: Known, context: Context) -> str:
    return f"a shared value occurs in {_count(context.columns_with)} of the lake, on average"


def _folder(known: Known) -> str:
    return "in the same folder" if known["folder"] == 1 else "in a neighbouring folder"


def _repeats(known: Known, context: Context) -> str:
    if context.rows_per_value < 1.05:
        return ""
    return f"each of its values occurs in {context.rows_per_value:.3g} rows there, on average"


_FOR: dict[str, Sentence] = {
    "header": lambda known, context: (
        f"its header '{context.header}' agrees with mine" if known["header"] and not known["same_header"] else ""
    ),
    "same_header": lambda known, context: f"both columns are named '{context.header}'",
    "named_table": lambda known, context: f"its table is named like my column '{context.my_header}'",
    "key_name": lambda known, context: f"'{context.header}' is named as the key of its table",
    "my_table": lambda known, context: f"'{context.header}' is named like my table",
    "folder": lambda known, context: _folder(known) if context.in_lake else "",
    "key": lambda known, context: "its values are unique",
    "unique": lambda known, context: f"its values are {'' if known['unique'] == 1 else 'nearly '}unique",
    "first": lambda known, context: "it is the first column of its table",
    "size": lambda known, context: "",
    "uneven": lambda known, context: (
        "my numbers are spread over its range" if not np.isnan(context.low) and known["uneven"] > 0 else ""
    ),
    "rows": lambda known, context: f"{_percent(known['rows'])} of my rows match",
    "values": lambda known, context: f"{_percent(known['values'])} of my values match",
    "bits": _rarity,
    "all_bits": _rarity,
    "brings": lambda known, context: f"its table has {context.table_columns:,} columns",
}
_AGAINST: dict[str, Sentence] = {
    "unique": _repeats,
    "repeats": _repeats,
    "running": lambda known, context: f"it counts its rows, {context.low:.0f} to {context.high:.0f}",
    "size": lambda known, context: f"it has {context.distinct:,} values, mine {context.my_distinct:,}",
    "uneven": lambda known, context: "my numbers lie in a small part of its range",
    "unsupported": lambda known, context: "numbers, and neither headers nor names of tables agree",
    "two_keys": lambda known, context: "both columns number the rows of their own table, and no names agree",
    "other_type": lambda known, context: "one column is of numbers, the other is not",
    "rows": lambda known, context: f"{_only(known['rows'])} of my rows match",
    "values": lambda known, context: f"{_only(known['values'])} of my values match",
    "bits": _rarity,
    "all_bits": _rarity,
    "filled": lambda known, context: f"{_percent(1 - known['filled'])} of its cells are empty",
    "alike": lambda known, context: "its table has the same columns as mine",
    "brings": lambda known, context: "its table has few columns that mine lacks",
}


def _percent(share: float) -> str:
    if 0.995 <= share < 1:
        return "more than 99%"
    return "less than 1%" if 0 < share < 0.005 else f"{share:.0%}"


def _only(share: float) -> str:
    return _percent(share) if share < 0.005 else f"only {_percent(share)}"


def names_of(signals: Sequence[float]) -> dict[str, float]:
    """The signals by name, as the evidence of a hit has them."""
    return {name: round(value, 4) for name, value in zip(SIGNALS, signals, strict=True)}
