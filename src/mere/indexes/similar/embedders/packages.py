"""Where are the files of a model that an installed package brings, and which version is it?

The package is looked up, not imported: importing it may need further packages, or the network.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from mere.errors import UsageError


class Model(NamedTuple):
    """A built-in embedder and the package with its files."""

    embedder: str
    package: str  # as it is imported
    distribution: str  # as it is installed
    extra: str  # of Mere, that installs it


def model_file(model: Model, path: str) -> Path:
    """A file of the package."""
    spec = find_spec(model.package)
    if spec is None or not spec.submodule_search_locations:
        raise missing(model, model.distribution)
    file = Path(next(iter(spec.submodule_search_locations)), path)
    if not file.is_file():
        fault = f"the installed version of {model.distribution} has no file {path}, which '{model.embedder}' needs"
        raise UsageError(fault, f"pip install --force-reinstall 'mere[{model.extra}]'")
    return file


def model_version(model: Model, recipe: int) -> str:
    """The version of the package, and of the way a vector is made of its files."""
    try:
        return f"{version(model.distribution)}/{recipe}"
    except PackageNotFoundError as error:
        raise missing(model, model.distribution) from error


def missing(model: Model, package: str) -> UsageError:
    return UsageError(
        f"the embedder '{model.embedder}' needs the package {package}, which is not installed",
        f"pip install 'mere[{model.extra}]'",
    )
