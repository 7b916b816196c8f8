"""Nested records: objects become columns, lists become tables that join with their parents."""

from __future__ import annotations

import json
import os
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from raw_files import read, read_all, rows_of, write

from mere.errors import Unreadable
from mere.readers import Limits, open_tables, source

KEYS = ("id", "name")  # that the oracle's records have and that are names of keys
SCALARS = st.one_of(st.none(), st.integers(0, 3), st.text("xyz", min_size=1, max_size=2), st.just(0.5), st.booleans())


def _values(depth):
    if not depth:
        return SCALARS
    inner = _values(depth - 1)
    objects = st.dictionaries(st.sampled_from(["a", "b", "c", "id", "name"]), inner, max_size=3)
    return st.one_of(
        SCALARS, objects, st.lists(objects, max_size=3), st.lists(SCALARS, max_size=4), st.lists(inner, max_size=2)
    )


RECORDS = st.lists(
    st.dictionaries(st.sampled_from(["a", "b", "c", "id", "name"]), _values(3), min_size=1), min_size=2, max_size=5
)


def _text(value):
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _leaves(record, path=()):
    """Every path of a record that is not an object with keys."""
    for key, value in record.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _replaced(record, path, new):
    if len(path) == 1:
        return {**record, path[0]: new}
    return {**record, path[0]: _replaced(record[path[0]], path[1:], new)}


def _kind(lists):
    items = [item for each in lists for item in each]
    records = [isinstance(item, dict) for item in items if item is not None]
    if any(isinstance(item, list) for item in items) or len(set(records)) > 1:
        return "text"
    if max(map(len, lists)) <= 1:
        return "single"
    if any(records):
        return "records"
    whole = not any(isinstance(item, float) for item in items)
    return "values" if whole and len(items) >= 10 else "text"


def _lists(records):
    lists = {}
    for record in records:
        for path, value in _leaves(record):
            if isinstance(value, list):
                lists.setdefault(path, []).append(value)
    return lists


def _key(records):
    for name in KEYS:
        texts = [record.get(name) for record in records]
        if name in records[0] and all(
            (text and not isinstance(text, (dict, list))) or text in (0, False) for text in texts
        ):
            texts = list(map(_text, texts))
            if None not in texts and len(set(texts)) == len(texts):
                return name
    return ""


def _oracle(records, member="", parents=None, parent_key=""):
    """(member, rows) of each table; a row is its cells that are not null. Two tables may have one path."""
    empty = [record is None for record in records]
    records = [{} if record is None else record for record in records]
    key = "" if any(empty) else _key(records)  # a list is no key, not even one that becomes its only element
    while True:  # lists of at most one element become that element, until there are none
        kinds = {path: _kind(lists) for path, lists in _lists(records).items()}
        single = [path for path, kind in kinds.items() if kind == "single"]
        if not single:
            break
        records_first = [path for path in single if any(any(each) for each in _lists(records)[path])] or single
        single = [path for path in records_first if len(path) == min(map(len, records_first))]
        for number, record in enumerate(records):
            for path, value in list(_leaves(record)):
                if path in single and isinstance(value, list):
                    record = _replaced(record, path, value[0] if value else None)
            records[number] = record
    keys = [_text(record[key]) for record in records] if key else [str(n) for n in range(1, len(records) + 1)]
    below = [path for path, kind in kinds.items() if kind in ("records", "values")]
    numbered = bool(below) and not key and len(records) > 1
    rows = []
    for number, record in enumerate(records):
        cells = {".".join(path): _text(value) for path, value in _leaves(record)
                 if not (isinstance(value, list) and kinds[path] == "records") and value != {}}  # fmt: skip
        row = {name: text for name, text in cells.items() if text is not None}
        if parent_key:
            row[f"parent.{parent_key}"] = parents[number]
        rows.append({**row, "row": str(number + 1)} if numbered else row)
    tables = [(member, rows)]
    for path in below:
        pairs = [
            (keys[number], item)
            for number, record in enumerate(records)
            for where, value in _leaves(record)
            if where == path and isinstance(value, list)
            for item in value
        ]
        name = ".".join(([member] if member else []) + list(path))
        parent_name = key or ("row" if numbered else "")
        if kinds[path] == "records":
            tables += _oracle([item for _, item in pairs], name, [parent for parent, _ in pairs], parent_name)
        else:
            cells = [{path[-1]: _text(item)} if item is not None else {} for _, item in pairs]
            keyed = [{f"parent.{parent_name}": parent} for parent, _ in pairs]
            tables.append((name, [key | cell for key, cell in zip(keyed, cells, strict=True)]))
    return tables


def _comparable(tables):
    return sorted(json.dumps(table, sort_keys=True) for table in tables if _has_values(table[1]))


def _has_values(rows):
    """Whether there is more in them than the keys that join them."""
    return any(name != "row" and not name.startswith("parent.") for row in rows for name in row)


def _read(folder, name, text):
    tables = []
    for table in open_tables(write(folder, name, text)):
        assert len(set(table.columns)) == len(table.columns)
        rows = [dict(zip(table.columns, row, strict=True)) for row in rows_of(table)]
        tables.append((table.member, [{name: cell for name, cell in row.items() if cell is not None} for row in rows]))
    return tables


@settings(deadline=None, max_examples=120)
@given(RECORDS)
@example([{"a": None, "id": 1}, {"id": [0], "a": [{}, {}]}])
def test_nested_records_become_the_tables_of_the_oracle(records):
    expected = [table for table in _oracle(records) if _has_values(table[1])]
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = _read(Path(folder), "x.json", json.dumps(records))
        except Unreadable as fault:
            assert "no values" in str(fault) and not expected
            return
    assert _comparable(found) == _comparable(expected)


ORDERS = [
    {"id": 7, "who": {"name": "Ada", "at": {"city": "Ulm"}}, "tags": ["x"],
     "lines": [{"sku": "a", "n": 1}, {"sku": "b"}]},
    {"id": 9, "who": {"name": "Bob"}, "tags": [], "lines": []},
    {"id": 8, "who": None, "tags": None, "lines": [{"sku": "a", "parts": [{"p": 1}, {"p": 2}]}]},
]  # fmt: skip


@pytest.mark.parametrize("streamed", [False, True])
def test_a_list_of_records_is_a_table_with_the_key_of_its_parent(tmp_path, streamed, monkeypatch):
    if streamed:
        monkeypatch.setattr(source, "SMALL", 10)
    text = "\n".join(map(json.dumps, ORDERS))
    expected = {
        "": (["id", "who.name", "who.at.city", "tags"],
             [["7", "Ada", "Ulm", "x"], ["9", "Bob", None, None], ["8", None, None, None]]),
        "lines": (["parent.id", "sku", "n", "row"],
                  [["7", "a", "1", "1"], ["7", "b", None, "2"], ["8", "a", None, "3"]]),
        "lines.parts": (["parent.row", "p"], [["3", "1"], ["3", "2"]]),
    }  # fmt: skip
    assert read_all(tmp_path, "x.jsonl", text) == expected
    assert read_all(tmp_path, "x.json", json.dumps(ORDERS)) == expected


def test_a_list_of_many_values_is_a_table_and_stays_in_its_cell(tmp_path):
    records = [{"code": f"c{n}", "tags": ["a", "b", f"t{n}"], "place": [0.5, n]} for n in range(4)]
    tables = read_all(tmp_path, "x.json", json.dumps(records))
    assert tables[""][0] == ["code", "tags", "place"] and tables[""][1][1] == ["c1", '["a","b","t1"]', "[0.5,1]"]
    assert tables["tags"] == (
        ["parent.code", "tags"],
        [[f"c{n}", tag] for n in range(4) for tag in ("a", "b", f"t{n}")],
    )


def test_values_below_the_depth_stay_json(tmp_path):
    text = '[{"a": {"b": {"c": {"d": 1}}, "e": [{"f": 1}, {"f": 2}]}, "g": 1}]'
    table, rows = read(tmp_path, "x.json", text, Limits(flatten_depth=2))
    assert (table.columns, rows) == (["a.b", "a.e", "g"], [['{"c":{"d":1}}', '[{"f":1},{"f":2}]', "1"]])
    assert read(tmp_path, "x.json", text, Limits(flatten_depth=1))[0].columns == ["a", "g"]


def test_lists_of_one_path_are_one_list_however_they_are_reached(tmp_path):
    records = [{"a": [{"b": [{"c": 1}, {"c": 2}]}]}, {"a": {"b": [{"c": 3}]}}, {"a": {"b": []}}]
    tables = read_all(tmp_path, "x.json", json.dumps(records))
    assert tables == {"a.b": (["parent.row", "c"], [["1", "1"], ["1", "2"], ["2", "3"]])}


def test_lists_beyond_the_number_of_tables_stay_json_with_a_note(tmp_path):
    records = [{"id": n, **{f"l{k}": [{"v": 1}, {"v": 2}] for k in range(5)}} for n in range(3)]
    tables = list(open_tables(write(tmp_path, "x.json", json.dumps(records)), Limits(child_tables=2)))
    rows = rows_of(tables[0])
    assert [table.member for table in tables] == ["", "l0", "l1"] and rows[0] == ["0", *['[{"v":1},{"v":2}]'] * 3]
    assert tables[0].issues == ["3 lists beyond 2 tables stay text in a cell"] and not tables[0].lost


def test_names_that_contain_dots_do_not_lose_a_value(tmp_path):
    table, rows = read(tmp_path, "x.json", '[{"a.b": 1, "a": {"b": 2}}, {"a": {"b": 3}}]')
    assert table.columns == ["a.b", "a.b_2"] and rows == [["1", "2"], [None, "3"]]


def test_records_with_too_many_different_keys_are_refused_before_rows_are_made(tmp_path):
    sparse = json.dumps([{f"k{n}": n} for n in range(3000)])
    with pytest.raises(Unreadable, match=r"9,000,000 cells in .* raise the limit 'cells_per_byte'"):
        read(tmp_path, "x.json", sparse, Limits(cells_free=1000))
    with pytest.raises(Unreadable, match="more than 2,000 columns; raise the limit 'columns'"):
        read(tmp_path, "x.json", sparse, Limits(columns=2000))
    lines = "\n".join(json.dumps({"id": n, "l": [{f"k{n}{m}": m} for m in range(2)]}) for n in range(3000))
    with pytest.raises(Unreadable, match="more than 2,000 columns"):
        read(tmp_path, "x.jsonl", lines, Limits(columns=2000))


def test_streamed_children_are_read_in_limited_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "SMALL", 10)
    lines = "\n".join(json.dumps({"id": n, "l": list(range(100))}) for n in range(2000))
    root, child = open_tables(write(tmp_path, "x.jsonl", lines))
    sizes = [batch.num_rows for batch in child.batches()]
    assert sum(sizes) == 200_000 and max(sizes) <= 65_536 and not child.issues
    assert all(first <= second for first, second in pairwise(int(row[0]) for row in rows_of(child)))
    assert os.path.exists(tmp_path) and root.columns == ["id", "l"]
