"""What was handed to an index run: paths, frames by their names, tables of a Spark catalog?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mere.errors import UsageError
from mere.pipeline.frames import check_frame, is_any_frame
from mere.segments.named_sources import FRAME, SPARK, is_path, name_in

PathLike = str | os.PathLike[str]
Source = PathLike | Mapping[str, Any]  # a path, "spark:NAME", or frames by their names
_REMEDY = "give a folder, a file, 'spark:TABLE', a mapping {'name': frame}, or a list of these"


@dataclass(frozen=True)
class Given:
    """Sources as a snapshot names them, and the frames among them."""

    sources: list[str] = field(default_factory=list)
    frames: dict[str, Any] = field(default_factory=dict)  # by source

    @property
    def paths(self) -> list[str]:
        return list(filter(is_path, self.sources))


def sort_out(sources: Source | Iterable[Source]) -> Given:
    """The sources that were given, in their order."""
    given = Given()
    for source in _several(sources):
        if isinstance(source, Mapping):
            given.frames.update({_frame_source(name, frame): frame for name, frame in source.items()})
        elif isinstance(source, str | os.PathLike):
            given.sources.append(_checked(canonical(source)))
        else:
            raise _unexpected(source)
    given.sources.extend(given.frames)
    return given


def _several(sources: Source | Iterable[Source]) -> Iterable[Source]:
    if isinstance(sources, str | os.PathLike | Mapping):
        return [sources]
    if is_any_frame(sources) or not isinstance(sources, Iterable):
        raise _unexpected(sources)
    return sources


def canonical(source: PathLike) -> str:
    """A source as a snapshot names it: an absolute path, unless it is the name of a frame or a Spark table."""
    text = os.fspath(source)
    return os.path.abspath(text) if is_path(text) else text


def _checked(source: str) -> str:
    if source.startswith(FRAME):
        name = name_in(source)
        raise UsageError(f"'{source}' names a frame", f"hand it in: mere.index({{'{name}': frame}}, lake)")
    if source == SPARK:
        raise UsageError("'spark:' names no table", "give 'spark:catalog.database.table'")
    if is_path(source) and not os.path.exists(source):
        raise UsageError(f"source '{source}' does not exist", "check the path")
    return source


def _frame_source(name: Any, frame: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"a frame's name must be a text, got {name!r}", "give a mapping {'name': frame}")
    check_frame(name, frame)
    return f"{FRAME}{name}"


def _unexpected(sources: Any) -> UsageError:
    if is_any_frame(sources):
        return UsageError("a frame was given without a name", "give a mapping {'name': frame}")
    return UsageError(f"expected sources, got sources={sources!r}", _REMEDY)
