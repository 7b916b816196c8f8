"""The hash of a value against its definition, and the hash that checks it."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.values import check_hashes, hash_values, hashing

WORD = (1 << 64) - 1

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


def _mixed(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def _hashed(text: str) -> int:
    """The definition, in whole numbers of Python."""
    data, seed, golden = text.encode(), int(hashing.SEED), int(hashing.GOLDEN)
    words = [int.from_bytes(data[start : start + 8], "little") for start in range(0, len(data), 8)]
    mixed = [_mixed(word ^ _mixed(((place * golden) & WORD) ^ seed)) for place, word in enumerate(words, 1)]
    return _mixed((sum(mixed) + _mixed(len(data) ^ seed)) & WORD)


@given(st.lists(st.one_of(st.sampled_from(EDGES), st.text(max_size=40)), min_size=1, max_size=30))
def test_a_hash_is_that_of_the_definition_wherever_a_value_is_in_an_array(texts):
    values = pa.array(texts, pa.string())
    hashes = [_hashed(text) for text in texts]
    assert hash_values(values).tolist() == hashes
    assert hash_values(values[1:]).tolist() == hashes[1:]
    assert hash_values(values.cast(pa.large_string())).tolist() == hashes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashing, "_BLOCK", 3)
        assert hash_values(values).tolist() == hashes
