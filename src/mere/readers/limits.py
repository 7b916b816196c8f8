"""How much may one raw file cost? Every bound is a setting with a safe default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from mere.errors import UsageError

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True)
class Limits:
    """Bounds on what a reader accepts; beyond one, the file is refused or cut, and that is reported."""

    file_bytes: int = 1024 * GIB
    excel_bytes: int = 256 * MIB  # a workbook is held in memory
    json_bytes: int = 512 * MIB  # so is a JSON document; JSON Lines stream and have no such bound
    decompressed_bytes: int = 64 * GIB
    ratio: int = 1000  # decompressed over compressed...
    ratio_free_bytes: int = 64 * MIB  # ...asked only beyond this many bytes: small files are harmless
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
        """Reads what `to_dict` wrote; a name that is unknown is a mistake, never ignored."""
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(settings) - known)
        if unknown:
            raise UsageError(f"unknown limit '{unknown[0]}'", f"choose among {', '.join(sorted(known))}")
        return cls(**settings)
