"""Distinct values and their ids: exact, even when hashes collide."""

from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from mere import compiled
from mere.store import Dictionary, Strings, distinct
from mere.store.dictionary import equal_bytes
from mere.values import hash_values

words = st.lists(st.text(max_size=4), max_size=30)


def weak(values):
    """A hash that collides all the time."""
    return hash_values(values) & np.uint64(3)


@given(words, st.booleans(), st.data())
@settings(max_examples=400, deadline=None)
def test_distinct_pairs_are_found_in_order_and_numbered(texts, collide, data):
    arrow = pa.array(texts, pa.string())
    hashes = weak(arrow) if collide else hash_values(arrow)
    groups = np.array([data.draw(st.integers(0, 2)) for _ in texts], np.int64)
    values = Strings.of(texts)
    places, number = distinct(values, hashes, groups)
    keys = [(int(g), int(h), t.encode()) for g, h, t in zip(groups, hashes, texts, strict=True)]
    assert [keys[i] for i in places] == sorted(set(keys))
    assert [sorted(set(keys))[n] for n in number] == keys


@given(st.lists(st.text("ab", max_size=20), min_size=1, max_size=9), st.booleans(), st.data())
@settings(max_examples=400, deadline=None)
def test_pairs_of_values_are_compared_byte_by_byte(texts, kernels, data):
    pairs = data.draw(st.lists(st.tuples(*[st.integers(0, len(texts) - 1)] * 2), max_size=50))
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    with patch.object(compiled, "ready", lambda *_: kernels):
        equal = equal_bytes(Strings.of(texts), left, Strings.of(texts[::-1]), right)
    assert equal.tolist() == [texts[a] == texts[::-1][b] for a, b in pairs]


@given(words, words, st.booleans(), st.booleans())
@settings(max_examples=400, deadline=None)
def test_a_value_is_found_exactly_if_it_is_there(known, asked, collide, kernels):
    hashing = weak if collide else hash_values
    values = Strings.of(known)
    places, _ = distinct(values, hashing(pa.array(known, pa.string())))
    distinct_values = values.take(places)
    texts = distinct_values.tolist()
    index = Dictionary(hashing(distinct_values.to_arrow()), distinct_values)
    wanted = Strings.of(asked + known)
    with patch.object(compiled, "ready", lambda *_: kernels):
        ids = index.find(wanted, hashing(wanted.to_arrow()))
    assert [texts[i] if i >= 0 else None for i in ids] == [w if w in known else None for w in asked + known]


@given(st.lists(st.text(), max_size=20), st.data())
@settings(max_examples=200, deadline=None)
def test_strings_behave_like_a_list(texts, data):
    strings = Strings.of(texts)
    assert strings.tolist() == texts == [strings[i] for i in range(len(texts))]
    places = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=9)) if texts else []
    assert strings.take(np.array(places, np.int64)).tolist() == [texts[i] for i in places]
    cut = data.draw(st.integers(0, len(texts)))
    assert Strings.concat([strings.slice(0, cut), strings.slice(cut, len(texts))]).tolist() == texts


def test_the_hash_is_part_of_the_format():
    """These numbers are in every lake: a change of the hash needs a new format version."""
    assert hash_values(pa.array(["", "a", "abcdefgh", "abcdefghi"])).tolist() == [
        3816016290833570377, 5367126698373406812, 6521905354724221413, 1038146923436031572,
    ]  # fmt: skip


@given(st.lists(st.text(max_size=40), max_size=40))
@settings(max_examples=200, deadline=None)
def test_a_hash_does_not_depend_on_its_neighbours(texts):
    together = hash_values(pa.array(["x", *texts], pa.string()))[1:]
    alone = [hash_values(pa.array([text], pa.string()))[0] for text in texts]
    assert together.tolist() == alone
