"""Values of subsets, the greedy and the optimum, against plain sums over sets."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mere.bundles.choose import Money, all_subsets, greedy, greedy_with_guard, in_order_of_gain
from mere.bundles.coverage import Coverage, exact_coverage
from mere.store import offsets_of

NOTHING = np.empty(0, np.int64)


@st.composite
def coverages(draw, one_rank: bool = False) -> Coverage:
    """The base and up to six tables; each holds some items, and has a rank of its own or that of others."""
    tables, items = draw(st.integers(1, 7)), draw(st.integers(1, 20))
    lists = [sorted(draw(st.sets(st.integers(0, items - 1)))) for _ in range(tables)]
    counts = np.array([float(draw(st.integers(1, 3))) for _ in range(items)])
    if one_rank:
        return exact_coverage([np.array(each, np.int64) for each in lists], counts)
    ranks = np.array([draw(st.integers(0, 3)) for _ in range(tables)], np.int32)
    weights = np.array([1.0, *(draw(st.sampled_from([1.0, 2.0, 3.5, 7.0])) for _ in range(3))])
    starts = offsets_of(np.array([len(each) for each in lists], np.int64))
    return Coverage(starts, np.array([item for each in lists for item in each], np.int64), counts, ranks, weights)


def exact(*lists: np.ndarray) -> Coverage:
    """Tables of which all rows are known."""
    known, items = np.unique(np.concatenate(lists), return_inverse=True)
    edges = np.cumsum([len(each) for each in lists])[:-1]
    return exact_coverage(np.split(items, edges), np.ones(len(known)))


@st.composite
def moneys(draw, coverage: Coverage) -> Money:
    prices = [0.0, *(float(draw(st.integers(0, 5))) for _ in range(coverage.tables - 1))]
    return Money(np.array(prices), float(draw(st.integers(0, 12))))


def value(coverage: Coverage, tables: list[int]) -> float:
    """The definition, item by item."""
    ranks: dict[int, int] = {}
    for table in tables:
        for item in coverage.of(table).tolist():
            ranks[item] = min(ranks.get(item, 99), int(coverage.ranks[table]))
    return sum(float(coverage.counts[item] * coverage.weights[rank]) for item, rank in ranks.items())


def subsets(coverage: Coverage) -> list[list[int]]:
    offered = coverage.tables - 1
    return [[bit + 1 for bit in range(offered) if number >> bit & 1] for number in range(1 << offered)]


@given(coverages().flatmap(lambda coverage: st.tuples(st.just(coverage), moneys(coverage))))
def test_the_values_and_costs_of_all_subsets_are_those_of_the_definition(case):
    coverage, money = case
    every = all_subsets(coverage, money)
    for number, tables in enumerate(subsets(coverage)):
        assert math.isclose(every.values[number], value(coverage, [0, *tables]), abs_tol=1e-6)
        assert every.costs[number] == money.cost(tables)


@given(coverages().flatmap(lambda coverage: st.tuples(st.just(coverage), moneys(coverage))))
def test_the_best_subset_can_be_paid_and_is_the_best_and_cheapest_one(case):
    coverage, money = case
    best = all_subsets(coverage, money).best(money.limit)
    payable = [tables for tables in subsets(coverage) if money.cost(tables) <= money.budget]
    most = max(value(coverage, [0, *tables]) for tables in payable)
    ties = [money.cost(tables) for tables in payable if math.isclose(value(coverage, [0, *tables]), most)]
    assert math.isclose(value(coverage, [0, *best]), most, abs_tol=1e-6)
    assert money.cost(best) == min(ties)


@given(coverages().flatmap(lambda coverage: st.tuples(st.just(coverage), moneys(coverage))))
def test_the_curve_has_the_best_value_for_each_of_its_costs(case):
    coverage, money = case
    for bundle in all_subsets(coverage, money).curve():
        payable = [other for other in subsets(coverage) if money.cost(other) <= money.cost(bundle.tables)]
        most = max(value(coverage, [0, *other]) for other in payable)
        assert math.isclose(bundle.value, value(coverage, [0, *bundle.tables]), abs_tol=1e-6)
        assert math.isclose(bundle.value, most, abs_tol=1e-6)


@given(coverages(one_rank=True).flatmap(lambda coverage: st.tuples(st.just(coverage), moneys(coverage))))
def test_the_greedy_takes_what_adds_the_most_per_unit_of_money_in_every_step(case):
    coverage, money = case
    taken = greedy(coverage, money).tables
    left, held = money.budget, [0]
    for table in taken:
        gains = {
            other: value(coverage, [*held, other]) - value(coverage, held)
            for other in range(1, coverage.tables)
            if other not in held and money.prices[other] <= left
        }
        rates = {other: _rate(gain, money.prices[other]) for other, gain in gains.items()}
        assert gains[table] > 0
        assert rates[table] == max(rates.values())
        left -= money.prices[table]
        held.append(table)
    rest = [other for other in range(1, coverage.tables) if other not in held and money.prices[other] <= left]
    assert all(value(coverage, [*held, other]) == value(coverage, held) for other in rest)


def _rate(gain: float, price: float) -> float:
    return gain / price if price else math.inf if gain else 0.0


@given(coverages().flatmap(lambda coverage: st.tuples(st.just(coverage), moneys(coverage))))
def test_with_unequal_weights_the_greedy_leaves_nothing_that_it_could_pay_and_that_adds_rows(case):
    coverage, money = case
    subset = greedy(coverage, money)
    assert math.isclose(subset.value, value(coverage, [0, *subset.tables]), abs_tol=1e-6)
    left = money.budget - money.cost(subset.tables)
    held = coverage.held_by([0, *subset.tables])
    rest = [table for table in range(1, coverage.tables) if table not in subset.tables]
    assert all(coverage.added(held, table) <= 1e-9 for table in rest if money.prices[table] <= left)


@given(coverages(one_rank=True).flatmap(lambda coverage: st.tuples(st.just(coverage), moneys(coverage))))
def test_the_greedy_with_its_guard_holds_its_share_of_the_optimum_and_never_more(case):
    coverage, money = case
    guarded = greedy_with_guard(coverage, money)
    best = value(coverage, [0, *all_subsets(coverage, money).best(money.limit)])
    assert money.cost(guarded.tables) <= money.budget
    assert guarded.value <= best + 1e-9
    assert guarded.value >= (1 - 1 / math.e) / 2 * best - 1e-9
    single = [table for table in range(1, coverage.tables) if money.prices[table] <= money.budget]
    assert all(guarded.value >= value(coverage, [0, table]) - 1e-9 for table in single)


def test_the_guard_takes_a_large_table_that_the_greedy_cannot_pay_after_a_small_one():
    small, large = np.arange(2), np.arange(10, 30)
    coverage = exact(NOTHING, small, large)
    money = Money(np.array([0.0, 1.0, 20.0]), 20.0)
    assert greedy(coverage, money).tables == [1]
    assert greedy_with_guard(coverage, money).tables == [2]


def test_after_the_best_single_table_the_money_that_is_left_is_spent():
    """Per unit of money, 1 and 2 come first, and then 3 cannot be paid; by rows, 3, and then the cheap 1."""
    rows = [np.arange(0, 2), np.arange(10, 13), np.arange(20, 40)]
    coverage = exact(NOTHING, *rows)
    money = Money(np.array([0.0, 1.0, 1.5, 20.0]), 21.0)
    assert sorted(greedy(coverage, money).tables) == [1, 2]
    assert greedy_with_guard(coverage, money).tables == [3, 1]


def test_the_greedy_by_rows_is_taken_where_it_holds_more():
    """3 is cheap and the best per unit of money, and leaves too little for 2; by rows, 1 and 2 are taken."""
    rows = [np.arange(0, 20), np.arange(100, 115), np.arange(200, 205)]
    coverage = exact(NOTHING, *rows)
    money = Money(np.array([0.0, 10.0, 10.0, 1.0]), 20.0)
    assert greedy(coverage, money).tables == [3, 1]
    assert greedy(coverage, money, [1]).tables == [1, 3]
    assert greedy_with_guard(coverage, money).tables == [1, 2]


@given(coverages(one_rank=True).flatmap(lambda coverage: st.tuples(st.just(coverage), moneys(coverage))))
def test_ordering_a_bundle_keeps_its_value_and_drops_what_adds_nothing(case):
    coverage, money = case
    tables = list(range(1, coverage.tables))
    ordered = in_order_of_gain(coverage, money, tables)
    assert math.isclose(value(coverage, [0, *ordered]), value(coverage, [0, *tables]))
    for place, table in enumerate(ordered):
        assert value(coverage, [0, *ordered[: place + 1]]) > value(coverage, [0, *ordered[:place]]), table


def test_a_budget_that_sums_of_prices_only_miss_by_rounding_is_enough():
    coverage = exact(NOTHING, *(np.array([i]) for i in range(3)))
    money = Money(np.array([0.0, 0.1, 0.1, 0.1]), 0.3)  # 0.1 + 0.1 + 0.1 > 0.3
    assert len(greedy(coverage, money).tables) == 3
    assert len(all_subsets(coverage, money).best(money.limit)) == 3


@given(coverages(one_rank=True).flatmap(lambda coverage: st.tuples(st.just(coverage), moneys(coverage))))
def test_no_table_is_taken_that_the_others_make_redundant(case):
    coverage, money = case
    tables = greedy_with_guard(coverage, money).tables
    for table in tables:
        others = [other for other in tables if other != table]
        assert value(coverage, [0, *others]) < value(coverage, [0, *tables]) or money.prices[table] == 0


def test_a_table_that_later_ones_make_redundant_is_given_back_and_its_money_spent_again():
    """1 is the best per unit of money; after 2 and 3 it is redundant, and with its price 4 can be paid."""
    rows = [np.arange(0, 10), np.r_[np.arange(0, 5), np.arange(20, 40)], np.r_[np.arange(5, 10), np.arange(40, 60)]]
    coverage = exact(NOTHING, *rows, np.arange(100, 102))
    money = Money(np.array([0.0, 2.0, 10.0, 10.0, 1.5]), 22.0)
    assert sorted(greedy(coverage, money).tables) == [1, 2, 3]
    assert sorted(greedy_with_guard(coverage, money).tables) == [2, 3, 4]
