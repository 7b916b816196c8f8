"""When is it worth loading the compiled kernels?

Numba takes about a second to load, which one question from a cold shell never earns back, and half a minute to compile
what no process of this installation has used before.  So the kernels of every default way have NumPy twins with the
same answers, and a process begins with the twins.  Once they have cost it as long as the kernels would, it loads them:
like the skier who buys skis when the rents have added up to their price, it never spends more than twice the least
possible.  `warm()` loads them at once, for a process that means to ask many questions.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import xxhash

from mere.store.files import cache_folder

LOADING, COMPILING = 1.0, 30.0  # seconds

_lock = threading.Lock()
_spent = 0.0
_loaded = False


def ready() -> bool:
    """Whether to use the kernels."""
    if not _loaded and _spent >= LOADING and _spent >= price():
        warm()
    return _loaded


def warm() -> None:
    """Load Numba now, so that every later question uses the kernels."""
    global _loaded
    with _lock:
        import mere.store.jit  # noqa: F401

        _loaded = True


@contextmanager
def interruptible() -> Iterator[None]:
    """Make an interruption inside a kernel what it is anywhere else; Numba's dispatcher wraps it in a SystemError."""
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while isinstance(cause, SystemError):  # wrapped once for every call that it went through
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise


@contextmanager
def rented() -> Iterator[None]:
    """Count the time of work that a kernel would have done faster."""
    global _spent
    started = time.perf_counter()
    try:
        yield
    finally:
        with _lock:
            _spent += time.perf_counter() - started


@cache
def price() -> float:
    """What the kernels would cost: less if there is machine code of theirs; without Numba they are not to be had."""
    try:
        version("numba")
    except PackageNotFoundError:
        return float("inf")
    return LOADING if os.path.isdir(code_folder()) else COMPILING


@cache
def code_folder() -> str:
    """Where the machine code of these very kernels is kept.

    Numba notices when the file of a kernel changes, but not when one that it calls does, and would go on using the old
    code; so the folder is named by all the sources there are: any change of any kernel starts a new one.
    """
    package = Path(__file__).parent.parent
    digest = xxhash.xxh3_64(f"{package} {version('numba')}".encode())
    for source in sorted([*package.glob("store/*.py"), *package.glob("indexes/**/*.py")]):
        digest.update(source.read_bytes())
    return os.path.join(cache_folder(), f"kernels-{digest.hexdigest()}")
