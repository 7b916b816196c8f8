"""Is it safe to give a workbook to the library that reads it?

The library trusts what a workbook says about itself: it allocates a dense rectangle up to the farthest cell, and as
many shared strings as are announced.  A workbook of a kilobyte can so end the process.  Parts are therefore
decompressed up to their declared size, and what they announce is compared with the limits, before.
"""

from __future__ import annotations

import io
import re
import string
import zipfile
import zlib
from collections.abc import Iterator

from mere.errors import Unreadable
from mere.readers.limits import Limits
from mere.readers.ods_extent import largest_extent
from mere.readers.ole_checks import check_ole
from mere.readers.xlsb_extent import extent_of_part

_CELLS = b"sheetData"  # the element of a sheet's cells; a sheet may have any name
_OPEN_DOCUMENT, _BINARY = "content.xml", "xl/workbook.bin"  # parts of .ods and .xlsb workbooks
_STRINGS = re.compile(r"xl/sharedstrings\.xml", re.I)
_REFERENCE = re.compile(  # of a cell (B7) or a row (7); it starts with a letter, so that the search skips other bytes
    rb"""r(?<!\wr)\s*=\s*["']([A-Za-z]{0,9}[0-9]{1,19})["']"""
)
_LETTERS, _DIGITS = string.ascii_letters.encode(), string.digits.encode()
_COUNT = re.compile(rb"""<(?:\w+:)?sst\b[^>]*?\buniqueCount\s*=\s*["']([0-9]+)["']""")
_CELLS_PER_BYTE = 1  # more are nearly all empty: a filled cell takes at least 10 bytes
_SMALLEST_STRING = len("<si/>")
_OVERLAP = 512  # bytes of a piece that are looked at again with the next, so that nothing is cut
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


def check_workbook(data: bytes, name: str, limits: Limits) -> None:
    """Refuse a workbook that becomes too many bytes, or announces too many cells or strings."""
    if not data.startswith(b"PK"):
        check_ole(data, name, limits)
        return
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _FAULTS as fault:
        raise Unreadable(f"{name}: not a readable workbook ({fault})", "save the workbook again") from fault
    total = sum(entry.file_size for entry in archive.infolist())
    bound = max(limits.ratio_free_bytes, limits.ratio * len(data))
    if total > min(bound, limits.decompressed_bytes, 16 * limits.excel_bytes):
        raise Unreadable(f"{name}: the workbook decompresses to {total:,} bytes", "raise excel_bytes or ratio")
    for entry in archive.infolist():
        try:
            _check_part(archive, entry, name, limits)
        except _FAULTS as fault:
            raise Unreadable(
                f"{name}: the part '{entry.filename}' is corrupt ({fault})", "save the workbook again"
            ) from fault


def check_sheet(cells: int, limits: Limits, name: str = "") -> None:
    """Refuse a sheet of so many cells, empty ones included; also before cells become Python objects."""
    if cells > limits.sheet_cells:
        raise Unreadable(f"{name}a sheet spans {cells:,} cells", "raise sheet_cells")


def _check_part(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, limits: Limits) -> None:
    """Reads a part to its end, so that a wrong size is noticed before the library decompresses all of it."""
    if entry.filename == _OPEN_DOCUMENT:
        check_sheet(largest_extent(archive.read(entry)), limits, f"{name}: ")
    if _BINARY in archive.NameToInfo:
        check_sheet(extent_of_part(archive.read(entry)), limits, f"{name}: ")
    rows = columns = announced = 0
    is_sheet, is_strings = False, _STRINGS.fullmatch(entry.filename)
    for piece in _pieces(archive, entry):
        is_sheet = is_sheet or _CELLS in piece
        if is_sheet:
            rows, columns = _extent(piece, rows, columns)
            if rows * columns > max(limits.sheet_cells, _CELLS_PER_BYTE * entry.file_size):
                place, remedy = _far_place(piece, rows, columns)
                raise Unreadable(f"{name}: {place}", remedy)
            check_sheet(rows * columns, limits, f"{name}: ")
        if is_strings:
            announced = max([announced, *map(int, _COUNT.findall(piece))])
    if announced > entry.file_size // _SMALLEST_STRING:
        raise Unreadable(
            f"{name}: {announced:,} shared strings announced in {entry.file_size:,} bytes",
            "save the workbook again",
        )


def _pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """A part, piece by piece, each with the end of the one before."""
    tail = b""
    with archive.open(entry) as stream:
        while piece := stream.read(1 << 20):
            yield tail + piece
            tail = piece[-_OVERLAP:]


def _extent(piece: bytes, rows: int, columns: int) -> tuple[int, int]:
    """Rows and columns up to the farthest cell so far, by the references of cells and rows."""
    found = _REFERENCE.findall(piece)
    if not found:
        return rows, columns
    letters = {reference.rstrip(_DIGITS) for reference in found}  # few different ones: a column has many cells
    digits = {reference.lstrip(_LETTERS) for reference in found}
    return max(rows, *map(int, digits)), max(columns, 1, *map(_column_number, letters))


def _far_place(piece: bytes, rows: int, columns: int) -> tuple[str, str]:
    """What makes a sheet so large, and the remedy: one cell, a far row without cells, or a row and a column."""
    cells = [each for each in _REFERENCE.findall(piece) if not each.isdigit()]
    numbers = [int(each.lstrip(_LETTERS)) for each in cells]
    last = [each for each, number in zip(cells, numbers, strict=True) if number == rows]
    corner = next((each for each in last if _column_number(each.rstrip(_DIGITS)) == columns), None)
    if corner:
        place, remedy = f"cell {corner.decode()}", "delete this cell"
    elif 2 * max(numbers, default=0) <= rows:
        place, remedy = f"row {rows}", "delete this row"
    else:
        place, remedy = f"row {rows} and its column {_column_letters(columns)}", "delete the one that is not needed"
    fault = f"a sheet spans {rows * columns:,} cells, nearly all of them empty, because of its {place}"
    return fault, f"{remedy} and save it again"


def _column_letters(number: int) -> str:
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = string.ascii_uppercase[letter] + letters
    return letters


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number
