"""Where is the machine code of kernels kept, and what does it cost to load them?

Numba notices when the file of a kernel changes, but not when a file changes that the kernel calls, and would go on
using the old machine code.  So every module has its own folder, named by a digest over its source and all sources whose
content can be part of its machine code: modules with kernels that it imports, theirs in turn, and every module that
one of these imports a constant from.  A change elsewhere recompiles nothing.  Imports are followed inside Mere and
inside the package of the module, which may be another one: a kind of a plug-in has kernels like any other.

Sources are read, not imported: the cost of a group is asked for by processes that may never import Numba.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path

import xxhash

from mere.cache import cache_folder

LOADING = 1.0  # seconds to import Numba and read machine code

_JIT = "mere.compiled.jit"  # a module with kernels imports it


@dataclass(frozen=True)
class Group:
    """Kernels that are compiled together, because one question needs them all."""

    name: str
    modules: tuple[str, ...]  # that define them
    compiling: float  # seconds it takes, about, to compile them


@cache
def load_cost(group: Group) -> float:
    """Seconds until a group can be used: `LOADING` if its machine code is kept, or more; infinite without Numba."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and rarely needed

    try:
        version("numba")
    except PackageNotFoundError:
        return float("inf")
    kept = all(os.path.isdir(code_folder(module)) for module in group.modules)
    return LOADING if kept else LOADING + group.compiling


def is_worth_loading(group: Group, spent: float) -> bool:
    """Whether NumPy has answered for so many seconds that loading a group costs no more.

    The cost of a group is looked up only if it may be reached: reading sources takes longer than most questions.
    """
    return spent >= LOADING and spent >= load_cost(group)


@cache
def code_folder(module: str) -> str:
    """The folder for the machine code of a module's kernels."""
    from importlib.metadata import version

    digest = xxhash.xxh3_64(version("numba").encode())
    for source in sorted(sources_of(module)):
        path = _path(source)
        digest.update(f"\n{source} {path}\n".encode())
        digest.update(path.read_bytes())
    return os.path.join(cache_folder(), f"kernels-{module.removeprefix('mere.')}-{digest.hexdigest()}")


def sources_of(module: str) -> set[str]:
    """The modules whose content can be part of a module's machine code, itself included."""
    packages = {"mere", module.split(".")[0]}
    sources: set[str] = set()
    waiting = {module}
    while waiting:
        name = waiting.pop()
        sources.add(name)
        imported = _imported(name)
        if _JIT in imported:  # a module with kernels; others only give constants
            waiting |= {other for other in imported if other.split(".")[0] in packages} - sources
    return sources


def _imported(module: str) -> set[str]:
    """The modules that a module imports at its top level."""
    import ast

    path, names = _path(module), set[str]()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            origin = resolve_name("." * node.level + (node.module or ""), package)
            members = {f"{origin}.{alias.name}" for alias in node.names}
            submodules = {name for name in members if _file_of(name) is not None}
            names |= submodules | ({origin} if members - submodules else set())
    return names


def _path(module: str) -> Path:
    path = _file_of(module)
    if path is None:
        raise ModuleNotFoundError(f"there is no source file of a module '{module}'; kernels are defined in a .py file")
    return path


def _file_of(module: str) -> Path | None:
    """The source of a module, None if there is none; only its top package is looked up, so nothing is imported."""
    package, *names = module.split(".")
    spec = _spec_of(package)
    if spec is None:
        return None
    if not names and spec.origin is not None:
        return _if_python(Path(spec.origin))
    stems = [Path(folder, *names) for folder in spec.submodule_search_locations or ()]
    paths = [path for stem in stems for path in (stem.with_suffix(".py"), stem / "__init__.py")]
    return next(filter(None, map(_if_python, paths)), None)


def _spec_of(package: str) -> ModuleSpec | None:
    try:
        return find_spec(package)
    except ValueError:  # an imported module without a spec, as '__main__'
        return None


def _if_python(path: Path) -> Path | None:
    return path if path.suffix == ".py" and path.is_file() else None
