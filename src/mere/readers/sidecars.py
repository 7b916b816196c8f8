"""Which files describe other files? By name only: READMEs, licences, datapackage.json, CSVW, Croissant.

Croissant may also profile tables that lie elsewhere, which are then tables of the lake: `profiles.py` looks inside.
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
PERHAPS_PROFILE = re.compile(
    r"metadata\.json|croissant.*\.json(ld)?|.+\.croissant\.json(ld)?|.+\.jsonld", re.IGNORECASE
)
INHERITED = re.compile(r"readme.*|datapackage\.json|croissant.*|metadata\.json|csv-metadata\.json", re.IGNORECASE)


def is_sidecar(path: str) -> bool:
    """Whether the name says that the file describes data rather than holding it."""
    name = posixpath.basename(path.replace("\\", "/"))
    return SIDECAR.fullmatch(name) is not None and DATA_README.fullmatch(name) is None


def may_be_profile(path: str) -> bool:
    """Whether the name is one under which Croissant comes."""
    return PERHAPS_PROFILE.fullmatch(posixpath.basename(path.replace("\\", "/"))) is not None


def sidecars_of(paths: Iterable[str]) -> dict[str, list[str]]:
    """For each data file the sidecars that may describe it, nearest first.

    First those made for this file (`x.txt`, `x.csv-metadata.json`), then the rest of its folder, then the
    README, data package or Croissant file of the nearest ancestor folder that has one.
    Cost: each path is looked at a fixed number of times; a folder's few shared files are listed once.
    """
    every = list(paths)
    names = set(every)
    data: list[str] = []
    by_folder: dict[str, list[str]] = {}
    for path in every:
        if is_sidecar(path):
            by_folder.setdefault(posixpath.dirname(path), []).append(path)
        else:
            data.append(path)
    shared = {folder: _rank([each for each in found if _is_shared(each)]) for folder, found in by_folder.items()}
    inherited: dict[str, list[str]] = {}
    return {path: _describing(path, names, shared, inherited) for path in data}


def _describing(path: str, names: set[str], shared: dict[str, list[str]], inherited: dict[str, list[str]]) -> list[str]:
    own = [beside for beside in _beside(path) if beside in names and beside != path]
    folder = posixpath.dirname(path)
    here = [found for found in shared.get(folder, ()) if found not in own]
    return own + here + _ancestors(folder, shared, inherited)


def _beside(path: str) -> list[str]:
    """Names that belong to this very file."""
    stem = posixpath.splitext(path)[0]
    root = re.sub(r"\.(csv|tsv|json|txt)$", "", stem)
    made = [f"{path}-metadata.json", f"{stem}-metadata.json"]
    made += [f"{base}{end}" for base in (path, stem, root) for end in (".txt", ".md", ".croissant.json", ".jsonld")]
    return list(dict.fromkeys(made))


def _is_shared(sidecar: str) -> bool:
    """Whether it may describe a whole folder; `x.csv-metadata.json` or `notes.md` is of one file, or of none."""
    return SHARED.fullmatch(posixpath.basename(sidecar)) is not None


def _ancestors(folder: str, shared: dict[str, list[str]], inherited: dict[str, list[str]]) -> list[str]:
    """The describing files of the nearest folder above; remembered for every folder on the way."""
    way: list[str] = []
    found: list[str] = []
    while folder and folder != "/" and folder not in inherited:
        way.append(folder)
        folder = posixpath.dirname(folder)
        found = [each for each in shared.get(folder, ()) if INHERITED.fullmatch(posixpath.basename(each))]
        if found:
            break
    for passed in way:
        inherited[passed] = found or inherited.get(folder, [])
    return inherited.get(way[0], []) if way else inherited.get(folder, [])


def _rank(found: list[str]) -> list[str]:
    """Structured descriptions before prose, prose before licences."""

    def place(path: str) -> tuple[int, str]:
        name = posixpath.basename(path).lower()
        if name.endswith((".json", ".jsonld")):
            return 0, name
        return (1 if name.startswith("readme") else 3 if name.startswith("licen") else 2), name

    return sorted(found, key=place)
