"""The compiled hash of a value is that of NumPy."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from mere.store import hash_kernels
from mere.values import hash_values
from mere.values.hashing import mix, string_buffers

hash_of, mix_of_one = hash_kernels.hash_of, hash_kernels.mix


@njit
def hashes(data, offsets):
    out = np.empty(len(offsets) - 1, np.uint64)
    for value in range(len(out)):
        out[value] = hash_of(data, offsets[value], offsets[value + 1] - offsets[value])
    return out


@njit
def mixed(numbers):
    out = np.empty_like(numbers)
    for place in range(len(numbers)):
        out[place] = mix_of_one(numbers[place])
    return out


@given(st.lists(st.text(max_size=20), max_size=8))
@example([chr(97 + size % 26) * size for size in range(34)])
def test_values_have_the_same_hash_however_it_is_computed(values: list[str]) -> None:
    cells = pa.array(values, pa.string())
    offsets, data = string_buffers(cells)
    assert hashes(np.append(data, np.full(8, 255, np.uint8)), offsets).tolist() == hash_values(cells).tolist()


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1))
def test_numbers_are_mixed_alike(numbers: list[int]) -> None:
    array = np.array(numbers, np.uint64)
    assert mixed(array).tolist() == mix(array).tolist()
