"""What is left out is said, and nothing grows without bound."""

from __future__ import annotations

from hashlib import md5

import pytest

import mere.transform.match as matching
from mere.transform import Piece, Program, Rule, Split
from mere.transform.agreement import Agreement
from mere.transform.candidates import Candidate
from mere.transform.choose import choose
from mere.transform.clock import Clock
from mere.transform.fuzzy import fuzzy_pairs
from mere.transform.learn import MOST_STEPS, Learner
from mere.transform.match import match
from mere.transform.pool import Pool
from mere.transform.resolve import resolve
from mere.transform.tables import MOST_ROWS_OF_A_KEY, Keys, Side

from . import realistic as data
from .rules import whole


def people(count, placeholders=0):
    """Names in two ways of writing, each table with some rows of which the name is unknown."""
    names = list(dict.fromkeys(tuple(row[0].split(" ")) for row in data.rows_of(data.name, count, 3)))
    left = {"who": [f"{last}, {first}" for first, last in names] + ["unknown, person"] * placeholders}
    right = {"name": [f"{first} {last}" for first, last in names] + ["person unknown"] * placeholders}
    for table, column in ((left, "left id"), (right, "right id")):
        size = len(names) + placeholders
        table[column] = [md5(f"{column}{row}".encode(), usedforsecurity=False).hexdigest()[:12] for row in range(size)]
    return left, right, len(names)


@pytest.mark.parametrize("placeholders", [0, 5, 25, MOST_ROWS_OF_A_KEY])
def test_rows_whose_name_is_unknown_do_not_hide_the_others(placeholders):
    left, right, known = people(200, placeholders)
    outcome = match(left, right)
    assert outcome.refused is None
    made = set(zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True))
    assert {(row, row) for row in range(known)} <= made
    assert all(one >= known and other >= known for one, other in made if one != other)


def test_a_value_that_very_many_rows_have_is_no_key_and_that_is_said():
    left, right, known = people(200, MOST_ROWS_OF_A_KEY + 1)
    outcome = match(left, right)
    assert set(outcome.left_rows.tolist()) == set(range(known))
    assert any("that many rows have" in note for note in outcome.notes)


def test_very_many_pairs_of_equal_rows_are_refused_with_their_number(monkeypatch):
    monkeypatch.setattr(matching, "MOST_PAIRS", 1_000)
    left, right, known = people(100)
    left = {name: [*cells, *cells[:1] * 40] for name, cells in left.items()}
    right = {name: [*cells, *cells[:1] * 40] for name, cells in right.items()}
    assert match(left, right).refused == f"equal rows would make {known - 1 + 41 * 41:,} pairs, more than 1,000"
    monkeypatch.setattr(matching, "MOST_PAIRS", known - 1 + 41 * 41)
    assert len(match(left, right).left_rows) == known - 1 + 41 * 41


def test_columns_and_texts_that_are_not_looked_at_are_named():
    left, right, _ = people(40)
    wide = {f"c{number}": [f"{number}"] * len(left["who"]) for number in range(100)}
    assert "only the first 100 of 102 columns of the left table were looked at" in match(wide | left, right).notes
    long = left | {"text": ["word " * 60] * len(left["who"])}
    assert "of cells of more than 256 characters, only the beginnings were compared" in match(long, right).notes
    assert match(left, right).notes == ()


@pytest.mark.parametrize("stage", ["joining all rows", "matching the rows that are left over by similarity"])
def test_the_end_of_the_time_is_said_whenever_it_comes(stage, monkeypatch):
    left, right, _ = people(60)
    right["name"][3:6] = ["Somebody Else", "Nobody Here", "Who Knows"]
    over = False
    monkeypatch.setattr(Clock, "out_of_time", lambda clock: over)

    def progress(sentence):
        nonlocal over
        over = sentence == stage

    outcome = match(left, right, progress=progress)
    assert outcome.notes == ("the time limit of 120 s was reached: there may be more",)


def test_a_program_has_at_most_so_many_steps():
    """The outputs turn every word round and need one piece per word."""
    rows = [
        (" ".join(f"{letter}{number}{word}" for word in range(MOST_STEPS + 1)),) for number, letter in enumerate("abc")
    ]
    outputs = ["+".join(reversed(row[0].split(" "))) for row in rows]
    assert Learner(Pool(("x",), rows, outputs), [0, 1, 2]).learn() is None
    fewer = [(" ".join(row[0].split(" ")[: MOST_STEPS // 2]),) for row in rows]
    shorter = ["+".join(reversed(row[0].split(" "))) for row in fewer]
    steps = Learner(Pool(("x",), fewer, shorter), [0, 1, 2]).learn()
    assert steps is not None and len(steps) == 2 * (MOST_STEPS // 2) - 1


def test_a_pair_with_a_row_that_is_taken_is_not_taken():
    """The second rule pairs two left rows with right rows that are taken: they are free for the third."""
    target = Side({"key": [f"key {number}" for number in range(20)]})
    keys = Keys(target, whole("key"))

    def rule(place, partners):
        program = Program(("x",), (Piece(0, (Split(" ", place, place),)),))
        return Candidate(Rule("left to right", program, whole("key")), keys, partners, {}, 20)

    first = rule(0, {row: [row] for row in range(12)})
    second = rule(1, {row: [row] for row in range(12, 18)} | {18: [0], 19: [1]})
    third = rule(2, {18: [18], 19: [19]})
    assert choose([first, second, third], 10, 20) == [first, second, third]


@pytest.mark.parametrize(("mine", "theirs", "paired"), [("97", "98", False), ("Harbourmaster", "Harbormaster", True)])
def test_rows_that_resemble_as_little_as_wrong_ones_are_not_paired(mine, theirs, paired):
    """Two of three words are common to many rows, so that wrong keys are fairly similar, too."""
    places = [f"{town} {side}" for town in ("Leeds", "York", "Derby", "Bath") for side in ("North", "South")]
    texts = [f"{place} {number}" for place in places for number in range(10, 20)]
    sides = Side({"x": [*texts, f"Leeds North {mine}"]}), Side({"y": [*texts, f"Leeds North {theirs}"]})
    keys = Keys(sides[1], whole("y"))
    partners, made = keys.partners(sides[0], whole("x"), sides[0].rows)
    chosen = Candidate(Rule("left to right", whole("x"), whole("y")), keys, partners, made, len(sides[0].rows))
    matched = {row: set(rows) for row, rows in partners.items()}
    found = fuzzy_pairs(chosen, sides, matched, lambda: False)
    assert [(pair.source, pair.target) for pair in found] == ([(80, 80)] if paired else [])


def test_many_rows_of_one_key_on_both_sides_are_settled_in_time():
    """A hundred by a hundred rows of one key: each is compared with each once."""
    rows = [f"r{number:03}" for number in range(100)]
    sides = Side({"k": ["same"] * 100, "note": rows}), Side({"key": ["same"] * 100, "remark": rows})
    keys = Keys(sides[1], whole("key"))
    partners, made = keys.partners(sides[0], whole("k"), sides[0].rows)
    chosen = Candidate(Rule("left to right", whole("k"), whole("key")), keys, partners, made, 100)
    agreement = Agreement(*sides)
    asked = []
    plain = agreement.of
    agreement.of = lambda *given: asked.append(given) or plain(*given)
    assert set(resolve([chosen], agreement).pairs) == {(row, row) for row in range(100)}
    assert len(asked) <= 100 * 100
