"""Which files make up the current version of an Iceberg table?

The metadata is read here, and only its schemas and manifests are handed to `pyiceberg`: the library would follow the
properties of the table, which name Python modules to import and servers to ask.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from mere.pipeline.iceberg_columns import Place, check_history, columns_to_leave_out, has_ids, places
from mere.pipeline.iceberg_files import MANIFESTS, Refused, TableFiles

_NAME = re.compile(r"(?:v(\d+)|(\d+)-.+?)(?:\.gz)?\.metadata\.json")
_NEWEST_FORMAT = 3
_POSITIONS = 1  # content of a delete file that names rows by their positions


class _Table(NamedTuple):
    """What the metadata says of the current version."""

    schemas: list[Any]
    current: dict[int, Place]
    defaults: dict[int, str]  # columns that are not null in files that lack them
    keys: dict[int, dict[int, str]]  # columns of partitions, which files may lack, by the id of the partitioning
    manifest_list: str  # empty: nothing was ever written


def data_files(folder: str) -> dict[str, tuple[str, ...]]:
    """The paths of the data files in the folder, and the columns to leave out of each."""
    files = TableFiles(folder)
    table = _table(files.read_metadata(_newest_metadata(os.path.join(folder, "metadata"))))
    entries = list(_entries(files, table.manifest_list)) if table.manifest_list else []
    live = [entry for entry in entries if not int(entry.data_file.content)]
    oldest = min((entry.sequence_number or 0 for entry in live), default=0)
    if live and any(_deletes(entry, oldest) for entry in entries):
        raise Refused("some rows are deleted by separate files; rewrite the data files")
    return {path: _left_out(files, path, entry, table) for entry in live for path in [_path(files, entry)]}


def _newest_metadata(folder: str) -> str:
    """Names start with a growing number: v3.metadata.json, 00003-ID.metadata.json."""
    names = [(match, match[0]) for match in map(_NAME.fullmatch, os.listdir(folder)) if match]
    return max((int(match[1] or match[2]), name) for match, name in names)[1]


def _table(document: dict[str, Any]) -> _Table:
    from pyiceberg.schema import Schema

    if int(document["format-version"]) > _NEWEST_FORMAT:
        raise Refused(f"its format version {document['format-version']} is not supported; write it as version 2")
    written = document.get("schemas") or [document["schema"]]
    chosen = document.get("current-schema-id", written[-1].get("schema-id", 0))
    [schema] = [Schema.model_validate(each) for each in written if each.get("schema-id", 0) == chosen]
    defaults = {
        each.field_id: each.name for each in schema.fields if getattr(each, "initial_default", None) is not None
    }
    current = dict(places(schema.fields))
    schemas = [Schema.model_validate(each) for each in written]
    return _Table(schemas, current, defaults, _keys(document, current), _manifest_list(document))


def _keys(document: dict[str, Any], current: dict[int, Place]) -> dict[int, dict[int, str]]:
    specs = document.get("partition-specs") or [{"fields": document.get("partition-spec") or []}]
    return {
        spec.get("spec-id", 0): {
            field["source-id"]: current[field["source-id"]][-1]
            for field in spec["fields"]
            if field["transform"] == "identity" and field["source-id"] in current
        }
        for spec in specs
    }


def _manifest_list(document: dict[str, Any]) -> str:
    chosen = document.get("current-snapshot-id")
    if chosen in (None, -1):
        return ""
    found = [each for each in document.get("snapshots") or [] if each["snapshot-id"] == chosen]
    if not found or "manifest-list" not in found[0]:
        raise Refused("its current snapshot has no list of manifests; rewrite the manifests")
    return str(found[0]["manifest-list"])


def _entries(files: TableFiles, manifest_list: str) -> Iterator[Any]:
    """The entries of all manifests, without those that were deleted."""
    from pyiceberg.manifest import read_manifest_list

    listed: Any = files.new_input(manifest_list)
    manifests = list(islice(read_manifest_list(listed), MANIFESTS + 1))
    if len(manifests) > MANIFESTS:
        raise Refused(f"it has more than {MANIFESTS:,} manifests; rewrite the manifests")
    reader: Any = files
    for manifest in manifests:
        yield from manifest.fetch_manifest_entry(reader, discard_deleted=True)


def _deletes(entry: Any, oldest: int) -> bool:
    """Whether it is a delete file that may apply to a data file as old as that."""
    content, number = int(entry.data_file.content), entry.sequence_number or 0
    return bool(content) and (number >= oldest if content == _POSITIONS else number > oldest)


def _path(files: TableFiles, entry: Any) -> str:
    return files.path_of(str(entry.data_file.file_path))


def _left_out(files: TableFiles, path: str, entry: Any, table: _Table) -> tuple[str, ...]:
    full = files.full(path)
    if not os.path.isfile(full):
        raise Refused(f"'{path}', a file of the current version, is not there; restore it")
    schema = pq.read_schema(full) if str(entry.data_file.file_format.value).upper() == "PARQUET" else None
    if schema is None or not has_ids(schema):
        check_history(table.schemas, table.current)
        return ()
    needed = table.defaults | table.keys.get(entry.data_file.spec_id, {})
    return columns_to_leave_out(schema, table.current, needed)
