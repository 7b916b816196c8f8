"""The pieces of a cell that may contribute to an output."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.transform import Piece, Split
from mere.transform.enumerate_pieces import bases, fold, pieces_in, separators, splits

texts = st.text("aB1 ,-.(é😀ßİ0", max_size=12) | st.text(max_size=10)


@given(texts, texts)
@settings(max_examples=300)
def test_every_piece_occurs_in_the_output_or_begins_with_it(cell, output):
    output = fold(output)
    for piece in pieces_in(0, cell, output):
        made = piece(cell)
        assert made is not None
        assert fold(made) in output or fold(made).startswith(output)


@given(texts)
def test_bases_have_the_texts_that_their_pieces_make(cell):
    for piece, text in bases(0, cell):
        assert piece(cell) == text


@given(texts, st.sampled_from([" ", ",", "-", "a", "😀"]))
def test_splits_have_the_texts_that_they_make(text, separator):
    for split, part in splits(text, separator, ranges=True):
        assert (split(text) or "").strip(" ") == part


@given(texts, st.sampled_from([",", "-", "/"]), st.integers(1, 8))
def test_all_parts_are_made_from_both_ends(text, separator, count):
    cell = separator.join(f"{text}{number}" for number in range(count))
    parts = cell.split(separator)
    made = {(split.first, split.last): part for split, part in splits(cell, separator, ranges=False)}
    expected = {}
    for place in range(len(parts)) if len(parts) <= 8 else [*range(3), *range(len(parts) - 3, len(parts))]:
        if part := parts[place].strip(" "):
            expected[place, place] = expected[place - len(parts), place - len(parts)] = part
    assert made == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ()),
        ("abc", ()),
        ("Ada Lovelace", (" ",)),
        ("Lovelace, Ada", (",", " ")),
        ("Obama, Barack(1961-)", (",", " ", "(", "-)", "-", ")")),
        ("a_b", ("_",)),
        ("Jean-Luc - Paris", ("-", " - ", " ")),
        ("1961–2004", ("–",)),
        ("a----b", ("-",)),
    ],
)
def test_separators_are_the_runs_of_signs(text, found):
    assert set(separators(text)) == set(found)


@pytest.mark.parametrize(
    ("cell", "output", "piece"),
    [
        ("Ada Lovelace", "lovelace", Piece(0, (Split(" ", -1, -1),))),
        ("007", "no 7", Piece(0, zeros=0)),
        ("7", "007", Piece(0, zeros=3)),
        ("5 March", "03-05", Piece(0, (Split(" ", 1, 1),), month=True, zeros=2)),
        ("5 March", "3", Piece(0, (Split(" ", 1, 1),), month=True)),
        ("(020) 71-23", "0207123", Piece(0, keep="digits")),
        ("AB-12", "12", Piece(0, start=-2)),
        ("AB-12", "ab", Piece(0, stop=2)),
        ("Obama, Barack(1961-)", "barack obama", Piece(0, (Split(",", 1, 1), Split("(", 0, 0)))),
        ("xx2021yy", "in 2021", Piece(0, start=2, stop=6)),
    ],
)
def test_pieces_that_are_needed_are_made(cell, output, piece):
    assert piece in set(pieces_in(0, cell, output))


def test_a_long_cell_has_few_pieces():
    cell = ", ".join(f"word{number} and-more" for number in range(10_000))
    assert len(list(pieces_in(0, cell, "word1 word2 and"))) < 20_000
