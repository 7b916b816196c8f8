"""Links: what is known of columns is the same from a segment and from values, and the score is what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere.indexes.overlap import Overlap
from mere.indexes.sets.question import distinct_of
from mere.search.links import ACCIDENTS, Linked, PairNames, Sides, judge_links, linked, sides_given, sides_stored
from mere.search.links.quality import costs_of, names_agree, score_of
from mere.segments import Facts, digest, summarise
from tests.kinds.harness import build_parts, folder

COLUMNS = {
    "years": [str(year) for year in range(1990, 2004)],
    "months": [str(month) for month in range(1, 13)] * 2,
    "small": ["3", "17", "250", "999"],
    "row numbers": [str(number) for number in range(1, 1200)],
    "dense": [str(number) for number in range(40_000, 42_000, 3)],
    "sparse": [str(number) for number in range(40_000, 9_000_000, 30_011)],
    "negative": ["-40000", "7000", "50000"],
    "decimals": ["1.5", "2.5", "3.25", "7"],
    "letters": ["a", "b", "c", "é"],
    "dates": ["2020-01-01", "2020-02-01", "2021-03-04"],
    "booleans": ["yes", "no"],
    "one": ["x1"],
    "none": ["", "", ""],
    "names": ["anna", "berta", "clara"],
    "codes": ["at", "ch", "fr", "it"],
}
EXPECTED = {
    "years": "years", "months": "months or days", "small": "small integers", "row numbers": "row numbers",
    "dense": "dense integers", "letters": "one-letter codes", "dates": "dates", "booleans": "two values",
    "one": "a single value", "decimals": "decimal numbers",
}  # fmt: skip


def stored(columns: dict[str, list[str]]) -> Sides:
    """The columns as tables of one column each, in a segment."""
    frames = [pa.table({"c": pa.array(cells, pa.string())}) for cells in columns.values()]
    tables = summarise([Facts(f"{number:03d}", "", "t") for number in range(len(frames))], digest(frames))
    with folder() as path:
        [part] = build_parts(Overlap(), path, [tables], {}, {})
        return sides_stored(part.segment)


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_that_match_by_accident_are_named(name: str) -> None:
    for sides in (stored({name: COLUMNS[name]}), sides_given([distinct_of(COLUMNS[name])])):
        assert ACCIDENTS[int(sides.accidents[0])] == EXPECTED.get(name, "")


cells = st.one_of(
    st.integers(-5, 40).map(str), st.integers(1495, 2205).map(str), st.integers(0, 3000).map(str),
    st.sampled_from(["a", "b", "é", "word", "2020-01-01", "2021-05-06", "", "yes", "no"]),
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(columns=st.lists(st.lists(cells, min_size=1, max_size=12), min_size=1, max_size=6))
def test_a_segment_and_the_values_say_the_same_of_a_column(columns: list[list[str]]) -> None:
    there = stored({str(place): column for place, column in enumerate(columns)})
    here = sides_given([distinct_of(column) for column in columns])
    for place in range(len(columns)):
        assert there.distinct[place] == here.distinct[place] and there.rows[place] == here.rows[place]
        assert ACCIDENTS[int(there.accidents[place])] == ACCIDENTS[int(here.accidents[place])], columns[place]


def side(distinct: int, rows: int, accident: str = "") -> Sides:
    return Sides(np.array([distinct]), np.array([rows]), np.array([ACCIDENTS.index(accident)], np.uint8))


@pytest.mark.parametrize(
    ("shared", "left", "right", "agree", "score"),
    [
        (10, side(10, 10), side(10, 10), 1.0, 0.5),  # strength 1, cover 1, key 1, size 1/2
        (10, side(10, 10), side(160, 160), 1.0, 0.5 * 0.5),  # one of 16 keys
        (30, side(30, 30), side(480, 480), 1.0, 0.5 * 0.75),
        (30, side(40, 40), side(480, 480), 1.0, 0.5 * 0.75 * 0.75),
        (10, side(10, 100), side(160, 320), 1.0, 0.5 * 0.5 * 0.5),  # each value stands in two rows or more
        (10, side(10, 10), side(10, 10), 0.0, 0.5 * 0.75),
    ],
)
def test_a_score_is_the_product_of_its_parts(
    shared: int, left: Sides, right: Sides, agree: float, score: float
) -> None:
    for mine, theirs in ((left, right), (right, left)):
        [given_score], [accident] = judge_links(Linked(np.array([shared]), mine, theirs, np.array([agree])))
        assert given_score == pytest.approx(score) and accident == 0


@pytest.mark.parametrize(
    ("left", "right", "agree", "accident"),
    [
        ("", "years", 1.0, "years"),
        ("dates", "", 1.0, "dates"),
        ("small integers", "", 0.0, "small integers"),
        ("small integers", "row numbers", 0.7, ""),  # they may be keys
        ("small integers", "two values", 1.0, "two values"),
        ("", "", 0.0, ""),
    ],
)
def test_small_integers_are_no_accident_where_names_agree(left: str, right: str, agree: float, accident: str) -> None:
    for mine, theirs in ((left, right), (right, left)):
        links = Linked(np.array([9]), side(9, 9, mine), side(9, 9, theirs), np.array([agree]))
        reason = ACCIDENTS[int(judge_links(links)[1][0])]
        assert reason == accident


@pytest.mark.parametrize(("header", "accident"), [("category_id", ""), ("month", "months or days")])
def test_a_column_that_is_named_as_an_identifier_holds_no_months(header: str, accident: str) -> None:
    both = side(12, 24, "months or days"), side(12, 12, "row numbers")
    links = linked(np.array([12]), *both, PairNames(["products.csv"], [header], ["categories.csv"], [header]))
    assert ACCIDENTS[int(judge_links(links)[1][0])] == accident


def test_names_agree_by_header_or_by_the_table_that_an_id_belongs_to() -> None:
    assert names_agree("a/orders.csv", "customer_id", "a/customers.csv", "id") == 1.0
    assert names_agree("a/customers.csv", "id", "a/orders.csv", "customerId") == 1.0
    assert names_agree("a.csv", "id", "b.csv", "id") == 0.0
    assert names_agree("a.csv", "country", "b.csv", "Country_Code") == 1.0
    assert names_agree("a.csv", "customer", "customers.csv", "town") == 0.0


def test_costs_and_scores_are_one_another() -> None:
    scores: Any = np.array([1.0, 0.5, 0.123456, 1e-5])
    assert [score_of(cost) for cost in costs_of(scores).tolist()] == pytest.approx(scores.tolist(), abs=2e-6)
