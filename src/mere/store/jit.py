"""`mere.compiled.jit` for kinds that have not been changed yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from mere.compiled.code import code_folder
from mere.compiled.jit import eight_bytes, fetch

__all__ = ["eight_bytes", "fetch", "kernel"]


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function, or, with options only, make a decorator that does."""
    if function is None:
        return lambda decorated: kernel(decorated, **options)
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, code_folder(function.__module__)
    try:
        return numba.njit(function, nogil=True, cache=True, **options)
    finally:
        config.CACHE_DIR = before
