"""Which columns are proposed as the key of a table whose key is not known."""

from __future__ import annotations

import json
from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.search.proposals import Rows, candidate_columns, propose_keys
from mere.values import normalise_cell

COUNTRIES = ["Austria", "Belgium", "Chile", "Denmark", "Estonia", "Fiji"]
GRID = list(product(COUNTRIES, range(2001, 2011)))  # 60 rows


def table(**columns: list) -> pa.Table:
    cells = {name: [None if cell is None else str(cell) for cell in column] for name, column in columns.items()}
    return pa.table({name: pa.array(column, pa.string()) for name, column in cells.items()})


def proposed(given: pa.Table, **options: int) -> list[tuple[str, ...]]:
    return [proposal.columns for proposal in propose_keys(given, **options)]


def by_country_and_year(**more: list) -> pa.Table:
    return table(**more, country=[c for c, _ in GRID], year=[y for _, y in GRID])


def test_a_natural_composite_key_comes_before_row_numbers() -> None:
    proposals = propose_keys(by_country_and_year(id=list(range(1, 61))))
    assert [proposal.columns for proposal in proposals] == [("country", "year"), ("id",)]
    assert proposals[0].why == "(country, year) is different in each of 60 rows; neither column alone has more than 17%"
    assert proposals[1].why.endswith("it only numbers the rows, and such numbers occur in unrelated columns")


def test_row_numbers_are_recognised_in_a_sample_of_a_long_table() -> None:
    numbers = np.arange(300_000)
    given = pa.table({"id": numbers, "city": [f"c{n}" for n in numbers // 100], "year": 1900 + numbers % 100})
    first, *_, last = propose_keys(given)
    assert first.columns == ("city", "year") and last.columns == ("id",)
    assert first.rows == 50_000 and "of 50,000 rows of a sample" in first.why


def test_typed_columns_of_a_frame_are_proposed_like_text() -> None:
    given = pa.table(
        {"value": [n / 7 for n in range(60)], "country": [c for c, _ in GRID], "year": [y for _, y in GRID]}
    )
    assert proposed(given) == [("country", "year")]
    days = pa.array([f"2020-01-{1 + n % 30:02}" for n in range(60)]).cast(pa.date32())
    assert proposed(pa.table({"day": days, "side": ["left"] * 30 + ["right"] * 30})) == [("day", "side")]


def test_only_minimal_combinations_are_proposed() -> None:
    given = by_country_and_year(code=[f"{c[:2]}{y}" for c, y in GRID], note=["x", "y"] * 30)
    assert proposed(given) == [("code",), ("country", "year")]


def test_three_columns_are_proposed_where_two_are_not_unique() -> None:
    cells = list(product("abcde", "vwxyz", ["2001", "2002", "2003", "2004"]))
    given = table(shop=[a for a, _, _ in cells], product=[b for _, b, _ in cells], year=[c for _, _, c in cells])
    proposals = propose_keys(given)
    assert [proposal.columns for proposal in proposals] == [("shop", "product", "year")]
    assert proposals[0].why.endswith("no column alone has more than 5%")
    assert [len(columns) for columns in proposed(given, most=3, widest=2)] == [2, 2, 2]


@pytest.mark.parametrize(("repeats", "is_key"), [(0, True), (5, True), (6, False)])
def test_ninety_five_percent_of_the_rows_must_differ(repeats: int, is_key: bool) -> None:
    names = [f"name {n}" for n in range(100 - repeats)]
    [proposal] = propose_keys(table(name=names + names[:repeats]))
    assert (proposal.distinct, proposal.rows, proposal.unique) == (100 - repeats, 100, (100 - repeats) / 100)
    assert proposal.why.startswith("nothing is near-unique") != is_key


def test_values_are_equal_as_they_are_in_the_lake() -> None:
    [proposal] = propose_keys(table(name=["Graz", "GRAZ ", "Wien", "wien"], year=["2001", "2002", "2001.0", "2002"]))
    assert (proposal.columns, proposal.distinct) == (("name", "year"), 4)


def test_decimals_constants_long_text_and_empty_columns_are_not_parts_of_keys() -> None:
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
    [proposal] = propose_keys(table(code=codes, year=[y for _, y in GRID]))
    assert (proposal.distinct, proposal.rows, proposal.complete, proposal.unique) == (48, 60, 0.8, 1.0)
    assert proposal.why.startswith("(code, year) is different in each of the 48 of 60 rows without nulls")


def test_spellings_of_null_are_null() -> None:
    [proposal] = propose_keys(table(name=[*(f"name {n}" for n in range(8)), "N/A", "n/a"]))
    assert (proposal.distinct, proposal.complete) == (8, 0.8)


def test_equivalent_columns_do_not_fill_the_list() -> None:
    given = by_country_and_year(code=[c[:3] for c, _ in GRID], iso=[c[:2] for c, _ in GRID])
    slots = [f"slot {(COUNTRIES.index(c) + y) % 10}" for c, y in GRID]
    proposals = proposed(given.append_column("slot", pa.array(slots)))
    ideas = [("year" in columns, "slot" in columns) for columns in proposals]
    assert len(set(ideas[:3])) == 3  # a country with a year, one with a slot, a year with a slot
    assert len(proposals) == 5


def test_if_nothing_is_near_unique_the_most_distinct_are_proposed_with_that_reason() -> None:
    given = table(a=["x", "y"] * 30, b=["u", "v", "w"] * 20, same=["p", "q"] * 30)
    proposals = propose_keys(given)
    assert proposals[0].columns == ("a", "b")
    assert proposals[0].why.startswith(
        "nothing is near-unique, but among the most distinct are 6 different (a, b) in 60 rows"
    )
    assert ("a", "same") not in [proposal.columns for proposal in proposals]


def test_words_and_years_are_chosen_before_numbers_where_columns_are_many() -> None:
    numbers = {f"n{i}": [(n * (i + 3)) % 31 for n in range(60)] for i in range(40)}
    assert proposed(by_country_and_year(**numbers))[0] == ("country", "year")


def test_nothing_is_proposed_for_an_empty_table() -> None:
    assert propose_keys(pa.table({})) == []
    assert propose_keys(table(a=[], b=[])) == []
    assert propose_keys(table(a=[None, None])) == []
    assert propose_keys(pa.table({"a": pa.nulls(60_000)})) == []
    assert proposed(by_country_and_year(), most=0) == []


def test_a_single_row_or_a_single_column_is_enough() -> None:
    assert proposed(table(a=["x"], b=["y"])) == [("a",), ("b",)]
    assert proposed(table(city=["x", "y", "z"])) == [("city",)]


def test_a_name_that_occurs_twice_is_not_proposed() -> None:
    arrays = [pa.array([c for c, _ in GRID]), pa.array([f"k{n}" for n in range(60)]), pa.array([y for _, y in GRID])]
    given = pa.table([*arrays, arrays[1]], names=["country", "key", "year", "key"])
    assert proposed(given) == [("country", "year")]


def test_names_may_be_in_any_script_and_a_proposal_can_be_written_as_json() -> None:
    given = table(**{"國家": [f"國{c}" for c, _ in GRID], "Jahr für Jahr": [y for _, y in GRID]})
    [proposal] = propose_keys(given)
    assert json.loads(json.dumps(proposal.to_dict()))["columns"] == ["國家", "Jahr für Jahr"]


def test_more_combinations_than_fit_into_64_bits_are_counted_correctly() -> None:
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

    candidates = [name for name in names if count((name,))[0] > (len(rows) > 1) and count((name,))[1] >= len(rows) / 2]
    near_unique = [key for width in range(1, 5) for key in combinations(candidates, width) if near(key)]
    minimal = {key for key in near_unique if not any(set(other) < set(key) for other in near_unique)}
    proposals = propose_keys(given, most=100)
    for proposal in proposals:
        distinct, complete = count(proposal.columns)
        assert (proposal.distinct, proposal.rows) == (distinct, len(rows))
        assert proposal.unique == distinct / complete and proposal.complete == complete / len(rows)
    assert (
        {proposal.columns for proposal in proposals} == minimal
        if minimal
        else not any(near(p.columns) for p in proposals)
    )
    assert bool(proposals) == bool(candidates)


def test_proposals_do_not_depend_on_how_a_table_is_split_into_batches() -> None:
    rng = np.random.default_rng(3)
    given = pa.table({f"c{i}": [f"w{n}" for n in rng.integers(0, 300, 60_000)] for i in range(6)})
    pieces = pa.concat_tables([given.slice(0, 7), given.slice(7, 40_000), given.slice(40_007)])
    assert propose_keys(given) == propose_keys(given) == propose_keys(pieces)


def test_of_a_thousand_columns_at_most_231_combinations_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Rows] = []

    class Recorded(Rows):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr("mere.search.proposals.Rows", Recorded)
    rng = np.random.default_rng(1)
    wide = {f"m{i}": [f"w{n}" for n in rng.integers(0, 40, 500)] for i in range(1_000)}
    assert len(propose_keys(pa.table(wide))) == 5
    [rows] = made
    assert len(rows.names) == 14 and 14 + 91 <= len(rows.counts) <= 14 + 91 + 56 + 70


def test_numbers_of_a_table_are_read_by_the_share_and_the_decimal_mark_of_the_lake():
    three = pa.table({"a": ["1.500", "1500", "2.500", "2500"], "b": ["1,25", "2,25", "3,25", "4,25"]})
    assert Rows(three, candidate_columns(three)).sizes[0] - 1 == 2  # by the decimal comma of the other column
    labels = pa.table({"a": ["€ 5", "5", "€ 6", "6", "x"], "b": list("vwxyz")})
    sizes = [Rows(labels, candidate_columns(labels, share), share).sizes[0] - 1 for share in (0.66, 0.9)]
    assert sizes == [3, 5]
