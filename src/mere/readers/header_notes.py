"""What to tell about the lines of a header: what was left out of its names, and what may be a row."""

from __future__ import annotations

from collections.abc import Sequence

from mere.readers.cell_types import YEAR, Row, cell_type
from mere.readers.header_evidence import VALUES, is_units, lacks_label
from mere.readers.header_groups import is_label_line, text_at
from mere.readers.header_lines import joined_names
from mere.readers.preambles import shown


def header_notes(lines: Sequence[Row], below: Sequence[Row]) -> tuple[str, ...]:
    """The notes about a header of several lines above the rows `below`."""
    if len(lines) < 2:
        return ()
    *above, last = lines
    about = ", ".join(filter(None, (text_at(line, 0) for line in above)))
    if about and is_label_line(above, last):
        return (f"what the lines of the header are about was left out: '{shown(about)}'",)
    names = joined_names(above)
    complete = all(names) and len(set(names)) == len(names)  # none is missing, or that of several columns
    if complete and lacks_label(last, below) and not is_units(last, below):
        return (_guess(last),)
    valued = [line for line in lines[1:] if any(cell_type(cell) in VALUES and not _is_year(cell) for cell in line)]
    return tuple(map(_guess, valued[:1]))


def _guess(line: Row) -> str:
    cells = ", ".join(text_at(line, place) for place in range(len(line)))
    return f"a line below the names was taken for part of the header, not for a row: '{shown(cells)}'"


def _is_year(cell: str | None) -> bool:
    return YEAR.fullmatch((cell or "").strip()) is not None
