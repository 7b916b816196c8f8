"""Which of two equally good mappings counts: the one whose columns are named like mine, then the first by name.

A number for each level and column: the place of the column's name among those of its table (`column.ranks`), and
`OTHER_NAME` more if it is not named like the question's column of this level.
"""

from __future__ import annotations

import numpy as np

from mere.indexes.composite.plan import Question
from mere.indexes.kind import Part

OTHER_NAME = 1 << 24  # more than the columns of any table


def name_ranks(part: Part, question: Question) -> np.ndarray:
    """The ranks, by (level, column)."""
    ranks = np.tile(part.arrays["column.ranks"] + np.uint32(OTHER_NAME), (len(question.levels), 1))
    for level, place in enumerate(question.levels if question.names else ()):
        for spelling in spellings(question.names[place]):
            ranks[level, part.segment.columns_named(spelling)] -= np.uint32(OTHER_NAME)
    return ranks


def spellings(name: str) -> set[str]:
    """The spellings in which a header is looked for.

    >>> sorted(spellings("Team id"))
    ['TEAM ID', 'Team Id', 'Team id', 'team id']
    """
    return {name, name.lower(), name.upper(), name.title()}
