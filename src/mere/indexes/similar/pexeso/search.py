"""How many values of a question match a value of each set?  (Algorithms 2 and 3)

For each query vector, the sets in its matching cells are counted first, then its candidate cells are verified, set by
set, by lemma 1, lemma 2 and, where both leave it open, the distance.  A set is skipped if the query vector has already
matched it, if nobody owns it, or if too few query vectors are left for it to reach `need` (lemma 7).

Departs from algorithm 2 as printed: a match is counted once per query vector and set; a query vector counts as a
mismatch only after all its cells are done, and then of every set that it did not match, with a candidate cell or
without, so that lemma 7 is sound; a vector that several sets have is compared once.  Once no set at all can reach
`need`, the search ends.  Stopping at sets that have reached `need` is an option (`stop_early`), since it loses the
exact count.

PEXESO-H (`inverted=False`) compares every vector of a candidate cell; lemmas 1, 2 and 7 are not applied.
"""

from __future__ import annotations

import numpy as np

from mere.indexes.similar.pexeso.blocking import Block, Mapped, blocks_of
from mere.indexes.similar.pexeso.pivots import map_to_pivots, not_zero
from mere.indexes.similar.pexeso.records import (
    DISTANCES,
    DONE,
    FILTERED,
    JOINABLE,
    MATCHED,
    NOT_OWNED,
    OPEN,
    REFUSED,
    TALLIES,
    Ask,
    Counters,
    Index,
    State,
)
from mere.indexes.similar.records import Vectors, Wanted


def counted(
    index: Index, question: Vectors, wanted: Wanted, inverted: bool = True, stop_early: bool = False
) -> tuple[np.ndarray, Counters]:
    """How many vectors of the question match a vector of each owned set, and what it cost.

    The count of a set that does not reach `need` may be too low; with `stop_early` no count is above `need`.
    """
    from mere.indexes.similar.pexeso import kernels

    numbers, state, counters = not_zero(question), _new_state(wanted), Counters()
    ask = Ask(float(wanted.limit), int(wanted.need), len(numbers), stop_early)
    if len(index.order) == 0 or ask.total < ask.need:
        return state.counts, counters
    mapped = map_to_pivots(question, numbers, index.vectors, index.pivots)
    verification = kernels.verify if inverted else kernels.verify_every
    for block in blocks_of(Mapped(question, numbers, mapped), index.grid, ask.limit):
        counters = _with_block(counters, block)
        if verification(index, block.query, block.pairs, ask, state):
            break
    _refuse_rest(ask, state)
    return state.counts, _with_state(counters._replace(mapping=mapped.size), state)


def _new_state(wanted: Wanted) -> State:
    sets = len(wanted.owned)
    closed = np.where(wanted.owned, OPEN, NOT_OWNED).astype(np.uint8)
    return State(np.zeros(sets, np.int64), np.full(sets, -1, np.int64), closed, np.zeros(TALLIES, np.int64))


def _refuse_rest(ask: Ask, state: State) -> None:
    """If the search has ended before the last query vector, the sets that are still open were refused."""
    if state.tally[DONE] < ask.total:
        state.closed[state.closed == OPEN] = REFUSED


def _with_block(counters: Counters, block: Block) -> Counters:
    starts = block.pairs.starts
    matching = int((starts[1::2] - starts[:-1:2]).sum())
    return counters._replace(
        cells=counters.cells + block.compared,
        matching=counters.matching + matching,
        candidates=counters.candidates + int(starts[-1]) - matching,
    )


def _with_state(counters: Counters, state: State) -> Counters:
    return counters._replace(
        distances=int(state.tally[DISTANCES]),
        filtered_by_pivots=int(state.tally[FILTERED]),
        matched_by_pivots=int(state.tally[MATCHED]),
        joinable_early=int((state.closed == JOINABLE).sum()),
        refused_early=int((state.closed == REFUSED).sum()),
    )
