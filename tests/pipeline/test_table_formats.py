"""Delta Lake and Iceberg: the current version is the table; logs and dead files never are."""

import json
import shutil
import sys

import deltalake
import pyarrow as pa
import pytest

import mere
from tests.conftest import write_files
from tests.pipeline.iceberg_catalog import FolderCatalog
from tests.pipeline.test_updates import files_read, names

ROWS = pa.table({"id": [1, 2, 3, 4], "city": ["New York", "a/b", None, "Ü x"], "n": [1.5, 2.0, None, 4.0]})


def rows(lake, table):
    with mere.open(lake) as opened:
        listed = opened.rows(table, raw=True).to_pylist()
    return sorted(listed, key=lambda row: [str(cell) for cell in row.values()])


def as_text(table):
    cells = [
        {k: None if v is None else f"{v:g}" if isinstance(v, float) else str(v) for k, v in row.items()}
        for row in table
    ]
    return sorted(cells, key=lambda row: [str(cell) for cell in row.values()])


def delta_rows(folder, *order):
    table = pa.table(deltalake.DeltaTable(str(folder)).to_pyarrow_table())
    return as_text(table.select(list(order) or table.column_names).to_pylist())


def test_a_delta_table_is_its_current_version_with_its_partition_columns(tmp_path, run_index):
    folder = tmp_path / "raw/shop/orders"
    deltalake.write_deltalake(folder, ROWS, partition_by=["city"])
    deltalake.write_deltalake(folder, ROWS.slice(0, 2), mode="append")
    deltalake.DeltaTable(folder).delete("id = 2")
    report = run_index(tmp_path / "raw")
    assert names(run_index.lake) == ["shop/orders"] and report.quarantined == []
    assert report.hidden == 3 + 2, "three versions in the log, and two files that the last one removed"
    assert rows(run_index.lake, "shop/orders") == delta_rows(folder, "id", "n", "city")


def test_an_update_of_a_delta_table_reads_only_new_files(tmp_path, run_index, monkeypatch):
    folder = tmp_path / "raw/t"
    for start in range(3):
        deltalake.write_deltalake(folder, ROWS.slice(start, 1), mode="append")
    run_index(tmp_path / "raw")
    seen = files_read(monkeypatch)
    deltalake.write_deltalake(folder, ROWS.slice(3, 1), mode="append")
    report = run_index()
    assert len(seen) == 1 and (report.added, report.unchanged) == (1, 3)
    deltalake.DeltaTable(folder).delete("id = 1")
    report = run_index()
    assert len(seen) == 1 and report.removed == 1
    assert rows(run_index.lake, "t") == delta_rows(folder)


def test_a_source_that_is_a_delta_table_is_called_by_its_folder(tmp_path, run_index):
    deltalake.write_deltalake(tmp_path / "orders", ROWS)
    run_index(tmp_path / "orders", include=["*.parquet"])
    assert names(run_index.lake) == ["orders"]


@pytest.mark.parametrize("library", ["deltalake", "pyiceberg"])
def test_without_the_library_the_folder_is_in_quarantine_and_nothing_of_it_is_a_table(
    library, tmp_path, run_index, monkeypatch
):
    raw = write_files(tmp_path / "raw", {"a.csv": "k,v\n1,2\n"})
    deltalake.write_deltalake(raw / "deltalake", ROWS)
    FolderCatalog(str(raw)).create_table("pyiceberg", ROWS.schema).append(ROWS)
    with monkeypatch.context() as patched:
        for name in [name for name in sys.modules if name.partition(".")[0] == library]:
            patched.setitem(sys.modules, name, None)
        patched.setitem(sys.modules, library, None)
        report = run_index(raw)
    [entry] = report.quarantined
    extra = {"deltalake": "delta", "pyiceberg": "iceberg"}[library]
    assert entry["path"] == library and f"pip install 'mere[{extra}]'" in entry["reason"]
    assert names(run_index.lake) == sorted(["a.csv", *({"deltalake", "pyiceberg"} - {library})])
    assert run_index().quarantined == [] and names(run_index.lake) == ["a.csv", "deltalake", "pyiceberg"]


def test_a_delta_table_with_a_missing_file_or_deletion_vectors_is_refused(tmp_path, run_index):
    raw = tmp_path / "raw"
    deltalake.write_deltalake(raw / "missing", ROWS)
    next((raw / "missing").glob("*.parquet")).unlink()
    deltalake.write_deltalake(raw / "vectors", ROWS)
    log = raw / "vectors/_delta_log/00000000000000000000.json"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "protocol" in line:
            features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
            line["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, **features}
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (raw / "damaged/_delta_log").mkdir(parents=True)
    (raw / "damaged/_delta_log/00000000000000000000.json").write_text("{")
    reasons = {row["path"]: row["reason"] for row in run_index(raw).quarantined}
    assert sorted(reasons) == ["damaged", "missing", "vectors"] and names(run_index.lake) == []
    assert "is not there" in reasons["missing"] and "deletion vectors" in reasons["vectors"]


def test_an_iceberg_table_is_its_current_snapshot(tmp_path, run_index, monkeypatch):
    raw = tmp_path / "raw"
    table = FolderCatalog(str(raw / "shop")).create_table("orders", ROWS.schema)
    table.append(ROWS)
    table.append(ROWS.slice(0, 2))
    table.delete("id = 2")
    run_index(raw)
    assert names(run_index.lake) == ["shop/orders"]
    assert rows(run_index.lake, "shop/orders") == as_text(table.scan().to_arrow().to_pylist())
    seen = files_read(monkeypatch)
    table.append(ROWS.slice(3, 1))
    run_index()
    assert len(seen) == 1
    assert rows(run_index.lake, "shop/orders") == as_text(table.scan().to_arrow().to_pylist())


def test_a_table_without_data_files_is_told_and_read_once_it_has_rows(tmp_path, run_index):
    raw = tmp_path / "raw"
    deltalake.write_deltalake(raw / "delta", ROWS)
    deltalake.DeltaTable(raw / "delta").delete()
    table = FolderCatalog(str(raw)).create_table("iceberg", ROWS.schema)
    report = run_index(raw)
    assert {row["path"] for row in report.quarantined} == {"delta", "iceberg"} and names(run_index.lake) == []
    assert all("has no data files" in row["reason"] for row in report.quarantined)
    table.append(ROWS)
    deltalake.write_deltalake(raw / "delta", ROWS, mode="append")
    assert run_index().quarantined == [] and names(run_index.lake) == ["delta", "iceberg"]


def test_a_delta_table_in_the_folder_of_another_one_is_a_table_of_its_own(tmp_path, run_index):
    outer, other = tmp_path / "raw/outer", pa.table({"zip": ["x", "y"]})
    deltalake.write_deltalake(outer, ROWS)
    deltalake.write_deltalake(outer / "sub", other)
    write_files(tmp_path / "raw", {"good.csv": "a,b\n1,2\n"})
    assert run_index(tmp_path / "raw").quarantined == []
    assert names(run_index.lake) == ["good.csv", "outer", "outer/sub"]
    assert rows(run_index.lake, "outer") == delta_rows(outer)
    assert rows(run_index.lake, "outer/sub") == as_text(other.to_pylist())


def test_whatever_a_library_raises_the_folder_is_in_quarantine_and_the_run_goes_on(tmp_path, run_index, monkeypatch):
    class PanicException(BaseException):  # as libraries written in Rust raise it
        pass

    def stop(folder):
        raise PanicException("no state to go on from")

    deltalake.write_deltalake(tmp_path / "raw/orders", ROWS)
    log = tmp_path / "raw/orders/_delta_log"
    shutil.copytree(log, log / "_delta_log")  # then no file is left for the outer table
    write_files(tmp_path / "raw", {"good.csv": "a,b\n1,2\n"})
    assert {row["path"] for row in run_index(tmp_path / "raw").quarantined} == {"orders/_delta_log"}
    monkeypatch.setattr(deltalake, "DeltaTable", stop)
    reasons = {row["path"]: row["reason"] for row in run_index(rebuild=True).quarantined}
    assert "Panicked: no state" in reasons["orders"] and names(run_index.lake) == ["good.csv"]
