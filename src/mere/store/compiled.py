"""The interface of `mere.compiled` before there were groups, for kinds that have not been changed yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mere import compiled
from mere.compiled import groups, interruptible

__all__ = ["interruptible", "price", "ready", "rented", "warm"]

_REST = compiled.Group("rest", ("mere.indexes.composite.kernels", "mere.indexes.distribution.kernels"), compiling=15.0)


def ready() -> bool:
    if groups._spent.get("rest", 0.0) >= price():
        warm()
    return compiled.ready(_REST)


def warm() -> None:
    groups._states["rest"] = groups.State.READY


def price() -> float:
    return compiled.load_cost(_REST)


@contextmanager
def rented() -> Iterator[None]:
    with compiled.time_fallback(_REST):
        yield
