"""How good is a link: two columns of different tables that share values?

    strength    shared values / distinct values of the smaller column
    cover       (shared values / distinct values of the larger column) ** (1/4): a column with few of the keys loses
                most rows of the other table
    key         the larger of both shares of distinct values among filled rows: 1 if one of the columns is a key;
                1/2 if each value stands in two rows on both sides, so that a join doubles rows
    size        shared / (shared + 10): a few shared values may be a coincidence
    name        1 where the names agree, 3/4 where they do not: header and header, or header and the name of the table
                whose `id` it is

    score = strength * cover * key * size * name

All but the number of shared values are known of the columns alone, and the score is the same from both sides.  A link
is an **accident** if one of the columns is of a kind of which any two share values (`columns`): then all shared values
are of that kind.  Numbers (small integers, row numbers, decimals) are none where the names agree: they may be keys.

Scores become whole numbers, the **cost** of a link (a logarithm), so that sums do not depend on their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mere.ranking.names import agreement, identifies, only_identifies, table_words, words
from mere.search.links.columns import ACCIDENTS, DECIMALS, DENSE, Sides

UNITS = 1 << 16  # of a cost, per halving of the score
_FEW = 10
_UNNAMED = 0.75
_AGREES = 0.7
MAY_BE_KEYS = (
    "small integers",
    "single digits",
    "row numbers",
    DENSE,
    DECIMALS,
)  # accidents that are none where the names agree
_MAY_BE_KEYS = [ACCIDENTS.index(reason) for reason in MAY_BE_KEYS]


class Linked(NamedTuple):
    """Some pairs of columns that share values: how many, and what is known of both sides."""

    shared: np.ndarray
    left: Sides
    right: Sides
    agree: np.ndarray  # how much the names agree, from 0 to 1


class PairNames(NamedTuple):
    """The names of some pairs of columns."""

    left_tables: Sequence[str]
    left_columns: Sequence[str]
    right_tables: Sequence[str]
    right_columns: Sequence[str]


def linked(shared: np.ndarray, left: Sides, right: Sides, names: PairNames) -> Linked:
    agree = np.array([names_agree(*each) for each in zip(*names, strict=True)], np.float64)
    headers = (names.left_columns, names.right_columns)
    named = np.logical_or.reduce([np.array([identifies(header) for header in each], bool) for each in headers])
    return Linked(shared, left.identified(named), right.identified(named), agree)


def names_agree(left_table: str, left_column: str, right_table: str, right_column: str) -> float:
    """How much the names of two columns agree, or that of one with the table whose key the other is.

    >>> names_agree("orders.csv", "customer_id", "customers.csv", "id"), names_agree("a", "city", "b", "town")
    (1.0, 0.0)
    """
    left, right = words(left_column), words(right_column)
    most = agreement(left, right)
    if only_identifies(right_column):
        most = max(most, agreement(left, table_words(right_table)))
    if only_identifies(left_column):
        most = max(most, agreement(right, table_words(left_table)))
    return most


def match_scores(
    shared: np.ndarray, left_distinct: np.ndarray, right_distinct: np.ndarray, agree: np.ndarray
) -> np.ndarray:
    """The scores of links without their keys: strength * cover * size * name."""
    strength = shared / np.maximum(np.minimum(left_distinct, right_distinct), 1)
    cover = np.sqrt(np.sqrt(shared / np.maximum(np.maximum(left_distinct, right_distinct), 1)))
    return np.asarray(strength * cover * (shared / (shared + _FEW)) * (_UNNAMED + (1 - _UNNAMED) * agree))


def judge_links(links: Linked) -> tuple[np.ndarray, np.ndarray]:
    """The score of each link, and its accident: a place in `ACCIDENTS`, 0 for none."""
    matches = match_scores(links.shared, links.left.distinct, links.right.distinct, links.agree)
    score = matches * np.maximum(links.left.unique, links.right.unique)
    accident = np.where(links.left.accidents > 0, links.left.accidents, links.right.accidents)
    strong = [~np.isin(side.accidents, [0, *_MAY_BE_KEYS]) for side in (links.left, links.right)]
    accident = np.where(~strong[0] & strong[1], links.right.accidents, accident)
    named = ~strong[0] & ~strong[1] & (links.agree >= _AGREES)
    return score, np.where(named, 0, accident).astype(np.uint8)


def costs_of(scores: np.ndarray) -> np.ndarray:
    """Scores from 0 to 1 as costs: the smaller, the better."""
    return np.rint(-np.log2(np.maximum(scores, 1e-12)) * UNITS).astype(np.int64)


def score_of(cost: int) -> float:
    """The score that a cost stands for, to six digits."""
    return round(float(2.0 ** (-cost / UNITS)), 6)
