"""Profiles without data: published by one lake, indexed by another, which then answers as if it held the rows."""

from __future__ import annotations

import datetime
import json
import math
import os
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.errors import MereError, NoSuchTable, ProfileOnly, UsageError
from mere.language import Predicate
from mere.language.predicates import OPERATORS, SIDES
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.readers.profile_columns import published_column
from mere.readers.table import Findings
from mere.search.publishing import CONFORMS, coarse, rounded
from mere.segments.snapshot import read_snapshot
from mere.values import spelled_moment
from tests.conftest import touch, write_files
from tests.kinds.harness import folder

UGLY = "a/b\"c'd <é 人口>  e\u202e,%23#x"
PEOPLE = "name,age,born,member\n" + "".join(
    f"person {i},{i % 60},{1950 + i % 50}-0{1 + i % 9}-1{i % 10},{'yes' if i % 3 else 'no'}\n" for i in range(200)
)
FILES = {
    "clinic/people.csv": PEOPLE,
    "clinic/README.md": "# Cancer study\n\nPatients of the clinic.\n",
    "flat.csv": "name,size\na,7\nb,7\nc,7\n",
    "empty.csv": "a,b\n",
    "text.csv": "word\nsecret\nhidden\n",
}


def lake_of(home: Path, name: str, *sources: Path, **options: Any) -> Any:
    index(sources, home / name, engine=Inline(), **options)
    return mere.open(home / name)


@pytest.fixture
def owner(tmp_path: Path) -> Any:
    with lake_of(tmp_path, "owner", write_files(tmp_path / "raw", FILES)) as opened:
        yield opened


def finder_of(home: Path, owner: Any, **options: Any) -> Any:
    """A lake that holds nothing but what the owner published."""
    (home / "public").mkdir(exist_ok=True)
    owner.export_profiles(path=home / "public" / "p.json", **options)
    return lake_of(home, "finder", home / "public")


@pytest.fixture
def finder(tmp_path: Path, owner: Any) -> Any:
    with finder_of(tmp_path, owner, url="https://owner.example") as opened:
        yield opened


def fields(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(record["name"], field["name"]): field for record in document["recordSet"] for field in record["field"]}


# what is published


def test_a_profile_is_croissant_with_histograms_and_statistics(owner: Any) -> None:
    document = json.loads(json.dumps(owner.export_profiles(), allow_nan=False))
    assert document["@type"] == "sc:Dataset" and document["conformsTo"] == CONFORMS
    assert {"cr", "sc", "mere", "histogram", "statistics"} <= document["@context"].keys()
    assert [record["name"] for record in document["recordSet"]] == [table.name for table in owner.tables]
    assert {record["@type"] for record in document["recordSet"]} == {"cr:RecordSet"}
    age = fields(document)["clinic/people.csv", "age"]
    histogram = age["histogram"]
    assert age["@type"] == "cr:Field" and age["dataType"] == "sc:Integer"
    assert len(histogram["bins"]) == len(histogram["counts"]) + 1 and sum(histogram["counts"]) == 200
    assert histogram["densities"] == [count / 200 for count in histogram["counts"]]
    mean = sum(i % 60 for i in range(200)) / 200
    assert age["statistics"] == {
        "count": 200,
        "nulls": 0,
        "distinct": 60,
        "min": 0.0,
        "max": 59.0,
        "mean": pytest.approx(mean),
    }
    born = fields(document)["clinic/people.csv", "born"]
    assert born["dataType"] == "sc:DateTime" and born["statistics"]["min"] == "1950-01-10"
    assert document["recordSet"][0]["alternateName"] == "Cancer study"


def test_identifiers_are_unique(tmp_path: Path) -> None:
    files = {"a/b.csv": "c\n1\n", "a.csv": "b%2Fc,b/c\n1,2\n", "a%2Fb.csv": "c\n1\n"}
    with lake_of(tmp_path, "owner", write_files(tmp_path / "raw", files)) as opened:
        records = opened.export_profiles()["recordSet"]
    ids = [entry["@id"] for record in records for entry in [record, *record["field"]]]
    assert len(ids) == len(set(ids)) == 7


def test_of_text_only_counts_are_published(owner: Any) -> None:
    document = owner.export_profiles()
    assert fields(document)["text.csv", "word"] == {
        "@type": "cr:Field", "@id": "text.csv/word", "name": "word", "dataType": "sc:Text",
        "statistics": {"count": 2, "nulls": 0, "distinct": 2},
    }  # fmt: skip
    text = json.dumps(document)
    assert not any(word in text for word in ("secret", "hidden", "person", "yes", owner.path))


def test_only_the_named_tables_are_published(owner: Any) -> None:
    assert [
        record["name"] for record in owner.export_profiles(["people.csv", "flat.csv", "flat.csv"])["recordSet"]
    ] == [
        "clinic/people.csv",
        "flat.csv",
    ]
    with pytest.raises(NoSuchTable):
        owner.export_profiles(["nothing.csv"])
    for wrong in ({"tables": "flat.csv"}, {"least": -1}, {"least": True}, {"colour": "red"}):
        with pytest.raises(UsageError):
            owner.export_profiles(**wrong)
    with pytest.raises(UsageError, match="no folder"):
        owner.export_profiles(path=os.path.join(owner.path, "nowhere", "p.json"))


def test_with_least_edges_are_round_and_no_bin_has_fewer_rows(tmp_path: Path) -> None:
    chance = random.Random(4)
    values = [chance.lognormvariate(3, 2) for _ in range(500)]
    rows = "".join(f"{value!r},{int(value * 1e9)},{7 if i else 8},{i % 3}\n" for i, value in enumerate(values))
    files = {"x.csv": f"size,id,nearly,three\n{rows}", "few.csv": "name,size\na,1\nb,2\nc,3\n"}
    with lake_of(tmp_path, "owner", write_files(tmp_path / "raw", files)) as opened:
        published_fields = fields(opened.export_profiles(least=25))
        for (table, name), field in published_fields.items():
            assert field["statistics"].keys() == {"count", "nulls", "distinct"}
            if table == "few.csv":
                assert "histogram" not in field
                continue
            histogram, real = field["histogram"], [float(cell) for cell in opened.rows(table).column(name).to_pylist()]
            assert min(histogram["counts"]) >= 25 and sum(histogram["counts"]) == 500
            assert not set(histogram["bins"]) & set(real) - {0.0, 1.0, 2.0, 7.0, 8.0}
            last = len(histogram["counts"]) - 1
            for place, count in enumerate(histogram["counts"]):
                left, right = histogram["bins"][place : place + 2]
                assert count == sum(left <= value < right or (place == last and value == right) for value in real)
        assert published_fields["x.csv", "three"]["histogram"]["bins"] == [0.0, 1.0, 2.0, 3.0]
        assert published_fields["x.csv", "nearly"]["histogram"]["counts"] == [500]


@pytest.mark.parametrize(
    "cells",
    [
        ["1e308", "-1e308", "1.7e308"],
        ["1e17", "100000000000000016"],
        ["1.5e-310", "2.5e-310"],
        ["0"],
        ["-0.3", "0.3", "0.1"],
        ["1e300", "5", "inf", "nan"],
        ["2020-01-01 10:00", "2020-01-01 10:01"],
    ],
)
@pytest.mark.parametrize("least", [0, 1, 2])
def test_numbers_of_any_size_give_valid_json(cells: list[str], least: int, tmp_path: Path) -> None:
    raw = write_files(tmp_path / "raw", {"x.csv": "name,size\n" + "".join(f"a,{cell}\n" for cell in cells * 5)})
    with lake_of(tmp_path, "owner", raw) as opened, finder_of(tmp_path, opened, least=least) as finder:
        text = (tmp_path / "public" / "p.json").read_text()
        document = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
        histogram = fields(document)["x.csv", "size"].get("histogram")
        assert histogram is None or [math.isfinite(edge) for edge in histogram["bins"]] == [True] * (
            len(histogram["counts"]) + 1
        )
        bound = "2030-01-01" if cells[0].startswith("2020") else "1"
        question = f"at least 0% of any column < {bound}"
        assert len(finder.distribution(question, 0, sure=True)) == (histogram is not None)
        assert finder.quarantine() == []


@st.composite
def published(draw: Any) -> tuple[str, list[float], list[int]]:
    """A type, and a histogram of whole counts between edges of any size."""
    kind = draw(st.sampled_from(["sc:Integer", "sc:Float", "sc:Date"]))
    end = {"sc:Date": 2e11, "sc:Integer": 1e9, "sc:Float": 1e300}[kind]
    inner = st.one_of(
        st.integers(-20, 20).map(float), st.floats(-min(end, 6e10), end), st.integers(-999, 999).map(lambda n: n / 1000)
    )
    edges = sorted(draw(st.lists(inner, min_size=2, max_size=12, unique=True)))
    return kind, edges, draw(st.lists(st.integers(1, 40), min_size=len(edges) - 1, max_size=len(edges) - 1))


@settings(max_examples=150, deadline=None)
@given(published(), st.integers(1, 60))
def test_published_edges_become_round_and_counts_stay_true(
    column: tuple[str, list[float], list[int]], least: int
) -> None:
    kind, edges, counts = column
    histogram = {"dataType": kind, "histogram": {"bins": edges, "counts": counts}}
    before = published_column(histogram, Findings())
    after = coarse(rounded(before), least)
    assert not after.keys() & {"low", "high", "mean"} and after["count"] == sum(counts)
    if "edges" not in after:
        assert sum(counts) < least or max(map(abs, edges)) > 1e299
        return
    assert min(after["counts"]) >= least and sum(after["counts"]) == sum(counts)
    assert after["edges"][0] <= edges[0] and edges[-1] < after["edges"][-1]
    assert set(after["edges"][1:-1]) <= set(edges)
    unit = {"sc:Date": 86400.0, "sc:Integer": 1.0}.get(kind, 10 ** math.floor(math.log10((edges[-1] - edges[0]) / 16)))
    for edge in after["edges"]:
        assert math.isclose(edge / unit, round(edge / unit), rel_tol=1e-12, abs_tol=1e-9)
    for place, edge in enumerate(after["edges"][1:-1], 1):  # as many rows below each edge as before
        assert sum(after["counts"][:place]) == sum(counts[: edges.index(edge)])
    assert coarse(rounded({**after, "type": before["type"]}), least)["count"] == sum(counts)


def test_with_least_profiles_of_others_are_published_without_values(tmp_path: Path) -> None:
    histogram = {"bins": [0.123456, 10, 20, 29.98765], "counts": [20, 30, 40]}
    statistics = {"count": 90, "min": 0.123456, "max": 29.98765, "mean": 17.2345}
    days = {"bins": ["2020-01-03T10:11:12", "2020-11-17T01:02:03"], "counts": [90]}
    record = {"name": "t", "rows": 90, "field": [
        {"name": "a", "dataType": "sc:Float", "histogram": histogram, "statistics": statistics},
        {"name": "b", "dataType": "sc:Date", "histogram": days},
        {"name": "c", "dataType": "sc:Date", "statistics": {"count": 90, "min": "0001-01-01", "max": "9999-12-31"}},
    ]}  # fmt: skip
    raw = write_files(tmp_path / "raw", {"p.json": json.dumps({"recordSet": [record]})})
    with lake_of(tmp_path, "lake", raw) as lake, finder_of(tmp_path, lake, least=10) as finder:
        published_fields = fields(lake.export_profiles(least=10))
        a, b, c = (published_fields["p.json#t", name] for name in "abc")
        assert (a["histogram"]["bins"], a["histogram"]["counts"]) == ([0.0, 10.0, 20.0, 30.0], [20, 30, 40])
        assert a["statistics"] == {"count": 90}
        for column in (b, c):
            assert {edge % 86400 for edge in column["histogram"]["bins"]} == {0}
        assert finder.quarantine() == [] and len(finder.tables) == 1
        assert [column.name for column in lake.profile("p.json#t").columns] == ["a", "b", "c"]


def test_a_date_after_the_year_9999_is_refused_and_can_still_be_printed(tmp_path: Path) -> None:
    bad = {"name": "bad", "field": [{"name": "a", "dataType": "sc:Date", "statistics": {"count": 1, "min": -1e300}}]}
    files = {"p.json": json.dumps({"recordSet": [bad]})}
    report = index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    assert "outside of the years 1 to 9999" in report.quarantined[0]["reason"]
    for seconds in (-1e300, 1e300, math.inf, math.nan):
        assert spelled_moment(seconds).endswith("seconds since 1970")
    assert spelled_moment(-62135596800.0) == "0001-01-01" and spelled_moment(253402300799.0) == "9999-12-31T23:59:59"


# the round trip


@st.composite
def frames(draw: Any) -> pa.Table:
    """Columns of numbers, of dates, of both with nulls and words among them; some empty, some constant."""
    rows = draw(st.sampled_from([0, 1, 3, 20, 60]))
    number = st.one_of(
        st.integers(-5, 5), st.integers(0, 10**6), st.floats(-1e3, 1e3), st.sampled_from([1e300, -1e-300])
    )
    day = st.dates(datetime.date(1950, 1, 1), datetime.date(2050, 1, 1)).map(str)
    cell = draw(st.sampled_from([number.map(repr), number.map(repr), day, st.sampled_from(["x", "y", ""])]))
    names = draw(st.lists(st.sampled_from(["age", "km/h", UGLY, "born", "人口"]), min_size=1, max_size=3, unique=True))
    cells = [draw(st.lists(cell, min_size=1, max_size=12)) for _ in names]
    odd = draw(st.sampled_from([[], [], [None], ["n/a", "odd"]]))
    return pa.table([pa.array(((own * 60 + odd) * 2)[:rows], pa.string()) for own in cells], names=names)


def predicates(edges: list[float]) -> st.SearchStrategy[Predicate]:
    number = st.one_of(st.sampled_from(edges or [0.0]), st.sampled_from([-1.0, 0.0, 0.5, 3.0, 1e9, math.inf]))
    fraction = st.sampled_from([*(Fraction(n, 20) for n in range(21)), Fraction(1, 3), Fraction(7, 9)])
    column = st.sampled_from([None, None, "age", "*", "/o/"])

    def predicate(column: Any, side: str, fraction: Fraction, operator: str, a: float, b: float) -> Predicate:
        return Predicate(column, side, fraction, operator, (min(a, b), max(a, b)) if operator == "between" else a)

    return st.builds(predicate, column, st.sampled_from(SIDES), fraction, st.sampled_from(OPERATORS), number, number)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_published_profiles_answer_every_predicate_like_the_data(data: Any) -> None:
    tables = data.draw(st.lists(frames(), min_size=1, max_size=4), label="tables")
    bins = data.draw(
        st.sampled_from(["equal-depth-16", "equal-depth-80", "equal-width-16", "equal-depth-2"]), label="bins"
    )
    with folder() as path:
        home = Path(path)
        (home / "raw").mkdir()
        for number, frame in enumerate(tables):
            pq.write_table(frame, home / "raw" / f"t{number}.parquet")
        options = mere.Settings(histogram_bins=bins)
        with lake_of(home, "owner", home / "raw", settings=options) as owner, finder_of(home, owner) as finder:
            edges = [
                e
                for field in fields(owner.export_profiles()).values()
                for e in field.get("histogram", {}).get("bins", [])
            ]
            for predicate in data.draw(st.lists(predicates(edges), min_size=8, max_size=8), label="predicates"):
                mine, theirs = (
                    owner.distribution(predicate, 0, per="column"),
                    finder.distribution(predicate, 0, per="column"),
                )
                assert essentials(mine) == essentials(theirs, "p.json#")
                assert [hit.evidence["profile_only"] for hit in theirs] == [True] * len(mine)
            assert finder.quarantine() == [] and len(finder.tables) == len(tables)
            assert columns_told(owner) == columns_told(finder)


def essentials(hits: Any, prefix: str = "") -> list[Any]:
    known = ("label", "fraction", "estimate", "rows", "histogram")
    return [
        (
            hit.table.removeprefix(prefix),
            hit.columns,
            hit.score,
            hit.exact,
            {name: hit.evidence[name] for name in known},
        )
        for hit in hits
    ]


def columns_told(lake: Any) -> list[list[dict[str, Any]]]:
    """What a lake publishes of its columns, identifiers aside."""
    records = lake.export_profiles()["recordSet"]
    return [[{name: field[name] for name in field if name != "@id"} for field in record["field"]] for record in records]


def test_ugly_names_dates_and_empty_tables_come_through(tmp_path: Path) -> None:
    frame = pa.table({UGLY: ["1", "2"], "born": ["2020-01-31", "1969-12-31 23:59:59"]})
    (tmp_path / "raw" / "ü <b>").mkdir(parents=True)
    pq.write_table(frame, tmp_path / "raw" / "ü <b>" / "x #1.parquet")
    pq.write_table(frame.slice(0, 0), tmp_path / "raw" / "empty.parquet")
    with lake_of(tmp_path, "owner", tmp_path / "raw") as owner, finder_of(tmp_path, owner) as finder:
        assert [table.name for table in finder.tables] == [f"p.json#{table.name}" for table in owner.tables]
        mine, theirs = (lake.profile(lake.tables[1].name) for lake in (owner, finder))
        names = [(column.name, column.type, column.distinct, column.nulls) for column in mine.columns]
        assert [(column.name, column.type, column.distinct, column.nulls) for column in theirs.columns] == names
        assert [(column.minimum, column.maximum) for column in theirs.columns] == [
            ("1", "2"),
            ("1969-12-31T23:59:59", "2020-01-31"),
        ]
        assert "<b>" not in theirs._repr_html_() and "&lt;b&gt;" in finder.tables._repr_html_()
        [hit] = finder.distribution("at least 50% of born >= 2020-01-01")
        assert hit.table == theirs.name and hit.evidence["label"] == "guaranteed"
        empty = finder.profile(finder.tables[0].name)
        assert (empty.rows, empty.profile_only) == (0, True) and {column.type for column in empty.columns} == {"empty"}


# what a profile can and cannot answer


def test_profiles_answer_words_and_distributions_and_are_marked(finder: Any, owner: Any) -> None:
    hit = finder.keywords("cancer study")[0]
    assert hit.table == "p.json#clinic/people.csv" and hit.evidence["profile_only"] is True
    assert finder.keywords("column:age")[0].columns == ("age",)
    for condition in ("at least 30% of age < 40 and 'cancer'", "'cancer'", "not 'xylophone'"):
        assert {hit.evidence["profile_only"] for hit in finder.where(condition, 0)} == {True}
        answers, truth = finder.where(condition, 0), {f"p.json#{hit.table}" for hit in owner.where(condition, 0)}
        assert {hit.table for hit in answers if hit.exact} <= truth <= {hit.table for hit in answers} and truth
    assert {"profile_only" in hit.evidence for hit in owner.where("at least 1% of any column > 0", 0)} == {False}
    [mine], [theirs] = (lake.distribution(like=[7, 7, 7], k=1) for lake in (owner, finder))
    assert theirs.table == f"p.json#{mine.table}" and theirs.score == mine.score and theirs.evidence["profile_only"]


def test_columns_similar_to_a_published_one_are_found(finder: Any, owner: Any, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    owner.export_profiles(["people.csv"], tmp_path / "other" / "q.json")
    with lake_of(tmp_path, "finder", tmp_path / "other") as both:
        hit = both.distribution(like="p.json#clinic/people.csv", on="age", column="age")[0]
        assert (hit.table, hit.evidence["distance"]) == ("q.json#clinic/people.csv", 0.0)
        again = both.distribution(like=str(tmp_path / "other" / "q.json"), on="age", column="age", k=1)[0]
        assert (again.score, again.evidence["distance"]) == (1.0, 0.0)
        with pytest.raises(UsageError, match="no histogram of 'name' was published"):
            both.distribution(like="q.json#clinic/people.csv", on="name")


def test_profiles_are_never_hits_of_joins(tmp_path: Path, owner: Any) -> None:
    (tmp_path / "raw" / "p.json").parent.mkdir(exist_ok=True)
    public = tmp_path / "public"
    public.mkdir()
    owner.export_profiles(path=public / "p.json")
    with lake_of(tmp_path, "both", tmp_path / "raw", public) as both:
        ages = {"age": [str(n) for n in range(60)], "member": ["yes"] * 60}
        for hits in (
            both.overlap(ages, 0, on="age"),
            both.containment(ages, 0.01, on="age"),
            both.containment(ages, 0.01, on="age", exact=False),
            both.composite(ages, k=0),
            both.overlap([], 0),
        ):
            assert [hit.table for hit in hits if "p.json" in hit.table] == []
        assert both.overlap(ages, on="age")[0].table == "clinic/people.csv"


def test_rows_and_joins_say_that_only_a_profile_was_published(finder: Any, tmp_path: Path) -> None:
    table = "p.json#clinic/people.csv"
    questions = {
        "rows": lambda: finder.rows(table),
        "join": lambda: finder.join({"age": [1]}, (table, "age")),
        "join of it": lambda: finder.join(table, ("p.json#flat.csv", "size")),
        "overlap with it": lambda: finder.overlap(table, on="age"),
        "overlap in it": lambda: finder.overlap([1], table=table),
        "containment in it": lambda: finder.containment([1], table=table),
        "composite with it": lambda: finder.composite(table, on=["age", "name"]),
        "composite in it": lambda: finder.composite({"a": [1]}, table=table),
        "keys of it": lambda: finder.propose_keys(table),
        "batch": lambda: finder.batch("overlap", [{"values": [1], "table": table}], Inline()),
        "file": lambda: finder.overlap(f"{tmp_path}/public/{table}", on="age"),
        "file as a frame": lambda: finder.join(f"{tmp_path}/public/{table}", (table, "age")),
    }
    for name, ask in questions.items():
        with pytest.raises(ProfileOnly, match="holds no rows: only a profile was published") as caught:
            ask()
        assert "https://owner.example" in caught.value.remedy, name
        assert isinstance(caught.value, MereError) and caught.value.exit_code == 1


def test_python_shows_what_is_a_profile_only(finder: Any) -> None:
    info = next(table for table in finder.tables if "people" in table.name)
    assert (info.rows, info.profile_only, info.to_dict()["profile_only"]) == (200, True, True)
    assert (
        "(profile only)" in repr(finder.tables)
        and finder.tables.to_arrow().column("profile_only").to_pylist() == [True] * 4
    )
    profile = finder.profile(info.name)
    assert profile.profile_only and profile.to_dict()["profile_only"] is True and profile.rows == 200
    assert "profile only" in repr(profile) and "profile only" in profile._repr_html_()
    age = next(column for column in profile.columns if column.name == "age")
    assert (age.distinct, age.minimum, age.maximum, age.examples, age.top) == (60, "0", "59", [], [])
    assert age.histogram is not None and sum(age.histogram["counts"]) == 200 and "<svg" in profile._repr_html_()
    hits = finder.distribution("at least 1% of age < 40")
    assert (
        "profile only" in hits._repr_html_() and '"profile_only": true' in hits.to_arrow().column("evidence")[0].as_py()
    )


def test_what_the_owner_does_not_publish_is_a_question_mark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = {"recordSet": [{"name": "t", "field": [{"name": "a", "histogram": {"bins": [0, 1], "densities": [1]}}]}]}
    raw = write_files(tmp_path / "raw", {"p.json": json.dumps(document)})
    with lake_of(tmp_path, "lake", raw) as lake:
        assert lake.tables[0].rows is None and "? x 1" in repr(lake.tables)
        profile = lake.profile("p.json#t")
        assert (
            profile.rows is None
            and profile.columns[0].distinct is None
            and "unknown number of rows" in profile.issues[0]
        )
        assert "? rows" in profile._repr_html_()
        with pytest.raises(ProfileOnly, match="does not name the owner"):
            lake.rows("p.json#t")
    assert run(["show", "p.json#t", "--lake", lake.path]) == 0 and "? rows, 1 column;" in capsys.readouterr().out


def test_the_command_line_publishes_and_marks_profiles(owner: Any, finder: Any, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "mine.json"
    export = ["profile", "export", "--lake", owner.path]
    assert run([*export, "people.csv", "-o", str(out), "--set", "creator=City", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary == {"output": str(out), "tables": 1, "columns": 4, "histograms": 2, "bytes": out.stat().st_size}
    assert json.loads(out.read_text())["creator"] == "City"
    assert run([*export, "-o", str(out), "--least", "10", "--force"]) == 0 and "no rows" in capsys.readouterr().out
    for printed in ([], ["-o", "-"], ["--json"]):
        assert run([*export, *printed]) == 0
        assert len(json.loads(capsys.readouterr().out)["recordSet"]) == 4
    assert run([*export, "--set", "creator"]) == 2 and "NAME=TEXT" in capsys.readouterr().err
    assert run(["profile", "export", "--help"]) == 0
    helped = " ".join(capsys.readouterr().out.split())
    assert "Example: mere profile export" in helped and "What it discloses" in helped
    asks = ["--lake", finder.path]
    table = "p.json#clinic/people.csv"
    assert run(["tables", *asks]) == 0 and capsys.readouterr().out.count("profile only") == 4
    assert run(["show", table, *asks]) == 0
    shown = capsys.readouterr().out
    assert "200 rows, 4 columns" in shown and "profile only" in shown and "person" not in shown
    assert (
        run(["where", "at least 1% of age < 40", *asks]) == 0 and "guaranteed, profile only" in capsys.readouterr().out
    )
    assert run(["search", "cancer", *asks]) == 0 and "profile only" in capsys.readouterr().out
    mine = write_files(tmp_path, {"my.csv": "age\n1\n"}) / "my.csv"
    for command in (
        ["show", table, "--rows", "3"],
        ["join", str(mine), "--on", "age", "--with", table],
        ["join", table, "--on", "age"],
    ):
        assert run([*command, *asks]) == 1
        assert "holds no rows" in capsys.readouterr().err


# updates


def test_profiles_are_updated_and_forgotten_like_files(tmp_path: Path, owner: Any) -> None:
    finder_of(tmp_path, owner).close()
    place = tmp_path / "public" / "p.json"
    owner.export_profiles(["flat.csv"], place)
    touch(place)
    report = index([], tmp_path / "finder", engine=Inline())
    assert (report.changed, report.added, report.removed) == (1, 0, 0)
    with mere.open(tmp_path / "finder") as finder:
        assert [table.name for table in finder.tables] == ["p.json#flat.csv"]
    write_files(tmp_path / "public", {"more.csv": "name,size\na,1\nb,2\n"})
    index([], tmp_path / "finder", engine=Inline(), compact=True)
    with mere.open(tmp_path / "finder") as finder:
        assert finder.info()["segments"] == 1
        hits = finder.distribution("at least 1% of size > 0", 0)
        assert [(hit.table, hit.evidence.get("profile_only")) for hit in hits] == [
            ("more.csv", None),
            ("p.json#flat.csv", True),
        ]
    place.unlink()
    assert index([], tmp_path / "finder", engine=Inline()).removed == 1
    with mere.open(tmp_path / "finder") as finder:
        assert [table.name for table in finder.tables] == ["more.csv"]
    owner.export_profiles(path=tmp_path / "lone.jsonld")
    index([tmp_path / "lone.jsonld"], tmp_path / "finder", engine=Inline())
    with mere.open(tmp_path / "finder") as finder:
        assert len(finder.tables) == 5
    index([], tmp_path / "finder", engine=Inline(), forget=[tmp_path / "lone.jsonld"])
    with mere.open(tmp_path / "finder") as finder:
        assert [table.name for table in finder.tables] == ["more.csv"]


@pytest.mark.parametrize("name", ["profiles.json", "croissant.json", "x.jsonld", "flat.croissant.json"])
def test_a_profile_beside_its_data_is_a_description_and_not_a_second_table(
    name: str, owner: Any, tmp_path: Path
) -> None:
    raw, lake = tmp_path / "raw", tmp_path / "again"
    owner.export_profiles(path=raw / name)
    report = index([raw], lake, engine=Inline())
    assert report.quarantined == [] and report.metadata == 2
    with mere.open(lake) as opened:
        assert [table.name for table in opened.tables] == [table.name for table in owner.tables]
    assert index([], lake, engine=Inline()).snapshot == 1
    os.rename(raw / "flat.csv", tmp_path / "away.csv")
    assert index([], lake, engine=Inline()).changed == 1
    with mere.open(lake) as opened:
        assert f"{name}#flat.csv" in opened.tables and "flat.csv" not in opened.tables and len(opened.tables) == 4
    os.rename(tmp_path / "away.csv", raw / "flat.csv")
    index([], lake, engine=Inline())
    with mere.open(lake) as opened:
        assert [table.name for table in opened.tables] == [table.name for table in owner.tables]


def test_a_malformed_profile_is_in_quarantine_with_its_reason(tmp_path: Path) -> None:
    bad = {"name": "bad", "field": [{"name": "a", "histogram": {"bins": [2, 1], "counts": [1]}}]}
    good = {"name": "good", "field": [{"name": "a", "histogram": {"bins": [1, 2], "counts": [1]}}]}
    files = {
        "p.json": json.dumps({"recordSet": [bad, good]}),
        "croissant.json": json.dumps({"recordSet": [bad]}),
        "plain/croissant.json": json.dumps({"name": "x", "recordSet": []}),
        "plain/data.csv": "name,size\na,1\n",
    }
    report = index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    assert [(row["path"], row["kept"]) for row in report.quarantined] == [
        ("croissant.json", "nothing"),
        ("p.json", "0 rows in 1 table"),
    ]
    for row in report.quarantined:
        assert "bad: field 'a': edges are not ascending: 1.0 after 2.0" in row["reason"]
    with mere.open(tmp_path / "lake") as lake:
        assert [table.name for table in lake.tables] == ["p.json#good", "plain/data.csv"]


def test_a_bad_name_or_too_large_a_sum_does_not_affect_other_record_sets(tmp_path: Path) -> None:
    field = {"name": "a", "dataType": "sc:Float", "histogram": {"bins": [0, 1], "counts": [1]}}
    vast = {
        "name": "a",
        "dataType": "sc:Boolean",
        "counts": {str(n): (1 << 53) - 1 for n in range(2048)},
        "statistics": {},
    }
    records = [{"name": name, "field": [field]} for name in ("good", "a\0", "\ud800", "*/" * 3000, "a", "a", "a#2")]
    records.append({"name": "vast", "field": [vast]})
    raw = write_files(tmp_path / "raw", {"p.json": json.dumps({"recordSet": records})})
    report = index([raw], tmp_path / "lake", engine=Inline())
    assert [row["kept"] for row in report.quarantined] == ["0 rows in 4 tables"]
    with mere.open(tmp_path / "lake") as lake:
        assert [table.name for table in lake.tables] == ["p.json#a", "p.json#a#2", "p.json#a#3", "p.json#good"]


def test_densities_without_a_count_are_exact_at_the_edges(tmp_path: Path) -> None:
    histogram = {"bins": [0, 1, 2, 3, 4, 5, 6], "densities": [1 / 6] * 6}
    document = {"recordSet": [{"name": "t", "field": [{"name": "x", "dataType": "sc:Float", "histogram": histogram}]}]}
    with lake_of(tmp_path, "lake", write_files(tmp_path / "raw", {"p.json": json.dumps(document)})) as lake:
        [hit] = lake.distribution("at least 50% of x >= 3")
        assert hit.evidence["label"] == "guaranteed"
        assert len(lake.distribution("at least 50.0001% of x < 3")) == 0


@pytest.mark.spark
def test_spark_reads_profiles_as_one_process_does(tmp_path: Path, owner: Any, spark: Any) -> None:
    finder_of(tmp_path, owner).close()
    index([tmp_path / "public"], tmp_path / "other", spark=spark)
    with mere.open(tmp_path / "finder") as inline, mere.open(tmp_path / "other") as on_spark:
        entries = [read_snapshot(lake.path, lake.snapshot).segments for lake in (inline, on_spark)]
        assert [entry.files for entry in entries[0]] == [entry.files for entry in entries[1]]
