"""`mere join` on a terminal shows answers as they arrive; elsewhere only the final one is printed."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys

import pytest

import mere
from mere.pipeline.engine import Inline
from tests.conftest import write_files
from tests.processes import child

FILES = {"geo/countries.csv": "code,name\nAT,Austria\nCH,Switzerland\nDE,Germany\n"}

# `Lake.joinable` that reports a preliminary answer, then waits for an interruption, or gives another one
SCRIPT = """
import sys, threading
from mere.cli import run
from mere.lake import Lake

real = Lake.joinable

def joinable(self, given, on=None, k=10, *, on_update=None, **more):
    hits = real(self, given, on, k, **more)
    hits.notes.append("preliminary, until these have been tried: several columns")
    on_update(hits)
    if sys.argv[1] == "wait":
        threading.Event().wait()
    return real(self, given, on, k, **more)

Lake.joinable = joinable
sys.exit(run(sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("live")
    mere.index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    (folder / "mine.csv").write_text("code\nAT\nDE\nCH\n")
    return ["join", str(folder / "mine.csv"), "--lake", str(folder / "lake")]


def on_a_terminal(arguments: list[str], until: str = "") -> tuple[int, str]:
    """Run in a terminal, interrupted as soon as a text was shown; the exit code, and all that was shown."""
    mine, its = pty.openpty()
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    with child(
        [sys.executable, "-c", SCRIPT, *arguments], stdin=its, stdout=its, stderr=its, env=environment
    ) as process:
        os.close(its)
        shown = b""
        while True:
            try:
                piece = os.read(mine, 4096)
            except OSError:  # the terminal was closed
                break
            if not piece:
                break
            shown += piece
            if until and until.encode() in shown:
                process.send_signal(signal.SIGINT)
                until = ""
        os.close(mine)
    return process.returncode, shown.decode()


def test_a_terminal_shows_what_is_being_tried_and_then_the_final_answer(question: list[str]) -> None:
    code, shown = on_a_terminal(["go", *question])
    preliminary, _, final = shown.rpartition("several columns; Ctrl-C ends it")
    assert code == 0
    assert "geo/countries.csv" in preliminary
    assert "\x1b[2K" in final  # the preliminary table is erased
    assert "geo/countries.csv" in final and "1 hit in" in final and "preliminary" not in final


def test_an_interruption_prints_the_answer_so_far_and_says_so(question: list[str]) -> None:
    code, shown = on_a_terminal(["wait", *question], until="Ctrl-C ends it")
    final = shown.rpartition("Ctrl-C ends it")[2]
    assert code == 130
    assert "note: interrupted: the answer is preliminary, until these have been tried: several columns" in final
    assert "geo/countries.csv" in final and "1 hit in" in final


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_elsewhere_only_the_final_answer_is_printed(question: list[str], more: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "go", *question, *more], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("geo/countries.csv") == 1 and "preliminary" not in done.stdout and done.stderr == ""


def test_preliminary_answers_say_what_is_tried_next(question: list[str]) -> None:
    answers = []
    with mere.open(question[-1]) as lake:
        final = lake.joinable({"c": ["Ostria", "Swizerland", "Germany"]}, on_update=answers.append)
    assert answers and all(hits.notes[-1].startswith("preliminary") for hits in answers)
    assert not any("preliminary" in note for note in final.notes)
