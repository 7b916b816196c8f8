"""Which files of a source does a pattern name?

A pattern without a slash is compared with the name of the file and of every folder above it: `*.bak`, `archive`.  A
pattern with a slash is compared with the path from the source on: `sales/**/*.csv`, `2020/`.  What matches a folder
matches everything in it.  `*` and `?` stand for characters of one name, `[abc]` for one of several characters, `**` for
any number of folders, none included.  Upper and lower case differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from mere.errors import UsageError


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns names the file.

    >>> matches("sales/2020/jan.csv", ["sales/**/*.csv"]), matches("sales/jan.csv", ["sales/**/*.csv"])
    (True, True)
    >>> matches("sales/old/jan.csv", ["old"]), matches("sales/old/jan.csv", ["/old"])
    (True, False)
    """
    folders = path.split("/")
    above = ["/".join(folders[:length]) for length in range(1, len(folders) + 1)]
    return any(_matches_one(folders, above, pattern) for pattern in patterns)


def _matches_one(names: list[str], above: list[str], pattern: str) -> bool:
    compiled = _compiled(pattern.strip("/"))
    return any(compiled.fullmatch(each) for each in (above if "/" in pattern else names))


def check_patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """The patterns, without empty ones; an error if one cannot match anything."""
    given = list(patterns)
    if wrong := [pattern for pattern in given if not isinstance(pattern, str)]:
        raise UsageError(f"{wrong[0]!r} is not a pattern: it is not a text", "write for example 'sales/**/*.csv'")
    checked = tuple(dict.fromkeys(pattern for pattern in given if pattern.strip("/")))
    for pattern in checked:
        _compiled(pattern.strip("/"))
    return checked


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile("".join(map(_translated, _TOKENS.findall(pattern))), re.DOTALL)
    except re.error as error:
        raise UsageError(f"'{pattern}' is not a pattern: {error}", "write for example 'sales/**/*.csv'") from error


_TOKENS = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?[^]/][^]/]*\]|.", re.DOTALL)
_SPECIAL = {"**/": "(?:[^/]+/)*", "/**": "/.+", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _translated(token: str) -> str:
    if token in _SPECIAL:
        return _SPECIAL[token]
    if len(token) > 2 and token.startswith("["):
        negated, characters = token[1] == "!", token[1:-1].removeprefix("!").replace("\\", "\\\\").replace("^", "\\^")
        return f"[{'^/' if negated else ''}{characters}]"
    return re.escape(token)
