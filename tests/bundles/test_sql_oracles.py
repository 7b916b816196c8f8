"""Filters give the rows that SQLite gives; and, where SQLite differs from Mere, those of a slow evaluator in Python."""

from __future__ import annotations

import datetime
import sqlite3

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from mere.bundles.filters import parse_filters
from mere.bundles.relation import relation_of_cells
from mere.bundles.schema import Schema
from mere.values import Type, normalise_cell

OPERATORS = ("=", "<>", "!=", "<", "<=", ">", ">=")
SCHEMA = Schema(("n", "d", "the text"), (Type.INTEGER, Type.DECIMAL, Type.TEXT))
NAMES = {"n": "n", "d": "d", "the text": '"the text"'}

texts = st.text("abc'%_!\\ ", min_size=1, max_size=4).filter(
    lambda t: normalise_cell(t) == t and any(c in t for c in "abc")
)
integers = st.integers(-4, 4)
halves = st.integers(-8, 8).map(lambda number: number / 2)
rows = st.lists(st.tuples(st.none() | integers, st.none() | halves, st.none() | texts), max_size=12)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def number_literal(number: float) -> st.SearchStrategy[str]:
    return st.sampled_from([str(number), f"'{number}'", f"({number})"])


literals = {
    "n": integers.flatmap(number_literal) | st.just("NULL"),
    "d": halves.flatmap(number_literal) | st.just("NULL"),
    "the text": texts.map(quoted) | st.integers(0, 9).map(str) | st.just("NULL"),
}


@st.composite
def comparisons(draw: st.DrawFn) -> str:
    column = draw(st.sampled_from(sorted(NAMES)))
    name, value = NAMES[column], literals[column]
    negation = draw(st.sampled_from(["", "NOT "]))
    form = draw(st.integers(0, 5))
    if form == 0:
        return f"{name} {draw(st.sampled_from(OPERATORS))} {draw(value)}"
    if form == 1:
        return f"{draw(value)} {draw(st.sampled_from(OPERATORS))} {name}"
    if form == 2:
        return f"{name} {negation}BETWEEN {draw(value)} AND {draw(value)}"
    if form == 3:
        return f"{name} {negation}IN ({', '.join(draw(st.lists(value, min_size=1, max_size=4)))})"
    if form == 4:
        return f"{name} IS {negation}NULL"
    column = draw(st.sampled_from(["n", "the text"]))  # SQLite writes the decimal 1 as 1.0
    pattern = draw(st.text("abc'%_\\ 1-", max_size=4).filter(lambda p: p == " ".join(p.split())))
    escaped = draw(st.booleans())
    pattern = (
        pattern + draw(st.sampled_from(["!%", "!_", "!!"])) + draw(st.sampled_from(["", "%"])) if escaped else pattern
    )
    return f"{NAMES[column]} {negation}LIKE {quoted(pattern)}" + (" ESCAPE '!'" if escaped else "")


conditions = st.recursive(
    comparisons() | st.sampled_from(["TRUE", "FALSE", "NULL"]),
    lambda inner: (
        st.builds("({} AND {})".format, inner, inner)
        | st.builds("({} OR {})".format, inner, inner)
        | st.builds("NOT ({})".format, inner)
        | st.builds("{} AND {} OR NOT {}".format, inner, inner, inner)
    ),
    max_leaves=8,
)


def sqlite_rows(table: list, condition: str) -> list[bool]:
    with sqlite3.connect(":memory:") as connection:
        connection.execute('CREATE TABLE t (place INTEGER, n INTEGER, d REAL, "the text" TEXT)')
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [(i, *row) for i, row in enumerate(table)])
        kept = {place for (place,) in connection.execute(f"SELECT place FROM t WHERE {condition}")}
    connection.close()
    return [place in kept for place in range(len(table))]


def relation_of(table: list, names: tuple[str, ...], schema: Schema):
    cells = [
        pa.array([None if row[i] is None else str(row[i]) for row in table], pa.string()) for i in range(len(names))
    ]
    return relation_of_cells("t", names, cells, schema)


@given(rows, st.lists(conditions, min_size=1, max_size=3))
@example([(None, None, None), (1, None, "a")], ["n NOT IN (2, NULL)", "NOT (n = 1 AND d = 1)", "n = 1 OR d = 1"])
@example([(1, 1.0, "a"), (2, 2.0, "b")], ["n BETWEEN 1 AND 2", "n NOT BETWEEN 1 AND 1", "n BETWEEN 2 AND 1"])
@example(
    [(1, 1.0, "a%"), (2, 2.0, "ab"), (3, 3.0, "a\\")],
    [r"""[the text] LIKE 'a\%'""", "`the text` LIKE 'a!%' ESCAPE '!'"],
)
def test_the_rows_are_those_of_sqlite(table, queries):
    relation = relation_of(table, SCHEMA.names, SCHEMA)
    filters = parse_filters([f"SELECT * FROM t WHERE {condition}" for condition in queries], SCHEMA)
    expected = [sqlite_rows(table, condition) for condition in queries]
    assert [rows.tolist() for rows in filters.each(relation)] == expected
    assert filters.rows(relation).tolist() == [any(row) for row in zip(*expected, strict=True)]


# What SQLite has not: case folding, dates, cells of another type, columns that a table lacks

WIDE = Schema(
    ("word", "day", "amount", "absent", "flag"), (Type.TEXT, Type.DATETIME, Type.DECIMAL, Type.TEXT, Type.BOOLEAN)
)
PRESENT = ("word", "day", "amount", "flag")
words = st.text("äÉß日bX' %", min_size=1, max_size=4).filter(lambda t: any(c.isalpha() for c in t))
days = st.dates(datetime.date(1960, 1, 1), datetime.date(2060, 1, 1)) | st.sampled_from([datetime.date(2020, 1, 5)])
wide_rows = st.lists(
    st.tuples(
        st.none() | words,
        st.none() | days,
        st.none() | st.integers(-3, 3) | st.just("not a number"),
        st.none() | st.sampled_from(["yes", "NO"]),
    ),
    max_size=10,
)


def compared(left, operator: str, right) -> bool | None:
    if left is None or right is None:
        return None
    return {"=": left == right, "<>": left != right, "!=": left != right, "<": left < right, "<=": left <= right,
            ">": left > right, ">=": left >= right}[operator]  # fmt: skip


def matches(text: str, pieces: list[str]) -> bool:
    """LIKE, by trying every way; a wildcard is "%" or "_", other pieces are ("text",)."""
    if not pieces:
        return not text
    first, rest = pieces[0], pieces[1:]
    if first == "%":
        return any(matches(text[start:], rest) for start in range(len(text) + 1))
    if first == "_":
        return bool(text) and matches(text[1:], rest)
    return text.startswith(first[0]) and matches(text[len(first[0]) :], rest)


def value_of(word: str | None) -> bytes | None:
    return None if word is None else normalise_cell(word).encode()


@st.composite
def leaves(draw: st.DrawFn):
    """A condition as SQL, and as a function of a row that gives True, False or None."""
    operator = draw(st.sampled_from(OPERATORS))
    form = draw(st.integers(0, 6))
    if form == 0:
        word = draw(words)
        return f"word {operator} {quoted(word)}", lambda row: compared(value_of(row[0]), operator, value_of(word))
    if form == 1:
        day = draw(days)
        style = draw(
            st.sampled_from(
                ["'{:%Y-%m-%d}'", "DATE '{:%Y-%m-%d}'", "TIMESTAMP '{:%Y-%m-%d} 00:00:00'", "'{:%d %B %Y}'"]
            )
        )
        return f"day {operator} {style.format(day)}", lambda row: compared(row[1], operator, day)
    if form == 2:
        number = draw(st.integers(-3, 3))
        return f"amount {operator} {number}", lambda row: compared(
            row[2] if row[2] != "not a number" else None, operator, number
        )
    if form == 3:
        return draw(
            st.sampled_from([("amount IS NULL", lambda row: row[2] is None), ("absent IS NULL", lambda row: True)])
        )
    if form == 4:
        return draw(
            st.sampled_from(["absent = 'x'", "absent LIKE '%'", "absent NOT IN ('x')", "absent < 1"])
        ), lambda row: None
    if form == 5:
        flag = draw(st.booleans())
        sign = draw(st.sampled_from(["=", "<>"]))
        spelled = draw(st.sampled_from([str(flag), "'Y'" if flag else "'n'", str(int(flag))]))
        return f"flag {sign} {spelled}", lambda row: compared(None if row[3] is None else row[3] == "yes", sign, flag)
    pieces = draw(
        st.lists(st.sampled_from(["%", "_", ("ä",), ("Ä",), ("ß",), ("B",), ("日",), ("%",), ("_",)]), max_size=5)
    )
    pieces = [("b",), "%", *pieces]  # begins with a letter, so that it is not a number or white space
    pattern = "".join(
        piece if isinstance(piece, str) else piece[0].replace("%", "X%").replace("_", "X_") for piece in pieces
    )
    folded = [piece if isinstance(piece, str) else (normalise_cell(piece[0]),) for piece in pieces]
    keyword = draw(st.sampled_from(["LIKE", "ILIKE", "NOT LIKE"]))
    negated = keyword.startswith("NOT")
    return (
        f"word {keyword} {quoted(pattern)} ESCAPE 'X'",
        lambda row: None if row[0] is None else matches(normalise_cell(row[0]), folded) is not negated,
    )


def both(left, right):
    def value(row):
        values = left[1](row), right[1](row)
        return False if False in values else None if None in values else True

    return f"({left[0]} AND {right[0]})", value


def either(left, right):
    def value(row):
        values = left[1](row), right[1](row)
        return True if True in values else None if None in values else False

    return f"({left[0]} OR {right[0]})", value


def negation_of(part):
    return f"NOT {part[0]}", lambda row: None if part[1](row) is None else not part[1](row)


def joined(inner: st.SearchStrategy) -> st.SearchStrategy:
    return st.builds(both, inner, inner) | st.builds(either, inner, inner) | st.builds(negation_of, inner)


@given(wide_rows, st.recursive(leaves(), joined, max_leaves=6))
def test_the_rows_are_those_of_a_slow_evaluator(table, tree):
    query, value = tree
    relation = relation_of(table, PRESENT, WIDE)
    assert parse_filters(query, WIDE).rows(relation).tolist() == [value(row) is True for row in table]
