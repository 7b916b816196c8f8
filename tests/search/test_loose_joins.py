"""Joins on values that are not equal: of words and not of codes, and never in place of a join on equal values."""

import json
import random
import re
import shlex
import string

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.store import Strings
from mere.values import codes_among
from tests.conftest import write_files

rng = random.Random(8)
CITIES = ["Wien", "Bern", "Rom", "Oslo", "Paris", "Madrid", "Lissabon", "Athen", "Dublin", "Warschau", "Prag", "Riga"]
WORDS = ["".join(rng.choice(part) for part in ("bdfgk", "aeiou", "lmnprst", "aeiou")) for _ in range(400)]
CODES = list(dict.fromkeys(f"{word}{rng.randint(1000, 1999)}" for word in WORDS))
EQUAL = len(CODES) // 2


def near(code: str) -> str:
    """Another code of the system, with the same first letters or the same number."""
    return f"{code[:3]}{'aeiou'[('aeiou'.index(code[3]) + 1) % 5]}{code[4:]}"


def csv(header, rows):
    return "\n".join([header, *(",".join(str(cell) for cell in row) for row in rows)]) + "\n"


PARTS = ("ba", "ko", "ri", "tel", "mun", "ver", "sol", "gra", "pin", "dor", "lus", "fen")
TOWNS = list(dict.fromkeys("".join(rng.choice(PARTS) for _ in range(rng.randint(3, 5))) for _ in range(200)))
TOWN_CODES = [f"{town[:4]}{rng.randint(1000, 9999)}" for town in TOWNS[:100]]
NAMES = [f"{first} {last}" for first, last in zip(TOWNS[:130], reversed(TOWNS[:130]), strict=True)]
FIPS = [n * n % 8999 + 1000 for n in range(200, 330)]
LANGUAGES = [*CODES[:EQUAL], *map(near, CODES[EQUAL:])]
FILES = {
    "languages.csv": csv("id,speakers", [(code, n * 7 + 0.5) for n, code in enumerate(LANGUAGES)]),
    "cities.csv": csv("city,country", [(city, f"land {city}") for city in CITIES]),
    "people.csv": csv("who,age", [(name, n + 0.5) for n, name in enumerate(NAMES)]),
    "places.csv": csv("place,size", [(name, n + 0.5) for n, name in enumerate([*TOWNS[:130], *TOWN_CODES])]),
    "counties.csv": csv("fips,area", [(code, n + 0.5) for n, code in enumerate([*(f"0{n}" for n in FIPS), *FIPS[:3]])]),
    "banks.csv": csv("bank,seat", [(word.upper() + "DEFX", f"seat {n}") for n, word in enumerate(sorted(set(WORDS)))]),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loose")
    index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    return folder


@pytest.fixture(scope="module")
def lake(folder):
    with mere.open(folder / "lake") as opened:
        yield opened


def typo(word: str) -> str:
    return word + word[-1]


def test_codes_are_joined_where_they_are_equal_and_not_where_they_look_alike(lake):
    alike = lake.similar(CODES, share=0.5, table="languages.csv")
    assert alike[0].evidence["shared"] > alike[0].evidence["equal"] == EQUAL, "by spelling, more would match"
    [hit] = lake.joinable({"glottocode": CODES}, "glottocode")
    assert (hit.table, hit.columns, hit.exact) == ("languages.csv", ("id",), True)
    assert hit.evidence["by"] == "overlap" and hit.evidence["shared"] == EQUAL
    assert not any(also["by"] == "similar" for also in hit.evidence.get("also", []))
    rows = lake.join({"glottocode": CODES}, hit, "inner").to_pylist()
    assert len(rows) == EQUAL and all(row["glottocode"] == row["id"] for row in rows)


def test_a_question_for_similar_codes_is_answered_with_a_note(lake):
    [note] = [note for note in lake.similar(CODES).notes if "are codes" in note]
    assert note.startswith(f"{len(CODES)} of {len(CODES)} values are codes like '") and "'overlap'" in note
    assert not any("are codes" in note for note in lake.similar(CITIES).notes + lake.similar([]).notes)
    half = lake.similar([*CODES[:3], "Wien", "Bern", "Rom"]).notes
    assert any(note.startswith("3 of 6 values are codes") for note in half)
    assert not any("are codes" in note for note in lake.similar([*CODES[:3], *CITIES[:4]]).notes)


def test_letters_of_one_length_are_codes_too(lake):
    mine = [f"{word.upper()}DEFY" for word in sorted(set(WORDS))]
    assert len(lake.similar(mine, share=0.1)) == 1, "by spelling they would match"
    assert len(lake.joinable({"bic": mine})) == 0


def test_codes_among_words_are_not_compared_by_spelling(lake):
    words = [typo(city) for city in CITIES if len(city) > 4]
    mine = [*words, *map(near, CODES[:3])]
    hits = lake.joinable({"town": mine}, "town", k=0)
    [hit] = [hit for hit in hits if hit.evidence["by"] == "similar"]
    assert hit.table == "cities.csv" and hit.evidence["shared"] == len(words)
    assert hit.evidence["share"] == hit.evidence["shared"] / len(mine)
    assert hit.evidence["signals"]["values"] == pytest.approx(hit.evidence["share"], abs=1e-4)
    assert not any(any(mark.isdigit() for mark in value) for value, *_ in hit.evidence["pairs"])


@pytest.mark.parametrize(("codes", "is_asked"), [(5, True), (6, False), (30, False)])
def test_a_column_of_codes_for_the_most_part_is_not_asked_with(lake, codes, is_asked):
    mine = [*(typo(city) for city in CITIES if len(city) > 4), *map(near, CODES[:codes])]  # six words
    hits = lake.joinable({"town": mine}, "town", k=0)
    assert any(hit.evidence["by"] == "similar" for hit in hits) == is_asked


MINE = {"town": [city if n < 3 else typo(city) for n, city in enumerate(CITIES)], "cost": [n / 3 for n in range(12)]}


def test_the_join_on_equal_values_says_how_many_more_are_similar(lake):
    [hit] = lake.joinable(MINE, table="cities.csv")
    assert hit.exact and hit.evidence["by"] == "overlap" and hit.evidence["shared"] == 3
    similar = lake.similar(MINE, on="town", share=0, table="cities.csv")[0]
    more = similar.evidence["shared"] - 3
    [also] = hit.evidence["also"]
    assert (also["by"], also["values"]) == ("similar", more) and more > 5
    unequal = [list(pair[:2]) for pair in similar.evidence["pairs"] if pair[0] != pair[1]]
    assert also["examples"] and all(pair in unequal for pair in also["examples"])
    assert hit.evidence["reasons"][0].startswith(f"3 equal, {more} similar (")
    assert len(lake.join(MINE, hit, "inner")) == 3, "the join is that on equal values"
    only_equal = lake.joinable({"town": [*CITIES[:3], "x", "y", "z"]}, table="cities.csv")[0]
    assert hit.score > only_equal.score, "a table is not far down because few values are equal"


@pytest.mark.parametrize("per", ["table", "column"])
@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("k", [0, 1, 10])
def test_a_loose_join_never_stands_for_columns_with_equal_values(lake, per, copies, k):
    for given_ in (MINE, {"town": [*CITIES[:6], *map(typo, CITIES[6:])]}, {"id": CODES}):
        hits = lake.joinable(given_, k=k, per=per, copies=copies)
        assert len({(hit.table, hit.columns, tuple(hit.evidence["on"])) for hit in hits}) == len(hits) > 0
        for hit in hits:
            [on] = hit.evidence["on"]
            equal = {other.columns for other in lake.overlap(given_, 0, on=on, table=hit.table, per="column")}
            assert hit.evidence["by"] == "overlap" or hit.columns not in equal


@example(kept=["equal"] * 8 + ["other"] * 4, repeats=1)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=st.lists(st.sampled_from(["equal", "typo", "other"]), min_size=12, max_size=12), repeats=st.integers(1, 3))
def test_equal_and_similar_values_are_counted_as_they_are(lake, kept, repeats):
    """Whatever is equal, misspelt or unknown: the hit on equal values if there is one, and what similarity adds."""
    ways = {"equal": str, "typo": typo, "other": lambda city: f"%%{city[::-1]}##"}
    mine = [ways[way](city) for way, city in zip(kept, CITIES, strict=True)]
    hits = [hit for hit in lake.joinable({"town": mine * repeats}, k=0) if hit.columns == ("city",)]
    equal, similar = kept.count("equal"), lake.similar(mine, share=0, table="cities.csv")
    found = similar[0].evidence["shared"] if similar else 0
    if equal:
        assert [(hit.evidence["by"], hit.evidence["shared"]) for hit in hits] == [("overlap", equal)]
        values = [also["values"] for also in hits[0].evidence.get("also", []) if also["by"] == "similar"]
        tried = found >= 0.6 * len(CITIES) and hits[0].score < 0.5  # the least share of `similar`, the least good score
        assert values == ([found - equal] if found > equal and (tried or values) else [])
    else:
        assert all(hit.evidence["by"] != "overlap" for hit in hits)


def brute_also(lake, mine, hit):
    """Per kind, the values of mine that match otherwise, are not equal (or equal codes), and were not named before."""
    [on], theirs = hit.evidence["on"], set(lake.rows(hit.table, raw=True)[hit.columns[0]].to_pylist())
    named = {value for value in mine if {value, value.zfill(len(max(theirs, key=len)))} & theirs}
    words = [value for value, code in zip(mine, brute_codes(mine), strict=True) if not code]
    also = {}
    for kind, values, more in (("similar", words, {"share": 0}), ("transform", mine, {})):
        hits = lake.ask(kind, {on: values}, 0, on=on, table=hit.table, per="column", **more)
        pairs = [pair for other in hits if other.columns == hit.columns for pair in other.evidence["pairs"]]
        also[kind] = {pair[0] for pair in pairs} - named
        named |= also[kind]
    return {kind: len(values) for kind, values in also.items() if values}


SWAPPED = [", ".join(reversed(name.split(" "))) for name in NAMES]
LONG = [f"{name}, of the second register of all inhabitants" for name in NAMES]
MIXED = {
    "words, and codes that are equal": [*map(typo, TOWNS[:90]), *TOWNS[90:120], *TOWN_CODES, "##", "#%", "%%"],
    "words": [*map(typo, TOWNS[:90]), *TOWNS[90:120], *(f"##{n}%" for n in range(10))],
    "transformed, which are similar, too": [*NAMES[:34], *map(typo, NAMES[34:50]), *SWAPPED[50:]],
    "transformed, which are not": [*NAMES[:20], *map(typo, NAMES[20:100]), *LONG[100:]],
    "codes": [*map(str, FIPS[:60]), *(f"{n * 37 + 1000}" for n in range(60)), *(f"x0{n}" for n in FIPS[60:70])],
}
SHOWN = [(130, {"similar": 90}), (30, {"similar": 90}), (34, {"similar": 96}), (20, {"similar": 80, "transform": 30})]


@pytest.mark.parametrize(("name", "shown"), [*zip(MIXED, [*SHOWN, None], strict=True)])
def test_what_matches_otherwise_is_counted_once_and_never_what_is_equal(lake, name, shown):
    mine = MIXED[name]
    hit = lake.joinable({"mine": mine}, "mine")[0]
    equal, also = hit.evidence["shared"], {each["by"]: each["values"] for each in hit.evidence["also"]}
    assert hit.evidence["by"] == "overlap" and also == brute_also(lake, mine, hit)
    assert (equal, also) == (shown or (60, also)) and equal + sum(also.values()) <= len(mine)
    examples = [pair for each in hit.evidence["also"] for pair in each["examples"]]
    assert all(one != other for one, other in examples)
    assert len({one for one, _ in examples}) == len(examples), "an example stands for one value, of one kind"


def test_answers_do_not_depend_on_segmentation(folder, lake, tmp_path):
    index([folder / "raw"], tmp_path / "single", engine=Inline(), settings=Settings(segment_bytes=1))
    with mere.open(tmp_path / "single") as other:
        assert len(other._opened.segments) > 1
        for given_ in (MINE, {"id": CODES}):
            assert lake.joinable(given_, k=0).to_dicts() == other.joinable(given_, k=0).to_dicts()


def test_the_terminal_shows_both_numbers_and_the_command_for_the_similar_ones(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("MERE_LAKE", str(folder / "lake"))
    mine = tmp_path / "mine.csv"
    mine.write_text(csv("town,cost", zip(MINE["town"], MINE["cost"], strict=True)))
    assert run(["join", str(mine), "--json"]) == 0
    [hit, *_] = json.loads(capsys.readouterr().out)["hits"]
    [also] = hit["evidence"]["also"]
    assert run(["join", str(mine)]) == 0
    out = capsys.readouterr().out
    assert f"3 equal, {also['values']} similar (" in out and "≈25%" not in out
    [command] = re.findall(rf"to join the {also['values']} similar, too: (.*)", out)
    program, *arguments = shlex.split(command)
    assert program == "mere" and run(arguments) == 0
    assert f"{3 + also['values']} values matched" in capsys.readouterr().out
    assert run(["join", str(mine), "--with", "cities.csv"]) == 0
    assert "3 values matched" in capsys.readouterr().out


def brute_codes(values: list[str]) -> list[bool]:
    def has_digit(part: str) -> bool:
        return any(mark in string.digits for mark in part)

    of_parts = [
        has_digit(value) and all(has_digit(part) or len(part) <= 3 for part in value.split(" ")) for value in values
    ]
    lengths = [len(value.encode()) for value in values]
    usual = max(sorted(set(lengths)), key=lengths.count, default=0)
    letters = [
        value.isascii() and value.isalpha() and 1 <= len(value) <= 11 and len(value) == usual for value in values
    ]
    enough = len(values) > 0 and sum(letters) >= max(0.9 * len(values), 8)
    return [code or (enough and letter) for code, letter in zip(of_parts, letters, strict=True)]


parts = st.one_of(st.text("abz0129é-/", min_size=1, max_size=6), st.text("abcz", min_size=4, max_size=4))
some_values = st.lists(st.lists(parts, min_size=1, max_size=3).map(" ".join), max_size=20)


@settings(max_examples=200)
@given(
    values=st.one_of(some_values, st.lists(st.text("abcz", min_size=4, max_size=4), min_size=6, max_size=12)),
    odd=some_values,
)
def test_codes_among_values_agree_with_brute_force(values, odd):
    values = list(dict.fromkeys([*values, *odd[:1]]))
    assert codes_among(Strings.of(values).to_arrow()).tolist() == brute_codes(values)


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_are_asked_without_a_warning(tmp_path):
    """Percentages of 1e300, and numbers whose difference no float holds, against numbers and codes of digits."""
    files = {
        "percent.csv": csv("share,name", [(f"{n}e300%", f"x{n}") for n in range(1, 40)]),
        "far.csv": csv("share,name", [("-1.7e308", "a"), ("1.7e308", "b"), *((n, f"x{n}") for n in range(1, 40))]),
    }
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        for mine in ([*range(1, 30)], ["1.7e308", "-1.7e308", *range(20)], ["1.7e308", "-1.7e308"]):
            cells = {"share": [str(cell) for cell in mine]}
            hits = [lake.joinable(cells), lake.overlap(cells, on="share"), lake.containment(cells, 0.1, on="share")]
            assert all(answer[0].table == "far.csv" for answer in hits)
        assert len(lake.overlap([f"{n:03}" for n in range(1, 9)])) == 0, "short codes do not answer for many numbers"
        assert lake.joinable({"share": [f"{n}e300%" for n in range(1, 30)]})[0].table == "percent.csv"
