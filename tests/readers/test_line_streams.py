"""Lines that are changed while a stream is read."""

from __future__ import annotations

import io
import time

from hypothesis import given
from hypothesis import strategies as st

from mere.readers import line_streams
from mere.readers.line_streams import Rewritten


class _Pieces(io.RawIOBase):
    """A stream that returns given pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = iter(pieces)

    def read(self, size: int = -1) -> bytes:
        return next(self._pieces, b"")


def _all(pieces: list[bytes], rewrite=lambda line: b"<" + line) -> bytes:
    stream = Rewritten(_Pieces(pieces), rewrite, b"first ")
    return b"".join(iter(stream.read, b""))


@given(st.lists(st.text("ab\r\n", min_size=1, max_size=6).map(str.encode), max_size=12))
def test_lines_do_not_depend_on_where_the_stream_is_cut(pieces):
    assert _all(pieces) == b"first " + b"".join(b"<" + line for line in b"".join(pieces).splitlines(keepends=True))


@given(st.lists(st.text("ab\r\n", min_size=1, max_size=6).map(str.encode), max_size=12))
def test_no_byte_of_a_very_long_line_is_lost(pieces):
    kept = line_streams.LONGEST_LINE
    line_streams.LONGEST_LINE = 4
    try:
        assert _all(pieces, lambda line: line) == b"first " + b"".join(pieces)
    finally:
        line_streams.LONGEST_LINE = kept


def test_a_very_long_line_is_passed_on_as_it_is(monkeypatch):
    monkeypatch.setattr(line_streams, "LONGEST_LINE", 8)
    assert _all([b"a\n", b"b" * 6, b"b" * 6, b"b\nc\n"]) == b"first <a\n" + b"b" * 13 + b"\n<c\n"


def test_the_time_of_a_long_line_grows_with_its_length():
    start = time.perf_counter()
    assert len(_all([b"x" * 1000] * 40_000, lambda line: line)) == 40_000_006
    assert time.perf_counter() - start < 5
