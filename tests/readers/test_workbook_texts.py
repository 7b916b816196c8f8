"""Workbooks that hold less, or are something else, than their names say."""

import io
import zipfile

import openpyxl
import pytest

from mere.errors import Unreadable
from mere.readers.stored_results import missing_results
from tests.readers.raw_files import read


def _workbook(sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


@pytest.mark.parametrize("rows", [1, 3, 40_000])
def test_formulas_without_stored_results_are_told(tmp_path, rows):
    body = [[number, f"=A{number + 2}*2"] for number in range(rows)]
    table, cells = read(tmp_path, "t.xlsx", _workbook({"A & <b>": [["id", "double"], *body]}))
    what = "1 cell of the sheet holds a formula" if rows == 1 else f"{rows:,} cells of the sheet hold formulas"
    assert any(issue.startswith(what) and "save the workbook" in issue for issue in table.issues), table.issues
    assert [row[0] for row in cells][:2] == ["0", "1"][:rows]


def test_a_workbook_without_formulas_has_no_note(tmp_path):
    table, _ = read(tmp_path, "t.xlsx", _workbook({"A": [["id", "v"], [1, 2], [3, 4]]}))
    assert not table.issues


def test_stored_results_are_no_fault(tmp_path):
    from mere.readers.stored_results import _TEXT, _WITHOUT_RESULT

    stored = [
        b'<c r="B2"><f>A2*2</f><v>4</v></c>',
        b'<c r="B2" t="str"><f>IF(A2="","",A2)</f><v></v></c>',
        b'<c r="B2"><v>4</v></c><c r="B3"/>',
        b'<c r="B2"><f t="shared" si="0"/><v>1</v></c>',
    ]
    for cell in stored:
        assert not [found for found in _WITHOUT_RESULT.finditer(cell) if not _TEXT.search(found[1])]
    for cell in (
        b'<c r="B2"><f t="shared" si="0"/></c>',
        b'<x:c r="B2"><x:f>A2</x:f><x:v/></x:c>',
        b"<c><f>1</f><v></v></c>",
    ):
        assert [found for found in _WITHOUT_RESULT.finditer(cell) if not _TEXT.search(found[1])]


@pytest.mark.parametrize("extension", ["xls", "xlsx", "ods"])
@pytest.mark.parametrize("delimiter", ["\t", ";", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_that_is_named_like_a_workbook_is_read_as_text(tmp_path, extension, delimiter, encoding):
    rows = [["id", "name", "v"], ["1", "Jürgen", "2.5"], ["2", "Bob", "3.5"], ["3", "Cora", "4.5"]]
    text = "".join(delimiter.join(row) + "\n" for row in rows)
    table, cells = read(tmp_path, f"t.{extension}", text.encode(encoding))
    assert (table.columns, cells) == (rows[0], rows[1:])


@pytest.mark.parametrize("data", [b"Not found\n", b"\x00\x01\x02\x03" * 50, b"one\ntwo\nthree\n"])
def test_other_bytes_that_are_named_like_a_workbook_are_refused(tmp_path, data):
    with pytest.raises(Unreadable, match="not an xls file: wrong first bytes"):
        read(tmp_path, "t.xls", data)


@pytest.mark.parametrize("prefix", ["", "x:"])
def test_formulas_are_counted_whatever_the_prefix_of_the_elements(prefix):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as book:
        book.writestr("xl/workbook.xml", f'<{prefix}sheet name="S" r:id="r1"/>')
        book.writestr("xl/_rels/workbook.xml.rels", '<Relationship Id="r1" Target="worksheets/one.xml"/>')
        cell = f'<{prefix}c r="A1"><{prefix}f>1+1</{prefix}f></{prefix}c>'
        book.writestr("xl/worksheets/one.xml", f"<{prefix}sheetData>{cell}</{prefix}sheetData>")
    assert missing_results(sink.getvalue()) == {"S": 1}
