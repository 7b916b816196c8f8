"""Zip archives: every member is read like a file. Nothing is extracted to disk: member names cannot do harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, BinaryIO, cast

from mere.errors import Unreadable
from mere.readers.decompress import EndsEarly
from mere.readers.hidden import is_junk
from mere.readers.limits import Limits
from mere.readers.source import Content, Source

WORKBOOK_PARTS = ("xl/workbook.xml", "xl/workbook.bin")
FAULTS = (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError)


class Zip:
    """A zip archive whose directory is read once, however many members it has."""

    def __init__(self, source: Source) -> None:
        self._source = source
        try:
            self._archive = zipfile.ZipFile(_bytes(source))
        except FAULTS as fault:
            raise Unreadable(f"{source.name}: corrupt zip archive: {fault}", "pack it again") from fault

    def is_workbook(self) -> bool:
        """Whether it is an Excel or OpenDocument workbook."""
        names = set(self._archive.namelist())
        return not names.isdisjoint(WORKBOOK_PARTS) or {"content.xml", "mimetype"} <= names

    def members(self, limits: Limits, failures: list[tuple[str, str]]) -> Iterator[Source]:
        """The archive's files as sources; encrypted members, and those beyond the limit, go to `failures`."""
        entries = self._archive.infolist()
        files = [entry for entry in entries if not entry.is_dir() and not is_junk(entry.filename)]
        self._check_size(files, limits)
        for entry in files[: limits.members]:
            if entry.flag_bits & 1:
                failures.append((entry.filename, "encrypted"))
                continue
            content = Content(self._opener(entry, limits), entry.file_size, seekable=False)
            yield Source(entry.filename, content, limits)
        if len(files) > limits.members:
            failures.append(("", f"{len(files):,} members, of which {limits.members:,} were read"))

    def _check_size(self, files: list[zipfile.ZipInfo], limits: Limits) -> None:
        """All members together: the entries of a zip bomb may share their bytes."""
        total = sum(entry.file_size for entry in files[: limits.members])
        bound = max(limits.ratio_free_bytes, limits.ratio * self._source.size)
        if total > bound and len(files) > 1:  # a single one is cut while it is read
            fault = f"its members decompress to {total:,} bytes, more than {limits.ratio:,} times its size"
            raise Unreadable(f"{self._source.name}: {fault}", "raise the limit 'ratio'")

    def _opener(self, entry: zipfile.ZipInfo, limits: Limits) -> Callable[[], BinaryIO]:
        return lambda: cast(BinaryIO, _Member(self._archive.open(entry), entry, limits))


def _bytes(source: Source) -> BinaryIO:
    if source.small or not source.seekable:
        return io.BytesIO(source.read_all(source.limits.json_bytes, "json_bytes"))
    return source.reopen()


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
