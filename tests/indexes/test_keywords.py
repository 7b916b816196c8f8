"""Keywords: what a word is, what a question means, and what a hit contains."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from mere.answers import Hit
from mere.errors import QueryError
from mere.indexes import KINDS
from mere.indexes.keywords.compounds import compounds
from mere.indexes.keywords.query import parse
from mere.indexes.keywords.stems import ENDINGS, IRREGULAR, NUMBERS, english_stem, forms, other_stem
from mere.indexes.keywords.vocabulary import Vocabulary
from mere.indexes.keywords.words import cell_words, joined_words, pieces, words
from mere.indexes.kind import Part
from mere.segments import Facts, digest, summarise
from mere.store import Strings
from mere.values import normalise_cell
from tests.kinds.harness import ask, build_parts, folder
from tests.oracles.keywords import alignment, brute
from tests.oracles.keywords_forms import are_forms, english, foreign
from tests.oracles.keywords_reading import clauses_of, joined_in_cell, words_at, words_of_cell

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


_CELL_PARTS = ["jean", "co2", "4", "人", "口", "é", "strasse", "x" * 70, "–", "न", "\u0301", "½", "a"]


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
    [
        ("city", "cities"),
        ("box", "boxes"),
        ("price", "prices"),
        ("gases", "gas"),
        ("case", "cases"),
        ("house", "housing"),
    ],
)
def test_forms_of_a_word_find_each_other(singular: str, plural: str) -> None:
    assert plural in forms(singular).words
    assert singular in forms(plural).words


@pytest.mark.parametrize(
    ("language", "left", "right"),
    [("german", "stadte", "stadt"), ("french", "regions", "region"), ("italian", "prezzo", "prezzi"),
     ("spanish", "ciudades", "ciudad"), ("portuguese", "regioes", "regiao"), ("dutch", "landen", "land")],
)  # fmt: skip
def test_other_languages_have_forms_where_the_lake_is_written_in_them(language: str, left: str, right: str) -> None:
    assert right in forms(left, (language,)).words
    assert left in forms(right, (language,)).words


@pytest.mark.parametrize(
    ("singular", "plural"),
    [("regione", "regioni"), ("popolazione", "popolazioni"), ("prezzo", "prezzi"), ("regola", "regole"),
     ("banco", "banchi"), ("region", "regiones"), ("ciudad", "ciudades"), ("nariz", "narices"), ("animal", "animaux"),
     ("bureau", "bureaux"), ("ville", "villes"), ("regiao", "regioes"), ("hospital", "hospitais"), ("homem", "homens"),
     ("steuer", "steuern"), ("gemeinde", "gemeinden"), ("zahl", "zahlen"), ("stadt", "stadte"), ("land", "landen"),
     *((group[0], other) for group in IRREGULAR for other in group[1:]), ("country", "countries")],
)  # fmt: skip
def test_plurals_of_other_languages_and_irregular_ones_are_known_in_every_lake(singular: str, plural: str) -> None:
    assert plural in forms(singular).words
    assert singular in forms(plural).words


@pytest.mark.parametrize(
    ("word", "other"),
    [("tones", "tons"), ("string", "str"), ("glass", "glas"), ("bus", "bu"), ("regione", "region"), ("center", "cent")],
)
def test_different_words_are_not_forms_of_each_other(word: str, other: str) -> None:
    assert other not in forms(word).words


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


_ENDS = st.sampled_from(["", "ing", "ed", "s", "es", "ies", "y", "e", "ings", "nn", "ione", *sum(NUMBERS, ())])
_STEMMED = st.builds(str.__add__, st.text("aeghinosuxyz", min_size=3, max_size=6), _ENDS)


@given(_STEMMED, _STEMMED)
def test_the_oracle_has_the_same_stems_and_all_words_of_a_stem_are_listed(word: str, other: str) -> None:
    assert english(word) == english_stem(word)
    assert (other in forms(word).words) == are_forms(word, other, [])
    assert all(form.startswith(forms(word).start) and are_forms(word, form, []) for form in forms(word).words)
    for endings in ENDINGS.values():
        assert foreign(word, endings) == other_stem(word, endings)


@given(st.lists(st.sampled_from([*_CELL_PARTS, *"-'/ "]), max_size=7).map("".join).map(normalise_cell))
def test_the_oracle_finds_the_same_words_in_cells(value: str) -> None:
    assert cell_words(value) == words_of_cell(value)
    assert joined_words(value) == joined_in_cell(value)


_CLAUSE_PARTS = [
    *("world", "worldCup", "人口", "boxes", "pop*", '"world cup"', "“a b”", '"', "-", " ", " "),
    *("column:", "TABLE:", "about:", "x:", "*", " the ", " of ", " who "),
]


@given(st.lists(st.sampled_from(_CLAUSE_PARTS), min_size=1, max_size=8).map("".join))
def test_the_oracle_reads_the_same_clauses_in_a_question(line: str) -> None:
    try:
        clauses, sentence = parse(line)
    except QueryError:
        return
    expected, left_out = clauses_of(line)
    assert sentence == left_out
    assert [vars(clause) for clause in clauses] == [vars(clause) for clause in expected]


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


@pytest.mark.parametrize(("typed", "meant"), [("osaca", "osaka"), ("value:martta", "marta"), ("Brazl", "brazil")])
def test_a_word_that_is_near_a_word_of_cells_is_corrected(parts: list[Part], typed: str, meant: str) -> None:
    assert hits(parts, typed)[0].evidence["corrected"] == {typed: [meant]}


@pytest.mark.parametrize(
    ("typed", "note"),
    [
        ("qqqqqq", "no table contains 'qqqqqq'; try another word for it"),
        ("qqqqqq peru", "no table contains 'qqqqqq'; try another word for it"),
        ("brezal", "no table contains 'brezal'; words like it: brazil"),
        ("populus", "no table contains 'populus'; some start like it: try popul*"),
        ("table:osaka", "nothing matches table:osaka, but tables have it in other places; leave out the filter"),
        ('"peru brazil"', 'no table contains "peru brazil"; leave out the quotes to search for its words'),
        ("qqqq*", "no word starts like qqqq*; try a shorter beginning"),
    ],
)
def test_a_word_that_no_table_has_is_named_with_what_to_try(parts: list[Part], typed: str, note: str) -> None:
    assert KIND.plan({"text": typed}, parts)["notes"] == [note]


@given(st.text("abcpru", min_size=1, max_size=9))
def test_every_question_without_hits_has_a_note(parts: list[Part], word: str) -> None:
    probe = KIND.plan({"text": word}, parts)
    assert probe["notes"] or hits(parts, word)


def test_conditions_that_no_table_meets_have_advice() -> None:
    assert "leave out a filter" in KIND.advice({"text": "peru -country"})
    assert KIND.advice({"text": "peru brazil"}) == ""


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


def test_cells_are_found_and_shown(parts: list[Part]) -> None:
    assert set(files(parts, "peru")) == {"matches.csv", "CO2_emissions.csv"}
    (hit,) = hits(parts, "value:marta")
    assert hit.columns == ("player_name",)
    assert hit.evidence["matches"] == {
        "value:marta": [{"found": "marta", "how": "word", "in": ["value"], "column": "player_name", "value": "marta"}]
    }
    assert files(parts, "1986") == []  # a column of numbers


def _ranked(lake: dict[str, dict[str, list[str]]], question: str) -> list[str]:
    """The tables of a lake of two segments, given by name, in the order of the answer."""
    names = sorted(lake)
    facts = [Facts(name, "/data/lake", name.partition("#")[0], name.partition("#")[2]) for name in names]
    tables = summarise(facts, digest([pa.table(lake[name]) for name in names]))
    groups = [group for group in (tables[: len(tables) // 2], tables[len(tables) // 2 :]) if group]
    with folder() as path:
        found = hits(build_parts(KIND, path, groups, {}, {}), question)
    assert [(hit.table, hit.score) for hit in found] == [
        (hit.table, pytest.approx(hit.score)) for hit in brute(question, tables, {})
    ]
    return [hit.table for hit in found]


def test_names_and_headers_weigh_more_than_cells() -> None:
    lake = {"a.csv": {"x": ["osaka"]}, "b.csv": {"osaka": ["1"]}, "osaka1.csv": {"x": ["1"]}}
    assert _ranked(lake, "osaka") == ["osaka1.csv", "b.csv", "a.csv"]


_FILLING = st.integers(0, 300).map(lambda count: [f"filling{number} text{number}" for number in range(count)])


@given(st.lists(_FILLING, min_size=4, max_size=4), st.permutations("abcd"), st.booleans())
def test_a_table_with_all_values_that_are_looked_up_comes_first(
    filling: list[list[str]], names: list[str], one_cell: bool
) -> None:
    both = {"x": ["lionel messi", *filling[0]]} if one_cell else {"x": ["lionel", *filling[0]], "y": ["messi"] * 99}
    both = {name: (values * 400)[: len(both["x"])] for name, values in both.items()}
    first, *others = (f"{name}.csv" for name in names)
    lake = {
        first: both,
        others[0]: {"x": ["lionel", "lionel trains", *filling[1]]},
        others[1]: {"x": ["messi", *filling[2]]},
        others[2]: {"x": ["lionel is messy", *filling[3]]},
    }
    assert _ranked(lake, "Lionel Messi")[0] == first
    assert _ranked(lake, "Messi")[-1] == others[2]  # another form counts less than the word itself


@pytest.mark.parametrize("question", ["lionel goals", "goals lionel", "lionel unheard goals"])
def test_a_table_with_all_words_comes_before_one_with_a_header(question: str) -> None:
    players = {"x": ["lionel", *(f"other{number}" for number in range(50))], "goals": ["1"] * 51}
    lake = {"a.csv": {"goals": ["1"], "club": ["x"]}, "b.csv": players, "c.csv": {"goals": ["2"]}}
    assert _ranked(lake, question)[0] == "b.csv"


_SINGULARS = st.sampled_from(["customer", "city", "box", "order", "price"])


@given(
    _SINGULARS, st.booleans(), st.sampled_from(["{}.csv", "{}", "{}.csv.gz", "db/{}.json", "a b.xlsx#{}", "{}.xlsx#1"])
)
def test_a_name_that_is_just_the_word_comes_first(singular: str, asked_in_plural: bool, pattern: str) -> None:
    plural = {"city": "cities", "box": "boxes"}.get(singular, f"{singular}s")
    found, asked = (singular, plural) if asked_in_plural else (plural, singular)
    groups = {f"{asked} group": [asked], f"{asked} id": ["1"], f"{asked} name": [asked]}
    just = pattern.format(found)
    lake = {just: {"id": ["1"]}, f"{asked}_groups.csv": groups, f"old {asked}.csv": groups, "b.xlsx#x": groups}
    assert _ranked(lake, asked)[0] == just
    assert _ranked(lake, f"{asked} groups")[0] == f"{asked}_groups.csv"
    assert _ranked(lake, f"table:{asked}")[0] == just


@pytest.mark.parametrize(
    ("asked", "typed", "found", "how"),
    [("player", "player", "players", "form"), ("cups worlds", "cups", "cup", "form"),
     ("goals?", "goals", "goals", "word"), ("world", "world", "worldcup", "part"),
     ("emisions", "emisions", "emissions", "correction"),
     ("world cup", "world", "worldcup", "part")],
)  # fmt: skip
def test_a_hit_says_how_a_word_is_written_there(
    parts: list[Part], asked: str, typed: str, found: str, how: str
) -> None:
    matches = [match for hit in hits(parts, asked) for match in hit.evidence["matches"].get(typed, ())]
    assert (found, how) in {(match["found"], match["how"]) for match in matches}


def test_stop_words_are_left_out_unless_nothing_else_is_asked_for() -> None:
    assert [clause.text for clause in parse("which of the players were born in 1986?").clauses] == [
        "players",
        "born",
        "1986",
    ]
    assert [clause.text for clause in parse("the who").clauses] == ["the", "who"]
    assert [clause.text for clause in parse("folder:sport the").clauses] == ["folder:sport"]
    assert [clause.text for clause in parse("who health").clauses] == ["who", "health"]
    assert [clause.text for clause in parse('"the cup" -the the').clauses] == ['"the cup"', "-the"]
    assert [clause.text for clause in parse("Einwohner der Stadt und die Fläche").clauses] == [
        "Einwohner",
        "Stadt",
        "Fläche",
    ]


def test_a_compound_needs_a_known_rest_and_is_not_counted_beside_its_parts(parts: list[Part]) -> None:
    assert "matches.csv" in files(parts, "world")  # worldcup, and cup is a word of the lake
    assert files(parts, "popu") == []  # lation is none
    (hit,) = hits(parts, "column:team")
    assert [match["found"] for match in hit.evidence["matches"]["column:team"]] == ["team"]  # not hometeam


def test_why_names_the_word_the_place_and_the_cell(parts: list[Part]) -> None:
    why = KIND.shown[-1].cell
    assert why(hits(parts, "marta", 1)[0]) == "marta in player_name: marta"
    assert why(hits(parts, "emisions", 1)[0]) == "emisions as emissions in table"


_WRITTEN = ["house", "housing", "houses", "price", "prices", "houseprices", "pricehouse", "der", "und", "stadt", "the",
            "stadte", "die", "regione", "regioni", "child", "of", "jean-pierre", "o'neill", "u.s.", "人口", "人",
            "São Paulo", "4:10", "x" * 70]  # fmt: skip
_TYPED = [*_WRITTEN, "jean", "pierre", "jeanpierre", '"jean pierre"', "hous*", "value:house", "column:price", "-the",
          '"of the"', "sao", '"sao paulo"', "huose", "jeann", "value:jeann",
          "sstadt", "paulo1", "children", "region", "410", "us", "value:口", '"人口"', "priced"]  # fmt: skip


@given(st.data())
def test_generated_lakes_of_forms_compounds_and_cells_agree_with_the_oracle(data: st.DataObject) -> None:
    text = st.lists(st.sampled_from(_WRITTEN), min_size=1, max_size=3).map(" ".join)
    columns = st.dictionaries(text, st.lists(text, min_size=2, max_size=2), min_size=1, max_size=3)
    frames = data.draw(st.lists(columns, min_size=1, max_size=4))
    facts = [Facts(f"t{number}/{next(iter(frame))}.csv", "/data/lake", "") for number, frame in enumerate(frames)]
    tables = sorted(summarise(facts, digest([pa.table(frame) for frame in frames])), key=lambda table: table.facts.name)
    question = " ".join(data.draw(st.lists(st.sampled_from(_TYPED), min_size=1, max_size=4)))
    if question.replace("-the", "").strip():
        cut = data.draw(st.integers(0, len(tables)))
        with folder() as path:
            groups = [group for group in (tables[:cut], tables[cut:]) if group]
            answered = hits(build_parts(KIND, path, groups, {}, {}), question)
        expected = brute(question, tables, {})
        assert [(hit.table, hit.columns, hit.score) for hit in answered] == [
            (hit.table, hit.columns, pytest.approx(hit.score)) for hit in expected
        ]
        assert [hit.evidence for hit in answered] == [hit.evidence for hit in expected]


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
    assert parse("“world cup”").clauses[0].options == parse('"world cup"').clauses[0].options
    assert len(parse("world world").clauses) == 1


def test_a_lake_without_tables_answers_nothing() -> None:
    assert ask(KIND, [], {"text": "world", "k": 0}, 0) == []


def test_a_phrase_is_found_wherever_it_is_in_a_column() -> None:
    values = ["new town", "york road", "old york", "a new york b", *(f"new {i} york" for i in range(600))]
    (table,) = summarise([Facts("t.csv", "/data/lake", "")], digest([pa.table({"place": values})]))
    with folder() as path:
        parts = build_parts(KIND, path, [[table]], {}, {})
        assert [hit.evidence["matches"]['"new york"'][0]["value"] for hit in hits(parts, '"new york"')] == [
            "a new york b"
        ]
        assert hits(parts, '"york new"') == []


def test_compounds_start_or_end_with_the_word() -> None:
    words = sorted(["passengercount", "counter", "discount", "account", "countries", "count", "paramaount"])
    names = Vocabulary(Strings.of(words).arrays("term"), "term")
    backwards = np.array(sorted(range(len(words)), key=lambda place: words[place][::-1]), np.uint32)
    assert set(compounds("count", names, backwards)) == {
        ("countries", "count", "ries"), ("discount", "dis", "count"), ("passengercount", "passenger", "count"),
    }  # fmt: skip
    assert all(c.first + c.second == c.word for c in compounds("ount", names, backwards))
