"""Which tables does a document profile whose rows stay with their owner?

Croissant (1.0 or 1.1) whose fields carry a `histogram` or `statistics`: one table per record set, with columns, types,
counts and histograms, and without a row.  Understood, under these names or with a prefix before them:

    recordSet   name, alternateName, description, keywords, rows, field
    field       name, description, dataType, histogram, statistics, nUnique, minDate, maxDate, uniqueDates, counts

`profile_columns.py` has the rest.  A record set whose file lies beside the document is a description, not a table.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from mere.readers.about import About, common, drawn_from, first_text, objects
from mere.readers.encodings import detect_encoding, repaired
from mere.readers.json_records import parse
from mere.readers.limits import Limits
from mere.readers.names import unique_names
from mere.readers.profile_columns import Json, Malformed, column_told, property_of, whole
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

Failures = list[tuple[str, str]]

_MARKS = (b"recordSet", b"field")
_TOLD = (b"histogram", b"statistics")


def tables_in_sidecar(source: Source, limits: Limits, failures: Failures) -> Iterator[RawTable]:
    """The tables that a sidecar profiles; none if it only describes, or is no Croissant at all."""
    data = source.whole(limits.json_bytes, "json_bytes")
    if not (all(mark in data for mark in _MARKS) and any(mark in data for mark in _TOLD)):
        return
    encoding, mark = detect_encoding(data[: 1 << 20], len(data) <= 1 << 20)
    try:
        document = parse(repaired(data[mark:], encoding)[0])
    except ValueError as fault:
        failures.append(("", f"broken JSON: {fault}; repair the file"))
        return
    if is_profile(document):
        yield from profile_tables(document, source, limits, "", failures)


def is_profile(document: Any) -> bool:
    """Whether a document has a record set with a histogram or statistics.

    >>> is_profile({"recordSet": [{"field": [{"name": "age", "statistics": {"count": 3}}]}]})
    True
    """
    return isinstance(document, dict) and any(
        isinstance(property_of(each, "histogram"), dict) or isinstance(property_of(each, "statistics"), dict)
        for record in objects(property_of(document, "recordSet"))
        for each in objects(property_of(record, "field"))
    )


def profile_tables(
    document: Json, source: Source, limits: Limits, member: str, failures: Failures
) -> Iterator[RawTable]:
    """A table per record set; one that contradicts itself goes to `failures`."""
    for number, record in enumerate(objects(property_of(document, "recordSet")), 1):
        told = first_text(property_of(record, "name")) or unquote(first_text(record.get("@id")))
        name = told or f"record_set_{number}"
        inside = f"{member}/{name}" if member else name
        try:
            yield _table(document, record, inside, name, source, limits)
        except Malformed as fault:
            failures.append((inside, str(fault)))


def _table(document: Json, record: Json, member: str, name: str, source: Source, limits: Limits) -> RawTable:
    each = list(objects(property_of(record, "field")))
    if len(each) > limits.columns:
        raise Malformed(f"{len(each):,} columns, more than {limits.columns:,}; raise the limit 'columns'")
    if not each:
        raise Malformed("the record set has no fields")
    columns = unique_names(_column_name(field, record, name) for field in each)
    findings = Findings()
    told = [_column(field, column, findings) for field, column in zip(each, columns, strict=True)]
    rows = _rows(record, told)
    published = {"columns": told, **({} if rows is None else {"rows": rows})}
    if asked := _owner(document):
        published["source"] = asked
    about = _about(document, record, dict(zip(columns, each, strict=True)))

    def read(noted: Findings) -> Iterator[pa.RecordBatch]:
        source.report(noted)
        noted.add(findings)
        return iter(())

    table = RawTable(member, columns, "profile", {}, read)
    table.published, table.about = published, about
    table.describes = {target: lies_beside(source.name, target) for target in _targets(document, record, name)}
    return table


def lies_beside(path: str, target: str) -> bool:
    """Whether what a profile speaks of (a path, a URL, a pattern) lies in its folder, or below."""
    folder = os.path.dirname(path)
    is_url = "://" in target
    parts = [part for part in (target.split("?")[0] if is_url else target).split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        return False
    if is_url:  # of a URL, any ending will do
        return any(os.path.isfile(os.path.join(folder, *parts[start:])) for start in range(2, len(parts)))
    place = os.path.join(folder, *parts)
    if os.path.isfile(place):
        return os.path.realpath(place) != os.path.realpath(path)
    return any(mark in target for mark in "*?[") and any(map(os.path.isfile, glob.iglob(place)))


def _targets(document: Json, record: Json, name: str) -> list[str]:
    """What the record set is drawn from; by its own name, if it does not say."""
    files = {str(one.get("@id") or one.get("name")): one for one in objects(property_of(document, "distribution"))}
    drawn = {found for each in objects(property_of(record, "field")) for found in drawn_from(each)} & files.keys()
    drawn |= {first_text(property_of(files[found], "containedIn")) for found in drawn}
    wheres = [
        first_text(property_of(one, "contentUrl")) or first_text(property_of(one, "includes"))
        for found, one in files.items()
        if found in drawn or not drawn
    ]
    return list(dict.fromkeys([*filter(None, wheres), name.split("#")[0].replace("%23", "#")]))


def _column_name(field: Json, record: Json, name: str) -> str:
    """What the field's column is called: some put the record set's name before it."""
    source = property_of(field, "source")
    extract = source.get("extract") if isinstance(source, dict) else None
    if isinstance(extract, dict) and isinstance(extract.get("column"), str):
        return str(extract["column"])
    own = first_text(property_of(field, "name"))
    full = own or unquote(first_text(field.get("@id")))
    prefixes = [f"{name}/", f"{unquote(str(record.get('@id')))}/"]
    return next((full.removeprefix(prefix) for prefix in prefixes if full.startswith(prefix)), full)


def _about(document: Json, record: Json, fields: dict[str, Json]) -> About:
    own, others = common(record), common(document)
    own.title = first_text(property_of(record, "alternateName"))
    own.columns = {
        name: text[:1000] for name, each in fields.items() if (text := first_text(property_of(each, "description")))
    }
    own.add(others)
    return own


def _owner(document: Json) -> str:
    """Whom to ask for the rows."""
    found = (first_text(property_of(document, name)) for name in ("url", "creator", "publisher"))
    return next((text[:200] for text in found if text), "")


def _rows(record: Json, columns: Sequence[Json]) -> int | None:
    """How many rows the table has: as told, or else as many as its longest column."""
    told = whole(property_of(record, "rows"), "rows")
    if told is not None:
        return told
    counted = [column["count"] + column.get("nulls", 0) for column in columns if "count" in column]
    return max(counted, default=None)


def _column(field: Json, name: str, findings: Findings) -> Json:
    try:
        return column_told(field, findings)
    except Malformed as fault:
        raise Malformed(f"field '{name}': {fault}") from None
