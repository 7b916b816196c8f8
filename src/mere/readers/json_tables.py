"""JSON documents (read into memory, limited) and JSON Lines (streamed, if they are large)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from mere.errors import Unreadable
from mere.readers.encodings import Utf8Stream, detect_encoding, repaired
from mere.readers.headers import find_layout
from mere.readers.json_records import Repeated, TooDeep, cell, check_depth, decoder, is_fraction, parse
from mere.readers.json_shapes import find_tables
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.nested_tables import Origin, nested_tables
from mere.readers.profiles import is_profile, profile_tables
from mere.readers.rows import fit, to_batches
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

LINES = (".jsonl", ".ndjson", ".geojsonl", ".jsonlines", ".ldjson")
DOCUMENTS = (".json", ".geojson", ".topojson")
STEP = 1 << 20
NEXT = re.compile(r"[^ \t\r\n,]")


def looks_like_json(head: bytes, extension: str) -> bool:
    """By extension, or by an opening bracket that is followed by JSON."""
    if extension in LINES or extension in DOCUMENTS:
        return True
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:2048]
    return start.startswith((b'{"', b"[{", b"[[")) or (start[:1] in b"{[" and start[1:].lstrip()[:1] in b'{["}')


def looks_like_lines(head: bytes) -> bool:
    """Whether the first line is a complete value and the second one starts like one."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    first, newline, rest = text.partition(b"\n")
    if not first.startswith((b"{", b"[")) or not newline or rest.lstrip()[:1] not in (b"{", b"["):
        return False
    try:
        parse(first.decode("utf-8", "replace"))
        return True
    except ValueError:
        return False


def open_json(
    source: Source, limits: Limits, member: str = "", failures: list[tuple[str, str]] | None = None
) -> Iterator[RawTable]:
    """The tables of a JSON file: one document, one value per line, or a profile of tables stored elsewhere."""
    head, _ = source.head(STEP)
    if not head.strip(b"\xef\xbb\xbf \t\r\n\x00"):
        raise Unreadable(f"{source.name}: the file is empty", "remove it")
    if looks_like_lines(head) or (source.extension in LINES and not _is_indented(head)):
        yield from open_lines(source, limits, member)
        return
    data = source.read_all(limits.json_bytes, "json_bytes")
    encoding, bom = detect_encoding(data[:STEP], len(data) <= STEP)
    try:
        document = check_depth(_values(repaired(data[bom:], encoding)[0], twice := Repeated()), limits.nesting)
    except TooDeep as fault:
        raise Unreadable(f"{source.name}: {fault}", "raise the limit 'nesting', or remove it") from fault
    except ValueError as fault:
        raise Unreadable(f"{source.name}: broken JSON: {fault}", "repair the file") from fault
    if is_profile(document):
        yield from profile_tables(document, source, limits, member, [] if failures is None else failures)
        return
    for key, records in find_tables(document, source.name, limits.lists_as_text):
        facts: dict[str, Any] = {"encoding": encoding, "records": len(records)}
        if all(isinstance(record, list) for record in records):
            yield _table_of_lists(_join(member, key), records, source, limits, facts)
        else:
            yield from nested_tables(_kept(records, source, twice), Origin(source, member, "json", facts), limits, key)


def _is_indented(head: bytes) -> bool:
    """Whether the first value extends over several lines: then it is one document, whatever its name."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0].strip() in (b"{", b"[")


def _values(text: str, repeated: Repeated) -> Any:
    """The document; several values in a row are treated as a list."""
    try:
        return parse(text, repeated)
    except json.JSONDecodeError as fault:
        if not fault.msg.startswith("Extra data"):
            raise
    repeated.keys = 0
    values, place, several = [], 0, decoder(repeated)
    while place < len(text):
        value, place = several.raw_decode(text, place)
        values.append(value)
        following = NEXT.search(text, place)
        place = following.start() if following else len(text)
    if not all(isinstance(value, dict) for value in values):
        raise ValueError("several values, and not all are objects")
    return values


def _join(member: str, key: str) -> str:
    return f"{member}/{key}" if member and key else member or key


def _kept(records: list[Any], source: Source, repeated: Repeated) -> Callable[[Findings], list[Any]]:
    def read(findings: Findings) -> list[Any]:
        source.report(findings)
        repeated.note(findings)
        return records

    return read


def _table_of_lists(member: str, records: list[Any], source: Source, limits: Limits, facts: dict[str, Any]) -> RawTable:
    """Rows written as lists: the first may be a header, as in any table of cells."""
    rows = [list(map(cell, record)) for record in records]
    layout = find_layout(rows[:1000])
    width = max(layout.width, max(map(len, rows)))
    facts |= {"preamble_lines": layout.preamble, "header_rows": layout.header_rows}
    names = layout.names + [""] * (width - len(layout.names))
    _check_width(names, source, limits)
    limits.check_extent(source.name, len(rows), width, source.size)
    columns = unique_names(names)

    def read(findings: Findings) -> Iterator[pa.RecordBatch]:
        source.report(findings)
        yield from to_batches(fit(rows[layout.body :], width, findings), columns, limits, findings)

    raw = RawTable(member, columns, "json", facts, read)
    raw.typed = any(is_fraction(value) for record in records for value in record)
    return raw


def _check_width(names: list[str], source: Source, limits: Limits) -> None:
    if len(names) > limits.columns:
        raise Unreadable(
            f"{source.name}: {len(names):,} columns, more than {limits.columns:,}",
            "raise the limit 'columns'",
        )
    if not names:
        raise Unreadable(f"{source.name}: the JSON records have no fields", "remove it")


def open_lines(source: Source, limits: Limits, member: str = "") -> Iterator[RawTable]:
    """One record per line. A first pass gathers their shape: later lines may have keys the first ones lack."""
    head, complete = source.head(STEP)
    encoding, bom = detect_encoding(head, complete)

    def records(findings: Findings) -> Iterator[Any]:
        return _records(source, encoding, bom, limits, findings)

    issues = Findings()
    kept = list(records(issues)) if source.small else None
    if next(iter(kept if kept is not None else records(Findings())), None) is None:
        raise Unreadable(f"{source.name}: no line is a JSON record", "repair the file")

    def again(findings: Findings) -> list[Any]:
        findings.add(issues)
        return kept or []

    origin = Origin(source, member, "jsonl", {"encoding": encoding, "bom_bytes": bom})
    yield from nested_tables(records if kept is None else again, origin, limits)


def _records(source: Source, encoding: str, bom: int, limits: Limits, findings: Findings) -> Iterator[Any]:
    with source.stream(findings) as raw:
        raw.read(bom)
        for line in _lines(raw, encoding, findings):
            try:
                value = parse(repaired(line, "utf-8")[0], twice := Repeated())
                twice.note(findings)
                if line.count(b"{") + line.count(b"[") > limits.nesting:
                    check_depth(value, limits.nesting)
                if isinstance(value, dict) and value.get("type") == "Feature" and "geometry" in value:
                    ((_, records),) = find_tables(value, "")
                    value = records[0]
                yield _listed(value)
            except ValueError:
                findings.note("{n} {line is|lines are} not valid JSON and {was|were} skipped", lost=True)
        source.finish(raw, findings)


def _listed(value: Any) -> Any:
    """A line that is a list becomes columns by position."""
    return {f"column_{index}": item for index, item in enumerate(value, 1)} if isinstance(value, list) else value


def _lines(raw: BinaryIO, encoding: str, findings: Findings) -> Iterator[bytes]:
    stream = Utf8Stream(raw, encoding, findings)
    pieces: list[bytes] = []  # of a line longer than one read; joined once, so that the cost stays linear
    while data := stream.read(STEP):
        first, *others = data.split(b"\n")
        pieces.append(first)
        if others:
            yield from filter(bytes.strip, [b"".join(pieces), *others[:-1]])
            pieces = [others[-1]]
    if last := b"".join(pieces).strip():
        yield last
