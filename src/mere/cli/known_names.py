"""Which tables and columns can a shell propose, without waiting for the engine to be imported?

The names of a lake's tables, with their columns, and the columns of a raw file are kept in the cache folder, under the
state that they were read in (the lake's newest snapshot; the file's size and time).  So the first completion imports
the engine, and later ones read a file of JSON.  What cannot be read gives no names: a completion never fails.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from mere.cache import cache_folder

_KEPT = 64  # files in the cache; the oldest are removed


def tables_of(lake: str) -> Iterable[str]:
    """The names of the tables of a lake."""
    return _names_of(lake)


def columns_of(given: str, lake: str) -> list[str]:
    """The columns of a raw file, or of a table of the lake by its name or the end of it."""
    path = given if os.path.exists(given) else given.rpartition("#")[0]
    if os.path.isfile(path):
        return remembered(["file", os.path.abspath(given), *_stamp(path)], lambda: _columns_of_file(given), [])
    tables = _names_of(lake)
    if given in tables:
        return tables[given]
    endings = [columns for name, columns in tables.items() if name.endswith(f"/{given}")]
    return endings[0] if len(endings) == 1 else []


def _names_of(lake: str) -> dict[str, list[str]]:
    try:
        newest = max(name for name in os.listdir(os.path.join(lake, "snapshots")) if name.endswith(".json"))
        stamp = _stamp(os.path.join(lake, "snapshots", newest))
    except (OSError, ValueError):
        return {}
    return remembered(["lake", os.path.abspath(lake), newest, *stamp], lambda: _names_in_lake(lake), {})


def _stamp(path: str) -> tuple[int, int]:
    facts = os.stat(path)
    return facts.st_size, facts.st_mtime_ns


def _names_in_lake(lake: str) -> dict[str, list[str]]:
    from mere.segments import OpenSnapshot

    opened, names = OpenSnapshot(lake), {}
    for segment, live in zip(opened.segments, opened.live, strict=True):
        for number in live.nonzero()[0].tolist():
            span = segment.columns_of(number)
            names[segment.names[number]] = segment.column_names[span.start : span.stop]
    opened.close()
    return dict(sorted(names.items()))


def _columns_of_file(given: str) -> list[str]:
    from mere.readers import Limits
    from mere.search.given.files import table_of_file

    return table_of_file(given, (), Limits())[0].columns


def remembered(key: list[Any], make: Callable[[], Any], otherwise: Any) -> Any:
    """What `make` returned for this key, now or in an earlier process; `otherwise` if it fails."""
    digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    folder = os.path.join(cache_folder(), "completion")
    path = os.path.join(folder, f"{digest[:32]}.json")
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        pass
    try:
        value = make()
        _keep(folder, path, json.dumps(value))
    except Exception:  # of any file or lake: the person at the keyboard sees no names
        return otherwise
    return value


def _keep(folder: str, path: str, text: str) -> None:
    """Write a file of the cache; another process sees all of it or nothing."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    aside = f"{path}.{os.getpid()}"
    with open(aside, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(aside, path)
    others = sorted((os.path.join(folder, name) for name in os.listdir(folder)), key=os.path.getmtime)
    for old in others[:-_KEPT]:
        os.unlink(old)
