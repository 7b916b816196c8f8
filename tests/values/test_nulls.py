"""Which spellings of a missing value are data: those whose column is made of such words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from mere.values.nulls import is_data


def decided(spelling: str, others: list[str]) -> bool:
    values = [spelling, *others]
    return is_data(spelling, np.array([len(value) for value in values]), lambda: pa.array(values))


@pytest.mark.parametrize("count", range(13))
def test_a_spelling_is_data_if_all_of_three_others_or_four_fifths_of_eight_are_words_of_its_length(count: int) -> None:
    for alike in range(count + 1):
        needed = count if count < 8 else 0.8 * count
        for unlike in ("a1", "abc"):
            others = [*(chr(97 + n) * 2 for n in range(alike)), *[unlike] * (count - alike)]
            assert decided("na", others) == (count >= 3 and alike >= needed), others


def test_a_spelling_that_is_no_word_is_no_data() -> None:
    assert decided("none", ["most", "some", "each"])
    assert not decided("n.a.", ["a.b.", "c.d.", "e.f."]) and not decided("--", ["ab", "cd", "ef"])
