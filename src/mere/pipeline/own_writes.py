"""Whose fault is a failure while files are read and staged?  Not the raw file's, if Mere cannot write its own files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mere.errors import CannotWrite

NOT_OF_THE_FILE = (CannotWrite, MemoryError)  # `careful` finds out which file takes too much memory


@contextmanager
def own_write(path: str) -> Iterator[None]:
    """Whatever keeps the block from writing this file of Mere's own is `CannotWrite`."""
    try:
        yield
    except CannotWrite:
        raise
    except OSError as error:
        raise CannotWrite(
            f"cannot write '{path}': {error}", "check the folder of the lake, and run it again"
        ) from error
