"""How are the rows of a table written as lines of text?

Each distinct cell is quoted once, whatever the number of rows; the cells of a row are then joined to one text, which is
the line.  The lines of a join are those of the two tables, side by side, so that the cells of a row are put together
once per row of a table, and not once per row of the join.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.readers.as_text import as_text
from mere.search.formulas import would_run

_STEP = 65_536  # rows that are worked on together


class Style(NamedTuple):
    """How cells are separated, and whether those that a spreadsheet would run get an apostrophe."""

    delimiter: str
    harmless: bool = True


class Lines(NamedTuple):
    """The text of each row, and how many of its cells got an apostrophe."""

    texts: pa.Array  # large_string
    changed: np.ndarray

    def with_missing(self, columns: int, style: Style) -> Lines:
        """The same and, as the last line, a row of nulls."""
        missing = pa.array([style.delimiter * (columns - 1)], pa.large_string())
        return Lines(pa.concat_arrays([self.texts, missing]), np.append(self.changed, 0))


def lines_of(table: pa.Table, style: Style) -> Lines:
    """The cells of each row, joined, without an end of line."""
    pieces = [_lines(table.slice(start, _STEP), style) for start in range(0, max(table.num_rows, 1), _STEP)]
    return Lines(pa.concat_arrays([piece.texts for piece in pieces]), np.concatenate([p.changed for p in pieces]))


def _lines(rows: pa.Table, style: Style) -> Lines:
    changed, columns = np.zeros(rows.num_rows, np.int32), []
    for column in rows.columns:
        cells = as_text(pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type))
        encoded = cells.dictionary_encode()
        quoted, runs = _quoted(encoded.dictionary, style)
        columns.append(pc.fill_null(quoted.take(encoded.indices), ""))
        if runs.any():
            places = np.asarray(pc.fill_null(encoded.indices, len(runs)))
            changed += np.append(runs, False)[places]
    texts = pc.binary_join_element_wise(*columns, pa.scalar(style.delimiter, pa.large_string()))
    return Lines(texts, changed)


def _quoted(cells: pa.Array, style: Style) -> tuple[pa.Array, np.ndarray]:
    """Cells as they are written, and which of them got an apostrophe."""
    cells = cells.cast(pa.large_string())
    runs = would_run(cells) if style.harmless else np.zeros(len(cells), bool)
    if runs.any():
        cells = pc.if_else(pa.array(runs), joined("'", cells), cells)
    special = pc.match_substring_regex(cells, f'["\\n\\r{style.delimiter}]')
    if pc.any(special).as_py():
        doubled = pc.replace_substring(cells, '"', '""')
        cells = pc.if_else(special, joined('"', doubled, '"'), cells)
    return cells, runs


def joined(*pieces: pa.Array | str) -> pa.Array:
    """Texts put together, cell by cell."""
    wide = [pa.scalar(piece, pa.large_string()) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*wide, pa.scalar("", pa.large_string()))


def header_line(names: list[str], style: Style) -> tuple[str, int]:
    """The names of the columns as a line, and how many of them got an apostrophe."""
    row = pa.table([pa.array([name], pa.string()) for name in names], names=[str(i) for i in range(len(names))])
    lines = lines_of(row, style)
    return f"{lines.texts[0].as_py()}\n", int(lines.changed[0])


def text_bytes(texts: pa.Array) -> memoryview:
    """The bytes of texts that were just joined, one after the other."""
    offsets = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = texts.buffers()[2]
    return memoryview(b"") if data is None else memoryview(data)[int(offsets[0]) : int(offsets[-1])]
