"""Conditions on tables: what they are, how they are combined and how they are written.

    at least 30% of age < 40 and (at most 0.1 of "birth year" between 1900 and 1950 or not 'draft')

expressions    words, questions of any kind; and, or, not
predicates     how much of a column satisfies a comparison; several of the same column
numbers        fractions, numbers and dates as a user gives them
columns        which columns a name, a glob or a regular expression matches
parse          from a line of text to an expression, with errors that point at the place
"""

from mere.language.expressions import (
    And,
    Ask,
    Expression,
    Leaf,
    Not,
    Or,
    Words,
    ask,
    words,
)
from mere.language.parse import meaning_of, parse
from mere.language.predicates import Predicate, SameColumn, at_least, at_most, same_column

__all__ = [
    "And",
    "Ask",
    "Expression",
    "Leaf",
    "Not",
    "Or",
    "Predicate",
    "SameColumn",
    "Words",
    "ask",
    "at_least",
    "at_most",
    "meaning_of",
    "parse",
    "same_column",
    "words",
]
