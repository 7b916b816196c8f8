"""What a run of the tests promises: which examples it draws, that children can be interrupted, when a hang ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DRAWN = """
import json, sys
import tests.conftest
from hypothesis import given, settings, strategies as st
if sys.argv[1] == "more":
    import more
drawn = []
@settings(max_examples=60)
@given(st.integers(), st.text())
def draw(number, text):
    drawn.append([number, text])
draw()
print(json.dumps(drawn))
"""


def examples(folder: Path, imported: str = "", times: str = "") -> list[object]:
    """The examples of a test in a process of its own, which also imports a module with constants, or not."""
    (folder / "more.py").write_text("NUMBERS, WORDS = [123457, 7654321, 99991], ['curious', 'curiouser']\n")
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), str(folder)])
    environment = {**os.environ, "PYTHONPATH": path, "MERE_TEST_TIMES": times or "0"}
    command = [sys.executable, "-c", DRAWN, imported]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_run_draws_the_same_examples_whatever_was_imported_before(tmp_path: Path) -> None:
    drawn = examples(tmp_path)
    assert len(drawn) == 60 and drawn == examples(tmp_path, imported="more")


def test_random_runs_multiply_the_number_that_a_test_names_and_draw_others(tmp_path: Path) -> None:
    drawn = examples(tmp_path, times="3")
    assert len(drawn) == 180 and drawn != examples(tmp_path, times="3")


def test_children_can_be_interrupted_however_the_run_was_started() -> None:
    program = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    started = f"import signal, subprocess, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); import tests.conftest; " \
              f"subprocess.run([sys.executable, '-c', {program!r}])"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", started], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True\n", done.stderr
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_hang_is_cut_off(request: pytest.FixtureRequest, slow: bool) -> None:
    marker = request.node.get_closest_marker("timeout")
    seconds = marker.args[0] if marker else float(request.config.getini("timeout"))
    assert seconds == (1800 if slow else 900) * max(int(os.environ.get("MERE_TEST_TIMES", 0)), 1)
