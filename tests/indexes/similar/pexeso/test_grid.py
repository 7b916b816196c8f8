"""Grids, the inverted index and blocking, by their definitions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mere.indexes.similar.pexeso.blocking import Mapped, blocks_of
from mere.indexes.similar.pexeso.build import prepared
from mere.indexes.similar.pexeso.grid import cut, grid_of, highest_of, inverted_of, leaf_starts, same_cells
from mere.indexes.similar.pexeso.pivots import map_to_pivots, not_zero
from tests.indexes.similar.pexeso.cases import cases, lists_of, matches

EDGES = st.sampled_from([0.0, 0.25, 0.5, 0.99, 1.0, 1.4142135, 1.999, 2.0, 2.0000002])
MAPPED = arrays.arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 7)),
                       elements=EDGES.map(np.float32))  # fmt: skip


def cell(row: np.ndarray, level: int) -> tuple[int, ...]:
    """The coordinates of the cell of a mapped vector; the last cell includes 2."""
    return tuple(min(int(x * 2**level / 2), 2**level - 1) for x in row.tolist())


@given(MAPPED, st.integers(1, 8))
def test_each_level_has_the_cells_that_hold_vectors_and_each_cell_its_vectors(mapped, depth):
    grid, order = grid_of(mapped, depth)
    for level, (first, end) in enumerate(pairwise(grid.levels.tolist())):
        expected: dict[tuple[int, ...], set[int]] = {}
        for number, row in enumerate(mapped):
            expected.setdefault(cell(row, level), set()).add(number)
        found = {
            tuple(grid.coordinates[c].tolist()): set(order[grid.begins[c] : grid.ends[c]].tolist())
            for c in range(first, end)
        }
        assert found == expected and end - first == len(found)


@given(MAPPED, st.integers(1, 8))
def test_the_children_of_a_cell_are_the_cells_in_it(mapped, depth):
    grid, _ = grid_of(mapped, depth)
    for parent in range(grid.levels[-2]):
        children = range(grid.children[parent], grid.children[parent + 1])
        assert len(children) > 0
        assert grid.begins[children[0]] == grid.begins[parent] and grid.ends[children[-1]] == grid.ends[parent]
        assert all((grid.coordinates[c] >> 1 == grid.coordinates[parent]).all() for c in children)


@given(MAPPED, st.integers(1, 8), st.integers(1, 8))
def test_a_grid_that_is_cut_is_a_grid_of_fewer_levels(mapped, depth, fewer):
    shallow = cut(grid_of(mapped, depth)[0], fewer)
    for mine, theirs in zip(shallow, grid_of(mapped, min(depth, fewer))[0], strict=True):
        assert mine.tolist() == theirs.tolist()


@given(MAPPED, st.integers(1, 8), st.data())
def test_the_highest_values_and_the_same_cells(mapped, depth, data):
    shape = st.tuples(st.integers(1, 6), st.just(mapped.shape[1]))
    others = data.draw(arrays.arrays(np.float32, shape, elements=EDGES.map(np.float32)))
    grid, order = grid_of(mapped, depth)
    target, _ = grid_of(others, depth)
    highest = highest_of(grid, mapped[order])
    for c in range(grid.levels[-1]):
        assert highest[c].tolist() == mapped[order[grid.begins[c] : grid.ends[c]]].max(axis=0).tolist()
    leaves = [tuple(row) for row in target.coordinates[target.levels[-2] :].tolist()]
    own = [cell(row, depth) for row in mapped[order]]
    assert same_cells(grid, target).tolist() == [leaves.index(c) if c in leaves else -1 for c in own]


@given(MAPPED, st.integers(1, 4), st.data())
def test_the_inverted_index_gives_the_sets_of_a_cell_and_their_vectors_in_it(mapped, depth, data):
    grid, order = grid_of(mapped, depth)
    rows = [data.draw(st.sets(st.integers(0, 4))) for _ in mapped]
    inverted = inverted_of(grid, order, lists_of(rows))
    for leaf, (begin, end) in enumerate(pairwise(leaf_starts(grid).tolist())):
        sets = sorted({own for vector in range(begin, end) for own in rows[order[vector]]})
        postings = range(inverted.starts[leaf], inverted.starts[leaf + 1])
        assert [int(inverted.sets[p]) for p in postings] == sets
        for p in postings:
            having = [v for v in range(begin, end) if int(inverted.sets[p]) in rows[order[v]]]
            assert inverted.vectors[inverted.members[p] : inverted.members[p + 1]].tolist() == having


@settings(max_examples=200)
@given(cases(), st.integers(3, 7), st.integers(1, 8))
def test_blocking_drops_no_match_accepts_no_mismatch_and_repeats_no_pair(case, pivots, depth):
    index = prepared(case.vectors, case.lists, pivots, depth)
    numbers = not_zero(case.question)
    if len(index.order) == 0:
        return
    question = Mapped(case.question, numbers, map_to_pivots(case.question, numbers, index.vectors, index.pivots))
    starts, seen = leaf_starts(index.grid), set()
    for block in blocks_of(question, index.grid, case.wanted.limit):
        for q, number in enumerate(block.query.order.tolist()):
            begin, middle, end = block.pairs.starts[2 * q : 2 * q + 3].tolist()
            seen.add(number)
            cells = block.pairs.cells[begin:end].tolist()
            assert len(set(cells)) == len(cells)
            same = int(block.query.same[q])
            assert same < 0 or same in (cells[0:1] + cells[middle - begin : middle - begin + 1])
            for leaf in range(len(index.grid.codes)):
                agree = {
                    matches(case, place, number) for place in index.order[starts[leaf] : starts[leaf + 1]].tolist()
                }
                assert leaf in cells or agree == {False}
                assert leaf not in cells[: middle - begin] or agree == {True}
    assert seen == set(numbers.tolist())
