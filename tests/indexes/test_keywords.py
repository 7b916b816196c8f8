"""Keywords: what a word is, what a question means, and what a hit contains."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from mere.answers import Hit
from mere.errors import QueryError
from mere.indexes import KINDS
from mere.indexes.keywords.brute import alignment
from mere.indexes.keywords.brute_reading import clauses_of, other_forms, words_at
from mere.indexes.keywords.query import parse
from mere.indexes.keywords.words import inflections, pieces, words
from mere.indexes.kind import Part
from mere.segments import Facts, digest, summarise
from tests.kinds.harness import ask, build_parts, folder

KIND = KINDS["keywords"]
ABOUT = {
    "title": "Bilateral trade",
    "keywords": ["commerce", "foreign exchange"],
    "description": "Goods and services that one country sells to another, by year, since the end of the war. "
    "Figures for Côte d'Ivoire begin in 1960 and are revised each spring along with those of its neighbours.",
    "licence": "CC-BY-4.0",
    "columns": {"amt": "worth of the shipment in dollars", "gone": "a column that was removed"},
}
LAKE: dict[str, tuple[dict[str, list[str]], dict[str, Any]]] = {
    "sport/worldcup/matches.csv": ({"homeTeam": ["Brazil"], "awayTeam": ["Peru"], "goals": ["2"]}, {}),
    "sport/World Cup 2019/players.csv": ({"player_name": ["Marta"], "birthDate": ["1986"]}, {}),
    "people/staff.csv": ({"birth": ["1990"], "date": ["2020"], "name": ["Ann"]}, {}),
    "energy/CO2_emissions.csv": ({"country": ["Peru"], "CO2 per capita": ["1.5"]}, {}),
    "trade/flows.xlsx#Country codes": ({"amt": ["3"], "iso": ["pe"]}, ABOUT),
    "asia/人口統計.csv": ({"都市": ["東京"], "population": ["14000000"]}, {}),
    "asia/draft_population.csv": ({"city": ["Osaka"], "populations": ["2700000"]}, {}),
}


def _parts(path: str, settings: dict[str, Any]) -> list[Part]:
    facts = []
    for name, (_, about) in LAKE.items():
        file, _, member = name.partition("#")
        facts.append(Facts(name, "/data/Atlas of everything", file, member, about=about))
    tables = summarise(facts, digest([pa.table(columns) for columns, _ in LAKE.values()]))
    return build_parts(KIND, path, [tables[:3], tables[3:]], {}, settings)


@pytest.fixture(scope="module")
def parts() -> Iterator[list[Part]]:
    with folder() as path:
        yield _parts(path, {})


@pytest.fixture(scope="module")
def with_values() -> Iterator[list[Part]]:
    with folder() as path:
        yield _parts(path, {"keywords_values": True})


def hits(parts: list[Part], text: str, k: int = 0) -> list[Hit]:
    return ask(KIND, parts, {"text": text, "k": k}, k)


def files(parts: list[Part], text: str) -> list[str]:
    return [hit.table.split("/")[-1] for hit in hits(parts, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("worldCup_2019", ["world", "worldcup", "cup", "2019"]),
        ("CO2", ["co", "co2", "2"]),
        ("HTTPServer", ["http", "httpserver", "server"]),
        ("URLs of IDs", ["urls", "of", "ids"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("Côte d'Ivoire", ["cote", "d", "ivoire"]),
        ("İzmir ﬁsh", ["izmir", "fish"]),
        ("人口GDP", ["人", "口", "gdp"]),
        ("नमस्ते", ["नमस्ते"]),
        ("93f3d6f7fc6aa6ff", ["93f3d6f7fc6aa6ff"]),
        ("x" * 100, ["x" * 64]),
        ("--- · !", []),
    ],
)
def test_a_text_is_cut_into_words(text: str, expected: list[str]) -> None:
    assert [word for _, word in words(text)] == expected


def test_the_words_of_a_text_are_those_of_its_chunks() -> None:
    assert pieces("one twoThree") == pieces("one") + pieces("twoThree")


@pytest.mark.parametrize(
    ("singular", "plural"),
    [("city", "cities"), ("box", "boxes"), ("price", "prices"), ("gas", "gases"), ("case", "cases")],
)
def test_singular_and_plural_find_each_other(singular: str, plural: str) -> None:
    assert plural in inflections(singular)
    assert singular in inflections(plural)


def test_the_oracle_measures_slips_as_the_library_does() -> None:
    samples = ["world", "wrold", "word", "sword", "ab", "ba", "", "abcdef", "badcfe", "人口", "口人"]
    pairs = list(product(samples, repeat=2))
    assert [alignment(a, b) for a, b in pairs] == [OSA.distance(a, b) for a, b in pairs]


_PARTS = [
    *("World", "cup", "IDs", "URLsX", "HTTPServer", "CO2", "x1y2z3", "x" * 70, "s", "S", "9", "_", "-", " ", "\u00a0"),
    *(
        "人口",
        "ー",
        "・",
        "〇",
        "각",
        "नमस्ते",
        "Straße",
        "İ",
        "ﬁ",
        "Ⅷ",
        "½",
        "²",
        "٣",
        "ǅ",
        "ΐ",
        "´",
        "\u0301",
        "\u3099",
    ),
]


@given(st.lists(st.one_of(st.sampled_from(_PARTS), st.characters(exclude_categories=["Cs"])), max_size=8).map("".join))
def test_the_oracle_cuts_texts_into_the_same_words(text: str) -> None:
    expected = {(position, word) for position, terms in enumerate(words_at(text)) for word in terms}
    assert set(words(text)) == expected
    assert pieces(text) == [terms[0] for terms in words_at(text)]


@given(st.text("aceghinosuxyz", max_size=7))
def test_the_oracle_forms_the_same_singulars_and_plurals(word: str) -> None:
    assert inflections(word) == [word, *other_forms(word)]


_CLAUSE_PARTS = [
    *("world", "worldCup", "人口", "boxes", "pop*", '"world cup"', "“a b”", '"', "-", " ", " "),
    *("column:", "TABLE:", "about:", "x:", "*"),
]


@given(st.lists(st.sampled_from(_CLAUSE_PARTS), min_size=1, max_size=8).map("".join))
def test_the_oracle_reads_the_same_clauses_in_a_question(line: str) -> None:
    try:
        clauses = parse(line)
    except QueryError:
        return
    assert [vars(clause) for clause in clauses] == [vars(clause) for clause in clauses_of(line)]


def test_words_are_alternatives_and_more_of_them_are_better(parts: list[Part]) -> None:
    assert files(parts, "players marta cup 2019")[0] == "players.csv"
    assert set(files(parts, "goals emissions")) == {"matches.csv", "CO2_emissions.csv"}


def test_cut_and_joined_words_match_each_other(parts: list[Part]) -> None:
    both = {"matches.csv", "players.csv"}
    assert set(files(parts, "world cup")) == both
    assert set(files(parts, "WorldCup")) == both
    assert files(parts, "co2") == files(parts, "CO2") == files(parts, '"co 2"') == ["CO2_emissions.csv"]


def test_a_phrase_stays_within_one_header(parts: list[Part]) -> None:
    assert files(parts, '"birth date"') == ["players.csv"]
    assert set(files(parts, "birth date")) == {"players.csv", "staff.csv"}
    assert files(parts, 'column:"per capita"') == ["CO2_emissions.csv"]
    assert files(parts, 'table:"per capita"') == []


def test_filters_restrict_and_score(parts: list[Part]) -> None:
    assert files(parts, "column:country") == ["CO2_emissions.csv"]
    assert files(parts, "table:country") == ["flows.xlsx#Country codes"]
    assert files(parts, "about:country") == ["flows.xlsx#Country codes"]
    assert files(parts, "folder:asia city") == ["draft_population.csv"]
    assert len(files(parts, "source:atlas")) == len(LAKE)


def test_a_filter_and_a_word_must_both_match(parts: list[Part]) -> None:
    assert files(parts, "folder:sport name") == ["players.csv"]


def test_excluded_words_exclude(parts: list[Part]) -> None:
    assert files(parts, "population -draft") == ["人口統計.csv"]
    assert files(parts, "birth -column:name") == []
    assert files(parts, 'birth -"birth date"') == ["staff.csv"]


def test_a_star_matches_the_rest_of_a_word(parts: list[Part]) -> None:
    assert set(files(parts, "popul*")) == {"人口統計.csv", "draft_population.csv"}
    assert set(files(parts, "column:bi*")) == {"players.csv", "staff.csv"}


def test_chinese_is_found_by_any_part_of_it(parts: list[Part]) -> None:
    assert files(parts, "人口") == files(parts, "統計") == files(parts, "table:口統") == ["人口統計.csv"]
    assert files(parts, "計人") == []


def test_accents_and_case_do_not_matter(parts: list[Part]) -> None:
    assert files(parts, "COTE") == files(parts, "côte") == ["flows.xlsx#Country codes"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("emisions", "emissions"), ("poplatoin", "population"), ("gaols", "goals"), ("percapita", "per capita")],
)
def test_an_unknown_word_is_replaced_by_the_nearest_with_a_note(parts: list[Part], typed: str, meant: str) -> None:
    corrections = [hit.evidence["corrected"] for hit in hits(parts, typed)]
    assert corrections and corrections == [{typed: [meant]}] * len(corrections)
    assert KIND.plan(typed, parts)["notes"] == [f"no table contains '{typed}'; searched for '{meant}'"]


@pytest.mark.parametrize("typed", ["2018", "xyz", "-emisions goals", "emisio*"])
def test_numbers_short_words_beginnings_and_exclusions_stay_as_typed(parts: list[Part], typed: str) -> None:
    assert KIND.plan(typed, parts)["corrected"] == {}


def test_a_corrected_word_scores_less(parts: list[Part]) -> None:
    assert hits(parts, "gaols")[0].score == pytest.approx(hits(parts, "goals")[0].score / 2)


def test_a_misspelled_phrase_is_corrected_word_by_word(parts: list[Part]) -> None:
    (hit,) = hits(parts, '"brith date"')
    assert hit.table.endswith("players.csv")
    assert hit.evidence["corrected"] == {"brith": ["birth"]}


def test_a_hit_names_its_columns_in_the_order_of_the_table(parts: list[Part]) -> None:
    assert hits(parts, "team home")[0].columns == ("homeTeam", "awayTeam")
    assert hits(parts, "shipment")[0].columns == ("amt",)
    assert hits(parts, "bilateral")[0].columns == ()


def test_a_hit_names_the_words_that_matched_and_their_fields(parts: list[Part]) -> None:
    best = hits(parts, "country commerce", 1)[0]
    assert best.evidence["terms"] == {"country": ["table", "about"], "commerce": ["about"]}
    assert best.exact


def test_a_match_in_the_description_is_quoted(parts: list[Part]) -> None:
    snippet = hits(parts, "ivoire")[0].evidence["snippet"]
    assert snippet.startswith("… ") and "Côte d'Ivoire begin in 1960" in snippet and len(snippet) < 200
    assert hits(parts, "bilateral")[0].evidence["snippet"] == "Bilateral trade"
    assert "snippet" not in hits(parts, "goals")[0].evidence


def test_titles_weigh_more_than_descriptions(parts: list[Part]) -> None:
    title, description = hits(parts, "about:bilateral")[0], hits(parts, "about:revised")[0]
    assert title.score > description.score


def test_values_are_found_only_if_the_lake_indexes_them(parts: list[Part], with_values: list[Part]) -> None:
    assert set(files(with_values, "peru")) == {"matches.csv", "CO2_emissions.csv"}
    assert hits(with_values, "value:marta")[0].columns == ("player_name",)
    assert files(parts, "brazil") == []
    assert KIND.plan("value:peru", parts)["notes"][-1].startswith("the keywords of this lake do not include values")
    assert KIND.plan("value:peru", with_values)["notes"] == []


def test_a_search_gives_its_best_k(parts: list[Part]) -> None:
    everything, two = hits(parts, "source:atlas csv"), hits(parts, "source:atlas csv", 2)
    assert [hit.to_dict() for hit in two] == [hit.to_dict() for hit in everything[:2]]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "no word to search for at character 1"),
        ("  -- !", "no word to search for"),
        ("-draft", "no word to search for"),
        ('world "cup', 'quote without end at character 7 of the query: world ⟦here⟧"cup'),
        ("colour:red", "unknown field 'colour' at character 1"),
        ("colour:red", "choose one of table, folder, column, about, source, value"),
        ("world column:", "'column:' contains no letter or digit at character 14"),
        ("*", "contains no letter or digit"),
    ],
)
def test_an_error_shows_where_a_question_cannot_be_parsed(query: str, message: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query)
    assert message in str(caught.value)


@pytest.mark.parametrize("query", [{"text": 3}, {"text": "x", "k": -1}, {"text": "x", "k": "ten"}])
def test_a_question_of_the_wrong_shape_is_refused(query: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        KIND.plan(query, [])


def test_typographic_quotes_count_as_quotes_and_repeated_words_once() -> None:
    assert parse("“world cup”")[0].options == parse('"world cup"')[0].options
    assert len(parse("world world")) == 1


def test_a_lake_without_tables_answers_nothing() -> None:
    assert ask(KIND, [], {"text": "world", "k": 0}, 0) == []
