"""Profiles of tables that lie elsewhere: what is understood, what is repaired, and what is refused."""

from __future__ import annotations

import json
import math
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere.errors import Unreadable
from mere.readers import Limits, lies_beside, may_be_profile, open_profiles, open_tables, profile_columns, profiles
from mere.readers.profile_columns import column_told, whole_rows
from mere.readers.profiles import is_profile
from mere.readers.table import Findings
from mere.segments.published import MOST_BINS
from mere.values import Type, parse_dates

ROUNDED = "1 histograms have shares that were rounded by their publisher; answers are as exact as these"


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
    assert issues(tmp_path, one) == [ROUNDED]
    exact = histogram([0, 1, 2, 3], densities=[1 / 3, 1 / 6, 0.5]) | {"statistics": {"count": 6 * 10**6}}
    assert column(tmp_path, exact)["counts"] == [2 * 10**6, 10**6, 3 * 10**6] and issues(tmp_path, exact) == []


def test_shares_without_a_count_are_fractions_if_they_can_be(tmp_path: Path) -> None:
    one = histogram([0, 1, 2], densities=[0.3, 0.7])
    assert column(tmp_path, one)["counts"] == [3, 7] and "count" not in column(tmp_path, one)
    sixths = histogram(list(range(7)), densities=[1 / 6] * 6)
    assert column(tmp_path, sixths)["counts"] == [1] * 6
    assert issues(tmp_path, sixths) == ["1 histograms are told in shares, and nobody says of how many rows"]
    [table] = tables(tmp_path, croissant(one))
    assert "rows" not in table.published


def test_shares_that_were_rounded_are_told_per_million_and_that_is_said(tmp_path: Path) -> None:
    rounded = histogram(list(range(7)), densities=[0.1666667] * 6)
    assert sum(column(tmp_path, rounded)["counts"]) == 1_000_000
    assert issues(tmp_path, rounded)[1:] == [ROUNDED]
    fine = [1 / prime for prime in (999_983, 999_979, 999_961)]  # fractions of more than a thousand million
    odd = histogram([0, 1, 2, 3, 4], densities=[*fine, 1 - sum(fine)])
    assert sum(column(tmp_path, odd)["counts"]) == 1_000_000 and issues(tmp_path, odd)[1:] == [ROUNDED]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3000), min_size=1, max_size=40).filter(any))
def test_shares_as_floats_are_the_fractions_they_came_from(counts: list[int]) -> None:
    total = sum(counts)
    shares = [count / total for count in counts]
    told = {"dataType": "sc:Float", "histogram": {"bins": list(range(len(counts) + 1)), "densities": shares}}
    untold = column_told(told, Findings())["counts"]
    assert [Fraction(count, sum(untold)) for count in untold] == [Fraction(count, total) for count in counts]
    assert column_told({**told, "statistics": {"count": total}}, Findings())["counts"] == counts


def test_densities_that_fit_as_shares_and_as_areas_are_noted(tmp_path: Path) -> None:
    both = histogram([0, 0.5, 2], densities=[0.5, 0.5])
    assert column(tmp_path, both)["counts"] == [1, 1]
    assert "taken for shares" in "".join(issues(tmp_path, both))
    assert "taken for shares" not in "".join(issues(tmp_path, histogram([0, 1, 2], densities=[0.5, 0.5])))


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
        (field(statistics={"min": 5, "max": 1}), "the least value 5.0 is above the largest 1.0"),
        (histogram([0, 9], counts=[1]) | {"statistics": {"min": 5, "max": 1}}, "the least value 5.0 is above"),
        (histogram([0, 1, 9], counts=[1, 1]) | {"statistics": {"min": 5}}, "rows in bins beyond the least value 5.0"),
        (histogram([0, 5, 9], counts=[1, 1]) | {"statistics": {"max": 4}}, "or the largest 4.0"),
        (histogram([0, 9], counts=[1]) | {"statistics": {"max": 40}}, "all rows are in bins from 0.0 to 9.0"),
        (field(statistics={"min": 5, "max": 9, "mean": 3}), "the mean 3.0 is not between"),
        (field(statistics={"count": 4, "distinct": 5}), "5 distinct values in 4 cells"),
        (field(counts={"true": 1 << 52, "false": 1 << 52}, statistics={}), "count is 9007199254740992, more than"),
        (field(counts={str(n): (1 << 53) - 1 for n in range(4096)}, statistics={}), "count is"),
        (histogram([0, 1, 2], counts=[1 << 52, 1 << 52]), "9007199254740992 rows, more than"),
        (field(statistics={"count": 10**400}), "count is 1000"),
        (histogram([0, "x" * 5000], counts=[1]), "an edge is not a finite number: 'xxx"),
    ],
)
def test_what_contradicts_itself_is_refused_with_the_reason(one: dict[str, Any], said: str, tmp_path: Path) -> None:
    told = reason(tmp_path, one)
    assert said in told and "people: field 'age'" in told and len(told.split("people: ")[1]) <= 200


@pytest.mark.parametrize(
    "more",
    [
        {"histogram": {"bins": [-1e300, 1e300], "counts": [1]}},
        {"statistics": {"count": 1, "min": -1e300, "max": 1e300}},
        {"statistics": {"count": 1, "max": 253402300801}},
        {"statistics": {"count": 1, "mean": -62135596801}},
    ],
)
def test_moments_have_a_year(more: dict[str, Any], tmp_path: Path) -> None:
    assert "a moment is outside of the years 1 to 9999" in reason(tmp_path, field(kind="sc:Date", **more))
    assert column(tmp_path, field(kind="sc:Float", **more))["type"] == Type.DECIMAL


def test_rounded_statistics_are_no_contradiction(tmp_path: Path) -> None:
    one = histogram([0, 50, 99.6], counts=[1, 2]) | {"statistics": {"count": 3, "min": 0.2, "max": 100, "mean": 100.5}}
    assert column(tmp_path, one)["high"] == 100.0
    days = {"bins": ["2020-01-01T10:00", "2020-01-31T15:00"], "counts": [2]}
    dated = field(kind="sc:Date", histogram=days, statistics={"min": "2020-01-01", "max": "2020-01-31"})
    assert column(tmp_path, dated)["counts"] == [2]
    sample = histogram([5, 9], counts=[1]) | {"statistics": {"count": 3, "min": 0, "max": 100}}
    assert column(tmp_path, sample)["counts"] == [1]


def test_no_column_has_more_cells_than_the_table_has_rows(tmp_path: Path) -> None:
    document = croissant(field(statistics={"count": 7, "nulls": 4}))
    document["recordSet"][0]["rows"] = 11
    assert tables(tmp_path, document)[0].published["rows"] == 11
    document["recordSet"][0]["rows"] = 10
    with pytest.raises(Unreadable, match="field 'age': 11 cells in a table of 10 rows"):
        tables(tmp_path, document)


def test_dates_of_one_column_are_spelled_alike(tmp_path: Path) -> None:
    told = {"bins": ["5/1/2020", "6/1/2020", "25/1/2020"], "counts": [1, 1]}  # the last one tells day from month
    edges = column(tmp_path, field(kind="sc:Date", histogram=told, statistics={"max": "20/1/2020"}))["edges"]
    assert [edge / 86400 - edges[0] / 86400 for edge in edges] == [0, 1, 20]


def test_many_edges_of_other_spellings_are_parsed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(profile_columns, "parse_dates", lambda *known: calls.append(0) or parse_dates(*known))
    told = {"bins": [f"{n + 1} Jan 2020" for n in range(20)], "counts": [1] * 19}
    assert len(column_told(field(kind="sc:Date", histogram=told), Findings())["edges"]) == 20 and len(calls) == 1


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
        ("includes:data/*.csv", True),
        ("includes:./data/?.csv", True),
        ("includes:*/*.csv", True),
        ("data/*.csv", False),
        ("includes:**/*.csv", False),
        ("includes:data/**/x.csv", False),
        ("includes:deep/*/*/x.csv", True),
        ("includes:deep/*/*/*/x.csv", False),
        ("includes:*.json", False),
        ("includes:../*.csv", False),
        ("includes:data/*\0", False),
        ("includes:" + "*/" * 3000, False),
        ("includes:data/\ud800*", False),
        ("data/\ud800", False),
        ("https://a.example/p.json", False),
        ("https://a.example/" + "x/" * 2000 + "data/x.csv", True),
        ("https://a.example/b/" + "/".join("123456789") + "/data/x.csv", True),
        ("x" * 5000, False),
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
    home = tmp_path / "home [1]"
    deep = home / "deep" / "a" / "b" / "c"
    for place in (home / "data", deep):
        place.mkdir(parents=True)
    for place in (home / "data" / "x.csv", home / "p.json", tmp_path / "up.csv", deep / "x.csv", deep.parent / "x.csv"):
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


def test_of_a_url_without_end_only_the_last_parts_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(os.path, "isfile", looked.append)
    assert not lies_beside(str(tmp_path / "p.json"), "https://a.example" + "/x" * 1000)
    assert len(looked) == 8


def test_only_what_a_set_of_files_includes_is_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    one = field("a", statistics={"count": 1})
    files = [{"@id": "f", "contentUrl": "*.csv"}, {"@id": "g", "contentUrl": "includes:*.csv"}]
    document = croissant(one, distribution=files)
    document["recordSet"][0]["name"] = "?.csv"
    [table] = tables(tmp_path, document)
    assert table.describes == {"*.csv": False, "./includes:*.csv": False, "?.csv": False}
    files[:] = [{"@id": "g", "includes": ["*.tsv", "*.csv", "\ud800", "\0", "x" * 5000]}]
    [table] = tables(tmp_path, document)
    assert table.describes == {"includes:*.tsv": False, "includes:*.csv": True, "?.csv": False}


def test_a_document_of_many_files_looks_for_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(profiles, "lies_beside", lambda _, target: looked.append(target))
    one = field("a", statistics={"count": 1})
    records = [{"name": f"t{n}", "field": [one]} for n in range(20)]
    document = {"recordSet": records, "distribution": [{"@id": f"f{n}", "contentUrl": f"{n}.csv"} for n in range(64)]}
    assert [len(table.describes) for table in tables(tmp_path, document)] == [65] * 20
    assert len(looked) == len(set(looked)) == 84
    document["distribution"].append({"@id": "more", "contentUrl": "more.csv"})
    assert [list(table.describes) for table in tables(tmp_path, document)] == [[f"t{n}"] for n in range(20)]


def test_names_of_record_sets_are_unique(tmp_path: Path) -> None:
    one = field("a", statistics={"count": 1})
    told = ["a", "a", "a#2", "a", "b", "a#2", ""]
    document = {"recordSet": [{"name": name, "field": [one]} for name in told]}
    names = ["a", "a#3", "a#2", "a#4", "b", "a#2#2", "record_set_7"]
    assert [table.member for table in tables(tmp_path, document)] == names


@pytest.mark.parametrize("bad", ["a\0b", "a\ud800", "*/" * 3000, "x" * 1001])
@pytest.mark.parametrize("of_column", [False, True])
def test_a_name_that_is_none_fails_alone(bad: str, of_column: bool, tmp_path: Path) -> None:
    drawn = {"statistics": {"count": 1}}
    wrong = {"name": "t", "field": [field(bad, **drawn)]} if of_column else {"name": bad, "field": [field(**drawn)]}
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"recordSet": [wrong, {"name": "good", "field": [field(**drawn)]}]}))
    failures: list[tuple[str, str]] = []
    members = [table.member for table in open_tables(str(path), failures=failures)]
    if of_column and len(bad) > 1000:  # a column's name is cut, as everywhere
        assert (members, failures) == (["t", "good"], [])
        return
    assert members == ["good"]
    [(member, told)] = failures
    assert "a name holds what is no character" in told or "characters, more than 1,000" in told
    assert len(member) <= 203 and len(told) <= 200 and (member + told).isprintable()


def test_prose_may_have_prefixes_and_halves_of_characters(tmp_path: Path) -> None:
    record = {"name": "t", "sc:description": "of \ud800 patients", "sc:keywords": ["cancer"], "sc:license": "CC0",
              "field": [{"name": "a", "sc:description": "the \udc00 age", "statistics": {"count": 1}}]}  # fmt: skip
    [table] = tables(tmp_path, {"sc:name": "Clinic", "sc:keywords": "health", "recordSet": [record]})
    assert table.about.description == "of ? patients" and table.about.title == "Clinic"
    assert table.about.keywords == ["cancer", "health"] and table.about.licence == "CC0"
    assert table.about.columns == {"a": "the ? age"}
