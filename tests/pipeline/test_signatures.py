"""Which tables hold each distinct row: Spark counts what a slow reading of the tables counts."""

import sys
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere.bundles.count import signatures_of_rows
from mere.bundles.exact_rows import distinct_rows
from mere.bundles.filters import parse_filters
from mere.bundles.relation import relation_of_cells, relation_of_stored
from mere.bundles.schema import Schema
from mere.bundles.stored import rows_of_stored
from mere.errors import LakeError, SparkError
from mere.pipeline import Settings, index, signatures
from mere.pipeline.engine import Inline
from mere.pipeline.signatures import LakeTable, spark_signatures
from mere.segments import OpenSnapshot
from mere.values import Type
from tests.conftest import write_files

SCHEMA = Schema(("city", "code"), (Type.TEXT, Type.TEXT))
ROWS = [
    ("graz", "a"),
    ("graz", None),
    (None, "a"),
    (None, None),
    ("日本", "é"),
    ("x,y", '"'),
    ("graz", "b"),
    ("é", "graz"),
]
row = st.sampled_from(ROWS)
tables_of_rows = st.lists(st.lists(row, max_size=8), min_size=1, max_size=5)


def relation(rows, names=("city", "code")):
    cells = [pa.array([row[place] for row in rows], pa.string()) for place in range(2)]
    return relation_of_cells("t", list(names), cells, SCHEMA)


def slow(tables, wanted=lambda row: True):
    """How many distinct rows are in exactly which tables, row by row."""
    holders = {}
    for number, rows in enumerate(tables):
        for row in filter(wanted, rows):
            holders.setdefault(row, set()).add(number)
    return dict(Counter(frozenset(numbers) for numbers in holders.values()))


def counted(result):
    """The same of signatures."""
    counts = {}
    for mask, count in zip(result.masks, result.counts, strict=True):
        bits = np.unpackbits(mask.view(np.uint8), bitorder="little")
        counts[frozenset(np.flatnonzero(bits).tolist())] = int(count)
    assert len(counts) == len(result.counts), "no signature twice"
    return counts


@given(st.lists(row, max_size=30), st.booleans())
def test_distinct_rows_are_sorted_and_those_that_are_wanted(rows, only_graz):
    filters = parse_filters(["city = 'Graz'"] if only_graz else [], SCHEMA)
    first, second = distinct_rows(relation(rows), filters)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert len(pairs) == len({row for row in rows if not only_graz or row[0] == "graz"})


def test_distinct_rows_tells_rows_apart_whose_first_hashes_are_equal(monkeypatch):
    several = relation(ROWS)
    monkeypatch.setattr(type(several), "hashes", lambda self, rows=slice(None): np.zeros(len(rows), np.uint64))
    first, second = distinct_rows(several, parse_filters([], SCHEMA))
    assert len(first) == len(set(second.tolist())) == len(ROWS)


@pytest.mark.spark
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables=tables_of_rows, only_graz=st.booleans())
def test_spark_counts_rows_in_memory(spark, tables, only_graz):
    texts = ["SELECT * FROM t WHERE city = 'GRAZ'"] if only_graz else []
    relations = [relation(rows) for rows in tables]
    result = spark_signatures(relations, texts, SCHEMA, spark)
    in_memory = signatures_of_rows([distinct_rows(table, parse_filters(texts, SCHEMA)) for table in relations])
    assert result.tables == in_memory.tables == len(tables) and result.masks.shape[1] == 1
    assert np.array_equal(result.masks, in_memory.masks) and np.array_equal(result.counts, in_memory.counts)
    assert counted(result) == slow(tables, lambda row: not only_graz or row[0] == "graz")


@pytest.mark.spark
@pytest.mark.parametrize("number", [64, 130])
def test_any_number_of_tables(spark, number):
    tables = [[("graz", str(i)) for i in {t, t // 2, 7 * t % number, number - 1 - t, 0}] for t in range(number)]
    relations = [relation(rows) for rows in tables]
    result = spark_signatures(relations, [], SCHEMA, spark)
    in_memory = signatures_of_rows([distinct_rows(table, parse_filters([], SCHEMA)) for table in relations])
    assert np.array_equal(result.masks, in_memory.masks) and np.array_equal(result.counts, in_memory.counts)
    assert result.masks.dtype == np.uint64 and result.masks.shape[1] == -(-number // 64)
    assert counted(result) == slow(tables)


@pytest.fixture
def lake(tmp_path):
    """The path of a lake of three tables with other columns, and the rows of each in the columns of the schema."""
    tables = {
        "a.csv": [(f"city {i % 50}", f"{i % 7}") for i in range(600)],
        "b.csv": [(f"CITY {i % 60}", None) for i in range(300)],
        "c.csv": [(None, f"{i % 9}.0") for i in range(200)],
    }
    raw = {
        "a.csv": "Code,id,City\n" + "".join(f"{code},{i},{city}\n" for i, (city, code) in enumerate(tables["a.csv"])),
        "b.csv": "city,code\n" + "".join(f"{city},\n" for city, _ in tables["b.csv"]),
        "c.csv": "id,code\n" + "".join(f"{i},{code}\n" for i, (_, code) in enumerate(tables["c.csv"])),
    }
    write_files(tmp_path / "raw", raw)
    index([tmp_path / "raw"], tmp_path / "lake", engine=Inline(), settings=Settings(segment_bytes=1))
    rows = [{(c and c.casefold(), d and d.replace(".0", "")) for c, d in content} for content in tables.values()]
    return tmp_path, rows


def stored_tables(folder):
    opened = OpenSnapshot(str(folder / "lake"))
    return [
        LakeTable(str(folder / "lake"), segment.entry, number, int(segment.catalog["table.rows"][number]))
        for segment in opened.segments
        for number in range(segment.table_count)
    ]


@pytest.mark.spark
def test_tables_of_a_lake_and_frames_are_counted_together_and_in_parts(lake, spark, monkeypatch):
    monkeypatch.setattr(signatures, "_ROWS_OF_TASK", 70)
    monkeypatch.setattr(signatures, "_ROWS_OF_CHUNK", 5)
    folder, [a, b, c] = lake
    frame = [("city 3", "3"), ("city 3", None), (None, "4"), ("elsewhere", "1"), ("elsewhere", "1")]
    tables = [relation(frame), *stored_tables(folder), relation([])]
    messages = []
    result = spark_signatures(tables, [], SCHEMA, spark, messages.append)
    assert counted(result) == slow([frame, a, b, c, []])
    assert messages[-1] == "counting on Spark: 18 of 18 parts of tables read", "9 + 5 + 3 spans, the frame"
    wanted = spark_signatures(tables, ["city = 'city 3' and code = '3'", "code = 4"], SCHEMA, spark)
    assert counted(wanted) == slow([frame, a, b, c, []], lambda row: row == ("city 3", "3") or row[1] == "4")


@pytest.mark.spark
def test_tables_without_rows_have_no_signatures(spark):
    result = spark_signatures([relation([]), relation([])], [], SCHEMA, spark)
    assert (result.masks.shape, result.counts.tolist(), result.tables) == ((0, 1), [], 2)
    nothing = spark_signatures([relation(ROWS)], ["city = 'nowhere'"], SCHEMA, spark)
    assert nothing.counts.tolist() == []


@pytest.mark.spark
def test_a_session_or_the_spark_that_already_runs_is_used_and_left_alone(spark):
    from pyspark.sql import SparkSession

    for given_spark in (SparkSession(spark), None):
        assert counted(spark_signatures([relation(ROWS)], [], SCHEMA, given_spark)) == {frozenset([0]): len(ROWS)}
    assert spark.parallelize([1]).count() == 1


def test_without_pandas_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SparkError, match="needs pandas") as caught:
        spark_signatures([relation(ROWS)], [], SCHEMA)
    assert caught.value.remedy == "run pip install 'mere[pandas]'"


@pytest.mark.spark
def test_a_lake_that_is_gone_is_named_in_the_error(lake, spark):
    folder, _ = lake
    tables = stored_tables(folder)
    (folder / "lake").rename(folder / "moved")
    with pytest.raises(LakeError, match=rf"a Spark task failed: .*{folder}/lake"):
        spark_signatures(tables, [], SCHEMA, spark)


def test_some_rows_of_a_stored_table_are_those_of_the_table(lake):
    folder, _ = lake
    for segment in OpenSnapshot(str(folder / "lake")).segments:
        whole = relation_of_stored(segment, 0, SCHEMA)
        for rows in (slice(10, 50), np.array([3, 199, 0])):
            part = rows_of_stored(segment, 0, SCHEMA, rows)
            assert np.array_equal(part.hashes(), whole.hashes(rows))
            assert np.array_equal(part.second_hashes(), whole.second_hashes(rows)) and part.rows == len(part.hashes())
