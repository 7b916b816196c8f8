"""Is a text something else than a table: YAML, source code, a log, Markdown, a configuration file, prose?

The extension suggests it, the lines decide. Text with an extension of tables is refused only if it is prose, and text
of another extension is a table if one delimiter splits it into rows of equal width.
"""

from __future__ import annotations

import re

from mere.errors import Unreadable
from mere.readers.cell_types import cell_type
from mere.readers.dialects import WHITESPACE, Dialect
from mere.readers.sniffing import BY_EXTENSION
from mere.readers.source import Source

DOUBTFUL = 0.5  # below this score of the dialect, sentences are prose
REGULAR = 0.8  # from this score on, the text is a table whatever its lines look like
TABLE_EXTENSIONS = {*BY_EXTENSION, ".dat", ".data"}
LINES = 200
MOSTLY = 0.7  # of the lines must look like one kind of text
SOME = 0.3  # are enough if the extension says the same

YAML, CODE, LOG, MARKDOWN, CONFIGURATION = "YAML", "source code", "a log", "Markdown", "a configuration file"
EXTENSIONS = {
    YAML: ".yaml .yml",
    CODE: ".py .js .ts .jsx .tsx .java .c .h .cc .cpp .hpp .cs .go .rs .rb .php .sh .bash .bat .ps1 .sql .r .scala .kt"
    " .swift .m .jl .pl .lua .css .scss .tex .bib .do .sas .sps .stan .rmd .vue .proto .cmake .gradle .diff .patch",
    LOG: ".log",
    MARKDOWN: ".md .markdown .rst .adoc",
    CONFIGURATION: ".ini .toml .cfg .conf .properties .env .editorconfig .gitignore .lock",
}
SUGGESTED = {extension: kind for kind, names in EXTENSIONS.items() for extension in names.split()}
PATTERNS = {
    YAML: re.compile(r"---$|\s*(- )*[\w./\"'-]+:(\s|$)|\s*- |\s*#"),
    CODE: re.compile(
        r".*[{};]\s*$|\s*(//|/\*|\*/|\* |#include|#!)|.*\):\s*$|\s*[)\]}]+[,;]?\s*$"
        r"|\s*(def|class|import|from|return|if|elif|else|for|while|function|var|let|const|public|private|static|void"
        r"|package|using|namespace|end|begin|library|select|insert|create|drop|alter|update|delete|set)\b[^,;|\t]*$"
        r"|\s*[\w.\[\]\"']+(\(.*\)|\s*(=|<-|\+=|:=)\s.*)\s*$",
        re.IGNORECASE,
    ),
    LOG: re.compile(
        r"\W{0,2}(\d{4}[-/]\d\d[-/]\d\d|\d\d[-/.]\w{2,3}[-/.]\d{4}|[A-Z][a-z]{2} [ \d]\d)[T :]\d\d:\d\d(:\d\d)?\S* .*"
        r"|[\[<]?(DEBUG|INFO|WARN(ING)?|ERROR|FATAL|TRACE)\b.*|\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}.*"
    ),
    MARKDOWN: re.compile(r"#{1,6} |\s*[-*+] |\s*\d+\. |```|> |\[.*\]\(.*\)|!\[|={3,}$|-{3,}$|\*\*|\|.*\|$|<!--"),
    CONFIGURATION: re.compile(r"\s*\[[^\]]*\]\s*$|\s*[\w.-]+\s*=.*|\s*[#;!]"),
}
# Lines that no table has: one shows the kind, however evenly the text is divided.
SURE = {
    "subtitles": re.compile(r"^\d\d:\d\d:\d\d[,.]\d{3} --> \d", re.MULTILINE),
    "a vCard or a calendar": re.compile(r"\s*BEGIN:V(CARD|CALENDAR)\b"),
    "a list of changes (diff)": re.compile(r"^@@ -\d+(,\d+)? \+\d+(,\d+)? @@", re.MULTILINE),
}
MAIL = re.compile(
    r"(From|To|Cc|Subject|Date|Message-ID|Received|Return-Path|Delivered-To|MIME-Version): ", re.IGNORECASE
)
MAIL_LINES = 3  # of a head that make it an e-mail
SYSLOG = re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^\s:]+(\[\d+\])?: ")
MAKEFILE = re.compile(r"(gnu)?makefile|.*\.mk", re.IGNORECASE)
SECTION = re.compile(r"\s*\[[\w .\":-]+\]\s*$", re.MULTILINE)
PUNCTUATION = ".,;:!?"
LETTERS = re.compile(r"[^\W\d_]")


def refuse_known_text(text: str, source: Source) -> None:
    """Raises `Unreadable` for text whose lines or name leave no doubt that it is not a table."""
    if source.extension not in TABLE_EXTENSIONS:
        _refuse(_sure_kind(text, source.name), source)


def _refuse(kind: str, source: Source) -> None:
    if kind:
        raise Unreadable(f"{source.name}: no table found: looks like {kind}", "move it out of the source")


def refuse_other_text(text: str, source: Source, dialect: Dialect, score: float) -> None:
    """Raises `Unreadable`, with what the text looks like, if it is not a table."""
    if source.extension not in TABLE_EXTENSIONS:
        _refuse(_kind(text, source.extension, dialect, score), source)
        _refuse("prose" * _is_punctuated(text, dialect), source)
    if score < DOUBTFUL:
        _refuse_prose(text, source, score > 0)


def _sure_kind(text: str, name: str) -> str:
    """What a text is whose lines or name leave no doubt, or an empty string."""
    if MAKEFILE.fullmatch(re.split(r"[/\\#]", name)[-1]):
        return "a Makefile"
    lines = [line for line in text.splitlines()[:LINES] if line.strip()]
    if _share(SYSLOG, lines) >= MOSTLY:
        return LOG
    head = text.lstrip().replace("\r\n", "\n").partition("\n\n")[0].splitlines()[:LINES]
    if MAIL.match(head[0]) and sum(MAIL.match(line) is not None for line in head) >= MAIL_LINES:
        return "an e-mail"
    return next((kind for kind, pattern in SURE.items() if pattern.search(text)), "")


def _kind(text: str, extension: str, dialect: Dialect, score: float) -> str:
    """What a text looks like that is not a table, or an empty string."""
    suggested = SUGGESTED.get(extension, "")
    regular = score >= REGULAR and dialect.delimiter not in (" ", ":", "=", WHITESPACE)
    if regular and not suggested:
        return ""
    lines = [line for line in text.splitlines()[:LINES] if line.strip()]
    shares = {kind: _share(pattern, lines) for kind, pattern in PATTERNS.items()}
    if suggested and shares[suggested] >= (MOSTLY if regular else SOME):
        return suggested
    if regular or len(lines) < 3:
        return ""
    kind = max(shares, key=lambda each: shares[each])
    if shares[kind] < MOSTLY or (kind == LOG and score >= REGULAR) or not LETTERS.search(text):
        return ""
    if kind == CONFIGURATION and not SECTION.search(text) and text.count("=") * 2 < len(lines):
        return ""
    return kind if suggested or kind != MARKDOWN else ""


def _share(pattern: re.Pattern[str], lines: list[str]) -> float:
    return sum(pattern.match(line[:300]) is not None for line in lines) / max(1, len(lines))


def _refuse_prose(text: str, source: Source, delimited: bool) -> None:
    """For text that no delimiter fits well: a list of short entries is a table of one column; sentences are refused."""
    lines = [line.strip() for line in text.splitlines() if line.strip()][:LINES]
    prose = sum(map(_is_sentence, lines))
    if prose * 3 >= len(lines) and not (delimited and source.extension in TABLE_EXTENSIONS):
        raise Unreadable(f"{source.name}: no table found: looks like prose", "move it out of the source")
    if delimited or source.extension in TABLE_EXTENSIONS:
        return
    words = sum(len(line.split()) for line in lines) / len(lines)
    if len(lines) > 2 and all(cell_type(line) in ("number", "date") for line in lines[1:]):
        return  # one column of values
    if len(lines) < 10 or words > 3 or max(map(len, lines)) > 100:
        raise Unreadable(f"{source.name}: no table found: no delimiter gives rows of equal width", "convert it to CSV")


def _is_punctuated(text: str, dialect: Dialect) -> bool:
    """Whether the delimiter is a mark of sentences: a blank follows each, most lines end in one, no value."""
    mark = dialect.delimiter
    if mark not in PUNCTUATION or re.search(rf"{re.escape(mark)}\S", text):
        return False
    lines = [line.strip() for line in text.splitlines() if line.strip()][:LINES]
    ended = [line[-1] in PUNCTUATION for line in lines]
    if not ended[0] or sum(ended) * 2 <= len(ended):
        return False
    return not any(cell_type(cell) in ("number", "date") for line in lines for cell in line.split(mark))


def _is_sentence(line: str) -> bool:
    """Eight words or more, most of them made of letters. (A regular expression would be slow here.)"""
    words = [word.strip(".,;:!?()'\"") for word in line[:1000].split()]
    return len(words) >= 8 and sum(map(str.isalpha, words)) * 10 >= 7 * len(words)
