"""What is the vector of a text in a model that has one vector per token?  The mean over its tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

MOST_TOKENS = 256  # of one text; later ones are ignored, which bounds the memory
TEXTS_AT_ONCE = 256  # 256 texts * 256 tokens * 256 dimensions * 4 bytes = 64 MB at most


def batches(texts: list[str], size: int = TEXTS_AT_ONCE) -> Iterator[list[str]]:
    for start in range(0, len(texts), size):
        yield texts[start : start + size]


def mean_vectors(vectors: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """For each text the mean of as many of the tokens' vectors as it has tokens, zeros if it has none.

    Sums are in float64 and in the order of the tokens: the vector of a text does not depend on the other texts.
    """
    tokens = np.array(counts, np.int64)
    means = np.zeros((len(tokens), vectors.shape[1]), np.float32)
    filled = np.flatnonzero(tokens)
    if filled.size:
        starts = np.cumsum(tokens[filled]) - tokens[filled]
        sums = np.add.reduceat(vectors, starts, axis=0, dtype=np.float64)
        means[filled] = sums / tokens[filled, None]
    return means
