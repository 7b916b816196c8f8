"""Which file was a task reading when its process ended?

A task writes one line per file it is about to open: the key of the unit.  The journal is removed when the task ends,
well or with an error, so a journal that is still there belongs to a process that ended (or to a task that is running
now), and its last key is the suspect.

A process that may be ended (`watch`) is ended when one file takes too long.  The timer is a thread that does not need
the interpreter (`faulthandler`), so it also ends a library that never returns; it writes why into the journal.
"""

from __future__ import annotations

import faulthandler
import os
import uuid
from contextlib import suppress
from types import TracebackType

from mere.store import files

_FOLDER = "journals"
_KEY = b"unit "
_OVERTIME = b"Timeout ("  # what faulthandler writes first


class Journal:
    """The journal of one task; closing it removes it."""

    def __init__(self, staging: str, watch: bool = False) -> None:
        folder = os.path.join(staging, _FOLDER)
        self.watch = watch
        self._path = os.path.join(folder, uuid.uuid4().hex)
        with files.writing(self._path):
            os.makedirs(folder, exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND)

    def begin(self, key: str, seconds: int) -> None:
        """A unit is about to be read, and may take so long; those before are finished."""
        with files.writing(self._path):
            os.write(self._file, _KEY + key.encode() + b"\n")
        if self.watch:
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._file)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.watch:
            faulthandler.cancel_dump_traceback_later()
        os.close(self._file)
        with suppress(FileNotFoundError):
            os.unlink(self._path)


def suspects(staging: str) -> dict[str, bool]:
    """The units that processes were reading when they ended, and whether they were ended for taking too long."""
    found: dict[str, bool] = {}
    folder = os.path.join(staging, _FOLDER)
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        with suppress(OSError):  # its task has just ended
            key, overtime = _last(os.path.join(folder, name))
            found[key] = found.get(key, False) or overtime
    return found


def _last(path: str) -> tuple[str, bool]:
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    keys = [number for number, line in enumerate(lines) if line.startswith(_KEY)]
    if not keys:
        return "", False
    overtime = any(line.startswith(_OVERTIME) for line in lines[keys[-1] :])
    return lines[keys[-1]].removeprefix(_KEY).decode(), overtime
