"""What values are does not depend on how many are looked at together, nor on where they are in an array."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.values import classify, spelled

TEXTS = ["12", "-3.5", "1,234.5", "€ 7", "abc", "", "12a", "2020-01-05", "1e5", "007", "(5)", "é1", "x" * 70, "9" * 70]


@given(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=12), st.integers(1, 4))
def test_blocks_and_slices_do_not_change_what_values_are(texts, size):
    expected = [int(classify(pa.array([text], pa.string())).kinds[0]) for text in texts]
    values = pa.array(texts, pa.string())
    assert classify(values).kinds.tolist() == expected
    assert classify(values[1:]).kinds.tolist() == expected[1:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spelled, "_BLOCK", size)
        assert classify(values).kinds.tolist() == expected
