"""What becomes of work that may end its process?  It is done in a child process, with limits of memory and time.

A forked child, so that it has everything that is imported already.  Its result is a JSON file, its end is explained
in words.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import resource
import signal
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mere.errors import CannotWrite
from mere.store import files

Json = dict[str, Any]
_OUT_OF_MEMORY = 64  # exit status
_PR_SET_PDEATHSIG = 1  # Linux: the signal that a process gets when its parent ends


@dataclass(frozen=True)
class Ended:
    """How a child ended: with a result, or with a reason why there is none."""

    result: Json | None = None
    reason: str = ""
    by_others: bool = False  # killed from outside: by the system when memory is short, or by a person


def run_in_child(work: Callable[[], Json], folder: str, memory: int, seconds: float) -> Ended:
    """Do the work in a child with at most so many more bytes of memory, and so many seconds."""
    path = os.path.join(folder, f"{uuid.uuid4().hex}.result.json")
    pid = os.fork()
    if pid == 0:
        _child(work, path, memory)
    try:
        status = _wait(pid, seconds)
        return _ended(status, path, memory, seconds)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)


def _child(work: Callable[[], Json], path: str, memory: int) -> None:
    status = 1
    try:
        _end_with_parent()
        faulthandler.disable()  # nobody reads what a process prints before it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        _limit_memory(memory)
        files.write_new(path, [json.dumps(_result(work)).encode()], durable=False)
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)


def _result(work: Callable[[], Json]) -> Json:
    try:
        return {"result": work()}
    except CannotWrite as error:
        return {"cannot_write": [error.message, error.remedy]}
    except MemoryError:
        raise
    except Exception as error:
        return {"reason": f"unexpected {type(error).__name__}: {error}"}


def _end_with_parent() -> None:
    """Have the system end this process when its parent ends: then nobody waits for the result."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _limit_memory(more: int) -> None:
    """Addresses, because Linux limits nothing else; on systems without /proc, the size so far is unknown."""
    with suppress(OSError, ValueError):
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _wait(pid: int, seconds: float) -> int:
    """The child's status; a child that takes too long is killed."""
    deadline, pause = time.monotonic() + seconds, 0.001
    try:
        while time.monotonic() < deadline:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return status
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
    except BaseException:
        _kill(pid)
        raise
    _kill(pid)
    return -1


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _ended(status: int, path: str, memory: int, seconds: float) -> Ended:
    if status == -1:
        return Ended(reason=overtime(seconds))
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in set(signal.Signals) else "unknown"
        by_others = number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        return Ended(reason=f"reading it ended the process with signal {number} ({name})", by_others=by_others)
    code = os.WEXITSTATUS(status)
    if code == _OUT_OF_MEMORY:
        return Ended(reason=f"reading it took more than {memory >> 20:,} MiB of memory; raise the limit 'memory_bytes'")
    if code:
        return Ended(reason=f"reading it ended the process with exit status {code}")
    return _written(path)


def _written(path: str) -> Ended:
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if "cannot_write" in document:
        raise CannotWrite(*document["cannot_write"])
    return Ended(document.get("result"), document.get("reason", ""))


def overtime(seconds: float) -> str:
    return f"reading it took more than {seconds:,.0f} seconds; raise the limit 'seconds'"
