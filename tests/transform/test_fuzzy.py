"""Rows that are left over, matched by similarity."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.transform import Constant, Piece, Program, Split
from mere.transform.candidates import sides_of
from mere.transform.choose import pairs_of
from mere.transform.fuzzy import LEAST, fuzzy_pairs, oriented
from mere.transform.similarity import Weights
from mere.transform.tables import Side

from . import realistic as data
from .rules import candidate, whole

TURN = Program(("name",), (Piece(0, (Split(", ", 1, 1),)), Constant(" "), Piece(0, (Split(", ", 0, 0),))))


def never():
    return False


def fuzzy(source, target, program=TURN, out_of_time=never):
    """The pairs by similarity, and those by the program."""
    left, right = Side({"name": source}), Side({"key": target})
    rule = candidate(left, right, program, whole("key"))
    matched = {}
    for one, other in pairs_of(rule):
        matched.setdefault(one, set()).add(other)
    found = fuzzy_pairs(rule, (left, right), matched, out_of_time)
    return {(one.source, one.target): one.score for one in found}, matched


NAMES = ["Lovelace, Ada", "Turing, Alan", "Hopper, Grace", "Liskov, Barbara", "Dijkstra, Edsger", "Knuth, Donald"]
TURNED = [" ".join(reversed(name.split(", "))) for name in NAMES]


def test_a_misspelt_row_is_matched():
    found, matched = fuzzy([*NAMES, "Meitner, Lise"], [*TURNED, "Lise Meitnr"])
    assert matched == {row: {row} for row in range(6)}
    assert found.keys() == {(6, 6)}
    assert LEAST <= found[6, 6] < 1


def test_a_row_that_is_like_no_key_is_not_matched():
    assert fuzzy([*NAMES, "Meitner, Lise"], [*TURNED, "Otto Hahn"])[0] == {}


def test_a_key_that_a_program_has_matched_is_not_given_away():
    assert fuzzy([*NAMES, "Lovelace, Adda"], TURNED)[0] == {}


def test_a_key_may_get_another_row_where_keys_have_several():
    source = [f"{name}{sign}" for name in TURNED for sign in (" A", " B")]
    program = Program(("name",), (Piece(0, (Split(" ", 0, 1),)),))
    found, matched = fuzzy([*source, "Ada Lovelacy C"], TURNED, program)
    assert matched == {row: {row // 2} for row in range(12)}
    assert found.keys() == {(12, 0)}


def test_a_tie_is_not_matched():
    assert fuzzy([*NAMES, "Meitner, Lise"], [*TURNED, "Lise Meitnr", "Lise Meitne"])[0] == {}
    assert fuzzy([*NAMES, "Meitner, Lise", "Meitnar, Lise"], [*TURNED, "Lise Meitnir"])[0] == {}


def test_the_threshold_rises_with_keys_that_are_alike():
    """The same two rows are left over; whether they are alike enough depends on what is not the same."""
    left_over, key = "Meitner, Lise", "Lise Meitnerova"
    assert fuzzy([*NAMES, left_over], [*TURNED, key])[0].keys() == {(6, 6)}
    alike = [
        f"{last}, {first}" for first in ("Lisa", "Lise", "Lison") for last in ("Planckaert", "Planckova", "Planck")
    ]
    turned = [" ".join(reversed(name.split(", "))) for name in alike]
    found, matched = fuzzy([*alike, left_over], [*turned, key])
    assert len(matched) == 9
    assert found == {}


def test_nothing_is_matched_out_of_time():
    assert fuzzy([*NAMES, "Meitner, Lise"], [*TURNED, "Lise Meitnr"], out_of_time=lambda: True)[0] == {}


letters = st.text("abc", min_size=3, max_size=5)
left_over = st.lists(st.builds("{}, {}".format, letters, letters), max_size=5, unique=True)
keys = st.lists(st.builds("{} {}".format, letters, letters), max_size=5, unique=True)


@given(left_over, keys)
@settings(max_examples=150)
def test_pairs_are_one_to_one_among_the_rows_that_are_left_over(more_names, more_keys):
    found, matched = fuzzy([*NAMES, *more_names], [*TURNED, *more_keys])
    taken = {row for rows in matched.values() for row in rows}
    assert len({one for one, _ in found}) == len({other for _, other in found}) == len(found)
    for (one, other), score in found.items():
        assert one not in matched and other not in taken
        assert LEAST <= score <= 1


def test_the_source_is_what_the_rule_reads():
    left, right = Side({"name": NAMES}), Side({"key": TURNED})
    forwards = candidate(left, right, TURN, whole("key"))
    backwards = candidate(right, left, TURN, whole("key"), backwards=True)
    assert sides_of(forwards, left, right) == (left, right)
    assert sides_of(backwards, right, left) == (left, right)
    assert oriented([(1, 2)], forwards) == [(1, 2)]
    assert oriented([(1, 2)], backwards) == [(2, 1)]


WEIGHTS = Weights([row[0] for row in data.rows_of(data.long_name, 200, 1)])


@pytest.mark.parametrize(
    ("closer", "farther"),
    [
        (("Grace Hopper", "Hopper, Grace"), ("Grace Hopper", "Grace Allen")),
        (("Grace Hopper", "G. Hopper"), ("Grace Hopper", "A. Hopper")),
        (("Katherine Johnson", "Kath Johnson"), ("Katherine Johnson", "Dorothy Johnson")),
        (("Katherine Johnson", "Katharine Johnson"), ("Katherine Johnson", "Kristina Johnson")),
        (("Donald Knuth", "Prof. Donald Knuth"), ("Donald Knuth", "Prof. Donald Duck")),
        (("Room 7", "Room 007"), ("Room 7", "Room 8")),
    ],
)
def test_what_is_more_similar(closer, farther):
    assert 1 >= WEIGHTS.similarity(*closer) > WEIGHTS.similarity(*farther)


def test_rare_words_count_more():
    weights = Weights(["city of Bern", "city of Bath", "city of Cork", "city of Oslo", "town of Graz"])
    assert weights.of("city") < weights.of("bern")
    assert weights.similarity("city of Bern", "town of Bern") > weights.similarity("city of Bern", "city of Oslo")


names = st.lists(st.sampled_from([*data.FIRST[:6], *data.LAST[:6], "A", "7", "Ad", "Hoppar"]), max_size=4).map(" ".join)


@given(names, names, st.randoms(use_true_random=False))
def test_similarity_is_a_share(one, other, rng):
    found = WEIGHTS.similarity(one, other)
    assert 0 <= found <= 1
    if not one or not other:
        assert found == 0
    if one:
        words = one.split()
        rng.shuffle(words)
        assert WEIGHTS.similarity(one, " ".join(words).upper()) == pytest.approx(1)


def test_texts_without_a_letter_in_common_are_not_similar():
    assert WEIGHTS.similarity("Grace Hopper", "Alan Turing") == 0
    assert WEIGHTS.similarity("123", "1234") == 0  # numbers are equal or not
    assert Weights([]).similarity("", "") == 0
