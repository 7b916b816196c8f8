"""Which of many exact joins does a person want first?

names       do two names mean the same?
mine        my column, as others are compared with it
signals     what speaks for and against each candidate column, as arrays
accidents   which columns match unrelated ones by accident: years, booleans, small integers, codes
rarity      how much a shared value says
score       one number from the signals: a logistic model
weights     its weights, written by `training/join_ranking.py`
reasons     which signals lifted or lowered a hit, in words

A score depends on my column, on the candidate column and on the living tables of the lake as a whole; never on how the
lake is divided into segments.
"""

from mere.ranking.accidents import MONTHS, TRIVIAL, accident_of
from mere.ranking.mine import Mine
from mere.ranking.rarity import UNITS, information
from mere.ranking.score import Model, column_scores, scores, usual_model
from mere.ranking.signals import SIGNALS, Matched, Totals, column_signals, match_signals, table_signals

__all__ = [
    "MONTHS", "SIGNALS", "TRIVIAL", "UNITS", "Matched", "Mine", "Model", "Totals", "accident_of",
    "column_scores", "column_signals", "information", "match_signals", "scores", "table_signals", "usual_model",
]  # fmt: skip
