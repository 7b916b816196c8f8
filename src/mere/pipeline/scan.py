"""Which raw files are there, and which of them are new since the last snapshot?

A file is unchanged if its path, size and modification time are, and those of the sidecars that describe it; a profile
also only if the files it describes are still there, or still missing.  An unchanged file that was read under other
rules is stale, and read again if it can be.
What include and exclude patterns leave out is not seen at all; files that describe others are left out by exclude only.
Links that leave the source are refused, devices and sockets too; both are in the quarantine report.  Hidden files
and folders (a leading dot, files that operating systems leave, `_name` beside the parts of a table) are not data and
are only counted.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import xxhash

from mere.pipeline.patterns import matches
from mere.pipeline.records import FileRecord, PartOf
from mere.readers import is_hidden, is_sidecar, lies_beside, may_be_profile, sidecars_of
from mere.readers.partitions import hive_partition
from mere.search.rules import rules_now
from mere.segments.named_sources import is_path
from mere.segments.sources import SourceOptions

SPARK_PART = re.compile(r"part-(?:[rm]-)?\d{3,}")


@dataclass
class RawFile:
    """One file of a source, as the scan saw it."""

    source: str  # absolute path the user pointed at
    path: str  # relative to the source, with slashes
    size: int
    modified: int  # nanoseconds
    refused: str = ""  # why it must not be read
    name: str = ""  # what its table is called; members are appended
    sidecars: list[str] = field(default_factory=list)  # relative paths
    stamp: str = ""  # changes when the file or anything that describes it does
    at: str = ""  # where it lies, if not below its source
    decimal: str = ""  # how its source writes decimal numbers, if that was set
    part: PartOf | None = None  # of which dataset it may be a part

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path

    @property
    def table_key(self) -> tuple[str, str]:
        """Its dataset if it has one: the parts of a table are read together."""
        return self.source, self.dataset or self.path

    @property
    def path_for_name(self) -> str:
        return self.path

    @property
    def full(self) -> str:
        return self.at or full_path(self.source, self.path)

    @property
    def is_sidecar(self) -> bool:
        return is_path(self.source) and is_sidecar(self.path)

    @property
    def may_hold_tables(self) -> bool:
        if self.part and self.part.surely and not self.size:
            return False  # a part without rows
        return not self.refused and (not self.is_sidecar or may_be_profile(self.path))

    @property
    def dataset(self) -> str:
        """The path of its dataset; empty if it is a file of its own."""
        return self.part.dataset if self.part else ""


def full_path(source: str, path: str) -> str:
    """The absolute path of a file; a source may be a single file."""
    return source if os.path.basename(source) == path and os.path.isfile(source) else os.path.join(source, path)


@dataclass
class Scan:
    files: list[RawFile]
    hidden: int = 0


def scan(sources: Iterable[str], leave_out: str) -> Scan:
    """Every file below the sources, in a fixed order."""
    scanned = Scan([])
    for source in sources:
        _scan_source(os.path.abspath(source), os.path.realpath(leave_out), scanned)
    scanned.files.sort(key=lambda file: file.key)
    return scanned


def chosen_files(files: Sequence[RawFile], options: Mapping[str, SourceOptions]) -> list[RawFile]:
    """The files that the patterns of their sources do not leave out, with what else was set for the source."""
    chosen = [file for file in files if file.source not in options or _is_chosen(file, options[file.source])]
    for file in chosen:
        file.decimal = options[file.source].decimal if file.source in options else ""
    return chosen


def _is_chosen(file: RawFile, options: SourceOptions) -> bool:
    describes = file.is_sidecar and not may_be_profile(file.path)
    included = describes or not options.include or matches(file.path, options.include)
    return included and not matches(file.path, options.exclude)


def _scan_source(source: str, leave_out: str, scanned: Scan) -> None:
    if os.path.isfile(source):
        scanned.files.append(_raw_file(os.path.dirname(source), os.path.basename(source), source))
        return
    for folder, folders, names in os.walk(source, onerror=lambda error: _unlistable(error, source, scanned)):
        hidden = [name for name in folders if is_hidden(name) or _is_a_lake(os.path.join(folder, name))]
        scanned.hidden += len(hidden)
        inside = [n for n in folders if n not in hidden and os.path.realpath(os.path.join(folder, n)) != leave_out]
        folders[:] = sorted(name for name in inside if not os.path.islink(os.path.join(folder, name)))
        links = [name for name in inside if name not in folders]
        of_parts = _holds_parts(os.path.relpath(folder, source).split(os.sep), names)
        for name in sorted(names) + links:
            if is_hidden(name) or (of_parts and name.startswith("_")):
                scanned.hidden += 1
                continue
            path = os.path.relpath(os.path.join(folder, name), source).replace(os.sep, "/")
            scanned.files.append(_raw_file(source, path, source))


def _holds_parts(folders: list[str], names: Iterable[str]) -> bool:
    """Whether a folder is a Hive partition or an output of Spark, which reads no file that starts with `_` there."""
    return bool(hive_partition(folders)[1]) or any(map(SPARK_PART.match, names))


def _is_a_lake(folder: str) -> bool:
    """Another lake is not data."""
    return os.path.exists(os.path.join(folder, "writer.lock")) and os.path.isdir(os.path.join(folder, "snapshots"))


def _unlistable(error: OSError, source: str, scanned: Scan) -> None:
    path = os.path.relpath(error.filename, source).replace(os.sep, "/")
    scanned.files.append(RawFile(source, path, 0, 0, refused=f"the folder cannot be listed: {error.strerror}"))


def _raw_file(root: str, path: str, source: str) -> RawFile:
    full = os.path.join(root, path)
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "backslashreplace").decode()
        return RawFile(source, shown, 0, 0, refused="the file's name is not valid UTF-8; rename it")
    try:
        facts = os.stat(full)
    except OSError as error:
        return RawFile(source, path, 0, 0, refused=f"cannot be read: {error.strerror}")
    pointed_at = full == source  # a file the user named may be a link to anywhere
    refused = "" if pointed_at and stat.S_ISREG(facts.st_mode) else _refusal(full, root, facts)
    return RawFile(source, path, facts.st_size, facts.st_mtime_ns, refused)


def _refusal(full: str, root: str, facts: os.stat_result) -> str:
    if os.path.islink(full):
        target, inside = os.path.realpath(full), os.path.realpath(root)
        if os.path.commonpath([target, inside]) != inside:
            return "a link that leaves the source"
        if stat.S_ISDIR(facts.st_mode):
            return "a link to a folder of the same source, whose files are read under their own paths"
    return "" if stat.S_ISREG(facts.st_mode) else "not a regular file"


def find_sidecars(files: Sequence[RawFile]) -> None:
    """Find the files that describe each file; the stamp of a file depends on them, and so the name must be known."""
    by_source: dict[str, dict[str, RawFile]] = defaultdict(dict)
    for file in files:
        if not file.refused:
            by_source[file.source][file.path] = file
    for members in by_source.values():
        described = sidecars_of(list(members))
        for path, file in members.items():
            file.sidecars = described.get(path, [])
            stamps = [(p, members[p].size, members[p].modified) for p in [path, *file.sidecars] if p in members]
            left_out = list(file.part.left_out) if file.part else []
            deciding = [file.name, stamps, *([file.decimal] if file.decimal else []), *([left_out] if left_out else [])]
            file.stamp = xxhash.xxh3_64_hexdigest(json.dumps(deciding).encode())


@dataclass
class Changes:
    """What an index run has to do: records of the last run against the files of this one."""

    added: list[RawFile] = field(default_factory=list)
    changed: list[RawFile] = field(default_factory=list)
    removed: list[FileRecord] = field(default_factory=list)
    unchanged: list[FileRecord] = field(default_factory=list)
    stale: list[RawFile] = field(default_factory=list)  # unchanged, but read under other rules

    @property
    def to_read(self) -> list[RawFile]:
        return sorted(self.added + self.changed + self.stale, key=lambda file: file.key)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.stale)


def compare(files: list[RawFile], records: list[FileRecord], scanned: set[str]) -> Changes:
    """Records of sources that were not scanned stay as they are."""
    changes, now = Changes(), rules_now()
    known = {record.key: record for record in records}
    stale: list[tuple[RawFile, FileRecord]] = []
    for file in files:
        record = known.pop(file.key, None)
        if record is None:
            changes.added.append(file)
        elif (record.stamp, record.refused, record.dataset) != (file.stamp, file.refused, file.dataset) or _is_due(
            record, file
        ):
            changes.changed.append(file)
        elif record.rules != now:
            stale.append((file, record))
        else:
            changes.unchanged.append(record)
    for record in known.values():
        (changes.removed if record.source in scanned else changes.unchanged).append(record)
    unreadable = {file.table_key for file, _ in stale if not _can_be_read(file)}
    changes.stale = [file for file, _ in stale if file.table_key not in unreadable]
    changes.unchanged += [record for file, record in stale if file.table_key in unreadable]
    return changes


def _can_be_read(file: RawFile) -> bool:
    """Whether a file opens; if not, what was read of it before is all there is, and stays."""
    if file.refused or not is_path(file.source):
        return True
    try:
        with open(file.full, "rb"):
            return True
    except OSError:
        return False


def _is_due(record: FileRecord, file: RawFile) -> bool:
    """Whether to read an unchanged file again: the machine had failed, or files that it describes came or went."""
    return record.again or any(lies_beside(file.full, path) != before for path, before in record.describes.items())
