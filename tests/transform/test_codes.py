"""Codes: equal ones are the join, some digits in common are none, and a spelling distance says nothing."""

from __future__ import annotations

import random
import string

import pytest

from mere.transform import Constant, Options, Piece, Program
from mere.transform.accidents import dense_pieces
from mere.transform.agreement import Agreement
from mere.transform.cardinality import contradicted
from mere.transform.match import match
from mere.transform.tables import Side

from .people import Tables, truth_of
from .rules import after, candidate, whole


def check(tables):
    """All true pairs, and no other."""
    outcome = match(tables.left, tables.right)
    found = list(zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True))
    rules = [str(rule.program) for rule in outcome.rules]
    assert sorted(found) == sorted(tables.truth), (len(set(found) - tables.truth), rules, outcome.refused)


def joined(left, right, mine=None, theirs=None):
    return Tables({"a": left}, {"b": right}, truth_of(mine or left, theirs or right))


def skus(rng, first):
    return [f"SKU-{number:05}-{rng.choice('AB')}" for number in range(first, first + 1600)]


def revisions(rng, first):
    return [f"P{number:04}/R{rng.randint(1, 3)}" for number in range(first, first + 1600)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("keys", [skus, revisions])
def test_equal_codes_are_the_join(seed, keys):
    """By a part of them, three times as many are paired, none rightly."""
    rng = random.Random(seed)
    check(joined(keys(rng, 1000), keys(rng, 0)))


def letters(rng):
    return "".join(rng.choices(string.ascii_lowercase, k=4))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (lambda _, number: f"INV-{number}", lambda rng, number: f"{letters(rng)}{number}"),
        (lambda rng, number: f"P{number}/R{rng.randint(1, 3)}", lambda _, number: f"abcd{number}"),
        (lambda rng, number: f"P{number}/R{rng.randint(1, 3)}", lambda rng, number: f"{letters(rng)}{number}"),
        (lambda _, number: f"INV-{number + 99000}", lambda rng, number: f"{letters(rng)}{number + 99000}"),
    ],
    ids=["invoices", "revisions", "both", "six digits"],
)
def test_unrelated_codes_have_the_same_digits(seed, mine, theirs):
    rng = random.Random(seed)
    left, right = ([write(rng, number) for number in range(1000, 2000)] for write in (mine, theirs))
    rng.shuffle(right)
    refused = match({"a": left}, {"b": right}).refused
    assert refused is not None
    assert match({"b": right}, {"a": left}).refused is not None


@pytest.mark.parametrize("first", [1000, 1400])
@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("KD-{}", "{}"), ("{}", "KD-{}"), ("KD-{}", "customer {}"), ("KD-0{}", "{}"), ("A{}/x", "{}"),
    ],
)  # fmt: skip
def test_prefixes_do_not_tell_codes_apart(mine, theirs, first):
    rng = random.Random(first)
    left, right = list(range(1000, 2000)), list(range(first, first + 1000))
    rng.shuffle(right)
    check(joined([mine.format(n) for n in left], [theirs.format(n) for n in right], left, right))


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [("{0:02}/{1:02}/{2}", "{1:02}/{0:02}/{2}"), ("{0:02}.{1:02}.{2}", "{2}-{1:02}-{0:02}")],
    ids=["day and month", "ISO"],
)
def test_dates_in_another_order_although_some_are_equal(mine, theirs):
    rng = random.Random(1)
    days = [(day, month, 2021) for month in range(1, 13) for day in range(1, 29)]
    left, right = days, rng.sample(days, len(days))
    check(joined([mine.format(*day) for day in left], [theirs.format(*day) for day in right], left, right))


@pytest.mark.parametrize("other", ["SKU-{:05}-B", "sku-{:05}-b"])
def test_codes_are_not_matched_by_similarity(other):
    """Equal ones are the join; the others differ in one letter."""
    rng = random.Random(2)
    numbers = rng.sample(range(100_000), 300)
    left = [f"SKU-{number:05}-A" for number in numbers]
    right = [*left[:250], *(other.format(number) for number in numbers[250:])]
    check(joined(left, right))


NAMES = ["Lovelace, Ada", "Turing, Alan", "Hopper, Grace", "Liskov, Barbara", "Dijkstra, Edsger", "Knuth, Donald"]


def test_codes_among_names_are_not_matched_by_similarity():
    left = {"name": [*NAMES, "Meitner, Lise", "AB-1234-x"]}
    right = {"name": [*(" ".join(name.split(", ")[::-1]) for name in NAMES), "Lise Meitnr", "AB-1234-y"]}
    outcome = match(left, right)
    assert set(zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True)) == {(n, n) for n in range(7)}


def reason(left, right, program, key, backwards=False):
    left, right = Side({"a": left}), Side({"b": right})
    return contradicted(candidate(left, right, program, key, backwards), Agreement(left, right))


FIRST = Program(("a",), (Piece(0, stop=2),))


def test_values_that_have_an_equal_partner_contradict_another():
    left, right = ["ab", "cd", *(f"{n}-x" for n in range(10, 99))], ["ab", "cd", *map(str, range(10, 99))]
    assert reason(left, right, FIRST, whole("b")) is None
    also = [f"{n}-x" for n in range(10, 13)]
    refused = reason(left, [*right, *also], FIRST, whole("b"))
    assert refused is not None and "'10-x'" in refused
    assert reason(left, [*right, *also[:2]], FIRST, whole("b")) is None  # too few to say anything
    assert reason(left, [*right, *also], whole("a"), whole("b")) is None


def test_a_longer_spelling_of_what_is_equal_is_no_contradiction():
    """Several rows of the source are one of the target."""
    towns = [f"town{number}" for number in range(20)]
    first = Program(("a",), (Piece(0, stop=6),))
    assert reason([*towns, *(f"{town} AT" for town in towns)], towns, first, whole("b")) is None


def test_what_a_program_copies_is_dense_only_without_its_texts():
    numbers = [str(number) for number in range(1000, 2000)]
    left, right = Side({"a": numbers}), Side({"b": [f"kd-{number}" for number in numbers]})
    assert dense_pieces(candidate(left, right, after("kd-", "a"), whole("b")), Agreement(left, right)) is None
    others = Side({"a": [f"{chr(97 + int(number) % 7)}{number}" for number in numbers]})
    cut = Program(("a",), (Constant("kd-"), Piece(0, start=1)))
    assert "by chance" in dense_pieces(candidate(others, right, cut, whole("b")), Agreement(others, right))


def test_an_accident_of_dense_pieces_is_accepted_if_asked_for():
    rng = random.Random(1)
    left = [f"INV-{number}" for number in range(1000, 2000)]
    right = [f"{letters(rng)}{number}" for number in range(1000, 2000)]
    assert match({"a": left}, {"b": right}, Options(accidents=True)).refused is None
