"""The hash that checks the other hash of a value."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from mere.values import check_hashes

EDGES = ["", "a", "a" * 7, "a" * 8, "a" * 9, "a" * 15, "a" * 16, "a" * 17, "a" * 8 + "b" * 8, "b" * 8 + "a" * 8, "é"]


@given(st.lists(st.one_of(st.sampled_from(EDGES), st.text("ab", max_size=20)), max_size=30))
def test_check_hashes_are_equal_where_the_length_and_both_ends_are(texts):
    values = pa.array(texts, pa.string())
    hashes = check_hashes(values).tolist()
    ends = [(len(text.encode()), text.encode()[:8], text.encode()[-8:]) for text in texts]
    for mine, first in zip(hashes, ends, strict=True):
        for other, second in zip(hashes, ends, strict=True):
            assert (mine == other) == (first == second)
    assert check_hashes(values[1:]).tolist() == hashes[1:]
