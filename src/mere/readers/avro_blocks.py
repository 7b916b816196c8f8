"""The blocks of an Avro container file, decompressed with limits.

    magic, header (a map with the schema and the codec), 16 bytes of sync; then blocks:
    number of records, number of bytes, bytes, sync

The blocks are taken apart here and not by fastavro, which has no limit on what a block decompresses to, and needs one
more library for each codec.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import pyarrow as pa

from mere.readers.source import read_fully

MAGIC = b"Obj\x01"
SYNC = 16
BLOCK_BYTES = 256 << 20  # of one block, decompressed; writers make blocks of kilobytes
META_BYTES = 16 << 20


class Damaged(ValueError):
    """The bytes are not those of an Avro file."""


class Header(NamedTuple):
    schema: bytes
    codec: str
    sync: bytes


class Block(NamedTuple):
    records: int
    data: bytes


def read_header(stream: BinaryIO) -> Header:
    if read_fully(stream, len(MAGIC)) != MAGIC:
        raise Damaged("wrong first bytes")
    meta: dict[str, bytes] = {}
    while count := _long(stream):
        if count < 0:  # a negative count is followed by the size of the block
            count, _ = -count, _long(stream)
        for _ in range(count):
            name = _bytes(stream).decode("utf-8", "replace")
            meta[name] = _bytes(stream)
    codec = meta.get("avro.codec", b"null").decode("ascii", "replace")
    return Header(meta.get("avro.schema", b""), codec, _exactly(stream, SYNC))


def read_blocks(stream: BinaryIO, header: Header) -> Iterator[Block]:
    """The blocks in order; `Damaged` where one is cut off or does not end in the sync bytes."""
    while True:
        records = _long(stream, at_end=0)
        if not records:
            return
        size = _long(stream)
        if records < 0 or not 0 <= size <= BLOCK_BYTES:
            raise Damaged(f"a block of {records:,} records in {size:,} bytes")
        data = decompressed(_exactly(stream, size), header.codec)
        if _exactly(stream, SYNC) != header.sync:
            raise Damaged("a block does not end in the sync bytes of the file")
        yield Block(records, data)


def decompressed(data: bytes, codec: str) -> bytes:
    """The bytes of a block, at most BLOCK_BYTES."""
    try:
        return _decompressed(data, codec)
    except (zlib.error, lzma.LZMAError, OSError, EOFError, pa.ArrowException) as fault:
        raise Damaged(f"a block is not {codec} data ({fault})") from fault


def _decompressed(data: bytes, codec: str) -> bytes:
    if codec == "null":
        return data
    if codec == "deflate":
        return _bounded(zlib.decompressobj(-15).decompress(data, BLOCK_BYTES + 1))
    if codec == "bzip2":
        return _bounded(bz2.BZ2Decompressor().decompress(data, BLOCK_BYTES + 1))
    if codec == "xz":
        return _bounded(lzma.LZMADecompressor(memlimit=1 << 30).decompress(data, BLOCK_BYTES + 1))
    if codec == "snappy":  # four bytes of checksum follow the data
        size = _size_of_snappy(data)
        return pa.decompress(data[:-4], decompressed_size=size, codec="snappy", asbytes=True)
    if codec == "zstandard":
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            return _bounded(stream.read(BLOCK_BYTES + 1))
    raise Damaged(f"the codec '{codec}' is not supported")


def _bounded(data: bytes) -> bytes:
    if len(data) > BLOCK_BYTES:
        raise Damaged(f"a block decompresses to more than {BLOCK_BYTES:,} bytes")
    return data


def _size_of_snappy(data: bytes) -> int:
    """The length that snappy data starts with, seven bits per byte."""
    size = 0
    for place, byte in enumerate(data[:5]):
        size |= (byte & 127) << 7 * place
        if byte < 128:
            break
    if size > BLOCK_BYTES:
        raise Damaged(f"a block decompresses to {size:,} bytes")
    return size


def _long(stream: BinaryIO, at_end: int | None = None) -> int:
    """A whole number as Avro writes it: seven bits per byte, the lowest is the sign."""
    number = shift = 0
    while True:
        byte = stream.read(1)
        if not byte:
            if at_end is not None and not shift:
                return at_end
            raise Damaged("the file ends early")
        number |= (byte[0] & 127) << shift
        shift += 7
        if byte[0] < 128:
            return (number >> 1) ^ -(number & 1)
        if shift > 63:
            raise Damaged("a number has more than 64 bits")


def _bytes(stream: BinaryIO) -> bytes:
    size = _long(stream)
    if not 0 <= size <= META_BYTES:
        raise Damaged(f"a header entry of {size:,} bytes")
    return _exactly(stream, size)


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = read_fully(stream, size)
    if len(data) < size:
        raise Damaged("the file ends early")
    return data
