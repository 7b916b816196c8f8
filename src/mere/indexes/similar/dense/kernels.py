"""Searching blocks and counting matched sets, compiled; `product` and `engines` have the NumPy versions."""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.similar.dense.records import BLOCK, GROUP
from mere.indexes.similar.distances import dense_distance


@kernel
def pairs_in_blocks(index, asked, rounding, first, out):
    """Write matching pairs into `out`, from a group of blocks on; how many there are, and the first group not searched.

    The groups are the outer loop, so that the vectors of a group stay in the cache for all vectors of the query.
    """
    queries, groups = asked.points.shape[1], index.groups.shape[2]
    from_group, from_blocks = np.empty(queries, np.int32), np.empty(GROUP, np.int32)
    from_vectors = np.empty(BLOCK, np.int32)
    above = np.float32(asked.limit * asked.limit * (1.0 + rounding))
    below = np.float32(asked.limit * asked.limit * (1.0 - rounding))
    size, group = 0, first
    while group < groups and size + queries * GROUP * BLOCK <= len(out):
        _from_box(index.groups, group, asked.points, from_group)
        for query in range(queries):
            if from_group[query] > asked.farthest:
                continue
            _from_boxes(index.boxes, group, asked.points, query, from_blocks)
            for block in range(group * GROUP, min(group * GROUP + GROUP, len(index.coordinates))):
                if from_blocks[block - group * GROUP] > asked.farthest:
                    continue
                _from_vectors(index.coordinates, block, asked.points, query, from_vectors)
                for i in range(min(BLOCK, len(index.order) - block * BLOCK)):
                    position = block * BLOCK + i
                    if from_vectors[i] > asked.farthest or not asked.useful[position]:
                        continue
                    square = _square(index.vectors, position, asked.vectors, query, above)
                    if square <= above and (
                        square < below or dense_distance(index.vectors, position, asked.vectors, query) <= asked.limit
                    ):
                        out[size, 0], out[size, 1] = query, position
                        size += 1
        group += 1
    return size, group


@helper(inlined=True)
def _from_box(boxes, box, points, out):
    """The squared distance of each mapped vector of the query from one box."""
    out[:] = 0
    for axis in range(len(points)):
        low, high = np.int32(boxes[0, axis, box]), np.int32(boxes[1, axis, box])
        for i in range(len(out)):
            gap = max(max(low - points[axis, i], points[axis, i] - high), np.int32(0))
            out[i] += gap * gap


@helper(inlined=True)
def _from_boxes(boxes, group, points, query, out):
    """The squared distance of one mapped vector of the query from each box of a group."""
    out[:] = 0
    for axis in range(len(points)):
        x = points[axis, query]
        for i in range(len(out)):  # not GROUP: a short loop of known length would be unrolled, not vectorised
            low, high = np.int32(boxes[group, 0, axis, i]), np.int32(boxes[group, 1, axis, i])
            gap = max(max(low - x, x - high), np.int32(0))
            out[i] += gap * gap


@helper(inlined=True)
def _from_vectors(coordinates, block, points, query, out):
    """The squared distance of one mapped vector of the query from each of a block."""
    out[:] = 0
    for axis in range(len(points)):
        x = points[axis, query]
        for i in range(BLOCK):
            gap = np.int32(coordinates[block, axis, i]) - x
            out[i] += gap * gap


@helper(inlined=True)
def _square(left, i, right, j, enough):
    """The squared distance in float32; beyond `enough` it is some number that is larger, too."""
    total, d = np.float32(0.0), 0
    while d + 8 <= left.shape[1]:
        s = left[i, d] - right[j, d]
        t = left[i, d + 1] - right[j, d + 1]
        u = left[i, d + 2] - right[j, d + 2]
        v = left[i, d + 3] - right[j, d + 3]
        w = left[i, d + 4] - right[j, d + 4]
        x = left[i, d + 5] - right[j, d + 5]
        y = left[i, d + 6] - right[j, d + 6]
        z = left[i, d + 7] - right[j, d + 7]
        total += ((s * s + t * t) + (u * u + v * v)) + ((w * w + x * x) + (y * y + z * z))
        if total > enough:
            return total
        d += 8
    while d < left.shape[1]:
        s = left[i, d] - right[j, d]
        total += s * s
        d += 1
    return total


@kernel
def sampled_survivors(index, asked, step):
    """How many groups, blocks and vectors must be looked at for all queries together; one in `step` blocks is read."""
    queries = asked.points.shape[1]
    from_group, from_blocks = np.empty(queries, np.int32), np.empty(GROUP, np.int32)
    from_vectors = np.empty(BLOCK, np.int32)
    groups, blocks, vectors = 0, 0, 0
    for group in range(index.groups.shape[2]):
        _from_box(index.groups, group, asked.points, from_group)
        for query in range(queries):
            if from_group[query] > asked.farthest:
                continue
            groups += 1
            _from_boxes(index.boxes, group, asked.points, query, from_blocks)
            for block in range(group * GROUP, min(group * GROUP + GROUP, len(index.coordinates))):
                if from_blocks[block - group * GROUP] > asked.farthest:
                    continue
                blocks += 1
                if blocks % step == 0:
                    _from_vectors(index.coordinates, block, asked.points, query, from_vectors)
                    for i in range(BLOCK):
                        vectors += step * (from_vectors[i] <= asked.farthest)
    return groups, blocks, vectors


@kernel
def mark_pairs(pairs, order, lists, marks):
    """Count the sets that matched pairs are in, each once for a vector of the query."""
    for i in range(len(pairs)):
        _mark(pairs[i, 0], order[pairs[i, 1]], lists, marks)


@helper(inlined=True)
def _mark(query, place, lists, marks):
    for entry in range(lists.starts[place], lists.starts[place + 1]):
        which = lists.sets[entry]
        if not marks.seen[which, query]:
            marks.seen[which, query] = True
            marks.counts[which] += 1


@kernel
def mark_products(large, tile, index, asked, lists, marks):
    """The same for pairs of a tile, by their numbers, ascending; those within rounding of the limit are verified."""
    products, queries, row = tile.products.reshape(-1), len(asked.vectors), 0
    for number in large:
        while number >= (row + 1) * queries:
            row += 1
        query, position = number - row * queries, tile.positions[row]
        if products[number] > tile.sure or (
            dense_distance(index.vectors, position, asked.vectors, query) <= asked.limit
        ):
            _mark(query, index.order[position], lists, marks)
