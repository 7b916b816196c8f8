"""Which columns are compared, and how values are compared by type."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mere.bundles.relation import relation_of_cells
from mere.bundles.schema import Schema
from mere.values import Type

NUMBER, TEXT, DATE, BOOLEAN = Type.DECIMAL, Type.TEXT, Type.DATETIME, Type.BOOLEAN


def schema_of(*names: str) -> Schema:
    return Schema(names, (TEXT,) * len(names))


@pytest.mark.parametrize(
    ("mine", "theirs", "places"),
    [
        (["a", "b"], ["b", "a"], [1, 0]),
        (["PM2.5", "PM25"], ["PM25", "PM2.5"], [1, 0]),
        (["PM2.5", "PM25"], ["PM25"], [None, 0]),
        (["PM2.5"], ["pm 25"], [0]),
        (["City", "city"], ["city", "City"], [1, 0]),
        (["city"], ["City", "city"], [1]),
        (["city"], ["CITY"], [0]),
        (["Unit Price", "b"], ["unit_price", "c"], [0, None]),
        (["a", "A"], ["a", "a "], [0, 1]),
    ],
)
def test_the_same_name_comes_first_then_case_then_letters_and_digits(mine, theirs, places):
    assert schema_of(*mine).places(theirs) == places


@pytest.mark.parametrize(
    ("names", "types", "same"),
    [
        (["a", "b"], [NUMBER, TEXT], True),
        (["b", "A"], [TEXT, Type.INTEGER], True),
        (["a"], [NUMBER], True),  # the other column is null in its rows
        (["a", "b", "c"], [NUMBER, TEXT, TEXT], False),
        (["a", "b"], [TEXT, TEXT], False),
        (["a", "b"], [Type.EMPTY, TEXT], True),
        (["a", "b"], [NUMBER, DATE], False),
    ],
)
def test_stored_hashes_are_used_if_columns_and_types_are_the_same(names, types, same):
    assert Schema(("a", "b"), (NUMBER, TEXT)).same_rows(names, types) == same


def test_columns_whose_keys_are_numbered_in_another_order_have_other_hashes():
    assert not schema_of("PM2.5", "PM25").same_rows(["PM25", "PM2.5"], [TEXT, TEXT])
    assert schema_of("PM2.5", "PM25").same_rows(["PM2.5", "PM25"], [TEXT, TEXT])


@pytest.mark.parametrize(
    ("type_", "first", "second", "equal"),
    [
        (NUMBER, "1234", "1,234", True),
        (NUMBER, "1000000", "1e6", True),
        (NUMBER, "1234.5", "1,234.50", True),
        (TEXT, "no 1234", "no 1,234", False),
        (NUMBER, "9007199254740993", "9007199254740992", False),
        (NUMBER, "12,345,678,901,234,567", "12,345,678,901,234,568", False),
        (NUMBER, "1,234", "12,34", False),
        (DATE, "2020-01-05", "2020-01-05T00:00:00", True),
        (DATE, "2020-01-05", "5 Jan 2020", True),
        (DATE, "2020-01-05", "2020/1/5", True),
        (DATE, "2010-12-01 08:26:00", "2010-12-01T08:26:00", True),
        (DATE, "2010-12-01 08:26", "2010-12-01T08:26:00Z", True),
        (DATE, "2010-12-01 08:26:00.5", "2010-12-01 08:26:00.7", False),
        (DATE, "2020-01", "2020-01-01", False),
        (TEXT, "2020-01-05", "2020/01/05", False),
        (BOOLEAN, "true", "Yes", True),
        (BOOLEAN, "f", "0", True),
        (BOOLEAN, "true", "no", False),
        (TEXT, "true", "yes", False),
    ],
)
def test_rows_are_equal_if_their_values_are_of_the_type(type_, first, second, equal):
    schema = Schema(("a",), (type_,))
    rows = relation_of_cells("t", ["a"], [pa.array([first, second])], schema)
    assert (len(set(rows.hashes().tolist())) == 1) == equal
    assert (len(set(rows.second_hashes().tolist())) == 1) == equal
    apart = [relation_of_cells("t", ["a"], [pa.array([text])], schema).hashes()[0] for text in (first, second)]
    assert (apart[0] == apart[1]) == equal
