"""Everyday cases over a small lake: each column is found in its other format, with a right program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mere
from mere.cli import run
from mere.errors import QueryError
from mere.indexes.transform import agreement, candidates, plan, search
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.transform import MONTHS, Program
from tests.conftest import write_files

DAYS = [(2000 + n % 23, n * 5 % 12 + 1, n * 11 % 28 + 1) for n in range(40)]
PEOPLE = [
    "Barack Obama", "Angela Merkel", "Emmanuel Macron", "Justin Trudeau", "Jacinda Ardern", "Narendra Modi",
    "Theresa May", "Helmut Kohl", "Golda Meir", "Indira Gandhi", "Nelson Mandela", "Kofi Annan", "Olof Palme",
]  # fmt: skip
COUNTRIES = [
    "Austria", "Belgium", "Brazil", "Canada", "Chile", "Denmark", "Egypt", "Finland", "Germany", "Iceland", "Japan",
    "Kenya", "United Kingdom", "South Korea", "New Zealand", "United States of America",
]  # fmt: skip
CODES = [n * n * 37 % 9973 for n in range(7, 60)]
COLUMNS = {  # a way of writing: the values in the lake, and mine
    "leading zeros lost": ([f"{code:06}" for code in CODES], [str(code) for code in CODES]),
    "leading zeros gained": ([str(code + 20_000) for code in CODES], [f"{code + 20_000:08}" for code in CODES]),
    "day/month/year": ([f"{y}-{m:02}-{d:02}" for y, m, d in DAYS], [f"{d}/{m}/{y}" for y, m, d in DAYS]),
    "month written": (
        [f"{d:02}.{m:02}.{y - 70}" for y, m, d in DAYS],
        [f"{d} {MONTHS[m - 1].title()} {y - 70}" for y, m, d in DAYS],
    ),
    "name turned": (PEOPLE, [", ".join(person.split(" ")[::-1]) for person in PEOPLE]),
    "prefix": ([f"SKU-{code + 40_000}" for code in CODES], [str(code + 40_000) for code in CODES]),
    "address": (
        [f"http://example.org/item/{code + 50_000}" for code in CODES],
        [f"x{code + 50_000}" for code in CODES],
    ),
    "unit": ([f"{code + 60_000} kg" for code in CODES], [str(code + 60_000) for code in CODES]),
}  # fmt: skip


def table(cells: list[str]) -> str:
    return "entry,reading\n" + "".join(f'"{cell}",{place * 7}\n' for place, cell in enumerate(cells))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("transform")
    raw = write_files(folder / "raw", {f"{place}.csv": table(ours) for place, (ours, _) in enumerate(COLUMNS.values())})
    index([raw], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


@pytest.fixture(scope="module")
def turned_lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same with the formats exchanged."""
    folder = tmp_path_factory.mktemp("turned")
    raw = write_files(folder / "raw", {f"{place}.csv": table(mine) for place, (_, mine) in enumerate(COLUMNS.values())})
    index([raw], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


@pytest.mark.parametrize("way", COLUMNS)
@pytest.mark.parametrize("turned", [False, True])
def test_a_column_is_found_in_its_other_format(way: str, turned: bool, request: pytest.FixtureRequest) -> None:
    lake = request.getfixturevalue("turned_lake" if turned else "lake")
    theirs, mine = COLUMNS[way][::-1] if turned else COLUMNS[way]
    hits = lake.transformable({"key": mine, "n": list(range(len(mine)))}, on="key", seconds=600)
    place = list(COLUMNS).index(way)
    assert (hits[0].table, hits[0].columns, hits[0].exact) == (f"{place}.csv", ("entry",), False)
    evidence = hits[0].evidence
    assert evidence["share"] == evidence["column_share"] == 1.0 and evidence["agreement"] > 0.6
    assert sorted(evidence["pairs"]) == sorted([a.lower(), b.lower()] for a, b in zip(mine, theirs, strict=True))
    joined = lake.join({"key": mine, "n": list(range(len(mine)))}, hits[0], "inner", raw=True)
    assert joined["entry"].to_pylist() == theirs and joined["key"].to_pylist() == mine


def test_the_program_of_a_hit_is_shown_and_runs(lake: mere.Lake) -> None:
    [hit, *_] = lake.transformable({"who": COLUMNS["name turned"][1]}, on="who", seconds=600)
    [found] = hit.evidence["programs"]
    program = Program.from_json(found["program"])
    new, made = ("Curie, Marie", "Marie Curie")
    given, expected = (new, made) if hit.evidence["direction"] == "mine to theirs" else (made, new)
    assert program([given]) == [expected] and program.columns[0] in ("who", "entry")
    assert (hit.evidence["program"], hit.evidence["python"]) == (str(program), program.to_python())
    assert hit.evidence["spark_sql"] == program.to_spark_sql()


def test_equal_values_need_no_transformation_unless_a_table_is_named(lake: mere.Lake) -> None:
    hits = lake.transformable(PEOPLE, seconds=600)
    assert "4.csv" not in [hit.table for hit in hits]
    assert any("left out 1 column that holds at least 80% of my values as they are" in note for note in hits.notes)
    [hit] = lake.transformable(PEOPLE, table="4.csv", seconds=600)
    assert hit.table == "4.csv" and hit.score == 1.0 and hit.evidence["equal"] == len(PEOPLE)
    assert hit.evidence["program"] in ("entry", "mine")


def test_columns_of_which_only_equal_values_match_are_no_hits(tmp_path: Path) -> None:
    half = [*PEOPLE[: len(PEOPLE) // 2], *(f"Nobody {number} Else" for number in range(20))]
    index([write_files(tmp_path / "raw", {"half.csv": table(half)})], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        assert not lake.transformable(PEOPLE, share=0, seconds=600)
        [hit] = lake.transformable(PEOPLE, share=0, table="half.csv", seconds=600)
        assert hit.evidence["equal"] == hit.evidence["shared"] == len(PEOPLE) // 2


def test_values_that_agree_in_what_is_common_are_not_a_hit(tmp_path: Path) -> None:
    years = {f"{year}.csv": table([f"{year}-{m:02}-{d:02}" for _, m, d in DAYS]) for year in range(1950, 1975)}
    index([write_files(tmp_path / "raw", years)], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        assert not lake.transformable([f"2050-{m:02}-{d:02}" for _, m, d in DAYS], share=0, seconds=600)
        [hit, *_] = lake.transformable([f"{d}/{m}/1960" for _, m, d in DAYS], seconds=600)
        assert hit.table == "1960.csv" and hit.evidence["share"] == 1.0


@pytest.fixture(scope="module")
def common_lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A lake in which many columns have the same words and numbers."""
    folder = tmp_path_factory.mktemp("common")
    columns = {
        "countries": COUNTRIES,
        "days of a month": [str(day) for day in range(1, 32)],
        "numbers": [str(number) for number in range(10, 100)],
    }
    files = {f"{name} {copy}.csv": table(cells[copy:]) for name, cells in columns.items() for copy in range(4)}
    index([write_files(folder / "raw", files)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


def test_words_that_tell_my_values_apart_may_be_common_in_the_lake(common_lake: mere.Lake) -> None:
    hits = common_lake.transformable([f"market {country} (2024)" for country in COUNTRIES], seconds=600)
    assert [hit.table for hit in hits] == [f"countries {copy}.csv" for copy in range(4)]
    assert hits[0].score == hits[0].evidence["share"] == hits[0].evidence["agreement"] == 1.0


def test_dates_do_not_match_by_their_day_nor_prices_by_their_first_digits(common_lake: mere.Lake) -> None:
    dates = [f"{y}-{m:02}-{d:02}" for y, m, d in DAYS[:28]]
    assert len({date[-2:] for date in dates}) == len(dates)  # the day tells them apart
    assert not common_lake.transformable(dates, share=0, seconds=600)
    assert not common_lake.transformable([f"2024-09-{day:02}" for day in range(1, 31)], share=0, seconds=600)
    assert not common_lake.transformable([f"c{number:05}" for number in range(12, 90, 3)], share=0, seconds=600)
    prices = [f"{n * 7 % 90 + 10}.{n * 37 % 100:02}" for n in range(40)]
    assert len({price[:2] for price in prices}) == len(prices)
    assert not common_lake.transformable(prices, share=0, seconds=600)


def test_a_question_without_hits_says_what_to_ask_instead(lake: mere.Lake) -> None:
    hits = lake.transformable(["alpha", "beta", "gamma", "delta"], seconds=600)
    assert not hits and hits.notes == [
        "no column was found to match 30% of the values after a transformation; share=0.1 and candidates=200 find "
        "more; many_to_many=True also finds columns of which neither side is a key"
    ]


def test_a_note_says_how_many_columns_were_tried(lake: mere.Lake) -> None:
    mine = COLUMNS["prefix"][1]
    hits = lake.transformable([*mine, *PEOPLE], candidates=1, share=0, seconds=600)
    assert any(note.startswith("tried the 1 most likely of ") for note in hits.notes)


def test_a_question_stops_at_its_time_limit_and_says_so(lake: mere.Lake) -> None:
    mixed = [cell for _, mine in COLUMNS.values() for cell in mine]
    hits = lake.transformable(mixed, seconds=1e-9)
    assert any("not fully tried, because seconds=1e-09 were over" in note for note in hits.notes)


def test_a_note_says_that_the_time_was_over_while_a_program_was_learnt(
    lake: mere.Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_SHORTEST", 1e-9)
    hits = lake.transformable(COLUMNS["name turned"][1], candidates=1, seconds=1e-9)
    expected = "1 likely column was not fully tried, because seconds=1e-09 were over: more seconds may find more"
    assert expected in hits.notes


def test_a_note_says_that_the_score_is_of_some_values(lake: mere.Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (agreement, candidates, plan):
        monkeypatch.setattr(module, "MOST_VALUES", 30)
    mine = COLUMNS["unit"][1]
    [hit, *_] = hits = lake.transformable(mine, seconds=600)
    assert hits.notes[0] == f"the score is computed from 30 of {len(mine)} values"
    assert hit.score == 1.0 and hit.evidence["shared"] == len(mine)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"share": 2}, "'share' must be from 0 to 1, got 2"),
        ({"candidates": 0}, "'candidates' must be an int of at least 1, got 0"),
        ({"seconds": 0}, "'seconds' must be above 0, got 0"),
    ],
)
def test_wrong_parameters_are_refused(lake: mere.Lake, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        lake.transformable(PEOPLE, **wrong)


def test_a_named_column_is_explained_although_it_was_not_searched_for(lake: mere.Lake) -> None:
    mine = COLUMNS["unit"][1]
    [hit] = lake.explain("transform", mine, ("7.csv", "entry"))
    assert hit.evidence["shared"] == len(mine) and hit.evidence["programs"]
    [none] = lake.explain("transform", mine, ("4.csv", "entry"))
    assert none.evidence["shared"] == 0 and none.evidence["programs"] == [] and none.evidence["program"] is None


def test_join_finds_and_joins_in_a_terminal(lake: mere.Lake, tmp_path: Path, capsys: Any) -> None:
    mine = COLUMNS["leading zeros lost"][1]
    file = tmp_path / "mine.csv"
    file.write_text("code,n\n" + "".join(f"{code},{n}\n" for n, code in enumerate(mine)))
    asked = ["join", str(file), "--on", "code", "--by", "transform", "--seconds", "600", "--lake", lake.path]
    assert run([*asked, "--json"]) == 0
    [first, *_] = json.loads(capsys.readouterr().out)["hits"]
    assert first["table"] == "0.csv" and first["evidence"]["share"] == 1.0
    assert run([*asked, "--with", "0.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["columns"] == ["entry"] and document["rows"] == len(mine)
    assert run([*asked, "--with", "0.csv"]) == 0
    [program] = document["evidence"]["programs"]
    assert f"\n  {program['key_text']} = {program['text']}\n" in capsys.readouterr().out
    assert run([*asked, "--k", "1"]) == 0
    assert f"{program['key_text']} = {program['text']}"[:40] in capsys.readouterr().out
    assert run([*asked, "--with", "4.csv"]) == 2
    assert "joins with mine after a transformation" in capsys.readouterr().err


def test_a_share_that_is_just_reached_is_enough(lake: mere.Lake) -> None:
    given = {"who": COLUMNS["name turned"][1]}
    [hit, *_] = lake.transformable(given, on="who", share=1.0, seconds=600)
    assert hit.score == 1.0


def test_columns_of_which_neither_side_is_a_key_only_if_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both have several values for each number: in three rooms of mine, on three days of theirs."""
    numbers = [f"{place * place + 1009:05}" for place in range(40)]
    rooms = [f"room {letter}/{number}" for number in numbers[:20] for letter in "abc"]
    rooms += [f"room {'defghij'[place % 7]}/{number}" for place, number in enumerate(numbers[20:])]
    days = [f"{number}-{day}" for number in numbers[:20] for day in ("mo", "tu", "we")]
    days += [f"{number}-{('mo', 'tu', 'we', 'th', 'fr')[place % 5]}" for place, number in enumerate(numbers[20:])]
    monkeypatch.chdir(tmp_path)
    index([write_files(tmp_path / "raw", {"days.csv": table(days)})], tmp_path / "lake", engine=Inline())
    write_files(tmp_path, {"rooms.csv": table(rooms)})
    with mere.open(tmp_path / "lake") as lake:
        refused = lake.transformable(rooms, share=0, seconds=600)
        assert not refused
        [hit] = lake.transformable(rooms, share=0, seconds=600, many_to_many=True)
        assert hit.evidence["fan_out"]["shape"] == "many-to-many" and len(hit.evidence["pairs"]) == 200
        [one_each] = lake.transformable([*rooms[:60:3], *rooms[60:]], share=0, seconds=600)
        assert one_each.evidence["fan_out"]["shape"] == "one-to-many"
    command = ["join", "rooms.csv", "--on", "entry", "--by", "transform", "--share", "0", "--lake", "lake"]
    assert run(command) == 0
    shown = capsys.readouterr()
    assert "days.csv" not in shown.out and "--many-to-many" in " ".join((shown.out + shown.err).split())
    assert run([*command, "--many-to-many"]) == 0 and "days.csv" in capsys.readouterr().out
    assert run([*command, "--with", "days.csv", "-o", "out.csv"]) == 2 and "--many-to-many" in capsys.readouterr().err
    assert run([*command, "--with", "days.csv", "--many-to-many", "-o", "out.csv"]) == 0
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 201
