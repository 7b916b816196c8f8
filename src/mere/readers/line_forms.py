"""Are the lines of a text rows in another form: in quotes as a whole, or pairs `key=value`?

    "1,Ann,3"              an export that took each row for a cell: without these quotes, a row
    ts=12:00 temp=0.5      the same keys in each line: they are the columns

Such a text is read as if it were written as usual. The first lines decide; a later line that is not in this form is
left as it is, and one that has not the same keys is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import BinaryIO, NamedTuple, cast

from mere.readers.dialects import Dialect
from mere.readers.line_streams import Rewritten
from mere.readers.not_tables import SUGGESTED
from mere.readers.source import Content, Source
from mere.readers.table import Findings

LOOK = 64 << 10
DELIMITERS = ",;\t|"
QUOTED = re.compile(r'"(?:[^"]|"")*"')
PAIR = re.compile(r'([\w.-]+)=("[^"\t]*"|[^\s"=;,|&]*)')
PAIRS = re.compile(rf"{PAIR.pattern}(?:[ \t;,|&]+{PAIR.pattern})+[;,|&]?")
FEWEST_PAIRS = 3  # lines
OTHER_LINES = "{n} {line has|lines have} not the keys of the others: the text is in the first column"
OUTER_NOTE = "each line was in quotes as a whole: they were left out"
PAIRS_NOTE = "each line has the same keys, as in {}=...: they are the columns"
BOM = b"\xef\xbb\xbf"


class Form(NamedTuple):
    """How to write a line as usual (none: it is to be counted), what is above the first, and what to tell about it."""

    rewrite: Callable[[str], str | None]
    header: str
    note: str


def as_usual(source: Source) -> tuple[Source, list[str]]:
    """The text in the usual form, and what to tell about it; or the source as it is."""
    head, complete = source.head(LOOK)
    first = head[: head.find(b"\n")].removeprefix(BOM).strip()
    if not (first[:1] == first[-1:] == b'"' or first.count(b"=") > 1):
        return source, []  # nearly always
    head = head if complete else head[: head.rfind(b"\n") + 1]
    lines = [line.strip() for line in _text(head.removeprefix(BOM)).splitlines() if line.strip()]
    form = _outer_quotes(lines) or (_pairs(lines) if source.extension not in SUGGESTED else None)
    if form is None:
        return source, []
    return InForm(source, form), [form.note]


class InForm(Source):
    """A source whose lines are rewritten; tells what is to be told of it, and how many lines are in another form."""

    def __init__(self, source: Source, form: Form) -> None:
        super().__init__(source.name, Content(self._rewritten, source.size, seekable=False), source.limits)
        self._inner = source
        self._form = form
        self._latest: FormStream | None = None

    def stream(self, findings: Findings) -> BinaryIO:
        if self.small and self._latest:
            findings.note(OTHER_LINES, self._latest.others, lost=True)
        return super().stream(findings)

    def finish(self, stream: BinaryIO, findings: Findings) -> None:
        if isinstance(stream, FormStream):
            findings.note(OTHER_LINES, stream.others, lost=True)
        super().finish(stream, findings)

    def _rewritten(self) -> BinaryIO:
        raw = self._inner.stream(Findings())  # what it tells is its fault, which the stream has
        self._latest = FormStream(raw, self._form, self._inner.fault)
        return cast(BinaryIO, self._latest)


class FormStream(Rewritten):
    """Lines as a form rewrites them; counts `others`, which it does not."""

    def __init__(self, raw: BinaryIO, form: Form, fault: str) -> None:
        super().__init__(raw, self._line, form.header.encode("utf-8", "surrogateescape"))
        self._form = form
        self._fault = fault
        self.others = 0

    @property
    def fault(self) -> str:
        return self._fault or super().fault

    def _line(self, line: bytes) -> bytes:
        text = _text(line.removeprefix(BOM)).strip()
        usual = self._form.rewrite(text) if text else ""
        if usual is None:
            self.others += 1
            usual = text.replace("\t", " ")
        return (usual + "\n").encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _outer_quotes(lines: list[str]) -> Form | None:
    """For lines in quotes, if a delimiter divides what is in them into rows of one width."""
    if len(lines) < 2 or not all(map(QUOTED.fullmatch, lines)):
        return None
    inner = list(map(_unquoted, lines))
    return Form(_unquoted, "", OUTER_NOTE) if any(_divides(each, inner) for each in DELIMITERS) else None


def _unquoted(line: str) -> str:
    return line[1:-1].replace('""', '"') if QUOTED.fullmatch(line) else line


def _divides(delimiter: str, lines: list[str]) -> bool:
    """Whether rows have one width, and not each delimiter is a comma of a sentence, with a blank after it."""
    widths = {len(row) for row in Dialect(delimiter).rows(iter(lines))}
    spaced = all(line.count(delimiter) == line.count(f"{delimiter} ") for line in lines)
    return len(widths) == 1 and widths != {1} and not spaced


def _pairs(lines: list[str]) -> Form | None:
    """For lines of pairs, if all have the same keys."""
    if len(lines) < FEWEST_PAIRS or not all(map(PAIRS.fullmatch, lines)):
        return None
    keys = _keys(lines[0])
    if len(set(keys)) < len(keys) or any(_keys(line) != keys for line in lines):
        return None

    def rewrite(line: str) -> str | None:
        pairs = PAIR.findall(line) if PAIRS.fullmatch(line) else []  # else parts of values would be dropped
        return "\t".join(value.strip('"') for _, value in pairs) if [key for key, _ in pairs] == keys else None

    return Form(rewrite, "\t".join(keys) + "\n", PAIRS_NOTE.format("=..., ".join(keys[:3])))


def _keys(line: str) -> list[str]:
    return [key for key, _ in PAIR.findall(line)]
