"""Conditions: how they are parsed, combined and written, and where an error is reported."""

from __future__ import annotations

import datetime
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.errors import QueryError
from mere.language import (
    And,
    Ask,
    Expression,
    Leaf,
    Not,
    Or,
    Predicate,
    SameColumn,
    Words,
    ask,
    at_least,
    at_most,
    parse,
    same_column,
    words,
)

AGE = Predicate("age", "at least", Fraction(3, 10), "<", 40.0)
OLD = Predicate("age", "at most", Fraction(1, 100), ">", 60.0)


@pytest.mark.parametrize(
    ("text", "expression"),
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
        ("at least 10% of year = 1990", Predicate("year", "at least", Fraction(1, 10), "=", 1990.0)),
        ("at least 10% of year==1990", Predicate("year", "at least", Fraction(1, 10), "=", 1990.0)),
        ("at least 10% of year != 1990", Predicate("year", "at most", Fraction(9, 10), "=", 1990.0)),
        ("at most 10% of year<>1990", Predicate("year", "at least", Fraction(9, 10), "=", 1990.0)),
        ("at most 10% of wow! ≠ 1", Predicate("wow!", "at least", Fraction(9, 10), "=", 1.0)),
        ("at least 50% of the < 3", Predicate("the", "at least", Fraction(1, 2), "<", 3.0)),
        ("at least 50% of 'the same column' < 3", Predicate("the same column", "at least", Fraction(1, 2), "<", 3.0)),
        ("at least 30% of age < 40 and at most 1% of the same column > 60", SameColumn((AGE, OLD))),
        ("at least 30% of age < 40 and at most 1% of THE SAME COLUMN > 60", SameColumn((AGE, OLD))),
        ("not (at least 30% of age < 40 and at most 1% of the same column > 60)", Not(SameColumn((AGE, OLD)))),
        (
            "'a' and at least 30% of age < 40 and 'b' and at most 1% of the same column > 60",
            And((Words("a"), SameColumn((AGE, OLD)), Words("b"))),
        ),
        (
            "at least 30% of age < 40 and at most 1% of the same column > 60 and at least 30% of the same column < 40",
            SameColumn((AGE, OLD, AGE)),
        ),
        ("'lung cancer'", Words("lung cancer")),
        ('"it\'s"', Words("it's")),
        (r"'it\'s'", Words("it's")),
        ("'a' and 'b' or 'c'", Or((And((Words("a"), Words("b"))), Words("c")))),
        ("'a' and ('b' or 'c')", And((Words("a"), Or((Words("b"), Words("c")))))),
        ("not 'a' and not (not 'b')", And((Not(Words("a")), Not(Not(Words("b")))))),
        ("at least 1% of a between 1 and 2 and 'b'", And((parse("at least 1% of a between 1 and 2"), Words("b")))),
    ],
)
def test_a_text_is_parsed_into_one_expression(text: str, expression: Expression) -> None:
    assert parse(text) == expression
    assert parse(str(expression)) == expression


@pytest.mark.parametrize(
    ("text", "fault", "place"),
    [
        ("", "a condition is missing", 1),
        ("at 30%", "'at' without 'least' or 'most'", 4),
        ("at least of", "a fraction is missing", 10),
        ("at least 3 of age < 4", "'3' is not a fraction", 10),
        ("at least 130% of age < 4", "'130%' is not a fraction", 10),
        ("at least 30% age < 4", "'of' and a column are missing", 14),
        ("at least 30% of < 4", "a column is missing", 17),
        ("at least 30% of age", "a comparison is missing", 20),
        ("at least 30% of age == ", "a number or a date is missing", 24),
        ("at least 30% of age ~ 4", "a comparison is missing", 21),
        ("at least 30% of city = 'Rome'", "'Rome' is neither a number nor a date", 24),
        ("at least 30% of city = Rome", "'Rome' is neither a number nor a date", 24),
        ("at least 30% of the same column < 4", "no predicate before this one", 1),
        ("'a' and at least 30% of the same column < 4", "no predicate before this one", 9),
        ("at least 30% of a < 4 or at least 30% of the same column < 4", "no predicate before this one", 26),
        ("at least 30% of a < 4 and not at least 30% of the same column < 4", "no predicate before this one", 31),
        ("not at least 30% of a < 4 and at least 30% of same column < 4", "no predicate before this one", 31),
        ("at least 30% of a < 4 and at least 30% of the same column > 2020-01-01", "compares with a date", 27),
        ("at least 30% of age < x", "'x' is neither a number nor a date", 23),
        ("at least 30% of age < 2020-13-01", "is not a date", 23),
        ("at least 30% of age < 10,000", "'10,000' may be 10000 or 10", 23),
        ("at least 30% of age < 5/1/2020", "'5/1/2020' may be 2020-05-01 or 2020-01-05", 23),
        ("at least 30% of age < 1.2.10", "'1.2.10' is neither a number nor a date", 23),
        ("at least 30% of age < 31.02.2020", "'31.02.2020' is neither a number nor a date", 23),
        ("at least 30% of age < 10-200", "'10-200' is neither a number nor a date", 23),
        ("at least 30% of age < '20201131'", "'20201131' is not a date", 23),
        ("at least 30% of age < $5", "'$5' is neither a number nor a date", 23),
        ("at least 30% of a between 3", "'and' and a second number are missing", 28),
        ("at least 30% of a between 3 and 1", "no number is between 3 and 1", 33),
        ("at least 30% of /(/ < 3", "is not a valid regular expression", 17),
        ("age < 4", "expected a condition, got 'age'", 1),
        ("('a' or 'b'", "a closing bracket is missing", 12),
        ("'a' 'b'", "unexpected ''b'' after a complete condition", 5),
        ("'a' and", "a condition is missing", 8),
        ("'a", "a closing quote is missing", 1),
        ("''", "the quotes are empty", 1),
        ("(" * 500, "more than 100 nested brackets", 101),
        ("not " * 500, "more than 100 nested brackets", 401),
    ],
)
def test_an_error_names_its_place_in_the_text(text: str, fault: str, place: int) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert fault in caught.value.message and f"at character {place} of the query" in caught.value.message
    assert "⟦here⟧" in caught.value.message and caught.value.remedy


def test_an_error_at_the_start_of_a_condition_says_how_one_starts() -> None:
    with pytest.raises(QueryError) as caught:
        parse("age < 40")
    assert "a condition starts with 'at least' or 'at most', e.g. at least 50% of age < 40" in caught.value.remedy


names = st.one_of(st.none(), st.text(min_size=1, max_size=8).filter(lambda name: not name.startswith("/")))
numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
fractions = st.integers(0, 1000).map(lambda n: Fraction(n, 1000))
predicates = st.one_of(
    st.builds(
        Predicate, names, st.sampled_from(["at least", "at most"]), fractions,
        st.sampled_from(["<", "<=", ">", ">=", "="]), numbers,
    ),
    st.builds(
        lambda name, low, high: Predicate(name, "at most", Fraction(1, 4), "between", (min(low, high), max(low, high))),
        names, numbers, numbers,
    ),
)  # fmt: skip
groups = st.lists(predicates, min_size=2, max_size=3).map(
    lambda several: SameColumn(tuple(replace(each, column=several[0].column) for each in several))
)
leaves = st.one_of(predicates, groups, st.text(min_size=1).filter(str.strip).map(Words))
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
    """An expression without redundant brackets."""
    if isinstance(expression, Not):
        return ("not", flat(expression.part))
    if isinstance(expression, And | Or):
        name = type(expression).__name__
        parts = [flat(part) for part in expression.parts]
        return (name, [inner for part in parts for inner in (part[1] if part[0] == name else [part])])
    return ("leaf", expression)


@settings(max_examples=400, deadline=None)
@given(expression=expressions)
def test_a_written_expression_is_parsed_back(expression: Expression) -> None:
    assert flat(parse(str(expression))) == flat(expression)


@settings(max_examples=400, deadline=None)
@given(text=st.text(alphabet="at lesmof03%<>=!()'\"/*andornt. ", max_size=40))
def test_any_text_is_parsed_or_refused_with_an_error(text: str) -> None:
    try:
        parse(text)
    except QueryError as error:
        assert "of the query" in error.message


def test_predicates_of_the_same_column_are_made_in_python() -> None:
    group = same_column(at_least(0.3, "age") < 40, at_most(0.01) > 60)
    assert group == SameColumn((AGE, OLD)) == same_column(at_least(0.3) < 40, at_most(0.01, "age") > 60)
    assert same_column(group, at_least(0.5) == 50).predicates[2] == (at_least(0.5, "age") == 50)
    assert (at_least(0.1, "year") != 1990) == (at_most(0.9, "year") == 1990)
    for wrong, fault in [
        ((at_least(0.3, "age") < 40,), "two predicates or more"),
        ((at_least(0.3, "age") < 40, at_least(0.3, "year") > 40), "name age, year"),
        ((at_least(0.3) < 40, at_least(0.3) > datetime.date(2020, 1, 1)), "compares with a date"),
        ((at_least(0.3) < 40, words("a")), "expected a predicate"),
    ]:
        with pytest.raises(QueryError, match=fault):
            same_column(*wrong)
    with pytest.raises(QueryError) as caught:
        at_least(0.3, "city") == "Rome"  # noqa: B015
    assert "mere.ask('overlap'" in caught.value.remedy


def test_expressions_are_combined_in_python() -> None:
    both = (at_least("30%", "age") < 40) & words("cancer")
    assert both == parse("at least 30% of age < 40 and 'cancer'")
    assert ~words("a") | (at_most(0.1) >= 3) == parse("not 'a' or at most 10% of any column >= 3")
    assert (at_least(0.5, "d") > datetime.date(1970, 1, 2)).value == 86400.0
    assert str(at_least(0.5, "d") > datetime.date(1970, 1, 2)) == "at least 50% of d > 1970-01-02"
    assert str(at_most(0.5, "d") <= datetime.datetime(1969, 1, 2, 3, 4)) == "at most 50% of d <= 1969-01-02T03:04:00"
    with pytest.raises(QueryError, match="cannot compare with NaT"):
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
        lambda: Predicate("a", "at least", Fraction(1), "!=", 1.0),
        lambda: parse(None),
        lambda: ask(""),
        lambda: ask(7),
        lambda: ask("overlap", values=["a"]) & "b",
        lambda: bool(ask("overlap", values=["a"])),
    ],
)
def test_invalid_expressions_are_refused_with_a_remedy(make: Any) -> None:
    with pytest.raises(QueryError) as caught:
        make()
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("leaf", "kind", "query"),
    [
        (AGE, "distribution", {"predicate": AGE}),
        (words("cancer"), "keywords", {"text": "cancer"}),
        (words("lung cancer"), "keywords", {"text": '"lung cancer"'}),
        (words("-draft"), "keywords", {"text": '"-draft"'}),
        (words('big "lung'), "keywords", {"text": '"big  lung"'}),
        (words('"'), "keywords", {"text": '" "'}),
        (ask("overlap", values=["a", "b"], k=3), "overlap", {"values": ["a", "b"], "k": 3}),
        (ask("union"), "union", {}),
    ],
)
def test_a_leaf_names_its_kind_and_the_query_of_that_kind(leaf: Leaf, kind: str, query: dict[str, Any]) -> None:
    assert (leaf.kind, leaf.query()) == (kind, query)
    assert list(leaf.leaves()) == [leaf]


def test_the_kind_of_a_leaf_does_not_change_its_equality_or_its_text() -> None:
    assert repr(words("a")) == "Words(text='a')"
    assert hash(words("a")) == hash(parse("'a'")) and parse("at least 30% of age < 40") == AGE


def test_questions_of_any_kind_are_combined_with_other_conditions() -> None:
    question = ask("overlap", values=["Rome", "Oslo"])
    both = ~question | (question & words("city") & AGE)
    assert both == Or((Not(question), And((question, words("city"), AGE))))
    assert [leaf.kind for leaf in both.leaves()] == ["overlap", "overlap", "keywords", "distribution"]
    assert ~~question is question
    text = "ask overlap(values=['Rome', 'Oslo'])"
    assert str(both) == f"not {text} or {text} and 'city' and at least 30% of age < 40"


def test_changing_the_query_of_a_leaf_does_not_change_the_leaf() -> None:
    question = ask("overlap", values="a")
    question.query()["values"] = "b"
    assert question.query() == {"values": "a"}


def test_a_question_may_have_an_argument_that_is_called_kind() -> None:
    assert ask("toy", kind="small").query() == {"kind": "small"}


def test_questions_with_hashable_arguments_are_equal_if_kind_and_arguments_are() -> None:
    question = ask("toy", table="a.csv", k=3)
    assert question == ask("toy", k=3, table="a.csv") and hash(question) == hash(ask("toy", k=3, table="a.csv"))
    assert question != ask("toy", table="a.csv", k=4) and question != ask("other", table="a.csv", k=3)
    assert question != words("a.csv") and len({question, ask("toy", table="a.csv", k=3)}) == 1


@pytest.mark.parametrize(
    "values", [["a", "b"], pd.DataFrame({"a": [1, 2]}), pd.Series([1, 2]), np.arange(3), pa.array(["a", "b"])]
)
def test_questions_with_other_arguments_are_equal_only_if_they_share_the_mapping(values: Any) -> None:
    arguments = {"values": values}
    question = Ask("overlap", arguments)
    assert question == Ask("overlap", arguments) and len({question, Ask("overlap", arguments)}) == 1
    assert question != Ask("containment", arguments)
    assert question != ask("overlap", values=values)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (ask("union"), "ask union()"),
        (ask("toy", table="a.csv", exact=True, k=None), "ask toy(table='a.csv', exact=True, k=None)"),
        (ask("toy", values=list(range(100))), "ask toy(values=[0, 1, 2, 3, 4, 5, ...])"),
        (ask("toy", values=pd.DataFrame({"a": [1]})), "ask toy(values=<DataFrame>)"),
        (ask("toy", path=Path("a") / "b.csv"), "ask toy(path=PosixPath('a/b.csv'))"),
    ],
)
def test_a_question_of_any_kind_is_written_in_one_short_line(question: Ask, text: str) -> None:
    assert str(question) == text


@given(st.dates(datetime.date(1583, 1, 1), datetime.date(2999, 12, 31)), st.sampled_from([
    "%d.%m.%Y", "%Y/%m/%d", "%d%b%Y", "'%d %B %Y'", "'%b %d, %Y'", "%d-%b-%Y", "%Y.%m.%d", "%d.%m.%Y",
]))  # fmt: skip
@settings(deadline=None)
def test_dates_are_compared_however_they_are_written(day, pattern):
    [plain, spelled] = (parse(f"at least 30% of d > {text}") for text in (day.isoformat(), day.strftime(pattern)))
    assert plain == spelled and spelled.dated


@given(st.integers(10**6, 10**9 - 1), st.integers(1, 99), st.sampled_from([",.", ".,"]))
@settings(deadline=None)
def test_numbers_with_thousands_are_compared_where_they_have_one_meaning(whole, hundredths, marks):
    grouped = f"{whole:,}".replace(",", marks[0])
    for text, plain in ((grouped, f"{whole}"), (f"{grouped}{marks[1]}{hundredths:02}", f"{whole}.{hundredths:02}")):
        assert parse(f"at least 30% of n > {text}") == parse(f"at least 30% of n > {plain}")
