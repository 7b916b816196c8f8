"""Profiles of tables stored elsewhere: what is read, what is repaired, and what is refused."""

from __future__ import annotations

import json
import math
import os
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere.errors import Unreadable
from mere.readers import Limits, lies_beside, may_be_profile, open_profiles, open_tables, profile_values, profiles
from mere.readers.profile_columns import published_column
from mere.readers.profile_histograms import rows_from_shares
from mere.readers.profiles import is_profile
from mere.readers.table import Findings
from mere.segments.published import MOST_BINS
from mere.values import Type, parse_dates

ROUNDED = "1 histogram has shares that were rounded by the publisher; answers have the same error"


def croissant(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "@type": "sc:Dataset",
        "recordSet": [{"@type": "cr:RecordSet", "name": "people", "field": list(fields)}],
        **more,
    }


def field(name: str = "age", data_type: str = "sc:Float", **more: Any) -> dict[str, Any]:
    return {"@type": "cr:Field", "name": name, "dataType": data_type, **more}


def histogram(bins: list[Any], **more: Any) -> dict[str, Any]:
    return field(histogram={"bins": bins, **more})


def tables(tmp_path: Path, document: Any, name: str = "p.json") -> list[Any]:
    path = tmp_path / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return list(open_tables(str(path)))


def column(tmp_path: Path, published: dict[str, Any]) -> dict[str, Any]:
    [table] = tables(tmp_path, croissant(published))
    return table.published["columns"][0]


def issues(tmp_path: Path, published: dict[str, Any]) -> list[str]:
    [table] = tables(tmp_path, croissant(published))
    assert list(table.batches()) == [] and not table.lost
    return table.issues


def reason(tmp_path: Path, published: dict[str, Any]) -> str:
    with pytest.raises(Unreadable) as caught:
        tables(tmp_path, croissant(published))
    return caught.value.message


def test_each_record_set_is_a_table_with_all_published_properties(tmp_path: Path) -> None:
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


def test_properties_may_have_prefixes(tmp_path: Path) -> None:
    histogram = {"bins": [0, 1], "counts": [1]}
    prefixed = {"sc:name": "a", "cr:dataType": "sc:Float", "mere:histogram": histogram}
    [table] = tables(tmp_path, {"cr:recordSet": {"sc:name": "t", "cr:field": prefixed}})
    assert table.published["columns"][0]["counts"] == [1]


@pytest.mark.parametrize(
    ("data_type", "expected"),
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
def test_data_types_of_croissant_are_recognised(data_type: Any, expected: Type, tmp_path: Path) -> None:
    assert column(tmp_path, field(data_type=data_type, statistics={"count": 2}))["type"] == expected


def test_a_column_with_a_histogram_is_numeric_and_one_without_cells_is_empty(tmp_path: Path) -> None:
    assert (
        column(tmp_path, field(data_type="sc:Text", histogram={"bins": [0, 1], "counts": [2]}))["type"] == Type.DECIMAL
    )
    assert column(tmp_path, field(data_type="sc:Text", statistics={"count": 0}))["type"] == Type.EMPTY
    none = column(tmp_path, field(histogram={"bins": [0, 1, 2], "counts": [0, 0]}, statistics={"count": 0}))
    assert "edges" not in none


def test_names_of_columns_do_not_include_the_record_set(tmp_path: Path) -> None:
    more = {"statistics": {"count": 1}}
    fields = [
        field("people/age", **more),
        field("km/h", **more),
        field("x", source={"extract": {"column": "Age "}}, **more),
        {"@id": "people/a%20b", **more},
        field("", **more),
        field("km/h", **more),
    ]
    [table] = tables(tmp_path, croissant(*fields))
    assert table.columns == ["age", "km/h", "Age", "a b", "column_5", "km/h_2"]


def test_shares_become_numbers_of_rows_by_the_published_count(tmp_path: Path) -> None:
    published = histogram([0, 1, 2, 3], densities=[0.5, 0.25, 0.25]) | {"statistics": {"count": 3}}
    assert column(tmp_path, published)["counts"] == [1, 1, 1]
    assert issues(tmp_path, published) == [ROUNDED]
    exact = histogram([0, 1, 2, 3], densities=[1 / 3, 1 / 6, 0.5]) | {"statistics": {"count": 6 * 10**6}}
    assert column(tmp_path, exact)["counts"] == [2 * 10**6, 10**6, 3 * 10**6] and issues(tmp_path, exact) == []


def test_shares_without_a_count_become_the_smallest_integers(tmp_path: Path) -> None:
    published = histogram([0, 1, 2], densities=[0.3, 0.7])
    assert column(tmp_path, published)["counts"] == [3, 7] and "count" not in column(tmp_path, published)
    sixths = histogram(list(range(7)), densities=[1 / 6] * 6)
    assert column(tmp_path, sixths)["counts"] == [1] * 6
    assert issues(tmp_path, sixths) == ["1 histogram has shares of an unknown number of rows"]
    [table] = tables(tmp_path, croissant(published))
    assert "rows" not in table.published


def test_rounded_shares_become_rows_of_a_million_and_this_is_noted(tmp_path: Path) -> None:
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
    published = {"dataType": "sc:Float", "histogram": {"bins": list(range(len(counts) + 1)), "densities": shares}}
    reduced = published_column(published, Findings())["counts"]
    assert [Fraction(count, sum(reduced)) for count in reduced] == [Fraction(count, total) for count in counts]
    assert published_column({**published, "statistics": {"count": total}}, Findings())["counts"] == counts


def test_densities_that_fit_as_shares_and_as_areas_are_noted(tmp_path: Path) -> None:
    both = histogram([0, 0.5, 2], densities=[0.5, 0.5])
    assert column(tmp_path, both)["counts"] == [1, 1]
    assert "read as shares" in "".join(issues(tmp_path, both))
    assert "read as shares" not in "".join(issues(tmp_path, histogram([0, 1, 2], densities=[0.5, 0.5])))


def test_densities_that_times_widths_sum_to_one_are_read_as_densities(tmp_path: Path) -> None:
    published = histogram([0, 10, 20, 60], densities=[0.05, 0.03, 0.005]) | {"statistics": {"count": 10}}
    assert column(tmp_path, published)["counts"] == [5, 3, 2]


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30).filter(any), st.integers(0, 10**6))
def test_rows_divided_by_shares_are_complete_and_off_by_less_than_one(shares: list[float], rows: int) -> None:
    counts = rows_from_shares(shares, rows)
    total = sum(map(Fraction, shares))
    assert sum(counts) == rows
    assert all(abs(count - Fraction(share) * rows / total) < 1 for count, share in zip(counts, shares, strict=True))


def test_a_range_and_a_count_become_a_histogram_of_one_bin(tmp_path: Path) -> None:
    published = field(statistics={"count": 7, "min": 2, "max": 5})
    assert (column(tmp_path, published)["edges"], column(tmp_path, published)["counts"]) == ([2.0, 5.0], [7])
    assert "one bin" in issues(tmp_path, published)[0]


def test_dates_may_be_text_or_seconds(tmp_path: Path) -> None:
    as_text = field(
        data_type="sc:Date", histogram={"bins": ["1970-01-02", "1970-01-03T00:00:00Z", 259200], "counts": [1, 2]}
    )
    assert column(tmp_path, as_text)["edges"] == [86400.0, 172800.0, 259200.0]
    other = field(
        data_type="sc:Date", minDate="2 Jan 1970", maxDate="1970-01-04", uniqueDates=3, statistics={"count": 3}
    )
    published = column(tmp_path, other)
    assert tuple(published[name] for name in ("low", "high", "distinct", "counts")) == (86400.0, 259200.0, 3, [3])


def test_counts_of_booleans_and_missing_statistics_are_read(tmp_path: Path) -> None:
    booleans = column(tmp_path, field(data_type="sc:Boolean", counts={"true": 3, "false": 4}, statistics={}))
    assert booleans == {"type": Type.BOOLEAN, "count": 7}
    nothing = column(
        tmp_path, field(statistics={"count": 3, "mean": "NaN", "min": None, "max": float("nan")}, nUnique=2)
    )
    assert nothing == {"type": Type.DECIMAL, "count": 3, "distinct": 2}


def test_too_many_bins_are_merged_with_their_neighbours(tmp_path: Path) -> None:
    bins = 3 * MOST_BINS + 5
    published = column(tmp_path, histogram(list(range(bins + 1)), counts=[1] * bins))
    edges, counts = published["edges"], published["counts"]
    assert len(counts) <= MOST_BINS and sum(counts) == bins
    assert (edges[0], edges[-1]) == (0.0, bins)
    assert counts == [right - left for left, right in pairwise(edges)]
    assert "merged" in issues(tmp_path, histogram(list(range(bins + 1)), counts=[1] * bins))[0]
    assert MOST_BINS == 256, "a bin's number fits in a byte"
    exactly = list(range(MOST_BINS + 1))
    assert column(tmp_path, histogram(exactly, counts=[1] * MOST_BINS))["edges"] == exactly


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (histogram([0, 2, 1], counts=[1, 1]), "edges are not ascending: 1.0 after 2.0"),
        (histogram([0, 1, 1, 2], counts=[1, 1, 1]), "1 rows in a bin from 1.0 to itself"),
        (histogram([0, 1, 2], counts=[1, -1]), "count is negative: -1"),
        (histogram([0, 1, 2], counts=[1, 1.5]), "count is not an integer: 1.5"),
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
        (histogram([0, 1], counts=3), "a histogram needs a list of bins"),
        (histogram([0, 1]), "a histogram needs a list of bins"),
        (histogram([0, 1, 2], densities=[0.5, 0.2]), "densities sum to 0.7"),
        (histogram([0, 1, 2], densities=[1.5, -0.5]), "a density is negative: -0.5"),
        (histogram([0, 1, 2], densities=["NaN", 1]), "a density is not a finite number"),
        (histogram([0, 1], counts=[5]) | {"statistics": {"count": 4}}, "5 rows in the histogram, but 4 in the column"),
        (field(statistics={"count": -4}), "count is negative: -4"),
        (field(statistics={"count": 4, "nulls": 0.5}), "nulls is not an integer: 0.5"),
        (field(statistics={"count": 4, "min": 5, "max": 1}), "the minimum 5.0 is above the maximum 1.0"),
        (field(statistics={"min": 5, "max": 1}), "the minimum 5.0 is above the maximum 1.0"),
        (histogram([0, 9], counts=[1]) | {"statistics": {"min": 5, "max": 1}}, "the minimum 5.0 is above"),
        (histogram([0, 1, 9], counts=[1, 1]) | {"statistics": {"min": 5}}, "rows in bins below the minimum 5.0"),
        (histogram([0, 5, 9], counts=[1, 1]) | {"statistics": {"max": 4}}, "or above the maximum 4.0"),
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
def test_an_inconsistent_profile_is_refused_with_the_reason(wrong: dict[str, Any], fault: str, tmp_path: Path) -> None:
    message = reason(tmp_path, wrong)
    assert fault in message and "people: field 'age'" in message and len(message.split("people: ")[1]) <= 200


@pytest.mark.parametrize(
    "more",
    [
        {"histogram": {"bins": [-1e300, 1e300], "counts": [1]}},
        {"statistics": {"count": 1, "min": -1e300, "max": 1e300}},
        {"statistics": {"count": 1, "max": 253402300801}},
        {"statistics": {"count": 1, "mean": -62135596801}},
    ],
)
def test_dates_are_in_the_years_1_to_9999(more: dict[str, Any], tmp_path: Path) -> None:
    assert "a date is outside of the years 1 to 9999" in reason(tmp_path, field(data_type="sc:Date", **more))
    assert column(tmp_path, field(data_type="sc:Float", **more))["type"] == Type.DECIMAL


def test_rounded_statistics_are_consistent(tmp_path: Path) -> None:
    published = histogram([0, 50, 99.6], counts=[1, 2]) | {
        "statistics": {"count": 3, "min": 0.2, "max": 100, "mean": 100.5}
    }
    assert column(tmp_path, published)["high"] == 100.0
    days = {"bins": ["2020-01-01T10:00", "2020-01-31T15:00"], "counts": [2]}
    dated = field(data_type="sc:Date", histogram=days, statistics={"min": "2020-01-01", "max": "2020-01-31"})
    assert column(tmp_path, dated)["counts"] == [2]
    sample = histogram([5, 9], counts=[1]) | {"statistics": {"count": 3, "min": 0, "max": 100}}
    assert column(tmp_path, sample)["counts"] == [1]


def test_a_column_with_more_cells_than_the_table_has_rows_is_refused(tmp_path: Path) -> None:
    document = croissant(field(statistics={"count": 7, "nulls": 4}))
    document["recordSet"][0]["rows"] = 11
    assert tables(tmp_path, document)[0].published["rows"] == 11
    document["recordSet"][0]["rows"] = 10
    with pytest.raises(Unreadable, match="field 'age': 11 cells in a table of 10 rows"):
        tables(tmp_path, document)


def test_dates_of_one_column_have_the_same_format(tmp_path: Path) -> None:
    published = {"bins": ["5/1/2020", "6/1/2020", "25/1/2020"], "counts": [1, 1]}  # the last one shows which is the day
    edges = column(tmp_path, field(data_type="sc:Date", histogram=published, statistics={"max": "20/1/2020"}))["edges"]
    assert [edge / 86400 - edges[0] / 86400 for edge in edges] == [0, 1, 20]


def test_many_edges_in_other_formats_are_parsed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(profile_values, "parse_dates", lambda *arguments: calls.append(0) or parse_dates(*arguments))
    published = {"bins": [f"{n + 1} Jan 2020" for n in range(20)], "counts": [1] * 19}
    dated = published_column(field(data_type="sc:Date", histogram=published), Findings())
    assert len(dated["edges"]) == 20 and len(calls) == 1


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
histogram_of = st.fixed_dictionaries({"bins": bins}, optional={"counts": bins | anything, "densities": bins})
column_of = st.fixed_dictionaries(
    {"histogram": histogram_of | anything}, optional={"statistics": anything, "dataType": anything}
)


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(anything, st.lists(column_of | anything, max_size=3).map(lambda fields: {"recordSet": {"field": fields}}))
)
def test_any_document_is_refused_or_gives_consistent_columns(tmp_path: Path, document: Any) -> None:
    try:
        read = tables(tmp_path, document)
    except Unreadable as refused:
        assert refused.__cause__ is None or not is_profile(document)  # refused on purpose
        return
    for column in (column for table in read for column in table.published.get("columns", [])):
        if "edges" in column:
            edges, counts = column["edges"], column["counts"]
            assert len(edges) == len(counts) + 1 <= MOST_BINS + 1
            assert all(isinstance(count, int) and count >= 0 for count in counts) and sum(counts) > 0
            assert edges == sorted(edges) and all(map(math.isfinite, edges))


def test_an_invalid_record_set_does_not_affect_the_others(tmp_path: Path) -> None:
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


def test_a_croissant_file_without_histograms_is_not_a_profile(tmp_path: Path) -> None:
    plain = croissant(field(), field("b"))
    assert not is_profile(plain) and not is_profile([plain]) and not is_profile({"recordSet": 3})
    assert {table.format for table in tables(tmp_path, plain)} == {"json"}
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
def test_sidecars_that_may_be_profiles_are_recognised_by_name(name: str) -> None:
    assert may_be_profile(name)


@pytest.mark.parametrize("name", ["datapackage.json", "x-metadata.json", "README.md", "csv-metadata.json"])
def test_other_sidecars_are_not_opened(name: str) -> None:
    assert not may_be_profile(name)


@pytest.mark.parametrize(
    ("target", "expected"),
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
def test_described_files_are_searched_in_the_folder_of_the_profile(target: str, expected: bool, tmp_path: Path) -> None:
    home = tmp_path / "home [1]"
    deep = home / "deep" / "a" / "b" / "c"
    for place in (home / "data", deep):
        place.mkdir(parents=True)
    for place in (home / "data" / "x.csv", home / "p.json", tmp_path / "up.csv", deep / "x.csv", deep.parent / "x.csv"):
        place.write_text("a\n1\n")
    assert lies_beside(str(home / "p.json"), target) is expected


def test_a_record_set_describes_the_sources_of_its_fields(tmp_path: Path) -> None:
    more = {"statistics": {"count": 1}, "source": {"fileObject": {"@id": "f"}, "extract": {"column": "a"}}}
    files = [
        {"@id": "f", "contentUrl": "in.csv", "containedIn": {"@id": "zip"}},
        {"@id": "zip", "contentUrl": "https://x.example/all.zip"},
        {"@id": "other", "contentUrl": "p.json"},
    ]
    [table] = tables(tmp_path, croissant(field("a", **more), distribution=files))
    assert table.describes == {"in.csv": False, "https://x.example/all.zip": False, "people": False}
    (tmp_path / "all.zip").write_bytes(b"")
    [table] = tables(tmp_path, croissant(field("a", **more), distribution=files))
    assert table.describes["https://x.example/all.zip"]


def test_of_a_long_url_only_the_last_parts_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(os.path, "isfile", looked.append)
    assert not lies_beside(str(tmp_path / "p.json"), "https://a.example" + "/x" * 1000)
    assert len(looked) == 8


def test_only_the_includes_of_a_file_set_are_patterns(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    published = field("a", statistics={"count": 1})
    files = [{"@id": "f", "contentUrl": "*.csv"}, {"@id": "g", "contentUrl": "includes:*.csv"}]
    document = croissant(published, distribution=files)
    document["recordSet"][0]["name"] = "?.csv"
    [table] = tables(tmp_path, document)
    assert table.describes == {"*.csv": False, "./includes:*.csv": False, "?.csv": False}
    files[:] = [{"@id": "g", "includes": ["*.tsv", "*.csv", "\ud800", "\0", "x" * 5000]}]
    [table] = tables(tmp_path, document)
    assert table.describes == {"includes:*.tsv": False, "includes:*.csv": True, "?.csv": False}


def test_each_of_many_files_is_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(profiles, "lies_beside", lambda _, target: looked.append(target))
    published = field("a", statistics={"count": 1})
    records = [{"name": f"t{n}", "field": [published]} for n in range(20)]
    document = {"recordSet": records, "distribution": [{"@id": f"f{n}", "contentUrl": f"{n}.csv"} for n in range(64)]}
    assert [len(table.describes) for table in tables(tmp_path, document)] == [65] * 20
    assert len(looked) == len(set(looked)) == 84
    document["distribution"].append({"@id": "more", "contentUrl": "more.csv"})
    assert [list(table.describes) for table in tables(tmp_path, document)] == [[f"t{n}"] for n in range(20)]


def test_names_of_record_sets_are_unique(tmp_path: Path) -> None:
    published = field("a", statistics={"count": 1})
    given = ["a", "a", "a#2", "a", "b", "a#2", ""]
    document = {"recordSet": [{"name": name, "field": [published]} for name in given]}
    names = ["a", "a#3", "a#2", "a#4", "b", "a#2#2", "record_set_7"]
    assert [table.member for table in tables(tmp_path, document)] == names


@pytest.mark.parametrize("bad", ["a\0b", "a\ud800", "*/" * 3000, "x" * 1001])
@pytest.mark.parametrize("of_column", [False, True])
def test_an_invalid_name_does_not_affect_other_record_sets(bad: str, of_column: bool, tmp_path: Path) -> None:
    more = {"statistics": {"count": 1}}
    wrong = {"name": "t", "field": [field(bad, **more)]} if of_column else {"name": bad, "field": [field(**more)]}
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"recordSet": [wrong, {"name": "good", "field": [field(**more)]}]}))
    failures: list[tuple[str, str]] = []
    members = [table.member for table in open_tables(str(path), failures=failures)]
    if of_column and len(bad) > 1000:  # a column's name is cut, as everywhere
        assert (members, failures) == (["t", "good"], [])
        return
    assert members == ["good"]
    [(member, fault)] = failures
    assert "a name contains an invalid character" in fault or "characters, more than 1,000" in fault
    assert len(member) <= 203 and len(fault) <= 200 and (member + fault).isprintable()


def test_descriptions_may_have_prefixes_and_single_surrogates(tmp_path: Path) -> None:
    record = {"name": "t", "sc:description": "of \ud800 patients", "sc:keywords": ["cancer"], "sc:license": "CC0",
              "field": [{"name": "a", "sc:description": "the \udc00 age", "statistics": {"count": 1}}]}  # fmt: skip
    [table] = tables(tmp_path, {"sc:name": "Clinic", "sc:keywords": "health", "recordSet": [record]})
    assert table.about.description == "of ? patients" and table.about.title == "Clinic"
    assert table.about.keywords == ["cancer", "health"] and table.about.licence == "CC0"
    assert table.about.columns == {"a": "the ? age"}
