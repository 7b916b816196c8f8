"""The score of a join agrees with its definition, and does not depend on how the lake is divided."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.indexes import KINDS
from mere.indexes.inputs import Origin
from mere.ranking import SIGNALS, TRIVIAL, accident_of, usual_model
from mere.ranking.names import agreement, table_words, words
from mere.ranking.reasons import Context, reasons
from mere.ranking.signals import key_name
from mere.search.joinable.joins import best_joins
from mere.search.joinable.singles import Asked, all_joins_of, candidates_of, joins_of
from mere.segments import Facts, digest, summarise
from mere.store import Strings
from mere.values import Type
from tests.kinds.harness import build_parts, folder
from tests.kinds.lakes import cells, cuts, lakes, texts
from tests.oracles.ranking import all_scores

OVERLAP = KINDS["overlap"]
values = st.lists(st.one_of(cells, st.integers(0, 40).map(str)), min_size=1, max_size=12)


def asked_with(query: dict[str, Any], parts: list[Any]) -> Asked:
    return Asked(0, query["on"], OVERLAP.plan({**query, "k": 0, "per": "column"}, parts), parts)


@st.composite
def queries(draw: Any, tables: list[Any]) -> dict[str, Any]:
    """A column, of a table of the lake or from elsewhere, whose values the lake may have."""
    own = [v for table in tables for v in table.sets.values.tolist()] or ["x"]
    taken = draw(st.lists(st.sampled_from(own), max_size=12))
    skip = draw(st.sampled_from([None, *(table.facts.name for table in tables)]))
    origin = Origin(skip or draw(texts), tuple(draw(st.lists(texts, max_size=3))))
    return {"values": [*taken, *draw(values)], "on": draw(texts), "origin": origin, "skip": skip}


def my_column(query: dict[str, Any]) -> tuple[dict[str, int], bool]:
    [asked] = summarise([Facts("q", "", "")], digest([pa.table({"q": pa.array(query["values"], pa.string())})]))
    counts = dict(zip(asked.sets.values.tolist(), asked.sets.counts.tolist(), strict=True))
    return counts, asked.columns.types[0] in (Type.INTEGER, Type.DECIMAL)


@settings(max_examples=60)
@given(data=st.data())
def test_scores_agree_with_brute_force_however_the_lake_is_divided(data):
    tables = data.draw(lakes())
    query = data.draw(queries(tables))
    mine, numeric = my_column(query)
    truth = all_scores(query, mine, numeric, tables, usual_model()) if mine else {}
    answers = []
    for groups in ([tables], [[table] for table in tables], data.draw(cuts(tables))):
        with folder() as path:
            found = candidates_of(asked_with(query, build_parts(OVERLAP, path, groups, {}, {})))
            joins = [join for each in found for join in all_joins_of(each, usual_model(), 0)]
            by_table = [join for each in found for join in joins_of(each, usual_model(), 2)]
        scores = {(join.hit.table, join.hit.columns[0]): join.hit.score for join in joins}
        assert scores == pytest.approx(truth, abs=2e-6)
        best = [(join.hit, join.signals.tolist()) for join in best_joins(by_table, 2, "table")]
        answers.append((sorted(scores.items()), best))
    assert answers[0] == answers[1] == answers[2]


@settings(max_examples=40)
@given(data=st.data())
def test_scores_of_numbers_that_are_keys_agree_with_brute_force_whatever_the_names(data):
    headers = st.sampled_from(["id", "team_id", "team", "rank", "Länder-Nr"])
    names = st.sampled_from(["teams.csv", "a/ranks.csv", "a/b/x.csv"])
    count = data.draw(st.integers(3, 40))
    numbers = [str(number) for number in range(1, count)]
    frames = [pa.table({data.draw(headers): pa.array(numbers * data.draw(st.integers(1, 2)))}) for _ in range(3)]
    tables = summarise([Facts(f"{place}/{data.draw(names)}", "", "") for place in range(3)], digest(frames))
    mine = numbers[: data.draw(st.integers(2, len(numbers)))] if count > 3 else numbers
    query = {
        "values": mine * data.draw(st.integers(1, 2)), "on": data.draw(headers), "skip": None,
        "origin": Origin(data.draw(names), ()),
    }  # fmt: skip
    counts, numeric = my_column(query)
    truth = all_scores(query, counts, numeric, tables, usual_model())
    with folder() as path:
        found = candidates_of(asked_with(query, build_parts(OVERLAP, path, [tables], {}, {})))
        joins = [join for each in found for join in all_joins_of(each, usual_model(), 0)]
    scores = {(join.hit.table, join.hit.columns[0]): join.hit.score for join in joins}
    assert truth and scores == pytest.approx(truth, abs=2e-6)


@settings(max_examples=25)
@given(data=st.data())
def test_dead_tables_do_not_change_a_score(data):
    tables = data.draw(lakes())
    query = data.draw(queries(tables))
    names = [table.facts.name for table in tables]
    dead = frozenset(data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True)))
    living = [table for table in tables if table.facts.name not in dead]
    answers = []
    for groups, gone in (([tables], dead), ([living] if living else [], frozenset())):
        with folder() as path:
            found = candidates_of(asked_with(query, build_parts(OVERLAP, path, groups, {}, {}, gone)))
            answers.append(sorted(j.hit.order for each in found for j in all_joins_of(each, usual_model(), 0)))
    assert answers[0] == answers[1]


def test_names_agree_as_a_person_would_say():
    assert agreement(words("customer_group_id"), table_words("shop/customer_groups.csv")) == 1
    assert agreement(words("customer_group_id"), table_words("shop/customers.csv")) == pytest.approx(2 / 3)
    assert agreement(words("CustomerGroupID"), words("customer group no")) == 1
    assert agreement(words("column_3"), words("column_3")) == 0, "a column without a header has no words"
    assert agreement(words("Länder-ID"), table_words("Länder.csv")) == 1
    assert agreement(words("Страна"), words("страна_id")) == 1 and words("人口") == frozenset({"人口"})
    assert key_name("team_id", "a/teams.csv") and not key_name("team_id", "a/matches.csv") and key_name("ID", "x.csv")


def signals(**known: float) -> np.ndarray:
    model = usual_model()
    return np.array([known.get(name, usual) for name, usual in zip(SIGNALS, model.usual.tolist(), strict=True)])


CONTEXT = Context("theme_id", "id", 3, 500, 40, 1.0, 1.0, 500.0, 312.0, "small integers", True)


def test_reasons_say_what_lifted_and_lowered_a_hit():
    said = reasons(signals(named_table=1.0, running=1.0, folder=0.0, header=0.0), usual_model(), CONTEXT)
    assert said[0] == "small integers: such values occur in 312 columns of the lake"
    assert "its table is named like my column 'theme_id'" in said and len(said) <= 6
    accident = reasons(signals(named_table=0.0, running=1.0, folder=0.0, header=0.0), usual_model(), CONTEXT)
    assert "row numbers 1 to 500: they contain any small integers" in accident
    assert reasons(signals(), usual_model(), CONTEXT._replace(accident="")) == [], "nothing is unusual"


def test_every_weight_has_the_sign_that_its_meaning_says():
    weights = dict(zip(SIGNALS, usual_model().weights.tolist(), strict=True))
    lowering = {"repeats", "running", "uneven", "other_type", "unsupported", "alike", "trivial", "two_keys"}
    assert all((weight <= 0) == (name in lowering) or weight == 0 for name, weight in weights.items())


def test_row_numbers_and_years_are_accidents_and_names_are_none():
    numbers, years = Strings.of([str(n) for n in range(1, 40)]), Strings.of([str(1990 + n) for n in range(9)])
    assert accident_of(numbers, True, 39) == "row numbers" and accident_of(numbers, True, 90) == "small integers"
    assert TRIVIAL["row numbers"] == TRIVIAL[accident_of(years, True, 9)] == 1.0 > TRIVIAL["small integers"] > 0
    assert accident_of(Strings.of(["2020-01-31", "2020-02-01", "2020-02-02"]), False, 3) == "dates"
    assert accident_of(Strings.of(["a", "b", "c"]), False, 3) == "one-letter codes"
    assert accident_of(Strings.of(["Wien", "Bern", "Rom"]), False, 3) == "" == accident_of(Strings.of([]), False, 0)
