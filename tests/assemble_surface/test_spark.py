"""Counting on Spark gives the same bundle: tables of the lake, files and frames together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mere
from mere import lake as surface
from mere.errors import UsageError
from mere.pipeline import signatures
from tests.assemble_surface.conftest import BASE, ROWS, table
from tests.conftest import write_files

pytestmark = pytest.mark.spark


@pytest.fixture
def candidates(tmp_path: Path) -> list[Any]:
    (tmp_path / "file.csv").write_text(table(ROWS[33:38]))
    return ["north.csv", "south.csv", tmp_path / "file.csv", {"city": ["Bonn", "Graz"], "amount": [1, 0]}]


def without_times(bundle: mere.Bundle) -> dict[str, Any]:
    return {**bundle.to_dict(), "seconds": None}


@pytest.mark.parametrize("method", ["exact", "optimal"])
def test_the_bundle_is_the_same(lake: mere.Lake, spark: Any, candidates: list[Any], method: str) -> None:
    given = (BASE, candidates, ["amount < 30", "city = 'Rome'"], 3, None, method)
    counted_here = lake.assemble(*given, spark=False)
    assert without_times(lake.assemble(*given, spark=spark)) == without_times(counted_here)
    assert without_times(lake.assemble(*given, spark=True)) == without_times(counted_here)


def test_frames_of_spark_are_tables(spark: Any) -> None:
    from pyspark.sql import SparkSession

    session = SparkSession(spark)
    base = session.createDataFrame([("a", 1), ("b", 2)], "key string, n int")
    more = session.createDataFrame([("B", 2), ("c", 3)], "key string, n int")
    bundle = mere.assemble(base, {"more": more}, method="exact")
    assert bundle.distinct == 3 and bundle.fetch().column("key").to_pylist() == ["a", "b", "c"]


def test_tasks_get_the_absolute_path_of_the_lake(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def stopped(tables: list[Any], *more: Any) -> None:
        given.extend(tables)
        raise UsageError("not counted", "this test only looks at the tables")

    monkeypatch.setattr(signatures, "spark_signatures", stopped)
    monkeypatch.chdir(indexed)
    with mere.open("lake") as lake, pytest.raises(UsageError, match="not counted"):
        lake.assemble("north.csv", ["south.csv"], method="exact", spark=True)
    assert [table.lake for table in given] == [str(indexed / "lake")] * 2


def test_many_rows_are_counted_on_spark_unless_that_is_refused(
    lake: mere.Lake, spark: Any, candidates: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences: list[str] = []
    monkeypatch.setattr(surface, "_SPARK_FROM", 40)
    lake.assemble(BASE, candidates, method="exact", progress=sentences.append)
    assert any("Spark" in sentence for sentence in sentences)
    sentences.clear()
    lake.assemble(BASE, candidates, method="exact", spark=False, progress=sentences.append)
    lake.assemble(BASE, candidates, progress=sentences.append)
    assert sentences and not any("Spark" in sentence for sentence in sentences)


def test_dates_of_the_lake_are_read_like_those_of_the_base(tmp_path: Path, run_index: Any, spark: Any) -> None:
    lines = [f"{day:02}/0{month}/2020,{day}" for day in range(1, 13) for month in (1, 2)]
    write_files(tmp_path / "raw", {"days.csv": "\n".join(["day,n", *lines]) + "\n"})
    run_index(tmp_path / "raw")
    base = {"day": [f"{day:02}/01/2020" for day in range(1, 20)], "n": list(range(1, 20))}
    with mere.open(run_index.lake) as lake:
        assert lake.assemble(base, ["days.csv"], method="exact", spark=spark).distinct == 19 + 12


def test_cells_are_compared_in_the_same_form(tmp_path: Path, run_index: Any, spark: Any) -> None:
    rows = [f"{n};{n},000,{n:03}" for n in range(100, 120)]
    texts = [f"{n};{'see note' if n % 2 else f'{n},000,{n:03}'}" for n in range(100, 120)]
    write_files(
        tmp_path / "raw", {"a.csv": "\n".join(["k;n", *rows]) + "\n", "b.csv": "\n".join(["k;n", *texts]) + "\n"}
    )
    run_index(tmp_path / "raw")
    with mere.open(run_index.lake) as lake:
        for base in ("a.csv", "b.csv"):
            assert lake.assemble(base, method="exact", spark=spark).distinct == 30
