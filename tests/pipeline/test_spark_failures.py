"""Workers that end, a Java process that ends, a run that is killed: what a user sees, and what is left behind.

Each runs in processes of its own, with its own folder for temporary files.  `sitecustomize` makes a file dangerous in
every Python process below, Spark's workers too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.conftest import write_files
from tests.processes import child

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[2]
BOMBS = """
import ctypes, os, time
from mere.pipeline import stage_files

real = stage_files.readers.open_tables

def explode(path, *rest, **options):
    name = os.path.basename(path)
    if name == "abort.csv":
        os.abort()
    if name == "hang.csv":
        ctypes.PyDLL(None).sleep(600)
    if name == "wait.csv" and os.path.exists("wait"):
        open("waits", "x").close()
        time.sleep(600)
    return real(path, *rest, **options)

stage_files.readers.open_tables = explode
"""
INDEX = """
import sys, mere

report = mere.index("raw", "lake", master=sys.argv[1], settings=mere.Settings(limits=mere.Limits(seconds=15)))
print(report.totals["tables"])
for row in report.quarantined:
    print(row["path"], row["reason"])
"""
KILLS_JAVA = """
import os, signal, threading, time, mere
from pyspark import SparkContext

def kill():
    while not os.path.exists("waits"):
        time.sleep(0.01)
    os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)

threading.Thread(target=kill).start()
try:
    mere.index("raw", "lake")
except mere.MereError as error:
    print(type(error).__name__, error.message)
os.unlink("wait")
print(mere.index("raw", "lake").totals["tables"])
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_files(tmp_path, {f"raw/{n:02d}.csv": f"k,v\n{n},a\n" for n in range(30)})
    write_files(tmp_path, {"patch/sitecustomize.py": BOMBS})
    (tmp_path / "temporary").mkdir()
    return tmp_path


def start(place: Path, program: str, *arguments: str) -> AbstractContextManager[subprocess.Popen[str]]:
    """Run a program in the test's folder."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(place / "patch")]),
        "TMPDIR": str(place / "temporary"),
    }
    command = [sys.executable, "-c", program, *arguments]
    return child(command, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def output_of(started: AbstractContextManager[subprocess.Popen[str]]) -> list[str]:
    with started as process:
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    return output.splitlines()


def test_a_file_that_ends_workers_is_quarantined_although_spark_does_not_try_again(place):
    write_files(place, {"raw/abort.csv": "k\n1\n"})
    assert output_of(start(place, INDEX, "local[2]")) == [
        "30",
        "abort.csv reading it ended the process with signal 6 (SIGABRT)",
    ]
    assert os.listdir(place / "temporary") == []


@pytest.mark.slow
@pytest.mark.parametrize("master", ["local[2]", "local[2,4]"])
def test_files_that_end_or_stop_workers_are_quarantined_with_and_without_spark_trying_again(place, master):
    write_files(place, {"raw/abort.csv": "k\n1\n", "raw/hang.csv": "k\n1\n"})
    assert output_of(start(place, INDEX, master)) == [
        "30",
        "abort.csv reading it ended the process with signal 6 (SIGABRT)",
        "hang.csv reading it took more than 15 seconds; raise the limit 'seconds'",
    ]
    assert os.listdir(place / "temporary") == []


@pytest.mark.slow
def test_a_java_process_that_ends_gives_a_plain_message_and_the_next_run_starts_another(place):
    write_files(place, {"raw/wait.csv": "k\n1\n", "wait": ""})
    assert output_of(start(place, KILLS_JAVA)) == ["SparkError Spark's Java process ended during the run", "31"]


@pytest.mark.slow
def test_nothing_is_left_in_the_temporary_folder_after_a_kill_and_the_next_run(place):
    write_files(place, {"raw/wait.csv": "k\n1\n", "wait": ""})
    with start(place, INDEX, "local[2]") as killed:
        while not (place / "waits").exists():
            assert killed.poll() is None
            time.sleep(0.01)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
    assert os.listdir(place / "temporary"), "a kill leaves files"
    (place / "wait").unlink()
    assert output_of(start(place, INDEX, "local[2]")) == ["31"]
    assert os.listdir(place / "temporary") == []
