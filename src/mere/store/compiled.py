"""When is it worth loading the compiled kernels?

Numba takes about a second to load, which one question from a cold shell never earns back, and some seconds more to
compile what no process of this installation has used before.  So every kernel has a NumPy twin with the same answers,
and a process begins with the twins.  Once they have cost it as long as loading would have, it loads the kernels: like
the skier who buys skis when the rents have added up to their price, it never spends more than twice the least possible.
`warm()` loads them at once, for a process that means to ask many questions.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PRICE = 1.0  # seconds

_lock = threading.Lock()
_spent = 0.0
_loaded = False


def ready() -> bool:
    """Whether to use the kernels."""
    if not _loaded and _spent >= PRICE:
        warm()
    return _loaded


def warm() -> None:
    """Load Numba now, so that every later question uses the kernels."""
    global _loaded
    with _lock:
        import mere.store.jit  # noqa: F401

        _loaded = True


@contextmanager
def rented() -> Iterator[None]:
    """Count the time of work that a kernel would have done faster."""
    global _spent
    started = time.perf_counter()
    try:
        yield
    finally:
        _spent += time.perf_counter() - started
