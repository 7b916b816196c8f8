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
    score = sum over words of idf (x / (k1 + x) + presence worth)

and to this are added

    COMPLETE sum of idf worth    if the table has every word of a line of few words
    sum of idf                   if its name is just the words (`naming`)

`worth` is 1 where the word itself is found and 1/2 where only other spellings are.

- A word that is in no name, header or description of the lake is a value: `presence` is PRESENCE for it, so that a
  long table that has it is not outweighed by a header (Lv and Zhai, "Lower-bounding term frequency normalization",
  2011, add such a constant for all words; measured here, it costs recall for words of names).
- If all words are values, a value is looked up: `presence` is 1, so that tables with more of the words come first, and
  cells are weighed by the fourth root of length / average, because a long column of names is where names are found.
  (A root, because square roots are exact to the last bit on every machine, and logarithms are not.)
- In a line of more than FEW words, and in a question with stop words, some table has all the words by accident, in
  long texts: there, and with a larger COMPLETE, a bonus for all words was measured to cost precision.

Departs: all spellings of a word (other forms, compounds, joined, corrected) are one word with one n_i, but one that
is not the word itself counts half, so that the word itself ranks first; a corrected word's idf is divided by 1 + its
distance.  In cells, a word counts once per column, however many values have it: counting values was measured, and
favours long tables.

Weights, B, PRESENCE, COMPLETE, FEW and the worth of other forms were chosen on half of the questions of
`benchmarks/keywords.py`.

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
PRESENCE = 0.2  # of a word that only cells have
LOOKED_UP = 1.0  # the same, if only cells have any of the words
COMPLETE = 0.15
FEW = 4  # words of a line
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
