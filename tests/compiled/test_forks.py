"""A process that forks while kernels are compiled: neither it nor its child hangs, and both compile them."""

from __future__ import annotations

import subprocess
import sys

import pytest

HANG = 300.0  # seconds for a process that imports Numba and compiles on a busy machine

pytestmark = pytest.mark.timeout(2 * HANG)

START = """
import os, threading, time
import numpy as np
from mere import compiled
from mere.compiled import code, groups
from mere.compiled.groups import State

code.LOADING, code.load_cost = 0.0, lambda group: 0.0
GROUP = compiled.Group("for tests", ("mere.store.kernels",), 4.0)
started = threading.Event()

def compile_kernel():
    import numba
    started.set()

    def work(numbers):  # sorting takes Numba a second or more to compile
        return np.sort(numbers)[0] + np.argsort(numbers)[0]

    assert numba.njit(work)(np.array([3, 1, 2])) == 2

def trial():
    return compiled.Trial(GROUP, (("work", compile_kernel),))

def wait_until_ready(name):
    for _ in range(24_000):
        if compiled.ready(GROUP, trial):
            return
        time.sleep(0.01)
    raise AssertionError(f"{name}: {groups.state_of(GROUP)}")

def fork(child):
    pid = os.fork()
    if pid == 0:
        try:
            child()
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    return pid

assert not compiled.ready(GROUP, trial)
"""

IN_THE_FOREGROUND = """
assert started.wait(240)
time.sleep(0.2)  # Numba is imported and compiles
assert groups.state_of(GROUP) is State.COMPILING

def child():
    assert groups.state_of(GROUP) is State.NUMPY
    compiled.warm([trial()])
    assert compiled.ready(GROUP)

_, status = os.waitpid(fork(child), 0)
wait_until_ready("parent")
print(os.waitstatus_to_exitcode(status))
"""

IN_THE_BACKGROUND = """
assert started.wait(240)
time.sleep(0.2)
_, status = os.waitpid(fork(lambda: wait_until_ready("child")), 0)
print(os.waitstatus_to_exitcode(status))
"""

DURING_THE_IMPORT = """
time.sleep(0.05)  # the thread imports Numba
_, status = os.waitpid(fork(lambda: compiled.warm([trial()])), 0)
wait_until_ready("parent")
print(os.waitstatus_to_exitcode(status))
"""

AGAIN_AND_AGAIN = """
assert started.wait(240)
children = [fork(lambda: None) for _ in range(5)]
print(*(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children))
wait_until_ready("parent")
"""

BESIDE_ANOTHER_THREAD = """
wait_until_ready("parent")
started.clear()
foreground = threading.Thread(target=compile_kernel)
foreground.start()
assert started.wait(240)
time.sleep(0.2)
_, status = os.waitpid(fork(compile_kernel), 0)
foreground.join()
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        pytest.param(IN_THE_FOREGROUND, "0\n", id="the child compiles in the foreground"),
        pytest.param(IN_THE_BACKGROUND, "0\n", id="the child compiles in the background"),
        pytest.param(DURING_THE_IMPORT, "0\n", id="the parent imports Numba"),
        pytest.param(AGAIN_AND_AGAIN, "0 0 0 0 0\n", id="the parent forks five times"),
        pytest.param(BESIDE_ANOTHER_THREAD, "0\n", id="the parent compiles in the foreground of another thread"),
    ],
)
def test_parent_and_child_compile_after_a_fork(script: str, printed: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", START + script], capture_output=True, text=True, check=False, timeout=HANG
    )
    assert (process.returncode, process.stdout, process.stderr) == (0, printed, "")
