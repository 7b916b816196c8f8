"""The same nested records, written in every format that can hold them, become the same tables."""

from __future__ import annotations

import datetime
import io
import json
import os
import tempfile

import duckdb
import fastavro
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_files import read, rows_of, write

from mere.errors import Unreadable
from mere.readers import Limits, open_tables
from mere.readers.avro_blocks import Damaged, decompressed

PART = pa.struct([("p", pa.string())])
ITEM = pa.struct([("k", pa.string()), ("n", pa.int64()), ("parts", pa.list_(PART))])
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("s", pa.struct([("x", pa.int64()), ("deep", pa.struct([("y", pa.string())]))])),
        ("tags", pa.list_(pa.string())),
        ("items", pa.list_(ITEM)),
        ("one", pa.list_(pa.struct([("q", pa.int64())]))),
        ("only", pa.list_(pa.string())),
        ("place", pa.list_(pa.float64())),
    ]
)


def _avro_type(kind, name):
    if pa.types.is_struct(kind):
        fields = [{"name": each.name, "type": _avro_type(each.type, f"{name}_{each.name}")} for each in kind]
        return ["null", {"type": "record", "name": name, "fields": fields}]
    if pa.types.is_list(kind):
        return ["null", {"type": "array", "items": _avro_type(kind.value_type, f"{name}_item")}]
    names = {pa.int64(): "long", pa.string(): "string", pa.float64(): "double"}
    return ["null", names[kind]]


AVRO = {"type": "record", "name": "r", "fields": [{"name": f.name, "type": _avro_type(f.type, f.name)} for f in SCHEMA]}


def _avro(records, codec="deflate"):
    sink = io.BytesIO()
    fastavro.writer(sink, AVRO, records, codec=codec, sync_interval=200)
    return sink.getvalue()


def _arrow(records, new=pa.ipc.new_file):
    table, sink = pa.Table.from_pylist(records, SCHEMA), io.BytesIO()
    with new(sink, SCHEMA) as writer:
        writer.write_table(table, max_chunksize=3)
    return sink.getvalue()


def _written(module):
    def write(records):
        sink = io.BytesIO()
        module.write_table(pa.Table.from_pylist(records, SCHEMA), sink)
        return sink.getvalue()

    return write


def _duckdb(records):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.duckdb")
        with duckdb.connect(path) as connection:
            connection.register("rows", pa.Table.from_pylist(records, SCHEMA))
            connection.execute("CREATE TABLE t AS SELECT * FROM rows")
        with open(path, "rb") as file:
            return file.read()


WRITERS = {
    "x.json": lambda records: json.dumps(records).encode(),
    "x.jsonl": lambda records: "\n".join(map(json.dumps, records)).encode() + b"\n",
    "x.parquet": _written(pq),
    "x.orc": _written(pyarrow.orc),
    "x.arrow": _arrow,
    "x.arrows": lambda records: _arrow(records, pa.ipc.new_stream),
    "x.avro": _avro,
    "x.duckdb": _duckdb,
}


def _tables(data, name):
    """Rows by member, each row as its cells that are not null; DuckDB's member starts with the name of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        found = {}
        for table in open_tables(path):
            member = table.member.removeprefix("t").removeprefix(".") if name == "x.duckdb" else table.member
            found[member] = [
                {c: cell for c, cell in zip(table.columns, row, strict=True) if cell is not None}
                for row in rows_of(table)
            ]
            assert not table.issues
        return found


def _nullable(strategy):
    return st.one_of(st.none(), strategy)


TEXTS = st.text('ab"\\é\n', max_size=3)
ITEMS = st.fixed_dictionaries(
    {
        "k": _nullable(TEXTS),
        "n": st.integers(0, 9),
        "parts": _nullable(st.lists(st.fixed_dictionaries({"p": TEXTS}), max_size=2)),
    }
)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers(0, 20),
            "s": _nullable(
                st.fixed_dictionaries({"x": st.integers(0, 9), "deep": st.fixed_dictionaries({"y": TEXTS})})
            ),
            "tags": _nullable(st.lists(_nullable(TEXTS), max_size=5)),
            "items": _nullable(st.lists(ITEMS, max_size=3)),
            "one": _nullable(st.lists(st.fixed_dictionaries({"q": st.integers(0, 9)}), max_size=1)),
            "only": _nullable(st.lists(TEXTS, max_size=1)),
            "place": st.just([0.5, 1.25]),
        }
    ),
    min_size=2,
    max_size=8,
)


@settings(deadline=None, max_examples=12)
@given(RECORDS)
def test_every_format_gives_the_tables_that_json_gives(records):
    expected = _tables(WRITERS["x.json"](records), "x.json")
    for name, written in WRITERS.items():
        assert _tables(written(records), name) == expected, name


def test_a_table_of_a_list_joins_with_its_parent(tmp_path):
    records = [
        {"id": n // 2, "items": [{"k": f"k{m}", "n": n, "parts": []} for m in range(n)]} for n in range(5)
    ]  # the id is not unique, so that the row is the key
    tables = _tables(_written(pq)([{**dict.fromkeys(SCHEMA.names), **record} for record in records]), "x.parquet")
    joined = [
        (parent["id"], item["k"])
        for parent in tables[""]
        for item in tables["items"]
        if item["parent.row"] == parent["row"]
    ]
    assert joined == [(str(n // 2), f"k{m}") for n in range(5) for m in range(n)]


def test_maps_of_few_keys_are_columns_and_of_many_keys_a_table(tmp_path):
    few, many = [[("a", 1), ("b", n)] for n in range(3)], [[(f"k{n}{m}", m) for m in range(40)] for n in range(3)]
    kind = pa.map_(pa.string(), pa.int64())
    table = pa.table({"code": ["x", "y", "z"], "few": pa.array(few, kind), "many": pa.array(many, kind)})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    tables = _tables(sink.getvalue(), "x.parquet")
    assert tables[""][2] == {"code": "z", "few.a": "1", "few.b": "2"}
    assert len(tables["many"]) == 120 and tables["many"][41] == {"parent.code": "y", "key": "k11", "value": "1"}


def test_structs_below_the_depth_stay_json(tmp_path):
    data = _written(pq)([{"id": 1, "s": {"x": 1, "deep": {"y": "z"}}}, {"id": 2}])
    table, rows = read(tmp_path, "x.parquet", data, Limits(flatten_depth=2))
    assert "s.deep" in table.columns and rows[0][table.columns.index("s.deep")] == '{"y":"z"}'


def test_a_null_list_with_elements_behind_it_has_none(tmp_path):
    backing = pa.array([{"v": v} for v in range(5)])
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 4, 5], pa.int32()), backing, mask=pa.array([False, True, False]))
    data = pa.table({"id": [1, 2, 3], "l": lists})
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, data.schema) as writer:
        writer.write_table(data)
    assert _tables(sink.getvalue(), "x.arrow")["l"] == [
        {"parent.id": "1", "v": "0"}, {"parent.id": "1", "v": "1"}, {"parent.id": "3", "v": "4"},
    ]  # fmt: skip


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_every_codec_of_avro_is_read(tmp_path, codec):
    records = [{**dict.fromkeys(SCHEMA.names), "id": n, "tags": ["x" * 50]} for n in range(100)]
    (table,) = open_tables(write(tmp_path, "x.avro", _avro(records, codec)))
    assert [row[:1] for row in rows_of(table)] == [[str(n)] for n in range(100)] and table.dialect == {"codec": codec}


def test_snappy_and_zstandard_blocks_are_decompressed_with_limits(monkeypatch):
    data = b"some bytes " * 1000
    snappy = pa.compress(data, codec="snappy", asbytes=True) + b"crc4"
    zstd = pa.compress(data, codec="zstd", asbytes=True)
    assert decompressed(snappy, "snappy") == data and decompressed(zstd, "zstandard") == data
    monkeypatch.setattr("mere.readers.avro_blocks.BLOCK_BYTES", 100)
    for codec, packed in {"snappy": snappy, "zstandard": zstd}.items():
        with pytest.raises(Damaged, match="a block decompresses to"):
            decompressed(packed, codec)
    with pytest.raises(Damaged, match="codec 'lzo' is not supported"):
        decompressed(b"", "lzo")


def test_types_of_avro_become_text(tmp_path):
    import datetime as dt
    import decimal

    schema = {"type": "record", "name": "r", "fields": [
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "kind", "type": {"type": "enum", "name": "e", "symbols": ["A", "B"]}},
        {"name": "raw", "type": "bytes"}, {"name": "map", "type": {"type": "map", "values": "int"}}]}  # fmt: skip
    sink = io.BytesIO()
    row = {"day": dt.date(2020, 1, 2), "price": decimal.Decimal("1.50"), "kind": "B", "raw": b"\xff", "map": {"a": 1}}
    fastavro.writer(sink, schema, [row])
    table, rows = read(tmp_path, "x.avro", sink.getvalue())
    assert table.columns == ["day", "price", "kind", "raw", "map.a"] and rows == [
        ["2020-01-02", "1.50", "B", "ff", "1"]
    ]


def test_an_avro_array_of_values_without_bytes_is_refused(tmp_path):
    nothing = {"type": "record", "name": "n", "fields": [{"name": "x", "type": "null"}]}
    for items in ("null", nothing):
        sink = io.BytesIO()
        schema = {"type": "record", "name": "r", "fields": [{"name": "l", "type": {"type": "array", "items": items}}]}
        fastavro.writer(sink, schema, [{"l": []}])
        with pytest.raises(Unreadable, match="array of values without bytes"):
            read(tmp_path, "x.avro", sink.getvalue())


def test_of_a_damaged_avro_file_the_blocks_before_the_damage_are_kept(tmp_path):
    data = _avro([{**dict.fromkeys(SCHEMA.names), "id": n} for n in range(1000)])
    (table,) = open_tables(write(tmp_path, "x.avro", data[: len(data) * 3 // 4]))
    assert 100 < len(rows_of(table)) < 1000
    assert table.lost and "what follows is lost" in table.issues[0]


@pytest.mark.parametrize("keys", [[1, 2, 3], ["a", "b", "c"], [datetime.date(2020, 1, day) for day in (1, 2, 3)]])
def test_the_key_of_a_parent_has_one_type_in_both_tables(tmp_path, keys):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": keys, "lines": [[{"s": "p", "q": 1}] * 2, [{"s": "q", "q": 2}], []]}), path)
    tables = {table.member: table for table in open_tables(str(path))}
    parent, lines = (pa.Table.from_batches(tables[member].batches(True)) for member in ("", "lines"))
    assert parent["id"].type == lines["parent.id"].type and lines["parent.id"].to_pylist() == [keys[0], *keys[:2]]
