"""Spark builds what one process builds, byte for byte, with any master, and survives a killed executor."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

import mere
from mere.errors import SparkError
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.segments import OpenSnapshot
from tests.conftest import RAW, write_files

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[2]
MANY = Settings(segment_bytes=20_000, split_bytes=16_384)


@pytest.fixture(scope="module")
def lake_of_many(tmp_path_factory):
    """Dozens of tables, one of them large enough to be cut, and the lake that one process makes of them."""
    folder = tmp_path_factory.mktemp("many")
    write_files(folder / "raw", RAW)
    for i in range(60):
        rows = "".join(f"{j},name {j * i},{j / 7}\n" for j in range(100))
        write_files(folder / "raw", {f"t/{i:03d}.csv": f"id,name,x\n{rows}"})
    quoted = "".join(f'{i},"a ""b""\n{i}"\n' for i in range(8000))
    write_files(folder / "raw", {"large.csv": f"id,text\n{quoted}"})
    index([folder / "raw"], folder / "inline", engine=Inline(), settings=MANY)
    return folder


def contents(lake):
    opened = OpenSnapshot(str(lake))
    return [(entry.first, entry.files) for entry in opened.snapshot.segments]


def test_two_cores_build_what_one_process_builds(lake_of_many, spark):
    lake = lake_of_many / "two cores"  # beside the other: the path from a lake to its source is part of it
    report = index([lake_of_many / "raw"], lake, spark=spark, settings=MANY)
    assert contents(lake) == contents(lake_of_many / "inline")
    assert len(contents(lake)) > 10
    assert [row["path"] for row in report.quarantined] == ["broken/empty.csv", "broken/picture.csv"]
    assert spark.parallelize([1]).count() == 1, "the caller's Spark is still there"


def test_a_spark_that_is_already_running_is_used_and_left_alone(raw, spark, tmp_path):
    assert mere.index(raw, tmp_path / "lake").totals["tables"] == 4
    assert spark.parallelize([1]).count() == 1
    with pytest.raises(SparkError, match="already runs Spark"):
        mere.index(raw, tmp_path / "other", master="local[7]")


def test_questions_on_executors_get_the_answers_of_this_process(lake_of_many, spark):
    queries = ["countries", "name id", "column:x", "atlas -cities", "contries"]
    with mere.open(lake_of_many / "inline") as lake:
        here = [lake.keywords(query, k=7).to_dicts() for query in queries]
        there = lake.batch("keywords", queries, spark, k=7)
        assert [hits.to_dicts() for hits in there] == here
        assert any(here)


def test_one_core_and_a_cluster_that_loses_an_executor_build_the_same_bytes(lake_of_many):
    """Runs in its own process, because a JVM has one Spark context at a time."""
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, __file__, str(lake_of_many / "raw"), str(lake_of_many)],
        capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},  # executors work elsewhere
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "killed an executor" in done.stdout
    expected = contents(lake_of_many / "inline")
    assert contents(lake_of_many / "one") == expected
    assert contents(lake_of_many / "cluster") == expected


def executors() -> list[int]:
    """The executor processes below this one."""
    pids = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command and b"launcher" not in command and _is_mine(int(folder.name)):
            pids.append(int(folder.name))
    return pids


def _is_mine(pid: int) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return False


def kill_one_when_building(lake: Path) -> None:
    while not list(lake.glob("segments/*/keywords.idx")):
        time.sleep(0.005)
    victim = executors()[0]
    os.kill(victim, signal.SIGKILL)
    print("killed an executor", victim, flush=True)


def main(raw: str, folder: Path) -> None:
    index([raw], folder / "one", master="local[1]", settings=MANY)
    lake = folder / "cluster"
    threading.Thread(target=kill_one_when_building, args=(lake,), daemon=True).start()
    index([raw], lake, master="local-cluster[2,1,1024]", settings=MANY)


if __name__ == "__main__":
    import sys

    main(sys.argv[1], Path(sys.argv[2]))
