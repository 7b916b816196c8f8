"""The join graph holds every pair of columns that qualifies, and no other."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.errors import UsageError
from mere.pipeline import graph as graph_module
from mere.pipeline import pairs as pairs_module
from mere.pipeline.engine import Inline
from mere.pipeline.pairs import Wanted
from mere.segments import Table
from mere.store import files
from tests.conftest import write_files
from tests.kinds.harness import build_parts, folder
from tests.kinds.lakes import cuts, lakes
from tests.oracles.overlap import columns_of

quiet = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


class Opened:
    """What `write_graph` needs of an open snapshot, for segments that were built by hand."""

    def __init__(self, lake: str, parts: list[Any]) -> None:
        self.lake, self.number = lake, 1
        dead = [[i for i, alive in enumerate(part.live) if not alive] for part in parts]
        self.snapshot = self
        self.segments = [replace(part.segment.entry, dead=tuple(gone)) for part, gone in zip(parts, dead, strict=True)]


def brute(tables: list[Table], threshold: float, numbers: bool) -> set[tuple[str, str, str, str, int, int, int]]:
    columns = [
        (table.facts.name, name, set(values))
        for table in tables
        for name, values, kind in columns_of(table)
        if values and (numbers or not kind.is_number)
    ]
    return {
        (*left[:2], *right[:2], len(left[2] & right[2]), len(left[2]), len(right[2]))
        for left in columns
        for right in columns
        if left[:2] != right[:2] and left[2] & right[2] and len(left[2] & right[2]) / len(left[2]) >= threshold
    }


def read(out: str) -> list[dict[str, Any]]:
    return [row for name in sorted(os.listdir(out)) for row in pq.read_table(os.path.join(out, name)).to_pylist()]


@settings(max_examples=150, deadline=None, suppress_health_check=quiet)
@given(
    data=st.data(),
    threshold=st.sampled_from([0.01, 0.5, 2 / 3, 1.0]),
    numbers=st.booleans(),
    at_once=st.sampled_from([1, 3, 1000]),
    least=st.sampled_from([1, 2, 3]),
)
def test_the_graph_holds_every_pair(
    data: Any, threshold: float, numbers: bool, at_once: int, least: int, monkeypatch: Any
) -> None:
    from mere.indexes.overlap import Overlap

    monkeypatch.setattr(os, "fsync", lambda handle: None)
    monkeypatch.setattr("mere.indexes.overlap.column_pairs._AT_ONCE", at_once)
    tables = data.draw(lakes())
    dead = data.draw(st.frozensets(st.sampled_from([table.facts.name for table in tables]), max_size=2))
    with folder() as lake:
        groups = data.draw(cuts(tables))
        parts = build_parts(Overlap(), os.path.join(lake, "segments"), groups, {}, {}, dead)
        out = os.path.join(lake, "graph")
        everything = Wanted(threshold, numbers, least=1, accidents=True)
        summary = graph_module.write_graph(Opened(lake, parts), out, everything, engine=Inline())
        rows = read(out)
        fewer = graph_module.write_graph(
            Opened(lake, parts), f"{out} without", Wanted(threshold, numbers, least), engine=Inline()
        )
        kept = read(f"{out} without")
    assert kept == [row for row in rows if row["overlap"] >= least and not row["accident"]]
    assert fewer["left_out"] == reasons(rows, least) and summary["left_out"] == {}
    for document, written in ((summary, rows), (fewer, kept)):
        sizes = cluster_sizes(written)
        assert (document["tables"], document["clusters"]) == (sum(sizes), len(sizes))
        assert document["largest_cluster"] == max(sizes, default=0)
    living = [table for table in tables if table.facts.name not in dead]
    names = ("left_table", "left_column", "right_table", "right_column", "overlap", "left_distinct", "right_distinct")
    assert summary["pairs"] == len(rows)
    pairs = [tuple(row[name] for name in names) for row in rows]
    assert len(pairs) == len(set(pairs)) and set(pairs) == brute(living, threshold, numbers)
    unique = {
        (table.facts.name, name): len(values) / table.sets.counts[start : start + len(values)].sum()
        for table in tables
        for (name, values, _), start in zip(columns_of(table), table.sets.starts.tolist(), strict=False)
        if values
    }
    for row in rows:
        assert row["containment"] == row["overlap"] / row["left_distinct"]
        assert row["jaccard"] == row["overlap"] / (row["left_distinct"] + row["right_distinct"] - row["overlap"])
        for side in ("left", "right"):
            assert row[f"{side}_unique"] == unique[row[f"{side}_table"], row[f"{side}_column"]]


def reasons(rows: list[dict[str, Any]], least: int) -> dict[str, int]:
    return dict(Counter("few shared values" if row["overlap"] < least else row["accident"] for row in rows
                        if row["overlap"] < least or row["accident"]))  # fmt: skip


def cluster_sizes(rows: list[dict[str, Any]]) -> list[int]:
    """How many tables are in each cluster of connected tables."""
    clusters: list[set[str]] = []
    for row in rows:
        ends = {row["left_table"], row["right_table"]}
        if len(ends) == 2:
            touched = [cluster for cluster in clusters if cluster & ends]
            clusters = [cluster for cluster in clusters if not cluster & ends] + [ends.union(*touched)]
    return [len(cluster) for cluster in clusters]


FILES = {
    "a.csv": "k,n\nred,1\ngreen,2\nblue,3\n",
    "b.csv": "colour\nred\ngreen\nblue\nblack\n",
    "c.csv": "x\nred\nsun\n",
}


@pytest.mark.spark
def test_the_command_graph_runs_on_spark_and_never_overwrites(
    tmp_path: Path, run_index: Any, capsys: Any, spark: Any
) -> None:
    run_index(write_files(tmp_path / "raw", FILES))
    out = tmp_path / "graph"
    assert run(["graph", str(out), "--threshold", "0.7", "--least", "3", "--lake", run_index.lake]) == 0
    shown = capsys.readouterr().out
    assert "2 pairs" in shown and "2 tables joined with another, in 1 cluster; the largest has 2" in shown
    assert {(row["left_table"], row["right_table"], row["overlap"]) for row in read(str(out))} == {
        ("a.csv", "b.csv", 3), ("b.csv", "a.csv", 3),
    }  # fmt: skip
    assert run(["graph", str(out), "--lake", run_index.lake]) == 2  # never overwritten
    with mere.open(run_index.lake) as lake, pytest.raises(UsageError, match="threshold"):
        lake.graph(tmp_path / "other", 0.0)
    assert sorted(os.listdir(tmp_path)) == ["graph", "lake", "raw"]


def test_a_graph_that_fails_leaves_nothing(tmp_path: Path, run_index: Any) -> None:
    run_index(write_files(tmp_path / "raw", FILES))

    class Failing(Inline):
        def run(self, task: str, payloads: Any, advance: Any = None) -> Any:
            super().run(task, payloads[:1], advance)
            raise KeyboardInterrupt

    with mere.open(run_index.lake) as lake, pytest.raises(KeyboardInterrupt):
        lake.graph(tmp_path / "graph", engine=Failing())
    assert sorted(os.listdir(tmp_path)) == ["lake", "raw"]


def test_a_task_that_is_repeated_leaves_one_file(tmp_path: Path, run_index: Any, monkeypatch: Any) -> None:
    run_index(write_files(tmp_path / "raw", FILES))
    real, failures = pairs_module._batch, [OSError("once")]

    def failing(*arguments: Any) -> Any:
        if failures:
            raise failures.pop()
        return real(*arguments)

    class Trying(Inline):
        def run(self, task: str, payloads: Any, advance: Any = None) -> Any:
            try:
                return super().run(task, payloads, advance)
            except OSError:
                Path(files.aside_of(payloads[0]["path"])).write_bytes(b"half")  # as a killed worker leaves it
                return super().run(task, payloads, advance)

    monkeypatch.setattr(pairs_module, "_batch", failing)
    monkeypatch.setattr("mere.indexes.overlap.column_pairs._AT_ONCE", 1)
    with mere.open(run_index.lake) as lake:
        summary = lake.graph(tmp_path / "graph", 0.3, least=1, accidents=True, engine=Trying())
    assert len(read(str(tmp_path / "graph"))) == summary["pairs"] > 0
    assert all(name.endswith(".parquet") for name in os.listdir(tmp_path / "graph"))


def test_a_least_number_is_checked(tmp_path: Path, run_index: Any) -> None:
    run_index(write_files(tmp_path / "raw", FILES))
    with mere.open(run_index.lake) as lake:
        for wrong in (0, -1, 2.5, True, "3"):
            with pytest.raises(UsageError, match="'least' must be a whole number from 1 on"):
                lake.graph(tmp_path / "graph", least=wrong, engine=Inline())
        document = lake.graph(tmp_path / "graph", 0.3, engine=Inline())
    assert document["pairs"] == 0 and document["left_out"] == {"few shared values": 5}
    assert (document["tables"], document["clusters"], document["largest_cluster"]) == (0, 0, 0)
