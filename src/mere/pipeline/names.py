"""What is a table called?

By the path of its file or folder, relative to the source.  A name is given once and kept as long as the file is known:
if another source has the same path, the newcomer's name starts with the last folders of its source, as many as are
needed.  Of files that come in the same run, the one of the source that is first in the order of paths comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from mere.segments.named_sources import is_path


class Named(Protocol):
    """A file or folder that needs a name."""

    source: str
    path: str  # relative to the source
    name: str

    @property
    def key(self) -> tuple[str, str]: ...

    @property
    def path_for_name(self) -> str: ...


def name_all(items: Sequence[Named], known: Mapping[tuple[str, str], str], reserved: Iterable[str] = ()) -> None:
    """Name each item, in their order: as it was called before, or by a name that no other has.

    A `#` of the path is written %23, because a plain one separates the member.
    """
    taken = {known[item.key] for item in items if item.key in known} | set(reserved)
    for item in items:
        item.name = known.get(item.key) or _free_name(item.source, item.path_for_name, taken)
        taken.add(item.name)


def _free_name(source: str, path: str, taken: set[str]) -> str:
    name = ""
    for candidate in _candidates(source, path):
        name = candidate.replace("#", "%23")
        if name not in taken:
            return name
    number = 2
    while f"{name}~{number}" in taken:
        number += 1
    return f"{name}~{number}"


def _candidates(source: str, path: str) -> Iterator[str]:
    """Names that are tried in this order; of a frame or a Spark table, its name and that of its source."""
    if not is_path(source):
        yield from (path, source)
        return
    folders = source.strip("/").split("/")
    for length in range(0 if path else 1, len(folders) + 1):
        yield "/".join([*folders[len(folders) - length :], *([path] if path else [])])
