"""How are named arrays stored in one file that can be mapped and checked?

    "MERE\\0" version "\\r\\n"     8 bytes, padded to 64
    array, array, ...            each starts on a multiple of 64, little-endian, C order
    footer                       JSON: kind, version, meta, arrays {name: [dtype, shape, offset]}
    tail                         footer length u64, XXH3-64 u64 of all bytes before it, "MEREEND\\n"

Opening reads the tail and the footer, and computes the checksum of all bytes once (XXH3 runs at memory speed); after
that an array is a view of the mapped file: no copy, no parsing, shared between processes.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import xxhash

from mere.store import files
from mere.store.opening import corrupt, opened

ALIGNMENT = 64
_HEAD = b"MERE\x00\x01\r\n".ljust(ALIGNMENT, b"\x00")
_END = b"MEREEND\n"
_LENGTH = struct.Struct("<Q")
_TAIL = struct.Struct("<Q8s")
_CHUNK = 1 << 22


Pieces = list[np.ndarray]  # an array too large to join in memory: its pieces follow each other in the file


@dataclass(frozen=True)
class FileEntry:
    """What a snapshot keeps of a container, to recognise it by."""

    bytes: int
    checksum: str
    version: int  # of the arrays in it

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> FileEntry:
        return FileEntry(document["bytes"], document["checksum"], document["version"])


def write(
    path: str,
    kind: str,
    version: int,
    arrays: Mapping[str, np.ndarray | Pieces],
    meta: Mapping[str, Any] | None = None,
    durable: bool = True,
) -> FileEntry:
    """Write a container, synced if durable; return its entry for the snapshot."""
    footer = _footer(kind, version, arrays, meta or {})
    digest = xxhash.xxh3_64()

    def chunks() -> Iterator[memoryview | bytes]:
        for chunk in _in_large_pieces(_body(arrays, footer)):
            digest.update(chunk)
            yield chunk
        yield _TAIL.pack(digest.intdigest(), _END)

    size = files.write_new(path, chunks(), durable)
    return FileEntry(size, digest.hexdigest(), version)


def _in_large_pieces(chunks: Iterator[memoryview | bytes]) -> Iterator[memoryview | bytes]:
    """The same bytes, the small chunks joined: one write for a small file."""
    waiting = bytearray()
    for chunk in chunks:
        if len(waiting) + len(chunk) > _CHUNK:
            yield bytes(waiting)
            waiting.clear()
        if len(chunk) >= _CHUNK:
            yield chunk
        else:
            waiting += chunk
    yield bytes(waiting)


def _body(arrays: Mapping[str, np.ndarray | Pieces], footer: bytes) -> Iterator[memoryview | bytes]:
    yield _HEAD
    for array in arrays.values():
        length = 0
        for piece in _pieces(array):
            data = np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data if piece.size else b""
            for start in range(0, len(data), _CHUNK):
                yield data[start : start + _CHUNK]
            length += len(data)
        yield b"\x00" * (-length % ALIGNMENT)
    yield footer
    yield _LENGTH.pack(len(footer))


def _footer(kind: str, version: int, arrays: Mapping[str, np.ndarray | Pieces], meta: Mapping[str, Any]) -> bytes:
    places, offset = {}, len(_HEAD)
    for name, array in arrays.items():
        pieces = _pieces(array)
        length = sum(piece.nbytes for piece in pieces)
        shape = list(array.shape) if isinstance(array, np.ndarray) else [sum(piece.size for piece in pieces)]
        places[name] = [np.dtype(pieces[0].dtype).newbyteorder("<").str, shape, offset]
        offset += length + (-length % ALIGNMENT)
    document = {"kind": kind, "version": version, "meta": meta, "arrays": places}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def _pieces(array: np.ndarray | Pieces) -> Pieces:
    return [array] if isinstance(array, np.ndarray) else array


class Container(Mapping[str, np.ndarray]):
    """The arrays of one file, mapped; they stay valid as long as anything refers to them.

    `check_bytes=False` maps the file without reading all of it first: for staged files of the same run, of which a
    task reads a few columns.
    """

    def __init__(
        self, path: str, kind: str, version: int, entry: FileEntry | None = None, check_bytes: bool = True
    ) -> None:
        self.path = path
        self._map, footer = _open(path, entry, check_bytes)
        if (footer["kind"], footer["version"]) != (kind, version):
            actual = f"{footer['kind']} version {footer['version']}"
            raise corrupt(path, f"holds {actual}, expected {kind} version {version}")
        self.meta: dict[str, Any] = footer["meta"]
        self._places = footer["arrays"]
        self._views: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._views:
            dtype, shape, offset = self._places[name]
            self._views[name] = np.frombuffer(self._map, dtype, math.prod(shape), offset).reshape(shape)
        return self._views[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def nbytes(self) -> int:
        return len(self._map)


def verify(path: str, entry: FileEntry) -> None:
    """Raise `Corrupt` unless every byte of the file is as its entry says."""
    _open(path, entry)


def entry_of(path: str) -> FileEntry:
    """The entry of a file as its own last bytes give it, unchecked."""
    mapped, footer = _open(path, None, check_bytes=False)
    checksum, _ = _TAIL.unpack(mapped[-_TAIL.size :])
    return FileEntry(len(mapped), f"{checksum:016x}", footer["version"])


def _open(path: str, entry: FileEntry | None, check_bytes: bool = True) -> tuple[mmap.mmap, dict[str, Any]]:
    """Map a file, check all of it or only its ends; return the map and the footer."""
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size < len(_HEAD) + _LENGTH.size + _TAIL.size:
            raise corrupt(path, "the file is cut short")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    checksum, end = _TAIL.unpack(mapped[-_TAIL.size :])
    if end != _END or mapped[: len(_HEAD)] != _HEAD:
        raise corrupt(path, "not a complete Mere file")
    if check_bytes:
        _check_bytes(path, mapped, checksum, entry)
    last = len(mapped) - _TAIL.size - _LENGTH.size
    [length] = _LENGTH.unpack_from(mapped, last)
    return mapped, json.loads(mapped[last - length : last])


def _check_bytes(path: str, mapped: mmap.mmap, checksum: int, entry: FileEntry | None) -> None:
    with memoryview(mapped) as every_byte:
        actual = f"{xxhash.xxh3_64_intdigest(every_byte[: -_TAIL.size]):016x} in {len(mapped)} bytes"
    from_entry = (f"{entry.checksum} in {entry.bytes} bytes",) if entry else ()
    for expected in (f"{checksum:016x} in {len(mapped)} bytes", *from_entry):
        if actual != expected:
            raise corrupt(path, f"checksum {actual}, expected {expected}")
