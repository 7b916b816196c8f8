"""Which rules are taken together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.transform import Constant, Piece, Program, Rule, Split
from mere.transform.candidates import Candidate
from mere.transform.choose import bits, choose, pairs_of
from mere.transform.tables import Keys, Side

from .rules import after, candidate, whole, word

NAMES = ["Ada King", "Alan Ray", "Grace Moss", "Niels Dahl", "Marie Roy", "Otto Lund", "Emmy Hart", "Lise Voss"]
TARGET = Side({"key": [f"key {number}" for number in range(12)]})
KEYS = Keys(TARGET, whole("key"))


def with_partners(partners, direction="left to right", pieces=1):
    steps = tuple(Piece(0, (Split(" ", place, place),)) for place in range(pieces))
    return Candidate(Rule(direction, Program(("x",), steps), whole("key")), KEYS, partners, {}, 12)


def one_to_one(rows, shift=0, **more):
    return with_partners({row: [row + shift] for row in rows}, **more)


def test_pairs_have_the_left_row_first():
    partners = {3: [1, 2]}
    assert list(pairs_of(with_partners(partners))) == [(3, 1), (3, 2)]
    assert list(pairs_of(with_partners(partners, "right to left"))) == [(1, 3), (2, 3)]


def test_the_rule_of_the_most_rows_is_taken_first():
    small, large = one_to_one(range(8, 12)), one_to_one(range(8))
    assert choose([small, large], 10, 12) == [large, small]
    assert choose([small, large], 1, 12) == [large]
    assert choose([], 10, 12) == []


def test_of_rules_of_equal_pairs_the_simpler_is_taken():
    simple, complicated = one_to_one(range(8)), one_to_one(range(8), pieces=2)
    assert choose([complicated, simple], 10, 12) == [simple]


def test_a_rule_that_pairs_rows_differently_is_not_taken():
    first, other = one_to_one(range(8)), one_to_one(range(7), shift=1)
    assert choose([first, other], 10, 12) == [first]


def test_new_rows_are_weighed_against_conflicts():
    first, new = one_to_one(range(8)), {8: [8], 9: [9], 10: [10], 11: [11]}
    one_conflict = with_partners({0: [1]} | new)
    two_conflicts = with_partners({0: [1], 1: [2]} | new)
    assert choose([first, one_conflict], 10, 12) == [first, one_conflict]
    assert choose([first, two_conflicts], 10, 12) == [first]


def test_an_ambiguous_rule_is_worth_less():
    clear = one_to_one(range(5))
    ambiguous = with_partners({row: list(range(6)) for row in range(6)})
    assert choose([ambiguous, clear], 10, 12)[0] is clear


def test_many_rows_of_one_key_are_not_ambiguous():
    hierarchy = with_partners({row: [row // 3] for row in range(12)})
    assert choose([hierarchy], 10, 12) == [hierarchy]


def test_a_further_rule_must_pay_for_itself():
    """One more pair is worth log2(8) = 3 bits: not a constant of its own, nor two pieces."""
    target = Side({"key": NAMES})
    left = Side(
        {"whole": [*NAMES[:6], "x", "y"], "first": [*"abcdef", "Emmy", "Lise"], "last": [*"abcdef", "Hart", "Voss"]}
    )
    most = candidate(left, target, whole("whole"), whole("key"))
    single = Side({"rest": [*"uvwxyz", "Hart", "Voss"]})
    one_row = candidate(single, target, after("Emmy ", "rest"), whole("key"))
    assert len(one_row.partners) == 1
    assert choose([most, one_row], 10, 8) == [most]
    joined = Program(("first", "last"), (Piece(0), Constant(" "), Piece(1)))
    two_rows = candidate(left, target, joined, whole("key"))
    assert len(two_rows.partners) == 2
    assert set(two_rows.made) >= {"emmy hart", "lise voss"}
    assert choose([most, two_rows], 10, 8) == [most]  # 6 bits for 6
    third = Side(
        {"a": [*"abcde", "Otto", "Emmy", "Lise"], "b": [*"abcde", "Lund", "Hart", "Voss"], "c": [*NAMES[:5], *"xyz"]}
    )
    chosen = choose(
        [
            candidate(third, target, whole("c"), whole("key")),
            candidate(third, target, Program(("a", "b"), joined.steps), whole("key")),
        ],
        10,
        8,
    )
    assert [len(one.partners) for one in chosen] == [5, 3]  # 9 bits for 6


def test_a_constant_of_all_keys_costs_nothing():
    target = Side({"key": [f"No. {number}" for number in range(8)]})
    left = Side({"n": [str(number) for number in range(8)]})
    assert bits(candidate(left, target, after("no. ", "n"), whole("key"))) == 3.0
    assert bits(candidate(left, target, after("Number ", "n"), whole("key"))) == pytest.approx(3 + 4.7 * 7)


def test_a_rule_for_another_key_must_bring_enough_rows():
    left = Side({"a": [*NAMES[:5], None, None, None], "b": [*"abcde", "Otto", "Emmy", "Lise"]})
    right = Side({"key": [*NAMES[:5], *"xyz"], "other": [*"vwstu", "Otto", "Emmy", "Lise"]})
    first = candidate(left, right, whole("a"), whole("key"))
    three = candidate(left, right, whole("b"), whole("other"))
    assert choose([first, three], 10, 8) == [first, three]
    fewer = Side({"b": [*"abcdef", "Emmy", "Lise"]})
    assert choose([first, candidate(fewer, right, whole("b"), whole("other"))], 10, 8) == [first]
    assert choose([first, three], 10, 100) == [first]  # a tenth of 100 rows


rules = st.lists(
    st.builds(
        with_partners,
        st.dictionaries(
            st.integers(0, 11), st.lists(st.integers(0, 11), min_size=1, max_size=3, unique=True), min_size=1
        ),
        st.sampled_from(["left to right", "right to left"]),
        st.integers(1, 3),
    ),
    max_size=5,
)


@given(rules, st.integers(1, 4))
def test_rules_are_taken_at_most_once_and_each_brings_new_rows(candidates, most):
    chosen = choose(candidates, most, 12)
    assert len(chosen) <= most
    assert len({id(one) for one in chosen}) == len(chosen)
    left, right = set(), set()
    for one in chosen:
        assert any(one is candidate for candidate in candidates)
        pairs = [pair for pair in pairs_of(one) if pair[0] not in left and pair[1] not in right]
        assert pairs
        left.update(pair[0] for pair in pairs)
        right.update(pair[1] for pair in pairs)


def test_a_word_that_all_keys_share_names_no_row():
    left, right = Side({"n": NAMES}), Side({"key": [f"{name.split()[0]} Same" for name in NAMES]})
    first = candidate(left, right, word("n", 0), word("key", 0))
    last = candidate(left, right, word("n", 1), word("key", 1))
    assert last.partners == {}
    assert choose([last, first], 10, 8) == [first]
