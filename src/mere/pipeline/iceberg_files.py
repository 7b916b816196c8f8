"""How are the files that an Iceberg table names opened, without trusting what it says of them?

A table's metadata is data: it may name servers, Python modules and any path.  Only regular files below the folder of
the table are opened, by Mere itself, and up to a size.  A path below the location that the table records is looked up
below the folder where the table is found, so that a table can be moved.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import stat
from typing import Any, BinaryIO

from mere.readers.avro import check_items
from mere.readers.avro_blocks import MAGIC, Damaged, read_blocks, read_header
from mere.readers.json_records import check_depth

METADATA_BYTES = 64 << 20
MANIFEST_BYTES = 256 << 20  # of one manifest, decompressed; writers aim at 8 MiB
ALL_MANIFEST_BYTES = 1 << 30  # of those of a table
MANIFESTS = 10_000
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_DEPTH = 64  # of JSON


class Refused(Exception):
    """Why the current version of a table cannot be read."""


class TableFiles:
    """The files of one table."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._location = ""
        self._manifest_bytes = 0

    def read_metadata(self, name: str) -> dict[str, Any]:
        """The metadata in a file, as it is written there; the table's location is kept."""
        with self._open(f"metadata/{name}", METADATA_BYTES) as file:
            stream = gzip.GzipFile(fileobj=file) if name.endswith(".gz.metadata.json") else file
            text = stream.read(METADATA_BYTES + 1)
        _check_size(name, len(text), METADATA_BYTES)
        document = check_depth(json.loads(text), _DEPTH)
        self._location = _local(str(document["location"])).rstrip("/")
        return dict(document)

    def path_of(self, recorded: str) -> str:
        """The path, in the folder of the table, of a file that the table names."""
        plain = _local(recorded)
        for root in (self._location, self._folder.rstrip("/")):
            if plain.startswith(f"{root}/"):
                path = plain.removeprefix(f"{root}/")
                self.full(path)
                return path
        raise Refused(f"its file '{recorded}' lies outside of its folder; rewrite the data files")

    def full(self, path: str) -> str:
        """Where a file of the folder lies; links that leave the folder are refused."""
        full, root = os.path.realpath(os.path.join(self._folder, path)), os.path.realpath(self._folder)
        if os.path.commonpath([full, root]) != root:
            raise Refused(f"its file '{path}' lies outside of its folder; rewrite the data files")
        return full

    def new_input(self, recorded: str) -> AvroBytes:
        """A manifest, or a list of them; named and called as `pyiceberg` does it."""
        path = self.path_of(recorded)
        with self._open(path, MANIFEST_BYTES) as file:
            data = _uncompressed(file, path)
        self._manifest_bytes += len(data)
        _check_size("its manifests together", self._manifest_bytes, ALL_MANIFEST_BYTES)
        return AvroBytes(data)

    def _open(self, path: str, most: int) -> BinaryIO:
        full = self.full(path)
        if not os.path.exists(full):
            raise Refused(f"'{path}', a file of the current version, is not there; restore it")
        facts = os.stat(full)
        if not stat.S_ISREG(facts.st_mode):
            raise Refused(f"'{path}' is not a regular file; restore it")
        _check_size(path, facts.st_size, most)
        return open(full, "rb")


class AvroBytes:
    """An Avro file in memory, as `pyiceberg` opens it."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def open(self, seekable: bool = True) -> io.BytesIO:
        return io.BytesIO(self._data)


def _local(recorded: str) -> str:
    """A path without its scheme, which must be that of local files."""
    scheme = _SCHEME.match(recorded)
    if scheme and scheme[1].lower() != "file":
        raise Refused(f"it names '{recorded[:200]}', which is not a local file; copy the table with a tool of Iceberg")
    return re.sub("^file:(//)?", "", recorded, flags=re.IGNORECASE)


def _check_size(name: str, size: int, most: int) -> None:
    if size > most:
        raise Refused(f"'{name}' has more than {most:,} bytes; expire old snapshots, rewrite the manifests")


def _uncompressed(file: BinaryIO, name: str) -> bytes:
    """The Avro file without compression, so that what it unfolds to is known before it is decoded."""
    header = read_header(file)
    check_items(check_depth(json.loads(header.schema), _DEPTH), {})
    entries = {b"avro.schema": header.schema, b"avro.codec": b"null"}
    meta = b"".join(_sized(part) for entry in entries.items() for part in entry)
    pieces, size = [MAGIC + _long(len(entries)) + meta + _long(0) + header.sync], 0
    for block in read_blocks(file, header):
        size += len(block.data)
        _check_size(name, size, MANIFEST_BYTES)
        if block.records > len(block.data):
            raise Damaged(f"a block of {block.records:,} records in {len(block.data):,} bytes")
        pieces.append(_long(block.records) + _sized(block.data) + header.sync)
    return b"".join(pieces)


def _sized(data: bytes) -> bytes:
    return _long(len(data)) + data


def _long(number: int) -> bytes:
    """A whole number, not negative, as Avro writes it.

    >>> _long(64)
    b'\\x80\\x01'
    """
    number, written = number << 1, bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])
