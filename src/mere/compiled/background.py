"""How are kernels compiled while NumPy answers?

One daemon thread compiles one group after another, and ends when nothing is left.  A compiler must not run while the
interpreter shuts down, for LLVM would crash the process; so before the process ends, the thread is asked to stop and is
waited for.  It stops before it imports Numba, between two kernels, and at every pass of Numba's compiler; what has to
be waited for is at most one pass, usually less than a second, or the import of Numba, which can take several seconds.

In the same places the thread lets a thread fork that waits for it (`forks`), and then begins the group again; kernels
that are already compiled are not compiled again.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Callable
from typing import NamedTuple

from mere.compiled import forks

Ended = Callable[[Exception | None], None]  # receives the error of the work, None if it was done


class Job(NamedTuple):
    """Work for the thread, and what is called afterwards."""

    work: Callable[[], None]
    ended: Ended


class Stopped(BaseException):
    """The process ends, or forks: the compiler is left at once."""


_jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
_lock = threading.Lock()
_thread: threading.Thread | None = None
_stopping = threading.Event()


def start(work: Callable[[], None], ended: Ended) -> None:
    """Do work in the background, after what is already there; then `ended` receives its error, or None."""
    global _thread
    with _lock:
        _jobs.put(Job(work, ended))
        if _thread is None:
            _thread = threading.Thread(target=_run, name="mere-compile", daemon=True)
            _thread.start()


def stop() -> None:
    """Have the thread end, and wait for it."""
    _stopping.set()
    if (thread := _thread) is not None:
        thread.join()


atexit.register(stop)


def check() -> None:
    """Leave the work if the process ends or another thread waits to fork; called often by the work."""
    if _stopping.is_set() or forks.fork_waits():
        raise Stopped


def _run() -> None:
    while (job := _next()) is not None:
        while not _done(job) and not _stopping.is_set():
            pass  # another thread has forked in between


def _next() -> Job | None:
    """The next job; None, and no thread from now on, if there is none."""
    global _thread
    with _lock:
        if _jobs.empty() or _stopping.is_set():
            _thread = None
            return None
        return _jobs.get()


def _done(job: Job) -> bool:
    """Do the work; False if it was left before its end."""
    error: Exception | None = None
    try:
        with forks.compiling():
            check()
            with _checked_passes():
                job.work()
    except Stopped:
        return False
    except Exception as failure:
        error = failure
    job.ended(error)
    return True


def _checked_passes():  # type: ignore[no-untyped-def]
    """A context in which every pass of Numba's compiler, in this thread, calls `check`."""
    from numba.core import event

    thread = threading.current_thread()

    class Check(event.Listener):
        def on_start(self, event: object) -> None:
            if threading.current_thread() is thread:
                check()

        def on_end(self, event: object) -> None:
            pass

    return event.install_listener("numba:run_pass", Check())


def _after_fork_in_child() -> None:
    """A child process has neither the thread nor its jobs."""
    global _jobs, _lock, _thread
    _jobs, _lock, _thread = queue.SimpleQueue(), threading.Lock(), None


os.register_at_fork(after_in_child=_after_fork_in_child)
