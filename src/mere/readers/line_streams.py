"""A stream whose lines are changed, or left out, while it is read."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

STEP = 1 << 20


class Rewritten(io.RawIOBase):
    """The bytes `first`, and then each line of a stream as `rewrite` returns it, with its end or empty."""

    def __init__(self, raw: BinaryIO, rewrite: Callable[[bytes], bytes], first: bytes = b"") -> None:
        self._raw = raw
        self._rewrite = rewrite
        self._first = first
        self._rest = b""

    @property
    def fault(self) -> str:
        """Why the stream ended early, if it did."""
        return getattr(self._raw, "fault", "")

    def read(self, size: int = -1) -> bytes:
        """All lines that end in the next bytes; more of these are read if no line is left of them."""
        while data := self._raw.read(STEP):
            data = self._rest + data
            end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
            self._rest = data[end:]
            if lines := self._lines(data[:end]):
                return lines
        last, self._rest = self._rest, b""
        return self._lines(last)

    def close(self) -> None:
        self._raw.close()
        super().close()

    def _lines(self, data: bytes) -> bytes:
        first, self._first = self._first, b""
        return first + b"".join(map(self._rewrite, data.splitlines(keepends=True)))
