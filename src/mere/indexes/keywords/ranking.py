"""How is a table scored?

BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6):

    paper   here             meaning
    N       tables           live tables of the lake
    n_i     holding          live tables that contain the word, in any form
    w_i     idf              ln(1 + (N - n_i + 1/2) / (n_i + 1/2)), never negative
    tf_s    count            how often it occurs in field s of the table
    v_s     WEIGHT[s]        the weight of the field
    l_s     length           words in the field
    avl_s   average          the same, averaged over the live tables in which the field has words
    b_s     B, B_OF_CELLS    how much the length of a field lowers the score
    k1      K1               how quickly repetitions of a word stop adding to the score

    x = sum over s of v_s count / (1 - b_s + b_s length / average)
    score = sum over words of idf x / (k1 + x)

Departs: all spellings of a word (other forms, compounds, joined, corrected) are one word with one n_i, but one that
is not the word itself counts half, so that the word itself ranks first; a corrected word's idf is divided by 1 + its
distance.  In cells, a word counts once per column, however many values have it: counting values was measured, and
favours long tables.  A bonus for tables that answer more of the words was measured and not adopted: x / (k1 + x)
is at most 1, so a second word outweighs any number of repetitions of the first.

Weights, B and the worth of other forms were chosen on half of the questions of `benchmarks/keywords.py`.

Every number is computed from integer totals, in a fixed order for each table, so a table's score is the same
to the last bit in any segment.
"""

from __future__ import annotations

import math

from mere.indexes.keywords.fields import Field

K1 = 1.2
B = 0.75
B_OF_CELLS = 0.9  # tables differ most in the number of their cells
OTHER_FORMS = 2  # this many of them count as one of the word itself
WEIGHT = {
    Field.TABLE: 3.0,
    Field.FOLDER: 3.0,
    Field.COLUMN: 1.0,
    Field.TITLE: 3.0,
    Field.DESCRIPTION: 1.0,
    Field.SOURCE: 0.5,
    Field.VALUE: 0.1,
}


def idf(tables: int, holding: int) -> float:
    return math.log(1.0 + (tables - holding + 0.5) / (holding + 0.5))


def weight(tables: int, holding: int, distance: int) -> float:
    """The weight of a word of the question whose correction has this distance from what was typed."""
    return idf(tables, holding) / (1.0 + distance)
