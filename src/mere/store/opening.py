"""How is a file of a lake opened, so that whatever is wrong with it is told as `Corrupt`?

Snapshots, markers, containers and copies of frames are opened here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from mere.errors import Corrupt


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file of a lake, to be read; `Corrupt` if that fails."""
    try:
        with open(path, "rb", buffering=0) as file:
            yield file  # type: ignore[misc]
    except OSError as error:
        raise not_opened(path, error) from error


def not_opened(path: str, error: OSError) -> Corrupt:
    """The error of a file that cannot be opened or read."""
    if isinstance(error, PermissionError):
        return Corrupt(f"{path}: no permission to read it", "give it back to the user who asks")
    known = {FileNotFoundError: "the file is missing", IsADirectoryError: "is a folder, expected a file"}
    return corrupt(path, known.get(type(error), f"cannot be read: {error.strerror or error}"))


def corrupt(path: str, fault: str) -> Corrupt:
    """The error every damaged file of a lake is reported with."""
    return Corrupt(f"{path}: {fault}", "restore the file, or run 'mere index --rebuild'")
