"""Abbreviations of dates and addresses are written out by one simple rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.indexes.similar.embedders.abbreviations import ABBREVIATIONS, MONTHS, NOT_FIRST, expanded

WORDS = st.sampled_from([*ABBREVIATIONS, "main", "é", "th", "x"])
GAPS = st.sampled_from([" ", ", ", ".", "-", "", "1", " 22 ", "日"])


def by_characters(text: str) -> str:
    """The rule, one character at a time, as compiled code follows it."""
    if not any(c in "0123456789" for c in text):
        return text
    written, token, before, tokens = "", "", "", 0
    for character in [*text, ""]:
        if character and ("a" <= character <= "z" or ord(character) >= 128):
            token += character
            continue
        if token:
            after_digit = before != "" and before in "0123456789" and token not in MONTHS
            kept = after_digit or (tokens == 0 and token in NOT_FIRST)
            written += token if kept else ABBREVIATIONS.get(token, token)
            token, tokens = "", tokens + 1
        written += character
        before = character
    return written


@given(st.lists(st.tuples(GAPS, WORDS), max_size=6), GAPS)
def test_every_token_is_replaced_as_the_rule_says(parts: list[tuple[str, str]], end: str) -> None:
    text = "".join(gap + word for gap, word in parts) + end
    assert expanded(text) == by_characters(text)


@given(st.text(max_size=30))
def test_any_text_can_be_expanded(text: str) -> None:
    assert expanded(text) == by_characters(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("12 mar 1998", "12 march 1998"),
        ("12mar1998", "12march1998"),
        ("sept. 3, 2001", "september. 3, 2001"),
        ("616 east 9th st.", "616 east 9th street."),
        ("east 1st st, 3rd fl", "east 1st street, 3rd fl"),
        ("12 st mary ave", "12 st mary avenue"),
        ("dr who 2005", "dr who 2005"),
        ("5 oak dr apt 7", "5 oak drive apartment 7"),
        ("mar vista", "mar vista"),
        ("12 sté", "12 sté"),
        ("", ""),
    ],
)
def test_examples(text: str, written: str) -> None:
    assert expanded(text) == written


def test_the_mapping_fits_compiled_code() -> None:
    for short, full in ABBREVIATIONS.items():
        assert short.isascii() and short.isalpha() and short.islower()
        assert full.isascii() and full.isalpha() and full.islower()
        assert full not in ABBREVIATIONS, "writing out twice changes nothing"
    assert set(ABBREVIATIONS) >= NOT_FIRST
