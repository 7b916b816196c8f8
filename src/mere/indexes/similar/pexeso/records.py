"""What do the steps of the PEXESO engine hand to each other?

    paper             here              meaning
    S_V               target            the vectors of all sets
    P, x'             pivots, mapped    a few vectors of the target, and the distances of a vector from each of them
    HG_Q, HG_SV       Grid              cells of several levels that hold at least one mapped vector
    m                 depth             the number of levels below the root
    I                 Inverted          for each leaf cell the sets with a vector in it, and which vectors these are
    mPair, cPair      Pairs             pairs of a query vector and a leaf cell: matching, and candidates
    tau, T            limit, need       how close two values must be, and how many values of the query must match

Vectors of zeros match nothing and are left out of the target and of the query.  The vectors of a grid are numbered in
the order of its leaf cells; `order` gives their places.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from mere.compiled import read_only
from mere.indexes.similar.records import Lists, Vectors

SLACK = 1e-5  # mapped vectors are float32: a pair that is this close to a bound is left to the exact distance
MOST_LEVELS = 8  # a cell's coordinates fit in a byte, and the code of a cell of 7 pivots in 56 bits
PIVOTS = (3, 7)  # the fewest and the most pivots


class Grid(NamedTuple):
    """The cells of all levels that are not empty, root first, each level in the order of its codes.

    The children of a cell are `children[cell]` to `children[cell + 1]`; its vectors `begins[cell]` to `ends[cell]`.
    """

    levels: np.ndarray  # int64, depth + 2: the first cell of each level
    coordinates: np.ndarray  # uint8 (cells, pivots)
    children: np.ndarray  # int64, inner cells + 1
    begins: np.ndarray  # int64
    ends: np.ndarray  # int64
    codes: np.ndarray  # uint64 per leaf cell: the bits of its coordinates, interleaved


class Inverted(NamedTuple):
    """The sets with a vector in each leaf cell, ascending, and the vectors of each set in it."""

    starts: np.ndarray  # int64, leaf cells + 1: the first posting of each cell
    sets: np.ndarray  # uint32 per posting
    members: np.ndarray  # int64, postings + 1: the first vector of each posting
    vectors: np.ndarray  # uint32, by their numbers in the grid


class Index(NamedTuple):
    """Everything a question needs."""

    vectors: Vectors
    lists: Lists
    pivots: np.ndarray  # int64: places
    order: np.ndarray  # int64: the place of each vector of the grid
    mapped: np.ndarray  # float32 (vectors of the grid, pivots)
    grid: Grid
    inverted: Inverted


class Query(NamedTuple):
    """Some vectors of the question with their grid; all arrays but `highest` are in the order of its leaf cells."""

    vectors: Vectors
    order: np.ndarray  # int64: the number of each vector in the question
    mapped: np.ndarray  # float32
    grid: Grid
    highest: np.ndarray  # float32 (cells, pivots): the largest mapped value in each cell
    same: np.ndarray  # int64 per vector: the leaf cell of the target at the same place; -1 if that is empty


class Pairs(NamedTuple):
    """Leaf cells for each query vector: matching ones from `starts[2 q]`, candidates from `starts[2 q + 1]`."""

    starts: np.ndarray  # int64, 2 * query vectors + 1
    cells: np.ndarray  # int32


class State(NamedTuple):
    """What is known of each set so far, and what it has cost."""

    counts: np.ndarray  # int64: how many query vectors match
    last: np.ndarray  # int64: the last query vector that matched
    closed: np.ndarray  # uint8: why a set is not verified any more; `OPEN` if it is
    tally: np.ndarray  # int64: `DONE`, `BEST`, `DISTANCES`, `FILTERED`, `MATCHED`


Arrays = TypeVar("Arrays", Vectors, Lists, Grid, Inverted)


def frozen(record: Arrays) -> Arrays:
    """The same in read-only arrays, as kernels take them."""
    return type(record)(*map(read_only, record))


OPEN, JOINABLE, REFUSED, NOT_OWNED = 0, 1, 2, 3  # `State.closed`
DONE, BEST, DISTANCES, FILTERED, MATCHED = 0, 1, 2, 3, 4  # `State.tally`
TALLIES = 5


class Ask(NamedTuple):
    """A question's thresholds."""

    limit: float
    need: int
    total: int  # query vectors that are not zero
    stop_early: bool  # whether a set is not counted on once it reaches `need`


class Counters(NamedTuple):
    """What a question cost."""

    distances: int = 0  # computed to verify
    mapping: int = 0  # computed to map the query: query vectors times pivots
    cells: int = 0  # pairs of cells that were compared
    candidates: int = 0  # pairs of a query vector and a leaf cell that had to be verified
    matching: int = 0  # pairs of which every vector of the cell matches (lemmas 5 and 6)
    filtered_by_pivots: int = 0  # vectors of candidate cells that lemma 1 refused
    matched_by_pivots: int = 0  # vectors of candidate cells that lemma 2 accepted
    joinable_early: int = 0  # sets not counted on because they had reached `need`
    refused_early: int = 0  # sets not verified further because they could not reach `need` (lemma 7)
