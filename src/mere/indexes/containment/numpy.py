"""Signing sets and searching signatures in NumPy: the same answers as `kernels`."""

from __future__ import annotations

import numpy as np

from mere.indexes.containment.records import HASHES, MULTIPLIERS, SUMMANDS

BLOCK = 1 << 15  # values whose hashes are computed together


def sign(hashes: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
    """Write the signature of each set, whose values' hashes lie between two starts, into `out`."""
    out[:] = 0xFFFFFFFF
    for begin in range(0, len(hashes), BLOCK):
        block = hashes[begin : begin + BLOCK]
        first = int(np.searchsorted(starts, begin, side="right")) - 1
        last = int(np.searchsorted(starts, begin + len(block), side="left"))
        edges = np.maximum(starts[first:last] - begin, 0)
        for i in range(HASHES):
            hashed = ((block * MULTIPLIERS[i] + SUMMANDS[i]) >> np.uint64(32)).astype(np.uint32)
            np.minimum(out[first:last, i], np.minimum.reduceat(hashed, edges), out=out[first:last, i])
    out[:] = scatter(out)


def scatter(x: np.ndarray) -> np.ndarray:
    """Scatter 32-bit numbers over all 32-bit numbers, one to one."""
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return x ^ (x >> np.uint32(16))


def walk(
    signature: np.ndarray, signatures: np.ndarray, classes: np.ndarray, shapes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`kernels.walk` without the trees: every signature is compared with the query's."""
    same = signatures == signature
    chosen = np.zeros(len(signatures), bool)
    bands, rows = shapes[classes].T
    for r in np.unique(rows).tolist():
        band = same[:, : HASHES // r * r].reshape(len(signatures), HASHES // r, r).all(axis=2)
        first = np.where(band.any(axis=1), band.argmax(axis=1), HASHES)
        chosen |= (rows == r) & (first < bands)
    return np.flatnonzero(chosen).astype(np.uint32), np.count_nonzero(same[chosen], axis=1)
