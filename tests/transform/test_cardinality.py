"""One side of the pairs must be a key: a program that reads only a part of both values is no join."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.transform import Constant, Options, Piece, Program, Split
from mere.transform.agreement import Agreement
from mere.transform.canonical import unread
from mere.transform.cardinality import Pairing, many_to_many
from mere.transform.match import match
from mere.transform.tables import Side

from .people import codes, people, turned, two_tables
from .rules import candidate, whole, word

GIVEN = Program(("person",), (Piece(0, (Split(", ", 1, 1),)),))
FULL = Program(("person",), (Piece(0, (Split(", ", 1, 1),)), Constant(" "), Piece(0, (Split(", ", 0, 0),))))


def check(outcome, tables, precision=0.98, recall=0.95):
    found = set(zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True))
    right = len(found & tables.truth)
    assert right >= precision * len(found), (right, len(found), [str(rule.program) for rule in outcome.rules])
    assert right >= recall * len(tables.truth), (right, len(tables.truth), outcome.refused)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spelling", ["one column", "two columns"])
def test_few_names_against_many_people(seed, spelling):
    """Each given name has a hundred people, so that it alone pairs every row."""
    rng = random.Random(seed)
    everybody = people(rng, 4000, 40, 900)
    tables = turned(rng.sample(everybody, 100), everybody, spelling)
    tables.left["points"] = [str(rng.randrange(1, 1000)) for _ in range(100)]
    check(match(tables.left, tables.right), tables)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spelling", ["one column", "two columns"])
def test_names_of_which_a_third_is_common(seed, spelling):
    tables = turned(*two_tables(random.Random(seed), 500, 0.3, 120, 250), spelling)
    check(match(tables.left, tables.right), tables)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("common", [0.0, 0.3])
def test_random_codes(seed, common):
    """By their last four digits, as many more would match by accident; unrelated codes are refused."""
    tables = codes(random.Random(seed), 1000, common)
    outcome = match(tables.left, tables.right)
    check(outcome, tables)
    assert (outcome.refused is None) == (common > 0)


@given(
    st.integers(0, 10**6), st.integers(200, 400), st.floats(0.3, 1.0), st.sampled_from(["one column", "two columns"])
)
@settings(max_examples=10)
def test_pairs_are_true_whatever_is_common(seed, count, common, spelling):
    """Of hundreds of rows: of fewer, too few repeat a name to tell."""
    tables = turned(*two_tables(random.Random(seed), count, common, 40, 200), spelling)
    check(match(tables.left, tables.right, Options(fuzzy=False)), tables)


def reason(left, right, program, key, backwards=False, settled=False):
    left, right = Side(left), Side(right)
    return many_to_many(candidate(left, right, program, key, backwards), Agreement(left, right), settled)


def test_a_part_of_names_is_no_key():
    tables = turned(*two_tables(random.Random(1), 200, 0.3, 20, 200))
    refused = reason(tables.left, tables.right, GIVEN, word("name", 0))
    assert refused is not None and "left rows with " in refused and "it reads '" in refused
    assert reason(tables.right, tables.left, GIVEN, word("name", 0), backwards=True) is not None
    assert reason(tables.left, tables.right, GIVEN, word("name", 0), settled=True) is not None
    assert reason(tables.left, tables.right, FULL, whole("name")) is None


def test_people_of_one_name_are_not_the_programs_fault():
    """Two of them in each table are four pairs."""
    rng = random.Random(2)
    several = people(rng, 60, 10, 40)
    tables = turned([*several, *several], [*several, *several])
    tables.left["row"] = [f"l{row}" for row in range(120)]
    tables.right["row"] = [f"r{row}" for row in range(120)]
    assert reason(tables.left, tables.right, FULL, whole("name")) is None
    assert reason(tables.left, tables.right, GIVEN, word("name", 0)) is not None


STATES = ["CA", "TX", "NY", "WA", "OR", "NV", "AZ", "UT"]
REPORTS = [f"US-{state}-{year}" for state in STATES for year in (2017, 2018, 2019)]
STATE = Program(("report",), (Piece(0, (Split("-", 1, 1),)),))


def test_a_reduction_to_a_key_is_a_join_in_both_directions():
    left, right = {"report": REPORTS}, {"state": STATES, "name": [f"state {number}" for number in range(8)]}
    assert reason(left, right, STATE, whole("state")) is None
    assert reason(right, left, STATE, whole("state"), backwards=True) is None
    assert reason(left, right, whole("state"), STATE, backwards=True) is None


def test_a_column_that_repeats_is_no_key_although_its_values_are_read_whole():
    cities = {
        "state": [state for state in STATES for _ in range(4)],
        "city": [f"city {number}" for number in range(32)],
    }
    assert reason({"report": REPORTS}, cities, STATE, whole("state")) is not None
    one_each = {"report": REPORTS[::3]}
    assert reason(one_each, cities, STATE, whole("state")) is None


def test_few_rows_have_a_key_each_by_luck():
    """Ten people of different given names, of whom nobody is among the others: nothing says that names are keys."""
    rng = random.Random(3)
    others = people(rng, 2000, 100, 500)
    firsts = list(dict(others))[:10]
    few = {"person": [f"Nobody{number}, {first}" for number, first in enumerate(firsts)]}
    many = {"name": [f"{first} {last}" for first, last in others]}
    refused = reason(few, many, GIVEN, word("name", 0))
    assert refused is not None and "each of 10 left rows" in refused
    constant = {"person": [f"Staff, {first}" for first in firsts]}
    assert reason(constant, many, GIVEN, word("name", 0)) is None


def test_many_to_many_is_a_join_only_if_asked_for_and_then_said():
    tables = turned(*two_tables(random.Random(4), 300, 0.0, 12, 200))
    refused = match(tables.left, tables.right)
    assert refused.refused is not None and "on average" in refused.refused
    asked = match(tables.left, tables.right, Options(many_to_many=True, fuzzy=False))
    assert asked.refused is None and len(asked.left_rows) > 1.3 * len(set(asked.left_rows.tolist()))
    assert any(note.startswith("many to many: ") for note in asked.notes)


def test_no_note_where_one_side_is_a_key():
    tables = turned(*two_tables(random.Random(4), 60, 1.0, 12, 200))
    assert match(tables.left, tables.right, Options(many_to_many=True)).notes == ()


small = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz")), min_size=1, max_size=40)


def brute_pairs(left, right):
    """Rows of different values by their first letters; of keys that have one value on both sides, one pair."""
    pairs = set()
    for key in {first for first, _ in left} & {first for first, _ in right}:
        sides = [[entry for entry in dict.fromkeys(side) if entry[0] == key] for side in (left, right)]
        pairs |= {(mine, theirs) for mine in sides[0] for theirs in sides[1]}
    return pairs


@given(small, small)
@settings(max_examples=200)
def test_as_many_pairs_are_accidental_as_rows_have_further_partners(left, right):
    tables = {"person": [f"{last}, {first}" for first, last in left]}, {"name": [f"{a} {b}" for a, b in right]}
    pairs = brute_pairs(left, right)
    accidental = [
        len(set(side)) * (len(pairs) / max(1, len({pair[place] for pair in pairs})) - 1)
        for place, side in enumerate((left, right))
    ]
    neither = all(number > max(2, 0.02 * len(pairs)) for number in accidental)
    refused = pairs and reason(*tables, GIVEN, word("name", 0))
    assert not neither or refused
    assert not refused or any(number > max(2, 0.02 * len(pairs)) for number in accidental)


@pytest.mark.parametrize(
    ("rows", "matched", "pairs", "too_many"),
    [
        ((1000, 1000), (1000, 1000), 1000, (False, False)),
        ((1000, 50), (1000, 50), 1000, (False, True)),
        ((200, 20000), (200, 5000), 20000, (True, True)),
        ((1000, 1000), (380, 380), 391, (True, True)),
        ((10, 10), (0, 0), 0, (False, False)),
        ((300, 300), (300, 300), 302, (False, False)),
        ((100, 100), (97, 97), 100, (True, True)),
    ],
)
def test_too_many_accidental_pairs(rows, matched, pairs, too_many):
    assert Pairing(rows, matched, pairs).too_many == too_many


@pytest.mark.parametrize(
    ("value", "key", "rest"),
    [
        ("Smith, Ann", "ann", ("smith",)),
        ("Smith, Ann", "ann smith", ()),
        ("388-9044", "9044", ("388",)),
        ("3889044", "9044", ("388",)),
        ("00123", "123", ()),
        ("5 March 2021", "2021-03-05", ()),
        ("ann ann", "ann", ()),
        ("", "", ()),
    ],
)
def test_what_is_left_of_a_value_without_its_key(value, key, rest):
    assert unread(value, key) == rest
