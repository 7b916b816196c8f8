"""How are the bytes of a text encoded?

In order: byte-order mark, NULs in every other byte (UTF-16), strict UTF-8, then a guess: the code page in which the
letters beyond ASCII are likeliest (`code_pages.py`), or an East Asian encoding if they are likely in none.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from mere.readers.code_pages import PAGES, guess_code_page
from mere.readers.east_asian import ENCODINGS, guess_east_asian
from mere.readers.table import Findings

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
GUESS_BYTES = 8 << 10
FEWEST_NULS = 50  # bytes for each NUL, at most, in a text of UTF-16
PLAUSIBLE = -9.8  # log likelihood of a letter, below which a text may be East Asian
RUNS = re.compile(rb"(?:[\x81-\x9f][\x40-\x7e\x80-\xfc]|[\x80-\xff])+")
LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
EAST_ASIAN = frozenset(each.name for each in ENCODINGS)
REPAIR = "mere.windows-1252"


def detect_encoding(head: bytes, complete: bool) -> tuple[str, int]:
    """The encoding's Python name and the length of the byte-order mark."""
    for bom, name in BOMS:
        if head.startswith(bom):
            return name, len(bom)
    if nulls := head.count(0):
        wide = _utf16_without_bom(head) if nulls * 5 > len(head) else _utf16_of_letters(head, complete)
        if wide:
            return wide, 0
    if _is_utf8(head, complete):
        return "utf-8", 0
    return _guess(head), 0


def single_byte(encoding: str) -> bool:
    """Whether an ASCII byte always stands for itself, so that the raw bytes can be cut at a newline."""
    return encoding == "utf-8" or encoding in PAGES


def _utf16_without_bom(head: bytes) -> str:
    even, odd = head[0:4096:2].count(0), head[1:4096:2].count(0)
    half = min(len(head), 4096) // 2
    if odd * 5 > half * 2 and odd > 8 * even:
        return "utf-16-le"
    return "utf-16-be" if even * 5 > half * 2 and even > 8 * odd else ""


def _utf16_of_letters(head: bytes, complete: bool) -> str:
    """UTF-16 in which few bytes are NUL, as in Greek or Russian texts: those of digits, marks and line ends.

    All of them are on one side, and every character of the text is printable, which is rare in other binary data.
    """
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if min(even, odd) or (even + odd) * FEWEST_NULS < len(head):
        return ""
    name = "utf-16-le" if odd else "utf-16-be"
    try:
        text = codecs.getincrementaldecoder(name)().decode(head, complete)
    except UnicodeDecodeError:
        return ""
    return name if len(text.splitlines()) > 1 and "".join(text.split()).isprintable() else ""


def _is_utf8(head: bytes, complete: bool) -> bool:
    try:
        codecs.utf_8_decode(head, "strict", complete)
        return True
    except UnicodeDecodeError:
        return False


def other_encodings(head: bytes, encoding: str) -> tuple[str, ...]:
    """Encodings that are nearly as likely as the one that `detect_encoding` found, and would give another text."""
    if encoding not in EAST_ASIAN and encoding not in PAGES:
        return ()
    sample = _sample(head)
    if encoding in EAST_ASIAN:
        return tuple(name for name in guess_east_asian(sample) if name != encoding)
    page = guess_code_page(sample)
    return (guess_east_asian(sample) if page.likelihood < PLAUSIBLE else ()) + page.others


def _sample(head: bytes) -> bytes:
    """Lines that are not ASCII."""
    return b"\n".join(line for line in head.split(b"\n") if not line.isascii())[:GUESS_BYTES]


def _guess(head: bytes) -> str:
    sample = _sample(head)
    if _mostly_utf8(sample):
        return "utf-8"
    page = guess_code_page(sample)
    if page.likelihood < PLAUSIBLE and _in_runs(sample):
        return next(iter(guess_east_asian(sample)), page.encoding)
    return page.encoding


def _in_runs(sample: bytes) -> bool:
    """Whether bytes beyond ASCII stand side by side and not inside Latin words, as they do in East Asian texts.

    In Shift-JIS, the second byte of a character may be ASCII.
    """
    runs = list(RUNS.finditer(sample))
    inside = sum(_inside_a_word(sample, run.start(), run.end()) for run in runs)
    return 2 * sum(run.end() - run.start() for run in runs) >= 3 * len(runs) and 2 * inside < len(runs)


def _inside_a_word(sample: bytes, start: int, stop: int) -> bool:
    """Whether a Latin letter stands before a run, and behind it or at its end (`don\x92t`)."""
    return start > 0 and sample[start - 1] in LETTERS and not LETTERS.isdisjoint(sample[stop - 1 : stop + 1])


def _mostly_utf8(sample: bytes) -> bool:
    """Whether this is UTF-8 with a few invalid bytes: then only these bytes are repaired."""
    text = sample.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(not char.isascii() for char in text) - bad
    return good >= bad > 0  # bytes in another encoding are hardly ever valid UTF-8 by accident


def _as_windows(fault: UnicodeError) -> tuple[str, int]:
    """Invalid bytes in UTF-8 are nearly always windows-1252; the five it does not define are read as latin-1."""
    if not isinstance(fault, UnicodeDecodeError):
        raise fault
    bad = fault.object[fault.start : fault.end]
    return "".join(_WINDOWS[byte] for byte in bad), fault.end


_WINDOWS = [bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(256)]
codecs.register_error(REPAIR, _as_windows)


def repaired(data: bytes, encoding: str) -> tuple[str, int]:
    """The text, whatever the bytes are, and how many bytes had to be read as windows-1252."""
    try:
        return data.decode(encoding), 0
    except UnicodeDecodeError:
        text = data.decode(encoding, REPAIR)
        good = data.decode(encoding, "ignore")
        return text, max(1, len(text) - len(good))


class Utf8Stream(io.RawIOBase):
    """Converts any encoding to UTF-8; UTF-8 itself is passed on unchanged, invalid bytes included."""

    def __init__(self, raw: BinaryIO, encoding: str, findings: Findings) -> None:
        self._pieces = self._transcode(raw, encoding, findings)
        self._raw = raw
        self._plain = encoding == "utf-8"

    def read(self, size: int = -1) -> bytes:
        if self._plain:
            return self._raw.read(size)
        return next(self._pieces, b"")

    @staticmethod
    def _transcode(raw: Any, encoding: str, findings: Findings) -> Iterator[bytes]:
        errors = REPAIR if single_byte(encoding) else "replace"
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        while True:
            data = raw.read(1 << 20)
            text = decoder.decode(data, final=not data)
            if errors == "replace" and "\ufffd" in text:
                fault = f"{{n}} {{character|characters}} could not be decoded as {encoding}"
                findings.note(fault, text.count("\ufffd"), lost=True)
            if text:
                yield text.encode("utf-8", "replace")
            if not data:
                return
