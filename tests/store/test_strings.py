"""A string is found among others by its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.store import Strings

texts = st.lists(st.sampled_from(["", "a", "b", "ab", "ba", "é", "日本", "abc", "abd"]), max_size=12)


@given(texts, st.integers(0, 12), st.integers(0, 12))
def test_the_first_place_between_two_is_that_of_a_list(several: list[str], first: int, last: int) -> None:
    first, last = min(first, len(several)), min(max(first, last), len(several))
    strings = Strings.of(several)
    for text in ["", "a", "ab", "é", "日本", "abd", "other"]:
        if text in several[first:last]:
            assert strings.index(text, first, last) == several.index(text, first, last)
        else:
            with pytest.raises(ValueError, match="is not there"):
                strings.index(text, first, last)
