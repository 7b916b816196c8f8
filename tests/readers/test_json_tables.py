"""JSON in every shape, and one record per line."""

from __future__ import annotations

import json

import pytest
from raw_files import read, read_all

from mere.errors import Unreadable
from mere.readers import Limits

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


def test_records_under_keys_are_tables_named_by_the_key(tmp_path):
    document = {"version": 3, "people": RECORDS, "result": {"deep": {"cities": [{"city": "Rome"}]}}}
    assert read_all(tmp_path, "x.json", json.dumps(document)) == {
        "people": (["id", "name"], AS_ROWS),
        "result.deep.cities": (["city"], [["Rome"]]),
    }


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


def test_one_level_is_flattened_and_the_rest_stays_json(tmp_path):
    table, rows = read(tmp_path, "x.json", '[{"a": {"b": 1, "c": {"d": [1, 2]}}, "e": []}, {"a": null}]')
    assert table.columns == ["a.b", "a.c", "e", "a"]
    assert rows == [["1", '{"d":[1,2]}', "[]", None], [None, None, None, None]]


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
        (
            '{"$schema": "https://vega.github.io/schema/vega/v5.json", "marks": {"a": 1}}',
            "schema .* has no records",
        ),
        ('{"a": {"b": {"c": 1}}}', "has no records"),
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
