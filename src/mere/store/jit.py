"""How are kernels compiled, and where is the machine code kept?

`@kernel` compiles without the GIL and keeps the result in `compiled.code_folder()`.  `fetch` and `eight_bytes` are two
things that a processor can do and NumPy's arrays do not offer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

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


def _fetch(typing, array, place):
    """fetch(array, place): have the memory there on its way into the cache; nothing happens otherwise."""

    def generate(context, builder, signature, arguments):
        byte = ir.IntType(8).as_pointer()
        address = builder.bitcast(_address(context, builder, signature, arguments), byte)
        number = ir.IntType(32)
        ends = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = get_or_insert_function(builder.module, ends, "llvm.prefetch.p0i8")
        read, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(prefetch, [address, read, keep, data])
        return context.get_dummy_value()

    return types.void(array, place), generate


fetch: Any = intrinsic(_fetch)


def _eight_bytes(typing, array, place):
    """eight_bytes(array, place): the eight bytes there as one number; the array must hold as many."""

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature, arguments)
        return builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(array, place), generate


eight_bytes: Any = intrinsic(_eight_bytes)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array, place = signature.args
    data = context.make_array(array)(context, builder, arguments[0]).data
    return builder.gep(data, [context.cast(builder, arguments[1], place, types.intp)])
