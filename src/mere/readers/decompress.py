"""Decompression with limits.

A decompression bomb, a truncated or a corrupt stream ends the data early: what could be read is kept,
and `EndsEarly` gives the reason.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from mere.readers.limits import Limits

STEP = 1 << 18  # 256 KiB of output at a time: at most that much is lost before a fault


class EndsEarly(Exception):
    """The stream ends early; the bytes before are valid."""


class Decompressed(io.RawIOBase):
    """A readable stream over the decompressed bytes; `fault` says why it ended early, if it did."""

    def __init__(self, raw: BinaryIO, codec: str, limits: Limits) -> None:
        self.fault = ""
        self._raw = raw
        self._chunks = _guard(_chunks(raw, codec), raw, limits)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        while not self._rest:
            chunk = self._next()
            if not chunk:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(into), len(self._rest))
        into[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def _next(self) -> bytes:
        try:
            return next(self._chunks, b"")
        except EndsEarly as fault:
            self.fault = str(fault)
            self._chunks = iter(())
            return b""

    def close(self) -> None:
        self._raw.close()
        super().close()


def _guard(chunks: Iterator[bytes], raw: BinaryIO, limits: Limits) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > limits.decompressed_bytes:
            raise EndsEarly(f"it decompresses to more than {limits.decompressed_bytes:,} bytes")
        if total > limits.ratio_free_bytes and total > limits.ratio * max(1, raw.tell()):
            raise EndsEarly(f"it decompresses to more than {limits.ratio:,} times its size")
        if chunk:
            yield chunk


def _chunks(raw: BinaryIO, codec: str) -> Iterator[bytes]:
    if codec == "gzip":
        return _gunzip(raw)
    if codec == "bzip2":
        return _members(raw, bz2.BZ2Decompressor, (OSError, ValueError))
    if codec == "xz":
        return _members(raw, lambda: lzma.LZMADecompressor(memlimit=1 << 30), (lzma.LZMAError,))
    return _arrow(raw, codec)


def _gunzip(raw: BinaryIO) -> Iterator[bytes]:
    """Concatenated members, as in the output of `cat a.gz b.gz`."""
    inflate, data = zlib.decompressobj(31), raw.read(STEP)
    while data:
        try:
            yield inflate.decompress(data, STEP)
        except zlib.error as fault:
            raise EndsEarly(f"the gzip data is corrupt ({fault})") from fault
        if inflate.eof:
            data = inflate.unused_data or raw.read(STEP)
            if not data.startswith(b"\x1f"):
                return
            inflate = zlib.decompressobj(31)
        else:
            data = inflate.unconsumed_tail or raw.read(STEP)
    raise EndsEarly("the gzip data ends early")


def _members(raw: BinaryIO, new: Any, faults: tuple[type[Exception], ...]) -> Iterator[bytes]:
    inflate, data = new(), raw.read(STEP)
    while data or not inflate.needs_input:
        try:
            yield inflate.decompress(data, STEP)
        except faults as fault:
            raise EndsEarly(f"the compressed data is corrupt ({fault})") from fault
        if inflate.eof:
            data = inflate.unused_data or raw.read(STEP)
            if not data:
                return
            inflate = new()
        else:
            data = raw.read(STEP) if inflate.needs_input else b""
    raise EndsEarly("the compressed data ends early")


def _arrow(raw: BinaryIO, codec: str) -> Iterator[bytes]:
    try:
        stream = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), codec)
        while chunk := stream.read(STEP):
            yield chunk
    except (OSError, pa.ArrowException) as fault:
        raise EndsEarly(f"the {codec} data is corrupt or ends early") from fault
