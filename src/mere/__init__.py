"""Mere: what else is out there that fits my table?

>>> import mere
>>> sorted(mere.__all__)[:3]
['Bundle', 'Corrupt', 'Hit']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mere.deferred import deferred

if TYPE_CHECKING:
    from mere.answers import Hit, Hits
    from mere.errors import Corrupt, LakeError, MereError, UsageError
    from mere.lake import Lake, assemble, index, open
    from mere.language import ask, at_least, at_most, same_column, words
    from mere.pipeline.settings import Settings
    from mere.readers import Limits
    from mere.search.assembling import Bundle
    from mere.search.transforming import TransformJoin, load_programs, transform_join

__version__ = "0.1.0"
__all__ = [
    "Bundle", "Corrupt", "Hit", "Hits", "Lake", "LakeError", "Limits", "MereError", "Settings", "TransformJoin",
    "UsageError", "ask", "assemble", "at_least", "at_most", "index", "load_programs", "open", "same_column",
    "transform_join", "words",
]  # fmt: skip

_HOMES = {
    "answers": ("Hit", "Hits"),
    "errors": ("Corrupt", "LakeError", "MereError", "UsageError"),
    "lake": ("Lake", "assemble", "index", "open"),
    "language": ("ask", "at_least", "at_most", "same_column", "words"),
    "pipeline.settings": ("Settings",),
    "readers": ("Limits",),
    "search.assembling": ("Bundle",),
    "search.transforming": ("TransformJoin", "load_programs", "transform_join"),
}
__getattr__ = deferred(__name__, _HOMES)  # `mere --help` needs none of it


def __dir__() -> list[str]:
    return [*globals(), *__all__]
