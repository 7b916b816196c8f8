"""Which tables does a Croissant file describe whose rows are not published?

Croissant (1.0 or 1.1) whose fields have a `histogram` or `statistics`: one table per record set, with columns, types,
counts and histograms, and without rows.  Supported properties, with or without a prefix:

    recordSet   name, alternateName, description, keywords, rows, field
    field       name, description, dataType, histogram, statistics, nUnique, minDate, maxDate, uniqueDates, counts

For columns see `profile_columns.py`.  A record set whose file is next to the document is a description, not a table.
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa

from mere.readers.descriptions import Description, common, first_text, objects, sources_of
from mere.readers.encodings import detect_encoding, repaired
from mere.readers.json_records import parse
from mere.readers.limits import Limits
from mere.readers.names import NAME_CHARACTERS, unique_names
from mere.readers.profile_columns import published_column
from mere.readers.profile_values import Json, Malformed, property_of, row_count, shown
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

Failures = list[tuple[str, str]]

_REQUIRED = (b"recordSet", b"field")
_STATISTICS = (b"histogram", b"statistics")
_REASON = 200  # characters of a name or a reason that are reported
_SURROGATE = re.compile("[\ud800-\udfff]")
_PATTERN = "includes:"  # prefix of a target that is a pattern
_MOST_TARGETS = 64  # of one record set
_PATH_CHARACTERS = 4096
_URL_PARTS = 8  # last parts of a URL that may be a path
_PATTERN_PARTS = 4  # most parts of a pattern


def tables_in_sidecar(source: Source, limits: Limits, failures: Failures) -> Iterator[RawTable]:
    """The tables whose profiles a sidecar contains; none if it only describes, or is not Croissant."""
    data = source.read_all(limits.json_bytes, "json_bytes")
    if not (all(name in data for name in _REQUIRED) and any(name in data for name in _STATISTICS)):
        return
    encoding, bom = detect_encoding(data[: 1 << 20], len(data) <= 1 << 20)
    try:
        document = parse(repaired(data[bom:], encoding)[0])
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
    """A table per record set; an inconsistent one goes to `failures`."""
    records = list(objects(property_of(document, "recordSet")))
    profile = _Profile(document, source, limits, _DataFiles(document, source.name))
    for record, name in zip(records, _names(records), strict=True):
        record_set = _RecordSet(record, name, f"{member}/{name}" if member else name)
        try:
            _check_name(name)
            yield _table(profile, record_set)
        except Malformed as fault:
            failures.append((shown(record_set.member, _REASON)[1:-1], str(fault)[:_REASON]))


class _Profile(NamedTuple):
    """A Croissant document, where it was read from, and the files that it describes."""

    document: Json
    source: Source
    limits: Limits
    files: _DataFiles


class _RecordSet(NamedTuple):
    """One record set of a document, its name, and the name of its table."""

    record: Json
    name: str
    member: str


def _names(records: Sequence[Json]) -> list[str]:
    """The name of each record set; repeated ones become NAME#2, NAME#3, so that all are different."""
    given = [
        first_text(property_of(record, "name")) or unquote(first_text(record.get("@id"))) or f"record_set_{number}"
        for number, record in enumerate(records, 1)
    ]
    reserved, taken, repeats = set(given), set[str](), Counter[str]()
    names = []
    for base in given:
        name = base
        while name in taken or (name != base and name in reserved):
            repeats[base] += 1
            name = f"{base}#{repeats[base] + 1}"
        taken.add(name)
        names.append(name)
    return names


def _check_name(name: str) -> None:
    if len(name) > NAME_CHARACTERS:
        raise Malformed(f"a name of {len(name):,} characters, more than {NAME_CHARACTERS:,}")
    if "\0" in name or _SURROGATE.search(name):
        raise Malformed(f"a name contains an invalid character: {shown(name)}")


def _table(profile: _Profile, record_set: _RecordSet) -> RawTable:
    record, limits = record_set.record, profile.limits
    fields = list(objects(property_of(record, "field")))
    if len(fields) > limits.columns:
        raise Malformed(f"{len(fields):,} columns, more than {limits.columns:,}; raise the limit 'columns'")
    if not fields:
        raise Malformed("the record set has no fields")
    names = unique_names(_column_name(field, record_set) for field in fields)
    findings = Findings()
    columns = [_column(field, name, findings) for field, name in zip(fields, names, strict=True)]
    rows = _rows(record, names, columns)

    def read(counted: Findings) -> Iterator[pa.RecordBatch]:
        profile.source.report(counted)
        counted.add(findings)
        return iter(())

    table = RawTable(record_set.member, names, "profile", {}, read)
    table.published = {"columns": columns, **({} if rows is None else {"rows": rows})}
    if owner := _owner(profile.document):
        table.published["source"] = owner
    table.about = _description(profile.document, record, dict(zip(names, fields, strict=True)))
    table.describes = profile.files.described_by(record_set)
    return table


# the files next to the document


class _DataFiles:
    """The files that a document describes, and whether they are next to it; each is looked up once."""

    def __init__(self, document: Json, path: str) -> None:
        self._path = path
        files = objects(property_of(document, "distribution"))
        self._files = {str(file.get("@id") or file.get("name")): file for file in files}
        self._targets = {id: targets for id, file in self._files.items() if (targets := _targets(file))}
        self._exists: dict[str, bool] = {}

    def described_by(self, record_set: _RecordSet) -> dict[str, bool]:
        """The sources of its fields, or else all files, and its name; only its name if there are too many."""
        sources = [property_of(field, "source") for field in objects(property_of(record_set.record, "field"))]
        ids = {id for source in sources for id in sources_of({"source": source})} & self._files.keys()
        ids |= {first_text(property_of(self._files[id], "containedIn")) for id in ids}
        chosen = sorted(ids & self._targets.keys()) if ids else list(self._targets)
        targets = [target for id in chosen[: _MOST_TARGETS + 1] for target in self._targets[id]]
        own = _plain(record_set.name.split("#")[0].replace("%23", "#"))
        return {target: self._look(target) for target in (*(targets if len(targets) <= _MOST_TARGETS else ()), own)}

    def _look(self, target: str) -> bool:
        if target not in self._exists:
            self._exists[target] = lies_beside(self._path, target)
        return self._exists[target]


def _targets(file: Json) -> list[str]:
    """The path or URL of a file or, for a set of files, its patterns."""
    url, includes = first_text(property_of(file, "contentUrl")), property_of(file, "includes")
    patterns = includes if isinstance(includes, list) else [includes]
    targets = [_plain(url)] if url else [_PATTERN + each.strip() for each in patterns if isinstance(each, str)]
    return [target for target in targets if _may_be_path(target)]


def _plain(target: str) -> str:
    """A target that does not look like a pattern."""
    return f"./{target}" if target.startswith(_PATTERN) else target


def lies_beside(path: str, target: str) -> bool:
    """Whether a file that a profile describes is in the profile's folder, or below.

    `target` is a path, a URL, of which the last parts may be a path, or a pattern with a prefix: `includes:data/*.csv`.
    """
    is_pattern, is_url = target.startswith(_PATTERN), "://" in target
    plain = target.removeprefix(_PATTERN) if is_pattern else target.split("?")[0] if is_url else target
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    folder = os.path.dirname(path)
    if ".." in parts or not parts or not _may_be_path(target):
        return False
    if is_pattern:
        pattern = os.path.join(glob.escape(folder), *parts)
        return len(parts) <= _PATTERN_PARTS and "**" not in plain and _any_file(pattern, path)
    starts = range(max(2, len(parts) - _URL_PARTS), len(parts)) if is_url else [0]
    return any(_is_other_file(os.path.join(folder, *parts[start:]), path) for start in starts)


def _may_be_path(target: str) -> bool:
    return len(target) <= _PATH_CHARACTERS and "\0" not in target and not _SURROGATE.search(target)


def _any_file(pattern: str, path: str) -> bool:
    return any(_is_other_file(place, path) for place in glob.iglob(pattern))


def _is_other_file(place: str, path: str) -> bool:
    return os.path.isfile(place) and os.path.realpath(place) != os.path.realpath(path)


# names, descriptions, rows


def _column_name(field: Json, record_set: _RecordSet) -> str:
    """The name of the field's column, without the record set's name, which some put before it."""
    source = property_of(field, "source")
    extract = source.get("extract") if isinstance(source, dict) else None
    if isinstance(extract, dict) and isinstance(extract.get("column"), str):
        return str(extract["column"])
    own = first_text(property_of(field, "name"))
    full = own or unquote(first_text(field.get("@id")))
    prefixes = [f"{record_set.name}/", f"{unquote(str(record_set.record.get('@id')))}/"]
    return next((full.removeprefix(prefix) for prefix in prefixes if full.startswith(prefix)), full)


def _description(document: Json, record: Json, fields: dict[str, Json]) -> Description:
    own, dataset = _common(record), _common(document)
    own.title = first_text(property_of(record, "alternateName"))
    own.columns = {
        name: text[:1000] for name, each in fields.items() if (text := first_text(property_of(each, "description")))
    }
    own.add(dataset)
    return Description(
        _encodable(own.title), _encodable(own.description), [_encodable(word) for word in own.keywords],
        _encodable(own.licence), {name: _encodable(text) for name, text in own.columns.items()},
    )  # fmt: skip


def _common(node: Json) -> Description:
    """Name, description, keywords and licence of a dataset or a record set; properties may have a prefix."""
    values = {name: property_of(node, name) for name in ("name", "description", "keywords", "license")}
    return common({**node, **{name: value for name, value in values.items() if value is not None}})


def _encodable(text: str) -> str:
    """Text that can be encoded: single surrogates become question marks."""
    return _SURROGATE.sub("?", text)


def _owner(document: Json) -> str:
    """Where to ask for the rows: a URL or a name."""
    texts = (first_text(property_of(document, name)) for name in ("url", "creator", "publisher"))
    return next((_encodable(text[:200]) for text in texts if text), "")


def _rows(record: Json, names: Sequence[str], columns: Sequence[Json]) -> int | None:
    """The number of rows: as published, or else the length of the longest column."""
    rows = row_count(property_of(record, "rows"), "rows")
    lengths = [column.get("count", 0) + column.get("nulls", 0) for column in columns]
    if rows is None:
        return max((cells for cells, column in zip(lengths, columns, strict=True) if "count" in column), default=None)
    for name, cells in zip(names, lengths, strict=True):
        if cells > rows:
            raise Malformed(f"field {shown(name)}: {cells:,} cells in a table of {rows:,} rows")
    return rows


def _column(field: Json, name: str, findings: Findings) -> Json:
    try:
        _check_name(name)
        return published_column(field, findings)
    except Malformed as fault:
        raise Malformed(f"field {shown(name)}: {fault}") from None
