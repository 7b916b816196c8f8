"""How does a worker get and free memory, so that this takes little time?

- Arrays of some megabytes are made and dropped all the time.  By default, glibc returns each to the system at once, and
  the system clears the pages of the next one: a sixth of the time of building.  Here they stay with the process, up to
  `_KEPT` bytes; larger arrays are still returned.  Arrow has an allocator of its own, which returns memory too: another
  twelfth.  Here it asks glibc, so that what NumPy has freed can be used by Arrow, and the other way round.
- Python looks for cycles whenever 700 more objects exist than before.  Parsed records are many objects without cycles:
  a tenth of the time of reading.  Here it looks less often; cycles are still found.
- Spark looks for cycles among all objects after every task.  Most are modules, functions and classes, which stay: a
  sixth of the time of reading.  Here they are left out of such searches, once they have been imported.

This is done in Spark's workers only: the process of a user is not ours to tune.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache

import pyarrow as pa

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # parameters of glibc's `mallopt`
_OWN_PAGES = 64 << 20  # bytes: a larger array has pages of its own, which are returned with it
_KEPT = 256 << 20  # bytes that are free and stay with the process
_OBJECTS = 50_000  # more objects than before, until young ones are searched for cycles


@contextmanager
def kept_memory() -> Iterator[None]:
    """Runs the block with fewer searches for cycles; from the first block on, memory and modules stay as they are."""
    _keep_freed_memory()
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        _leave_out_modules(len(sys.modules))


@lru_cache(1)
def _leave_out_modules(count: int) -> None:
    """Done again when their number has changed; what is garbage now is collected first, or it would stay for ever."""
    gc.collect()
    gc.freeze()


@cache
def _keep_freed_memory() -> None:
    with suppress(AttributeError, OSError, TypeError):  # another C library than glibc
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _OWN_PAGES)
        mallopt(_TRIM_THRESHOLD, _KEPT)
        pa.set_memory_pool(pa.system_memory_pool())
