"""Which columns does a condition name: by a name, a glob, /a regular expression/, or any column?"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

from mere.errors import QueryError


def fitting(column: str | None, names: Sequence[str]) -> list[bool]:
    """Whether each name matches, ignoring case: by a name, a glob, /a regular expression/, or None for any column.

    A column with exactly this name matches, even if the name looks like a pattern.  Regular expressions are RE2's,
    whose running time is linear in the text, so that no condition can run for ever.

    >>> [fitting(column, ["birth_age"])[0] for column in ("age", "*age", "/age/", "/^age/", None)]
    [False, True, True, False, True]
    """
    if column is None or column == "*":
        return [True] * len(names)
    if not isinstance(column, str) or not column:
        remedy = "give a name, a glob, /a regular expression/ or None for any column"
        raise QueryError(f"expected the name of a column, got {column!r}", remedy)
    folded = column.casefold()
    if len(column) > 1 and column.startswith("/") and column.endswith("/"):
        matches = _match_regex(column[1:-1], names)
    elif any(mark in column for mark in "*?["):
        match = re.compile(fnmatch.translate(column), re.IGNORECASE).match
        matches = [match(name) is not None for name in names]
    else:
        matches = [False] * len(names)
    return [matched or name.casefold() == folded for matched, name in zip(matches, names, strict=True)]


def _match_regex(pattern: str, names: Sequence[str]) -> list[bool]:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.match_substring_regex(pa.array(names, pa.string()), pattern, ignore_case=True).to_pylist()
    except pa.ArrowInvalid as error:
        fault = str(error).removeprefix("Invalid regular expression: ")
        remedy = "correct it, or give a plain name"
        raise QueryError(f"/{pattern}/ is not a valid regular expression: {fault}", remedy) from error


def quote_column(column: str | None) -> str:
    """A column as it is written in a condition; quoted unless it is a plain word.

    >>> quote_column("age"), quote_column("birth year"), quote_column(None)
    ('age', "'birth year'", 'any column')
    """
    if column is None:
        return "any column"
    plain = re.fullmatch(r"/(?:[^/\\]|\\.)+/|[\w.*?-]+", column) and column.casefold() != "any"
    return column if plain else quote(column)


def quote(text: str) -> str:
    """A text in single quotes, as the parser reads it.

    >>> print(quote("it's"))
    'it\\'s'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
