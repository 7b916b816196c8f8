"""How do bytes reach the disk, so that a power cut at any instant leaves the old state or the new one?

Every write, sync and rename of a lake goes through this module and calls `on_step` first.  Tests set `on_step` to
kill the process at each call in turn; nothing else sets it.  A full or failing disk raises `CannotWrite`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from mere.errors import CannotWrite

on_step: Callable[[str, str], None] | None = None
_ASIDE = ".part"  # how the names of unfinished files end
_DISK_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG}


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """What the block writes to this path; a full or failing disk becomes an error that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in _DISK_FAULTS:
            raise
        folder = os.path.dirname(os.path.abspath(path))
        raise CannotWrite(
            f"cannot write to '{folder}': {error.strerror} ({_free(folder)})",
            "free some space, or repair the disk, and run it again",
        ) from error


def _free(folder: str) -> str:
    try:
        return f"{shutil.disk_usage(folder).free / 2**20:,.0f} MiB are free"
    except OSError:
        return "how much is free is unknown"


def write_new(path: str, chunks: Iterable[bytes | memoryview], durable: bool = True) -> int:
    """Write a file that does not exist yet, and sync it unless it is only work in progress; return its size."""
    size = 0
    with writing(path), _created(path) as file:
        for chunk in chunks:
            _write(file, chunk, path)
            size += len(chunk)
        file.flush()
        if durable:
            _step("sync", path)
            os.fsync(file.fileno())
    return size


def _created(path: str) -> BinaryIO:
    _step("create", path)
    return open(path, "xb")


@contextlib.contextmanager
def written_aside(path: str, durable: bool = True) -> Iterator[str]:
    """A path beside the target, where the block writes a file or makes a folder.

    When the block ends well, the result is synced, gets the target's name in one instant, and the name is synced;
    when it fails, the result is removed.  So the target is complete or absent, or still what it was before.
    """
    aside = aside_of(path)
    try:
        yield aside
        if durable:
            sync_folder(aside) if os.path.isdir(aside) else sync_file(aside)
        _rename(aside, path)
    except BaseException:
        _delete(aside)
        raise
    if durable:
        sync_folder(os.path.dirname(aside))


def _rename(aside: str, path: str) -> None:
    with writing(path):
        _step("rename", path)
        os.rename(aside, path)


def aside_of(path: str) -> str:
    """A new hidden name in the folder of the path."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(folder, f".{name}.{uuid.uuid4().hex[:8]}{_ASIDE}")


def remove_unfinished(folder: str) -> None:
    """Delete what processes that were killed inside `written_aside` left in a folder."""
    for name in sorted(os.listdir(folder)):
        if name.startswith(".") and name.endswith(_ASIDE):
            remove(os.path.join(folder, name))


def publish(path: str, data: bytes) -> None:
    """Make a small file appear under its name, complete and synced, in one instant."""
    with written_aside(path) as aside:
        write_new(aside, [data], durable=False)


def sync_file(path: str) -> None:
    """Make a file's bytes durable, whoever wrote them."""
    with writing(path):
        _step("sync", path)
        _sync(path)


def sync_folder(path: str) -> None:
    """Make the names in a folder as durable as the files they name."""
    with writing(path):
        _step("sync-folder", path)
        try:
            _sync(path)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that does not sync folders
                raise


def _sync(path: str) -> None:
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
    with writing(path), contextlib.suppress(FileExistsError):
        _step("mkdir", path)
        os.mkdir(path)
    sync_folder(parent)


def remove(path: str) -> None:
    """Delete a file or folder that nothing names any more; it may already be gone."""
    _step("remove", path)
    _delete(path)


def _delete(path: str) -> None:
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
