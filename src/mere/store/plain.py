"""How is a damaged file noticed that is not a container?  By its size and the checksum of all of its bytes."""

from __future__ import annotations

import xxhash

from mere.store.container import FileEntry
from mere.store.opening import corrupt, opened

_CHUNK = 1 << 22


def entry_of(path: str, version: int) -> FileEntry:
    """The entry for the snapshot that names the file."""
    digest = xxhash.xxh3_64()
    with opened(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
        return FileEntry(file.tell(), digest.hexdigest(), version)


def verify(path: str, entry: FileEntry) -> None:
    """Raise `Corrupt` unless every byte of the file is as its entry says."""
    actual = entry_of(path, entry.version)
    if actual != entry:
        fault = f"checksum {actual.checksum} in {actual.bytes} bytes"
        raise corrupt(path, f"{fault}, expected {entry.checksum} in {entry.bytes} bytes")
