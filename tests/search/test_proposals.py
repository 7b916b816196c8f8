"""Which columns are proposed as the key of a table that nobody described."""

from __future__ import annotations

import json
import time
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.search.proposals import candidate_columns, Rows, propose_keys
from mere.values import normalise_cell

COUNTRIES = ["Austria", "Belgium", "Chile", "Denmark", "Estonia", "Fiji"]
GRID = list(product(COUNTRIES, range(2001, 2011)))  # 60 rows


def table(**columns: list) -> pa.Table:
    cells = {name: [None if cell is None else str(cell) for cell in column] for name, column in columns.items()}
    return pa.table({name: pa.array(column, pa.string()) for name, column in cells.items()})


def proposed(given: pa.Table, **options: int) -> list[tuple[str, ...]]:
    return [one.columns for one in propose_keys(given, **options)]


def by_country_and_year(**more: list) -> pa.Table:
    return table(**more, country=[c for c, _ in GRID], year=[y for _, y in GRID])


def test_a_natural_composite_key_comes_before_a_surrogate_number() -> None:
    found = propose_keys(by_country_and_year(id=list(range(1, 61))))
    assert [one.columns for one in found] == [("country", "year"), ("id",)]
    assert found[0].why == "(country, year) is different in each of 60 rows; neither column alone has more than 17%"
    assert found[1].why.endswith("it only numbers the rows, and such numbers occur in unrelated columns")


def test_a_surrogate_number_is_known_as_such_in_a_table_of_which_only_some_rows_are_looked_at() -> None:
    numbers = np.arange(300_000)
    given = pa.table({"id": numbers, "city": [f"c{n}" for n in numbers // 100], "year": 1900 + numbers % 100})
    first, *_, last = propose_keys(given)
    assert first.columns == ("city", "year") and last.columns == ("id",)
    assert first.rows == 50_000 and "of 50,000 rows of a sample" in first.why


def test_columns_of_a_frame_have_types_and_are_proposed_all_the_same() -> None:
    given = pa.table(
        {"value": [n / 7 for n in range(60)], "country": [c for c, _ in GRID], "year": [y for _, y in GRID]}
    )
    assert proposed(given) == [("country", "year")]
    days = pa.array([f"2020-01-{1 + n % 30:02}" for n in range(60)]).cast(pa.date32())
    assert proposed(pa.table({"day": days, "side": ["left"] * 30 + ["right"] * 30})) == [("day", "side")]


def test_only_minimal_combinations_are_proposed() -> None:
    given = by_country_and_year(code=[f"{c[:2]}{y}" for c, y in GRID], note=["x", "y"] * 30)
    assert proposed(given) == [("code",), ("country", "year")]


def test_three_columns_are_proposed_where_two_do_not_do() -> None:
    cells = list(product("abcde", "vwxyz", ["2001", "2002", "2003", "2004"]))
    given = table(shop=[a for a, _, _ in cells], product=[b for _, b, _ in cells], year=[c for _, _, c in cells])
    found = propose_keys(given)
    assert [one.columns for one in found] == [("shop", "product", "year")]
    assert found[0].why.endswith("no column alone has more than 5%")
    assert [len(columns) for columns in proposed(given, most=3, widest=2)] == [2, 2, 2]


@pytest.mark.parametrize(("repeats", "is_key"), [(0, True), (5, True), (6, False)])
def test_nineteen_of_twenty_must_differ(repeats: int, is_key: bool) -> None:
    names = [f"name {n}" for n in range(100 - repeats)]
    [found] = propose_keys(table(name=names + names[:repeats]))
    assert (found.distinct, found.rows, found.unique) == (100 - repeats, 100, (100 - repeats) / 100)
    assert found.why.startswith("nothing is near-unique") != is_key


def test_values_are_equal_as_they_are_in_the_lake() -> None:
    [found] = propose_keys(table(name=["Graz", "GRAZ ", "Wien", "wien"], year=["2001", "2002", "2001.0", "2002"]))
    assert (found.columns, found.distinct) == (("name", "year"), 4)


def test_measures_constants_prose_and_empty_columns_are_no_parts_of_keys() -> None:
    prose = [f"In {n} there was a long winter, and nobody knew what to do about it at all." for n in range(60)]
    given = by_country_and_year(
        value=[n + 0.37 for n in range(60)],
        unit=["t"] * 60,
        note=prose,
        mostly=[f"m{n}" if n < 20 else None for n in range(60)],
        never=[None] * 60,
    )
    assert proposed(given) == [("country", "year")]
    assert proposed(given.select(["value", "unit", "note", "mostly", "never"])) == []


def test_quantities_are_proposed_only_if_there_is_nothing_else() -> None:
    people = [1_000 + 7_919 * n * n for n in range(60)]
    assert proposed(by_country_and_year(people=people)) == [("country", "year")]
    assert proposed(table(people=people)) == [("people",)]


def test_rows_with_nulls_are_left_out_and_counted() -> None:
    codes = [None if n < 12 else c[:2] for n, (c, _) in enumerate(GRID)]
    [found] = propose_keys(table(code=codes, year=[y for _, y in GRID]))
    assert (found.distinct, found.rows, found.complete, found.unique) == (48, 60, 0.8, 1.0)
    assert found.why.startswith("(code, year) is different in each of the 48 of 60 rows without nulls")


def test_spellings_of_null_are_null() -> None:
    [found] = propose_keys(table(name=[*(f"name {n}" for n in range(8)), "N/A", "n/a"]))
    assert (found.distinct, found.complete) == (8, 0.8)


def test_twins_do_not_fill_the_list() -> None:
    given = by_country_and_year(code=[c[:3] for c, _ in GRID], iso=[c[:2] for c, _ in GRID])
    slots = [f"slot {(COUNTRIES.index(c) + y) % 10}" for c, y in GRID]
    found = proposed(given.append_column("slot", pa.array(slots)))
    ideas = [("year" in one, "slot" in one) for one in found]
    assert len(set(ideas[:3])) == 3  # a country with a year, one with a slot, a year with a slot
    assert len(found) == 5


def test_if_nothing_is_near_unique_the_most_distinct_come_and_say_so() -> None:
    given = table(a=["x", "y"] * 30, b=["u", "v", "w"] * 20, same=["p", "q"] * 30)
    found = propose_keys(given)
    assert found[0].columns == ("a", "b")
    assert found[0].why.startswith(
        "nothing is near-unique, but among the most distinct are 6 different (a, b) in 60 rows"
    )
    assert ("a", "same") not in [one.columns for one in found]


def test_words_and_years_are_chosen_before_numbers_where_columns_are_many() -> None:
    numbers = {f"n{i}": [(n * (i + 3)) % 31 for n in range(60)] for i in range(40)}
    assert proposed(by_country_and_year(**numbers))[0] == ("country", "year")


def test_nothing_is_proposed_of_nothing() -> None:
    assert propose_keys(pa.table({})) == []
    assert propose_keys(table(a=[], b=[])) == []
    assert propose_keys(table(a=[None, None])) == []
    assert propose_keys(pa.table({"a": pa.nulls(60_000)})) == []
    assert proposed(by_country_and_year(), most=0) == []


def test_a_single_row_and_a_single_column_will_do() -> None:
    assert proposed(table(a=["x"], b=["y"])) == [("a",), ("b",)]
    assert proposed(table(city=["x", "y", "z"])) == [("city",)]


def test_a_name_that_occurs_twice_is_not_proposed() -> None:
    arrays = [pa.array([c for c, _ in GRID]), pa.array([f"k{n}" for n in range(60)]), pa.array([y for _, y in GRID])]
    given = pa.table([*arrays, arrays[1]], names=["country", "key", "year", "key"])
    assert proposed(given) == [("country", "year")]


def test_any_script_will_do_and_a_proposal_can_be_written_as_json() -> None:
    given = table(**{"國家": [f"國{c}" for c, _ in GRID], "Jahr für Jahr": [y for _, y in GRID]})
    [found] = propose_keys(given)
    assert json.loads(json.dumps(found.to_dict()))["columns"] == ["國家", "Jahr für Jahr"]


def test_more_combinations_than_fit_into_64_bits_are_counted_right() -> None:
    words = [f"w{n}" for n in range(2**13 - 1)]  # with the null 2 ** 13, so that five columns have 65 bits
    diagonal, edge = words + words, words + words[:1] * len(words)
    given = table(a=diagonal, b=edge, c=edge, d=edge, e=edge)
    assert Rows(given, candidate_columns(given)).count((0, 1, 2, 3, 4)).distinct == 2 * len(words) - 1


WORDS = st.sampled_from(["red", "Red", "blue", "green", "grey", "pink", None])
ROWS = st.integers(2, 5).flatmap(lambda wide: st.lists(st.tuples(*[WORDS] * wide), min_size=1, max_size=30))


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_counts_and_minimality_are_those_of_brute_force(rows: list[tuple]) -> None:
    names = [f"c{n}" for n in range(len(rows[0]))]
    values = [[None if cell is None else normalise_cell(cell) for cell in row] for row in rows]
    given = table(**{name: [row[n] for row in rows] for n, name in enumerate(names)})

    def count(columns: tuple[str, ...]) -> tuple[int, int]:
        cells = [tuple(row[names.index(name)] for name in columns) for row in values]
        complete = [cell for cell in cells if None not in cell]
        return len(set(complete)), len(complete)

    def near(columns: tuple[str, ...]) -> bool:
        distinct, complete = count(columns)
        return complete >= max(1, len(rows) / 2) and distinct >= 0.95 * complete

    able = [name for name in names if count((name,))[0] > (len(rows) > 1) and count((name,))[1] >= len(rows) / 2]
    every = [one for width in range(1, 5) for one in combinations(able, width) if near(one)]
    minimal = {one for one in every if not any(set(other) < set(one) for other in every)}
    found = propose_keys(given, most=100)
    for one in found:
        distinct, complete = count(one.columns)
        assert (one.distinct, one.rows) == (distinct, len(rows))
        assert one.unique == distinct / complete and one.complete == complete / len(rows)
    assert {one.columns for one in found} == minimal if minimal else not any(near(one.columns) for one in found)
    assert bool(found) == bool(able)


def test_the_same_table_gets_the_same_proposals_however_it_is_cut() -> None:
    rng = np.random.default_rng(3)
    given = pa.table({f"c{i}": [f"w{n}" for n in rng.integers(0, 300, 60_000)] for i in range(6)})
    pieces = pa.concat_tables([given.slice(0, 7), given.slice(7, 40_000), given.slice(40_007)])
    assert propose_keys(given) == propose_keys(given) == propose_keys(pieces)


def test_a_table_of_a_thousand_columns_is_answered_at_once() -> None:
    rng = np.random.default_rng(1)
    wide = {f"m{i}": [f"w{n}" for n in rng.integers(0, 40, 500)] for i in range(1_000)}
    propose_keys(by_country_and_year())  # what is compiled once is not counted
    start = time.perf_counter()
    assert len(propose_keys(pa.table(wide))) == 5
    assert time.perf_counter() - start < 3  # 0.2 s on an idle machine
