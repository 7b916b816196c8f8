"""The hash functions of signatures, which are part of the format, and the arrays that kernels take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mere.values import mix

HASHES = 128  # m
_STREAM = np.uint64(0x6C73682D656E7365)

_numbers = mix(_STREAM + np.arange(2 * HASHES, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
MULTIPLIERS = _numbers[:HASHES] | np.uint64(1)
SUMMANDS = _numbers[HASHES:]


class Forest(NamedTuple):
    """The signatures of a part, and the trees over them; `build` describes the arrays."""

    signatures: np.ndarray
    keys: np.ndarray
    trees: np.ndarray
