"""How is a kernel compiled?

    @kernel    a function that Python calls, compiled without the GIL; its machine code is kept in `code_folder`
    @helper    a function that only kernels call

Compiling takes long, so nothing is compiled that is not used: an integer constant in a call has the type of any other
integer (by default, Numba compiles a function again for every such constant); kernels have no wrapper for calls from C,
and helpers none for calls from Python; a helper neither makes nor returns arrays unless it is declared with
`allocates=True`, so that it does not count references.  The last alone makes helpers with many arrays three times as
fast to compile.

`fetch`, `eight_bytes` and `lowest_bit` are things that a processor can do and NumPy's arrays do not offer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from mere.compiled.code import code_folder

_COMMON = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True}


class _Kernel(CPUDispatcher):
    """A function that is not compiled anew for constants among its arguments."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(
            tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()}
        )


class _Helper(_Kernel):
    """A function without the means to be called from Python."""

    def add_overload(self, cres: Any) -> None:
        if not self.targetoptions["_nrt"] and any(map(_has_arrays, _returned(cres))):
            raise TypeError(f"'{self.py_func.__name__}' handles new arrays; declare it with @helper(allocates=True)")
        self.overloads[tuple(cres.signature.args)] = cres  # and not, as for kernels, where Python looks

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        raise TypeError(f"'{self.py_func.__name__}' is called by kernels only; declare it with @kernel")


def _returned(cres: Any) -> list[Any]:
    """What a function returns, and what the compiled functions return that it calls."""
    annotation = cres.type_annotation
    calls = ((node, kind) for node, kind in annotation.calltypes.items() if getattr(node, "op", None) == "call")
    inner = [kind.return_type for node, kind in calls if _calls_compiled(annotation, node)]
    return [cres.signature.return_type, *inner]


def _calls_compiled(annotation: Any, node: Any) -> bool:
    return isinstance(annotation.typemap[node.func.name], types.Dispatcher)


def _has_arrays(kind: Any) -> bool:
    inner = list(kind) if isinstance(kind, types.BaseTuple) else []  # type: ignore[call-overload]
    return isinstance(kind, types.Array) or any(map(_has_arrays, inner))


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python, and other kernels, call."""
    dispatcher = _Kernel(function, targetoptions=dict(_COMMON))
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, code_folder(function.__module__)
    try:
        dispatcher.enable_caching()
    finally:
        config.CACHE_DIR = before  # other code in this process has its own folder
    return dispatcher


def helper(function: Callable[..., Any] | None = None, *, allocates: bool = False, inlined: bool = False) -> Any:
    """Compile a function that only kernels call; one that makes or returns arrays must say so.

    Many arrays take long to hand over: a function that is called for every row is `inlined` in its callers.
    """
    if function is None:
        return lambda decorated: helper(decorated, allocates=allocates, inlined=inlined)
    options = {**_COMMON, "no_cpython_wrapper": True, "_nrt": allocates, "forceinline": inlined}
    return _Helper(function, targetoptions=options)


def _fetch(typing, array, place):
    """fetch(array, place): start loading the memory there into the cache."""

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


def _lowest_bit(typing, number):
    """lowest_bit(number): the place of the lowest bit that is set, of a uint64 that is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


lowest_bit: Any = intrinsic(_lowest_bit)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array, place = signature.args
    data = context.make_array(array)(context, builder, arguments[0]).data
    return builder.gep(data, [context.cast(builder, arguments[1], place, types.intp)])
