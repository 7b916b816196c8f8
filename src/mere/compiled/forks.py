"""What happens to the compiler when the process forks?

A child process has a copy of every lock and only one thread.  If another thread is compiling at that moment, or is
importing Numba, its locks stay locked in the child for ever, and the first compilation there would never return.  So a
fork waits until nothing is being compiled: the background thread leaves the compiler (`background`) and begins that
kernel again after the fork; a compilation in another thread is waited for.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_forking = threading.Lock()  # locked while a thread forks, or waits to
_working = threading.RLock()  # locked while the background thread imports Numba or compiles
_locked = ExitStack()  # the locks of the thread that forks


def fork_waits() -> bool:
    """Whether a thread waits for the compiler, in order to fork."""
    return _forking.locked()


@contextmanager
def compiling() -> Iterator[None]:
    """Work during which the process cannot fork; it begins after a fork that is waiting."""
    with _forking:
        _working.acquire()
    try:
        yield
    finally:
        _working.release()


def _before_fork() -> None:
    _locked.enter_context(_forking)
    _locked.enter_context(_working)
    lock = getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)
    if lock is not None:
        _locked.enter_context(lock)


def _after_fork() -> None:
    _locked.pop_all().close()  # taken out first: another thread may fork as soon as they are unlocked


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
