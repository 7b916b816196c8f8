"""`Lake.joinable` and `mere join` without --by: which join does a person want?"""

import json
import random
import re
import shlex

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import mere
from mere.cli import run
from mere.errors import NoSuchTable, UsageError
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.ranking import SIGNALS, scores, usual_model
from tests.conftest import write_files

rng = random.Random(16)
CITIES = ["Wien", "Bern", "Rom", "Oslo", "Paris", "Madrid", "Lissabon", "Athen", "Dublin", "Warschau", "Prag", "Riga"]


def csv(header, rows):
    return "\n".join([header, *(",".join(str(cell) for cell in row) for row in rows)]) + "\n"


FILES = {
    "shop/customer_groups.csv": csv("id,title", [(n, f"group {n}") for n in range(1, 21)]),
    "shop/customers.csv": csv(
        "id,customer_group_id,city", [(n, rng.randint(1, 20), CITIES[n % 12]) for n in range(1, 61)]
    ),
    "shop/orders.csv": csv("id,customer_id,year", [(n, rng.randint(1, 60), 2000 + n % 20) for n in range(1, 91)]),
    "other/ranking.csv": csv("rank,player", [(n, f"player {n}") for n in range(1, 101)]),
    "other/weeks.csv": csv("week,rainfall", [(n, n * 1.5) for n in range(1, 53)]),
    "other/years.csv": csv("year,event", [(1990 + n, f"event {n}") for n in range(40)]),
    "geo/cities.csv": csv("city,country", [(city, f"country {n}") for n, city in enumerate(CITIES)]),
    "geo/visits.csv": csv(
        "city,month,visitors", [(city, f"m{month}", len(city)) for city in CITIES for month in range(6)]
    ),
    "geo/Länder.csv": csv("Länder-Nr,Name", [(n * 7 + 100, f"Land {n}") for n in range(15)]),
}
VISITS = {
    "town": [city for city in CITIES for _ in range(6)],
    "month": [f"m{n}" for _ in CITIES for n in range(6)],
    "cost": [n / 3 for n in range(72)],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("joinable")


@pytest.fixture(scope="module")
def path(folder):
    index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    return str(folder / "lake")


@pytest.fixture(scope="module")
def lake(path):
    with mere.open(path) as opened:
        yield opened


def test_a_surrogate_key_finds_the_table_that_it_names_and_not_row_numbers(lake):
    hits = lake.joinable("shop/customers.csv", "customer_group_id")
    assert (hits.kind, hits[0].table, hits[0].columns) == ("joinable", "shop/customer_groups.csv", ("id",))
    assert "its table is named like my column 'customer_group_id'" in hits[0].evidence["reasons"]
    accident = next(hit for hit in hits if hit.table == "other/ranking.csv")
    assert accident.score < 0.5 < hits[0].score
    assert "row numbers 1 to 100: they contain any small integers" in accident.evidence["reasons"]
    assert any(reason.startswith("small integers: such values occur in ") for reason in accident.evidence["reasons"])


def test_evidence_is_that_of_the_kind_with_reasons_and_signals(lake):
    [overlap] = lake.overlap("shop/customers.csv", on="city", table="geo/cities.csv")
    [hit] = lake.joinable("shop/customers.csv", "city", table="geo/cities.csv")
    assert overlap.evidence.items() <= hit.evidence.items() and hit.exact
    assert hit.evidence["by"] == "overlap" and hit.evidence["on"] == ["city"]
    assert hit.evidence["signals"]["rows"] == hit.evidence["signals"]["key"] == 1.0


def test_equal_overlaps_come_in_the_order_of_the_likely_join(lake):
    [first, *_] = lake.overlap("shop/orders.csv", on="customer_id")
    by_name = [hit.table for hit in lake.overlap("shop/orders.csv", on="customer_id", ties="name")]
    assert first.table == "shop/customers.csv" and by_name[0] == "other/ranking.csv"
    assert first.score == lake.overlap("shop/orders.csv", on="customer_id", ties="name")[0].score


def test_without_a_column_foreign_keys_and_other_columns_are_tried_and_accidents_come_last(lake):
    hits = lake.joinable("shop/customers.csv")
    found = {hit.table: (hit.evidence["on"], hit.columns) for hit in hits}
    assert found["shop/customer_groups.csv"] == (["customer_group_id"], ("id",))
    assert found["geo/cities.csv"] == (["city"], ("city",))
    assert {hit.table for hit in hits[:3]} == {"shop/customer_groups.csv", "geo/cities.csv", "shop/orders.csv"}
    assert "shop/customers.csv" not in found, "a table does not find itself"
    years = lake.joinable({"year": list(range(1995, 2020)), "sales": [n * 0.5 for n in range(25)]})
    assert years[0].table == "other/years.csv" and years[0].score < hits[0].score
    assert years[0].evidence["reasons"][0].startswith("years: such values occur in ")


def test_columns_are_combined_where_one_alone_repeats(lake):
    updates = []
    hits = lake.joinable(VISITS, on_update=updates.append)
    hit = next(hit for hit in hits if hit.table == "geo/visits.csv")
    assert (hit.evidence["on"], hit.columns) == (["town", "month"], ("city", "month"))
    assert hit.evidence["by"] == "composite" and hit.evidence["fan_out"]["shape"] == "one-to-one"
    assert [len(hit.columns) for update in updates[:1] for hit in update] == [1] * len(updates[0]), "cheap ones first"
    assert {hit.evidence["by"] for hit in updates[0]} == {"overlap"}
    assert updates[0].kind == hits.kind == "joinable" and len(updates) >= 1
    named = lake.joinable(VISITS, ["month", "town"])
    assert named[0].table == "geo/visits.csv" and named[0].columns == ("month", "city")


def test_values_that_differ_a_little_are_found_where_equality_is_weak(lake):
    written = {"stadt": ["Lissabonn", "Warschauu", "Madridd", "Parris", "Dublinn", "Athenn"]}
    updates = []
    hits = lake.joinable(written, on_update=updates.append)
    assert [hit.table for hit in updates[-1]] == [] and hits, "first nothing, then similar values"
    assert hits[0].evidence["by"] == "similar" and hits[0].evidence["pairs"]
    assert {hit.table for hit in hits} >= {"geo/cities.csv"}


def test_one_hit_per_pair_of_columns(lake):
    hits = lake.joinable("shop/customers.csv", k=0, per="column")
    pairs = [(hit.table, hit.columns, tuple(hit.evidence["on"])) for hit in hits]
    assert len(pairs) == len(set(pairs)) > len({hit.table for hit in hits})
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for more in ({}, {"copies": True}, {"copies": True, "per": "column"}):
        every = lake.joinable("shop/customers.csv", k=0, **more)
        assert len(every) > 2
        for k in (1, 2):
            assert list(lake.joinable("shop/customers.csv", k=k, **more)) == every[:k]


def test_tables_of_any_shape_are_asked_with(lake):
    assert len(lake.joinable({"a": [], "b": []})) == 0
    assert len(lake.joinable({"only": [None, None]})) == 0
    assert lake.joinable({"Länder": ["107"], "x": ["nothing"]}) is not None
    assert lake.joinable({"Länder-Nr": [str(n * 7 + 100) for n in range(15)]})[0].table == "geo/Länder.csv"
    assert lake.joinable({"city": ["Wien"]}, "city")[0].evidence["shared"] == 1
    wide = {f"c{n}": [f"v{n}", "w"] for n in range(500)} | {"city": ["Wien", "Bern"], "city_code": ["Rom", "Oslo"]}
    hits = lake.joinable(wide, k=3)
    assert any("of 502 columns were not tried" in note for note in hits.notes)
    assert hits[0].table.startswith("geo/") and hits[0].evidence["on"] == ["city_code"]


def test_wrong_arguments_are_refused(lake):
    with pytest.raises(UsageError, match="no column 'town'"):
        lake.joinable("shop/customers.csv", "town")
    with pytest.raises(UsageError, match="'k' must be an int"):
        lake.joinable("shop/customers.csv", "city", -1)
    with pytest.raises(UsageError, match="'per' must be"):
        lake.joinable("shop/customers.csv", per="row")
    with pytest.raises(UsageError, match="expected a column, got 3"):
        lake.joinable(3)
    with pytest.raises(NoSuchTable, match=r"no file 'nofile\.csv', and no table 'nofile\.csv' among 9 tables"):
        lake.joinable("nofile.csv")


@pytest.mark.parametrize("make", [list, tuple, pa.array, pd.Series, pl.Series, iter], ids=lambda make: make.__name__)
def test_a_list_or_a_column_is_a_table_of_one_column(lake, make):
    hits = lake.joinable(make(CITIES))
    assert hits[0].table == "geo/cities.csv" and hits[0].evidence["shared"] == len(CITIES)
    assert "on" not in hits[0].evidence and "header" in hits[0].evidence["signals"]
    named = lake.joinable(pd.Series(CITIES, name="city"))
    assert named[0].evidence["on"] == ["city"] and named[0].score > hits[0].score, "a name says something"


def misspelt(value):
    return value + value[-1]


def reversed_words(value):
    return ", ".join(reversed(value.split()))


LOOSE = [("other/ranking.csv", "player", reversed_words), ("geo/cities.csv", "city", misspelt)]


@pytest.mark.parametrize("repeated", [1, 3])
@pytest.mark.parametrize("kept", [1.0, 0.75])
@pytest.mark.parametrize(("table", "column", "written"), LOOSE)
def test_reasons_and_signals_of_other_spellings_are_what_was_counted(lake, table, column, written, kept, repeated):
    """The way comes first, with a pair; shares of rows and of values are those of the pairs, whatever the score."""
    values = [row[column] for row in lake.rows(table).to_pylist()]
    values = [value for value in dict.fromkeys(values) if len(value) > 3]
    mine = [written(value) for value in values]
    matching = mine[: round(kept * len(mine))]
    cells = matching * repeated + [f"%%{place}##{place * place}" for place in range(len(mine) - len(matching))]
    hits = lake.joinable({"mine": cells}, "mine", table=table)
    hit = next(hit for hit in hits if hit.evidence["by"] in ("similar", "transform"))
    evidence, pairs = hit.evidence, {pair[0] for pair in hit.evidence["pairs"]}
    rows = sum(cell.casefold() in pairs for cell in cells) / len(cells)
    assert evidence["signals"]["values"] == pytest.approx(evidence["share"], abs=1e-4)
    assert evidence["signals"]["rows"] == pytest.approx(rows, abs=1e-4)
    assert evidence["reasons"][0].startswith(("similar spellings, e.g. ", "after a transformation: "))
    told = {int(number) / 100 for reason in evidence["reasons"] for number in re.findall(r"(\d+)% of my", reason)}
    assert all(min(abs(share - evidence["share"]), abs(share - rows)) < 0.01 for share in told)


def test_other_spellings_count_less_than_equal_values(lake):
    similar = lake.joinable({"city": [misspelt(city) for city in CITIES]}, table="geo/cities.csv")[0]
    assert similar.evidence["by"] == "similar" and similar.evidence["share"] > 0.5
    signals = np.array([[similar.evidence["signals"][name] for name in SIGNALS]])
    if_equal = scores(signals, usual_model())[0]
    odds = [score / (1 - score) for score in (similar.score, if_equal)]
    assert odds[0] == pytest.approx(odds[1] / 2, rel=0.01)


@pytest.mark.parametrize("numbers", [range(1, 9), range(3, 20), range(2000, 2020)])
def test_a_note_says_that_no_join_is_likely_and_why(lake, numbers):
    hits = lake.joinable({"n": [number for number in numbers for _ in range(3)]})
    [note] = [note for note in hits.notes if note.startswith("no join is likely")]
    assert hits[0].evidence["reasons"][0] in note
    assert not any("no join is likely" in note for note in lake.joinable("shop/customers.csv").notes)


def test_a_table_without_rows_is_told(lake):
    assert lake.joinable({"a": [], "b": []}).notes == ["my table has no rows, so nothing can match"]


def test_answers_do_not_depend_on_segmentation(folder, lake, tmp_path):
    index([folder / "raw"], tmp_path / "single", engine=Inline(), settings=Settings(segment_bytes=1))
    with mere.open(tmp_path / "single") as other:
        assert len(other._opened.segments) > len(lake._opened.segments)
        for given, on in (("shop/customers.csv", None), (VISITS, None), ("shop/orders.csv", "customer_id")):
            one, many = lake.joinable(given, on, k=0), other.joinable(given, on, k=0)
            assert one.to_dicts() == many.to_dicts() and one.notes == many.notes


def test_mere_join_ranks_by_the_score_unless_a_kind_is_meant(path, tmp_path, capsys, monkeypatch):
    mine = tmp_path / "orders.csv"
    mine.write_text(csv("order,customer_group_id,town", [(n, n % 18 + 1, CITIES[n % 9]) for n in range(40)]))
    assert run(["join", str(mine), "--lake", path, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "joinable" and document["hits"][0]["table"] in (
        "geo/cities.csv",
        "shop/customer_groups.csv",
    )
    assert document["hits"][0]["evidence"]["reasons"] and document["hits"][0]["evidence"]["signals"]
    assert run(["join", str(mine), "--on", "auto", "--lake", path, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["hits"] == document["hits"]
    assert run(["join", str(mine), "--on", "customer_group_id", "--k", "1", "--lake", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["table"] == "shop/customer_groups.csv"
    assert run(["join", str(mine), "--on", "town", "--by", "overlap", "--lake", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "overlap"
    assert run(["join", str(mine), "--on", "town", "--threshold", "0.5", "--lake", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "containment"
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["join", str(mine), "--on", "town", "--lake", path]) == 0
    assert "why" in capsys.readouterr().out
    assert run(["join", str(mine), "--on", "city", "--lake", path, "--json"]) == 2
    assert "city" in json.loads(capsys.readouterr().out)["error"]["message"]


@pytest.fixture
def misspelt_file(path, tmp_path, monkeypatch):
    """A file whose cities are written otherwise, in a folder that is the current one, with the lake of the module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MERE_LAKE", path)
    rows = [(misspelt(city), n * 0.5) for n, city in enumerate(CITIES) if len(city) > 3]
    (tmp_path / "my towns.csv").write_text(csv("town,cost", rows))
    return "my towns.csv"


def printed(capsys, *arguments, code=0):
    assert run(list(arguments)) == code
    said = capsys.readouterr()
    return said.err if code else said.out


def test_a_list_ends_with_the_command_that_joins_other_spellings(misspelt_file, path, capsys, monkeypatch):
    answer = printed(capsys, "join", misspelt_file)
    assert " ≈100%  " in answer and "similar spellings, e.g. " in answer
    [command] = [line.removeprefix("to join: ") for line in answer.splitlines() if line.startswith("to join: ")]
    program, *arguments = shlex.split(command)
    assert program == "mere" and "values matched" in printed(capsys, *arguments)
    monkeypatch.setenv("COLUMNS", "40")
    narrow = printed(capsys, "join", misspelt_file).partition("to join: ")[2]
    assert shlex.split(narrow.replace("\\\n", " ")) == shlex.split(command)
    monkeypatch.delenv("MERE_LAKE")
    assert f"--lake {path}" in printed(capsys, "join", misspelt_file, "--lake", path).replace("\\\n   ", "")
    assert "to join" not in printed(capsys, "join", "shop/customers.csv", "--lake", path)


def test_what_is_not_equal_is_joined_with_the_flag_that_the_error_names(misspelt_file, capsys):
    question = ["join", misspelt_file, "--on", "town", "--with", "geo/cities.csv"]
    error = printed(capsys, *question, code=2)
    [flag] = re.findall(r"--by (\w+) joins with its column 'city': ", error)
    assert "values matched" in printed(capsys, *question, "--by", flag)
    assert "leave out --with" in printed(
        capsys, "join", misspelt_file, "--on", "town", "--with", "geo/Länder.csv", code=2
    )


def test_with_a_table_and_without_columns_the_best_join_is_made(misspelt_file, tmp_path, capsys):
    (tmp_path / "orders.csv").write_text(
        csv("order,customer_group_id,town", [(n, n % 18 + 1, CITIES[n % 9]) for n in range(40)])
    )
    answer = printed(capsys, "join", "orders.csv", "--with", "shop/customer_groups.csv")
    assert answer.startswith("note: joined on customer_group_id = id (score 0.") and "is named like my column" in answer
    answer = json.loads(printed(capsys, "join", "orders.csv", "--with", "geo/cities.csv", "--json"))
    assert answer["columns"] == ["city"] and answer["evidence"]["on"] == ["town"] and answer["rows"] == 40
    answer = printed(capsys, "join", "orders.csv", "--with", "other/years.csv", "--column", "year", code=2)
    assert "no column of 'orders.csv' joins with year of 'other/years.csv'" in answer
    assert "joined on town = city" in printed(capsys, "join", misspelt_file, "--with", "geo/cities.csv")


@pytest.mark.parametrize(
    "asked", [["--by", "overlap"], ["--by", "similar"], ["--threshold", "0.5"], ["--by", "transform"]]
)
@pytest.mark.parametrize("more", [[], ["--with", "shop/customer_groups.csv"]])
def test_a_kind_that_takes_one_column_proposes_it(asked, more, path, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("MERE_LAKE", path)
    mine = tmp_path / "orders.csv"
    mine.write_text(csv("order,customer_group_id,x", [(n + 5000, n % 18 + 1, n * 0.5) for n in range(40)]))
    error = printed(capsys, "join", str(mine), *asked, *more, code=2)
    assert "has 3 columns, and '" in error and "takes one" in error
    assert "--on customer_group_id gives the best join" in error


def test_a_join_is_made_with_a_hit(lake):
    hit = lake.joinable(VISITS)[0]
    assert lake.join(VISITS, hit).num_rows >= 72


def test_numbers_from_elsewhere_need_names_and_two_names_of_one_thing_are_not_combined(lake):
    hits = lake.joinable({"AF": [1, 5, 9, 14, 14, 20], "note": ["x"] * 6}, "AF")
    assert {hit.evidence["signals"]["unsupported"] for hit in hits} == {1.0}, "the folder of a frame is not known"
    both = {"city": CITIES, "land": [f"country {n}" for n in range(12)]}
    assert all(len(hit.columns) == 1 for hit in lake.joinable(both)), "a city has one country"
