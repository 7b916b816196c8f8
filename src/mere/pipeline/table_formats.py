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
from typing import NamedTuple
from urllib.parse import unquote

from mere.pipeline.iceberg_files import Refused
from mere.pipeline.records import DELTA, ICEBERG, PartOf
from mere.pipeline.scan import RawFile
from mere.readers.panics import panics_as_errors

_DELTA_LOG = re.compile(r"(?:(.+)/)?_delta_log/\d+(\.checkpoint.*)?\.(json|parquet)")
_ICEBERG_METADATA = re.compile(r"(?:(.+)/)?metadata/((?:v\d+(?:\.gz)?|\d+-[^/]+)\.metadata\.json)")
_UNREADABLE_FEATURES = {"deletionVectors": "deletion vectors", "columnMapping": "column mapping"}
_EXTRAS = {DELTA: ("Delta Lake", "delta"), ICEBERG: ("Iceberg", "iceberg")}


class _Part(NamedTuple):
    """What the log says of a file."""

    values: Mapping[str, str | None]  # of the partition columns
    left_out: tuple[str, ...] = ()  # columns that were dropped since


Parts = dict[str, _Part]  # by the path in the folder of the table


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
        if not parts:
            raise Refused("its current version has no data files, so there is no row to read; append rows")
        if missing := sorted(set(parts) - set(known)):
            raise Refused(f"'{missing[0]}', a file of the current version, is not there; restore it")
    except Exception as error:  # whatever a library raises for a damaged table
        size, modified = sum(file.size for file in files), max((file.modified for file in files), default=0)
        return [RawFile(source, folder or ".", size, modified, refused=_reason(error, kind))]
    for path, part in parts.items():
        known[path].part = PartOf(folder or ".", kind, part.values, left_out=part.left_out)
    return [known[path] for path in sorted(parts)]


def _reason(error: Exception, kind: str) -> str:
    title, extra = _EXTRAS[kind]
    reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if isinstance(error, ImportError):
        reason = f"the library that reads its log is not installed; pip install 'mere[{extra}]'"
    elif isinstance(error, Refused):
        reason = str(error)
    return f"a table of {title}: {reason}"


def _delta_parts(folder: str) -> Parts:
    import deltalake
    import pyarrow as pa

    table = deltalake.DeltaTable(folder)
    features = table.protocol().reader_features or []
    if unreadable := [words for name, words in _UNREADABLE_FEATURES.items() if name in features]:
        raise Refused(f"it uses {' and '.join(unreadable)}; write it again without, or as Parquet")
    if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
        raise Refused("it uses column mapping; write it again without, or as Parquet")
    actions = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    keys = table.metadata().partition_columns
    return {unquote(each["path"]): _Part({key: _text(each[f"partition.{key}"]) for key in keys}) for each in actions}


def _text(value: object) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _iceberg_parts(folder: str) -> Parts:
    import pyiceberg  # noqa: F401  so that a missing library is told as such, whatever is in the folder

    from mere.pipeline.iceberg_tables import data_files

    return {path: _Part({}, left_out) for path, left_out in data_files(folder).items()}


_PARTS_OF = {DELTA: _delta_parts, ICEBERG: _iceberg_parts}
