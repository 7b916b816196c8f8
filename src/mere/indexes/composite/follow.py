"""Compiled: which rows of a table hold the keys under one mapping, and which of them would a super key dismiss?"""

from __future__ import annotations

import numpy as np

from mere.compiled.jit import helper, kernel
from mere.indexes.composite.kernels import covers, len_of_set
from mere.indexes.composite.steps import Step, enter, extend, new_scratch


@kernel
def follow(found, bits, most_pairs, tree, stored, super_keys):
    """Rows per key; rows of the first level that were checked, and those of them whose super key covers a key.

    The mapping is that of the only candidate of each level; `bits` are those of each key.  Without super keys, nothing
    is checked.
    """
    longest = np.int64(0)
    for column in found.columns:
        longest = max(longest, len_of_set(stored, column))
    scratch = new_scratch(found.rows[0], longest, tree)
    enter(np.int64(0), found, tree, stored, scratch)
    checked, passing = np.int64(0), np.int64(0)
    if len(super_keys):
        own = super_keys[stored.first_rows[found.table] : stored.first_rows[found.table + 1]]
        checked, passing = _passing(own, bits, most_pairs, tree, scratch)
    for level in range(1, len(tree.starts) - 1):
        extend(Step(np.int64(level), np.int64(level), np.int64(level - 1), np.int64(0)), found, tree, stored, scratch)
    rows = np.zeros(len(bits), np.int64)
    nodes, first_leaf = scratch.nodes[len(tree.starts) - 2], len(tree.values) - len(bits)
    for i in range(scratch.counts[len(tree.starts) - 2]):
        rows[np.int64(nodes[i]) - first_leaf] += 1
    return rows, checked, passing


@helper(allocates=True)
def _passing(super_keys, bits, most_pairs, tree, scratch):
    """Rows checked, and those whose super key covers one of the keys below their node.

    Of very many pairs of rows and keys every n-th row is checked, so that there are about `most_pairs`.
    """
    rows, nodes, count = scratch.rows[0], scratch.nodes[0], scratch.counts[0]
    first_keys = np.zeros(tree.starts[1] + 1, np.int64)
    for value in range(tree.starts[1]):
        first_keys[value + 1] = first_keys[value] + tree.keys[1 + value]
    pairs, checked, passing = np.int64(0), np.int64(0), np.int64(0)
    for i in range(count):
        pairs += tree.keys[nodes[i]]
    for i in range(0, count, 1 + pairs // most_pairs):
        checked += 1
        row, node = super_keys[rows[i]], np.int64(nodes[i])
        for key in range(first_keys[node - 1], first_keys[node]):
            if covers(row, bits[key]):
                passing += 1
                break
    return checked, passing
