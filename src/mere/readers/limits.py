"""How large may a raw file and its tables be, and how long may reading it take? Every limit has a safe default.

A small file can declare a huge table (null columns, runs of one value), so a reader passes the size that a file
declares to `Limits.check_extent` before it unfolds anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from mere.errors import Unreadable, UsageError

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True)
class Limits:
    """Limits of what a reader accepts; a file beyond one is refused or cut, and this is reported."""

    lists_as_text: ClassVar[bool] = False  # see `LimitsOfPart`
    file_bytes: int = 1024 * GIB
    excel_bytes: int = 256 * MIB  # a workbook is read into memory
    json_bytes: int = 512 * MIB  # so is a JSON document; JSON Lines are streamed and have no such limit
    html_bytes: int = 64 * MIB  # and an HTML page
    spool_bytes: int = 8 * GIB  # of what is copied to a temporary file: a compressed tar archive or database
    decompressed_bytes: int = 64 * GIB
    ratio: int = 1000  # decompressed over compressed...
    ratio_free_bytes: int = 64 * MIB  # ...checked only beyond this many bytes: small files are harmless
    columns: int = 20_000
    cell_bytes: int = 1 * MIB
    sheet_cells: int = 50_000_000  # a sheet is a dense rectangle, however few of its cells are filled
    nesting: int = 64
    flatten_depth: int = 8  # levels of objects that become columns; deeper ones are JSON text in a cell
    child_tables: int = 32  # tables from the lists of one table of records; a large file is read again for each
    members: int = 1000
    rows: int = 10_000_000_000  # of one table; a CSV file of 100 GB has about a tenth of that
    cells: int = 1_000_000_000_000  # of one table: rows times columns
    cells_per_byte: int = 100  # of a table, over the bytes it is stored in: files of null columns reach 10...
    cells_free: int = 100_000_000  # ...checked only beyond this many cells: such tables are read in seconds
    seconds: int = 600  # for a file, and as many again for each 256 MiB of it
    memory_bytes: int = 8 * GIB  # for a file that is read in a process of its own

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise UsageError(f"limit '{name}' must be an int >= 1, got {value!r}", "correct the setting")

    def check_extent(self, name: str, rows: int, columns: int, stored_bytes: int | None = None) -> None:
        """Refuse a table of so many rows and columns; with `stored_bytes`, one out of proportion to them, too."""
        cells = rows * columns
        if rows > self.rows:
            raise Unreadable(f"{name}: {rows:,} rows, more than {self.rows:,}", "raise the limit 'rows'")
        if cells > self.cells:
            raise Unreadable(f"{name}: {cells:,} cells, more than {self.cells:,}", "raise the limit 'cells'")
        if stored_bytes is not None and cells > max(self.cells_free, self.cells_per_byte * stored_bytes):
            fault = f"{cells:,} cells in {stored_bytes:,} bytes, more than {self.cells_per_byte:,} per byte"
            raise Unreadable(f"{name}: {fault}", "raise the limit 'cells_per_byte'")

    def seconds_for(self, size: int) -> int:
        """How long reading a file of so many bytes may take."""
        return self.seconds * (1 + size // (256 * MIB))

    def of_part(self) -> LimitsOfPart:
        """The same limits, for a file that is a part of a table."""
        return LimitsOfPart(**self.to_dict())

    def to_dict(self) -> dict[str, int]:
        return asdict(self)

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Limits:
        """The inverse of `to_dict`; an unknown name is an error."""
        names = {field.name for field in fields(cls)}
        unknown = sorted(set(settings) - names)
        if unknown:
            raise UsageError(f"unknown limit '{unknown[0]}'", f"choose among {', '.join(sorted(names))}")
        return cls(**settings)


@dataclass(frozen=True)
class LimitsOfPart(Limits):
    """For a file that is one of several of a table: one file cannot tell which lists should be tables or columns."""

    lists_as_text: ClassVar[bool] = True
