"""Normalisation: the array version agrees with the definition, and equal values are equal in all spellings."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.values import normalise, normalise_cell

number_like = st.from_regex(r"[ +-]{0,2}[0-9]{0,4}\.?[0-9]{0,4}(e[+-]?[0-9]{0,3})?", fullmatch=True)
spaced = st.text(alphabet=" \t\n\x0b\x1c\x1f\xa0aAßİéÉǅ０１٢.,e+-", max_size=12)
cells = st.lists(st.none() | number_like | spaced | st.text(max_size=20), max_size=30)


@given(cells)
@settings(max_examples=1500, deadline=None)
def test_an_array_is_normalised_like_its_cells(raw):
    expected = [None if cell is None else normalise_cell(cell) for cell in raw]
    assert normalise(pa.array(raw, pa.string())).to_pylist() == expected


@given(number_like | spaced | st.text(max_size=20))
@settings(max_examples=1500, deadline=None)
def test_normalising_twice_changes_nothing(text):
    assert normalise_cell(normalise_cell(text)) == normalise_cell(text)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("12", "12.0"), ("12", "+12"), ("1200", "1.2e3"), ("0.5", ".50"), ("0", "-0.00"), ("-3.25", "-3.250"),
        ("Straße", "STRASSE"), ("ﬁn", "FIN"), ("a  b", " A\u00a0B\n"), ("Åland", "A\u030aland"), ("１２", "12"),
    ],
)  # fmt: skip
def test_two_spellings_of_a_value_are_equal(first, second):
    assert normalise_cell(first) == normalise_cell(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("007", "7"), ("1,234", "1234"), ("1e999", "1e998"), ("1.2.3", "1.2"), ("é", "e"), ("-", "--")],
)
def test_different_values_stay_different(first, second):
    assert normalise_cell(first) != normalise_cell(second)
