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
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from mere.readers.about import About, common, drawn_from, first_text, objects
from mere.readers.encodings import detect_encoding, repaired
from mere.readers.json_records import parse
from mere.readers.limits import Limits
from mere.readers.names import NAME_CHARACTERS, unique_names
from mere.readers.profile_columns import Json, Malformed, column_told, property_of, shown, whole
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

Failures = list[tuple[str, str]]

_MARKS = (b"recordSet", b"field")
_TOLD = (b"histogram", b"statistics")
_REASON = 200  # characters of a name or a reason that are reported
_SURROGATE = re.compile("[\ud800-\udfff]")
_PATTERN = "includes:"  # before a target that is a pattern
_MOST_TARGETS = 64  # of one record set
_PATH_CHARACTERS = 4096
_ENDING = 8  # parts of a URL that may be a path
_DEPTH = 4  # parts of a pattern


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
    records = list(objects(property_of(document, "recordSet")))
    beside = _Beside(document, source.name)
    for record, name in zip(records, _names(records), strict=True):
        inside = f"{member}/{name}" if member else name
        try:
            _check_name(name)
            yield _table(document, record, inside, name, source, limits, beside)
        except Malformed as fault:
            failures.append((shown(inside, _REASON)[1:-1], str(fault)[:_REASON]))


def _names(records: Sequence[Json]) -> list[str]:
    """What each record set is called; repeats are NAME#2, NAME#3, and no two are the same."""
    told = [
        first_text(property_of(record, "name")) or unquote(first_text(record.get("@id"))) or f"record_set_{number}"
        for number, record in enumerate(records, 1)
    ]
    reserved, taken, repeats = set(told), set[str](), Counter[str]()
    names = []
    for base in told:
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
        raise Malformed(f"a name holds what is no character: {shown(name)}")


def _table(
    document: Json, record: Json, member: str, name: str, source: Source, limits: Limits, beside: _Beside
) -> RawTable:
    each = list(objects(property_of(record, "field")))
    if len(each) > limits.columns:
        raise Malformed(f"{len(each):,} columns, more than {limits.columns:,}; raise the limit 'columns'")
    if not each:
        raise Malformed("the record set has no fields")
    columns = unique_names(_column_name(field, record, name) for field in each)
    findings = Findings()
    told = [_column(field, column, findings) for field, column in zip(each, columns, strict=True)]
    rows = _rows(record, columns, told)
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
    table.describes = beside.describes(record, name)
    return table


# what lies beside the document


class _Beside:
    """What the record sets of a document are drawn from, and whether that lies beside it: each is looked up once."""

    def __init__(self, document: Json, path: str) -> None:
        self._path = path
        files = objects(property_of(document, "distribution"))
        self._files = {str(one.get("@id") or one.get("name")): one for one in files}
        self._places = {found: places for found, one in self._files.items() if (places := _places(one))}
        self._lies: dict[str, bool] = {}

    def describes(self, record: Json, name: str) -> dict[str, bool]:
        """The record set's own files, all files if it does not say, and its name; of too many, only its name."""
        sources = [property_of(each, "source") for each in objects(property_of(record, "field"))]
        drawn = {found for each in sources for found in drawn_from({"source": each})} & self._files.keys()
        drawn |= {first_text(property_of(self._files[found], "containedIn")) for found in drawn}
        chosen = sorted(drawn & self._places.keys()) if drawn else list(self._places)
        targets = [place for found in chosen[: _MOST_TARGETS + 1] for place in self._places[found]]
        own = _plain(name.split("#")[0].replace("%23", "#"))
        return {target: self._look(target) for target in (*(targets if len(targets) <= _MOST_TARGETS else ()), own)}

    def _look(self, target: str) -> bool:
        if target not in self._lies:
            self._lies[target] = lies_beside(self._path, target)
        return self._lies[target]


def _places(file: Json) -> list[str]:
    """Where a file is said to lie: at a path or a URL or, if it is a set of files, wherever a pattern leads."""
    url, told = first_text(property_of(file, "contentUrl")), property_of(file, "includes")
    patterns = [each.strip() for each in (told if isinstance(told, list) else [told]) if isinstance(each, str)]
    places = [_plain(url)] if url else [_PATTERN + pattern for pattern in patterns]
    return [place for place in places if _may_be_path(place)]


def _plain(target: str) -> str:
    """A target that is not taken for a pattern."""
    return f"./{target}" if target.startswith(_PATTERN) else target


def lies_beside(path: str, target: str) -> bool:
    """Whether what a profile speaks of lies in its folder, or below.

    A path, a URL of which any ending will do, or a pattern, marked as such: `includes:data/*.csv`.
    """
    is_pattern, is_url = target.startswith(_PATTERN), "://" in target
    plain = target.removeprefix(_PATTERN) if is_pattern else target.split("?")[0] if is_url else target
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    folder = os.path.dirname(path)
    if ".." in parts or not parts or not _may_be_path(target):
        return False
    if is_pattern:
        return len(parts) <= _DEPTH and "**" not in plain and _any_file(os.path.join(glob.escape(folder), *parts), path)
    starts = range(max(2, len(parts) - _ENDING), len(parts)) if is_url else [0]
    return any(_is_other_file(os.path.join(folder, *parts[start:]), path) for start in starts)


def _may_be_path(target: str) -> bool:
    return len(target) <= _PATH_CHARACTERS and "\0" not in target and not _SURROGATE.search(target)


def _any_file(pattern: str, path: str) -> bool:
    return any(_is_other_file(place, path) for place in glob.iglob(pattern))


def _is_other_file(place: str, path: str) -> bool:
    return os.path.isfile(place) and os.path.realpath(place) != os.path.realpath(path)


# what is told


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
    own, others = _common(record), _common(document)
    own.title = first_text(property_of(record, "alternateName"))
    own.columns = {
        name: text[:1000] for name, each in fields.items() if (text := first_text(property_of(each, "description")))
    }
    own.add(others)
    return About(
        _sound(own.title), _sound(own.description), [_sound(word) for word in own.keywords], _sound(own.licence),
        {name: _sound(text) for name, text in own.columns.items()},
    )  # fmt: skip


def _common(thing: Json) -> About:
    """What a dataset or a record set says of itself, under names with a prefix, too."""
    told = {name: property_of(thing, name) for name in ("name", "description", "keywords", "license")}
    return common({**thing, **{name: value for name, value in told.items() if value is not None}})


def _sound(text: str) -> str:
    """Text that can be written: halves of characters become question marks."""
    return _SURROGATE.sub("?", text)


def _owner(document: Json) -> str:
    """Whom to ask for the rows."""
    found = (first_text(property_of(document, name)) for name in ("url", "creator", "publisher"))
    return next((_sound(text[:200]) for text in found if text), "")


def _rows(record: Json, names: Sequence[str], columns: Sequence[Json]) -> int | None:
    """How many rows the table has: as told, or else as many as its longest column."""
    told = whole(property_of(record, "rows"), "rows")
    counted = [column.get("count", 0) + column.get("nulls", 0) for column in columns]
    if told is None:
        return max((cells for cells, column in zip(counted, columns, strict=True) if "count" in column), default=None)
    for name, cells in zip(names, counted, strict=True):
        if cells > told:
            raise Malformed(f"field {shown(name)}: {cells:,} cells in a table of {told:,} rows")
    return told


def _column(field: Json, name: str, findings: Findings) -> Json:
    try:
        _check_name(name)
        return column_told(field, findings)
    except Malformed as fault:
        raise Malformed(f"field {shown(name)}: {fault}") from None
