"""A user's own function as an embedder; and whose vectors a lake has."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mere.errors import LakeError, MereError, UsageError
from mere.indexes.similar.embedders import Distances, embedder_named, embedder_of, resolve
from mere.indexes.similar.embedders.own import TEXTS_PER_CALL, UNCALIBRATED

HERE = __name__


def lengths(texts: list[str]) -> np.ndarray:
    return np.array([[len(text), 1.0] for text in texts])


def counted(texts: list[str]) -> list[list[int]]:
    return [[len(text), text.count("a"), 1] for text in texts]


counted.version = "2"  # type: ignore[attr-defined]
counted.distances = (0.1, 0.2, 0.5)  # type: ignore[attr-defined]


class Model:
    """An object that can be called, with a method that can be passed too."""

    version = "m1"

    def __call__(self, texts: list[str]) -> np.ndarray:
        return lengths(texts)

    def encode(self, texts: list[str]) -> np.ndarray:
        return lengths(texts)


def test_a_function_is_named_by_where_it_is_defined() -> None:
    embedder = embedder_of(lengths)
    assert (embedder.name, embedder.version, embedder.dimensions) == (f"{HERE}:lengths", "", 2)
    assert embedder.distances == UNCALIBRATED
    assert embedder_of(Model()).name == f"{HERE}:Model"
    assert embedder_of(Model()).version == "m1"
    assert embedder_of(Model().encode).name == f"{HERE}:Model.encode"


def test_attributes_of_the_function_say_version_and_distances() -> None:
    embedder = embedder_named(f"{HERE}:counted")
    assert (embedder.version, embedder.dimensions) == ("2", 3)
    assert embedder.distances == Distances(0.1, 0.2, 0.5)
    assert embedder.name == embedder_of(counted).name


def test_texts_are_given_in_parts_with_abbreviations_written_out() -> None:
    calls: list[list[str]] = []

    def noting(texts: list[str]) -> np.ndarray:
        calls.append(texts)
        return lengths(texts)

    embedder = embedder_of(noting)
    calls.clear()
    result = embedder.embed(["12 mar"] + ["b"] * TEXTS_PER_CALL)
    assert [len(call) for call in calls] == [TEXTS_PER_CALL, 1]
    assert calls[0][0] == "12 march"
    assert result.dtype == np.float32
    assert result[:, 0].tolist() == [8.0] + [1.0] * TEXTS_PER_CALL
    assert embedder.embed([]).shape == (0, 2)
    assert len(calls) == 2, "nothing is asked for no texts"


def failing(texts: list[str]) -> None:
    raise KeyError("no model")


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (lambda texts: np.zeros(len(texts)), "returned an array of shape (1,) and type float64"),
        (lambda texts: np.zeros((len(texts), 0)), "returned an array of shape (1, 0)"),
        (lambda texts: np.zeros((len(texts) + 1, 3)), "returned 2 rows for 1 text"),
        (lambda texts: [[float("nan"), 1.0] for _ in texts], "returned [nan, 1.0] for 'a'"),
        (lambda texts: [[1e300, 1.0] for _ in texts], "returned [inf, 1.0] for 'a'"),
        (lambda texts: [["x"] for _ in texts], "type <U1"),
        (lambda texts: [[True] for _ in texts], "type bool"),
        (lambda texts: [[1j] for _ in texts], "type complex128"),
        (lambda texts: None, "returned an array of shape ()"),
        (lambda texts: [[[1], [1, 2]]], "returned a list that is not an array"),
        (failing, "failed: KeyError: 'no model'"),
    ],
)
def test_what_a_function_returns_is_checked(function: Callable[[list[str]], Any], fault: str) -> None:
    with pytest.raises(UsageError) as caught:
        embedder_of(function)
    assert fault in caught.value.message
    assert caught.value.remedy


def test_the_width_is_the_same_in_every_call() -> None:
    embedder = embedder_of(lambda texts: np.ones((len(texts), 3 if texts == ["a"] else 4)))
    with pytest.raises(UsageError, match="width 4, and of width 3 before"):
        embedder.embed(["b"])


def test_an_error_of_mere_in_a_function_is_passed_on() -> None:
    def refusing(texts: list[str]) -> None:
        raise LakeError("out of quota", "wait")

    with pytest.raises(LakeError, match="out of quota"):
        embedder_of(refusing)


@pytest.mark.parametrize("distances", [(0.1, 0.2), "abc", 5, (0.2, 0.1, 0.3), (0.0, 0.1, 0.2), (0.1, 0.2, 1.5)])
def test_distances_are_three_ascending_shares(distances: object) -> None:
    def function(texts: list[str]) -> np.ndarray:
        return lengths(texts)

    function.distances = distances  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="distances"):
        embedder_of(function)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("nothing", "there is no embedder 'nothing'"),
        ("no.such.module:f", "cannot import the embedder 'no.such.module:f'"),
        (f"{HERE}:absent", "cannot import"),
        (":f", "cannot import"),
        (f"{HERE}:", "cannot import"),
        (f"{HERE}:HERE", "expected an embedder's name or a function"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(name: str, fault: str) -> None:
    with pytest.raises(UsageError) as caught:
        embedder_named(name)
    assert fault in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("given", [counted, f"{HERE}:counted"])
def test_a_question_takes_the_function_the_lake_was_embedded_with(given: Any) -> None:
    assert resolve(f"{HERE}:counted", "2", given).dimensions == 3


@pytest.mark.parametrize(
    ("frozen", "given", "fault"),
    [
        ((f"{HERE}:counted", "2"), None, "from your own function"),
        ((f"{HERE}:counted", "1"), counted, "from version '1'"),
        ((f"{HERE}:counted", "2"), lengths, "not from"),
        ((f"{HERE}:counted", "2"), f"{HERE}:lengths", "has no version"),
        (("glove", "1.0.0/1"), counted, "are from 'glove', not from"),
        (("glove", "1.0.0/1"), "wordllama", "are from 'glove', not from 'wordllama'"),
    ],
)
def test_another_function_or_version_is_refused_with_a_remedy(frozen: tuple[str, str], given: Any, fault: str) -> None:
    with pytest.raises(MereError) as caught:
        resolve(*frozen, given)
    assert fault in caught.value.message
    assert caught.value.remedy


def test_a_name_in_a_lake_is_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted_module.py").write_text("def f(texts): return [[1.0] for _ in texts]\nf.version = ''\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match="pass it: embedder="):
        resolve("planted_module:f", "")
    with pytest.raises(UsageError, match="not from"):
        resolve("planted_module:f", "", lengths)
    assert "planted_module" not in sys.modules
    assert resolve("planted_module:f", "", "planted_module:f").dimensions == 1
    sys.modules.pop("planted_module")


def test_a_function_that_is_named_must_have_a_version() -> None:
    """The settings of a lake name a function: they must not be able to run any function that there is."""
    with pytest.raises(UsageError, match="has no version"):
        embedder_named("os:getcwd")


def test_functions_of_one_name_in_different_files_do_not_share_vectors(tmp_path: Path) -> None:
    names = []
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        file = tmp_path / str(number) / "same_name.py"
        file.write_text(f"def embed(texts):\n    return [[{number}.0] for _ in texts]\n\nembed.version = '1'\n")
        spec = importlib.util.spec_from_file_location("same_name", file)
        module = importlib.util.module_from_spec(spec)
        sys.modules["same_name"] = module
        spec.loader.exec_module(module)
        names.append(embedder_of(module.embed).kept_as)
    del sys.modules["same_name"]
    assert all(names) and names[0] != names[1]
