"""How do readers that seek, or need a path, get at content that can only be streamed?

Small content is in memory already, a plain file is opened as it is, and anything else (a compressed file, a member of
an archive) is copied to a temporary file without a name, which vanishes with the process, whatever ends it.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable
from typing import IO, Any, BinaryIO, cast

from mere.errors import Unreadable
from mere.readers.source import Source
from mere.readers.table import Findings
from mere.store import files

STEP = 1 << 20


class Spooled:
    """Content that can be opened at any place, several times."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._file: IO[bytes] | None = None
        self.fault = ""

    def open(self) -> BinaryIO:
        """The content from its start; may be moved by `seek`."""
        if self._source.small:
            return self._source.stream(Findings())
        if self._source.seekable:
            return self._source.reopen()
        return cast(BinaryIO, io.BufferedReader(_View(self._copy())))

    def path(self) -> str:
        """A path under which the content can be opened as long as this object lives."""
        if self._source.seekable and os.path.isfile(self._source.name):
            return self._source.name
        return f"/dev/fd/{self._copy().fileno()}"

    def _copy(self) -> IO[bytes]:
        if self._file is None:
            self._file = file = tempfile.TemporaryFile(prefix="mere-")  # noqa: SIM115 - open as long as the object
            with self._source.stream(Findings()) as stream:
                _copy(stream, file, self._source)
                self.fault = getattr(stream, "fault", "") or self._source.fault
            file.flush()
        return self._file


def _copy(stream: BinaryIO, file: IO[bytes], source: Source) -> None:
    size, bound = 0, source.limits.spool_bytes
    while piece := stream.read(STEP):
        size += len(piece)
        if size > bound:
            raise Unreadable(
                f"{source.name}: more than {bound:,} bytes in a format that cannot be streamed", "raise spool_bytes"
            )
        with files.writing(os.path.join(tempfile.gettempdir(), "spool")):
            file.write(piece)


class _View(io.RawIOBase):
    """A file read at places of its own, so that several readers can share it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        data = os.pread(self._file.fileno(), len(into), self._place)
        into[: len(data)] = data
        self._place += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        start = (0, self._place, os.fstat(self._file.fileno()).st_size)[whence]
        self._place = max(0, start + offset)
        return self._place

    def tell(self) -> int:
        return self._place


class Slice(io.RawIOBase):
    """Some bytes of a stream that seeks; `fault` says that it ended before they did."""

    def __init__(self, open_stream: Callable[[], BinaryIO], offset: int, size: int) -> None:
        self.fault = ""
        self._stream = open_stream()
        self._stream.seek(offset)
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        data = self._stream.read(min(len(into), self._left))
        if self._left and len(into) and not data:
            self.fault = "the archive ends within it"
        into[: len(data)] = data
        self._left -= len(data)
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
