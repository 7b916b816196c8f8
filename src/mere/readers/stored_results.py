"""How many cells of a workbook's sheets hold formulas whose results are not stored?

Programs that write formulas (openpyxl, for one) do not compute them: such a cell has a formula and no value, and is
read as empty.  Only xlsx files are looked at.  A text result that is empty is stored as an empty value of type `str`.
"""

from __future__ import annotations

import html
import io
import posixpath
import re
import zipfile

_SHEET = re.compile(r"<(?:\w+:)?sheet\b([^>]*)>")
_TARGET = re.compile(r"<(?:\w+:)?Relationship\b([^>]*)>")
_ATTRIBUTE = re.compile(r"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_WITHOUT_RESULT = re.compile(
    rb"<(?:\w+:)?c\b([^>]*)>\s*<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v\s*>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_TEXT = re.compile(rb"""\bt\s*=\s*["']str["']""")
_PIECE, _OVERLAP = 1 << 20, 1 << 16  # bytes; a formula has at most 8,192 characters
_FAULTS = (zipfile.BadZipFile, KeyError, OSError, ValueError, RuntimeError, NotImplementedError, EOFError)


def missing_results(data: bytes) -> dict[str, int]:
    """By sheet: the cells whose results are not stored; sheets without any are absent."""
    if not data.startswith(b"PK"):
        return {}
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        counts = {name: _count(archive, part) for name, part in _parts(archive).items()}
    except _FAULTS:  # what is wrong with it is told where its cells are read
        return {}
    return {name: count for name, count in counts.items() if count}


def _parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """The part of each sheet."""
    if "xl/workbook.xml" not in archive.namelist():
        return {}
    book, links = (archive.read(part).decode("utf-8", "replace") for part in _BOOK)
    targets = {link.get("Id", ""): link.get("Target", "") for link in map(_attributes, _TARGET.findall(links))}
    sheets = [_attributes(found) for found in _SHEET.findall(book)]
    places = {sheet.get("name", ""): targets.get(sheet.get("id", ""), "") for sheet in sheets}
    names = set(archive.namelist())
    parts = {name: posixpath.normpath(posixpath.join("xl", place)).lstrip("/") for name, place in places.items()}
    return {name: part for name, part in parts.items() if part in names}


_BOOK = ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")


def _attributes(text: str) -> dict[str, str]:
    """Those of an element, without the prefixes of their names."""
    return {name.rpartition(":")[2]: html.unescape(one or other) for name, one, other in _ATTRIBUTE.findall(text)}


def _count(archive: zipfile.ZipFile, part: str) -> int:
    count, tail = 0, b""
    with archive.open(part) as stream:
        while piece := stream.read(_PIECE):
            text = tail + piece
            formulas = _WITHOUT_RESULT.finditer(text) if b"<f" in text or b":f" in text else ()
            count += sum(each.end() > len(tail) for each in formulas if not _TEXT.search(each[1]))
            tail = text[-_OVERLAP:]
    return count
