"""Tables of Spark as sources: read on executors, known by name and version; what is done if one is out of reach."""

import datetime
import json
import logging
import os
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mere
from mere.errors import LakeError, SparkError, UsageError
from mere.pipeline import index, spark_reading, spark_tables
from mere.pipeline.engine import Inline
from mere.pipeline.given import Given
from mere.pipeline.named_sources import NamedSources
from mere.readers import Limits
from mere.search.catalog import find_table
from mere.segments import OpenSnapshot, RowBlock
from mere.segments.stored_rows import stored_batches
from tests.conftest import touch

ROWS = pa.table(
    {
        "id": pa.array(range(1000), pa.int64()),
        "name": [f"Name {i % 70}" if i % 9 else None for i in range(1000)],
        "amount": [i / 8 for i in range(1000)],
        "day": [datetime.date(2020, 1, 1) + datetime.timedelta(i % 40) for i in range(1000)],
        "tags": [[i % 3, 7] for i in range(1000)],
    }
)


def stored(lake, table):
    """What the lake holds of a table."""
    opened = OpenSnapshot(str(lake))
    segment, number = find_table(opened, table)
    return segment.table(number), pa.Table.from_batches(stored_batches(segment, number))


def assert_same_table(left, right):
    (mine, my_rows), (theirs, their_rows) = left, right
    assert mine.sets.values.tolist() == theirs.sets.values.tolist()
    assert mine.columns.types.tolist() == theirs.columns.types.tolist()
    assert my_rows.equals(their_rows)


# what a task does, without Spark


def staged_blocks(tmp_path, batches, split_bytes, **limits):
    task = {"staging": str(tmp_path), "columns": ["a", "b"], "limits": Limits(**limits).to_dict()}
    made = spark_reading._stage_partition(json.dumps({**task, "split_bytes": split_bytes}), batches)
    return [record for batch in made for record in batch.to_pylist()]


def test_a_task_writes_blocks_of_limited_size_and_returns_no_cell(tmp_path):
    batches = [pa.record_batch({"a": [f"secret {i}"], "b": [i]}) for i in range(5)]
    records = staged_blocks(tmp_path, batches, split_bytes=2 * batches[0].nbytes + 8)
    assert len(records) > 1 and [record["number"] for record in records] == list(range(len(records)))
    assert sum(record["rows"] for record in records) == 5 and "secret" not in str(records)
    blocks = [RowBlock.read(record["path"]) for record in records]
    values = [sorted(name for name in block.values.tolist() if "secret" in name) for block in blocks]
    assert [name for names in values for name in names] == [f"secret {i}" for i in range(5)]


def test_a_task_without_rows_writes_nothing_and_cells_that_are_cut_are_counted(tmp_path):
    assert staged_blocks(tmp_path, [], 1) == [] and list(tmp_path.iterdir()) == []
    batches = [pa.record_batch({"a": ["x" * 99], "b": [1]})] * 3
    records = staged_blocks(tmp_path, batches, split_bytes=1, cell_bytes=10)
    assert [json.loads(record["notes"]) for record in records] == [{"{n} {cell was|cells were} cut to 10 bytes": 1}] * 3
    assert all(record["lost"] for record in records)


# versions, and tables out of reach, without Spark


class FakeFrame:
    """What `session.table` and `session.sql` give, as far as versions need it."""

    def __init__(self, rows=(), files=()):
        self.rows, self.files = list(rows), list(files)
        self.schema = SimpleNamespace(json=lambda: "schema")

    def collect(self):
        return self.rows

    def inputFiles(self):
        return self.files

    def orderBy(self, name, ascending):
        return FakeFrame(sorted(self.rows, key=lambda row: row[name], reverse=not ascending))

    def limit(self, most):
        return FakeFrame(self.rows[:most])


def version_of(details, answers=None, files=()):
    described = FakeFrame([("id", "int"), ("Type", "MANAGED"), *details.items()])  # columns come first
    frame = FakeFrame(files=files)
    known = {"DESCRIBE TABLE EXTENDED db.t": described, "db.t": frame, **(answers or {})}
    session = SimpleNamespace(table=known.__getitem__, sql=known.__getitem__)
    session.catalog = SimpleNamespace(refreshTable=lambda name: None)
    frame.sparkSession = session
    return spark_tables.table_of_catalog(session, "db.t").version


def detailed(provider, type_of_table="MANAGED"):
    return {"# Detailed Table Information": "", "Provider": provider, "Type": type_of_table}


def test_the_version_of_a_delta_table_is_its_newest_and_of_an_iceberg_table_its_current_snapshot():
    history = {"DESCRIBE HISTORY db.t LIMIT 1": FakeFrame([{"version": 12}])}
    assert version_of(detailed("delta"), history) == "delta version 12"
    made = [{"made_current_at": 1, "snapshot_id": 77}, {"made_current_at": 2, "snapshot_id": 5}]
    assert version_of(detailed("ICEBERG"), {"db.t.history": FakeFrame(made)}) == "iceberg snapshot 5"
    assert version_of(detailed("iceberg"), {"db.t.history": FakeFrame()}) == "iceberg snapshot none"


def test_a_frame_without_columns_is_refused():
    with pytest.raises(UsageError, match="'empty' has no columns"):
        spark_tables.table_of_frame("frame:empty", SimpleNamespace(_jdf=None, columns=[]))


def test_only_tables_of_files_have_a_version_made_of_files(tmp_path):
    path = tmp_path / "a b.parquet"
    path.write_text("1")
    uri = path.as_uri()
    versions = [version_of(detailed("parquet"), files=[uri])]
    touch(path)
    versions.append(version_of(detailed("parquet", "EXTERNAL"), files=[uri]))
    time = path.stat().st_mtime_ns
    path.write_text("12")
    os.utime(path, ns=(time, time))
    versions.append(version_of(detailed("parquet"), files=[uri]))
    versions.append(version_of(detailed("parquet"), files=[uri, f"{uri}2"]))
    assert len(set(versions)) == 4 and all(version.startswith("files ") for version in versions)
    assert version_of(detailed("parquet"), files=[f"{uri}2", uri]) == versions[-1]
    assert version_of(detailed("parquet", "VIEW"), files=[uri]) == "", "a view may also read what is not a file"
    assert version_of({}, files=[uri]) == "", "a temporary view"
    assert version_of(detailed("jdbc")) == ""


def test_a_known_table_that_is_out_of_reach_is_kept_and_one_that_was_named_is_an_error():
    def no_session():
        raise SparkError("this needs Spark, and pyspark is not installed", "install it")

    named = NamedSources("lake", Given(), {}, no_session)
    assert named.look(["spark:db.t"], everything=False) == []
    assert "'spark:db.t' is kept as it was: this needs Spark" in named.notes[0] and "forget=" in named.notes[0]
    with pytest.raises(SparkError, match="install it"):
        NamedSources("lake", Given(["spark:db.t"]), {}, no_session).look(["spark:db.t"], everything=False)
    with pytest.raises(LakeError, match="cannot be read again"):
        named.look(["spark:db.t"], everything=True)


# with Spark


@pytest.fixture(scope="module")
def session(spark):
    from pyspark.sql import SparkSession

    return SparkSession(spark)


@pytest.fixture
def shop(session, tmp_path):
    """A database with a table of files."""
    session.sql(f"CREATE DATABASE shop LOCATION '{tmp_path / 'shop'}'")
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    session.read.parquet(str(tmp_path / "rows.parquet")).write.saveAsTable("shop.orders")
    yield "shop.orders"
    session.sql("DROP DATABASE shop CASCADE")


@pytest.fixture
def printed():
    """The errors that pyspark prints."""
    from pyspark.logger import PySparkLogger

    messages, handler = [], logging.Handler()
    handler.emit = messages.append
    loggers = [PySparkLogger.getLogger(f"{name}QueryContextLogger") for name in ("SQL", "DataFrame")]
    for logger in loggers:
        logger.addHandler(handler)
    yield messages
    for logger in loggers:
        logger.removeHandler(handler)


@pytest.mark.spark
def test_a_frame_of_spark_is_the_table_that_the_same_rows_are_in_any_number_of_partitions(session, tmp_path):
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    frame = session.read.parquet(str(tmp_path / "rows.parquet"))
    empty = session.createDataFrame([], "`a.b` string, c int, C int")
    index({"orders": ROWS}, tmp_path / "local", engine=Inline())
    cut = frame.repartitionByRange(5, "id").sortWithinPartitions("id")
    report = mere.index({"one": frame.coalesce(1), "five": cut, "empty": empty}, tmp_path / "lake", spark=session)
    assert report.added == 3 and report.quarantined == [] and report.totals["rows"] == 2000
    with mere.open(tmp_path / "lake") as lake:
        assert lake.columns("empty") == ["a.b", "c", "C"] and lake.profile("empty").rows == 0
        assert [lake.profile(name).dialect["blocks"] for name in ("one", "five", "empty")] == [1, 5, 1]
        with pytest.warns(UserWarning, match="'five' has no raw file"):
            assert lake.rows("five", ["name"], limit=2).to_pylist() == [{"name": None}, {"name": "name 1"}]
    for name in ("one", "five"):
        assert_same_table(stored(tmp_path / "lake", name), stored(tmp_path / "local", "orders"))


@pytest.mark.spark
def test_a_table_of_a_catalog_is_read_again_when_its_version_changes(session, shop, tmp_path):
    def run(sources=(), **options):
        return mere.index(sources, tmp_path / "lake", spark=session, **options)

    assert run([f"spark:{shop}", {"local": ROWS}]).added == 2
    assert (run().unchanged, run(f"spark:{shop}").unchanged) == (2, 2)
    with mere.open(tmp_path / "lake") as lake:
        profile = lake.profile(shop)
        assert profile.source == f"spark:{shop}" and profile.dialect["version"].startswith("files ")
        assert lake.overlap(["name 3"], table=shop)[0].table == shop
    assert_same_table(stored(tmp_path / "lake", shop), stored(tmp_path / "lake", "local"))
    session.sql(f"INSERT INTO {shop} VALUES (5000, 'new', 1.5, date'2020-01-01', array(1))")
    report = run()
    assert (report.changed, report.unchanged) == (1, 1)
    with mere.open(tmp_path / "lake") as lake:
        assert lake.profile(shop).rows == len(ROWS["id"]) + 1
    session.sql("DROP TABLE shop.orders")
    report = run()
    assert report.unchanged == 2 and "'spark:shop.orders' is kept as it was" in report.notes[0]
    with pytest.raises(LakeError, match="cannot be read again"):
        run(rebuild=True)
    assert run(forget=[f"spark:{shop}"]).removed == 1


@pytest.mark.spark
def test_frames_on_files_are_compared_and_views_are_read_in_every_run(session, shop, tmp_path):
    frame = session.table(shop).filter("id < 10")

    def run(sources=()):
        return mere.index(sources, tmp_path / "lake", spark=session)

    assert run({"few": frame}).added == 1
    assert run({"few": session.table(shop).filter("id < 10")}).unchanged == 1
    assert run({"few": session.table(shop).filter("id < 9")}).changed == 1
    session.range(3).createOrReplaceTempView("three")
    report = run("spark:three")
    assert report.added == 1 and "'spark:three' has no version that can be compared" in report.notes[0]
    assert run().changed == 1
    session.catalog.dropTempView("three")


@pytest.mark.spark
def test_a_table_that_cannot_be_read_is_in_quarantine_and_the_others_are_indexed(session, shop, tmp_path, printed):
    bad = session.table(shop).selectExpr("if(id < 3, raise_error('broken disk'), id) AS message")
    odd = session.sql("SELECT interval 1 year AS span, parse_json('{\"a\":1}') AS variant, 1 AS `x``y`")
    report = mere.index({"bad": bad, "odd": odd}, tmp_path / "lake", spark=session)
    assert printed == []
    [row] = report.quarantined
    assert row["path"] == "bad" and "broken disk" in row["reason"] and row["kept"] == "nothing"
    assert mere.index({"bad": bad}, tmp_path / "lake", spark=session).changed == 1, "it is tried again"
    with mere.open(tmp_path / "lake") as lake, pytest.warns(UserWarning):
        assert lake.rows("odd").to_pylist()[0]["variant"] == '{"a":1}'
        assert [table.name for table in lake.tables] == ["odd"]


@pytest.mark.spark
def test_the_command_line_indexes_tables_of_the_catalog_and_names_similar_ones(
    session, shop, raw, tmp_path, capsys, printed
):
    from mere.cli import run

    lake = str(tmp_path / "lake")
    assert run(["index", str(raw), "--spark-table", shop, "--lake", lake, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["added"] == 6  # two of the files are broken
    assert run(["show", shop, "--rows", "1", "--lake", lake]) == 0
    shown = capsys.readouterr()
    assert "version 'files " in shown.out and "note: its rows are given as they are compared" in shown.out
    assert "Warning" not in shown.err
    for name, remedy in [("shop.ordres", "did you mean shop.orders?"), ("shp.orders", "did you mean shop.orders?")]:
        with pytest.raises(UsageError, match=f"Spark cannot open table '{name}'") as caught:
            mere.index(f"spark:{name}", lake, spark=session)
        assert caught.value.remedy == remedy
    capsys.readouterr()
    assert run(["index", "--spark-table", "no.such.thing", "--lake", lake]) == 2
    assert "Spark cannot open table" in (shown := capsys.readouterr().err) and "Traceback" not in shown
    index(f"spark:parquet.`{tmp_path / 'rows.parquet'}`", lake, spark=session)
    assert printed == [], "a path has no details, which is handled"
    assert run(["index", "--forget", f"spark:{shop}", "--lake", lake]) == 3
