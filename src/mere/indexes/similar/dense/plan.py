"""Which engine answers a question soonest: blocks, or products?

The time of blocks depends on how many vectors are left to verify, which grows steeply with the limit.  So a few vectors
of the query are tried: they are compared with all boxes, and with some of the blocks that remain.

The constants are nanoseconds, fitted to times of one thread on an AMD EPYC with AVX-512 and vectors of 50 and 256
dimensions (`benchmarks/similar_dense.py`).  On another processor they may differ; a wrong choice costs time only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.compiled import read_only
from mere.indexes.similar.dense.records import BLOCK, GROUP, Asked, Stored

PRODUCT = 0.014  # one multiplication of a matrix product
COMPARED = 0.6  # comparing a product with the limit
READ = 0.4  # reading one dimension of a vector from memory: once for a batch of vectors of the query
BOX = 0.2  # one coordinate of a vector of the query against one of a box
COORDINATE = 0.06  # against one of a vector
VERIFIED = 20.0  # one pair that is verified
DIMENSION = 0.15  # one dimension of such a pair; they are compared only until the limit is exceeded
APART = 1.2  # a typical squared distance of such a pair

_MARGIN = 0.8  # blocks are chosen if their time is at most this share of the other: the sample may mislead

_SAMPLE = 16  # vectors of the query that are tried, at most
_SHARE = 4  # and at most one of so many, but always one
_STEP = 32  # blocks of which one is looked into


class Plan(NamedTuple):
    """The engine, and how long it will take for one vector of the query."""

    engine: str
    nanoseconds: float


def planned(index: Stored, asked: Asked, engine: str, compiled: bool) -> Plan:
    """The engine to use; without compiled kernels there are products only."""
    by_product = product_cost(index, asked)
    if engine == "product" or not compiled:
        return Plan("product", by_product)
    by_blocks = blocks_cost(index, asked)
    if engine == "blocks" or by_blocks < _MARGIN * by_product:
        return Plan("blocks", by_blocks)
    return Plan("product", by_product)


def product_cost(index: Stored, asked: Asked) -> float:
    dimensions = index.vectors.shape[1]
    multiplied = dimensions * (PRODUCT + READ / max(len(asked.vectors), 1))
    return np.count_nonzero(asked.useful) * (multiplied + COMPARED)


def blocks_cost(index: Stored, asked: Asked) -> float:
    from mere.indexes.similar.dense import kernels

    count = min(_SAMPLE, max(len(asked.vectors) // _SHARE, 1))
    chosen = np.linspace(0, len(asked.vectors) - 1, count).astype(np.int64)
    tried = asked._replace(points=read_only(np.ascontiguousarray(asked.points[:, chosen])))
    groups, blocks, vectors = kernels.sampled_survivors(index, tried, _STEP)
    boxes = index.groups.shape[2] * count + groups * GROUP
    share = np.count_nonzero(asked.useful) / max(len(asked.useful), 1)
    read = index.vectors.shape[1] * min(asked.limit * asked.limit / APART, 1.0)
    verified = vectors * share * (VERIFIED + DIMENSION * read)
    return (len(asked.points) * (boxes * BOX + blocks * BLOCK * COORDINATE) + verified) / count
