"""How does a user's own function become an embedder?

Any callable that takes a list of texts and returns as many vectors, rows of a 2-d array.  Everything it returns is
checked.  Attributes of the function say more, if it has them:

    version     a text; without it Mere cannot tell whether the function still gives the same vectors, and keeps none
    distances   strict, normal and loose: `Distances`, or three shares of the maximum distance

The texts are normalised values, their abbreviations written out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import xxhash

from mere.errors import MereError, UsageError
from mere.indexes.similar.embedders.abbreviations import expanded
from mere.indexes.similar.embedders.embedder import Distances, Embedder
from mere.indexes.similar.embedders.means import batches

UNCALIBRATED = Distances(
    strict=0.1, normal=0.18, loose=0.25
)  # of a function that gives none: a guess, between the built-in ones
TEXTS_PER_CALL = 4096
_REMEDY = "return a 2-d array of finite numbers, one row per text, of the same width in every call"


def embedder_of(function: Callable[[list[str]], Any]) -> Embedder:
    """The embedder of a function; calls it once, with one text, to learn the width of its vectors."""
    if not callable(function):
        raise UsageError(f"expected an embedder's name or a function, got {function!r}", "pass a callable")
    name = name_of(function)
    dimensions = _called(function, name, ["a"], None).shape[1]

    def embed(texts: list[str]) -> np.ndarray:
        vectors = [np.zeros((0, dimensions), np.float32)]
        for batch in batches(texts, TEXTS_PER_CALL):
            vectors.append(_called(function, name, [expanded(text) for text in batch], dimensions))
        return np.concatenate(vectors)

    version = str(getattr(function, "version", ""))
    return Embedder(name, version, dimensions, _distances_of(function, name), embed, _kept_as(function, version))


def _kept_as(function: Callable[..., Any], version: str) -> str:
    """What tells the vectors of a function from those of others: its name, version, and the file it is defined in."""
    path = getattr(sys.modules.get(name_of(function).partition(":")[0]), "__file__", None)
    if not version or not path:
        return ""
    try:
        with open(path, "rb") as file:
            content = xxhash.xxh3_128_hexdigest(file.read())
    except OSError:
        return ""
    return f"own {name_of(function)} {version} {content} {os.path.abspath(path)}"


def name_of(function: Callable[..., Any]) -> str:
    """Where a function is defined, "module:function"; for an object that can be called, where its class is."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}:{named.__qualname__}"


def function_named(name: str) -> Callable[[list[str]], Any]:
    """Import "module:function", for a name that the user gave, or that a lake's settings have when it is indexed."""
    module, _, path = name.partition(":")
    try:
        member: Any = import_module(module)
        for part in path.split("."):
            member = getattr(member, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"cannot import the embedder '{name}': {error}", "give it as module:function") from error
    return member


def _called(function: Callable[..., Any], name: str, texts: list[str], width: int | None) -> np.ndarray:
    """What the function returns for the texts, checked, as float32."""
    try:
        result = function(texts)
    except MereError:
        raise
    except Exception as error:
        fault = f"the embedder '{name}' failed: {type(error).__name__}: {error}"
        raise UsageError(fault, "correct the function") from error
    vectors = _as_array(result, name)
    if vectors.ndim != 2 or vectors.shape[1] == 0 or vectors.dtype.kind not in "fiu":
        fault = f"returned an array of shape {vectors.shape} and type {vectors.dtype}"
    elif len(vectors) != len(texts):
        fault = f"returned {len(vectors)} rows for {len(texts)} text{'s' * (len(texts) != 1)}"
    elif width is not None and vectors.shape[1] != width:
        fault = f"returned vectors of width {vectors.shape[1]}, and of width {width} before"
    else:
        with np.errstate(over="ignore"):
            narrow = vectors.astype(np.float32)
        finite = np.isfinite(narrow).all(axis=1)
        if finite.all():
            return narrow
        fault = f"returned {narrow[~finite][0].tolist()} for '{texts[int(np.argmin(finite))]}'"
    raise UsageError(f"the embedder '{name}' {fault}", _REMEDY)


def _as_array(result: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(result)
    except Exception as error:  # rows of several widths, or an object that does not convert
        fault = f"the embedder '{name}' returned a {type(result).__name__} that is not an array: {error}"
        raise UsageError(fault, _REMEDY) from error


def _distances_of(function: Callable[..., Any], name: str) -> Distances:
    distances = getattr(function, "distances", UNCALIBRATED)
    if isinstance(distances, Distances):
        return distances
    try:
        strict, normal, loose = (float(share) for share in distances)
    except (TypeError, ValueError) as error:
        fault = f"the embedder '{name}' has distances {distances!r}"
        raise UsageError(fault, "give three shares: strict, normal and loose") from error
    return Distances(strict, normal, loose)
