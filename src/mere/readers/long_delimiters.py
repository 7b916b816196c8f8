"""Which delimiters of several characters can a text have: `||`, `::`, `|~|`, or `+|` with the row end `&|`?

A candidate is a run of marks that hardly ever occur outside of it, or that divides the lines more evenly than each
of its marks: otherwise `||` is a `|` around an empty cell.
"""

from __future__ import annotations

import re
from collections import Counter

from mere.readers.dialects import Dialect

LONGEST = 4
FEW = 6  # lines in which candidates are looked for
MOST = 8  # candidates that are looked at
LINES = 80
CHARACTERS = 8_000
MARKS = "+|&~^:;#@$%*=!<>§¦¬\\/-"
MARK = f"[{re.escape(MARKS)}]"
RUN = re.compile(MARK + "{2,}")
PAIR_OF_MARKS = re.compile(MARK + "{2}")
ORNAMENTS = frozenset(["--", "==", "**", "##", "<<", ">>", "->", "<-", "=>", "//", "\\\\", ":/", "/:", "://"])


def long_delimiters(lines: list[str]) -> list[str]:
    """The candidates of some lines, longest first; quoted cells should have been removed."""
    few = [*lines[:2], *lines[2 :: max(1, len(lines) // FEW)]]  # a delimiter is in nearly every line
    runs = _runs("\n".join(few))
    if not runs:
        return []
    text = "\n".join(lines)
    return [run for run in runs if _is_more_than_its_marks(run, text, lines)]


def with_row_end(text: str, newline: str) -> Dialect | None:
    """The dialect if rows end in a pair of marks before the newline, so that cells may contain newlines."""
    end = _row_end(text, newline)
    for pair in _runs(text[:CHARACTERS]) if end else []:
        if len(pair) != 2 or pair == end or pair[1] != end[1]:
            continue
        rows = [row for row in text.split(end + newline) if row.strip()][:LINES]
        widths = Counter(row.count(pair) for row in (rows[:-1] or rows))
        width, regular = widths.most_common(1)[0]
        first, last = (_alone(text, pair, end, character) for character in pair)
        even = regular >= 0.9 * sum(widths.values())
        if width and even and last * 20 <= text.count(pair) and first * 2 <= text.count(pair):
            return Dialect(pair, "", newline=newline, row_end=end)
    return None


def _row_end(text: str, newline: str) -> str:
    """A pair of marks before a newline, if it is there more than once."""
    ends = {line[-2:] for line in text[:CHARACTERS].split(newline)}
    pairs = [end for end in ends if PAIR_OF_MARKS.fullmatch(end) and end not in ORNAMENTS]
    counts = {end: text.count(end + newline) for end in sorted(pairs)}
    return max((end for end in counts if counts[end] > 1), key=counts.__getitem__, default="")


def _runs(text: str) -> list[str]:
    """Runs of two to four marks that occur at least twice, longest first."""
    counts: Counter[str] = Counter()
    for run in RUN.findall(text):
        for size in range(2, min(LONGEST, len(run)) + 1):
            for start in range(min(len(run) - size + 1, 2 * LONGEST)):
                counts[run[start : start + size]] += 1
    usual = [run for run, count in counts.most_common(MOST) if count > 1]
    return sorted((run for run in usual if run not in ORNAMENTS), key=len, reverse=True)


def _is_more_than_its_marks(run: str, text: str, lines: list[str]) -> bool:
    first, last = _alone(text, run, "", run[0]), _alone(text, run, "", run[-1])
    if last * 20 <= text.count(run) and first * 2 <= text.count(run):
        return True
    even = _regular(run, lines)
    return even > 0.9 and all(even > _regular(mark, lines) for mark in set(run))


def _regular(mark: str, lines: list[str]) -> float:
    """The share of the lines with the usual number of marks, if that is not zero."""
    counts = Counter(line.count(mark) for line in lines)
    usual, count = counts.most_common(1)[0]
    return count / len(lines) if usual else 0.0


def _alone(text: str, run: str, end: str, character: str) -> int:
    """How often a character of the run occurs outside the run and the row end."""
    within_end = text.count(end) * end.count(character) if end else 0
    return text.count(character) - text.count(run) * run.count(character) - within_end
