"""Where are the temporary files of a run, so that none outlives it for long?

In one folder per process that starts Spark, inside the system's folder for temporary files: Spark's blocks, what Java
unpacks, the log.  It is deleted when the process ends, unless an error told the user to look at the log.  Its name
says whose it is; when its process is gone (killed, say), the next run deletes it.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_PREFIX = "mere-spark-"
_NAME = re.compile(rf"{_PREFIX}\d+-\d+-.+")
_folders: dict[int, str] = {}  # of this process, by its number: a forked process has its own
_kept: set[str] = set()


def workplace() -> str:
    """The folder of this process, made when first asked for; those of processes that are gone are deleted then."""
    process = os.getpid()
    if process not in _folders:
        remove_abandoned()
        _folders[process] = tempfile.mkdtemp(prefix=f"{_PREFIX}{_identity(process)}-")
        atexit.register(_remove_at_exit, _folders[process], process)
    return _folders[process]


def log_path() -> str:
    return os.path.join(workplace(), "java.log")


def see_log() -> str:
    """The end of an error's remedy: where the log is."""
    return f"; see {log_path()}" if os.getpid() in _folders else ""  # the caller's Spark logs where it likes


def keep_log() -> None:
    """Leave the log where an error says it is, until the next run."""
    _kept.add(workplace())


@contextmanager
def temporary_files_here() -> Iterator[None]:
    """Let this process, and those it starts in the block, make their temporary files in the workplace."""
    before, variable = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir = os.environ["TMPDIR"] = workplace()
    try:
        yield
    finally:
        tempfile.tempdir = before
        if variable is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = variable


def _remove_at_exit(folder: str, process: int) -> None:
    if os.getpid() == process and folder not in _kept:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Delete the folders of processes that do not run any more."""
    with os.scandir(tempfile.gettempdir()) as entries:
        folders = [entry.path for entry in entries if _NAME.fullmatch(entry.name) and _is_own_folder(entry)]
    for folder in folders:
        process, started, _ = os.path.basename(folder).removeprefix(_PREFIX).split("-", 2)
        if _identity(int(process)) != f"{process}-{started}":
            shutil.rmtree(folder, ignore_errors=True)


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    """A folder of this user, and not a link to one: others can write into the folder for temporary files."""
    return entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.getuid()


def _identity(pid: int) -> str:
    """The number of a process and when it was started, because numbers are given again; 'gone' if it does not run.

    Where /proc is missing, a process that runs is told by its number alone.
    """
    with suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return f"{pid}-{file.read().rsplit(')', 1)[1].split()[19]}"
    try:
        os.kill(pid, 0)
        return f"{pid}-0"
    except OSError:
        return "gone"
