"""Distributions: histograms are true, and predicates agree with brute force at every edge."""

from __future__ import annotations

import random
from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from mere import compiled
from mere.errors import QueryError, UsageError
from mere.indexes import distribution
from mere.indexes.distribution import areas
from mere.indexes.distribution import kernels as compiled_kernels
from mere.indexes.distribution.areas import area
from mere.indexes.distribution.build import indexed
from mere.indexes.distribution.counting import bins_in, bounds_of, estimated, satisfied
from mere.indexes.distribution.engine import possible
from mere.indexes.distribution.histograms import (
    WAYS,
    Histograms,
    Strategy,
    histograms_of_table,
    strategy_of,
    summed_up,
)
from mere.indexes.distribution.likeness import Shape, curve_like, distance, nearest, numbers_like, shape_of
from mere.indexes.distribution.plan import distribution_probe
from mere.indexes.distribution.records import Bins
from mere.language import Predicate, parse
from mere.language.predicates import OPERATORS, SIDES
from mere.pipeline import Settings
from mere.segments import Facts, digest, summarise
from tests.kinds.harness import ask, build_parts, folder
from tests.oracles.distribution import bins_of, by_depth, by_width, histograms, label
from tests.oracles.distribution import distance as oracle_distance

KIND = distribution.Distribution()


@njit
def compiled_area(shape: Any, which: int, bins: Any, most: float) -> Any:
    return area(shape, which, bins, most)


def random_columns(chance: random.Random) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of few and of many values, constant, huge, tiny, and with one value that outweighs all others."""
    rows = []
    for column in range(chance.randint(1, 8)):
        values = {_value(chance) for _ in range(chance.choice([1, 1, 2, 3, 10, 40]))}
        rows += [(3 * column, value, chance.choice([1, 1, 2, 5, 100])) for value in values]
    columns, numbers, counts = zip(*rows, strict=True)
    return np.array(columns), np.array(numbers, float), np.array(counts, np.int64)


def _value(chance: random.Random) -> float:
    integer = chance.randint(-3, 6)
    large = 2.0**53 + 2 * integer
    return chance.choice([integer, integer, integer + 0.5, chance.uniform(-5, 5), 1e300, -1e300, 1e-310, 0.0, large])


def bins(summary: Histograms) -> list[Any]:
    return [
        bins_of(summary.edges[a + i : b + i + 1].tolist(), summary.counts[a:b].tolist())
        for i, (a, b) in enumerate(zip(summary.starts[:-1].tolist(), summary.starts[1:].tolist(), strict=True))
    ]


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 1 << 30), way=st.sampled_from(WAYS), most=st.sampled_from([1, 2, 4, 16]))
def test_every_bin_holds_the_rows_between_its_edges(seed: int, way: str, most: int) -> None:
    columns, numbers, counts = random_columns(random.Random(seed))
    summary = summed_up(columns, numbers, counts, Strategy(way, most))
    assert summary.columns.tolist() == sorted(set(columns.tolist()))
    for column, own in zip(summary.columns.tolist(), bins(summary), strict=True):
        values, rows = numbers[columns == column], counts[columns == column]
        assert len(own) <= 3 * most + 1
        assert own[0][0] == values.min() and own[-1][1] == values.max()
        for left, right, count, last in own:
            inside = (values >= left) & ((values < right) | (last & (values == right)))
            assert rows[inside].sum() == count


@pytest.mark.parametrize("way", WAYS)
def test_values_that_differ_in_spelling_only_are_one_number(way: str) -> None:
    spelled = summed_up(np.zeros(4, int), np.array([5.0, 5.0, 1.0, 5.0]), np.array([2, 2, 1, 3]), Strategy(way, 4))
    once = summed_up(np.zeros(2, int), np.array([1.0, 5.0]), np.array([1, 7]), Strategy(way, 4))
    assert bins(spelled) == bins(once)
    assert (np.diff(spelled.edges) >= 0).all()


def random_predicate(chance: random.Random, edges: list[float]) -> Predicate:
    ends = [
        chance.choice([chance.choice(edges), chance.uniform(-6, 7), float(chance.randint(-4, 7))]) for _ in range(2)
    ]
    ends[0] = chance.choice([ends[0], ends[0], ends[0], float("inf"), float("-inf")])
    operator = chance.choice(OPERATORS)
    value = (min(ends), max(ends)) if operator == "between" else ends[0]
    fraction = chance.choice(
        [Fraction(0), Fraction(1), Fraction(chance.randint(0, 20), 20), Fraction(chance.randint(0, 97), 97)]
    )
    return Predicate(None, chance.choice(SIDES), fraction, operator, value)


@pytest.mark.parametrize("kernels", [True, False])
def test_a_hundred_thousand_predicates_agree_with_brute_force(kernels: bool) -> None:
    chance, asked = random.Random(f"distribution {kernels}"), 0
    with patch.object(compiled, "ready", lambda *_: kernels):
        while asked < 50_000:
            summary = summed_up(*random_columns(chance), Strategy(chance.choice(WAYS), chance.choice([1, 2, 4, 16])))
            arrays, own, every = indexed(summary), bins(summary), np.arange(len(summary), dtype=np.uint32)
            for _ in range(30):
                predicate = random_predicate(chance, summary.edges.tolist())
                truth = [label(predicate, of_column) for of_column in own]
                assert sorted(possible(arrays, predicate).tolist()) == [i for i, verdict in enumerate(truth) if verdict]
                bounds = bounds_of(arrays, every, predicate.intervals)
                may, certain = satisfied(predicate, bounds)
                labels = [("guaranteed" if s else "possible") if m else None for m, s in zip(may, certain, strict=True)]
                assert labels == truth
                guess = estimated(arrays, every, predicate.ends, bounds)
                assert ((guess >= bounds.under / bounds.rows) & (guess <= bounds.over / bounds.rows)).all()
                asked += 1


def many_columns(chance: random.Random) -> Histograms:
    """Up to a few hundred columns that share values, so that orders are long and full of ties; none, and one, too."""
    count = chance.choice([0, 1, 2, 17, 40, 300])
    rows = []
    for column in range(count):
        values = {chance.choice([*range(-3, 7), 0.5, 1e300, -1e300]) for _ in range(chance.choice([1, 2, 10]))}
        rows += [(column, value, chance.choice([1, 1, 2, 100])) for value in values]
    columns, numbers, counts = np.array(rows, float).reshape(-1, 3).T
    strategy = Strategy(chance.choice(WAYS), chance.choice([1, 3, 16]))
    return summed_up(columns.astype(np.int64), numbers, counts.astype(np.int64), strategy)


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_kernels_and_numpy_find_the_same_in_long_orders(seed: int) -> None:
    chance = random.Random(seed)
    summary = many_columns(chance)
    arrays, every = indexed(summary), np.arange(len(summary), dtype=np.uint32)
    for _ in range(20):
        predicate = random_predicate(chance, [*summary.edges.tolist()[:40], 0.0])
        fits, _ = satisfied(predicate, bounds_of(arrays, every, predicate.intervals))
        for kernels in (True, False):
            with patch.object(compiled, "ready", lambda *_, kernels=kernels: kernels):
                assert np.sort(possible(arrays, predicate)).tolist() == np.flatnonzero(fits).tolist(), predicate


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
def test_columns_of_few_values_are_known_exactly(operator: str) -> None:
    values, counts = np.array([1.0, 2.0, 3.0, 7.5]), np.array([5, 1, 2, 4])
    summary = summed_up(np.zeros(4, int), values, counts, Strategy("equal-depth", 16))
    compared = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}[operator]
    for value in (0.0, 1.0, 1.5, 2.0, 3.0, 7.0, 7.5, 8.0):
        true = int(counts[compared(values, value)].sum())
        bounds = bounds_of(
            indexed(summary), np.zeros(1, np.uint32), Predicate(None, SIDES[0], Fraction(1), operator, value).intervals
        )
        assert (int(bounds.under[0]), int(bounds.over[0]), int(bounds.rows[0])) == (true, true, 12)


def test_fractions_are_exact_where_floats_are_not() -> None:
    summary = summed_up(np.zeros(10, int), np.arange(10.0), np.ones(10, np.int64), Strategy("equal-depth", 16))
    arrays = indexed(summary)
    assert possible(arrays, parse("at least 30% of any column < 3")).tolist() == [0]  # 0.1 * 3 > 0.3 in floats
    assert possible(arrays, parse("at least 30.0000001% of any column < 3")).tolist() == []
    huge = Predicate(None, "at least", Fraction(3 * 10**30 + 1, 10**31), "<", 3.0)
    assert possible(arrays, huge).tolist() == []


def lake_of(*columns: list[Any], **settings: Any) -> Any:
    names = [f"c{i}" for i in range(len(columns))]
    frame = pa.table([pa.array([None if v is None else str(v) for v in c], pa.string()) for c in columns], names=names)
    return summarise([Facts("t", "", "t")], digest([frame]))


def test_dates_infinities_and_words_in_a_column_of_numbers() -> None:
    tables = lake_of(
        ["2020-01-01", "2020-06-01", "2021-01-01", None], [*range(20), "inf", "nan"][:4], ["a", "b", "c", "d"]
    )
    more = lake_of([*range(38), "inf", "nan"])
    more[0].facts.name = "u"
    with folder() as path:
        parts = build_parts(KIND, path, [tables, more], {}, {})
        [hit] = ask(KIND, parts, {"predicate": "at least 60% of c0 < 2020-12-31", "per": "column"}, 10)
        assert (hit.table, hit.exact, hit.evidence["fraction"]) == ("t", True, [2 / 3, 2 / 3])  # numbers are no dates
        [hit] = ask(KIND, parts, {"predicate": "at least 60% of c0 < 1e9", "per": "column"}, 10)
        assert (hit.table, hit.evidence["rows"]) == ("u", 39)  # infinity counts, what is no number does not
        assert hit.evidence["fraction"] == pytest.approx([36 / 39, 38 / 39], abs=3 / 39)
        assert not ask(KIND, parts, {"predicate": "at least 100% of c0 < 1e300"}, 10)[0].exact
        assert len(ask(KIND, parts, {"predicate": "at least 2% of c0 > 1e300"}, 10)) == 1
        assert ask(KIND, parts, {"predicate": "at least 1% of c2 < 5"}, 10) == []


def test_a_constant_column_is_known_exactly() -> None:
    with folder() as path:
        parts = build_parts(KIND, path, [lake_of([5] * 9)], {}, {})
        for text, holds in [("< 5", False), ("<= 5", True), ("> 5", False), (">= 5", True), ("between 5 and 5", True)]:
            hits = ask(KIND, parts, {"predicate": f"at least 100% of c0 {text}"}, 10)
            assert [hit.evidence["label"] for hit in hits] == (["guaranteed"] if holds else [])


@pytest.mark.parametrize("setting", ["equal-depth", "equal-depth-0", "equal-depth-81", "equal-16", "16"])
def test_an_unknown_way_to_cut_bins_is_refused(setting: str) -> None:
    with pytest.raises(UsageError, match=setting):
        strategy_of(setting)
    with pytest.raises(UsageError):
        Settings(histogram_bins=setting)


@pytest.mark.parametrize(
    "query", [{}, {"predicate": "'word'"}, {"predicate": 7}, {"predicate": "at least 1% of a < 1", "mode": "x"}]
)
def test_a_query_without_a_predicate_is_refused(query: Any) -> None:
    with pytest.raises(QueryError):
        distribution_probe(query)


def discrete_distance(one: list[float], other: list[float]) -> float:
    """Wasserstein's, of two columns with as many values: the sorted values, pair by pair."""
    return float(np.abs(np.sort(one) - np.sort(other)).mean())


@settings(max_examples=200, deadline=None)
@given(
    one=st.lists(st.integers(-9, 9), min_size=6, max_size=6), other=st.lists(st.integers(-9, 9), min_size=6, max_size=6)
)
def test_the_distance_of_few_values_is_the_mean_difference_of_sorted_values(one: list[int], other: list[int]) -> None:
    shapes = [Shape.of(**numbers_like(values)) for values in (one, other)]
    assert distance(*shapes) == pytest.approx(discrete_distance(one, other), abs=1e-9)
    assert distance(*shapes[::-1]) == pytest.approx(distance(*shapes), abs=1e-12)
    assert distance(shapes[0], shapes[0]) == 0.0
    assert abs(shapes[0].mean() - shapes[1].mean()) <= distance(*shapes) + 1e-9


def exact_distance(one: Shape, other: Shape) -> Fraction:
    """The area between the two curves, in rational numbers: cut at every edge, and where the curves cross."""
    places = sorted({Fraction(edge) for shape in (one, other) for edge in shape.edges.tolist()})
    area = Fraction(0)
    for left, right in pairwise(places):
        a, b = (exact_share(one, left, place) - exact_share(other, left, place) for place in (left, right))
        if a * b < 0:
            middle = left + (right - left) * a / (a - b)
            area += (abs(a) * (middle - left) + abs(b) * (right - middle)) / 2
        else:
            area += (abs(a) + abs(b)) * (right - left) / 2
    return area


def exact_share(shape: Shape, left: Fraction, place: Fraction) -> Fraction:
    """The share of values up to a place, on the line that the curve follows right after `left`."""
    edges, up_to = ([Fraction(number) for number in numbers.tolist()] for numbers in shape)
    after = bisect_right(edges, left)
    if after in (0, len(edges)):
        return Fraction(after > 0)
    rise = (up_to[after] - up_to[after - 1]) / (edges[after] - edges[after - 1])
    return up_to[after - 1] + rise * (place - edges[after - 1])


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_the_distance_and_that_of_the_oracle_are_the_exact_area(seed: int) -> None:
    chance = random.Random(seed)
    shapes = []
    for _ in range(2):
        edges = sorted(chance.choice([float(chance.randint(-9, 9)), chance.uniform(-9, 9)]) for _ in range(5))
        shapes.append(Shape.of(edges, [chance.choice([0, 1, 2, 7]) for _ in range(3)] + [1]))
    true = float(exact_distance(*shapes))
    assert distance(*shapes) == pytest.approx(true, rel=1e-12, abs=1e-12)
    assert oracle_distance(*((shape.edges.tolist(), shape.up_to.tolist()) for shape in shapes)) == distance(*shapes)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 1 << 30), way=st.sampled_from(WAYS), most=st.sampled_from([1, 2, 4, 16]))
def test_the_oracle_cuts_the_same_bins(seed: int, way: str, most: int) -> None:
    columns, numbers, counts = random_columns(random.Random(seed))
    cut = by_depth if way == "equal-depth" else by_width
    own = []
    for column in sorted(set(columns.tolist())):
        values = zip(numbers[columns == column].tolist(), counts[columns == column].tolist(), strict=True)
        own.append(cut(sorted(values), most))
    assert own == bins(summed_up(columns, numbers, counts, Strategy(way, most)))


def test_a_table_outside_of_a_segment_has_the_same_histograms() -> None:
    [table] = lake_of([*range(38), "inf", "nan"], [f"2020-01-{1 + i % 28:02d}" for i in range(40)], ["word"] * 40)
    summary = histograms_of_table(table, Strategy("equal-depth", 4))
    names = [table.columns.names[column] for column in summary.columns.tolist()]
    assert dict(zip(names, bins(summary), strict=True)) == histograms(table, {"histogram_bins": "equal-depth-4"})
    assert names == ["c0", "c1"]


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_the_compiled_distance_is_the_same_number(seed: int) -> None:
    chance = random.Random(seed)
    arrays = indexed(summed_up(*random_columns(chance), Strategy(chance.choice(WAYS), chance.choice([1, 2, 16]))))
    count = len(arrays["hist.columns"])
    like = chance.choice([Shape.of(**curve_like("normal(1, 2)")), shape_of(arrays, chance.randrange(count))])
    true = [distance(like, shape_of(arrays, which)) for which in range(count)]
    for which, away in enumerate(true):
        for most in (0.0, away / 2, away, np.inf):
            part = compiled_area(like, which, Bins(*bins_in(arrays)), most)
            assert most < part <= away if most < away else part == away


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 1 << 30), k=st.sampled_from([0, 1, 2, 3, 10, 1000]))
def test_the_nearest_are_those_that_all_distances_say(seed: int, k: int) -> None:
    chance = random.Random(seed)
    summary = many_columns(chance)
    arrays, count = indexed(summary), len(summary)
    own = shape_of(arrays, chance.randrange(count)) if count else None
    like = chance.choice([own, None]) or Shape.of([-1.0, 0.0, 2.0], [1, 3])
    owners = np.array([chance.choice([which, which // 3, -1]) for which in range(count)], np.int64)
    farthest = chance.choice([np.inf, np.inf, 0.0, 2.0])
    true = {which: distance(like, shape_of(arrays, which)) for which in range(count) if owners[which] >= 0}
    best: dict[int, float] = {}
    for which, away in true.items():
        best[int(owners[which])] = min(away, best.get(int(owners[which]), np.inf))
    level = min(farthest, sorted(best.values())[k - 1] if 0 < k <= len(best) else np.inf)
    for kernels in (True, False):
        with patch.object(compiled, "ready", lambda *_, kernels=kernels: kernels):
            numbers, distances = nearest(arrays, like, owners, k, farthest)
        near = dict(zip(numbers.tolist(), distances.tolist(), strict=True))
        assert len(near) == len(numbers) and near.items() <= true.items()
        assert {which for which, away in true.items() if away <= level} <= near.keys()
        assert all(away <= level + 1e-8 * (level + np.abs(like.edges).max()) for away in near.values())


def test_the_distance_of_even_spreads_is_their_shift() -> None:
    box = Shape.of([0.0, 1.0], [1])
    assert distance(box, Shape.of([5.0, 6.0], [1])) == pytest.approx(5.0)
    assert distance(box, Shape.of([0.0, 2.0], [1])) == pytest.approx(0.5)
    assert distance(box, Shape.of([0.5, 0.5], [1])) == pytest.approx(0.25)  # all in the middle
    assert distance(box, Shape.of([0.0, 0.25, 0.75, 1.0], [1, 0, 1])) == pytest.approx(0.125)


@pytest.mark.parametrize(
    ("curve", "middle"), [("normal(5, 2)", 5.0), ("uniform(2, 8)", 5.0), ("lognormal(0, 0.1)", 1.0), ("Normal", 0.0)]
)
def test_curves_have_the_expected_mean(curve: str, middle: float) -> None:
    assert Shape.of(**curve_like(curve)).mean() == pytest.approx(middle, abs=0.02)


@pytest.mark.parametrize(
    "curve", ["", "cauchy", "normal(1)", "normal(0, 0)", "uniform(2, 1)", "normal(x, 1)", "normal(0, inf)"]
)
def test_an_unknown_curve_is_refused(curve: str) -> None:
    with pytest.raises(QueryError, match="expected a curve"):
        curve_like(curve)


def test_a_column_to_compare_with_has_at_least_one_number() -> None:
    with pytest.raises(QueryError, match="no numbers"):
        numbers_like([float("nan")])


@pytest.mark.parametrize(
    "query",
    [
        {"predicate": "at least 50% of * < 20"},  # on the grid
        {"predicate": "at least 33% of * > 20"},
        {"predicate": "at most 33% of c0 <= 5"},
        {"predicate": "at least 33% of * between 3 and 30"},
        {"predicate": "at most 33% of * between 3 and 8"},
        {"predicate": "at least 60% of * < 2020-12-31"},
        {"like": curve_like("normal(20, 5)")},
        {"like": curve_like("uniform(0, 1)"), "per": "column", "column": "c*"},
    ],
)
def test_a_question_after_warming_compiles_nothing(query: dict[str, Any]) -> None:
    tables = lake_of([*range(40)], [f"2020-01-{1 + i % 28:02d}" for i in range(40)], [i / 7 for i in range(40)])
    kernels = [
        kernel
        for module in (compiled_kernels, areas)
        for kernel in vars(module).values()
        if hasattr(kernel, "overloads")
    ]
    with folder() as path:
        parts = build_parts(KIND, path, [tables], {}, {})
        compiled.warm(KIND.warm(parts))
        before = [list(kernel.overloads) for kernel in kernels]
        assert ask(KIND, parts, query, 10)
        KIND.tables(parts[0], KIND.plan(query, parts))
    assert [list(kernel.overloads) for kernel in kernels] == before
