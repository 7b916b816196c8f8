"""Opening text: which tables has it, and what is the layout of each? Rows are read later.

A file with several tables, one below the other, gives each of them: the first under the file's own name, so that
its name does not depend on what follows; the others as `2`, `3`...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pyarrow as pa

from mere.errors import Unreadable
from mere.readers.boxes import without_boxes
from mere.readers.cell_types import used
from mere.readers.client_lines import first_rows_note
from mere.readers.dialects import WHITESPACE
from mere.readers.encodings import repaired, single_byte
from mere.readers.field_lines import field_delimiter
from mere.readers.footnotes import TAIL, empty_note, find_footnotes, last_row, tail_of, totals_notes
from mere.readers.headers import RULE_NOTE, Layout, find_layout
from mere.readers.inner_comments import comment_mark, usual_width, without_inner
from mere.readers.limits import Limits
from mere.readers.line_forms import as_usual
from mere.readers.names import unique_names
from mere.readers.padding import ALL, padding_of
from mere.readers.row_index import index_rows
from mere.readers.source import Source
from mere.readers.stacked import GUESSED, find_tables, is_cut, only_first
from mere.readers.structure import quoting_notes, single_column_notes, tail_notes
from mere.readers.table import Findings, RawTable
from mere.readers.text_facts import TextFacts, body, note_facts, read_rows
from mere.readers.text_samples import HEAD, Sample, decoded, encoded, take_sample

BLANKS = (WHITESPACE, " ")
LAST = 4096  # bytes of a long file, whose rows are compared with the first ones
SEARCHED = 4 << 20  # so many bytes of a file are searched for several tables


class Piece(NamedTuple):
    """The part of a file that is one table: where it starts and stops in UTF-8 text, its first and last bytes."""

    text: str
    start: int = 0
    stop: int = -1  # the end of the file
    title: str = ""
    tail: bytes = b""
    notes: tuple[str, ...] = ()


def open_delimited(source: Source, limits: Limits, member: str = "") -> Iterator[RawTable]:
    """The tables of a text file, or `Unreadable` if it has none."""
    drawn, box_notes = without_boxes(source)
    usual, form_notes = as_usual(drawn)
    sample = take_sample(usual)
    for number, (facts, columns) in enumerate(_tables(usual, sample, limits), start=1):
        name = member if number == 1 else f"{member}/{number}" if member else str(number)
        facts = replace(facts, rewritten=usual is not source, notes=[*facts.notes, *box_notes, *form_notes])
        yield _raw_table(usual, name, facts, columns, limits)


def _raw_table(source: Source, name: str, facts: TextFacts, columns: list[str], limits: Limits) -> RawTable:
    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        note_facts(facts, findings)
        with source.stream(findings) as raw:
            yield from read_rows(body(raw, facts, findings), facts, columns, limits, findings)
            source.finish(raw, findings)

    return RawTable(name, columns, "csv", facts.to_dict(), read)


def _tables(source: Source, sample: Sample, limits: Limits) -> Iterator[tuple[TextFacts, list[str]]]:
    """Facts and column names of each table; nearly always one."""
    if sample.grid:
        layout, piece = sample.grid.layout, Piece(sample.text)
        facts = _facts(source, sample, piece, layout, sample.text[: sample.grid.body], [])
        # What is below the grid is left out, and told, when it is read.
        yield (
            replace(facts, grid=True, footnote_lines=0, end_offset=-1, stop_bytes=-1),
            _columns(layout, source, limits),
        )
        return
    pieces = _pieces(source, sample)
    for piece in pieces:
        rows, ends = sample.rows(piece.text, sample.complete)
        mark = "#" if field_delimiter(piece.text) else comment_mark(piece.text, rows)
        if mark:
            rows, ends = without_inner(rows, ends, mark)
        framed = len(pieces) == 1 and sample.is_framed(rows)
        if framed and sample.ruled:
            rows, ends = _between_bars(rows, ends)
        if framed:
            rows = [row[1:-1] if len(row) > 1 else row for row in rows]
        if len(pieces) > 1:
            width = max(map(used, rows), default=0)  # a table may be padded to the width of another one
            rows = [row[:width] for row in rows]
        layout = find_layout(rows, delimited=not sample.column_starts and sample.dialect.delimiter not in BLANKS)
        if not layout.width:
            raise Unreadable(f"{source.name}: no value, only delimiters and quotes", "remove it")
        if sample.ruled:
            layout = _with_header(layout, rows)
        if framed:  # no row may be longer: its last cell would be taken for the frame
            layout = replace(layout, width=max(layout.width, *map(len, rows)))
        columns = _columns(layout, source, limits)
        skipped = piece.text[: ends[layout.body - 1]] if layout.body else ""
        cell_notes = [RULE_NOTE] if sample.ruled else quoting_notes(rows, sample.dialect)
        single = single_column_notes(rows) if len(columns) == 1 else []
        notes = [*piece.notes, *cell_notes, *single, *layout.notes]
        if mark and layout.width != usual_width(rows):
            mark = ""  # a row may be taken for a comment
        padding = "" if sample.column_starts else padding_of(rows[layout.body :], sample.dialect, piece.text)
        padding = ALL if framed and sample.ruled else padding
        facts = _facts(source, sample, piece, layout, skipped, notes)
        yield replace(facts, framed=framed, comment=mark, padding=padding), columns


def _between_bars(rows: list[list[str]], ends: list[int]) -> tuple[list[list[str]], list[int]]:
    """The rows without the titles above a table whose rows are all between bars."""
    kept = [(row, end) for row, end in zip(rows, ends, strict=True) if len(row) > 1]
    return [row for row, _ in kept], [end for _, end in kept]


def _with_header(layout: Layout, rows: list[list[str]]) -> Layout:
    """The layout of a table that surely has a header: a line of dashes is below it."""
    if layout.header_rows or layout.preamble >= len(rows):
        return layout
    return replace(layout, header_rows=1, names=[cell.strip() for cell in rows[layout.preamble]], above="")


def _pieces(source: Source, sample: Sample) -> list[Piece]:
    """The tables of the file; of a long file, only the first bytes are searched for further ones."""
    if sample.column_starts:
        return [Piece(sample.text)]
    text, complete = sample.text, sample.complete
    if not complete:
        raw, complete = source.head(SEARCHED)
        text = decoded(raw[sample.bom :], sample.encoding, complete)
    data = encoded(text)
    index = index_rows(data, sample.dialect, complete)
    tables = find_tables(index) if index else []
    if index is None or len(tables) < 2:
        return [Piece(sample.text)]
    pieces = []
    for table in tables:
        start, stop = int(index.offsets[table.start]), int(index.offsets[table.stop])
        head = decoded(data[start : min(stop, start + HEAD)], "utf-8", stop <= start + HEAD)
        notes = (GUESSED,) if table.guessed else ()
        pieces.append(Piece(head, start, stop, table.title, data[max(start, stop - TAIL) : stop], notes))
    cut = not complete or index.offsets[-1] < len(data) or is_cut(index)
    notes = (only_first(len(pieces)),) if cut else ()
    pieces[-1] = pieces[-1]._replace(stop=-1, notes=(*pieces[-1].notes, *notes))
    return pieces


def _facts(source: Source, sample: Sample, piece: Piece, layout: Layout, skipped: str, notes: list[str]) -> TextFacts:
    exact = single_byte(sample.encoding) and not piece.start
    skip = piece.start + len(encoded(skipped))
    end = stop = -1
    tail, start = piece.tail, piece.stop - len(piece.tail)
    if piece.stop < 0 and single_byte(sample.encoding):
        tail, start = tail_of(source, sample.bom)
    elif piece.stop < 0:
        tail, start = _decoded_tail(source, sample)
    below = find_footnotes(tail, start, sample, layout.width)
    before = below.offset
    last = last_row(tail, (before - start) if before >= 0 else len(tail), sample)
    notes = [*notes, *empty_note(below.empty), *first_rows_note(tail[-LAST:]), *totals_notes(last)]
    if piece.stop >= 0 or not single_byte(sample.encoding):
        stop = before if before >= 0 else piece.stop
    else:
        end = before
        if not source.small and tail and not sample.column_starts:
            notes += tail_notes(decoded(tail[-LAST:], sample.encoding, True), sample.dialect, layout.width, SEARCHED)
    return TextFacts(
        encoding=sample.encoding, bom_bytes=sample.bom, **vars(sample.dialect), preamble_lines=layout.preamble,
        header_rows=layout.header_rows, skip_bytes=skip, end_offset=end, footnote_lines=below.lines, stop_bytes=stop,
        data_offset=sample.bom + (skip if sample.encoding == "utf-8" else len(skipped)) if exact else -1,
        row_names=layout.row_names, column_starts=sample.column_starts, title=piece.title, notes=notes,
        other_encodings=sample.other_encodings, ruled=sample.ruled,
    )  # fmt: skip


def _decoded_tail(source: Source, sample: Sample) -> tuple[bytes, int]:
    """The end of a short text whose bytes cannot be cut at will, in UTF-8, and where it starts there."""
    raw, complete = source.head(SEARCHED)
    data = encoded(decoded(raw[sample.bom :], sample.encoding, True)) if complete else b""
    return data[-TAIL:], max(0, len(data) - TAIL)


def _columns(layout: Layout, source: Source, limits: Limits) -> list[str]:
    if layout.width > limits.columns:
        raise Unreadable(
            f"{source.name}: {layout.width:,} columns, more than {limits.columns:,}",
            "raise the limit 'columns'",
        )
    names = [repaired(encoded(name), "utf-8")[0] for name in layout.names]
    return unique_names(names, layout.width)
