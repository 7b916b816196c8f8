"""Files that once ended the process, or took all memory, or minutes: each is refused before anything is unfolded."""

from __future__ import annotations

import io
import json
import struct
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlwt
from hypothesis import given
from hypothesis import strategies as st
from raw_files import read_all, rows_of, write

from mere.errors import Unreadable
from mere.readers import Limits, excel, open_tables
from mere.readers.biff_extent import largest_extent
from mere.readers.ods_extent import largest_extent as extent_of_document
from mere.readers.ole_checks import _has_loop, check_ole
from mere.readers.panics import Panicked, panics_as_errors
from mere.readers.xlsb_extent import extent_of_part

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
CELL = "<row r='1'><c r='A1' t='s'><v>0</v></c></row><row r='2'><c r='A2'><v>7</v></c></row>"


def zipped(members: dict[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def related(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{OFFICE}/{kind}" Target="{target}"/>'
        "</Relationships>"
    )


def workbook(rows: str, strings: str = "uniqueCount='1'", target: str = "worksheets/sheet1.xml") -> bytes:
    """A workbook of 1.4 kB: one sheet with these rows, and one shared string."""
    sheet = '<sheet name="S" sheetId="1" r:id="r1"/>'
    return zipped(
        {
            "_rels/.rels": related("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets>{sheet}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": related("worksheet", target),
            f"xl/{target}": f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>",
            "xl/sharedStrings.xml": f"<sst {MAIN} {strings}><si><t>a</t></si></sst>",
        }
    )


def refused(folder: Path, name: str, content: bytes, limits: Limits | None = None) -> str:
    """Why a file is refused, before any table of it is given."""
    with pytest.raises(Unreadable) as error:
        list(open_tables(write(folder, name, content), limits or Limits()))
    return str(error.value)


def test_the_workbook_that_the_hostile_ones_are_made_from_is_read(tmp_path):
    assert read_all(tmp_path, "a.xlsx", workbook(CELL)) == {"S": (["a"], [["7"]])}


@pytest.mark.parametrize(
    "cell",
    [
        "<c r='XFD1048576'><v>1</v></c>",
        '<c r = "xfd1048576"><v>1</v></c>',
        '<c\nr="A1"/><c r="ZZZZZZ99999999"><v>1</v></c>',
        "<c t='n' r='A99999999999'><v>1</v></c>",
    ],
)
def test_a_cell_far_away_is_refused(tmp_path, cell):
    content = workbook(f"{CELL}<row>{cell}</row>")
    assert len(content) < 2000
    assert "a sheet spans" in refused(tmp_path, "a.xlsx", content)


@pytest.mark.parametrize("target", ["tables/sheet1.xml", "sheet", "worksheets/deep/a.xml", "theme/theme1.xml"])
def test_a_cell_far_away_is_refused_wherever_its_sheet_is_in_the_workbook(tmp_path, target):
    assert read_all(tmp_path, "a.xlsx", workbook(CELL, target=target)) == {"S": (["a"], [["7"]])}
    content = workbook(f"{CELL}<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>", target=target)
    assert "a sheet spans" in refused(tmp_path, "a.xlsx", content)


@pytest.mark.parametrize("before", range(1, 20, 3))
def test_a_cell_far_away_is_found_where_two_pieces_of_a_sheet_meet(tmp_path, before):
    head = f"<worksheet {MAIN}><sheetData>{CELL}<!--"
    padding = "x" * ((1 << 20) - len(head) - len("--><row><c ") - before)
    content = workbook(f"{CELL}<!--{padding}--><row><c r='XFD1048576'><v>1</v></c></row>")
    assert "a sheet spans" in refused(tmp_path, "a.xlsx", content)


@pytest.mark.parametrize("count", [27, 2**32 - 1, 10**14])
def test_a_wrong_count_of_shared_strings_is_refused(tmp_path, count):
    reason = refused(tmp_path, "a.xlsx", workbook(CELL, f'count="1" uniqueCount="{count}"'))
    assert f"{count:,} shared strings announced" in reason


def test_a_panic_of_a_library_is_an_error_of_the_file(tmp_path):
    far = workbook(f"{CELL}<row><c r='ZZZZZZ4294967295'><v>1</v></c></row>")
    assert "Panicked" in refused(tmp_path, "a.xlsx", far, Limits(sheet_cells=10**19, rows=1, cells=1))


def test_a_panic_in_one_sheet_leaves_the_others(tmp_path, monkeypatch):
    from openpyxl import Workbook

    book, stream = Workbook(), io.BytesIO()
    for name in ("bad", "good"):
        sheet = book.create_sheet(name)
        sheet.append(["k"])
        sheet.append([1])
    book.save(stream)
    real = excel._sheet

    def panics(sheet: Any, label: str, *rest: Any) -> Any:
        if label == "bad":
            raise type("PanicException", (BaseException,), {})("index out of bounds")
        return real(sheet, label, *rest)

    monkeypatch.setattr(excel, "_sheet", panics)
    failures: list[tuple[str, str]] = []
    tables = list(open_tables(write(tmp_path, "a.xlsx", stream.getvalue()), failures=failures))
    assert [table.member for table in tables] == ["good"]
    assert [member for member, _ in failures] == ["bad"] and "index out of bounds" in failures[0][1]


@pytest.mark.parametrize("other", [KeyboardInterrupt, SystemExit, GeneratorExit, ValueError])
def test_only_panics_become_errors(other):
    with pytest.raises(other), panics_as_errors():
        raise other
    with pytest.raises(Panicked, match="lost"), panics_as_errors():
        raise type("PanicException", (BaseException,), {})("lost")


def ole(table: list[int], first_small: int = 0xFFFFFFFE, first_list: int = 0xFFFFFFFE, tables: int = 1) -> bytes:
    """An old workbook: header, table of sectors (sector 0), the folder's first sector (1)."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(24, b"\0") + struct.pack("<HHHHH6x", 62, 3, 0xFFFE, 9, 6)
    head += struct.pack("<9I", 0, tables, 1, 0, 4096, first_small, 0, first_list, 0)
    listed = struct.pack("<109I", 0, *[0xFFFFFFFF] * 108)
    sectors = struct.pack("<128I", *table, *[0xFFFFFFFF] * (128 - len(table)))
    return head + listed + sectors + bytes(512)


def test_old_workbooks_whose_sectors_form_a_loop_are_refused(tmp_path):
    end, own = 0xFFFFFFFE, 0xFFFFFFFD
    check_ole(ole([own, end]), "a.xls", Limits())
    assert "form a loop" in refused(tmp_path, "a.xls", ole([own, 1]))
    assert "form a loop" in refused(tmp_path, "b.xls", ole([own, 2, 1]))
    assert "form a loop" in refused(tmp_path, "c.xls", ole([own, end], first_list=1))
    assert "form a loop" in refused(tmp_path, "d.xls", ole([own, end], first_small=1)), "sector 1 is full of zeros"
    assert "more sectors" in refused(tmp_path, "f.xls", ole([own, end], tables=10**6))
    assert "too short" in refused(tmp_path, "e.xls", ole([own, end])[:100])


@given(st.lists(st.integers(0, 12) | st.just(0xFFFFFFFE), max_size=12))
def test_a_loop_is_found_exactly_if_following_the_table_never_ends(table):
    def never_ends(sector: int) -> bool:
        for _ in range(len(table) + 1):
            if sector >= len(table):
                return False
            sector = table[sector]
        return True

    assert _has_loop(np.array(table, "<u4")) == any(map(never_ends, range(len(table))))


def biff(*records: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack("<HH", kind, len(content)) + content for kind, content in records)


@given(st.lists(st.lists(st.tuples(st.integers(0, 65535), st.integers(0, 65535)), max_size=5), max_size=3))
def test_the_extent_of_an_old_workbook_is_that_of_its_largest_sheet(sheets):
    bodies = [biff(*((0x203, struct.pack("<HHHd", row, column, 0, 1.5)) for row, column in cells)) for cells in sheets]
    bodies = [body + biff((0x0A, b"")) for body in bodies]
    start, globals_ = 4 + sum(4 + 4 for _ in bodies), b""
    for body in bodies:
        globals_ += biff((0x85, struct.pack("<I", start)))
        start += len(body)
    stream = globals_ + biff((0x0A, b"")) + b"".join(bodies)
    extents = (
        [max(r for r, _ in cells) + 1 for cells in sheets if cells],
        [max(c for _, c in s) + 1 for s in sheets if s],
    )
    assert largest_extent(stream) == max((r * c for r, c in zip(*extents, strict=True)), default=0)
    assert largest_extent(stream[: len(stream) // 2]) <= largest_extent(stream)


def test_a_cell_far_away_in_an_old_workbook_is_refused(tmp_path):
    several = struct.pack("<HHHIHIH", 0xFFFF, 0, 0, 2, 0, 2, 0xFFFF)
    stream = biff((0x809, struct.pack("<HH4x", 0x600, 5)), (0x85, struct.pack("<IHB1s", 28, 0, 1, b"s")), (0x0A, b""))
    stream += biff((0xBD, several), (0x0A, b""))
    entries = b"".join(
        name.encode("utf-16-le").ljust(64, b"\0") + struct.pack("<HB49xII4x", 2 * len(name) + 2, kind, first, size)
        for name, kind, first, size in [("Root Entry", 5, 2, 512), ("Workbook", 2, 0, len(stream))]
    ).ljust(512, b"\0")
    table = ole([0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFE, 0xFFFFFFFE], first_small=3)
    small_table = struct.pack("<I", 0xFFFFFFFE) * 128
    content = table[:-512] + entries + stream.ljust(512, b"\0") + small_table
    assert "a sheet spans 4,294,967,296 cells" in refused(tmp_path, "a.xls", content)


@given(
    st.lists(st.integers(0, 2**32 - 1), min_size=2, max_size=2), st.lists(st.integers(0, 65535), min_size=2, max_size=2)
)
def test_what_a_sheet_of_an_old_workbook_announces_is_counted(rows, columns):
    """The library reserves memory for the rows and columns that are announced; an end before its start wraps around."""
    for form, most in (("<IIHH2x", 2**32), ("<HHHH2x", 65536)):
        (top, bottom), (left, right) = [row % most for row in rows], columns
        stream = biff((0x85, struct.pack("<I", 12)), (0x0A, b""), (0x200, struct.pack(form, top, bottom, left, right)))
        extent = largest_extent(stream)
        if top < bottom and left < right:
            assert extent == (bottom - top) * (right - left)
        elif top > bottom > 0 and right:
            assert extent >= min(2**32 - top + bottom, 2**32 - 65535)


@pytest.mark.parametrize("row", [2**26, 2**31, 2**32 - 1])
def test_an_old_workbook_that_announces_too_many_cells_is_refused(tmp_path, row):
    book, stream = xlwt.Workbook(), io.BytesIO()
    book.add_sheet("s").write(2, 1, "a")
    book.save(stream)
    announced = struct.pack("<HHII", 0x200, 14, 2, 3)
    assert stream.getvalue().count(announced) == 1
    content = stream.getvalue().replace(announced, struct.pack("<HHII", 0x200, 14, 0, row))
    assert "a sheet spans" in refused(tmp_path, "a.xls", content)


def binary_workbook(cells: list[tuple[int, int]]) -> bytes:
    """A workbook of about 800 bytes (.xlsb) with a number in each of these cells."""
    sheet = record(156, struct.pack("<II", 0, 1) + wide("r1") + wide("S"))
    return zipped(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
            "xl/workbook.bin": record(131) + record(143) + sheet + record(144) + record(132),
            "xl/_rels/workbook.bin.rels": related("worksheet", "worksheets/sheet1.bin"),
            "xl/worksheets/sheet1.bin": binary_sheet(cells),
        }
    )


def binary_sheet(cells: list[tuple[int, int]]) -> bytes:
    body = b"".join(
        record(0, struct.pack("<I", row) + bytes(13)) + record(5, struct.pack("<IId", column, 0, 1.5))
        for row, column in cells
    )
    return (
        record(129) + record(148, bytes(16)) + record(145) + body + record(146) + record(5, b"\xff" * 16) + record(130)
    )


def record(kind: int, data: bytes = b"") -> bytes:
    """Its kind and its size are written with seven bits per byte."""
    return (bytes([kind]) if kind < 128 else bytes([kind & 127 | 128, kind >> 7])) + bytes([len(data)]) + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


@given(st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 2**14)), max_size=8), st.binary(max_size=20))
def test_the_extent_of_a_binary_sheet_is_that_of_its_farthest_cells(cells, noise):
    expected = (max(row for row, _ in cells) + 1) * (max(column for _, column in cells) + 1) if cells else 0
    assert extent_of_part(binary_sheet(cells)) == expected
    assert extent_of_part(binary_sheet(cells)[: 3 * len(cells)] + noise) >= 0


def test_a_cell_far_away_in_a_binary_workbook_is_refused(tmp_path):
    near = read_all(tmp_path, "a.xlsb", binary_workbook([(0, 0), (1, 0), (1, 1)]))
    assert list(near) == ["S"]
    content = binary_workbook([(0, 0), (1, 0), (2**20 - 1, 2**14 - 1)])
    assert len(content) < 1400
    assert "a sheet spans 17,179,869,184 cells" in refused(tmp_path, "a.xlsb", content)


Repeated = tuple[int, list[tuple[int, bool]]]  # of a row: how often, and its cells: how often, with a value or not


def open_document(sheets: list[list[Repeated]]) -> str:
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    tables = "".join(
        f'<table:table table:name="S{at}">{"".join(map(_row, rows))}</table:table>' for at, rows in enumerate(sheets)
    )
    body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
    return f"<office:document-content {spaces}>{body}</office:document-content>"


def _row(row: Repeated) -> str:
    cells = "".join(
        f'<table:table-cell table:number-columns-repeated="{count}"'
        + (' office:value-type="float" office:value="1"/>' if value else "/>")
        for count, value in row[1]
    )
    return f'<table:table-row table:number-rows-repeated="{row[0]}">{cells}</table:table-row>'


def _unfolded(rows: list[Repeated]) -> int:
    """Rows times columns up to the farthest value, cell by cell."""
    grid = [[value for count, value in cells for _ in range(count)] for times, cells in rows for _ in range(times)]
    places = [(y, x) for y, row in enumerate(grid) for x, value in enumerate(row) if value]
    return (max(y for y, _ in places) + 1) * (max(x for _, x in places) + 1) if places else 0


CELLS_OF_A_ROW = st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=4)


@given(st.lists(st.lists(st.tuples(st.integers(1, 5), CELLS_OF_A_ROW), max_size=4), max_size=3))
def test_the_extent_of_an_open_document_is_that_of_its_largest_sheet(sheets):
    assert extent_of_document(open_document(sheets).encode()) == max(map(_unfolded, sheets), default=0)


def test_tags_of_an_open_document_that_are_not_closed_take_no_longer_than_others():
    def seconds(tag: bytes) -> float:
        start = time.perf_counter()
        extent_of_document(tag * 20_000)
        return time.perf_counter() - start

    assert seconds(b"<table:table-cell ") < 20 * seconds(b"<table:table-cell>")


@pytest.mark.parametrize(
    ("rows", "spans"),
    [
        ([(1, [(10**9, False), (1, True)])], True),
        ([(1, [(1, True)]), (10**9, [(1, False)]), (1, [(1, True)])], True),
        ([(1000, [(16384, True)])] * 20, True),
        ([(3, [(2, True), (16382, False)]), (1048573, [(16384, False)])], False),  # as spreadsheet programs write it
    ],
)
def test_cells_of_an_open_document_that_are_repeated_too_often_are_refused(tmp_path, rows, spans):
    members = {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": open_document([rows])}
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    content = zipped({**members, "META-INF/manifest.xml": manifest})
    if spans:
        assert "a sheet spans" in refused(tmp_path, "a.ods", content)
    else:
        assert read_all(tmp_path, "a.ods", content) == {"S0": (["column_1", "column_2"], [["1", "1"]] * 3)}


def arrow_file(column: pa.Array, rows: int) -> bytes:
    """An Arrow file that says it has so many rows."""
    stream = pa.BufferOutputStream()
    with pa.ipc.new_file(stream, pa.schema([("a", column.type)])) as writer:
        writer.write_batch(pa.record_batch([column], names=["a"]))
    return bytes(stream.getvalue()).replace(len(column).to_bytes(8, "little"), rows.to_bytes(8, "little"))


@pytest.mark.parametrize("rows", [10**9, 10**10 + 1, 10**12])
@pytest.mark.parametrize("kind", ["nulls", "runs"])
def test_an_arrow_file_of_a_kilobyte_with_billions_of_rows_is_refused(tmp_path, kind, rows):
    written = 1_234_567
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([written], pa.int64()), pa.array(["x"]))
    content = arrow_file(pa.nulls(written) if kind == "nulls" else runs, rows)
    assert len(content) < 1000
    assert f"{rows:,}" in refused(tmp_path, "a.arrow", content)


def test_a_small_parquet_file_with_millions_of_rows_is_refused(tmp_path):
    stream = pa.BufferOutputStream()
    block = pa.table({"a": pa.array(np.zeros(5_000_000, np.int8))})
    with pq.ParquetWriter(stream, block.schema) as writer:
        for _ in range(22):
            writer.write_table(block)
    content = bytes(stream.getvalue())
    assert len(content) < 500_000
    assert "110,000,000 cells" in refused(tmp_path, "a.parquet", content)


def test_members_of_a_zip_that_share_their_bytes_are_refused(tmp_path):
    """Many entries of the directory point to the same member, which becomes 1 MB."""
    content = zipped({"a.csv": b"k,v\n" + b"1,2\n" * 250_000})
    start = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    entry, tail = content[start:end], content[end:]
    entries = b"".join(entry.replace(b"a.csv", f"{n:05d}".encode()) for n in range(900))
    tail = tail[:8] + struct.pack("<HHII", 900, 900, len(entries), start) + tail[20:]
    assert "decompress to" in refused(tmp_path, "a.zip", content[:start] + entries + tail)


def test_the_directory_of_a_zip_with_20000_members_is_read_once(tmp_path, monkeypatch):
    path = write(tmp_path, "a.zip", zipped({f"{n}.csv": "k,v\n1,2\n" for n in range(20_000)}))
    opened = []
    real = zipfile.ZipFile.__init__
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *given, **named: opened.append(1) or real(*given, **named))
    failures: list[tuple[str, str]] = []
    tables = list(open_tables(path, Limits(members=50), failures=failures))
    assert len(tables) == 50 and all(rows_of(table) == [["1", "2"]] for table in tables)
    assert len(opened) == 1 and len(failures) == 1, "one line for all that were left out"


def test_records_that_have_no_key_in_common_are_refused(tmp_path):
    records = [{f"key {n}": n, f"other {n}": 1} for n in range(9000)]
    assert "cells" in refused(tmp_path, "a.json", json.dumps(records).encode())
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    assert "cells" in refused(tmp_path, "a.jsonl", lines)
