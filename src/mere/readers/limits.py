"""How large may a raw file be? Every limit is a setting with a safe default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from mere.errors import UsageError

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True)
class Limits:
    """Limits of what a reader accepts; a file beyond one is refused or cut, and this is reported."""

    file_bytes: int = 1024 * GIB
    excel_bytes: int = 256 * MIB  # a workbook is read into memory
    json_bytes: int = 512 * MIB  # so is a JSON document; JSON Lines are streamed and have no such limit
    decompressed_bytes: int = 64 * GIB
    ratio: int = 1000  # decompressed over compressed...
    ratio_free_bytes: int = 64 * MIB  # ...checked only beyond this many bytes: small files are harmless
    columns: int = 20_000
    cell_bytes: int = 1 * MIB
    sheet_cells: int = 50_000_000  # a sheet is a dense rectangle, however few of its cells are filled
    nesting: int = 64
    members: int = 1000

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise UsageError(f"limit '{name}' must be an int >= 1, got {value!r}", "correct the setting")

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
