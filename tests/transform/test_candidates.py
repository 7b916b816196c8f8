"""What may be a target, and which columns a program reads; how texts are compared while pairs are looked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.transform import Constant, Piece, Program, Split
from mere.transform.candidates import targets, used_columns
from mere.transform.canonical import LONGEST, canonical, tokens
from mere.transform.tables import Side, keys_of
from mere.values import normalise_cell

from .programs import COLUMNS, programs_with_rows
from .rules import whole


@given(programs_with_rows())
def test_a_program_with_only_the_columns_it_reads_makes_the_same(case):
    program, rows = case
    used = used_columns(program)
    places = [COLUMNS.index(name) for name in used.columns]
    assert set(used.columns) == {COLUMNS[step.column] for step in program.steps if isinstance(step, Piece)}
    assert [used.row([row[place] for place in places]) for row in rows] == [program.row(row) for row in rows]


def test_columns_that_are_not_read_are_left_out():
    program = Program(("a", "b", "c"), (Piece(2), Constant("-"), Piece(0)), 9)
    assert used_columns(program) == Program(("a", "c"), (Piece(1), Constant("-"), Piece(0)), 9)


def part(separator, place):
    return Program(("x",), (Piece(0, (Split(separator, place, place),)),))


def test_the_targets_are_the_columns_or_the_parts_of_composite_ones():
    cells = ["George Clinton (1777)", "John Jay (1795)", "Morgan Lewis (1804)", "DeWitt Clinton"]
    side = Side({"x": cells, "y": ["a", "b", "c", "d"], "empty": [None] * 4})
    assert list(targets(side, side.rows, parts=False)) == [whole("x"), whole("y")]
    found = set(targets(side, side.rows, parts=True))
    assert {part("(", 0), part("(", -1)} <= found
    assert part("(", 1) not in found  # not all rows have a second part
    assert all(" " not in step.splits[0].separator for program in found for step in program.steps)


def test_a_sign_of_few_rows_does_not_make_a_column_composite():
    side = Side({"x": ["Jean-Luc", "Marie-Anne", "Otto", "Max", "Emmy"]})
    assert list(targets(side, side.rows, parts=True)) == []
    side = Side({"x": ["Jean-Luc", "Marie-Anne", "A-B"]})
    assert list(targets(side, side.rows, parts=True)) == [part("-", 0), part("-", 1), part("-", -1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pope&#39;s  Creek", "pope's creek"),
        ("  ÉCOLE\u00a0Zoë\t", "ecole zoe"),
        ("Straße AT&T", "strasse at&t"),
        ("½ ﬁn", "1⁄2 fin"),
        ("", ""),
        ("\u0301", ""),
    ],
)
def test_canonical_texts(text, expected):
    assert canonical(text) == expected


def test_only_the_beginning_of_a_long_text_is_looked_at():
    assert canonical("ab " * 10**6) == ("ab " * 100)[:LONGEST]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("05 March 2021", ("5", "3", "2021")),
        ("Obama, Barack(1961-)", ("obama", "barack", "1961")),
        ("a_b2c 000", ("a", "b", "2", "c", "0")),
        ("Sept. MAY", ("9", "5")),
        ("- !", ()),
    ],
)
def test_tokens(text, expected):
    assert tokens(text) == expected


@given(st.text(max_size=20))
def test_canonical_texts_stay_as_they_are_and_keys_are_those_of_a_join(text):
    assert (keys_of([text])[0] or "") == normalise_cell(text)
    assert len(canonical(text)) <= LONGEST
    assert canonical(text) == " ".join(canonical(text).split())
