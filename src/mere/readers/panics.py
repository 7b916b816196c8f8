"""How does an error of a library written in Rust reach those who catch errors of files?

Such a library raises `PanicException`, which is no `Exception`, so that `except Exception` lets it pass, and a damaged
file would stop a run.  It has no module to import it from; it is known by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Panicked(Exception):
    """A library stopped at a state that its authors thought impossible."""


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Let a panic in the block be an ordinary exception; everything else passes as it is."""
    try:
        yield
    except BaseException as fault:
        if type(fault).__name__ != "PanicException":
            raise
        raise Panicked(str(fault)) from fault
