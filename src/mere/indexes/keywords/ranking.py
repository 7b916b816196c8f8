"""How well does a table answer?

BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6):

    paper   here             meaning
    N       tables           live tables of the lake
    n_i     holding          live tables that hold the word, in whatever form
    w_i     idf              ln(1 + (N - n_i + 1/2) / (n_i + 1/2)), never negative
    tf_s    count            how often field s of the table holds it
    v_s     WEIGHT[s]        what the field is worth
    l_s     length           words in the field
    avl_s   average          the same, averaged over the live tables in which the field says anything
    b_s     B[s]             how much a long field is held against its table
    k1      K1               how soon a repeated word adds no more

    x = sum over s of v_s count / (1 - b_s + b_s length / average);   score = share * sum over words of idf x / (k1 + x)

Departs: a word's spellings (plural, joined, corrected) are one word with one n_i and one count; a corrected word's
idf is divided by 1 + its distance; and `share`, the part of the question's total idf that the table answers, puts
tables that speak of more of the words first without letting common words decide.

Every number is made of integer totals and then combined table by table in one fixed order, so a table's score is the
same to the last bit in whatever segment it lies.
"""

from __future__ import annotations

import math

from mere.indexes.keywords.fields import Field

K1 = 1.2
WEIGHT = {
    Field.TABLE: 3.0,
    Field.FOLDER: 2.0,
    Field.COLUMN: 1.0,
    Field.TITLE: 3.0,
    Field.DESCRIPTION: 1.0,
    Field.SOURCE: 0.5,
    Field.VALUE: 0.5,
}
B = {
    Field.TABLE: 0.5,
    Field.FOLDER: 0.5,
    Field.COLUMN: 0.5,
    Field.TITLE: 0.5,
    Field.DESCRIPTION: 0.75,
    Field.SOURCE: 0.0,
    Field.VALUE: 0.75,
}


def idf(tables: int, holding: int) -> float:
    return math.log(1.0 + (tables - holding + 0.5) / (holding + 0.5))


def weight(tables: int, holding: int, distance: int) -> float:
    """What a word of the question is worth, if corrections took it this far from what was typed."""
    return idf(tables, holding) / (1.0 + distance)
