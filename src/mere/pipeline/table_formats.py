"""Which files make up the current version of a Delta Lake or Iceberg table?

Such a table keeps the files of earlier versions, and its log, in the same folder.  What the library of the format
(`deltalake`, `pyiceberg`: extras) names for the current version are the parts of one table; every other file of the
folder is left out and counted as hidden.  Without the library, or where a part cannot be read by itself (deleted rows
kept beside it, renamed columns), the folder is in the quarantine report with the remedy, and none of its files is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from mere.pipeline.records import DELTA, ICEBERG, PartOf
from mere.pipeline.scan import RawFile
from mere.readers.panics import panics_as_errors

Parts = dict[str, dict[str, str | None]]  # path in the folder of the table -> values of the partition columns
_DELTA_LOG = re.compile(r"(?:(.+)/)?_delta_log/\d+(\.checkpoint.*)?\.(json|parquet)")
_ICEBERG_METADATA = re.compile(r"(?:(.+)/)?metadata/((?:v\d+|\d+-[^/]+)\.metadata\.json)")
_UNREADABLE_FEATURES = {"deletionVectors": "deletion vectors", "columnMapping": "column mapping"}
_EXTRAS = {DELTA: ("Delta Lake", "delta"), ICEBERG: ("Iceberg", "iceberg")}


class _Refused(Exception):
    """Why the current version of a table cannot be read."""


def current_versions(files: Sequence[RawFile]) -> tuple[list[RawFile], int]:
    """The files without logs and dead files, and how many these are; `part` of a file of a current version is set."""
    roots = _roots(files)
    if not roots:
        return list(files), 0
    chosen: list[RawFile] = []
    inside: dict[tuple[str, str], list[RawFile]] = {key: [] for key in roots}
    for file in files:
        key = next(((file.source, folder) for folder in _folders(file.path) if (file.source, folder) in roots), None)
        chosen.append(file) if key is None else inside[key].append(file)
    left_out = 0
    for (source, folder), own in inside.items():
        current = _current(source, folder, roots[source, folder], own)
        chosen += current
        left_out += len(own) - len(current)
    return sorted(chosen, key=lambda file: file.key), left_out


def _roots(files: Sequence[RawFile]) -> dict[tuple[str, str], str]:
    """The folders of such tables, and what they are."""
    roots: dict[tuple[str, str], str] = {}
    for file in files:
        if match := _DELTA_LOG.fullmatch(file.path):
            roots[file.source, match[1] or ""] = DELTA
        elif match := _ICEBERG_METADATA.fullmatch(file.path):
            roots.setdefault((file.source, match[1] or ""), ICEBERG)
    return roots


def _folders(path: str) -> list[str]:
    """The folders of a file, the innermost first: a table may lie in the folder of another one."""
    names = path.split("/")[:-1]
    return ["/".join(names[:length]) for length in range(len(names), -1, -1)]


def _current(source: str, folder: str, kind: str, files: list[RawFile]) -> list[RawFile]:
    full = os.path.join(source, folder) if folder else source
    known = {file.path.removeprefix(f"{folder}/" if folder else ""): file for file in files}
    try:
        with panics_as_errors():
            parts = _PARTS_OF[kind](full)
        if missing := sorted(set(parts) - set(known)):
            raise _Refused(f"'{missing[0]}', a file of the current version, is not there; restore it")
    except Exception as error:  # whatever a library raises for a damaged table
        size, modified = sum(file.size for file in files), max((file.modified for file in files), default=0)
        return [RawFile(source, folder or ".", size, modified, refused=_reason(error, kind))]
    for path, values in parts.items():
        known[path].part = PartOf(folder or ".", kind, values)
    return [known[path] for path in sorted(parts)]


def _reason(error: Exception, kind: str) -> str:
    title, extra = _EXTRAS[kind]
    reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if isinstance(error, ImportError):
        reason = f"the library that reads its log is not installed; pip install 'mere[{extra}]'"
    elif isinstance(error, _Refused):
        reason = str(error)
    return f"a table of {title}: {reason}"


def _delta_parts(folder: str) -> Parts:
    import deltalake
    import pyarrow as pa

    table = deltalake.DeltaTable(folder)
    features = table.protocol().reader_features or []
    if unreadable := [words for name, words in _UNREADABLE_FEATURES.items() if name in features]:
        raise _Refused(f"it uses {' and '.join(unreadable)}; write it again without, or as Parquet")
    if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
        raise _Refused("it uses column mapping; write it again without, or as Parquet")
    actions = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    keys = table.metadata().partition_columns
    return {unquote(each["path"]): {key: _text(each[f"partition.{key}"]) for key in keys} for each in actions}


def _text(value: object) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _iceberg_parts(folder: str) -> Parts:
    from pyiceberg.table import StaticTable

    table = StaticTable.from_metadata(_newest_metadata(os.path.join(folder, "metadata")))
    names: dict[int, set[str]] = {}
    for schema in table.metadata.schemas:
        for field in schema.fields:
            names.setdefault(field.field_id, set()).add(field.name)
    if renamed := sorted(min(each) for each in names.values() if len(each) > 1):
        raise _Refused(f"its column '{renamed[0]}' was renamed, which older files do not know; rewrite the data files")
    parts: Parts = {}
    for task in table.scan().plan_files():
        if task.delete_files:
            raise _Refused("some rows are deleted by separate files; rewrite the data files")
        parts[_below(task.file.file_path, table.metadata.location)] = {}
    return parts


def _newest_metadata(folder: str) -> str:
    """Names start with a growing number: v3.metadata.json, 00003-ID.metadata.json."""
    names = [name for name in os.listdir(folder) if name.endswith(".metadata.json")]
    numbers: Mapping[str, int] = {name: int(match[0]) for name in names if (match := re.search(r"\d+", name))}
    return os.path.join(folder, max(numbers, key=lambda name: (numbers[name], name)))


def _below(path: str, location: str) -> str:
    """The path of a file in the folder of its table, wherever that lies."""
    plain, root = path.split("://")[-1], location.split("://")[-1].rstrip("/")
    if not plain.startswith(f"{root}/"):
        raise _Refused(f"its file '{path}' lies outside of its folder; rewrite the data files")
    return plain.removeprefix(f"{root}/")


_PARTS_OF = {DELTA: _delta_parts, ICEBERG: _iceberg_parts}
