"""How do histograms with bins of their own become comparable?  By their shares below the edges of their cluster.

fainder.starts          where each cluster's histograms start, and where the last one's end
fainder.members         u32: histograms, cluster by cluster
fainder.edges.starts    where each cluster's edges start, and where the last one's end
fainder.edges           f64
fainder.shares.starts   where each cluster's block starts, and where the last one's ends: edges * members shares,
                        edge by edge; shares ascend behind each edge
fainder.middle          f64: rebinning; the share below the edge if values are spread evenly in their bins
fainder.lower           f64: conversion; the share that certainly lies below the edge
fainder.upper           f64: conversion; the share that may
fainder.X.of            u32: whose share that is
"""

from __future__ import annotations

import numpy as np

from mere.indexes.distribution.counting import bounds_of, share_below
from mere.indexes.distribution.fainder.clusters import clusters_of
from mere.indexes.kind import Arrays
from mere.store import offsets_of

SHARES = ("middle", "lower", "upper")


def features_of(starts: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Smallest edge, largest edge and average width of each histogram."""
    each, sizes = np.arange(len(starts) - 1), np.diff(starts)
    low, high = edges[starts[:-1] + each], edges[starts[1:] + each]
    return np.column_stack([low, high, high / sizes - low / sizes]).reshape(-1, 3)


def aligned(arrays: Arrays, trained: Arrays) -> dict[str, np.ndarray]:
    """The arrays of the paper's modes for a segment's histograms."""
    owners = clusters_of(features_of(arrays["hist.starts"], arrays["hist.edges"]), trained)
    edge_starts, edges = trained["edge.starts"], trained["edge.values"]
    sizes = np.bincount(owners, minlength=len(edge_starts) - 1)
    starts, members = offsets_of(sizes), np.argsort(owners, kind="stable").astype(np.uint32)
    blocks = offsets_of(sizes * np.diff(edge_starts))
    shares = {name: np.empty(int(blocks[-1])) for name in SHARES}
    whose = {name: np.empty(int(blocks[-1]), np.uint32) for name in SHARES}
    for cluster in np.flatnonzero(np.diff(blocks)).tolist():
        own = members[starts[cluster] : starts[cluster + 1]]
        place = int(blocks[cluster])
        for edge in edges[edge_starts[cluster] : edge_starts[cluster + 1]].tolist():
            for name, share in _shares(arrays, own, edge).items():
                order = np.argsort(share, kind="stable")
                shares[name][place : place + len(own)] = share[order]
                whose[name][place : place + len(own)] = own[order]
            place += len(own)
    return {
        "fainder.starts": starts,
        "fainder.members": members,
        "fainder.edges.starts": np.array(edge_starts),
        "fainder.edges": np.array(edges),
        "fainder.shares.starts": blocks,
        **{f"fainder.{name}": shares[name] for name in SHARES},
        **{f"fainder.{name}.of": whose[name] for name in SHARES},
    }


def _shares(arrays: Arrays, which: np.ndarray, edge: float) -> dict[str, np.ndarray]:
    bounds = bounds_of(arrays, which, (-np.inf, edge, -np.inf, edge))
    middle = share_below(arrays, which, edge)
    return {"middle": middle, "lower": bounds.under / bounds.rows, "upper": bounds.over / bounds.rows}
