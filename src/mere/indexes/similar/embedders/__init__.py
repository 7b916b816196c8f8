"""Which embedders are there, and which one gave the vectors of a lake?

An embedder gives each value a dense vector; values that mean the same are near each other.  Built in are `wordllama`
and `glove`, whose models are packages to install; any other is a function of the user.  Nothing is loaded before it is
asked for.

A lake keeps the name and version of its embedder.  Importing a module runs it, and the files of a lake may come from
someone else: so to ask a lake, a function of the user's is imported only when the user names it.  Indexing imports
what the lake's settings name, and calls it only if it has a version, which other functions do not have.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from mere.errors import LakeError, UsageError
from mere.indexes.similar.embedders.embedder import Distances, Embedder
from mere.indexes.similar.embedders.own import embedder_of, function_named

__all__ = ["NAMES", "Distances", "Embedder", "embedder_named", "embedder_of", "resolve"]

DEFAULT = "spelling"  # is not a model, and has its own package
NAMES = ("wordllama", "glove")  # modules of this package

Given = Callable[[list[str]], Any] | str | None


def checked_name(name: str) -> str:
    """The name of an embedder, which may be the user's own; others are refused."""
    if name not in (DEFAULT, *NAMES) and ":" not in name:
        known = ", ".join((DEFAULT, *NAMES))
        raise UsageError(f"there is no embedder '{name}'", f"give {known}, or module:function for your own")
    return name


def embedder_named(name: str) -> Embedder:
    """A built-in embedder, or the user's own: "module:function", which is imported."""
    if checked_name(name) in NAMES:
        return import_module(f"{__name__}.{name}").embedder()
    function = function_named(name)
    if callable(function) and not isinstance(
        getattr(function, "version", None), str
    ):  # a lake's settings must not run any function there is
        function_name = name.rpartition(":")[2]
        raise UsageError(f"the function '{name}' has no version", f"set {function_name}.version = '1', a text")
    return embedder_of(function)


def resolve(frozen_name: str, frozen_version: str, given: Given = None) -> Embedder:
    """The embedder that gave a lake's vectors, for a question; `given` is a function or a name from the user."""
    if given is None and frozen_name not in NAMES:
        fault = f"the vectors of this lake are from your own function '{frozen_name}'"
        raise UsageError(fault, "pass it: embedder='module:function', or the function itself")
    if isinstance(given, str) and given in NAMES and given != frozen_name:
        raise _other_embedder(frozen_name, given)  # before its package is looked for
    embedder = embedder_of(given) if callable(given) else embedder_named(given or frozen_name)
    if embedder.name != frozen_name:
        raise _other_embedder(frozen_name, embedder.name)
    if embedder.version != frozen_version:
        raise LakeError(
            f"the vectors of this lake are from version '{frozen_version}' of '{frozen_name}', "
            f"and this is version '{embedder.version}'",
            "install or pass that version, or run 'mere index --rebuild'",
        )
    return embedder


def _other_embedder(frozen_name: str, given_name: str) -> UsageError:
    return UsageError(
        f"the vectors of this lake are from '{frozen_name}', not from '{given_name}'",
        f"pass embedder='{frozen_name}', or index again with embedder='{given_name}'",
    )
