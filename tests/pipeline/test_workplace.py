"""Temporary folders of processes that are gone are deleted, all others stay; Spark's errors in plain words."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from mere.errors import LakeError, SparkError, WorkerLost
from mere.pipeline import workplace
from mere.pipeline.engine import _cause_of
from mere.pipeline.progress import Stages
from mere.pipeline.settings import Settings
from mere.pipeline.spark_reading import SparkReader
from mere.pipeline.spark_tables import SparkTable


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(workplace, "_folders", {})
    monkeypatch.setattr(workplace, "_kept", set())
    return tmp_path


def make_folder(temporary: Path, name: str) -> str:
    (temporary / name).mkdir()
    (temporary / name / "blocks").write_text("x")
    return name


def test_only_folders_of_processes_that_are_gone_are_deleted(temporary):
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    os.waitpid(gone, 0)
    make_folder(temporary, f"mere-spark-{gone}-12345-abc")
    make_folder(temporary, f"mere-spark-{os.getpid()}-1-abc")  # the number was given again
    kept = {
        make_folder(temporary, f"mere-spark-{workplace._identity(os.getpid())}-abc"),
        make_folder(temporary, "mere-spark-of-others"),
        make_folder(temporary, f"other-{gone}-12345-abc"),
        f"mere-spark-{gone}-12345-link",
    }
    (temporary / f"mere-spark-{gone}-12345-link").symlink_to(temporary / f"other-{gone}-12345-abc")
    own = os.path.basename(workplace.workplace())
    assert set(os.listdir(temporary)) == kept | {own}
    assert workplace.workplace() == str(temporary / own), "one folder per process"


@pytest.mark.parametrize("error", [False, True])
def test_the_folder_of_a_process_ends_with_it_unless_an_error_names_its_log(temporary, error):
    child = os.fork()
    if child == 0:
        folder = workplace.workplace()
        if error:
            workplace.keep_log()
        workplace._remove_at_exit(folder, os.getpid())
        os._exit(0)
    os.waitpid(child, 0)
    assert len(os.listdir(temporary)) == error
    workplace.remove_abandoned()
    assert os.listdir(temporary) == []


def test_temporary_files_of_a_block_lie_in_the_workplace(temporary, monkeypatch):
    monkeypatch.delenv("TMPDIR", raising=False)
    with workplace.temporary_files_here():
        assert tempfile.gettempdir() == os.environ["TMPDIR"] == workplace.workplace()
    assert tempfile.gettempdir() == str(temporary) and "TMPDIR" not in os.environ


@pytest.mark.parametrize("error", [ConnectionRefusedError(111, "Connection refused"), EOFError()])
def test_a_lost_connection_to_java_is_told_in_plain_words(temporary, error):
    cause = _cause_of(error)
    assert isinstance(cause, SparkError)
    assert str(cause) == ("Spark's Java process ended during the run; give the machine more memory, and run it again")


def test_a_worker_that_ended_is_told_from_a_task_that_failed(temporary):
    from pyspark.errors import PySparkException

    crashed = "Job aborted: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)"
    assert isinstance(_cause_of(PySparkException(crashed)), WorkerLost)
    failed = _cause_of(PySparkException("Job aborted\nTraceback\nValueError: no such thing\n"))
    assert isinstance(failed, LakeError) and not isinstance(failed, WorkerLost)
    assert "ValueError: no such thing" in failed.message


@pytest.mark.parametrize("module", ["mere", "pyarrow", "mere.readers"])
def test_a_module_that_workers_lack_ends_the_run_and_no_table_is_quarantined(temporary, module, monkeypatch):
    from pyspark.errors import PySparkException

    lines = ["Job aborted due to stage failure", "Traceback (most recent call last):"]
    error = PySparkException("\n".join([*lines, f"ModuleNotFoundError: No module named '{module}'", "", "at org.x"]))
    cause = _cause_of(error)
    assert isinstance(cause, SparkError) and f"cannot import {module}" in cause.message
    assert f"PYSPARK_PYTHON={sys.executable}" in cause.remedy

    def fail(*_):
        raise cause

    monkeypatch.setattr(SparkReader, "_staged", fail)
    reader = SparkReader("", Settings(), Stages(None))
    with pytest.raises(SparkError, match="cannot import"):
        reader.stage(SparkTable("spark:t", None), "t")
