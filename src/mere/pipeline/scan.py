"""Which raw files are there, and which of them are new since the last snapshot?

A file is unchanged if its path, size and modification time are, and those of the sidecars that describe it; a profile
also only if the files it describes are still there, or still missing.
Links that leave the source are refused, devices and sockets too; both are in the quarantine report.  Hidden files
and folders (a leading dot, or files that operating systems leave) are not data and are only counted.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import xxhash

from mere.pipeline.records import FileRecord
from mere.readers import is_hidden, is_sidecar, lies_beside, may_be_profile, sidecars_of
from mere.segments.named_sources import is_path


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

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path

    @property
    def full(self) -> str:
        return self.at or full_path(self.source, self.path)

    @property
    def is_sidecar(self) -> bool:
        return is_path(self.source) and is_sidecar(self.path)

    @property
    def may_hold_tables(self) -> bool:
        return not self.refused and (not self.is_sidecar or may_be_profile(self.path))


def full_path(source: str, path: str) -> str:
    """The absolute path of a file; a source may be a single file."""
    return source if os.path.basename(source) == path and os.path.isfile(source) else os.path.join(source, path)


@dataclass
class Scan:
    files: list[RawFile]
    hidden: int = 0


def scan(sources: Iterable[str], leave_out: str, absent: Iterable[RawFile] = ()) -> Scan:
    """Every file below the sources, in a fixed order, with names and sidecars decided.

    `absent` are files of sources that cannot be scanned now: they only take part in naming.
    """
    scanned = Scan([])
    for source in sources:
        _scan_source(os.path.abspath(source), os.path.realpath(leave_out), scanned)
    scanned.files.sort(key=lambda file: file.key)
    name_files([*scanned.files, *absent])
    _find_sidecars(scanned.files)
    return scanned


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
        for name in sorted(names) + links:
            if is_hidden(name):
                scanned.hidden += 1
                continue
            path = os.path.relpath(os.path.join(folder, name), source).replace(os.sep, "/")
            scanned.files.append(_raw_file(source, path, source))


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


def name_files(files: list[RawFile]) -> None:
    """Name each file by its path; where sources share a path, as many of the source's folders are put before it
    as are needed to distinguish them.

    A `#` of the path is written %23, because a plain one separates the member.
    """
    for length in range(max((file.source.count("/") for file in files), default=0) + 1):
        taken = Counter(file.name for file in files) if length else None
        for file in files:
            if taken is None or taken[file.name] > 1:
                file.name = _name(file, length)
        if taken is not None and max(Counter(file.name for file in files).values(), default=1) == 1:
            return


def _name(file: RawFile, length: int) -> str:
    """The path, with so many of the source's last folders before it; of a frame or Spark table, the source's name."""
    if length and not is_path(file.source):
        return file.source.replace("#", "%23")
    prefix = file.source.strip("/").split("/")[-length:] if length else []
    return "/".join([*prefix, file.path]).replace("#", "%23")


def _find_sidecars(files: list[RawFile]) -> None:
    by_source: dict[str, dict[str, RawFile]] = defaultdict(dict)
    for file in files:
        if not file.refused:
            by_source[file.source][file.path] = file
    for members in by_source.values():
        described = sidecars_of(list(members))
        for path, file in members.items():
            file.sidecars = described.get(path, [])
            stamps = [(p, members[p].size, members[p].modified) for p in [path, *file.sidecars] if p in members]
            file.stamp = xxhash.xxh3_64_hexdigest(json.dumps([file.name, stamps]).encode())


@dataclass
class Changes:
    """What an index run has to do: records of the last run against the files of this one."""

    added: list[RawFile] = field(default_factory=list)
    changed: list[RawFile] = field(default_factory=list)
    removed: list[FileRecord] = field(default_factory=list)
    unchanged: list[FileRecord] = field(default_factory=list)

    @property
    def to_read(self) -> list[RawFile]:
        return sorted(self.added + self.changed, key=lambda file: file.key)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def compare(files: list[RawFile], records: list[FileRecord], scanned: set[str]) -> Changes:
    """Records of sources that were not scanned stay as they are."""
    changes = Changes()
    known = {record.key: record for record in records}
    for file in files:
        record = known.pop(file.key, None)
        if record is None:
            changes.added.append(file)
        elif (record.stamp, record.refused) != (file.stamp, file.refused) or _is_due(record, file):
            changes.changed.append(file)
        else:
            changes.unchanged.append(record)
    for record in known.values():
        (changes.removed if record.source in scanned else changes.unchanged).append(record)
    return changes


def _is_due(record: FileRecord, file: RawFile) -> bool:
    """Whether to read an unchanged file again: the machine had failed, or files that it describes came or went."""
    return record.again or any(lies_beside(file.full, path) != before for path, before in record.describes.items())


def all_files_of(records: Iterable[FileRecord]) -> Iterator[RawFile]:
    """The files of records whose source was not scanned this time: they still take part in naming."""
    for record in records:
        yield RawFile(record.source, record.path, record.size, record.modified, record.refused)
