"""What holds for any two tables that are matched."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mere.transform import Options, Program
from mere.transform.match import match
from mere.transform.tables import Side, keys_of

from .programs import pieces
from .test_match import CASES, pairs, shuffled

words = st.sampled_from(
    ["Ada", "ada", "Lovelace", "Alan", "Turing", "Wu", "007", "7", "12.0", "March", "é", "😀", "x-y"]
)
texts = st.lists(words, min_size=1, max_size=3).map(" ".join) | st.text(max_size=6)
cells = st.sampled_from([None, "", " "]) | texts | texts | texts


@st.composite
def tables(draw, names):
    rows = draw(st.integers(0, 9))
    columns = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    return {name: draw(st.lists(cells, min_size=rows, max_size=rows)) for name in columns}


@st.composite
def related_tables(draw):
    """A table, and what a piece makes of its first column, in another order, with rows of its own."""
    left = draw(tables("abc"))
    name = next(iter(left))
    piece = draw(pieces.map(lambda piece: Program((name,), (piece,))).filter(lambda one: one.steps[0].column == 0))
    made = [text for text in piece.over([left[name]]) if text is not None]
    return left, {"made": draw(st.permutations([*made, *draw(st.lists(cells, max_size=3))]))}


def check(left, right, outcome):
    """What every outcome promises."""
    count = len(outcome.left_rows)
    sides = Side(left), Side(right)
    assert len(outcome.right_rows) == len(outcome.rule) == len(outcome.score) == count
    assert len(pairs(outcome)) == count
    assert (outcome.refused is None) == (count > 0)
    for rows, side in ((outcome.left_rows, sides[0]), (outcome.right_rows, sides[1])):
        assert set(rows.tolist()) <= {row for copies in side.copies.values() for row in copies}
    for number, rule in enumerate(outcome.rules):
        of_rule = outcome.rule == number
        assert rule.pairs == of_rule.sum()
        mine, theirs = (left, right) if rule.direction == "left to right" else (right, left)
        source, target = outcome.left_rows[of_rule], outcome.right_rows[of_rule]
        source, target = (source, target) if rule.direction == "left to right" else (target, source)
        made = keys_of([rule.program.over([[mine[name][row]] for name in rule.program.columns])[0] for row in source])
        keys = keys_of([rule.key.over([[theirs[name][row]] for name in rule.key.columns])[0] for row in target])
        assert made == keys and None not in made
    fuzzy = outcome.rule < 0
    assert (outcome.score[~fuzzy] == 1).all()
    assert ((outcome.score[fuzzy] >= 0.5) & (outcome.score[fuzzy] <= 1)).all()
    assert set(outcome.rule[~fuzzy].tolist()) <= set(range(len(outcome.rules)))
    for conflict in outcome.conflicts:
        assert conflict.row in sides[conflict.side == "right"].copies
        assert set(conflict.partners) <= sides[conflict.side == "left"].copies.keys()
        assert set(conflict.taken) <= set(conflict.partners)


options = st.builds(
    Options,
    most_programs=st.integers(1, 3),
    fuzzy=st.booleans(),
    accidents=st.booleans(),
    many_to_many=st.booleans(),
    seed=st.integers(0, 2),
)


@given(tables("abc"), tables("xyz"), options)
@settings(max_examples=150)
@example({"a": ["abc\U0010ffff", "abc\U0010ffffd"]}, {"x": ["abc", "abcd"]}, Options())
def test_any_two_tables_have_an_outcome(left, right, chosen):
    check(left, right, match(left, right, chosen))


@given(related_tables(), options)
@settings(max_examples=200)
def test_tables_of_which_one_is_made_from_the_other_have_an_outcome(both, chosen):
    left, right = both
    check(left, right, match(left, right, chosen))
    check(right, left, match(right, left, chosen))


@pytest.mark.parametrize("name", CASES)
def test_the_everyday_cases_keep_the_promises(name):
    left, right, _ = CASES[name]
    outcome = match(left, shuffled(right, 3)[0])
    check(left, shuffled(right, 3)[0], outcome)
    assert outcome.refused is None


@pytest.mark.parametrize("name", CASES)
def test_the_order_of_the_rows_does_not_matter(name):
    left, right, _ = CASES[name]
    expected = pairs(match(left, right))
    for seed in range(3):
        (mine, left_order), (theirs, right_order) = shuffled(left, seed), shuffled(right, 10 + seed)
        outcome = match(mine, theirs)
        assert {(left_order[one], right_order[other]) for one, other in pairs(outcome)} == expected


def same(one, other):
    """Whether two outcomes are equal in all but the seconds."""
    values = [
        (getattr(one, field.name), getattr(other, field.name)) for field in fields(one) if field.name != "seconds"
    ]
    return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in values)


@given(related_tables(), options)
@settings(max_examples=40)
def test_the_same_seed_gives_the_same_outcome(both, chosen):
    assert same(match(*both, chosen), match(*both, chosen))


PROGRAM = """
from tests.transform.test_match import CASES, match
for name in ("presidents", "composite columns on both sides", "a code from two columns", "two ways of writing"):
    outcome = match(*CASES[name][:2])
    print(outcome.left_rows.tolist(), outcome.right_rows.tolist(), outcome.score.tolist(), outcome.rules)
"""


def test_the_process_does_not_matter():
    """Python's hashes of texts differ between processes, and with them the order of sets."""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("1", "2")
    ]
    assert len(outputs[0]) == 4
    assert outputs[0] == outputs[1]
