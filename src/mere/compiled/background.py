"""How are kernels compiled while NumPy answers?

One daemon thread compiles one group after another, and ends when nothing is left.  A compiler must not run while the
interpreter shuts down, for LLVM would crash the process; so before the process ends, the thread is asked to stop and is
waited for.  Numba announces every pass of its compiler, and at the next one the thread stops: after less than a second.

A group that cannot be compiled is logged as a warning, and NumPy answers for it from then on.
"""

from __future__ import annotations

import atexit
import logging
import queue
import threading
from collections.abc import Callable
from typing import NamedTuple

logger = logging.getLogger("mere.compiled")
logger.addHandler(logging.NullHandler())  # without a handler of its own, logging would print warnings

Ended = Callable[[bool], None]  # told whether the work was done


class Job(NamedTuple):
    """Work for the thread, with a name for the log."""

    name: str
    work: Callable[[], None]
    ended: Ended


class Stopped(BaseException):
    """The process ends: the compiler is left at once."""


_jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
_lock = threading.Lock()
_thread: threading.Thread | None = None
_stopping = threading.Event()


def start(name: str, work: Callable[[], None], ended: Ended) -> None:
    """Do some work in the background, after what is already there; `ended` is told whether it succeeded."""
    global _thread
    with _lock:
        _jobs.put(Job(name, work, ended))
        if _thread is None:
            _thread = threading.Thread(target=_run, name="mere-compile", daemon=True)
            _thread.start()


def stop() -> None:
    """Have the thread end, and wait for it."""
    _stopping.set()
    if (thread := _thread) is not None:
        thread.join()


atexit.register(stop)


def _run() -> None:
    try:
        while (job := _next()) is not None:
            _do(job)
    except Stopped:
        pass


def _next() -> Job | None:
    """The next job; None, and no thread from now on, if there is none."""
    global _thread
    with _lock:
        if _jobs.empty() or _stopping.is_set():
            _thread = None
            return None
        return _jobs.get()


def _do(job: Job) -> None:
    try:
        with _stoppable():
            job.work()
    except Exception as error:
        logger.warning("the kernels of '%s' cannot be compiled, NumPy answers instead: %s", job.name, error)
        job.ended(False)
    else:
        job.ended(True)


def _stoppable():  # type: ignore[no-untyped-def]
    """A context in which every pass of Numba's compiler, in this thread, checks whether to stop."""
    from numba.core import event

    thread = threading.current_thread()

    class Check(event.Listener):
        def on_start(self, event: object) -> None:
            if _stopping.is_set() and threading.current_thread() is thread:
                raise Stopped

        def on_end(self, event: object) -> None:
            pass

    return event.install_listener("numba:run_pass", Check())
