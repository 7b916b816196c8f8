"""Prices of every form; what is not a price is refused with the table and the value."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mere
from mere.bundles.outcome import METHODS
from mere.drawing import curve_text
from mere.errors import UsageError
from mere.search.assembling.prices import prices_of
from tests.assemble_surface.conftest import BASE

TABLES = [("sales/north.csv", 100), ("sales/south.csv.gz", 250), ("book.xlsx#May", 10)]


def prices(given: Any, default: Any = None) -> list[float | None]:
    return list(prices_of(given, TABLES, default).by_table.values())


def listing(columns: dict[str, list[Any]]) -> Any:
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, [1, 1, 1]),
        (0.5, [50, 125, 5]),
        (np.float32(0.5), [50, 125, 5]),
        (Decimal("0.1"), [pytest.approx(10), pytest.approx(25), pytest.approx(1)]),
        (Fraction(1, 2), [50, 125, 5]),
        (0, [0, 0, 0]),
        (lambda name, rows: rows + len(name), [115, 268, 23]),
        (lambda name, rows: None if rows > 200 else 3, [3, None, 3]),
        ({"sales/north.csv": 7, "south": 0, "May": 2.5}, [7, 0, 2.5]),
        ({"north.csv": 7}, [7, None, None]),
        ({"NORTH": 7, "sales/south.csv.gz": None}, [7, None, None]),
        ({"table": ["north", "south", "book.xlsx#May"], "price": [1, 2, 3]}, [1, 2, 3]),
        ({"table": np.array(["north", "south"]), "price": np.array([1, 2])}, [1, 2, None]),
        ([{"table": "north", "price": 4}], [4, None, None]),
        (listing({"table": ["north", "south"], "price": ["1,200", None]}), [1200, None, None]),
        (pl.LazyFrame({"table": ["north", "south"], "price": [1, 2]}), [1, 2, None]),
        (pd.Series([7, None, 2.5], index=["north", "south", "May"]), [7, None, 2.5]),
        ({"north": "€5", "south": "1 200.50 $", "May": "3"}, [5, 1200.5, 3]),
        (
            listing({"table": ["north", "south", "May"], "price": ["£ 1'200", "1\u00a0200\u202f000 €", "¥5"]}),
            [1200, 1_200_000, 5],
        ),
    ],
)
def test_prices_of_every_form(given: Any, expected: list[Any]) -> None:
    assert prices(given) == expected


@pytest.mark.parametrize("name", ["list.csv", "list.parquet", "list.json"])
def test_a_file_is_a_price_list(tmp_path: Path, name: str) -> None:
    frame = listing({"Table": ["north", "south", "May"], "Price": [1.5, 20, 3]})
    path = tmp_path / name
    {"csv": lambda: frame.to_csv(path, index=False), "parquet": lambda: frame.to_parquet(path),
     "json": lambda: frame.to_json(path, orient="records")}[path.suffix[1:]]()  # fmt: skip
    known = prices_of(path, TABLES)
    assert list(known.by_table.values()) == [1.5, 20, 3] and known.notes == []


def test_other_columns_are_found_by_their_types_and_noted() -> None:
    known = prices_of(listing({"cost": [5, 6], "what": ["north", "south"], "who": ["x", "y"]}), TABLES)
    assert list(known.by_table.values()) == [5, 6, None]
    assert known.notes == ["in 'the price list', 'what' was read as the tables' names and 'cost' as their prices"]


@pytest.mark.parametrize(
    ("columns", "names", "price"),
    [
        ({"rows": [9, 9], "Dataset": ["north", "south"], "Cost": [5, 6]}, "Dataset", "Cost"),
        ({"seller": ["a", "b"], "file name": ["north", "south"], "weight": [9, 9], "Price (EUR)": [5, 6]},
         "file name", "Price (EUR)"),
        ({"name": ["Ada", "Alan"], "file": ["north", "south"], "amount": [9, 9], "price": [5, 6]}, "file", "price"),
        ({"seller": ["a", "b"], "what": ["x/north.csv", "south"], "sum": ["€5", "€6"]}, "what", "sum"),
    ],
)  # fmt: skip
def test_columns_are_found_by_their_names_then_by_their_content(columns: Any, names: str, price: str) -> None:
    known = prices_of(listing(columns), [("x/north.csv", 1), ("x/south.csv", 1)])
    assert list(known.by_table.values()) == [5, 6]
    assert known.notes == [
        f"in 'the price list', '{names}' was read as the tables' names and '{price}' as their prices"
    ]


def test_a_function_that_fails_is_named_with_the_table() -> None:
    with pytest.raises(UsageError, match=r"prices= failed for 'sales/north.csv': KeyError: 'north'"):
        prices(lambda name, rows: {}["north"])


def test_a_text_that_is_not_a_price_has_the_wanted_form_in_the_remedy() -> None:
    with pytest.raises(UsageError, match=r"got '12,50 €'; write prices as 1200 or 1,200.50, with a currency sign or w"):
        prices({"table": ["north", "south"], "price": ["12,50 €", "5"]})


def test_a_default_price_is_that_of_tables_without_one() -> None:
    assert prices({"north": 7}, 9) == [7, 9, 9]
    assert prices(None, 9) == [9, 9, 9]
    assert prices(lambda name, rows: None, 9) == [9, 9, 9]


def test_names_that_are_not_candidates_are_noted() -> None:
    assert prices_of({"north": 7, "east": 1, "west": 2}, TABLES).notes == [
        "2 names in the price list are not among the candidates: 'east', 'west'"
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"north": -1}, "the price of 'sales/north.csv' must be a finite number >= 0, got -1"),
        ({"north": float("inf")}, "the price of 'sales/north.csv' must be a finite number >= 0, got inf"),
        ({"north": "cheap"}, "the price of 'sales/north.csv' must be a finite number >= 0, got 'cheap'"),
        ({"north": True}, "the price of 'sales/north.csv' must be a finite number >= 0, got True"),
        (lambda name, rows: -rows, "the price of 'sales/north.csv' must be a finite number >= 0, got -100"),
        (-0.5, "the price of each row must be a finite number >= 0, got -0.5"),
        (
            {"table": ["north", "south"], "price": ["cheap", "5"]},
            "'sales/north.csv' must be a finite number >= 0, got 'cheap'",
        ),
        ({"table": ["north", "north"], "price": [1, 2]}, "has two prices of 'north': 1 and 2"),
        ({"north": 1, "north.csv": 2}, "'sales/north.csv' has two prices in the price list: 1 and 2"),
        ({"a": [1, 2], "b": [3, 4]}, "'the price list' has no column of names"),
        ({"a": ["x", "y"], "b": ["z", "w"]}, "'the price list' has no column of prices"),
        (
            {"table": ["north"], "new": [1], "old": [2]},
            "several columns of 'the price list' may be the prices: 'new'",
        ),
        ({"table": ["north"], "price_1": [1], "price_2": [2]}, "may be the prices: 'price_1', 'price_2'"),
        (pd.DataFrame([["north", 1, 2]], columns=["table", "price", "price"]), "several columns called 'price'"),
        ("nowhere.csv", "the price list 'nowhere.csv' is not a file"),
        (object(), "expected prices, got object"),
    ],
)
def test_what_is_not_a_price_is_refused(given: Any, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        prices(given)
    assert message in raised.value.message and raised.value.remedy


def test_a_name_that_may_mean_two_tables_is_refused() -> None:
    with pytest.raises(UsageError, match=r"the price of 'north' may be that of 2 candidates: a/north.csv, b/north.csv"):
        prices_of({"north": 5}, [("a/north.csv", 1), ("b/north.csv", 1)])
    exact = prices_of({"a/north.csv": 5, "north": 6}, [("a/north.csv", 1), ("b/north.csv", 1)])
    assert exact.by_table == {"a/north.csv": 5, "b/north.csv": 6}


@pytest.mark.parametrize("value", [-1, float("nan"), "cheap"])
def test_a_default_price_that_is_not_one_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="'default_price' must be a finite number"):
        prices({"north": 7}, value)


def test_a_table_without_a_price_is_rejected_and_keeps_none() -> None:
    more = {name: [*cells, cells[0]] for name, cells in BASE.items()}
    bundle = mere.assemble(BASE, {"a": more, "b": more}, budget=5, prices={"a": 3}, method="exact")
    assert [(each.table, each.price, each.code) for each in bundle.rejected] == [
        ("a", 3, "nothing new"), ("b", None, "no price"),
    ]  # fmt: skip
    assert "default_price=" in bundle.rejected[1].reason


def test_without_prices_the_budget_is_a_number_of_tables(lake: mere.Lake) -> None:
    bundle = lake.assemble(BASE, budget=1, method="exact")
    assert len(bundle.chosen) == bundle.cost == 1
    assert "no prices were given: each table costs 1, so the budget is a number of tables" in bundle.notes
    assert lake.assemble(BASE, method="exact").notes == []


def test_prices_that_add_up_to_the_budget_are_paid_and_not_shown_above_it() -> None:
    tables = {"a": {"n": [1]}, "b": {"n": [2]}}
    bundle = mere.assemble({"n": [0]}, tables, budget=0.3, prices={"a": 0.1, "b": 0.2}, method="exact")
    assert len(bundle) == 2 and bundle.cost == bundle.curve[-1].cost == bundle.budget == 0.3
    alone = mere.assemble({"n": [0]}, {"a": {"n": [1]}}, budget=0.3, prices={"a": 0.1 + 0.2}, method="exact")
    assert len(alone) == 1 and alone.cost == 0.3
    tenths = {f"t{n}": {"n": [n]} for n in range(1, 11)}
    assert mere.assemble({"n": [0]}, tenths, prices=0.1, method="exact").cost == 1
    with pytest.raises(UsageError, match=r"no candidate costs budget=0\.3 or less"):
        mere.assemble({"n": [0]}, {"a": {"n": [1]}}, budget=0.3, prices={"a": 0.3001})


@pytest.mark.parametrize("method", METHODS)
def test_without_a_budget_there_is_no_limit_however_high_prices_are(method: str) -> None:
    tables = {"a": {"n": [1]}, "b": {"n": [2]}}
    bundle = mere.assemble({"n": [0]}, tables, prices={"a": 1e300, "b": 1e300}, method=method)
    assert len(bundle) == 2 and bundle.cost == 2e300 and bundle.budget is None
    assert bundle.summary().startswith("2 tables, cost 2e+300, no limit: 3 distinct rows")
    assert max(map(len, (repr(bundle), *curve_text(bundle.steps())))) < 300 and "0" * 20 not in str(bundle.to_dict())


@pytest.mark.parametrize("price", [1e308, 10**5000], ids=["float", "int"])
def test_a_price_with_which_sums_would_overflow_is_refused(price: float) -> None:
    with pytest.raises(UsageError) as raised:
        prices({"north": price})
    assert raised.value.message == "the price of 'sales/north.csv' is higher than 1e+300"
    assert raised.value.remedy == "give prices in a larger unit of money"


def test_a_budget_may_be_a_decimal() -> None:
    bundle = mere.assemble({"n": [0]}, {"a": {"n": [1]}}, budget=Decimal("0.3"), prices=0.1, method="exact")
    assert json.loads(json.dumps(bundle.to_dict()))["budget"] == 0.3


def test_a_budget_below_the_cheapest_table_is_refused_with_its_name(lake: mere.Lake) -> None:
    with pytest.raises(UsageError) as raised:
        lake.assemble(BASE, ["north.csv", "south.csv"], budget=4, prices={"north": 5, "south": 6})
    assert raised.value.message == "no candidate costs budget=4 or less"
    assert raised.value.remedy == "the cheapest, 'shops/north.csv', costs 5; raise budget="
    free = lake.assemble(BASE, ["north.csv", "south.csv"], budget=4, prices={"north": 0, "south": 6}, method="exact")
    assert [each.table for each in free.chosen] == ["shops/north.csv"] and free.cost == 0


@pytest.mark.parametrize("missing", [None, float("nan"), "", " ", np.float64("nan")])
def test_a_missing_price_of_a_mapping_is_no_price(missing: Any) -> None:
    assert prices({"north": missing, "south": 2}) == [None, 2, None]


def test_a_default_price_may_have_a_currency_sign() -> None:
    assert prices({"north": 2}, "€ 5") == [2, 5, 5]


def test_several_currency_signs_are_noted() -> None:
    note = "the prices have several currency signs ($, €), which are not converted"
    mixed = {"table": ["north", "south"], "price": ["€ 3", "$ 4"]}
    assert prices_of({"north": "€ 3", "south": "$ 4"}, TABLES).notes == [note]
    assert prices_of(listing(mixed), TABLES).notes == [note]
    assert prices_of({"north": "€ 3", "south": "€ 4"}, TABLES).notes == []
