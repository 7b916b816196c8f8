"""How do bytes reach the disk, so that a power cut at any instant leaves the old state or the new one?

Every write, sync and rename of a lake goes through this module and announces itself to `on_step` first.
Tests set `on_step` to kill the process at each announcement in turn; nothing else does.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable
from typing import BinaryIO

on_step: Callable[[str, str], None] | None = None


def write_new(path: str, chunks: Iterable[bytes | memoryview], durable: bool = True) -> int:
    """Write a file that does not exist yet, and sync it unless it is only work in progress; return its size."""
    size = 0
    _step("create", path)
    with open(path, "xb") as file:
        for chunk in chunks:
            _write(file, chunk, path)
            size += len(chunk)
        file.flush()
        if durable:
            _step("sync", path)
            os.fsync(file.fileno())
    return size


def publish(path: str, data: bytes) -> None:
    """Make a small file appear under its name, whole, in one instant: write aside, sync, rename, sync the folder."""
    aside = f"{path}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(aside)
    write_new(aside, [data])
    rename(aside, path)
    sync_folder(os.path.dirname(path))


def rename(path: str, new: str) -> None:
    """Give a file its name, in one instant."""
    _step("rename", new)
    os.rename(path, new)


def sync_folder(path: str) -> None:
    """Make the names in a folder as durable as the files they name."""
    _step("sync-folder", path)
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(path: str) -> None:
    """Create a folder and its parents, each name synced into the folder that holds it."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(os.path.abspath(path))
    make_folder(parent)
    _step("mkdir", path)
    with contextlib.suppress(FileExistsError):
        os.mkdir(path)
    sync_folder(parent)


def remove(path: str) -> None:
    """Delete a file or folder that nothing names any more; one that is already gone is no fault."""
    _step("remove", path)
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _write(file: BinaryIO, chunk: bytes | memoryview, path: str) -> None:
    if on_step is None:
        file.write(chunk)
        return
    half = len(chunk) // 2  # under test, a write can be torn in its middle
    _step("write", path)
    file.write(chunk[:half])
    file.flush()
    _step("write-rest", path)
    file.write(chunk[half:])


def _step(operation: str, path: str) -> None:
    if on_step is not None:
        on_step(operation, path)
