"""How is a source written down, so that a lake and its sources can be moved together; and how is it to be read?

A source that lies beside the lake (below the folder that holds the lake), or that holds the lake itself, is written
relative to the lake, as `../data`.  Any other source is written with its absolute path.  In memory, every source is
absolute: it is converted where a snapshot, the records of files or the facts of a table are written and read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DECIMALS = ("", "point", "comma")  # how decimal numbers are written in a source; empty: inferred per file


@dataclass(frozen=True)
class SourceOptions:
    """How a source is to be read; kept with the snapshot."""

    include: tuple[str, ...] = ()  # patterns: only files that match one are read; none: all
    exclude: tuple[str, ...] = ()  # patterns: files that match one are not read
    decimal: str = ""  # one of DECIMALS

    def to_dict(self) -> dict[str, Any]:
        return {"include": list(self.include), "exclude": list(self.exclude), "decimal": self.decimal}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> SourceOptions:
        return SourceOptions(tuple(document["include"]), tuple(document["exclude"]), document["decimal"])


def stored_source(lake: str, source: str) -> str:
    """A source as it is written in the files of the lake.

    >>> stored_source("/srv/lake", "/srv/data/sales")
    '../data/sales'
    >>> stored_source("/srv/lake", "/elsewhere/data")
    '/elsewhere/data'
    """
    if not os.path.isabs(source):
        return source  # the name of something that is not a file
    lake = os.path.abspath(lake)
    beside = _contains(os.path.dirname(lake), source) and os.path.dirname(lake) != os.path.sep
    return os.path.relpath(source, lake) if beside or _contains(source, lake) else source


def source_from_stored(lake: str, stored: str) -> str:
    """The absolute path of a source that was written by `stored_source`.

    >>> source_from_stored("/moved/lake", "../data/sales")
    '/moved/data/sales'
    """
    if stored != ".." and not stored.startswith("../"):
        return stored
    path = os.path.normpath(os.path.join(os.path.abspath(lake), stored))
    if not os.path.exists(path):  # the lake may have been opened through a link
        real = os.path.normpath(os.path.join(os.path.realpath(lake), stored))
        return real if os.path.exists(real) else path
    return path


def _contains(folder: str, path: str) -> bool:
    """Whether a path is a folder or lies in it; the root of the file system contains nothing, for this purpose."""
    return path == folder or (folder != os.path.sep and path.startswith(f"{folder}{os.path.sep}"))
