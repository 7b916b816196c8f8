"""What can be asked in words: conditions on tables, and how they compose.

    at least 30% of age < 40 and (at most 0.1 of "birth year" between 1900 and 1950 or not 'draft')

expressions    what a question means: predicates on columns, words, and, or, not
parse          from a line of text to that, with errors that point at the place
"""

from mere.language.expressions import And, Expression, Not, Or, Predicate, Words, at_least, at_most, words
from mere.language.parse import meaning_of, parse

__all__ = [
    "And",
    "Expression",
    "Not",
    "Or",
    "Predicate",
    "Words",
    "at_least",
    "at_most",
    "meaning_of",
    "parse",
    "words",
]
