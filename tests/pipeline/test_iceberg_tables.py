"""Iceberg: what a table's metadata names is not trusted, and columns are what their ids say."""

import gzip
import io
import json
import os
import shutil
import socket
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.types import LongType, StringType

import mere
from mere.pipeline import iceberg_files, iceberg_tables, index
from mere.pipeline.engine import Inline
from mere.pipeline.iceberg_columns import columns_to_leave_out
from mere.pipeline.iceberg_files import Refused, TableFiles
from mere.pipeline.iceberg_tables import data_files
from tests.pipeline.iceberg_catalog import FolderCatalog
from tests.pipeline.test_table_formats import ROWS, as_text, rows
from tests.pipeline.test_updates import files_read, names


def newest(folder: Path) -> Path:
    return max((folder / "metadata").glob("*.metadata.json"))


def rewrite(folder: Path, change) -> None:
    """Change the newest metadata of a table."""
    path = newest(folder)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


@pytest.fixture
def table(tmp_path):
    table = FolderCatalog(str(tmp_path / "raw")).create_table("orders", ROWS.schema)
    table.append(ROWS)
    return table


@pytest.fixture
def folder(tmp_path, table):
    return tmp_path / "raw/orders"


@pytest.mark.parametrize(
    ("place", "scheme"),
    [("location", "http"), ("location", "s3"), *(("manifest-list", scheme) for scheme in ("http", "s3", "file"))],
)
def test_metadata_that_names_a_module_and_a_server_imports_nothing_and_asks_nobody(
    place, scheme, tmp_path, folder, run_index, monkeypatch
):
    (tmp_path / "hostile_io.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w')\nclass IO: pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = f"127.0.0.1:{server.getsockname()[1]}"

        def change(document):
            keys = {"s3.access-key-id": "a", "s3.secret-access-key": "b", "s3.region": "x"}
            document["properties"] = {"py-io-impl": "hostile_io.IO", "s3.endpoint": f"http://{address}", **keys}
            target = document if place == "location" else document["snapshots"][-1]
            target[place] = {"http": f"http://{address}/x", "s3": "s3://bucket/x", "file": "file:///nowhere/x"}[scheme]

        rewrite(folder, change)
        [entry] = run_index(tmp_path / "raw").quarantined
        with pytest.raises(TimeoutError):
            server.accept()
    reason = "lies outside" if scheme == "file" else "not a local file"
    assert entry["path"] == "orders" and reason in entry["reason"] and names(run_index.lake) == []
    assert not (tmp_path / "imported").exists() and "hostile_io" not in sys.modules


def test_a_module_in_the_properties_is_not_imported_and_the_table_is_read(tmp_path, folder, run_index):
    rewrite(folder, lambda document: document.update(properties={"py-io-impl": "no_such_module.IO"}))
    assert run_index(tmp_path / "raw").quarantined == [] and len(rows(run_index.lake, "orders")) == ROWS.num_rows


def test_a_table_that_was_moved_with_the_lake_is_kept(tmp_path, table, run_index):
    run_index(tmp_path / "raw")
    (tmp_path / "there").mkdir()
    for name in ("raw", "lake"):
        os.rename(tmp_path / name, tmp_path / "there" / name)
    report = index([], tmp_path / "there/lake", engine=Inline())
    assert (report.unchanged, report.changed, report.quarantined) == (1, 0, [])
    expected = as_text(ROWS.to_pylist())
    assert rows(str(tmp_path / "there/lake"), "orders") == expected
    assert run_index(tmp_path / "there/raw").quarantined == [] and rows(run_index.lake, "orders") == expected


@pytest.mark.parametrize(
    "kind", ["metadata/snap-*.avro", "metadata/*-m0.avro", "data/*.parquet", "metadata/00001*.json"]
)
def test_a_link_that_leaves_the_folder_is_refused(kind, tmp_path, folder, run_index):
    [path] = folder.glob(kind)
    shutil.move(path, tmp_path / path.name)
    path.symlink_to(tmp_path / path.name)
    [entry] = run_index(tmp_path / "raw").quarantined
    assert entry["path"] == "orders" and "lies outside of its folder" in entry["reason"]


@pytest.mark.parametrize("path", ["../../etc/passwd", "data/../../x", "/etc/passwd", "file:///etc/passwd"])
def test_paths_outside_of_the_folder_are_refused(path, folder):
    files = TableFiles(str(folder))
    files.read_metadata(newest(folder).name)
    with pytest.raises(Refused, match="lies outside"):
        files.path_of(path if "etc" in path and path[0] != "." else f"file://{folder}/{path}")


@pytest.mark.parametrize("limit", ["METADATA_BYTES", "MANIFEST_BYTES", "ALL_MANIFEST_BYTES"])
def test_metadata_above_a_limit_is_refused(limit, folder, monkeypatch):
    assert len(data_files(str(folder))) == 1
    monkeypatch.setattr(iceberg_files, limit, 100)
    with pytest.raises(Refused, match="more than 100 bytes"):
        data_files(str(folder))


def test_a_manifest_is_measured_decompressed(monkeypatch):
    import fastavro

    file = io.BytesIO()
    schema = {"type": "record", "name": "r", "fields": [{"name": "a", "type": "string"}]}
    fastavro.writer(file, schema, [{"a": "x" * 10_000}] * 3, codec="deflate")
    plain = iceberg_files._uncompressed(io.BytesIO(file.getvalue()), "m")
    assert len(plain) > 30_000 and list(fastavro.reader(io.BytesIO(plain))) == [{"a": "x" * 10_000}] * 3
    monkeypatch.setattr(iceberg_files, "MANIFEST_BYTES", 20_000)
    with pytest.raises(Refused, match="'m' has more than 20,000 bytes"):
        iceberg_files._uncompressed(io.BytesIO(file.getvalue()), "m")


def test_records_without_bytes_are_refused():
    import fastavro

    file = io.BytesIO()
    fastavro.writer(file, {"type": "record", "name": "r", "fields": []}, [{}] * 100)
    with pytest.raises(ValueError, match="100 records in 0 bytes"):
        iceberg_files._uncompressed(io.BytesIO(file.getvalue()), "m")


def test_a_table_of_too_many_manifests_is_refused(table, folder, monkeypatch):
    monkeypatch.setattr(iceberg_tables, "MANIFESTS", 2)
    table.append(ROWS)
    assert len(data_files(str(folder))) == 2
    table.append(ROWS)
    with pytest.raises(Refused, match="more than 2 manifests"):
        data_files(str(folder))


def test_compressed_metadata_is_read(folder):
    path, expected = newest(folder), data_files(str(folder))
    packed = path.with_name(path.name.replace(".metadata.json", ".gz.metadata.json"))
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert data_files(str(folder)) == expected


@pytest.mark.parametrize(
    ("content", "number", "oldest", "expected"),
    [(0, 9, 1, False), (1, 3, 3, True), (1, 2, 3, False), (2, 3, 3, False), (2, 4, 3, True)],
)
def test_delete_files_count_if_they_are_newer_than_a_data_file(content, number, oldest, expected):
    entry = SimpleNamespace(data_file=SimpleNamespace(content=content), sequence_number=number)
    assert iceberg_tables._deletes(entry, oldest) is expected


def test_a_table_with_a_delete_file_is_refused(folder, monkeypatch):
    entries = iceberg_tables._entries

    def with_delete_file(*arguments):
        [entry] = entries(*arguments)
        deleting = SimpleNamespace(data_file=SimpleNamespace(content=1), sequence_number=entry.sequence_number)
        return [entry, deleting]

    monkeypatch.setattr(iceberg_tables, "_entries", with_delete_file)
    with pytest.raises(Refused, match="deleted by separate files"):
        data_files(str(folder))


def change_columns(table, change):
    with table.update_schema() as update:
        change(update)


def test_a_renamed_column_is_refused_until_it_has_its_old_name(tmp_path, table, run_index):
    change_columns(table, lambda update: update.rename_column("city", "town"))
    [entry] = run_index(tmp_path / "raw").quarantined
    assert entry["path"] == "orders" and "'city' was renamed to 'town'" in entry["reason"]
    change_columns(table, lambda update: update.rename_column("town", "city"))
    assert run_index().quarantined == [] and rows(run_index.lake, "orders") == as_text(ROWS.to_pylist())


def test_a_dropped_column_is_left_out_by_an_update_and_the_same_name_is_another_column(
    tmp_path, table, run_index, monkeypatch
):
    run_index(tmp_path / "raw")
    change_columns(table, lambda update: update.delete_column("n"))
    run_index()
    assert rows(run_index.lake, "orders") == as_text(ROWS.drop_columns(["n"]).to_pylist())
    change_columns(table, lambda update: update.add_column("n", StringType()))
    seen = files_read(monkeypatch)
    table.append(pa.table({"id": [9], "city": ["x"], "n": ["new"]}))
    run_index()
    assert len(seen) == 1 and rows(run_index.lake, "orders") == as_text(table.scan().to_arrow().to_pylist())


MAPS = pa.array([[("u", 1)]], pa.map_(pa.string(), pa.int64()))
NESTED = pa.table({"k": [1], "s": [{"a": 1, "b": "x"}], "l": [[{"q": 1}]], "m": MAPS})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda update: update.rename_column(("s", "a"), "aa"), "'s.a' was renamed to 's.aa'"),
        (lambda update: update.delete_column(("s", "b")), "'s.b' was dropped"),
        (lambda update: update.rename_column(("l", "q"), "r"), "'l.element.q' was renamed"),
        (lambda update: update.delete_column("s"), "'s' was dropped"),
        (lambda update: update.delete_column("k"), "'k' was dropped"),
    ],
)
def test_changes_inside_of_nested_columns_or_beside_lists_are_refused(change, reason, tmp_path, run_index):
    table = FolderCatalog(str(tmp_path / "raw")).create_table("t", NESTED.schema)
    table.append(NESTED)
    assert run_index(tmp_path / "raw").quarantined == []
    change_columns(table, change)
    [entry] = run_index().quarantined
    assert reason in entry["reason"] and "rewrite the data files" in entry["reason"]


def test_columns_whose_values_are_only_in_the_metadata_are_refused():
    file = pa.schema([pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "1"})])
    assert columns_to_leave_out(file, {1: ("a",), 2: ("b",)}, {}) == ()
    with pytest.raises(Refused, match="lack the column 'b'"):
        columns_to_leave_out(file, {1: ("a",), 2: ("b",)}, {2: "b"})


def test_files_without_ids_are_read_only_if_no_column_ever_changed(table, folder):
    [path] = folder.glob("data/*.parquet")
    pq.write_table(ROWS, path)
    change_columns(table, lambda update: update.add_column("more", LongType()))
    assert list(data_files(str(folder)).values()) == [()]
    change_columns(table, lambda update: update.delete_column("n"))
    with pytest.raises(Refused, match="'n' changed, and some files have no column ids"):
        data_files(str(folder))


NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append")),
        st.tuples(st.just("drop"), NAMES),
        st.tuples(st.just("add"), NAMES),
        st.tuples(st.just("rename"), NAMES, NAMES),
    ),
    min_size=2,
    max_size=7,
)


def take_step(table, step, number):
    """Do one step if the columns allow it."""
    have = table.schema().column_names
    kind, *given_names = step
    if kind == "append":
        table.append(pa.table({name: [f"{name}{number}"] for name in have}))
    elif kind == "drop" and given_names[0] in have:
        change_columns(table, lambda update: update.delete_column(given_names[0]))
    elif kind == "add" and given_names[0] not in have:
        change_columns(table, lambda update: update.add_column(given_names[0], StringType()))
    elif kind == "rename" and given_names[0] in have and given_names[1] not in have:
        change_columns(table, lambda update: update.rename_column(*given_names))


@settings(max_examples=25)
@given(STEPS)
def test_whatever_happened_to_the_columns_the_rows_are_those_of_iceberg_or_the_table_is_refused(steps):
    with TemporaryDirectory() as place:
        table = FolderCatalog(f"{place}/raw").create_table("t", pa.schema([("id", pa.string()), ("a", pa.string())]))
        table.append(pa.table({"id": ["id"], "a": ["a"]}))
        for number, step in enumerate(steps):
            take_step(table, step, number)
            refused = index([f"{place}/raw"], f"{place}/lake", engine=Inline()).quarantined
            expected = table.scan().to_arrow().to_pylist()
            renamed = any(step[0] == "rename" for step in steps[: number + 1])
            assert not refused or renamed
            if not refused:
                got = [{key: row.get(key) for key in expected[0]} for row in rows(f"{place}/lake", "t")]
                assert as_text(got) == as_text(expected)
                with mere.open(f"{place}/lake") as lake:
                    assert set(lake.rows("t", raw=True).column_names) <= set(expected[0])
