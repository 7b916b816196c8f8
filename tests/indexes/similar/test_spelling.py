"""The embedder for spellings: three ways to the same vectors, and which values are close."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.indexes.similar import spelling
from mere.indexes.similar.records import Vectors
from mere.indexes.similar.spelling.features import BUCKETS, MOST_GRAMS, MOST_LETTERS, word_hash
from mere.store import Strings
from mere.values import normalise_cell
from tests.indexes.similar.lakes import values
from tests.oracles.spelling import spelling_vector

ANY_WEIGHTS = spelling.Statistics(
    np.random.default_rng(3).integers(1, 255, BUCKETS).astype(np.uint8), np.zeros(BUCKETS, np.uint8)
)
EVEN = spelling.Statistics(np.full(BUCKETS, 100, np.uint8), np.zeros(BUCKETS, np.uint8))
LIMIT = 2 * spelling.NORMAL


def as_dicts(vectors: Vectors) -> list[dict[int, int]]:
    edges = vectors.starts.tolist()
    grams, weights = vectors.grams.tolist(), vectors.weights.tolist()
    return [dict(zip(grams[a:b], weights[a:b], strict=True)) for a, b in pairwise(edges)]


def check(texts: list[str]) -> None:
    """Kernels, NumPy and strings give the same vectors."""
    normalised = Strings.of(normalise_cell(text) for text in texts)
    compiled, in_numpy = (
        spelling.embed_compiled(normalised, ANY_WEIGHTS),
        spelling.in_numpy.embed(normalised, ANY_WEIGHTS.weights),
    )
    for left, right in zip(compiled, in_numpy, strict=True):
        assert np.array_equal(left, right)
    expected = [spelling_vector(text, ANY_WEIGHTS.weights) for text in normalised.tolist()]
    assert as_dicts(compiled) == expected
    assert compiled.norms.tolist() == [sum(w * w for w in vector.values()) for vector in expected]


@given(st.lists(st.one_of(values, st.text(max_size=20), st.text("ab1 ", max_size=12)), max_size=12))
def test_kernels_numpy_and_strings_give_the_same_vectors(texts: list[str]) -> None:
    check(texts)


def test_long_texts_and_long_words_give_the_same_vectors() -> None:
    words = [f"word{number}" for number in range(400)]
    check([" ".join(words), "x" * 5000, "1" * 5000, "st 1 " * 900, "é" * MOST_LETTERS + "b", "a1" * 700, "", " "])
    check(["1apt2sep3nov4dec5feb" * n for n in range(5)] + [f"{n}apt" * 3 for n in range(50)])


def test_no_vector_has_more_features_than_allowed() -> None:
    text = " ".join(f"{chr(97 + a)}{chr(97 + b)}c" for a in range(26) for b in range(26))
    assert np.diff(spelling.embed_compiled(Strings.of([text, text[:40]]), EVEN).starts).tolist()[0] == MOST_GRAMS


def distance(left: str, right: str) -> float:
    a, b = (spelling_vector(normalise_cell(text), EVEN.weights) for text in (left, right))
    norms = [sum(w * w for w in side.values()) for side in (a, b)]
    return math.sqrt(max(0.0, 2 - 2 * sum(w * b.get(g, 0) for g, w in a.items()) / math.sqrt(norms[0] * norms[1])))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Germany", "Germny"),
        ("Zürich", "ZURICH"),
        ("South Korea", "Korea, South"),
        ("12 Mar 1998", "March 12, 1998"),
        ("12th March 1998", "12 march 1998"),
        ("(555) 123-4567", "555 123 4567"),
        ("616 East 9th St.", "616 EAST 9TH STREET"),
        ("Suite 007", "suite 7"),
        ("Côte d’Ivoire", "Cote d'Ivoire"),
    ],
)
def test_spellings_of_one_thing_are_within_the_normal_distance(left: str, right: str) -> None:
    assert distance(left, right) <= LIMIT


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("2019-01-31", "2019-01-30"),
        ("2019-01-31 10:00:00", "2019-01-31 11:00:00"),
        ("555 123 4567", "555 123 4568"),
        ("Slovenia", "Slovakia"),
        ("Iran", "Iraq"),
        ("12 March 1998", "12 May 1998"),
        ("sku-12345", "sku-12346"),
        ("A+", "A"),
        ("C++", "C#"),
        ("5 €", "5 $"),
    ],
)
def test_different_things_are_beyond_the_normal_distance(left: str, right: str) -> None:
    assert distance(left, right) > LIMIT


def test_st_at_the_beginning_is_no_street() -> None:
    assert distance("St. Louis 5", "Street Louis 5") > 0.3
    assert distance("5 Louis St.", "5 Louis Street") == 0


def test_rare_words_weigh_more() -> None:
    rows = Strings.of(["the cat", "the dog", "the cow", "the fox", "the owl"])
    weights = spelling.statistics_of(rows).weights
    assert weights[word_hash("the") >> 48] < weights[word_hash("cat") >> 48] < weights[word_hash("gnu") >> 48]
