"""Where is the machine code of kernels kept, and what does it cost to load them?

Numba notices when the file of a kernel changes, but not when a file changes that the kernel calls, and would go on
using the old machine code.  So every module has its own folder, named by a digest over its source and all sources whose
content can be part of its machine code: modules with kernels that it imports, theirs in turn, and every module of Mere
that one of these imports a constant from.  A change elsewhere recompiles nothing.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import xxhash

from mere.cache import cache_folder

LOADING = 1.0  # seconds to import Numba and read machine code

_PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True)
class Group:
    """Kernels that are compiled together, because one question needs them all."""

    name: str
    modules: tuple[str, ...]  # that define them
    compiling: float  # seconds it takes, about, to compile them


@cache
def load_cost(group: Group) -> float:
    """Seconds until a group can be used: fewer if its machine code is kept; infinite without Numba."""
    try:
        version("numba")
    except PackageNotFoundError:
        return float("inf")
    kept = all(os.path.isdir(code_folder(module)) for module in group.modules)
    return LOADING if kept else LOADING + group.compiling


@cache
def code_folder(module: str) -> str:
    """The folder for the machine code of a module's kernels."""
    digest = xxhash.xxh3_64(f"{_PACKAGE} {version('numba')}".encode())
    for source in sorted(sources_of(module)):
        digest.update(f"\n{source}\n".encode())
        digest.update(_source(source))
    return os.path.join(cache_folder(), f"kernels-{module.removeprefix('mere.')}-{digest.hexdigest()}")


def sources_of(module: str) -> set[str]:
    """The modules whose content can be part of a module's machine code, itself included."""
    found: set[str] = set()
    waiting = {module}
    while waiting:
        name = waiting.pop()
        found.add(name)
        imported = _imported(name)
        if any(other.endswith(".jit") for other in imported):  # a module with kernels; others only give constants
            waiting |= imported - found
    return found


def _imported(module: str) -> set[str]:
    """The modules of Mere that a module imports at its top level."""
    names: set[str] = set()
    for node in ast.parse(_source(module)).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            submodules = {name for name in members if _path(name) is not None}
            names |= submodules | ({node.module} if members - submodules else set())
    return {name for name in names if name.split(".")[0] == "mere"}


def _source(module: str) -> bytes:
    path = _path(module)
    if path is None:
        raise ModuleNotFoundError(f"no module '{module}' with kernels")
    return path.read_bytes()


def _path(module: str) -> Path | None:
    stem = _PACKAGE.joinpath(*module.split(".")[1:])
    for path in (stem.with_suffix(".py"), stem / "__init__.py"):
        if path.is_file():
            return path
    return None
