"""SQL that is more than a filter, or that is wrong, is refused with the fault, the query and a remedy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.bundles.filters import parse_filters
from mere.bundles.parse_sql import parse
from mere.bundles.schema import Schema
from mere.errors import QueryError, UsageError
from mere.values import Type

SCHEMA = Schema(("city", "Unit Price", "day", "active"), (Type.TEXT, Type.INTEGER, Type.DATETIME, Type.BOOLEAN))

REFUSED = {
    "lower(city) = 'x'": "the function LOWER",
    "my_own(city) = 'x'": "the function MY_OWN",
    "day = CURRENT_DATE": "the function CURRENT_DATE",
    "CASE WHEN city = 'a' THEN 1 END = 1": "CASE",
    "CAST(city AS INT) = 1": "CAST",
    "unit_price = CAST('1' AS INT)": "CAST",
    "day = INTERVAL '1' DAY": "INTERVAL",
    "unit_price + 1 = 2": "arithmetic (+)",
    "unit_price - 1 = 2": "arithmetic (-)",
    "unit_price * 2 = 2": "arithmetic (*)",
    "unit_price / 2 = 2": "arithmetic (/)",
    "unit_price % 2 = 1": "arithmetic (%)",
    "-unit_price = 2": "arithmetic (-)",
    "unit_price = 1 + 1": "arithmetic (+)",
    "city || 'x' = 'y'": "the operator ||",
    "city -> '$.x[' = 1": "the function JSON_EXTRACT",
    "city = (SELECT 'x')": "a subquery",
    "city IN (SELECT 'x')": "a subquery",
    "EXISTS (SELECT 1)": "a subquery",
    "SELECT * FROM (SELECT * FROM t)": "a subquery",
    "(SELECT * FROM t)": "a subquery",
    "SELECT * FROM t JOIN u ON t.a = u.a": "a join",
    "SELECT * FROM t, u": "a join",
    "SELECT * FROM t NATURAL JOIN u": "a join",
    "SELECT * FROM f(3)": "the function F",
    "SELECT * FROM t TABLESAMPLE (10 PERCENT)": "TABLESAMPLE",
    "SELECT * FROM t AS x (a, b)": "other names for columns",
    "SELECT * FROM t GROUP BY city": "GROUP BY",
    "SELECT * FROM t GROUP BY city HAVING city = 'x'": "GROUP BY",
    "SELECT * FROM t ORDER BY city": "ORDER BY",
    "SELECT * FROM t LIMIT 5": "LIMIT",
    "city = 'x' LIMIT 5": "LIMIT",
    "city = 'x' ORDER BY city": "ORDER BY",
    "SELECT * FROM t FOR UPDATE": "FOR UPDATE",
    "SELECT * INTO u FROM t": "INTO",
    "SELECT * FROM t UNION SELECT * FROM u": "UNION",
    "city = 'x' UNION ALL SELECT * FROM u": "UNION",
    "SELECT * FROM t EXCEPT SELECT * FROM u": "EXCEPT",
    "SELECT * FROM t INTERSECT SELECT * FROM u": "INTERSECT",
    "WITH u AS (SELECT 1) SELECT * FROM u": "WITH",
    "WITH u AS (SELECT 1) DELETE FROM t": "'WITH u AS (SELECT 1) DELETE FROM t' here",
    "SELECT city FROM t": "a list of columns",
    "SELECT *, city FROM t": "a list of columns",
    "SELECT count(*) FROM t": "a list of columns",
    "SELECT t.* FROM t": "a list of columns",
    "SELECT * EXCEPT (city) FROM t": "a list of columns",
    "SELECT DISTINCT ON (city) * FROM t": "DISTINCT ON",
    "city = 'x'; DROP TABLE t": "several statements",
    "SELECT * FROM t; SELECT * FROM t": "several statements",
    "city = 'x' -- ; DROP TABLE t": "a comment",
    "city = 'x' /* ; DROP TABLE t */": "a comment",
    "/* all */ city = 'x'": "a comment",
    "INSERT INTO t VALUES (1)": "INSERT as its first word",
    "UPDATE t SET city = 'x'": "UPDATE as its first word",
    "DELETE FROM t": "DELETE as its first word",
    "DROP TABLE t": "DROP as its first word",
    "CREATE TABLE t (a INT)": "CREATE as its first word",
    "ALTER TABLE t ADD COLUMN a INT": "ALTER as its first word",
    "PRAGMA page_size": "PRAGMA as its first word",
    "WHERE city = 'x'": "WHERE as its first word",
    "VACUUM": "the column 'VACUUM' as a condition",
    "city = \"unit price\"": "a comparison of two columns ('city' and 'unit price')",
    "city IN (city, 'x')": "the column 'city' in place of a value",
    "city LIKE day": "the column 'day' in place of a value",
    "1 = 1": "a value in place of a column",
    "'x' LIKE 'x'": "a value in place of a column",
    "5 IN (1, 2)": "a value in place of a column",
    "NULL IS NULL": "a value in place of a column",
    "3 BETWEEN unit_price AND 4": "a value in place of a column",
    "active": "the column 'active' as a condition",
    "NOT active": "the column 'active' as a condition",
    "active IS TRUE": "IS with another value than NULL",
    "city IS DISTINCT FROM 'x'": "IS DISTINCT FROM",
    "(city, day) IN (('a', 'b'))": "a list in brackets",
    "city IN (('a', 'b'))": "a list in brackets",
    "city IN ()": "an empty list of IN",
    "unit_price BETWEEN SYMMETRIC 1 AND 2": "BETWEEN SYMMETRIC",
    "city LIKE ANY ('a', 'b')": "ANY",
    "city LIKE 5": "LIKE without a text",
    "city REGEXP 'x'": "REGEXP",
    "city GLOB 'x'": "GLOB",
    "city COLLATE nocase = 'x'": "COLLATE",
    "city = ?": "a parameter",
    "city = :name": "a parameter",
    "city = @name": "a parameter",
    "city = $1": "a parameter",
    "city = 'a' 'b'": "the function CONCAT",
    "city = X'ab'": "'x'ab'' here",
    "(city = 'x') = TRUE": "'city = 'x'' here",
    "a.b.city = 'x'": "more than a table's name before a column",
    "(" * 101 + "city = 'x'" + ")" * 101: "more than 100 nested brackets or NOTs",
    "NOT " * 101 + "city = 'x'": "more than 100 nested brackets or NOTs",
}  # fmt: skip


@pytest.mark.parametrize("query", REFUSED)
def test_more_than_a_filter_is_refused_by_name(query, caplog, capsys):
    with pytest.raises(QueryError) as caught:
        parse(query, SCHEMA)
    assert caught.value.message.startswith(f'a filter cannot have {REFUSED[query]}, in the query "{query[:100]}')
    assert caught.value.remedy
    assert not caplog.records and capsys.readouterr() == ("", "")


SYNTAX = {
    "city = 'x": "the quote ' at character 8 is not closed",
    'city = "x': 'the quote " at character 8 is not closed',
    "'a' = city AND `b": "the quote ` at character 16 is not closed",
    "city = x'zz'": "the text is not SQL",
    "city =": "a value or a condition is missing at character 6, near 'city ='",
    "city = 'x' AND": "a value or a condition is missing at character 12, near 'city = 'x' AND'",
    "city = 'x'\nAND day = = 3": "a value or a condition is missing at character 22, near ''x' AND day = = 3'",
    "(city = 'x'": "a closing bracket is missing after ''x'' at character 9, near '(city = 'x''",
    "SELECT * FROM t WHERE city = 'x' day = 3": "unexpected 'day' at character 34, near 'ERE city = 'x' day = 3'",
    "unit price = 3": "unexpected 'price' at character 6, near 'unit price = 3'",
    "SELECT * WHERE city = 'x'": "FROM is missing",
    "": "no condition",
    " ; ": "no condition",
    "city = '\ud800'": "the text is not valid Unicode",
}  # fmt: skip


@pytest.mark.parametrize("query", SYNTAX)
def test_errors_of_syntax_name_the_place(query):
    with pytest.raises(QueryError) as caught:
        parse(query, SCHEMA)
    assert caught.value.message.startswith(f'{SYNTAX[query]}, in the query "')
    assert caught.value.remedy and "\x1b" not in str(caught.value)


def start_and_end(first: str, cut: int, extra: list[str], second: str, start: int) -> str:
    return " ".join(first.split()[:cut] + extra + second.split()[start:])


VALID = (
    "SELECT * FROM t x WHERE NOT city LIKE 'a!%' ESCAPE '!' AND (day < DATE '2020-01-01' OR unit_price IN (-1, NULL))"
)
queries = st.sampled_from([query for query in REFUSED if len(query) < 100] + [VALID] * 20)
words = st.sampled_from(sorted({word for query in [*REFUSED, VALID] for word in query.split()} | set("'\"`[]{}(),;.")))
mixtures = st.builds(
    start_and_end, queries, st.integers(0, 25), st.lists(words, max_size=4), queries, st.integers(0, 25)
)


@given(mixtures | st.text(max_size=30))
def test_any_text_is_a_filter_or_an_error_with_a_remedy(query):
    try:
        parse(query, SCHEMA)
    except QueryError as error:
        assert error.message and error.remedy


@pytest.mark.parametrize("query", ["city = 'x'\0 OR TRUE", "city = 'x' \0", "\0"])
def test_what_follows_a_null_character_is_not_lost(query):
    with pytest.raises(QueryError):
        parse(query, SCHEMA)


def test_nesting_beyond_the_stack_is_refused():
    query = ("(city = 'x' AND " + "NOT " * 90) * 90 + "city = 'x'" + ")" * 90
    with pytest.raises(QueryError, match="too many nested conditions, in the query"):
        parse(query, SCHEMA)


MISTAKES = {
    "prise = 3": ("no column 'prise' in the base", "the base has 'city', 'Unit Price', 'day', 'active'"),
    "unitt_price = 3": ("no column 'unitt_price' in the base", "did you mean 'Unit Price'?"),
    "CITYY = 3": ("no column 'CITYY' in the base", "did you mean 'city'?"),
    "SELECT * FROM t AS x WHERE t.city = 'a'": (
        "no table 't' for the column 't.city'",
        'write "city" alone; a name with a point in double quotes: "t.city"',
    ),
    "t.city = 'a'": (
        "no table 't' for the column 't.city'",
        'write "city" alone; a name with a point in double quotes: "t.city"',
    ),
    "unit_price < 'abc'": (
        "column 'Unit Price' is integer, and 'abc' is not a number",
        "compare it with a number, e.g. Unit Price < 100",
    ),
    "unit_price IN (1, '')": (
        "column 'Unit Price' is integer, and '' is not a number",
        "compare it with a number, e.g. Unit Price < 100",
    ),
    "day < 2020": (
        "column 'day' is date/time, and '2020' is not a date",
        "write the year first, e.g. day < '2020-01-31' or day < '2020-01-31 10:30'",
    ),
    "day = '5/1/2020'": (
        "column 'day' is date/time, and '5/1/2020' may be in one of two months",
        "write the year first, e.g. day < '2020-01-31' or day < '2020-01-31 10:30'",
    ),
    "active = 'maybe'": ("column 'active' is boolean, and 'maybe' is neither true nor false", "e.g. active = TRUE"),
    "active < TRUE": ("column 'active' is boolean and has no order for '<'", "use = or <>"),
    "active BETWEEN FALSE AND TRUE": ("column 'active' is boolean and has no order for '>='", "use = or <>"),
    "city LIKE 'a!' ESCAPE '!'": ("the pattern 'a!' ends with its escape character '!'", "remove it"),
    "city LIKE 'a' ESCAPE 'xy'": ("expected one character after ESCAPE, got 'xy'", "e.g. ESCAPE '!'"),
}


@pytest.mark.parametrize("query", MISTAKES)
def test_wrong_columns_and_values_have_a_remedy(query):
    message, remedy = MISTAKES[query]
    with pytest.raises(QueryError) as caught:
        parse(query, SCHEMA)
    assert (caught.value.message, caught.value.remedy) == (f'{message}, in the query "{query}"', remedy)


def test_at_most_twenty_columns_are_listed():
    schema = Schema(tuple(f"column {i}" for i in range(30)), (Type.TEXT,) * 30)
    with pytest.raises(QueryError) as caught:
        parse("zzz = 1", schema)
    assert caught.value.remedy.endswith("'column 19', ...") and "'column 20'" not in caught.value.remedy


def test_a_name_that_fits_several_columns_is_refused_unless_one_is_exact():
    schema = Schema(("a b", "a_b", "x", "x"), (Type.TEXT,) * 4)
    assert parse("a_b = 'c'", schema).column == 1
    for query, listed in [("ab = 'c'", "'a b', 'a_b'"), ("x = 'c'", "'x', 'x'")]:
        with pytest.raises(QueryError, match=f"2 columns are called .*: {listed}"):
            parse(query, schema)


def test_a_long_query_is_shown_in_one_short_line():
    with pytest.raises(QueryError) as caught:
        parse("nothing\n=  '" + "x" * 1000 + "\x1b[31m'", SCHEMA)
    assert len(caught.value.message) < 200 and "\"nothing = 'xxx" in caught.value.message


@pytest.mark.parametrize("queries", [None, 5, {"a": 1}, [None], ["city = 'x'", 3], [b"city = 'x'"], b"city = 'x'"])
def test_queries_are_texts(queries):
    with pytest.raises(UsageError, match=r"expected (a list of SQL texts|an SQL text), got"):
        parse_filters(queries, SCHEMA)
