"""How are kernels compiled, and where is the machine code kept?

`@kernel` compiles without the GIL and keeps the result in `compiled.code_folder()`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from mere.store.compiled import code_folder

_FOLDER = code_folder()


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function, or, with options only, make a decorator that does."""
    if function is None:
        return lambda one: kernel(one, **options)
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, _FOLDER
    try:
        return numba.njit(function, nogil=True, cache=True, **options)
    finally:
        config.CACHE_DIR = before  # others in this process have a folder of their own
