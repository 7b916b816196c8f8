"""Bundles that the learned estimator chooses: what every answer must keep, however good the estimates are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.bundles.answer import assemble
from tests.bundles.lakes import QUERIES, prices, problem, tables

offers = st.lists(st.tuples(tables, prices), min_size=1, max_size=5)
budgets = st.integers(0, 15).map(float)
queries = st.sampled_from([texts for texts, _ in QUERIES] + [["b LIKE '%x%'", "a BETWEEN 1 AND 3"]])


def rows(first: int, last: int, word: str = "x") -> list[tuple[str | None, ...]]:
    return [(str(number), word, None) for number in range(first, last)]


@settings(max_examples=40)
@given(tables, offers, queries, budgets)
def test_an_answer_keeps_the_budget_and_says_what_becomes_of_every_offer(base, offered, texts, budget):
    answer = assemble(problem(base, offered, texts, budget), "ml")
    assert answer.method == "ml" and not answer.exact and answer.interval is None and answer.notes
    assert answer.cost <= budget
    names = [chosen.table for chosen in answer.chosen] + [rejected.table for rejected in answer.rejected]
    assert sorted(names) == sorted(f"t{number}" for number in range(len(offered)))
    before = answer.base
    for chosen in answer.chosen:
        assert chosen.gain >= 0.5
        assert chosen.distinct == pytest.approx(before + chosen.gain)
        before = chosen.distinct
    assert answer.distinct == before
    left = budget - answer.cost
    for rejected in answer.rejected:
        price = offered[int(rejected.table[1:])][1]
        assert rejected.price == price
        assert (rejected.code == "nothing new") == (rejected.gain == 0)
        assert (rejected.code == "too expensive") == (rejected.gain > 0 and price > budget)
        assert rejected.code != "budget spent" or left < price <= budget


@settings(max_examples=40)
@given(tables, offers, queries, budgets)
def test_the_curve_rises_from_the_base_and_has_the_answer(base, offered, texts, budget):
    answer = assemble(problem(base, offered, texts, budget), "ml")
    costs, distinct = [point.cost for point in answer.curve], [point.distinct for point in answer.curve]
    assert costs[0] == 0 and costs == sorted(set(costs))
    assert distinct == sorted(set(distinct))
    assert max(point.distinct for point in answer.curve if point.cost <= budget) == pytest.approx(answer.distinct)
    for point in answer.curve:
        assert point.cost == sum(offered[int(name[1:])][1] for name in point.tables)


def test_no_offers_at_all_give_the_base():
    answer = assemble(problem(rows(0, 5), [], [], 1.0), "ml")
    assert (answer.base, answer.distinct, answer.chosen, answer.rejected) == (5, 5, (), ())
    assert [(point.cost, point.distinct, point.tables) for point in answer.curve] == [(0, 5, ())]


def test_a_table_that_costs_nothing_is_taken_first_even_without_a_budget():
    offered = [(rows(0, 50), 3.0), (rows(50, 60), 0.0), (rows(60, 100), 5.0)]
    answer = assemble(problem(rows(0, 1), offered, [], 0.0), "ml")
    assert [chosen.table for chosen in answer.chosen] == ["t1"]
    assert {rejected.table: rejected.code for rejected in answer.rejected} == dict.fromkeys(
        ["t0", "t2"], "too expensive"
    )
    answer = assemble(problem(rows(0, 1), offered, [], 8.0), "ml")
    assert [chosen.table for chosen in answer.chosen] == ["t1", "t0", "t2"]


def test_without_queries_the_most_rows_for_the_money_are_taken_and_copies_seem_new():
    offered = [(rows(0, 40), 10.0), (rows(0, 40), 5.0), (rows(100, 110), 5.0)]
    answer = assemble(problem(rows(0, 40), offered, [], 15.0), "ml")
    assert [(chosen.table, chosen.gain) for chosen in answer.chosen] == [("t1", 40), ("t0", 40)]
    assert answer.distinct == 120  # of which 40 are distinct: the paper adds up rows
    (rejected,) = answer.rejected
    assert (rejected.table, rejected.gain, rejected.code) == ("t2", 10, "budget spent")


def test_the_best_single_table_is_taken_where_the_greedy_would_miss_it():
    offered = [(rows(0, 3), 1.0), (rows(100, 200), 100.0)]
    answer = assemble(problem(rows(0, 1), offered, [], 100.0), "ml")
    assert [chosen.table for chosen in answer.chosen] == ["t1"]


def test_a_table_without_rows_that_meet_the_queries_is_rejected():
    offered = [(rows(0, 40, "y"), 1.0), (rows(0, 40, "x"), 1.0)]
    answer = assemble(problem(rows(40, 50, "x"), offered, ["c = 'q'"], 5.0), "ml")
    assert answer.chosen == () and answer.distinct == 0
    assert [rejected.code for rejected in answer.rejected] == ["nothing new", "nothing new"]


def test_prices_that_add_up_to_the_budget_but_for_rounding_can_be_paid():
    answer = assemble(problem([], [(rows(number, number + 1), 0.1) for number in range(3)], [], 0.3), "ml")
    assert len(answer.chosen) == 3


def test_progress_names_the_tables():
    messages: list[str] = []
    assemble(problem(rows(0, 5), [(rows(0, 9), 1.0)] * 2, ["a > 3"], 1.0), "ml", messages.append)
    assert messages[-1] == "sampling table 2 of 2"


def test_the_order_of_queries_does_not_change_the_bundle():
    texts = ["a BETWEEN 10 AND 30 AND b = 'x'", "a > 70", "b = 'y' AND a < 50", "c IS NULL AND a = 60"]
    offered = [(rows(0, 80), 3.0), (rows(40, 99, "y"), 2.0), (rows(20, 60), 2.0)]
    answers = [assemble(problem(rows(0, 20), offered, list(order), 5.0), "ml") for order in (texts, reversed(texts))]
    assert answers[0].chosen == answers[1].chosen and answers[0].curve == answers[1].curve
