"""When kernels replace NumPy: the time that is counted, the cost it is compared with, and the thread that compiles."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mere import compiled
from mere.compiled import Group, Trial, background, code, groups
from mere.compiled.groups import State
from mere.errors import LakeError

GROUP = Group("for tests", ("mere.store.kernels",), compiling=4.0)
WAIT = 60.0  # seconds; only a failing test waits so long
HANG = 300.0  # seconds for a process that imports Numba on a busy machine

pytestmark = pytest.mark.timeout(2 * HANG)


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """Groups as in a fresh process, and a clock that the test moves."""
    fake = Clock()
    monkeypatch.setattr(groups, "clock", fake)
    monkeypatch.setattr(groups, "_states", {})
    monkeypatch.setattr(groups, "_spent", {})
    yield fake


@pytest.fixture
def cost(monkeypatch: pytest.MonkeyPatch) -> float:
    """What the group costs to load: 5 seconds."""
    monkeypatch.setattr(code, "load_cost", lambda group: 5.0)
    return 5.0


def answer_in_numpy(clock: Clock, seconds: float, group: Group = GROUP) -> None:
    with compiled.time_fallback(group):
        clock.now += seconds


def trial_of(*calls: Callable[[], object]) -> Callable[[], Trial]:
    return lambda: Trial(GROUP, tuple((f"kernel {i}", call) for i, call in enumerate(calls)))


def wait_for(group: Group, state: State) -> None:
    """Wait until the thread has done its work."""
    ended = threading.Event()
    for _ in range(int(WAIT * 100)):
        if groups.state_of(group) is state:
            return
        ended.wait(0.01)
    raise AssertionError(f"'{group.name}' is {groups.state_of(group)}, expected {state}")


def test_numpy_answers_until_its_time_equals_the_cost_of_the_kernels(clock: Clock, cost: float) -> None:
    compile_kernel = trial_of(lambda: None)
    assert not compiled.ready(GROUP, compile_kernel)
    answer_in_numpy(clock, 4.0)
    answer_in_numpy(clock, 0.9)
    assert not compiled.ready(GROUP, compile_kernel)
    assert groups.state_of(GROUP) is State.NUMPY
    answer_in_numpy(clock, 0.2)
    compiled.ready(GROUP, compile_kernel)
    wait_for(GROUP, State.READY)
    assert compiled.ready(GROUP, compile_kernel)


def test_time_outside_of_a_fallback_does_not_count(clock: Clock, cost: float) -> None:
    clock.now += 100.0
    answer_in_numpy(clock, 1.0)
    clock.now += 100.0
    compiled.ready(GROUP, trial_of(lambda: None))
    assert groups.state_of(GROUP) is State.NUMPY


def test_time_counts_although_the_fallback_fails(clock: Clock, cost: float) -> None:
    with pytest.raises(ValueError, match="in NumPy"), compiled.time_fallback(GROUP):
        clock.now += 6.0
        raise ValueError("in NumPy")
    compiled.ready(GROUP, trial_of(lambda: None))
    wait_for(GROUP, State.READY)


def test_the_time_of_every_group_is_counted_separately(clock: Clock, cost: float) -> None:
    other = Group("another", GROUP.modules, 4.0)
    answer_in_numpy(clock, 100.0, other)
    compiled.ready(GROUP, trial_of(lambda: None))
    assert groups.state_of(GROUP) is State.NUMPY


def test_a_group_costs_less_if_its_machine_code_is_kept(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = {name: tmp_path / name.replace(".", "-") for name in ("mere.store.kernels", "mere.compiled.code")}
    monkeypatch.setattr(code, "code_folder", lambda module: str(folders[module]))
    both = Group("both", tuple(folders), compiling=4.0)
    cost_of = code.load_cost.__wrapped__
    assert cost_of(both) == code.LOADING + 4.0
    folders["mere.store.kernels"].mkdir()
    assert cost_of(both) == code.LOADING + 4.0  # one of the two is still to be compiled
    folders["mere.compiled.code"].mkdir()
    assert cost_of(both) == code.LOADING


def test_without_numba_the_cost_of_kernels_is_infinite(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    assert code.load_cost.__wrapped__(GROUP) == float("inf")


def test_numpy_answers_while_the_kernels_are_compiled(clock: Clock, cost: float) -> None:
    started, released = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def compile_slowly() -> None:
        threads.append(threading.current_thread())
        started.set()
        assert released.wait(WAIT)

    answer_in_numpy(clock, 6.0)
    trial = trial_of(compile_slowly, lambda: threads.append(threading.current_thread()))
    assert not compiled.ready(GROUP, trial)
    assert started.wait(WAIT)
    for _ in range(3):  # no question waits, and none starts the compiler again
        assert not compiled.ready(GROUP, trial)
    released.set()
    wait_for(GROUP, State.READY)
    assert len(threads) == 2 and all(thread.daemon for thread in threads)
    assert threading.current_thread() not in threads


def test_groups_that_cannot_be_compiled_are_logged_and_stay_with_numpy(
    clock: Clock, cost: float, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise TypeError("no such type")

    answer_in_numpy(clock, 6.0)
    with caplog.at_level(logging.WARNING, "mere.compiled"):
        assert not compiled.ready(GROUP, trial_of(fail))
        wait_for(GROUP, State.FAILED)
    assert "'for tests'" in caplog.text and "no such type" in caplog.text
    answer_in_numpy(clock, 100.0)
    assert not compiled.ready(GROUP, trial_of(lambda: None))
    assert groups.state_of(GROUP) is State.FAILED
    assert capfd.readouterr() == ("", "")


def test_warming_compiles_now_and_reports_every_kernel(clock: Clock) -> None:
    def take(seconds: float) -> Callable[[], None]:
        return lambda: setattr(clock, "now", clock.now + seconds)

    steps: list[tuple[str, float]] = []
    compiled.warm([trial_of(take(2.0), take(0.5))()], lambda name, seconds: steps.append((name, seconds)))
    assert steps == [("for tests: kernel 0", 2.0), ("for tests: kernel 1", 0.5)]
    assert compiled.ready(GROUP)


def test_large_work_loads_a_group_first_and_goes_on_in_numpy_if_that_fails(clock: Clock) -> None:
    ran: list[int] = []

    def fail() -> None:
        raise RuntimeError("no compiler")

    compiled.load(GROUP, trial_of(fail))
    assert groups.state_of(GROUP) is State.FAILED and not compiled.ready(GROUP)
    groups._states.clear()
    compiled.load(GROUP, trial_of(lambda: ran.append(1)))
    compiled.load(GROUP, trial_of(lambda: ran.append(2)))  # is ready already
    assert ran == [1] and compiled.ready(GROUP)


def test_a_group_is_compiled_later_if_the_lake_was_closed_meanwhile(
    clock: Clock, cost: float, caplog: pytest.LogCaptureFixture
) -> None:
    tried = threading.Event()

    def read_a_closed_lake() -> None:
        tried.set()
        raise LakeError("the lake 'l' is closed", "open it again")

    def refused() -> Trial:
        raise LakeError("the lake 'l' is closed", "open it again")

    answer_in_numpy(clock, 6.0)
    compiled.ready(GROUP, trial_of(read_a_closed_lake))
    assert tried.wait(WAIT)
    wait_for(GROUP, State.NUMPY)
    assert not compiled.ready(GROUP, refused) and groups.state_of(GROUP) is State.NUMPY
    compiled.ready(GROUP, trial_of(lambda: None))
    wait_for(GROUP, State.READY)
    assert caplog.text == ""


def test_a_trial_is_made_while_the_question_is_asked(clock: Clock, cost: float) -> None:
    threads: list[threading.Thread] = []

    def trial() -> Trial:
        threads.append(threading.current_thread())
        return trial_of(lambda: None)()

    answer_in_numpy(clock, 6.0)
    compiled.ready(GROUP, trial)
    assert threads == [threading.current_thread()]
    wait_for(GROUP, State.READY)


def test_a_trial_that_cannot_be_made_does_not_fail_the_question(clock: Clock, cost: float) -> None:
    def fail() -> Trial:
        raise TypeError("no such type")

    answer_in_numpy(clock, 6.0)
    assert not compiled.ready(GROUP, fail)
    assert groups.state_of(GROUP) is State.FAILED


def test_kernels_that_are_ready_stay_so_although_compiling_them_again_fails(clock: Clock, cost: float) -> None:
    """A question compiles in the foreground what the background is about to compile."""
    started, released = threading.Event(), threading.Event()

    def fail_late() -> None:
        started.set()
        assert released.wait(WAIT)
        raise TypeError("no such type")

    answer_in_numpy(clock, 6.0)
    compiled.ready(GROUP, trial_of(fail_late))
    assert started.wait(WAIT)
    compiled.warm([trial_of(lambda: None)()])
    assert compiled.ready(GROUP)
    thread = background._thread
    released.set()
    if thread is not None:
        thread.join(WAIT)
    assert compiled.ready(GROUP)


SCRIPT = """
import atexit, threading
from mere import compiled
from mere.compiled import code
code.LOADING, code.load_cost = 0.0, lambda group: 0.0
GROUP = compiled.Group("for tests", ("mere.store.kernels",), 4.0)
FAILING = compiled.Group("failing", ("mere.store.kernels",), 4.0)
compiling = threading.Event()

def compile_forever():
    from numba import njit
    while True:
        compiling.set()
        njit(lambda x: x + 1)(1)

assert not compiled.ready(FAILING, lambda: compiled.Trial(FAILING, (("failing", lambda: 1 / 0),)))
assert not compiled.ready(GROUP, lambda: compiled.Trial(GROUP, (("endless", compile_forever),)))
assert compiling.wait(60)
atexit._run_exitfuncs()
print([thread.name for thread in threading.enumerate() if thread.name == "mere-compile"])
"""


def test_a_process_ends_quietly_while_a_kernel_is_compiled() -> None:
    """The compiler is stopped before the interpreter shuts down: no crash, no output, and no thread left; nor is
    anything printed about the group that could not be compiled before."""
    assert output_of(SCRIPT) == (0, "[]\n", "")


BEFORE_NUMBA = """
import sys
from mere.compiled import background
ended = []
background._stopping.set()
background._done(background.Job(lambda: None, ended.append))
print(ended, "numba" in sys.modules)
"""


def test_numba_is_not_imported_once_the_process_ends() -> None:
    assert output_of(BEFORE_NUMBA) == (0, "[] False\n", "")


def test_nothing_is_compiled_after_the_kernel_that_is_running_when_the_process_ends(
    clock: Clock, cost: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopping, calls = threading.Event(), list[str]()
    monkeypatch.setattr(background, "_stopping", stopping)

    def first() -> None:
        calls.append("first")
        stopping.set()

    answer_in_numpy(clock, 6.0)
    with monkeypatch.context() as patch:
        patch.setattr(background, "start", lambda *job: background._done(background.Job(*job)))
        compiled.ready(GROUP, trial_of(first, lambda: calls.append("second")))
    assert calls == ["first"] and groups.state_of(GROUP) is State.COMPILING


def output_of(script: str) -> tuple[int, str, str]:
    """Exit code and output of a process that hangs if there is a fault."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=HANG)
    return done.returncode, done.stdout, done.stderr


def test_the_thread_ends_when_nothing_is_left_to_compile(clock: Clock, cost: float) -> None:
    answer_in_numpy(clock, 6.0)
    compiled.ready(GROUP, trial_of(lambda: None))
    wait_for(GROUP, State.READY)
    for thread in threading.enumerate():
        if thread.name == "mere-compile":
            thread.join(WAIT)
    assert background._thread is None


def test_an_interruption_inside_a_kernel_is_a_keyboard_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), compiled.interruptible():
        inner = SystemError("returned a result with an exception set")
        inner.__cause__ = KeyboardInterrupt()
        raise SystemError("returned a result with an exception set") from inner
    with pytest.raises(SystemError), compiled.interruptible():
        raise SystemError("another fault")
