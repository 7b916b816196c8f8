"""How is a small JSON document kept, so that a flipped or missing byte is noticed?

Two lines: the document, and the XXH3-64 of the first line.  The document has `kind` and `format`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import xxhash

from mere.store.opening import corrupt


def to_bytes(document: Mapping[str, Any]) -> bytes:
    body = json.dumps(document, ensure_ascii=False, sort_keys=True)
    return f"{body}\n{xxhash.xxh3_64_hexdigest(body.encode())}\n".encode()


def from_bytes(data: bytes, path: str, kind: str, formats: tuple[int, ...]) -> dict[str, Any]:
    """The document; `Corrupt` unless it is complete, of this kind, and of one of these formats."""
    body, _, rest = data.partition(b"\n")
    checksum = xxhash.xxh3_64_hexdigest(body)
    if rest != f"{checksum}\n".encode():
        raise corrupt(path, f"checksum {checksum}, expected {rest[:16].decode('latin-1')}")
    document = json.loads(body)
    if document["kind"] != kind or document["format"] not in formats:
        expected = f"{kind} format {' or '.join(map(str, formats))}"
        raise corrupt(path, f"holds {document['kind']} format {document['format']}, expected {expected}")
    return document
