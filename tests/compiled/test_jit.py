"""What `@kernel` and `@helper` compile, and what they refuse."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mere.compiled import jit


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(jit, "code_folder", lambda module: str(tmp_path))
    return jit.kernel


def test_a_constant_in_a_call_does_not_compile_a_function_again(kernel: Any) -> None:
    @jit.helper
    def add(x, y):
        return x + y

    @kernel
    def several(x):
        return add(x, 1) + add(x, 2) + add(x, x)

    assert several(10) == 43
    assert len(add.overloads) == 1


def test_a_helper_is_not_called_from_python(kernel: Any) -> None:
    @jit.helper
    def double(x):
        return 2 * x

    @kernel
    def quadruple(x):
        return double(double(x))

    for _ in range(2):  # before it is compiled, and after
        with pytest.raises(TypeError, match="'double' is called by kernels only"):
            double(1)
        assert quadruple(1) == 4


def test_a_helper_that_handles_new_arrays_must_say_so(kernel: Any) -> None:
    def numbers(size):
        return np.arange(size)

    def first(array):
        return array[:1]

    allocating = jit.helper(allocates=True)(first)

    @jit.helper
    def through(array):
        return allocating(array)[0]

    for helper, argument in ((jit.helper(numbers), 3), (jit.helper(first), np.arange(3)), (through, np.arange(3))):
        with pytest.raises(Exception, match=r"allocates=True|Only accept returning of array"):
            kernel(_calling(helper))(argument)
    assert kernel(_calling(jit.helper(allocates=True)(numbers)))(3).tolist() == [0, 1, 2]


def _calling(helper: Any) -> Any:
    def call(argument):
        return helper(argument)

    return call


def test_references_to_arrays_are_counted_right_through_helpers(kernel: Any) -> None:
    @jit.helper
    def total(array):
        half = array[: len(array) // 2]
        return half[0] + array[-1]

    @jit.helper(allocates=True)
    def tail(array):
        return array[1:]

    @kernel
    def work(array):
        return total(tail(array)) + total(array)

    array = np.arange(6)
    before = sys.getrefcount(array)
    for _ in range(100):
        assert work(array) == (1 + 5) + (0 + 5)
    assert sys.getrefcount(array) == before
