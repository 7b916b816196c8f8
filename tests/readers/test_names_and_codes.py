"""Names of columns beside the rows of a JSON document, missing codes of SPSS, far cells, names of formats."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from mere.errors import Unreadable
from mere.readers import open_tables
from tests.readers.raw_files import read, read_all, rows_of, write

NAMES = ["id", "city", "people"]


def _rows(count: int) -> list[list[Any]]:
    return [[n, f"City {n}", n * 100] for n in range(count)]


def _text(rows: list[list[Any]]) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in rows]


@pytest.mark.parametrize("rows_key", ["data", "rows", "records", "values"])
@pytest.mark.parametrize("names_key", ["columns", "fields", "header", "headers", "cols", "columnNames", "column_names"])
@pytest.mark.parametrize("label", ["", "name", "id", "label"])
@pytest.mark.parametrize("count", [1, 6])
def test_names_beside_the_rows_name_the_columns(tmp_path: Path, rows_key, names_key, label, count) -> None:
    names = [{label: name, "type": "text"} if label else name for name in NAMES]
    table, rows = read(tmp_path, "f.json", json.dumps({names_key: names, rows_key: _rows(count)}))
    assert (table.columns, rows) == (NAMES, _text(_rows(count)))


def test_an_answer_of_ckan_below_a_key(tmp_path: Path) -> None:
    fields = [{"id": name, "type": "text"} for name in NAMES]
    answer = {"help": "x", "success": True, "result": {"fields": fields, "records": _rows(5)}}
    tables = read_all(tmp_path, "f.json", json.dumps(answer))
    assert tables["result"] == (NAMES, _text(_rows(5)))


def test_an_answer_of_socrata(tmp_path: Path) -> None:
    columns = [{"id": n, "name": name, "fieldName": "x"} for n, name in enumerate(NAMES)]
    table, rows = read(tmp_path, "f.json", json.dumps({"meta": {"view": {"columns": columns}}, "data": _rows(5)}))
    assert (table.columns, rows) == (NAMES, _text(_rows(5)))


def test_names_of_another_number_are_not_those_of_the_rows(tmp_path: Path) -> None:
    tables = read_all(tmp_path, "f.json", json.dumps({"fields": ["a", "b"], "records": _rows(4)}))
    assert tables["records"][1] == _text(_rows(4))


def test_records_below_what_is_about_their_page(tmp_path: Path) -> None:
    records = [{"country": {"id": "AT"}, "date": str(2000 + n), "value": n} for n in range(4)]
    tables = read_all(tmp_path, "f.json", json.dumps([{"page": 1, "pages": 1, "total": 4}, records]))
    assert tables[""] == (["country.id", "date", "value"], [["AT", str(2000 + n), str(n)] for n in range(4)])
    assert tables["1"] == (["page", "pages", "total"], [["1", "1", "4"]])


@pytest.mark.parametrize("ranges", [[99], [97, 98, 99], [{"lo": 90, "hi": 99}]])
def test_codes_that_spss_counts_as_missing_are_kept(tmp_path: Path, ranges: list[Any]) -> None:
    pandas = pytest.importorskip("pandas")
    pyreadstat = pytest.importorskip("pyreadstat")
    path = str(tmp_path / "f.sav")
    frame = pandas.DataFrame({"q": [1.0, 2.0, 99.0, 97.0, None], "n": [1, 2, 3, 4, 5]})
    labels = {"q": {1.0: "yes", 2.0: "no", 99.0: "refused"}}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels, missing_ranges={"q": ranges})
    (table,) = open_tables(path)
    assert [row[:2] for row in rows_of(table)] == [
        ["1", "yes"], ["2", "no"], ["99", "refused"], ["97", None], [None, None]
    ]  # fmt: skip
    assert table.issues == ["1 column has codes that mean a missing value; they are kept, with their labels"]


def _workbook(cells: dict[str, str]) -> bytes:
    book = openpyxl.Workbook()
    for place, text in cells.items():
        book.active[place] = text
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


@pytest.mark.parametrize("far", ["XFD1048576", "XFD9000", "ABC1000000"])
def test_a_far_cell_is_named_and_the_remedy_can_help(tmp_path: Path, far: str) -> None:
    path = write(tmp_path, "f.xlsx", _workbook({"A1": "a", "B2": "b", far: "x"}))
    with pytest.raises(Unreadable, match=f"because of its cell {far}") as fault:
        list(open_tables(path))
    assert "delete this cell" in str(fault.value)


def test_a_far_row_without_cells_is_named_and_no_cell(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(_workbook({"A1": "a", "BH5": "b"})))
    book.active.row_dimensions[1048576].height = 12
    sink = io.BytesIO()
    book.save(sink)
    with pytest.raises(Unreadable, match="because of its row 1048576") as fault:
        list(open_tables(write(tmp_path, "f.xlsx", sink.getvalue())))
    assert "cell BH5" not in str(fault.value) and "delete this row" in str(fault.value)


def test_a_far_row_and_a_far_column_are_both_named(tmp_path: Path) -> None:
    path = write(tmp_path, "f.xlsx", _workbook({"A1": "a", "XFD5": "b", "A1048576": "c"}))
    with pytest.raises(Unreadable, match="because of its row 1048576 and its column XFD"):
        list(open_tables(path))


@pytest.mark.parametrize(
    ("extension", "name"), [("avro", "an avro"), ("orc", "an orc"), ("xpt", "an xpt"), ("sav", "a sav")]
)
def test_formats_have_their_article(tmp_path: Path, extension: str, name: str) -> None:
    with pytest.raises(Unreadable, match=f"not {name} file"):
        list(open_tables(write(tmp_path, f"f.{extension}", "plain text, and more\n" * 3)))
