"""Which files describe other files? By name only: READMEs, licences, datapackage.json, CSVW, Croissant.

A Croissant file may also contain profiles of tables stored elsewhere, which become tables: see `profiles.py`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

SIDECAR = re.compile(
    r"readme.*|licen[cs]e.*|copying|sources\.md|datapackage\.json|csv-metadata\.json|metadata\.json|.+-metadata\.json"
    r"|croissant.*\.jsonl?d?|.+\.croissant\.jsonl?d?|.+\.jsonld|.+\.md|.+\.rst",
    re.IGNORECASE,
)
DATA_README = re.compile(r"readme.*\.(csv|tsv|parquet|xlsx?|jsonl|ndjson|arrow)(\.\w+)?", re.IGNORECASE)
SHARED = re.compile(
    r"readme.*|licen[cs]e.*|copying|sources\.md|datapackage\.json|croissant.*|metadata\.json|csv-metadata\.json"
    r"|dataset.*\.md|about\.(md|rst)|description\.(md|rst)",
    re.IGNORECASE,
)
MAY_BE_PROFILE = re.compile(r"metadata\.json|croissant.*\.json(ld)?|.+\.croissant\.json(ld)?|.+\.jsonld", re.IGNORECASE)
INHERITED = re.compile(r"readme.*|datapackage\.json|croissant.*|metadata\.json|csv-metadata\.json", re.IGNORECASE)


def is_sidecar(path: str) -> bool:
    """Whether, by its name, the file describes data rather than containing it."""
    name = posixpath.basename(path.replace("\\", "/"))
    return SIDECAR.fullmatch(name) is not None and DATA_README.fullmatch(name) is None


def may_be_profile(path: str) -> bool:
    """Whether the name is one that Croissant files have."""
    return MAY_BE_PROFILE.fullmatch(posixpath.basename(path.replace("\\", "/"))) is not None


def sidecars_of(paths: Iterable[str]) -> dict[str, list[str]]:
    """For each data file the sidecars that may describe it, nearest first.

    First those made for this file (`x.txt`, `x.csv-metadata.json`), then the rest of its folder, then the
    README, data package or Croissant file of the nearest ancestor folder that has one.
    Cost: a fixed number of steps per path and per folder.
    """
    ordered = list(paths)
    names = set(ordered)
    data: list[str] = []
    by_folder: dict[str, list[str]] = {}
    for path in ordered:
        if is_sidecar(path):
            by_folder.setdefault(posixpath.dirname(path), []).append(path)
        else:
            data.append(path)
    shared = {folder: _rank(filter(_is_shared, sidecars)) for folder, sidecars in by_folder.items()}
    inherited: dict[str, list[str]] = {}
    return {path: _describing(path, names, shared, inherited) for path in data}


def _describing(path: str, names: set[str], shared: dict[str, list[str]], inherited: dict[str, list[str]]) -> list[str]:
    own = [sidecar for sidecar in _own_names(path) if sidecar in names and sidecar != path]
    folder = posixpath.dirname(path)
    here = [sidecar for sidecar in shared.get(folder, ()) if sidecar not in own]
    return own + here + _ancestors(folder, shared, inherited)


def _own_names(path: str) -> list[str]:
    """Possible names of sidecars for this file alone."""
    stem = posixpath.splitext(path)[0]
    root = re.sub(r"\.(csv|tsv|json|txt)$", "", stem)
    names = [f"{path}-metadata.json", f"{stem}-metadata.json"]
    names += [f"{base}{end}" for base in (path, stem, root) for end in (".txt", ".md", ".croissant.json", ".jsonld")]
    return list(dict.fromkeys(names))


def _is_shared(sidecar: str) -> bool:
    """Whether it may describe all files of a folder; `x.csv-metadata.json` or `notes.md` describes at most one."""
    return SHARED.fullmatch(posixpath.basename(sidecar)) is not None


def _ancestors(folder: str, shared: dict[str, list[str]], inherited: dict[str, list[str]]) -> list[str]:
    """The sidecars of the nearest folder above that has some; remembered for every folder on the way."""
    visited: list[str] = []
    sidecars: list[str] = []
    while folder and folder != "/" and folder not in inherited:
        visited.append(folder)
        folder = posixpath.dirname(folder)
        sidecars = [each for each in shared.get(folder, ()) if INHERITED.fullmatch(posixpath.basename(each))]
        if sidecars:
            break
    for below in visited:
        inherited[below] = sidecars or inherited.get(folder, [])
    return inherited.get(visited[0], []) if visited else inherited.get(folder, [])


def _rank(sidecars: Iterable[str]) -> list[str]:
    """Structured descriptions before prose, prose before licences."""

    def place(path: str) -> tuple[int, str]:
        name = posixpath.basename(path).lower()
        if name.endswith((".json", ".jsonld")):
            return 0, name
        return (1 if name.startswith("readme") else 3 if name.startswith("licen") else 2), name

    return sorted(sidecars, key=place)
