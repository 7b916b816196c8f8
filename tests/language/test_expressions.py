"""Questions in words: what they mean, and where they stop to make sense."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.errors import QueryError
from mere.language import And, Expression, Not, Or, Predicate, Words, at_least, at_most, parse, words

AGE = Predicate("age", "at least", Fraction(3, 10), "<", 40.0)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("at least 30% of age < 40", AGE),
        ("AT LEAST 0.3 OF age < 40", AGE),
        ("at least 30 percent of 'age' < 4e1", AGE),
        ("at most 1 of age <= 40", Predicate("age", "at most", Fraction(1), "<=", 40.0)),
        ("at most 1% of age ≥ -1_000.5", Predicate("age", "at most", Fraction(1, 100), ">=", -1000.5)),
        ("at least 0 of any column > 0", Predicate(None, "at least", Fraction(0), ">", 0.0)),
        ("at least 50% of /^a|b$/ > 0", Predicate("/^a|b$/", "at least", Fraction(1, 2), ">", 0.0)),
        ("at least 50% of birth_* > 0", Predicate("birth_*", "at least", Fraction(1, 2), ">", 0.0)),
        ('at least 50% of "birth year" > 0', Predicate("birth year", "at least", Fraction(1, 2), ">", 0.0)),
        ("at least 50% of 2014 > 0", Predicate("2014", "at least", Fraction(1, 2), ">", 0.0)),
        ("at least 50% of a between 1 and 2", Predicate("a", "at least", Fraction(1, 2), "between", (1.0, 2.0))),
        ("at least 50% of d >= 1970-01-02", Predicate("d", "at least", Fraction(1, 2), ">=", 86400.0)),
        ("at least 50% of d >= '1970-01-01T01:00'", Predicate("d", "at least", Fraction(1, 2), ">=", 3600.0)),
        ("'lung cancer'", Words("lung cancer")),
        ('"it\'s"', Words("it's")),
        (r"'it\'s'", Words("it's")),
        ("'a' and 'b' or 'c'", Or((And((Words("a"), Words("b"))), Words("c")))),
        ("'a' and ('b' or 'c')", And((Words("a"), Or((Words("b"), Words("c")))))),
        ("not 'a' and not (not 'b')", And((Not(Words("a")), Not(Not(Words("b")))))),
        ("at least 1% of a between 1 and 2 and 'b'", And((parse("at least 1% of a between 1 and 2"), Words("b")))),
    ],
)
def test_a_line_of_text_means_one_thing(text: str, meaning: Expression) -> None:
    assert parse(text) == meaning
    assert parse(str(meaning)) == meaning


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("", "a condition is missing", 1),
        ("at 30%", "'at' what?", 4),
        ("at least of", "how much", 10),
        ("at least 3 of age < 4", "'3' is no fraction", 10),
        ("at least 130% of age < 4", "'130%' is no fraction", 10),
        ("at least 30% age < 4", "of which column", 14),
        ("at least 30% of < 4", "which column", 17),
        ("at least 30% of age", "a comparison is missing", 20),
        ("at least 30% of age = 4", "a comparison is missing", 21),
        ("at least 30% of age < x", "a number or a date", 23),
        ("at least 30% of age < 2020-13-01", "is no date", 23),
        ("at least 30% of a between 3", "between one number and which", 28),
        ("at least 30% of a between 3 and 1", "nothing lies between 3 and 1", 33),
        ("at least 30% of /(/ < 3", "is no regular expression", 21),
        ("age < 4", "'age' begins no condition", 1),
        ("('a' or 'b'", "never closed", 12),
        ("'a' 'b'", "one too many", 5),
        ("'a' and", "a condition is missing", 8),
        ("'a", "the quote is never closed", 1),
        ("''", "nothing stands in these quotes", 1),
        ("(" * 500, "too many brackets", 101),
        ("not " * 500, "too many brackets", 401),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(text: str, said: str, place: int) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert said in caught.value.message and f"at character {place} of the query" in caught.value.message
    assert "⟦here⟧" in caught.value.message and caught.value.remedy


names = st.one_of(st.none(), st.text(min_size=1, max_size=8).filter(lambda name: not name.startswith("/")))
numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
fractions = st.integers(0, 1000).map(lambda n: Fraction(n, 1000))
predicates = st.one_of(
    st.builds(
        Predicate, names, st.sampled_from(["at least", "at most"]), fractions, st.sampled_from(["<", "<=", ">", ">="]),
        numbers,
    ),
    st.builds(
        lambda name, low, high: Predicate(name, "at most", Fraction(1, 4), "between", (min(low, high), max(low, high))),
        names, numbers, numbers,
    ),
)  # fmt: skip
leaves = st.one_of(predicates, st.text(min_size=1).filter(str.strip).map(Words))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=8,
)


def flat(expression: Expression) -> Any:
    """An expression without brackets that change nothing."""
    if isinstance(expression, Not):
        return ("not", flat(expression.part))
    if isinstance(expression, And | Or):
        kind = type(expression)
        parts = [flat(part) for part in expression.parts]
        merged = [one for part in parts for one in (part[1] if part[0] == kind.__name__ else [part])]
        return (kind.__name__, merged)
    return ("leaf", expression)


@settings(max_examples=400, deadline=None)
@given(expression=expressions)
def test_what_is_written_is_read_back(expression: Expression) -> None:
    assert flat(parse(str(expression))) == flat(expression)


@settings(max_examples=400, deadline=None)
@given(text=st.text(alphabet="at lesmof03%<>=()'\"/*andornt. ", max_size=40))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        parse(text)
    except QueryError as error:
        assert "of the query" in error.message


def test_python_expressions_compose() -> None:
    both = (at_least("30%", "age") < 40) & words("cancer")
    assert both == parse("at least 30% of age < 40 and 'cancer'")
    assert ~words("a") | (at_most(0.1) >= 3) == parse("not 'a' or at most 10% of any column >= 3")
    assert (at_least(0.5, "d") > datetime.date(1970, 1, 2)).value == 86400.0
    assert str(at_least(0.5, "d") > datetime.date(1970, 1, 2)) == "at least 50% of d > 1970-01-02"
    assert str(at_most(0.5, "d") <= datetime.datetime(1969, 1, 2, 3, 4)) == "at most 50% of d <= 1969-01-02T03:04:00"
    with pytest.raises(QueryError, match="no number to compare with"):
        at_most(0.5, "d") <= pd.NaT  # noqa: B015
    assert (at_least(0.5, "d") <= pd.Timestamp("1970-01-02")).value == 86400.0
    assert at_least(1, "a").between(1, 2) == parse("at least 100% of a between 1 and 2")
    assert {str(leaf) for leaf in both.leaves()} == {"at least 30% of age < 40", "'cancer'"}
    assert mere.at_least is at_least and mere.words is words


@pytest.mark.parametrize(
    "make",
    [
        lambda: at_least(2, "a"),
        lambda: at_least("x", "a"),
        lambda: at_least(0.5, "a") < "x",
        lambda: at_least(0.5, "a") < float("nan"),
        lambda: at_least(0.5, "a") < True,
        lambda: at_least(0.5, "") < 1,
        lambda: at_least(0.5, 7) < 1,
        lambda: at_least(0.5, "/(/") < 1,
        lambda: at_least(0.5, "a").between(2, 1),
        lambda: words(" "),
        lambda: words("a") & "b",
        lambda: bool(words("a")),
        lambda: Predicate("a", "at", Fraction(1), "<", 1.0),
        lambda: Predicate("a", "at least", Fraction(1), "=", 1.0),
        lambda: parse(None),
    ],
)
def test_expressions_that_make_no_sense_are_refused(make: Any) -> None:
    with pytest.raises(QueryError) as caught:
        make()
    assert caught.value.remedy
