"""The pieces that a text shares with a column, against all substrings of both."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mere.transform.suffixes import DEPTH, SHORTEST, Suffixes

few_letters = st.text("ab", max_size=12) | st.text("aé😀 ", max_size=10)
last_characters = st.text("a\U0010ffff", max_size=8)  # nothing sorts after the last character of Unicode
long_texts = st.builds(lambda text, times: text * times, st.text("abc", min_size=1, max_size=9), st.integers(1, 20))
texts = few_letters | last_characters | long_texts | st.text(max_size=8)
columns = st.lists(texts, max_size=6)


def substrings(text):
    return {(start, stop) for stop in range(len(text) + 1) for start in range(stop)}


def count_in(piece, column):
    """How often a piece occurs; occurrences may overlap."""
    return sum(text.startswith(piece, start) for text in column for start in range(len(text)))


def maximal_pieces(text, column):
    """The substrings that occur in the column and are not part of a longer one that does."""
    shared = {
        (start, stop)
        for start, stop in substrings(text)
        if SHORTEST <= stop - start <= DEPTH and any(text[start:stop] in other for other in column)
    }
    return sorted(
        (start, stop)
        for start, stop in shared
        if not any(one <= start and stop <= other and (one, other) != (start, stop) for one, other in shared)
    )


@given(texts, columns)
@example("", [])
@example("", ["abc"])
@example("abc", ["ab", "", "bc"])
def test_longest_is_the_longest_beginning_that_occurs(text, column):
    occurs = [size for size in range(min(len(text), DEPTH) + 1) if any(text[:size] in other for other in column)]
    longest = max(occurs, default=0)
    found = Suffixes(column).longest(text)
    if longest >= SHORTEST:
        assert found == longest
    else:
        assert found <= longest  # shorter ones are not kept


@given(texts, columns, st.integers(1, 5))
@settings(max_examples=300)
@example("abc", ["abc\U0010ffff", "abc\U0010ffffd"], 5)
@example("abcabcabc", ["abc", "abc"], 2)
@example("abcabcabc", ["abc", "abc"], 1)
@example("x" * 60, ["x" * 55], 3)
def test_shared_pieces_are_the_maximal_substrings_that_are_rare_enough(text, column, most):
    suffixes = Suffixes(column)
    found = suffixes.shared_pieces(text, most)
    expected = [
        (start, stop) for start, stop in maximal_pieces(text, column) if count_in(text[start:stop], column) <= most
    ]
    assert [(shared.start, shared.start + shared.length) for shared in found] == expected
    for shared in found:
        piece = text[shared.start : shared.start + shared.length]
        assert suffixes.values_with(shared) == {place for place, other in enumerate(column) if piece in other}


def test_a_piece_counts_every_time_it_occurs():
    twice_in_one = Suffixes(["abcxabc"])
    assert [shared.length for shared in twice_in_one.shared_pieces("abc", 2)] == [3]
    assert twice_in_one.shared_pieces("abc", 1) == []


def test_a_piece_inside_one_that_is_too_frequent_is_not_shared():
    """The longer one is the piece; it is left out, and its parts are not tried instead."""
    assert Suffixes(["abcd"] * 3).shared_pieces("abcd", 2) == []


def test_long_pieces_are_compared_up_to_a_depth():
    shared = Suffixes(["q" + "z" * 100]).shared_pieces("q" + "z" * 20, 5)
    assert [(one.start, one.length) for one in shared] == [(0, 21)]
    text = "".join(chr(ord("a") + place % 26) + str(place) for place in range(60))
    assert {one.length for one in Suffixes([text]).shared_pieces(text, 5)} == {DEPTH}
