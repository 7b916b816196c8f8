"""Zip archives: every member is read like a file. Nothing is extracted to disk: member names cannot do harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, BinaryIO, cast

from mere.errors import Unreadable
from mere.readers.decompress import EndsEarly
from mere.readers.hidden import is_hidden
from mere.readers.limits import Limits
from mere.readers.source import Content, Source

WORKBOOK_PARTS = ("xl/workbook.xml", "xl/workbook.bin")
LOCAL_HEADER = 30  # bytes before a member's name
FAULTS = (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError)


def is_workbook(source: Source) -> bool:
    """Whether a zip file is an Excel or OpenDocument workbook."""
    names = [entry.filename for entry in _directory(source).infolist()]
    if any(part in names for part in WORKBOOK_PARTS):
        return True
    return "content.xml" in names and "mimetype" in names


def members(source: Source, limits: Limits, failures: list[tuple[str, str]]) -> Iterator[Source]:
    """The archive's files as sources; encrypted members, and those beyond the limit, go to `failures`."""
    archive = _directory(source)  # read once: it may list thousands of members
    _check_overlaps(archive, source)
    files = [entry for entry in archive.infolist() if not entry.is_dir() and not _is_junk(entry.filename)]
    for entry in files[: limits.members]:
        if entry.flag_bits & 1:
            failures.append((entry.filename, "encrypted"))
            continue
        content = Content(_opener(archive, entry, limits), entry.file_size, seekable=False)
        yield Source(entry.filename, content, limits)
    if len(files) > limits.members:
        left_out = f"{len(files) - limits.members:,} of {len(files):,} members were left out; raise the limit 'members'"
        failures.append(("", left_out))


def _check_overlaps(archive: zipfile.ZipFile, source: Source) -> None:
    """Refuse members that share bytes: a small archive can so contain the same large member many times."""
    end = 0
    for entry in sorted(archive.infolist(), key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise Unreadable(f"{source.name}: the member '{entry.filename}' overlaps another one", "pack it again")
        end = entry.header_offset + LOCAL_HEADER + len(entry.orig_filename) + entry.compress_size


def _is_junk(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return "__MACOSX" in parts or any(is_hidden(part) for part in parts if part.strip("."))


def _directory(source: Source) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(_bytes(source))
    except FAULTS as fault:
        raise Unreadable(f"{source.name}: corrupt zip archive: {fault}", "pack it again") from fault


def _bytes(source: Source) -> BinaryIO:
    if source.small or not source.seekable:
        return io.BytesIO(source.read_all(source.limits.json_bytes, "json_bytes"))
    return source.reopen()


def _opener(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limits: Limits) -> Callable[[], BinaryIO]:
    def open_member() -> BinaryIO:
        return cast(BinaryIO, _Member(archive.open(entry), entry, limits))

    return open_member


class _Member(io.RawIOBase):
    """A member's bytes, counted while they are read, because the sizes in a zip directory may be wrong."""

    def __init__(self, raw: IO[bytes], entry: zipfile.ZipInfo, limits: Limits) -> None:
        self.fault = ""
        self._raw = raw
        self._total = 0
        ratio = max(limits.ratio_free_bytes, limits.ratio * max(1, entry.compress_size))
        self._bound = min(limits.decompressed_bytes, ratio)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self.fault:
            return b""
        try:
            data = self._raw.read(1 << 20 if size < 0 else min(size, 1 << 20))
            self._total += len(data)
            if self._total > self._bound:
                raise EndsEarly(f"it decompresses to more than {self._bound:,} bytes")
            return data
        except (*FAULTS, EndsEarly) as fault:
            self.fault = f"{fault}" or type(fault).__name__
        except Exception as fault:  # zlib.error, LZMAError: whatever the member's codec raises
            self.fault = f"the member is corrupt ({type(fault).__name__})"
        return b""

    def tell(self) -> int:
        return self._total

    def close(self) -> None:
        self._raw.close()
        super().close()
