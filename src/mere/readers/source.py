"""Where do the bytes of a table come from? A file, a compressed file, or a member of an archive.

Small content is read once and kept; larger content is streamed, and can be opened again.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple, cast

from mere.errors import Unreadable
from mere.readers.decompress import Decompressed
from mere.readers.limits import Limits
from mere.readers.magic import codec_of
from mere.readers.table import Findings

SMALL = 4 << 20
COMPRESSED = (".gz", ".gzip", ".bz2", ".zst", ".zstd", ".xz", ".lz4")


class Content(NamedTuple):
    """Bytes, perhaps compressed: how to open them, and how many they are before decompression."""

    open: Callable[[], BinaryIO]
    size: int
    codec: str = ""
    seekable: bool = True


class Source:
    """Content under a name whose extension hints at the format; can be opened several times."""

    def __init__(self, name: str, content: Content, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self._content = content
        self._kept: bytes | None = None
        self._fault = ""
        self._peeked = b""

    @property
    def size(self) -> int:
        return self._content.size

    @property
    def codec(self) -> str:
        return self._content.codec

    @property
    def extension(self) -> str:
        return os.path.splitext(self.name.lower())[1]

    def head(self, size: int) -> tuple[bytes, bool]:
        """The first bytes, and whether these are all bytes."""
        self._keep_if_small()
        data = self._kept if self._kept is not None else self._peeked
        if self._kept is None and size > len(data):
            with self._open() as stream:
                data = self._peeked = read_fully(stream, size)
        return data[:size], self._kept is not None and len(data) <= size

    def read_all(self, bound: int, setting: str) -> bytes:
        """All bytes, for formats that cannot be streamed; refused beyond `bound`."""
        self._keep_if_small()
        if self._kept is not None:
            return self._kept
        with self._open() as stream:
            data = read_fully(stream, bound + 1)
            self._fault = getattr(stream, "fault", "")
        if len(data) > bound:
            raise Unreadable(
                f"{self.name}: more than {bound:,} bytes in a format that is read in one piece", f"raise {setting}"
            )
        return data

    def stream(self, findings: Findings) -> BinaryIO:
        """The bytes from the start; call `finish` with it afterwards to report an early end."""
        if self._kept is not None:
            self.report(findings)
            return io.BytesIO(self._kept)
        return self._open()

    def reopen(self) -> BinaryIO:
        """The raw file, for readers that seek in it."""
        return self._content.open()

    def finish(self, stream: BinaryIO, findings: Findings) -> None:
        self._fault = getattr(stream, "fault", "")
        self.report(findings)

    def report(self, findings: Findings) -> None:
        if self._fault:
            findings.note(f"the file ends early: {self._fault}", lost=True)

    @property
    def small(self) -> bool:
        return self._kept is not None

    @property
    def seekable(self) -> bool:
        """Whether offsets into the raw file are offsets into the content."""
        return not self.codec and self._content.seekable

    @property
    def fault(self) -> str:
        return self._fault

    def decompressed(self) -> Source:
        """The decompressed content, if these bytes are a gzip, bzip2, zstd, xz or lz4 stream."""
        codec = codec_of(self.head(16)[0])
        if not codec or self.codec:
            return self
        root, extension = os.path.splitext(self.name)
        name = root if extension.lower() in COMPRESSED else self.name
        return Source(name, Content(self._opener(), self.size, codec), self.limits)

    def _opener(self) -> Callable[[], BinaryIO]:
        kept = self._kept
        return self._content.open if kept is None else lambda: io.BytesIO(kept)

    def _open(self) -> BinaryIO:
        raw = self._content.open()
        return cast(BinaryIO, Decompressed(raw, self.codec, self.limits)) if self.codec else raw

    def _keep_if_small(self) -> None:
        if self._kept is not None or self._peeked or (self.size > SMALL and not self.codec):
            return
        with self._open() as stream:
            data = read_fully(stream, SMALL + 1)
            if len(data) <= SMALL:
                self._kept, self._fault = data, getattr(stream, "fault", "")
            self._peeked = data


def _filesystem_of(path: str) -> tuple[Any, str]:
    """Arrow's file system for a URI, and the path in it."""
    import pyarrow.fs  # slow to import, and most paths are of this machine

    return pyarrow.fs.FileSystem.from_uri(path)


def open_raw(path: str) -> BinaryIO:
    """Opens a path for all readers; a URI is opened by Arrow's file systems."""
    if "://" in path:
        filesystem, inner = _filesystem_of(path)
        return cast(BinaryIO, filesystem.open_input_file(inner))
    return open(path, "rb", buffering=0)


def size_of(path: str) -> int:
    if "://" in path:
        filesystem, inner = _filesystem_of(path)
        return int(filesystem.get_file_info(inner).size or 0)
    return os.stat(path).st_size


def source_of(path: str, limits: Limits) -> Source:
    """The raw file at `path`, refused if it is larger than `file_bytes`."""
    size = size_of(path)
    if size > limits.file_bytes:
        raise Unreadable(f"{path}: {size:,} bytes, more than {limits.file_bytes:,}", "raise file_bytes")
    return Source(path, Content(lambda: open_raw(path), size), limits)


def read_fully(stream: BinaryIO, size: int) -> bytes:
    """`size` bytes unless the stream ends: a raw stream may return fewer at a time."""
    pieces: list[bytes] = []
    while size > 0 and (piece := stream.read(min(size, 1 << 24))):
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
