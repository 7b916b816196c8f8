"""A stream whose lines are changed, or left out, while it is read.

A line that is longer than all memory should hold is passed on as it is, in pieces.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

STEP = 1 << 20
LONGEST_LINE = 64 << 20


class Rewritten(io.RawIOBase):
    """The bytes `first`, and then each line of a stream as `rewrite` returns it, with its end or empty."""

    def __init__(self, raw: BinaryIO, rewrite: Callable[[bytes], bytes], first: bytes = b"") -> None:
        self._raw = raw
        self._rewrite = rewrite
        self._first = first
        self._rest: list[bytes] = []  # pieces of a line that has not ended yet
        self._held = 0  # bytes in them
        self._passing = False  # the line is too long, and passed on as it is

    @property
    def fault(self) -> str:
        """Why the stream ended early, if it did."""
        return getattr(self._raw, "fault", "")

    def read(self, size: int = -1) -> bytes:
        """All lines that end in the next bytes; more of these are read if no line is left of them."""
        while data := self._raw.read(STEP):
            if lines := self._begun() + self._ended(data):
                return lines
        return self._begun() + self._lines(self._taken())

    def close(self) -> None:
        self._raw.close()
        super().close()

    def _begun(self) -> bytes:
        first, self._first = self._first, b""
        return first

    def _ended(self, data: bytes) -> bytes:
        """What can be passed on now; only the new bytes are searched for ends of lines."""
        if self._rest and self._rest[-1].endswith(b"\r"):  # an end of a line, perhaps with a `\n` after it
            last = self._rest.pop()
            self._held -= len(last)
            data = last + data
        end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
        done = self._passed(data[:end]) if end else b""
        self._rest.append(data[end:])
        self._held += len(data) - end
        self._passing = self._passing or self._held > LONGEST_LINE
        return done + self._taken() if self._passing else done

    def _passed(self, data: bytes) -> bytes:
        """The lines that end in these bytes; of a line that is passed on, the rest as it is."""
        if not self._passing:
            return self._lines(self._taken() + data)
        self._passing = False
        rest, *lines = data.splitlines(keepends=True)
        return rest + self._lines(b"".join(lines))

    def _taken(self) -> bytes:
        data = b"".join(self._rest)
        self._rest, self._held = [], 0
        return data

    def _lines(self, data: bytes) -> bytes:
        return b"".join(map(self._rewrite, data.splitlines(keepends=True)))
