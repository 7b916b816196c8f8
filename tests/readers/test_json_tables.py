"""JSON in every shape, and one record per line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_files import read, read_all

from mere.errors import Unreadable
from mere.readers import Limits
from mere.readers.json_records import parse

RECORDS = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]
AS_ROWS = [["1", "a"], ["2", "b"]]


@pytest.mark.parametrize(
    "document",
    [
        RECORDS,
        {"id": [1, 2], "name": ["a", "b"]},
        {"id": {"0": 1, "1": 2}, "name": {"0": "a", "1": "b"}},
        {"columns": ["id", "name"], "data": [[1, "a"], [2, "b"]]},
        {"meta": {"view": {"columns": [{"name": "id"}, {"name": "name"}]}}, "data": [[1, "a"], [2, "b"]]},
        [["id", "name"], [1, "a"], [2, "b"]],
    ],
)
def test_the_same_table_is_found_in_every_shape(tmp_path, document):
    table, rows = read(tmp_path, "x.json", json.dumps(document))
    assert table.columns == ["id", "name"] and rows == AS_ROWS and not table.issues


def test_records_under_keys_are_tables_named_by_the_key_and_the_rest_is_one_row(tmp_path):
    cities = [{"city": "Rome"}, {"city": "Ulm"}]
    document = {"version": 3, "by": "me", "people": RECORDS, "result": {"deep": {"cities": cities}}}
    assert read_all(tmp_path, "x.json", json.dumps(document)) == {
        "people": (["id", "name"], AS_ROWS),
        "result.deep.cities": (["city"], [["Rome"], ["Ulm"]]),
        "": (["version", "by"], [["3", "me"]]),
    }


def test_tables_beside_rows_with_names_are_tables(tmp_path):
    extras = [{"k": 1, "v": 2}, {"k": 3, "v": 4}]
    split = {"fields": [{"id": "a"}, {"id": "b"}], "records": [[1, 2], [3, 4]], "extras": extras, "total": 2}
    rows = [["1", "2"], ["3", "4"]]
    assert read_all(tmp_path, "x.json", json.dumps({"result": split})) == {
        "result": (["a", "b"], rows),
        "result.extras": (["k", "v"], rows),
    }
    document = {
        "names": ["x", "y"],
        "values": [[1, 2], [3, 4]],
        "data": extras,
        "deep": {"more": extras, "split": split},
    }
    assert read_all(tmp_path, "y.json", json.dumps(document)) == {
        "": (["x", "y"], rows),
        "data": (["k", "v"], rows),
        "deep.more": (["k", "v"], rows),
        "deep.split": (["a", "b"], rows),
        "deep.split.extras": (["k", "v"], rows),
    }


def test_a_single_value_beside_tables_is_a_fact_of_theirs(tmp_path):
    table, rows = read(tmp_path, "x.json", json.dumps({"version": 3, "people": RECORDS}))
    assert (table.member, rows, table.dialect["beside"]) == ("people", AS_ROWS, {"version": "3"})


def test_rows_columns_and_dicts_of_records_are_found_under_keys(tmp_path):
    document = {
        "title": "t", "year": 2020,
        "rows": [["id", "name"], [1, "a"], [2, "b"]],
        "deep": {"columns": {"id": [1, 2], "name": ["a", "b"]}, "codes": {"AF": {"n": 1}, "AL": {"n": 2}}},
    }  # fmt: skip
    assert read_all(tmp_path, "x.json", json.dumps(document)) == {
        "rows": (["id", "name"], AS_ROWS),
        "deep.columns": (["id", "name"], AS_ROWS),
        "deep.codes": (["key", "n"], [["AF", "1"], ["AL", "2"]]),
        "": (["title", "year"], [["t", "2020"]]),
    }


@pytest.mark.parametrize(
    ("document", "columns", "row"),
    [
        ({"a": {"b": {"c": 1}}}, ["a.b.c"], ["1"]),
        ({"$schema": "https://vega.github.io/schema/vega/v5.json", "marks": {"a": 1}}, None, None),
        ({"name": "x", "scripts": {"test": "t"}, "files": ["dist"], "no": []},
         ["name", "scripts.test", "files", "no"], ["x", "t", "dist", None]),
        ({"type": "Feature", "properties": {"n": 1}, "geometry": {"type": "Point", "coordinates": [1, 2]}},
         ["n", "geometry.type", "geometry"], ["1", "Point", '{"type":"Point","coordinates":[1,2]}']),
    ],
)  # fmt: skip
def test_one_object_is_one_row(tmp_path, document, columns, row):
    table, rows = read(tmp_path, "x.json", json.dumps(document))
    if columns is None:
        columns, row = ["$schema", "marks.a"], [document["$schema"], "1"]
    assert (table.columns, rows) == (columns, [row])


def test_a_single_object_of_very_many_values_is_pairs_of_key_and_value(tmp_path):
    document = {
        "one": 1,
        "texts": {f"k{n}": {"x": f"v{n}"} for n in range(3)},
        "more": {f"m{n}": n for n in range(300)},
    }
    tables = read_all(tmp_path, "x.json", json.dumps(document))
    columns, rows = tables[""]
    assert columns == ["key", "value"] and len(rows) == 301
    assert rows[:2] == [["one", "1"], ["more.m0", "0"]] and tables["texts"][0] == ["key", "x"]


def test_a_dict_of_records_keeps_its_key(tmp_path):
    table, rows = read(tmp_path, "x.json", '{"AF": {"name": "Afghanistan"}, "AL": {"name": "Albania", "n": 1}}')
    assert table.columns == ["key", "name", "n"]
    assert rows == [["AF", "Afghanistan", None], ["AL", "Albania", "1"]]


def test_a_mapping_of_many_scalars_has_two_columns_and_a_flat_object_is_one_row(tmp_path):
    mapping = {f"k{n}": n for n in range(12)}
    table, rows = read(tmp_path, "x.json", json.dumps(mapping))
    assert table.columns == ["key", "value"] and rows[3] == ["k3", "3"]
    table, rows = read(tmp_path, "y.json", '{"id": 1, "name": "a", "open": true}')
    assert table.columns == ["id", "name", "open"] and rows == [["1", "a", "true"]]


def test_geojson_features_become_their_properties_and_geometry(tmp_path):
    feature = {
        "type": "Feature",
        "properties": {"n": 1},
        "geometry": {"type": "Point", "coordinates": [1, 2]},
    }
    for name, text in [
        ("x.geojson", json.dumps({"type": "FeatureCollection", "features": [feature]})),
        ("x.geojsonl", json.dumps(feature) + "\n"),
    ]:
        table, rows = read(tmp_path, name, text)
        assert table.columns == ["n", "geometry.type", "geometry"]
        assert rows == [["1", "Point", '{"type":"Point","coordinates":[1,2]}']]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            '{"type": "Topology", "objects": {"a": {"geometries": [{"arcs": [1]}]}}, "arcs": [[1]]}',
            "TopoJSON",
        ),
        ('{"a": {"b": [[[]], null]}}', "has no records"),
        ("[{}, {}]", "no values"),
        ("[]", "empty"),
        ("{}", "empty"),
        ("", "empty"),
        ("3", "has no records"),
        ('[{"a": 1},', "broken JSON"),
    ],
)
def test_json_without_records_is_refused_with_a_reason(tmp_path, text, reason):
    with pytest.raises(Unreadable, match=reason):
        read(tmp_path, "x.json", text)


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, "[" * 100_000])
def test_very_deep_nesting_is_refused(tmp_path, text):
    with pytest.raises(Unreadable):
        read(tmp_path, "x.json", text)


def test_values_nested_beyond_the_limit_are_refused(tmp_path):
    with pytest.raises(Unreadable, match="deeper than 5 levels; raise the limit 'nesting'"):
        read(tmp_path, "x.json", '[{"a": [[[[[[1]]]]]]}]', Limits(nesting=5))


def test_unusual_values_become_text(tmp_path):
    digits = "9" * 5000
    text = '\ufeff[{"nan": NaN, "inf": -Infinity, '
    text += f'"big": {digits}, "a": 1, "a": 2, "half": "\\ud800", "f": 1.0}}]'
    table, rows = read(tmp_path, "x.json", text)
    assert table.columns == ["nan", "inf", "big", "a", "half", "f"]
    assert rows == [["nan", "-inf", digits, "2", "?", "1"]]


def test_json_lines_may_have_new_keys_late_and_invalid_lines_are_counted(tmp_path):
    text = '{"a": 1}\n\nnot json\n{"a": 2, "b": {"c": "x"}}\r\n[1,\n' + '{"z": 1}'
    table, rows = read(tmp_path, "x.jsonl", text)
    assert (table.format, table.columns) == ("jsonl", ["a", "b.c", "z"])
    assert rows == [["1", None, None], ["2", "x", None], [None, None, "1"]]
    assert table.issues == ["2 lines are not valid JSON and were skipped"] and table.lost


def test_json_lines_are_detected_by_content(tmp_path):
    for name in ("x.json", "x.txt", "x"):
        assert read(tmp_path, name, '{"a": 1}\n{"a": 2}\n')[1] == [["1"], ["2"]]


def test_objects_without_newlines_between_them_are_records(tmp_path):
    assert read(tmp_path, "x.json", '{"a": 1}{"a": 2} {"a": 3}')[1] == [["1"], ["2"], ["3"]]


def test_a_document_larger_than_its_limit_is_refused(tmp_path):
    text = json.dumps([{"a": "x" * 1000}] * 6000)
    with pytest.raises(Unreadable, match="raise json_bytes"):
        read(tmp_path, "x.json", text, Limits(json_bytes=1 << 20))


@pytest.mark.parametrize("absent", [None, {}])
@pytest.mark.parametrize("count", [2, 3, 9])
def test_a_dict_of_records_may_have_some_without_values(tmp_path, absent, count):
    document = {f"k{n}": absent if n % 3 == 2 else {"n": n, "name": "x"} for n in range(count)}
    table, rows = read(tmp_path, "x.json", json.dumps(document))
    assert table.columns == ["key", "n", "name"]
    assert rows == [[f"k{n}", *([None, None] if n % 3 == 2 else [str(n), "x"])] for n in range(count)]


def test_an_object_with_more_nulls_than_records_is_no_dict_of_records(tmp_path):
    document = {"a": {"n": 1}, "b": {"n": 2}, "c": None, "d": None, "e": None}
    assert len(next(iter(read_all(tmp_path, "x.json", json.dumps(document)).values()))[1]) == 1


@pytest.mark.parametrize(
    "number", ["1e400", "-1e400", "12345678901234567890.5", "0.1234567890123456789", "1" * 400 + ".5"]
)
@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_a_number_that_a_float_does_not_hold_keeps_its_text(tmp_path, name, number):
    lines = [f'{{"id": {n}, "v": {number}}}' for n in range(3)]
    text = "[" + ",".join(lines) + "]" if name == "t.json" else "\n".join(lines)
    assert [row[1] for row in read(tmp_path, name, text)[1]] == [number] * 3


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_what_it_was(number):
    assert parse(repr(number)) == number and type(parse(repr(number))) is float


@pytest.mark.parametrize("between", [",", "\n", "\n\n  "])
def test_keys_that_occur_twice_are_counted(tmp_path, between):
    text = between.join('{"a": 1,\n "b": 2, "a": 3}' for _ in range(3))
    table, rows = read(tmp_path, "t.json", f"[{text}]" if between == "," else text)
    assert rows == [["3", "2"]] * 3
    assert table.issues == ["3 keys occur twice in an object: the last value was kept"]
