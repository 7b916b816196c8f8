"""How are tables written, so that the same table always gives the same bytes?

A table is a dict of equally long lists.  No function depends on the clock, the file system or the locale;
archives have fixed dates, and line ends do not depend on the platform.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    import pyarrow

Table = Mapping[str, Sequence[Any]]
Columns = dict[str, list[Any]]  # a table that is being made
Files = Iterator[tuple[str, bytes]]  # path inside the source, content

_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # the oldest date of a zip file


class Formula(NamedTuple):
    """A spreadsheet cell with a formula, and the value it had when it was saved."""

    text: str
    value: str | float


def records(table: Table) -> Iterator[dict[str, Any]]:
    for row in zip(*table.values(), strict=True):
        yield dict(zip(table, row, strict=True))


def delimited(table: Table, delimiter: str = ",", decimal: str = ".", line_end: str = "\n") -> str:
    """CSV and similar formats; None is an empty cell."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(table)
    writer.writerows([_cell(value, decimal) for value in row] for row in zip(*table.values(), strict=True))
    return out.getvalue()


def _cell(value: object, decimal: str) -> object:
    return str(value).replace(".", decimal) if isinstance(value, float) and decimal != "." else value


def as_csv(table: Table) -> bytes:
    return delimited(table).encode()


def as_tsv(table: Table) -> bytes:
    return delimited(table, "\t").encode()


def as_json(document: object) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=1, default=str) + "\n").encode()


def as_jsonl(table: Table) -> bytes:
    return "".join(json.dumps(r, ensure_ascii=False, default=str) + "\n" for r in records(table)).encode()


def as_parquet(table: Table) -> bytes:
    """Written from JSON, where 007 stays text; making Arrow columns of lists would import pandas, which takes 2 s."""
    from pyarrow.json import read_json

    return parquet_of(read_json(io.BytesIO(as_jsonl(table))))


def parquet_of(table: pyarrow.Table) -> bytes:
    from pyarrow.parquet import write_table

    out = io.BytesIO()
    write_table(table, out)
    return out.getvalue()


def as_gzip(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def as_zip(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _ZIP_EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix; otherwise it depends on the platform
            archive.writestr(info, content)
    return out.getvalue()


def as_xlsx(sheets: Mapping[str, Table]) -> bytes:
    """The smallest workbook the Office Open XML standard allows: inline strings, no styles."""
    numbers = range(1, len(sheets) + 1)
    members = {
        "[Content_Types].xml": _content_types(numbers),
        "_rels/.rels": _relations([("rId1", "officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": _workbook(sheets),
        "xl/_rels/workbook.xml.rels": _relations(
            [(f"rId{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in numbers]
        ),
    }
    for number, table in zip(numbers, sheets.values(), strict=True):
        members[f"xl/worksheets/sheet{number}.xml"] = _sheet(table)
    return as_zip({name: (_XML + text).encode() for name, text in members.items()})


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_MIME = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def _content_types(numbers: range) -> str:
    parts = [("/xl/workbook.xml", "sheet.main")]
    parts += [(f"/xl/worksheets/sheet{n}.xml", "worksheet") for n in numbers]
    overrides = "".join(f'<Override PartName="{part}" ContentType="{_MIME}.{kind}+xml"/>' for part, kind in parts)
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _relations(relations: Sequence[tuple[str, str, str]]) -> str:
    entries = "".join(
        f'<Relationship Id="{ref}" Type="{_OFFICE}/{kind}" Target="{target}"/>' for ref, kind, target in relations
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{entries}</Relationships>'


def _workbook(sheets: Mapping[str, Table]) -> str:
    entries = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, 1)
    )
    return f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{entries}</sheets></workbook>'


def _sheet(table: Table) -> str:
    rows = [list(table), *zip(*table.values(), strict=True)]
    lines = "".join(
        f'<row r="{r}">{"".join(_xlsx_cell(c, r, value) for c, value in enumerate(row))}</row>'
        for r, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _xlsx_cell(column: int, row: int, value: object) -> str:
    place = f"{_letters(column)}{row}"
    match value:
        case None:
            return ""
        case Formula(text, cached):
            kind = ' t="str"' if isinstance(cached, str) else ""
            return f'<c r="{place}"{kind}><f>{escape(text)}</f><v>{escape(str(cached))}</v></c>'
        case int() | float():
            return f'<c r="{place}"><v>{value}</v></c>'
        case _:
            return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def _letters(column: int) -> str:
    """0 is A, 25 is Z, 26 is AA."""
    letters = ""
    column += 1
    while column:
        column, digit = divmod(column - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters
