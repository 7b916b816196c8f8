"""Which groups of kernels are ready, and how long has NumPy answered in their place?

A group that cannot be compiled is logged as a warning, and NumPy answers for it from then on.  If only the lake was
closed meanwhile whose arrays the kernels were to be compiled with, the next question tries again.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import NamedTuple

from mere.compiled import background, code
from mere.compiled.code import Group
from mere.compiled.numba_import import import_numba_alone
from mere.errors import LakeError

logger = logging.getLogger("mere.compiled")
logger.addHandler(logging.NullHandler())  # without a handler of its own, logging would print warnings

Progress = Callable[[str, float], None]  # name of what was compiled, and the seconds it took


class Trial(NamedTuple):
    """Calls that compile a group: each runs one kernel with arguments of the types that questions use."""

    group: Group
    calls: tuple[tuple[str, Callable[[], object]], ...]  # name of a kernel, and how to run it


class State(Enum):
    NUMPY = "not yet worth compiling"
    COMPILING = "being compiled, NumPy answers"
    READY = "compiled"
    FAILED = "could not be compiled, NumPy answers"


clock: Callable[[], float] = time.perf_counter
_lock = threading.Lock()
_states: dict[str, State] = {}
_spent: dict[str, float] = {}  # seconds that NumPy has answered for each group


def state_of(group: Group) -> State:
    """How far a group is."""
    return _states.get(group.name, State.NUMPY)


def ready(group: Group, trial: Callable[[], Trial] | None = None) -> bool:
    """Whether to use the kernels of a group now.

    Once NumPy has cost as much as loading them, `trial` is asked for the calls that compile them in the background; it
    is asked now, while the lake is open, and must not import kernels.
    """
    if (
        state_of(group) is State.NUMPY
        and trial is not None
        and code.is_worth_loading(group, _spent.get(group.name, 0.0))
    ):
        try:
            made = trial()
        except Exception as error:
            _ended(group, error)
        else:
            _start(group, made)
    return state_of(group) is State.READY


def _start(group: Group, trial: Trial) -> None:
    """Compile a group in the background, unless another thread has started that."""
    with _lock:
        if state_of(group) is State.NUMPY:
            _states[group.name] = State.COMPILING
            background.start(lambda: _compile(trial, _check), lambda error: _ended(group, error))


def _check(kernel: str, seconds: float) -> None:
    background.check()


def _ended(group: Group, error: Exception | None) -> None:
    with _lock:
        if error is None:
            _states[group.name] = State.READY
        if state_of(group) is State.READY:  # another thread may have compiled it
            return
        _states[group.name] = State.NUMPY if isinstance(error, LakeError) else State.FAILED
    if not isinstance(error, LakeError):
        logger.warning("the kernels of '%s' cannot be compiled, NumPy answers instead: %s", group.name, error)


@contextmanager
def time_fallback(group: Group) -> Iterator[None]:
    """Count the time of work in NumPy that a group's kernels would have done faster."""
    started = clock()
    try:
        yield
    finally:
        with _lock:
            _spent[group.name] = _spent.get(group.name, 0.0) + clock() - started


def warm(trials: Iterable[Trial], progress: Progress | None = None) -> None:
    """Compile groups now, one kernel after another; `progress` gets the name of each kernel and its seconds."""
    for trial in trials:
        _compile(trial, progress)
        _ended(trial.group, None)


def load(group: Group, trial: Callable[[], Trial]) -> None:
    """Compile a group now, or load it, before work that is so large that NumPy would take longer: building."""
    if state_of(group) is State.NUMPY:
        try:
            import_numba_alone()
            warm([trial()])
        except Exception as error:
            _ended(group, error)


def _compile(trial: Trial, progress: Progress | None = None) -> None:
    for kernel, call in trial.calls:
        started = clock()
        call()
        if progress is not None:
            progress(f"{trial.group.name}: {kernel}", clock() - started)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise an interruption inside a kernel as KeyboardInterrupt; Numba's dispatcher wraps it in a SystemError."""
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while isinstance(cause, SystemError):  # wrapped once for every call that it went through
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise


def _after_fork_in_child() -> None:
    """A child process has no compiling thread: what was being compiled may be compiled there later."""
    global _lock
    _lock = threading.Lock()
    for name, state in _states.items():
        if state is State.COMPILING:
            _states[name] = State.NUMPY


os.register_at_fork(after_in_child=_after_fork_in_child)
