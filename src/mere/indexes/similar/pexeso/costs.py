"""How deep is the best grid?  (Section III-E, equations 1 and 2)

A workload of sampled sets, with limits of 0 to 10 % of the largest distance, is blocked with every depth; the depth
with the least estimated cost is chosen.  Nothing is verified.

    paper     here         meaning
    Q         workload     sampled sets
    C         pairs        the candidate pairs that blocking leaves
    N_max     covered     the most vectors in the leaf cells around a query vector: in the dimension with the fewest,
                           those that are at most the limit and half the edge of a leaf cell away (equation 2)
    E         cost         the vectors that verification looks at (equation 1), and what it takes to find them

Departs:
- Equation 1 adds N_max for every candidate pair.  A query vector then pays for the same vectors as often as it has
  candidate cells, and a single level is nearly always best.  Here N_max is added once per query vector, and the paper's
  other side of the trade, access to the inverted index, is added in the same unit: `PAIR` and `CELLS`.
- All depths are tried instead of gradient descent: there are only 8, and they share one sorted grid.
- Equations 1 and 2 do not depend on T, so the workload has none.
- Half an edge is 2 / 2^depth / 2; the paper's 1 / (2 |P| m) is not the size of a cell.
"""

from __future__ import annotations

import numpy as np

from mere.indexes.similar.pexeso.blocking import Mapped, blocks_of
from mere.indexes.similar.pexeso.grid import cut, depth_of
from mere.indexes.similar.pexeso.pivots import spread
from mere.indexes.similar.pexeso.records import Grid, frozen
from mere.indexes.similar.records import FARTHEST, Lists, sparse_vectors

SETS, VALUES = 10, 10  # sampled sets, and vectors of each
LIMITS = 0.1  # the largest limit of the workload, as a share of the largest distance
# In units of comparing the mapped values of one vector (35 ns); from the times of one index at depths 3 to 7.
PAIR = 2.0  # reading one candidate cell
CELLS = 0.5  # comparing two cells


def depth_chosen(grid: Grid, mapped: np.ndarray, sets: Lists) -> int:
    """The depth, up to that of the grid, with the least estimated cost; `sets` gives the vectors of each set."""
    ascending, workload = np.sort(mapped, axis=0), workload_of(mapped, sets)
    best, least = 1, np.inf
    for depth in range(1, depth_of(grid) + 1):
        target = frozen(cut(grid, depth))
        costs = [cost_of(target, ascending, question, limit) for question, limit in workload]
        cost = sum(total for total, _ in costs)
        if cost < least:
            best, least = depth, cost
        if sum(compared for _, compared in costs) > least:  # a deeper grid compares at least these cells
            break
    return best


def workload_of(mapped: np.ndarray, sets: Lists) -> list[tuple[Mapped, float]]:
    """Some vectors of some sets, and a limit for each set."""
    lengths = np.diff(sets.starts)
    filled = np.flatnonzero(lengths)
    chosen = filled[spread(len(filled), SETS)]
    limits = FARTHEST * LIMITS * (np.arange(len(chosen)) + 0.5) / max(1, len(chosen))
    members = [sets.sets[sets.starts[own] + spread(int(lengths[own]), VALUES)].astype(np.int64) for own in chosen]
    return [(_mapped(mapped, own), float(limit)) for own, limit in zip(members, limits, strict=True)]


def _mapped(mapped: np.ndarray, numbers: np.ndarray) -> Mapped:
    """Blocking needs mapped vectors only; the vectors themselves are left out."""
    starts, norms = np.zeros(1, np.int64), np.zeros(0, np.int64)
    vectors = sparse_vectors(starts, np.zeros(0, np.uint32), np.zeros(0, np.int32), norms)
    return Mapped(vectors, numbers, mapped[numbers])


def cost_of(target: Grid, ascending: np.ndarray, question: Mapped, limit: float) -> tuple[float, float]:
    """The estimated cost of a question; and the part of it that comparing cells takes."""
    reach = limit + FARTHEST / (1 << depth_of(target)) / 2
    total = cells = 0.0
    for block in blocks_of(question, target, limit):
        candidates = block.pairs.starts[2::2] - block.pairs.starts[1:-1:2]
        looked_at = covered(ascending, block.query.mapped[candidates > 0], reach).sum()
        total += float(looked_at) + PAIR * float(candidates.sum())
        cells += CELLS * block.compared
    return total + cells, cells


def covered(ascending: np.ndarray, mapped: np.ndarray, reach: float) -> np.ndarray:
    """How many vectors at most are near each query vector (equation 2); each column of the target's ascends."""
    near, columns = np.float32(reach), list(zip(ascending.T, mapped.T, strict=True))
    begins = [np.searchsorted(theirs, own - near) for theirs, own in columns]
    ends = [np.searchsorted(theirs, own + near, side="right") for theirs, own in columns]
    return np.min(np.array(ends) - np.array(begins), axis=0)
