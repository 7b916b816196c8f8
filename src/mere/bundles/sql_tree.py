"""Which condition does an SQL text have?  From the text to the parser's tree of `SELECT * FROM table WHERE condition`.

A text that does not start with SELECT or WITH is a condition alone, and is parsed as the WHERE of a query.  What is
more than a filter (several statements, comments, other parts of a query) is refused here.

The parser is sqlglot, with the rules of SQLite for quotes: '...' is a text; "...", `...` and [...] are names.  It is
imported when the first query is parsed, which takes 0.3 s.  Its trees are recognised by the keys of their nodes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mere.bundles.sql_faults import EXAMPLE, Node, construct_of, named, not_closed, refused, syntax
from mere.errors import QueryError

if TYPE_CHECKING:
    from sqlglot.tokens import Token

_DIALECT = "sqlite"
_PREFIX = "SELECT * FROM t WHERE\n"  # a line of its own, so that the places of errors are easy to shift
_MOST_NESTED = 100  # brackets, signs and NOTs inside each other
_STATEMENTS = (
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "COMMIT", "COPY", "CREATE", "DELETE", "DESCRIBE", "DETACH", "DROP",
    "EXECUTE", "EXPLAIN", "FROM", "GRANT", "INSERT", "LOAD", "MERGE", "PRAGMA", "REPLACE", "REVOKE", "ROLLBACK", "SET",
    "SHOW", "TRUNCATE", "UPDATE", "USE", "VACUUM", "VALUES", "WHERE",
)  # fmt: skip


def tree_of(text: str) -> tuple[str, Node | None]:
    """The name of the table in a query, empty for a condition alone, and the condition; None if it has none."""
    words = _tokens(text)
    kinds = [word.token_type.name for word in words]
    is_query = next((kind for kind in kinds if kind != "L_PAREN"), "") in ("SELECT", "WITH")
    table, where = _parts(_statement(text, is_query, words[0].text.upper()))
    return table if is_query else "", None if where is None else where.this


@contextmanager
def without_log() -> Iterator[None]:
    """Keep sqlglot's log records about what this thread parses from the handlers: Mere's errors say it all."""
    logger, thread = logging.getLogger("sqlglot"), threading.get_ident()

    def is_other(record: logging.LogRecord) -> bool:
        return record.thread != thread

    logger.addFilter(is_other)
    try:
        yield
    finally:
        logger.removeFilter(is_other)


def _tokens(text: str) -> list[Token]:
    """The words of a text that is one statement without comments."""
    import sqlglot
    from sqlglot.errors import TokenError

    try:
        text.encode()  # fails for half of a surrogate pair
        tokens = sqlglot.tokenize(text, read=_DIALECT)
    except UnicodeEncodeError:
        raise QueryError("the text is not valid Unicode", "replace its broken characters") from None
    except TokenError:
        raise not_closed(text) from None
    if any(token.comments for token in tokens):
        raise refused("a comment", "remove it")
    while tokens and tokens[-1].token_type.name == "SEMICOLON":
        tokens.pop()
    if not tokens:
        raise QueryError("no condition", f"e.g. {EXAMPLE}")
    if any(token.token_type.name == "SEMICOLON" for token in tokens):
        raise refused("several statements", "give each query on its own, without ';'")
    if any(token.token_type.name == "VAR" and token.text.startswith("$") for token in tokens):
        raise refused("a parameter", "write the value in its place")
    _check_nesting(tokens)
    return tokens


def _check_nesting(tokens: Sequence[Token]) -> None:
    """Refuse texts that are so deeply nested that the parser may exhaust the stack."""
    brackets = run = 0
    for token in tokens:
        kind = token.token_type.name
        brackets += (kind == "L_PAREN") - (kind == "R_PAREN")
        run = run + 1 if kind in ("NOT", "L_PAREN", "DASH", "PLUS", "TILDE") else 0
        if max(brackets, run) > _MOST_NESTED:
            raise refused(f"more than {_MOST_NESTED} nested brackets or NOTs", "write a simpler query")


def _statement(text: str, is_query: bool, first_word: str) -> Node:
    import sqlglot
    from sqlglot.errors import ParseError

    try:
        statements = sqlglot.parse(text if is_query else _PREFIX + text, read=_DIALECT)
    except ParseError as error:
        if first_word in _STATEMENTS:
            raise refused(f"{first_word} as its first word") from None
        raise syntax(error.errors[0], text, line_offset=0 if is_query else 1) from None
    statement = statements[0]
    assert statement is not None, "a text with words has a statement"
    return statement


def _parts(statement: Node) -> tuple[str, Node | None]:
    """The name by which a query calls its table, and its WHERE."""
    if statement.key != "select":
        raise refused(construct_of(statement))
    only(statement, "expressions", "from", "from_", "where", "distinct")
    columns = statement.expressions
    if len(columns) != 1 or columns[0].key != "star" or any(columns[0].args.values()):
        raise refused("a list of columns", "write SELECT *: the columns are those of the base")
    source = statement.args.get("from_") or statement.args.get("from")
    if source is None:
        raise QueryError("FROM is missing", f"e.g. {EXAMPLE}")
    if distinct := statement.args.get("distinct"):
        only(distinct)
    return _table_name(source.this), statement.args.get("where")


def _table_name(table: Node) -> str:
    if table.key != "table" or table.this.key != "identifier":
        raise refused(construct_of(table if table.key != "table" else table.this))
    only(table, "this", "db", "catalog", "alias")
    if alias := table.args.get("alias"):
        only(alias, "this")
    return table.alias_or_name


def only(node: Node, *expected: str) -> None:
    """Refuse a node that has other parts than the expected ones."""
    for name, value in node.args.items():
        if value and name not in expected:
            raise refused(f"DISTINCT {named(name)}" if node.key == "distinct" else named(name))
