"""The pairs that rules make and how they agree, against every pair of values; and which values are learnt from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.indexes.transform.agreement import agreement_of
from mere.indexes.transform.chance import explained_by_chance
from mere.indexes.transform.learning import LEARN_FROM, Pairs, learnt, paired
from mere.indexes.transform.rules import rules_from_dicts, rules_to_dicts
from mere.store import Strings
from mere.transform import Constant, Piece, Program, Rule, Split
from tests.oracles.transform import brute_agreement, brute_chance, brute_pairs, brute_pieces

programs = st.sampled_from(
    [
        (Piece(0),),
        (Piece(0, (Split("-", 1, 1),)),),
        (Piece(0, zeros=0),),
        (Piece(0, stop=2),),
        (Piece(0, (Split(" ", 1, 1),)), Constant(" "), Piece(0, (Split(" ", 0, 0),))),
        (Constant("A-"), Piece(0, keep="digits")),
    ]
)
directions = st.sampled_from(["left to right", "right to left"])
values = st.sampled_from(["a b", "b a", "a-1", "a-01", "1", "01", "001", "12", "x y", "y x", "ab", "a-12", "-", "é 1"])
columns = st.lists(values, unique=True, max_size=9)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    direction = draw(directions)
    names = ("mine",), ("theirs",)
    source, target = names if direction == "left to right" else names[::-1]
    return Rule(direction, Program(source, draw(programs)), Program(target, draw(programs)))


@given(st.lists(rules(), max_size=3), columns, columns)
def test_rules_pair_values_as_their_definition_says(several: list[Rule], mine: list[str], theirs: list[str]) -> None:
    pairs = paired(several, mine, theirs)
    found = [(mine[a], theirs[b]) for a, b in zip(pairs.mine.tolist(), pairs.theirs.tolist(), strict=True)]
    assert found == brute_pairs(several, mine, theirs)
    assert pairs.matched() == len({left for left, _ in found})
    again = rules_from_dicts(rules_to_dicts(several))
    assert [(rule.direction, rule.program, rule.key) for rule in again] == [
        (rule.direction, rule.program, rule.key) for rule in several
    ]


@given(st.lists(rules(), max_size=3), columns, columns)
def test_chance_is_that_of_its_definition(several: list[Rule], mine: list[str], theirs: list[str]) -> None:
    assert explained_by_chance(several, mine, theirs) == brute_chance(several, mine, theirs)


def test_a_column_of_nearly_all_short_texts_is_matched_by_chance() -> None:
    letters = "abcdefghijklmnop"
    every = [a + b for a in letters for b in letters]
    mine = [f"{text}-{number}" for number, text in enumerate(every[::3])]
    first = Rule(
        "left to right", Program(("mine",), (Piece(0, (Split("-", 0, 0),)),)), Program(("theirs",), (Piece(0),))
    )
    assert explained_by_chance([first], mine, every)
    assert not explained_by_chance([first], [f"{text}{text}-x" for text in every], [text * 2 for text in every])


@given(columns, columns, st.data())
def test_agreement_is_that_of_its_definition(mine: list[str], theirs: list[str], data: st.DataObject) -> None:
    every = [(a, b) for a in range(len(mine)) for b in range(len(theirs))]
    drawn = sorted(data.draw(st.sets(st.sampled_from(every), max_size=8) if every else st.just(set())))
    pieces = sorted({piece for text in mine for piece in brute_pieces(text)})
    weights = {piece: data.draw(st.integers(1, 50)) for piece in pieces}
    pairs = Pairs(np.array([a for a, _ in drawn], np.int64), np.array([b for _, b in drawn], np.int64))
    probe = {"pieces": np.array(pieces, np.uint32), "weights": np.array(list(weights.values()), np.int64)}
    found = agreement_of(pairs, Strings.of(mine), Strings.of(theirs), probe)
    assert tuple(found) == brute_agreement([(mine[a], theirs[b]) for a, b in drawn], mine, weights)


def test_many_values_are_learnt_from_a_sample_that_holds_partners() -> None:
    mine = Strings.of(f"item {number} {number * 7919 % 100_003:05}" for number in range(20 * LEARN_FROM))
    theirs = Strings.of(f"{number * 7919 % 100_003:05}" for number in range(0, 40 * LEARN_FROM, 2))
    found = learnt(mine, theirs, 600.0)
    assert not found.out_of_time
    assert paired(found.rules, mine.tolist(), theirs.tolist()).matched() == 10 * LEARN_FROM


def test_columns_that_have_nothing_in_common_have_no_rules() -> None:
    assert learnt(Strings.of(["ab", "cd", "ef"]), Strings.of(["12", "34", "56"]), 600.0) == ((), False)
    assert learnt(Strings.of([]), Strings.of([]), 600.0) == ((), False)


def test_it_is_known_that_the_time_for_learning_was_over() -> None:
    mine = Strings.of(f"item {number * 7919 % 100_003:05}" for number in range(100))
    theirs = Strings.of(f"{number * 7919 % 100_003:05}" for number in range(100))
    assert learnt(mine, theirs, 1e-9).out_of_time
    assert not learnt(mine, theirs, 600.0).out_of_time


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [  # the lake weighs the words of my first value as half of its rarest piece
        (["market austria (2024)", "market belgium (2024)"], "austria", 1.0),
        (["market austria (2024)", "market belgium (2024)"], "austria 1999", 0.5),  # has another word
        (["market austria (2024)", "market belgium (2024)"], "market", 0.5),  # all my values have it
        (["market austria (2024)", "market belgium (2024)", "austria x", "austria y"], "austria", 0.5),
        (["market austria (2024)", "market austria (2025)"], "2024", 0.0),  # common numbers may be of anything
        (["market austria (2024)"], "austria", 0.5),  # nothing tells a single value apart
    ],
)
def test_what_tells_my_values_apart_counts(mine: list[str], theirs: str, expected: float) -> None:
    weights = {piece: 4 for text in mine for piece in brute_pieces(text)}
    weights |= dict.fromkeys(brute_pieces("market") | brute_pieces("austria"), 2)
    weights |= dict.fromkeys(brute_pieces("2024"), 0)
    pieces = sorted(weights)
    probe = {"pieces": np.array(pieces, np.uint32), "weights": np.array([weights[piece] for piece in pieces])}
    found = agreement_of(Pairs(np.array([0]), np.array([0])), Strings.of(mine), Strings.of([theirs]), probe)
    assert (found.mean, found.in_lake, found.is_complete) == (expected, min(expected, 0.5), False)
