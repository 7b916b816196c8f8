"""The pieces of values, against those made word by word; and what ways of writing have in common."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.indexes.transform import build
from mere.indexes.transform import pieces as module
from mere.indexes.transform.pieces import LONGEST, Pieces, pieces_of, words_of
from mere.store import Strings
from mere.values import normalise_cell
from tests.oracles.transform import brute_pieces, brute_words

LETTERS = "abzéßıΣñЖ你ー٣²00019 -/.,_()·–€"
words = st.sampled_from(["march", "mar", "sept", "may", "obama", "2021", "007", "000", "", "öl", "日本", "x" * 300])
values = st.one_of(
    st.text(LETTERS, max_size=12),
    st.text(max_size=6),
    st.builds(lambda parts, gap: gap.join(parts), st.lists(words, max_size=4), st.sampled_from([" ", "-", "", "–"])),
).map(normalise_cell)
hashes = st.sampled_from([0, 1, 65535, 65536, 65537, 1 << 31, (1 << 32) - 1])


def pieces_by_value(texts: list[str]) -> list[set[int]]:
    return by_value(pieces_of(Strings.of(texts)), texts)


def by_value(found: Pieces, texts: list[str]) -> list[set[int]]:
    assert found.owners.tolist() == sorted(found.owners.tolist())
    return [set(found.hashes[found.owners == place].tolist()) for place in range(len(texts))]


@given(st.lists(values, max_size=8), st.sampled_from([1, 3, 1 << 14]))
def test_pieces_are_those_made_word_by_word(texts: list[str], block: int) -> None:
    with patch.object(module, "_BLOCK", block), patch.object(module.compiled, "ready", return_value=False):
        assert pieces_by_value(texts) == [brute_pieces(text) for text in texts]
        found = pieces_of(Strings.of(texts))
        lettered = Pieces(*(side[found.has_letters] for side in found))
        assert by_value(lettered, texts) == [brute_pieces(text, with_letters=True) for text in texts]
        assert by_value(words_of(Strings.of(texts)), texts) == [brute_words(text) for text in texts]


@given(st.lists(values, max_size=8))
def test_kernels_find_the_pieces_that_numpy_finds(texts: list[str]) -> None:
    folded = module._folded(Strings.of(texts))
    for compiled, by_numpy in zip(module.pieces_compiled(folded), module.pieces_in_numpy(folded), strict=True):
        assert compiled.tolist() == by_numpy.tolist()


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        ("2021-03-05", "5 march 2021", 6),  # three words, two neighbours, all words
        ("2021-03-05", "05/03/2021", 6),
        ("2021-03-05", "mar 05, 2021", 5),
        ("2021-03-05", "20210305", 1),
        ("obama, barack", "barack obama", 4),
        ("sku-1234", "1234", 1),
        ("00123", "123", 1),
        ("5 kg", "5", 1),
        ("(555) 123-4567", "5551234567", 1),
        ("barack obama", "bobama", 1),
        ("barack obama", "barackobama@example.org", 1),
        ("josé núñez", "jose nunez", 5),
    ],
)
def test_ways_of_writing_share_pieces(one: str, other: str, least: int) -> None:
    left, right = pieces_by_value([one, other])
    assert len(left & right) >= least


def test_the_end_of_a_very_long_value_is_not_looked_at() -> None:
    start = "word " * (LONGEST // 5 + 1)
    assert len(set(map(frozenset, pieces_by_value([start + "end", start + "other " * 200_000])))) == 1


@given(st.lists(hashes, max_size=12), st.sets(hashes, max_size=6), st.booleans())
def test_entries_are_found_by_halves_as_by_whole_pieces(entries: list[int], wanted: set[int], halved: bool) -> None:
    with patch.object(build, "HALVES", 0 if halved else 1 << 19):
        arrays = build._entries(np.array(sorted(entries), np.uint32))
    assert ("entry.starts" in arrays) == halved
    places, numbers = build.entries_with(arrays, np.array(sorted(wanted), np.uint32))
    stored = sorted(entries)
    expected = [(n, at) for n, piece in enumerate(sorted(wanted)) for at, own in enumerate(stored) if own == piece]
    assert list(zip(numbers.tolist(), places.tolist(), strict=True)) == expected
