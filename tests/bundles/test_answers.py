"""Answers of every method on small lakes, against plain sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.bundles.answer import assemble
from mere.bundles.count import count, coverage_of_rows, signatures_of_rows
from mere.bundles.exact_rows import equal_rows, wanted_rows
from mere.errors import UsageError
from tests.bundles.lakes import QUERIES, best_bundle, prices, problem, tables, union

offers = st.lists(st.tuples(tables, prices), min_size=1, max_size=6)
budgets = st.integers(0, 15).map(float)
queries = st.sampled_from(QUERIES)


def rows_of(answer, offered):
    """The tables that were chosen, as lists of rows, in their order."""
    return [offered[int(chosen.table[1:])][0] for chosen in answer.chosen]


@given(tables, offers, queries, budgets)
def test_exact_counts_are_those_of_plain_sets(base, offered, query, budget):
    texts, meets = query
    answer = assemble(problem(base, offered, texts, budget), "exact")
    assert answer.exact
    assert answer.base == union(base, [], meets)
    assert answer.distinct == union(base, rows_of(answer, offered), meets)
    assert answer.interval == (answer.distinct, answer.distinct)
    for place, chosen in enumerate(answer.chosen):
        before = union(base, rows_of(answer, offered)[:place], meets)
        assert chosen.distinct == union(base, rows_of(answer, offered)[: place + 1], meets)
        assert chosen.gain == chosen.distinct - before > 0


@given(tables, offers, queries, budgets)
def test_the_optimum_is_the_best_of_all_bundles_and_the_greedy_never_holds_more(base, offered, query, budget):
    texts, meets = query
    optimal = assemble(problem(base, offered, texts, budget), "optimal")
    exact = assemble(problem(base, offered, texts, budget), "exact")
    best = best_bundle(base, offered, meets, budget)
    assert optimal.distinct == best
    assert (1 - 1 / math.e) / 2 * best - 1e-9 <= exact.distinct <= best
    assert optimal.cost <= budget
    assert exact.cost <= budget


@given(tables, offers, queries, budgets)
def test_complete_samples_give_the_exact_optimum(base, offered, query, budget):
    texts, meets = query
    answer = assemble(problem(base, offered, texts, budget), "sketch")
    assert answer.exact
    assert answer.distinct == best_bundle(base, offered, meets, budget)


@given(tables, offers, queries, budgets, st.sampled_from(["exact", "optimal", "sketch"]))
def test_every_offer_is_chosen_or_rejected_with_its_reason(base, offered, query, budget, method):
    texts, meets = query
    answer = assemble(problem(base, offered, texts, budget), method)
    names = [chosen.table for chosen in answer.chosen] + [rejected.table for rejected in answer.rejected]
    assert sorted(names) == sorted(f"t{number}" for number in range(len(offered)))
    bundle, left = rows_of(answer, offered), budget - answer.cost
    for rejected in answer.rejected:
        rows, price = offered[int(rejected.table[1:])]
        gain = union(base, [*bundle, rows], meets) - answer.distinct
        assert rejected.gain == gain
        expected = (
            "no rows" if not union([], [rows], meets)
            else "nothing new" if gain == 0
            else "too expensive" if price > budget
            else "budget spent"
        )  # fmt: skip
        assert rejected.code == expected
        assert expected != "budget spent" or price > left


@given(tables, offers, queries, budgets, st.sampled_from(["exact", "optimal", "sketch"]))
def test_the_curve_rises_from_the_base_and_has_the_answer(base, offered, query, budget, method):
    texts, meets = query
    answer = assemble(problem(base, offered, texts, budget), method)
    costs, distinct = [point.cost for point in answer.curve], [point.distinct for point in answer.curve]
    assert costs[0] == 0 and costs == sorted(set(costs))
    assert distinct == sorted(set(distinct))
    assert max(point.distinct for point in answer.curve if point.cost <= budget) == answer.distinct
    assert distinct[-1] == union(base, [rows for rows, _ in offered], meets)
    for point in answer.curve:
        bundle = [offered[int(name[1:])] for name in point.tables]
        assert point.cost == sum(price for _, price in bundle)
        assert point.distinct == union(base, [rows for rows, _ in bundle], meets)


def rows_of_all(given):
    """The hashes of the rows of the base and all offers."""
    return [
        wanted_rows(table, given.filters)[:2] for table in (given.base, *(offer.relation() for offer in given.offers))
    ]


@given(st.lists(tables, min_size=1, max_size=5))
def test_signatures_say_which_rows_are_in_exactly_which_tables(several):
    base, *rest = several
    counted = signatures_of_rows(rows_of_all(problem(base, [(rows, 1.0) for rows in rest], [], 1.0)))
    expected: dict[int, int] = {}
    for row in {row for table in several for row in table}:
        mask = sum(1 << place for place, table in enumerate(several) if row in table)
        expected[mask] = expected.get(mask, 0) + 1
    assert {int(mask[0]): int(count) for mask, count in zip(counted.masks, counted.counts, strict=True)} == expected


MANY = [([(str(number), None, None), ("0", None, None), ("0", None, None)], 1.0) for number in range(130)]


def test_more_than_64_tables_have_masks_of_several_words():
    counted = signatures_of_rows(rows_of_all(problem([], MANY, [], 1.0)))
    assert counted.masks.shape[1] == 3
    assert counted.counts.sum() == 130
    bits = [sum(bin(int(word)).count("1") for word in mask) for mask in counted.masks]
    assert sorted(bits) == [1] * 129 + [130]


def test_more_than_64_tables_are_counted_row_by_row():
    counted = count(problem([("0", None, None)], MANY, [], 1.0))
    assert [len(counted.of(table)) for table in range(131)] == [1, 1] + [2] * 129
    assert counted.value(counted.held_by(range(131))) == 130
    answer = assemble(problem([], MANY, [], 130.0), "exact")
    assert answer.distinct == 130 and len(answer.chosen) == 129


@given(st.lists(tables, min_size=2, max_size=5))
def test_both_ways_of_counting_agree(several):
    base, *rest = several
    rows = rows_of_all(problem(base, [(each, 1.0) for each in rest], [], 1.0))
    few, many = coverage_of_rows(rows), coverage_of_rows([*rows, *[rows[0]] * 64])
    for number in range(1 << len(rest)):
        chosen = [0, *(bit + 1 for bit in range(len(rest)) if number >> bit & 1)]
        assert few.value(few.held_by(chosen)) == many.value(many.held_by(chosen))


def test_optimal_refuses_more_than_20_useful_tables_and_names_the_remedy():
    offered = [([(str(number), None, None)], 1.0) for number in range(21)]
    with pytest.raises(UsageError, match=r"21 tables add rows.*method='exact'"):
        assemble(problem([], offered, [], 30.0), "optimal")
    base = [("99", None, None)]
    held_by_the_base, beyond_the_budget = [(base, 1.0)] * 5, [([("77", None, None)], 31.0)] * 5
    answer = assemble(problem(base, offered[:20] + held_by_the_base + beyond_the_budget, [], 30.0), "optimal")
    assert answer.distinct == 21


def test_an_unknown_method_is_refused():
    with pytest.raises(UsageError, match=r"'method' must be one of sketch, exact, optimal, ml, got 'best'"):
        assemble(problem([], [], [], 1.0), "best")


def test_no_offers_at_all_give_the_base():
    for method in ("exact", "optimal", "sketch"):
        answer = assemble(problem([("1", "x", None)] * 3, [], [], 1.0), method)
        assert (answer.distinct, answer.chosen, answer.rejected) == (1, (), ())


def test_the_reason_names_the_tables_that_hold_the_rows():
    first, second = [(str(i), "x", None) for i in range(10)], [(str(i), "y", None) for i in range(6)]
    offered = [(first, 2.0), (second, 2.0), ([*first[:3], *second[:2]], 1.0), ([("99", None, None)], 1.0)]
    answer = assemble(problem([("99", None, None)], offered, [], 4.0), "exact")
    reasons = {rejected.table: rejected.reason for rejected in answer.rejected}
    assert reasons["t2"] == "its 5 rows are held by 't0' and 't1'"
    assert reasons["t3"] == "its 1 row is held by the base"


def test_ties_are_settled_by_gain_then_price_then_order():
    rows = [[(str(i), None, None) for i in range(4)], [(str(i), None, None) for i in range(4, 8)]]
    answer = assemble(problem([], [(rows[0], 2.0), (rows[1], 2.0)], [], 2.0), "exact")
    assert [chosen.table for chosen in answer.chosen] == ["t0"]
    assert np.isclose(answer.cost, 2.0)


def test_rows_with_one_equal_hash_are_different_rows():
    first = np.array([7, 7, 3, 7, 3], np.uint64)
    second = np.array([2, 1, 5, 2, 5], np.uint64)
    order, new = equal_rows(first, second)
    rows = [(int(first[place]), int(second[place])) for place in order]
    assert [row for row, starts in zip(rows, new, strict=True) if starts] == [(3, 5), (7, 1), (7, 2)]
    counted = signatures_of_rows([(first[[2, 0]], second[[2, 0]]), (first[[4, 1]], second[[4, 1]])])
    assert {int(mask[0]): int(count) for mask, count in zip(counted.masks, counted.counts, strict=True)} == {
        0b11: 1, 0b01: 1, 0b10: 1,
    }  # fmt: skip


def test_the_greedy_hints_at_the_optimum_where_it_left_something_out():
    offered = [([(str(number), None, None)], 2.0) for number in range(3)]
    assert "method='optimal'" in assemble(problem([], offered, [], 4.0), "exact").notes[0]
    assert assemble(problem([], offered, [], 6.0), "exact").notes == ()
    assert assemble(problem([], offered, [], 4.0), "optimal").notes == ()


def test_a_budget_that_is_spent_is_said_to_be_spent():
    offered = [([(str(number), None, None)], 0.1) for number in range(4)]
    answer = assemble(problem([], offered, [], 0.3), "exact")
    assert len(answer.chosen) == 3
    assert [rejected.reason for rejected in answer.rejected] == ["it would add 1 row, and the budget is spent"]


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30)


@given(pairs)
def test_equal_rows_follow_each_other_also_if_different_rows_have_the_same_first_hash(rows):
    first, second = (np.array([row[side] for row in rows], np.uint64) for side in (0, 1))
    order, new = equal_rows(first, second)
    assert sorted(order.tolist()) == list(range(len(rows)))
    found = [rows[place] for place, is_new in zip(order.tolist(), new.tolist(), strict=True) if is_new]
    assert len(found) == len(set(found)) == len(set(rows))
