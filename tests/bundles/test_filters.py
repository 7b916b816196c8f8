"""Filters: how literals are read, which columns are meant, and rows of relations of every shape."""

from __future__ import annotations

import logging
import re

import numpy as np
import pyarrow as pa
import pytest

from mere.bundles.filters import Filters, parse_filters
from mere.bundles.parse_sql import parse
from mere.bundles.predicates import And, Compare, Constant, IsNull, Like, Not, OneOf, Or
from mere.bundles.relation import relation_of_cells, stack
from mere.bundles.schema import Schema
from mere.errors import QueryError
from mere.values import Type
from tests.docs.documents import blocks, sections, tables, text_of

NAMES = ("city", "Unit Price", "day", "active", "unused")
SCHEMA = Schema(NAMES, (Type.TEXT, Type.INTEGER, Type.DATETIME, Type.BOOLEAN, Type.EMPTY))
TRUE, FALSE = ("true", "yes", "t", "y", "1"), ("false", "no", "f", "n", "0")
NEW_YEAR = 1577836800.0  # of 2020


def relation(names=NAMES, schema=SCHEMA, **cells):
    columns = [pa.array(cells.get(name.replace(" ", "_").lower(), []), pa.string()) for name in names]
    rows = max(map(len, columns))
    return relation_of_cells(
        "t", names, [column if len(column) else pa.nulls(rows, pa.string()) for column in columns], schema
    )


def kept(query, table, schema=SCHEMA):
    return np.flatnonzero(parse_filters(query, schema).rows(table)).tolist()


LITERALS = {
    "unit_price = 5": Compare(1, "=", 5.0),
    "unit_price = '1,234'": Compare(1, "=", 1234.0),
    "unit_price = ' 5.0 '": Compare(1, "=", 5.0),
    "unit_price >= -5e2": Compare(1, ">=", -500.0),
    "5 < unit_price": Compare(1, ">", 5.0),
    "5 >= unit_price": Compare(1, "<=", 5.0),
    "unit_price = TRUE": Compare(1, "=", 1.0),
    "unit_price = NULL": Constant(None),
    "unit_price IN (1, '1', NULL, 2)": OneOf(1, (1.0, 2.0), True),
    "unit_price NOT IN (1)": Not(OneOf(1, (1.0,))),
    "unit_price BETWEEN 1 AND 2": And((Compare(1, ">=", 1.0), Compare(1, "<=", 2.0))),
    "unit_price NOT BETWEEN 1 AND NULL": Not(And((Compare(1, ">=", 1.0), Constant(None)))),
    "city = ' St. PÖLTEN '": Compare(0, "=", "st. pölten"),
    "city = 'it''s'": Compare(0, "=", "it's"),
    "city = 'a;b--c/*d*/'": Compare(0, "=", "a;b--c/*d*/"),
    "city != 8010": Compare(0, "<>", "8010"),
    "city = 007": Compare(0, "=", "007"),
    "city < -1.50": Compare(0, "<", "-1.5"),
    "city IS NOT NULL": Not(IsNull(0)),
    "city = DATE '2020-01-01'": Compare(0, "=", "2020-01-01"),
    "day < '2020-01-01'": Compare(2, "<", NEW_YEAR),
    "day < DATE '2020-01-01'": Compare(2, "<", NEW_YEAR),
    "day < '1 January 2020'": Compare(2, "<", NEW_YEAR),
    "day < '1/1/2020'": Compare(2, "<", NEW_YEAR),
    "day < '13/1/2020'": Compare(2, "<", NEW_YEAR + 12 * 86400),
    "day < '1/13/2020'": Compare(2, "<", NEW_YEAR + 12 * 86400),
    "day < TIMESTAMP '2020-01-01 01:00'": Compare(2, "<", NEW_YEAR + 3600),
    "day < TIMESTAMP '2020-01-01T01:00+01:00'": Compare(2, "<", NEW_YEAR),
    "active = TRUE": OneOf(3, TRUE),
    "active <> 'Yes'": Not(OneOf(3, TRUE)),
    "active = 0": OneOf(3, FALSE),
    "active IN (TRUE, 'no', NULL)": OneOf(3, TRUE + FALSE, True),
    "unused < 5": Compare(4, "<", 5.0),
    "unused < '5'": Compare(4, "<", "5"),
    "unused = TRUE": OneOf(4, TRUE),
    "unused IN (1, 'X', FALSE)": OneOf(4, (1.0, "x", *FALSE)),
    "city LIKE 'St.%'": Like(0, "st.%"),
    "city ILIKE '  St.   P_LTEN '": Like(0, "st. p_lten"),
    "city NOT LIKE 'a'": Not(Like(0, "a")),
    "city NOT LIKE 'aX%%' ESCAPE 'X'": Not(Like(0, r"a\%%", "\\")),
    "city LIKE '_%__b%' ESCAPE '_'": Like(0, r"\%\_b%", "\\"),
    "city LIKE 'a!bc%' ESCAPE '!'": Like(0, "abc%"),
    "city LIKE '1.50'": Like(0, "1.5"),
    "city LIKE '\uff05'": Like(0, r"\%", "\\"),
    "city LIKE NULL": Constant(None),
    "city = 'a' AND active = TRUE AND NULL": And((Compare(0, "=", "a"), OneOf(3, TRUE), Constant(None))),
    "city = 'a' OR (city = 'b' OR TRUE)": Or((Compare(0, "=", "a"), Compare(0, "=", "b"), Constant(True))),
}  # fmt: skip


@pytest.mark.parametrize("query", LITERALS)
def test_literals_are_cast_to_the_type_of_the_column(query):
    assert parse(query, SCHEMA) == LITERALS[query]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t WHERE city = 'a'",
        "select distinct * from t where city = 'a';",
        "SELECT ALL * FROM lake.folder.t WHERE t.city = 'a'",
        "SELECT * FROM t AS x WHERE X.city = 'a'",
        "SELECT * FROM 'folder/file.csv' x WHERE (x.city) = ('a')",
        "((city = 'a'))",
        "CITY = 'A'",
        "'a' = \"City\"",
        "`city` == 'a'",
    ],
)
def test_queries_and_conditions_in_many_forms_mean_the_same(query):
    assert parse(query, SCHEMA) == Compare(0, "=", "a")


@pytest.mark.parametrize("query", ["SELECT * FROM t", "SELECT DISTINCT * FROM t", "TRUE"])
def test_a_query_without_a_condition_has_all_rows(query):
    assert kept(query, relation(city=["a", None])) == [0, 1]


@pytest.mark.parametrize("name", ['"Unit Price"', "`unit price`", "[UNIT PRICE]", "unit_price", "UnitPrice"])
def test_columns_are_found_by_their_letters_and_digits(name):
    assert parse(f"{name} = 1", SCHEMA) == Compare(1, "=", 1.0)


def test_names_that_are_words_of_sql_can_be_quoted():
    schema = Schema(("select", "order", "date", "desc"), (Type.TEXT,) * 4)
    assert parse("\"select\" = 'a' AND \"order\" = 'b'", schema).parts[0] == Compare(0, "=", "a")
    assert parse("date = 'a' AND desc = 'b'", schema).parts[1] == Compare(3, "=", "b")


def test_rows_meet_at_least_one_query():
    table = relation(city=["a", "b", "c", None], unit_price=["1", "2", None, "4"])
    filters = parse_filters(["city = 'a'", "unit_price > 1"], SCHEMA)
    assert [rows.tolist() for rows in filters.each(table)] == [[True, False, False, False], [False, True, False, True]]
    assert filters.rows(table).tolist() == [True, True, False, True]
    assert filters.columns() == {0, 1} and filters.texts == ("city = 'a'", "unit_price > 1")


def test_without_queries_every_row_is_wanted():
    table = relation(city=["a", None])
    assert Filters() == parse_filters([], SCHEMA) and Filters().rows(table).tolist() == [True, True]
    assert Filters().each(table) == [] and Filters().columns() == set()


AS_TEXT = "'city' is text in the base, so it is compared as text with"


@pytest.mark.parametrize(
    ("query", "notes"),
    [
        ("city > 50", [f"{AS_TEXT} 50 (not as a number)"]),
        ("50 < city", [f"{AS_TEXT} 50 (not as a number)"]),
        ("NOT City BETWEEN -5 AND 7", [f"{AS_TEXT} -5 (not as a number)", f"{AS_TEXT} 7 (not as a number)"]),
        ("city < DATE '2020-01-31'", [f"{AS_TEXT} 2020-01-31 (not as a date)"]),
        ("city = NULL", ["'city = NULL' is never true; use city IS NULL"]),
        ("NULL <> city", ["'city <> NULL' is never true; use city IS NOT NULL"]),
        ("city IN ('a', NULL)", ["NULL in the list of IN is equal to no value; use city IS NULL"]),
        ("city > '50' AND city = 50 AND unit_price > 50 AND city IS NULL", []),
    ],
)
def test_what_may_not_be_meant_is_noted_once(query, notes):
    assert list(parse_filters([query, query], SCHEMA).notes) == notes


def test_a_column_that_is_excluded_is_named_as_such():
    with pytest.raises(QueryError, match=r"column 'ID' is excluded \(exclude=\), in the query \"ID > 5\"; leave"):
        parse_filters("ID > 5", SCHEMA, excluded=["id"])


def test_a_table_of_no_rows_has_none():
    table = relation(city=[])
    filters = parse_filters(["city = 'a'", "unit_price < 1 AND day > '2020-01-01'", "TRUE"], SCHEMA)
    assert [rows.tolist() for rows in filters.each(table)] == [[], [], []]


def test_the_arrays_of_equal_queries_are_separate():
    first, second = parse_filters(["city = 'a'", "city = 'a'"], SCHEMA).each(relation(city=["a"]))
    first[:] = False
    assert second.tolist() == [True]


def test_a_column_that_the_table_lacks_is_null():
    table = relation(("city",), city=["a", "b"])
    assert kept("day IS NULL AND city = 'a'", table) == [0]
    for query in ("day = '2020-01-01'", "NOT day = '2020-01-01'", "unit_price IN (1)", "unit_price NOT IN (1)"):
        assert kept(query, table) == []


def test_a_cell_that_is_not_a_number_is_unknown_but_not_null():
    table = relation(unit_price=["5", "about 5", None, "1,000"])
    assert kept("unit_price <> 6", table) == [0, 3]
    assert kept("unit_price NOT IN (6)", table) == [0, 3]
    assert kept("NOT unit_price < 6", table) == [3]
    assert kept("unit_price IS NULL", table) == [2]
    assert kept("unit_price LIKE 'about%'", table) == [1]


def test_dates_are_compared_as_moments_and_matched_as_texts():
    table = relation(day=["2020-01-05", "25/12/2019", "31/12/2019 23:59", "soon", None])
    assert kept("day < '2020-01-01'", table) == [1, 2]
    assert kept("day <> '2020-01-05'", table) == [1, 2]
    assert kept("day IN ('2019-12-25', '5 jan 2020')", table) == [0, 1]
    assert kept("day LIKE '%2019%'", table) == [1, 2]


def test_booleans_are_equal_however_they_are_spelled():
    table = relation(active=["yes", "FALSE", "T", "0", "perhaps", None])
    assert kept("active = TRUE", table) == [0, 2]
    assert kept("active = 'no'", table) == [1, 3]
    assert kept("active <> TRUE", table) == [1, 3, 4]


def test_a_column_without_values_in_the_base_is_compared_as_the_literal_is():
    table = relation(unused=["5", "10", "x", None])
    assert kept("unused < 6", table) == [0]
    assert kept("unused < '6'", table) == [0, 1]
    assert kept("unused NOT IN (5, 'y')", table) == [1]


def test_long_integers_are_told_apart():
    ids = ["9007199254740992", "9007199254740993", "9,007,199,254,740,994", "12", None]
    table = relation(unit_price=ids)
    assert kept("unit_price = 9007199254740993", table) == [1]
    assert kept("unit_price < 9007199254740993", table) == [0, 3]
    assert kept("unit_price >= 9007199254740993", table) == [1, 2]
    assert kept("unit_price <> 9007199254740993", table) == [0, 2, 3]
    assert kept("unit_price IN (9007199254740994, 12)", table) == [2, 3]
    assert kept("unit_price NOT IN (9007199254740993, 12)", table) == [0, 2]


def test_blocks_of_rows_are_put_together():
    numbers = np.arange(150_000) % 1000
    table = relation(unit_price=[str(number) for number in numbers], city=["a", "b"] * 75_000)
    rows = parse_filters("unit_price < 10 AND city = 'b'", SCHEMA).rows(table)
    assert np.array_equal(rows, (numbers < 10) & (np.arange(150_000) % 2 == 1))


def test_stacked_tables_have_the_rows_of_each():
    tables = [relation(city=["a", None]), relation(("unit price",), unit_price=["7"]), relation(city=["b", "a"])]
    filters = parse_filters(["city = 'a' OR unit_price = 7"], SCHEMA)
    assert filters.rows(stack(tables)).tolist() == [row for table in tables for row in filters.rows(table).tolist()]
    assert kept("city = 'a' OR unit_price = 7", stack(tables)) == [0, 2, 4]


def test_a_chain_longer_than_the_stack_is_evaluated():
    query = " OR ".join(f"(unit_price = {number} AND city = 'a')" for number in range(1500))
    table = relation(unit_price=["1499", "1500"], city=["a", "a"])
    assert kept(query, table) == [0]


def test_a_list_of_thousands_of_values_is_evaluated():
    query = f"unit_price IN ({', '.join(map(str, range(0, 6000, 2)))})"
    assert kept(query, relation(unit_price=["2998", "2999", "6000"])) == [0]


def test_a_list_of_dates_is_read_like_each_of_them():
    texts = ["2020-01-01", "31 January 2020", "2020-02-03 10:30", "30/1/2020"]
    listed = parse(f"day IN ({', '.join(map(repr, texts))})", SCHEMA)
    assert listed == OneOf(2, tuple(parse(f"day = '{text}'", SCHEMA).literal for text in texts))
    for wrong in ("'5/1/2020'", "'soon'", "7"):
        with pytest.raises(QueryError, match=wrong.strip("'")):
            parse(f"day IN ('2020-01-01', {wrong}, '31/1/2020')", SCHEMA)


def test_the_log_of_the_parser_is_silent_only_while_a_query_is_parsed(caplog):
    parse("city = 'a'", SCHEMA)
    logging.getLogger("sqlglot").warning("of the caller")
    assert [record.message for record in caplog.records] == ["of the caller"]


def examples_of_the_document() -> list[str]:
    text = text_of("docs/filters.md")
    [[_, *rows]] = tables(sections(text)["Conditions"])
    in_table = [example for _, examples in rows for example in re.findall("`([^`]+)`", examples)]
    return in_table + [line for block in blocks(text) for line in block.lines]


def test_the_examples_of_the_document_are_parsed():
    schema = Schema(("city", "price", "code"), (Type.TEXT, Type.DECIMAL, Type.TEXT))
    examples = examples_of_the_document()
    assert "city ILIKE 'g%'" in examples
    assert len(parse_filters(examples, schema).queries) == len(examples)
