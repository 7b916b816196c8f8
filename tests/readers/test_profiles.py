"""Profiles of tables that lie elsewhere: what is understood, what is repaired, and what is refused."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere.errors import Unreadable
from mere.readers import Limits, lies_beside, may_be_profile, open_profiles, open_tables
from mere.readers.profile_columns import whole_rows
from mere.readers.profiles import is_profile
from mere.segments.published import MOST_BINS
from mere.values import Type


def croissant(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "@type": "sc:Dataset",
        "recordSet": [{"@type": "cr:RecordSet", "name": "people", "field": list(fields)}],
        **more,
    }


def field(name: str = "age", kind: str = "sc:Float", **more: Any) -> dict[str, Any]:
    return {"@type": "cr:Field", "name": name, "dataType": kind, **more}


def histogram(bins: list[Any], **more: Any) -> dict[str, Any]:
    return field(histogram={"bins": bins, **more})


def tables(tmp_path: Path, document: Any, name: str = "p.json") -> list[Any]:
    path = tmp_path / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return list(open_tables(str(path)))


def column(tmp_path: Path, one: dict[str, Any]) -> dict[str, Any]:
    [table] = tables(tmp_path, croissant(one))
    return table.published["columns"][0]


def issues(tmp_path: Path, one: dict[str, Any]) -> list[str]:
    [table] = tables(tmp_path, croissant(one))
    assert list(table.batches()) == [] and not table.lost
    return table.issues


def reason(tmp_path: Path, one: dict[str, Any]) -> str:
    with pytest.raises(Unreadable) as caught:
        tables(tmp_path, croissant(one))
    return caught.value.message


def test_a_table_per_record_set_with_everything_that_was_told(tmp_path: Path) -> None:
    document = {
        "name": "Clinic", "description": "A study", "keywords": ["cancer"], "license": "CC0", "url": "https://x.example",
        "recordSet": [
            {"name": "patients", "description": "All of them", "rows": 12, "field": [
                field("age", "sc:Integer", description="in years", histogram={"bins": [0, 50, 100], "counts": [4, 6]},
                      statistics={"count": 10, "nulls": 2, "distinct": 9, "min": 1, "max": 99, "mean": 50.5}),
                field("name", "sc:Text", statistics={"count": 12, "min": "Anna", "max": "Zoe"}, mostCommon={"Anna": 3}),
            ]},
            {"@id": "visits%2F2020", "field": field("day", "sc:Date", statistics={"count": 3})},
        ],
    }  # fmt: skip
    patients, visits = tables(tmp_path, document)
    assert (patients.member, patients.columns, patients.format) == ("patients", ["age", "name"], "profile")
    assert patients.published == {
        "rows": 12,
        "source": "https://x.example",
        "columns": [
            {"type": Type.INTEGER, "count": 10, "nulls": 2, "distinct": 9, "low": 1.0, "high": 99.0, "mean": 50.5,
             "edges": [0.0, 50.0, 100.0], "counts": [4, 6]},
            {"type": Type.TEXT, "count": 12},
        ],
    }  # fmt: skip
    assert patients.about.title == "Clinic" and patients.about.description == "All of them"
    assert patients.about.columns == {"age": "in years"} and patients.about.keywords == ["cancer"]
    assert "Anna" not in json.dumps(patients.published) + repr(patients.about)
    assert visits.member == "visits/2020" and visits.published["rows"] == 3
    assert list(patients.batches()) == []


def test_terms_may_have_prefixes(tmp_path: Path) -> None:
    one = {"cr:recordSet": {"sc:name": "t", "cr:field": {"sc:name": "a", "cr:dataType": "sc:Float", "mere:histogram": {
        "bins": [0, 1], "counts": [1]}}}}  # fmt: skip
    [table] = tables(tmp_path, one)
    assert table.published["columns"][0]["counts"] == [1]


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("sc:Integer", Type.INTEGER),
        ("cr:Int64", Type.INTEGER),
        ("cr:UInt8", Type.INTEGER),
        ("sc:Float", Type.DECIMAL),
        ("cr:Float32", Type.DECIMAL),
        ("https://schema.org/Number", Type.DECIMAL),
        (["sc:Text", "sc:DateTime"], Type.DATETIME),
        ("sc:Date", Type.DATETIME),
        ("sc:Boolean", Type.BOOLEAN),
        ("sc:URL", Type.TEXT),
        (None, Type.TEXT),
        (7, Type.TEXT),
    ],
)
def test_types_are_those_of_croissant(told: Any, kind: Type, tmp_path: Path) -> None:
    assert column(tmp_path, field(kind=told, statistics={"count": 2}))["type"] == kind


def test_a_histogram_says_that_a_column_has_an_axis_and_no_cells_that_it_is_empty(tmp_path: Path) -> None:
    assert column(tmp_path, field(kind="sc:Text", histogram={"bins": [0, 1], "counts": [2]}))["type"] == Type.DECIMAL
    assert column(tmp_path, field(kind="sc:Text", statistics={"count": 0}))["type"] == Type.EMPTY
    none = column(tmp_path, field(histogram={"bins": [0, 1, 2], "counts": [0, 0]}, statistics={"count": 0}))
    assert "edges" not in none


def test_names_of_columns_come_without_the_record_set(tmp_path: Path) -> None:
    drawn = {"statistics": {"count": 1}}
    fields = [
        field("people/age", **drawn),
        field("km/h", **drawn),
        field("x", source={"extract": {"column": "Age "}}, **drawn),
        {"@id": "people/a%20b", **drawn},
        field("", **drawn),
        field("km/h", **drawn),
    ]
    [table] = tables(tmp_path, croissant(*fields))
    assert table.columns == ["age", "km/h", "Age", "a b", "column_5", "km/h_2"]


def test_shares_become_whole_rows_by_the_published_count(tmp_path: Path) -> None:
    one = histogram([0, 1, 2, 3], densities=[0.5, 0.25, 0.25]) | {"statistics": {"count": 3}}
    assert column(tmp_path, one)["counts"] == [1, 1, 1]
    assert issues(tmp_path, one) == ["1 histograms are told in shares: rows were rounded to whole ones"]


def test_shares_without_a_count_are_told_per_million(tmp_path: Path) -> None:
    one = histogram([0, 1, 2], densities=[0.3, 0.7])
    assert column(tmp_path, one)["counts"] == [300_000, 700_000] and "count" not in column(tmp_path, one)
    assert "per million" in issues(tmp_path, one)[0]
    [table] = tables(tmp_path, croissant(one))
    assert "rows" not in table.published


def test_densities_whose_area_is_one_are_taken_as_such(tmp_path: Path) -> None:
    one = histogram([0, 10, 20, 60], densities=[0.05, 0.03, 0.005]) | {"statistics": {"count": 10}}
    assert column(tmp_path, one)["counts"] == [5, 3, 2]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30).filter(any), st.integers(0, 10**6))
def test_rows_dealt_out_by_shares_are_all_dealt_out_and_nearly_fair(shares: list[float], rows: int) -> None:
    dealt = whole_rows(shares, rows)
    total = sum(map(Fraction, shares))
    assert sum(dealt) == rows
    assert all(abs(count - Fraction(share) * rows / total) < 1 for count, share in zip(dealt, shares, strict=True))


def test_a_range_and_a_count_are_a_histogram_of_one_bin(tmp_path: Path) -> None:
    one = field(statistics={"count": 7, "min": 2, "max": 5})
    assert (column(tmp_path, one)["edges"], column(tmp_path, one)["counts"]) == ([2.0, 5.0], [7])
    assert "one bin" in issues(tmp_path, one)[0]


def test_dates_may_be_spelled_or_counted_in_seconds(tmp_path: Path) -> None:
    spelled = field(
        kind="sc:Date", histogram={"bins": ["1970-01-02", "1970-01-03T00:00:00Z", 259200], "counts": [1, 2]}
    )
    assert column(tmp_path, spelled)["edges"] == [86400.0, 172800.0, 259200.0]
    other = field(kind="sc:Date", minDate="2 Jan 1970", maxDate="1970-01-04", uniqueDates=3, statistics={"count": 3})
    told = column(tmp_path, other)
    assert (told["low"], told["high"], told["distinct"], told["counts"]) == (86400.0, 259200.0, 3, [3])


def test_what_others_publish_of_truths_and_of_nothing(tmp_path: Path) -> None:
    truths = column(tmp_path, field(kind="sc:Boolean", counts={"true": 3, "false": 4}, statistics={}))
    assert truths == {"type": Type.BOOLEAN, "count": 7}
    nothing = column(
        tmp_path, field(statistics={"count": 3, "mean": "NaN", "min": None, "max": float("nan")}, nUnique=2)
    )
    assert nothing == {"type": Type.DECIMAL, "count": 3, "distinct": 2}


def test_too_many_bins_are_united_with_their_neighbours(tmp_path: Path) -> None:
    bins = 3 * MOST_BINS + 5
    told = column(tmp_path, histogram(list(range(bins + 1)), counts=[1] * bins))
    assert len(told["counts"]) <= MOST_BINS and sum(told["counts"]) == bins
    assert (told["edges"][0], told["edges"][-1]) == (0.0, bins)
    assert told["counts"] == [right - left for left, right in zip(told["edges"], told["edges"][1:], strict=False)]
    assert "united" in issues(tmp_path, histogram(list(range(bins + 1)), counts=[1] * bins))[0]
    exactly = list(range(MOST_BINS + 1))
    assert column(tmp_path, histogram(exactly, counts=[1] * MOST_BINS))["edges"] == exactly


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (histogram([0, 2, 1], counts=[1, 1]), "edges are not ascending: 1.0 after 2.0"),
        (histogram([0, 1, 1, 2], counts=[1, 1, 1]), "1 rows from 1.0 to itself"),
        (histogram([0, 1, 2], counts=[1, -1]), "count is negative: -1"),
        (histogram([0, 1, 2], counts=[1, 1.5]), "count is no whole number: 1.5"),
        (histogram([0, 1, 2], counts=[1, None]), "a count is missing"),
        (histogram([0, 1, 2], counts=[1, True]), "a count is missing"),
        (histogram([0, 1, 2], counts=[1, float("nan")]), "a count is missing"),
        (histogram([0, 1], counts=[1 << 60]), "more than"),
        (histogram([0, 1], counts=[1, 1]), "2 edges for 2 bins"),
        (histogram([], counts=[]), "0 edges for 0 bins"),
        (histogram([0, float("nan")], counts=[1]), "an edge is not a finite number: nan"),
        (histogram([0, float("inf")], counts=[1]), "an edge is not a finite number: inf"),
        (histogram([0, "1"], counts=[1]), "an edge is not a finite number: '1'"),
        (histogram([0, 10**400], counts=[1]), "an edge is not a finite number"),
        (histogram([0, 1], counts=3), "a histogram takes a list of bins"),
        (histogram([0, 1]), "a histogram takes a list of bins"),
        (histogram([0, 1, 2], densities=[0.5, 0.2]), "densities sum to 0.7"),
        (histogram([0, 1, 2], densities=[1.5, -0.5]), "a density is negative: -0.5"),
        (histogram([0, 1, 2], densities=["NaN", 1]), "a density is not a finite number"),
        (histogram([0, 1], counts=[5]) | {"statistics": {"count": 4}}, "the histogram holds 5 rows, and the column 4"),
        (field(statistics={"count": -4}), "count is negative: -4"),
        (field(statistics={"count": 4, "nulls": 0.5}), "nulls is no whole number: 0.5"),
        (field(statistics={"count": 4, "min": 5, "max": 1}), "the least value 5.0 is above the largest 1.0"),
    ],
)
def test_what_contradicts_itself_is_refused_with_the_reason(one: dict[str, Any], said: str, tmp_path: Path) -> None:
    told = reason(tmp_path, one)
    assert said in told and "people: field 'age'" in told


KEYS = [
    *(
        "recordSet",
        "field",
        "name",
        "@id",
        "dataType",
        "histogram",
        "statistics",
        "bins",
        "counts",
        "densities",
        "count",
    ),
    *("min", "max", "rows", "source", "extract", "column", "distribution", "contentUrl", "minDate"),
]
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 5), st.floats(), st.sampled_from(["", "a", "sc:Date", "2020-01-31"])
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
bins = st.lists(st.one_of(st.integers(-3, 9), scalars), max_size=5) | st.lists(st.integers(-3, 9), max_size=5).map(
    sorted
)
drawn = st.fixed_dictionaries({"bins": bins}, optional={"counts": bins | anything, "densities": bins})
column_of = st.fixed_dictionaries(
    {"histogram": drawn | anything}, optional={"statistics": anything, "dataType": anything}
)


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(anything, st.lists(column_of | anything, max_size=3).map(lambda some: {"recordSet": {"field": some}})))
def test_whatever_a_document_holds_it_is_refused_or_sound(tmp_path: Path, document: Any) -> None:
    try:
        found = tables(tmp_path, document)
    except Unreadable as refused:
        assert refused.__cause__ is None or not is_profile(document)  # refused on purpose
        return
    for told in (told for table in found for told in table.published.get("columns", [])):
        if "edges" in told:
            edges, counts = told["edges"], told["counts"]
            assert len(edges) == len(counts) + 1 <= MOST_BINS + 1
            assert all(isinstance(count, int) and count >= 0 for count in counts) and sum(counts) > 0
            assert edges == sorted(edges) and all(map(math.isfinite, edges))


def test_one_bad_record_set_spares_the_others(tmp_path: Path) -> None:
    good, bad = histogram([0, 1], counts=[1]), histogram([1, 0], counts=[1])
    document = {"recordSet": [{"name": "good", "field": [good]}, {"name": "bad", "field": [bad]}, {"name": "none"}]}
    path = tmp_path / "p.json"
    path.write_text(json.dumps(document))
    failures: list[tuple[str, str]] = []
    assert [table.member for table in open_tables(str(path), failures=failures)] == ["good"]
    assert [member for member, _ in failures] == ["bad", "none"]
    wide = Limits(columns=1)
    document["recordSet"] = [{"name": "wide", "field": [good, good]}]
    path.write_text(json.dumps(document))
    with pytest.raises(Unreadable, match="raise the limit 'columns'"):
        list(open_tables(str(path), wide))


def test_a_croissant_without_histograms_stays_what_it_is(tmp_path: Path) -> None:
    plain = croissant(field(), field("b"))
    assert not is_profile(plain) and not is_profile([plain]) and not is_profile({"recordSet": 3})
    assert [table.format for table in tables(tmp_path, plain)] == ["json"]
    path = tmp_path / "croissant.json"
    failures: list[tuple[str, str]] = []
    for text in (json.dumps(plain), "{broken", "[]", "", '"recordSet field statistics"'):
        path.write_text(text)
        assert list(open_profiles(str(path), Limits(), failures)) == [] and failures == []
    path.write_text('{"recordSet": [{"field": [{"histogram": ')
    assert list(open_profiles(str(path), Limits(), failures)) == [] and "broken JSON" in failures[0][1]


@pytest.mark.parametrize(
    "name", ["croissant.json", "a/x.croissant.json", "x.jsonld", "metadata.json", "CROISSANT_1.json"]
)
def test_sidecars_that_may_be_profiles_are_known_by_name(name: str) -> None:
    assert may_be_profile(name)


@pytest.mark.parametrize("name", ["datapackage.json", "x-metadata.json", "README.md", "csv-metadata.json"])
def test_other_sidecars_are_not_looked_into(name: str) -> None:
    assert not may_be_profile(name)


@pytest.mark.parametrize(
    ("target", "lies"),
    [
        ("data/x.csv", True),
        ("./data/x.csv", True),
        ("https://a.example/raw/data/x.csv?raw=1", True),
        ("data/*.csv", True),
        ("data/?.csv", True),
        ("data/x.csv\0", False),
        ("https://a.example/x.csv", False),
        ("x.csv", False),
        ("data", False),
        ("../up.csv", False),
        ("p.json", False),
        ("", False),
        ("data/*.tsv", False),
        ("https://data", False),
    ],
)
def test_data_lies_beside_a_profile_or_below(target: str, lies: bool, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True)
    for place in (home / "data" / "x.csv", home / "p.json", tmp_path / "up.csv"):
        place.write_text("a\n1\n")
    assert lies_beside(str(home / "p.json"), target) is lies


def test_what_a_record_set_is_drawn_from(tmp_path: Path) -> None:
    drawn = {"statistics": {"count": 1}, "source": {"fileObject": {"@id": "f"}, "extract": {"column": "a"}}}
    files = [
        {"@id": "f", "contentUrl": "in.csv", "containedIn": {"@id": "zip"}},
        {"@id": "zip", "contentUrl": "https://x.example/all.zip"},
        {"@id": "other", "contentUrl": "p.json"},
    ]
    [table] = tables(tmp_path, croissant(field("a", **drawn), distribution=files))
    assert table.describes == {"in.csv": False, "https://x.example/all.zip": False, "people": False}
    (tmp_path / "all.zip").write_bytes(b"")
    [table] = tables(tmp_path, croissant(field("a", **drawn), distribution=files))
    assert table.describes["https://x.example/all.zip"]
