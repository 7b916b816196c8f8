"""Joins that are accidents, and what rows share besides their key."""

from __future__ import annotations

import random
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.transform import Constant, Options, Piece, Program, Rule
from mere.transform.accidents import accident, explained_by_chance, rows_agree, shape_of, too_few
from mere.transform.agreement import Agreement
from mere.transform.canonical import tokens
from mere.transform.choose import pairs_of
from mere.transform.match import match
from mere.transform.tables import Side

from . import realistic as data
from .rules import candidate, whole

CITIES, NAMES = data.CITIES, [row[0] for row in data.rows_of(data.name, 40, 1)]
NUMBERS = [str(number) for number in range(1, 16)]


def judged(left, right, program="id", key="id"):
    """Why the rule between two columns is an accident."""
    left, right = Side(left), Side(right)
    return accident(candidate(left, right, whole(program), whole(key)), Agreement(left, right))


def test_row_numbers_are_an_accident():
    reason = judged({"id": NUMBERS, "city": CITIES}, {"id": NUMBERS, "name": NAMES[:15]})
    assert reason is not None
    assert "'id' and 'id' only number the rows" in reason
    serial = [f"R{number:05}" for number in range(1, 16)]
    assert "only number the rows" in (judged({"id": serial, "city": CITIES}, {"id": serial, "name": NAMES[:15]}) or "")


def test_whole_dates_of_both_tables_are_no_accident_although_they_are_dense():
    days = [f"2020-01-{day:02}" for day in range(1, 32)]
    assert judged({"id": days}, {"id": days}) is None
    partly = [*(f"2020-02-{day:02}" for day in range(1, 21)), *days[:11]]
    assert judged({"id": days}, {"id": partly}) is not None


def test_a_program_of_its_own_constant_must_not_collapse_onto_a_few_keys():
    months = [f"{year}-{month:02}" for year in range(1990, 2010) for month in range(1, 13)]
    names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    written = [f"{names[int(text[5:]) - 1]} {text[:4]}" for text in months]
    outcome = match({"month": months}, {"when": written})
    assert set(zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True)) == {
        (row, row) for row in range(240)
    }


def test_row_numbers_are_accepted_if_the_other_columns_agree():
    assert judged({"id": NUMBERS, "city": CITIES}, {"id": NUMBERS, "place": CITIES}) is None
    turned = [*CITIES[1:], CITIES[0]]
    assert judged({"id": NUMBERS, "city": CITIES}, {"id": NUMBERS, "place": turned}) is not None


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ([str(year) for year in range(1990, 2000)], [str(year) for year in range(1990, 2000)]),
        ([str(number) for number in range(1, 300)], [str(number) for number in range(1, 200)]),
        (list("abcdefghijklmnopqrstuvwxyz"), list("abcdefghijklmnopqrstuvwxyz")),
    ],
    ids=["years", "row numbers", "letters"],
)
def test_values_of_which_nearly_all_exist_are_an_accident(mine, theirs):
    assert judged({"id": mine}, {"id": theirs}) is not None


RARE = random.Random(3)


@pytest.mark.parametrize(
    "keys",
    [
        NAMES,
        [str(number) for number in RARE.sample(range(10_000, 99_999), 30)],
        [f"{number:04}" for number in RARE.sample(range(10_000), 30)],
        [row[0] for row in data.rows_of(data.code, 10, 1)],
        ["London", "Paris", "Vienna"],
    ],
    ids=["names", "five digits", "four digits", "codes", "cities"],
)
def test_values_that_chance_does_not_give_are_no_accident(keys):
    assert judged({"id": keys}, {"id": keys}) is None


def test_a_few_matches_of_short_values_are_chance():
    left, right = Side({"id": [*"abcdefgh", "x1"]}), Side({"id": [*"stuvwxyz", "x1"]})
    assert explained_by_chance(candidate(left, right, whole("id"), whole("id")))


def test_rows_agree_by_what_is_outside_of_the_key():
    left, right = Side({"id": NUMBERS, "city": CITIES}), Side({"id": NUMBERS, "city": CITIES})
    by_number = candidate(left, right, whole("id"), whole("id"))
    assert rows_agree(by_number, Agreement(left, right))
    alone = Side({"id": NUMBERS}), Side({"id": NUMBERS})
    assert not rows_agree(candidate(*alone, whole("id"), whole("id")), Agreement(*alone))


def test_a_frequent_word_in_common_is_no_agreement():
    parties = ["Party", "Other"] * 8
    assert judged({"id": NUMBERS, "a": parties[:15]}, {"id": NUMBERS, "b": parties[:15]}) is not None


@pytest.mark.parametrize(("key", "shape"), [("ab-12", "aa-00"), ("", ""), ("é٣ x", "a0 a"), ("_.", "_.")])
def test_shapes(key, shape):
    assert shape_of(key) == shape


def too_few_of(common, left_rows, right_rows):
    """Whether `common` names of two tables of so many rows are too few."""
    mine = [f"left person {number}" for number in range(left_rows - common)]
    theirs = [f"right person {number}" for number in range(right_rows - common)]
    shared = [f"shared person {number}" for number in range(common)]
    left, right = Side({"a": shared + mine}), Side({"b": shared + theirs})
    rule = candidate(left, right, whole("a"), whole("b"))
    return too_few([rule], list(pairs_of(rule)), left, right)


def test_a_join_covers_enough_of_one_table():
    assert too_few_of(9, 20, 20) is None
    assert too_few_of(8, 20, 20) is not None
    assert too_few_of(8, 1000, 10) is None  # 8 of 10
    assert too_few_of(40, 200, 1000) is None
    assert too_few_of(39, 200, 1000) is not None
    assert too_few_of(200, 4000, 10_000) is None
    reason = too_few_of(8, 20, 30)
    assert reason is not None
    assert "only 8 of 20 rows on the left and 8 of 30 on the right have a partner by 'a', too few" in reason


words = st.sampled_from(["Ann", "Lee", "7", "007", "March", "3", "red", "Red", ""])
rows = st.lists(st.tuples(words, words), min_size=1, max_size=8)


def agreement_of_words(one, other, every):
    """The weights of the words that both rows have, of which not too many rows have."""
    total = 0.0
    for word in one & other:
        share = sum(word in row for row in every) / len(every)
        total += log2(1 + 1 / share) if share <= 0.25 else 0.0
    return total


@given(rows, rows)
def test_agreement_is_the_weight_of_the_words_in_common(left_rows, right_rows):
    left, right = (Side(dict(zip("xy", zip(*table, strict=True), strict=True))) for table in (left_rows, right_rows))
    agreement = Agreement(left, right)
    swapped = Agreement(right, left)
    mine, theirs = (
        {row: {word for cell in table[row] for word in tokens(cell)} for row in side.rows}
        for table, side in ((left_rows, left), (right_rows, right))
    )
    every = [*mine.values(), *theirs.values()]
    for one in left.rows:
        for other in right.rows:
            expected = agreement_of_words(mine[one], theirs[other], every)
            assert agreement.of(one, other) == pytest.approx(expected)
            assert agreement.of(one, other) == swapped.of(other, one)
            assert agreement.of(one, other, (("x", "y"), ())) == 0.0


def test_the_columns_of_a_rule_come_left_ones_first():
    forwards = Rule("left to right", whole("mine"), whole("theirs"))
    backwards = Rule("right to left", whole("theirs"), whole("mine"))
    assert Agreement.columns_of(forwards) == Agreement.columns_of(backwards) == (("mine",), ("theirs",))


def test_years_alone_are_an_accident():
    years = [str(year) for year in range(1990, 2011)]
    towns = {"year": years, "town": [f"Town{number * 7919 % 1000}" for number in range(21)]}
    songs = {"when": years[::-1], "song": [f"Tune{number * 104729 % 1000}" for number in range(21)]}
    assert "by chance" in (match(towns, songs).refused or "")
    assert len(match(towns, songs, Options(accidents=True)).left_rows) == 21


def test_a_text_that_was_learnt_to_fit_some_keys_is_judged_among_those():
    """Of the keys that begin with "1-", most numbers of two digits occur: a number after "1-" is one by chance."""
    rng = random.Random(4)
    numbers = [str(number) for number in rng.sample(range(10, 100), 60)]
    places = [f"1-{number}" for number in rng.sample(range(10, 100), 60)]
    others = [f"{rng.randint(2, 9)}-{number}" for number in rng.sample(range(10, 100), 40)]
    left, right = Side({"n": numbers}), Side({"place": [*places, *others]})
    judged = candidate(left, right, Program(("n",), (Constant("1-"), Piece(0))), whole("place"))
    assert len(judged.partners) > 30 and explained_by_chance(judged)


def test_small_numbers_say_something_only_if_all_of_both_tables_are_paired():
    rng = random.Random(5)
    codes = [f"{number:03}" for number in rng.sample(range(1, 1000), 110)]
    some = [code.lstrip("0") for code in codes[:30]]
    assert "by chance" in (match({"n": some}, {"code": codes}).refused or "")
    every = [code.lstrip("0") for code in reversed(codes)]
    assert len(match({"n": every}, {"code": codes}).left_rows) == 110
