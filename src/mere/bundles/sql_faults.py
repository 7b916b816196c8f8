"""What is wrong with a query?  Errors for what a filter cannot have, for syntax, and for unknown columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mere.errors import QueryError
from mere.values import column_key

Node = Any  # of the parser's tree: its class differs between versions of sqlglot
EXAMPLE = "SELECT * FROM t WHERE price < 100 AND city = 'Graz'"
_REMEDY = (
    "write SELECT * FROM table WHERE condition, or the condition alone; it can compare a column with values by "
    "= <> < <= > >= BETWEEN IN LIKE IS NULL, joined with AND, OR, NOT"
)
_QUOTES = (
    "write text in single quotes, and in double quotes a column's name that has spaces or is an SQL word; "
    "e.g. \"unit price\" < 100 AND city = 'Graz'"
)
_NAMES = {  # of nodes, and of parts of a SELECT
    "order": "ORDER BY",
    "group": "GROUP BY",
    "joins": "a join",
    "laterals": "a join",
    "with": "WITH",
    "with_": "WITH",
    "locks": "FOR UPDATE",
    "windows": "WINDOW",
    "sample": "TABLESAMPLE",
    "pivots": "PIVOT",
    "indexed": "INDEXED BY",
    "version": "a version of a table",
    "select": "a subquery",
    "subquery": "a subquery",
    "exists": "a subquery",
    "query": "a subquery",
    "add": "arithmetic (+)",
    "sub": "arithmetic (-)",
    "neg": "arithmetic (-)",
    "mul": "arithmetic (*)",
    "div": "arithmetic (/)",
    "mod": "arithmetic (%)",
    "dpipe": "the operator ||",
    "nullsafeeq": "IS NOT DISTINCT FROM",
    "nullsafeneq": "IS DISTINCT FROM",
    "regexplike": "REGEXP",
    "placeholder": "a parameter",
    "parameter": "a parameter",
    "tuple": "a list in brackets",
    "symmetric": "BETWEEN SYMMETRIC",
    "db": "more than a table's name before a column",
    "columns": "other names for columns",
}
_PLAIN = ("all", "any", "case", "cast", "collate", "except", "glob", "having", "intersect", "interval", "into",
          "limit", "match", "offset", "qualify", "union")  # fmt: skip
_SHOWN = 120  # characters of a query
_NEAR = 15  # characters before and after the place of a syntax error
_MOST_NAMES = 20
_LEAST_LIKENESS = 70  # of 100, for a name that is suggested: 2 * common subsequence / both lengths


def refused(construct: str, remedy: str = _REMEDY) -> QueryError:
    """The error for something that is SQL, but more than a filter."""
    return QueryError(f"a filter cannot have {construct}", remedy)


def construct_of(node: Node) -> str:
    """What a node of the parser's tree is called in SQL."""
    if node.key in _NAMES or node.key in _PLAIN:
        return named(node.key)
    if node.key == "anonymous":
        return f"the function {node.name.upper()}"
    if hasattr(node, "sql_name") and node.key not in ("and", "or"):
        return f"the function {node.sql_name()}"
    return f"'{node.sql('sqlite')}' here"


def named(key: str) -> str:
    """What a part of a query is called in SQL."""
    return _NAMES.get(key, key.strip("_").upper())


def shown(text: str) -> str:
    """A query as an error shows it: one line, not too long, without control characters."""
    line = "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


def not_closed(text: str) -> QueryError:
    """The error for a text that cannot be divided into words and quoted texts."""
    rest = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]", lambda part: " " * len(part[0]), text)
    start = re.search(r"['\"`\[]", rest)
    if start is None:
        return QueryError("the text is not SQL", _QUOTES)
    return QueryError(f"the quote {start[0]} at character {start.start() + 1} is not closed", _QUOTES)


def syntax(details: dict[str, Any], text: str, line_offset: int) -> QueryError:
    """The error for a text that breaks the rules of SQL, from what the parser says about the place."""
    word, lines = str(details.get("highlight") or ""), text.split("\n")
    before = sum(len(line) + 1 for line in lines[: int(details["line"]) - 1 - line_offset])
    start = max(before + int(details["col"]) - len(word), 0)
    near = shown(text[max(start - _NEAR, 0) : start + len(word) + _NEAR])
    fault = _fault(str(details["description"]), shown(word))
    remedy = "add )" if "bracket" in fault else _QUOTES
    return QueryError(f"{fault} at character {start + 1}, near '{near}'", remedy)


def _fault(description: str, word: str) -> str:
    if description.startswith("Required keyword"):
        return "a value or a condition is missing"
    if description.startswith("Expecting )"):
        return f"a closing bracket is missing after '{word}'"
    return f"unexpected '{word}'"


def unknown_column(name: str, names: Sequence[str], excluded: Sequence[str] = ()) -> QueryError:
    """The error for a column that the base does not have, with the nearest names, or that is not compared."""
    from rapidfuzz import fuzz, process  # imported only for a wrong name

    if column_key(name) in map(column_key, excluded):
        return QueryError(f"column '{name}' is excluded (exclude=)", "leave it out of the query, or do not exclude it")
    folded = {other: other.casefold() for other in names}
    similar = process.extract(name.casefold(), folded, scorer=fuzz.ratio, limit=3, score_cutoff=_LEAST_LIKENESS)
    if similar:
        remedy = f"did you mean {' or '.join(repr(other) for _, _, other in similar)}?"
    else:
        more = ", ..." if len(names) > _MOST_NAMES else ""
        remedy = f"the base has {', '.join(map(repr, names[:_MOST_NAMES]))}{more}" if names else "the base has none"
    return QueryError(f"no column '{name}' in the base", remedy)
