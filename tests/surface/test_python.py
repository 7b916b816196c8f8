"""The public Python interface."""

import pytest

import mere
from mere.errors import LakeError, NoSuchTable, UsageError
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import write_files


@pytest.fixture
def lake(raw, run_index):
    run_index(raw)
    with mere.open(run_index.lake) as opened:
        yield opened


def test_the_documented_surface_is_all_there_is():
    assert sorted(mere.__all__) == [
        "Bundle", "Corrupt", "Hit", "Hits", "Lake", "LakeError", "Limits", "MereError", "Settings", "TransformJoin",
        "UsageError", "ask", "assemble", "at_least", "at_most", "index", "load_programs", "open", "same_column",
        "transform_join", "words",
    ]  # fmt: skip
    for name in mere.__all__:
        assert getattr(mere, name) is not None
    with pytest.raises(AttributeError):
        mere.nothing  # noqa: B018


def test_the_function_assemble_keeps_its_name_when_the_package_is_imported():
    from mere.bundles.schema import Schema

    assert mere.assemble is mere.lake.assemble and Schema.__module__ == "mere.bundles.schema"


def test_answers_convert_to_pandas_polars_and_arrow(lake):
    hits = lake.keywords("country")
    assert list(hits.to_pandas()["table"]) == [hit.table for hit in hits]
    assert hits.to_polars()["score"].to_list() == [hit.score for hit in hits]
    assert hits.to_arrow().num_rows == len(hits) > 0
    assert lake.keywords("xylophone").to_pandas().empty
    assert lake.tables.to_pandas()["name"].tolist() == [table.name for table in lake.tables]
    assert lake.tables.to_polars().height == 4


def test_html_has_everything_escaped(raw, run_index):
    (raw / "<script>alert(1)").mkdir()
    (raw / "<script>alert(1)" / "x.csv").write_text("<b>bold</b>,n\n1,2\n")
    run_index(raw)
    with mere.open(run_index.lake) as lake:
        pages = [
            lake.keywords("bold")._repr_html_(),
            lake.tables._repr_html_(),
            lake.profile("x.csv")._repr_html_(),
        ]
    for page in pages:
        assert "<script>" not in page and "<b>" not in page and "&lt;" in page


def test_rows_are_read_from_the_raw_file(lake):
    table = lake.rows("geo/countries.csv")
    assert table.to_pylist()[1] == {"code": "NA", "name": "Namibia", "population": 2600000}
    raw = lake.rows("geo/countries.csv", raw=True)
    assert raw.to_pylist()[1] == {"code": "NA", "name": "Namibia", "population": "2600000"}
    assert lake.rows("geo/countries.csv", columns=["name"], limit=1).to_pydict() == {"name": ["Austria"]}
    with pytest.raises(UsageError, match="no column 'size'"):
        lake.rows("geo/countries.csv", columns=["size"])
    assert lake.rows("sales/notes.csv").to_pydict()["note"] == ["two\nlines", "plain"]


def test_a_missing_or_changed_raw_file_is_an_error(lake, raw):
    (raw / "geo/countries.csv").unlink()
    with pytest.raises(NoSuchTable, match="does not exist any more"):
        lake.rows("geo/countries.csv")
    (raw / "sales/orders.json").write_text("")
    with pytest.raises(LakeError, match="has changed since"):
        lake.rows("sales/orders.json")
    size = (raw / "sales/notes.csv").stat().st_size
    (raw / "sales/notes.csv").write_bytes(b"\x89PNG\r\n\x1a\n".ljust(size, b"\0"))
    with pytest.raises(LakeError, match="no longer what was indexed"):
        lake.rows("sales/notes.csv")


def test_a_profile_counts_what_is_there(lake):
    profile = lake.profile("geo/countries.csv")
    assert [(c.name, c.type, c.distinct, c.nulls) for c in profile.columns] == [
        ("code", "text", 4, 0), ("name", "text", 4, 0), ("population", "integer", 4, 0),
    ]  # fmt: skip
    assert profile.about["title"] and profile.format == "csv" and profile.snapshot == 1


def test_a_table_is_found_by_the_end_of_its_name_if_only_one_has_it(lake, raw, run_index):
    assert lake.profile("countries.csv").name == "geo/countries.csv"
    (raw / "sales/countries.csv").write_text("a\n1\n")
    run_index()
    with mere.open(run_index.lake) as fresh, pytest.raises(NoSuchTable, match="2 tables are called"):
        fresh.profile("countries.csv")


def test_an_open_lake_stays_at_its_snapshot(lake, raw, run_index):
    (raw / "new.csv").write_text("a\n1\n")
    run_index()
    assert "new.csv" not in lake.tables and lake.snapshot == 1
    assert "new.csv" in mere.open(run_index.lake).tables


def test_errors_in_arguments_name_the_value(lake):
    with pytest.raises(UsageError, match="'k' must be an int >= 0, got 'ten'"):
        lake.keywords("x", k="ten")
    with pytest.raises(UsageError, match="'per' must be"):
        lake.keywords("x", per="row")


def test_numbers_have_singular_nouns_where_they_are_one(tmp_path):
    lake = tmp_path / "lake"
    index(
        [write_files(tmp_path / "raw", {"a.csv": "code\nAT\n", "b.csv": "iso,n\nAT,1\nCH,2\n"})], lake, engine=Inline()
    )
    with mere.open(lake) as opened:
        assert repr(opened.tables.matching("a.csv")).startswith("<1 table>")
        assert repr(opened.tables).startswith("<2 tables>")
        assert repr(opened.profile("a.csv")).startswith("<a.csv: 1 row, 1 column>")
        assert repr(opened.profile("b.csv")).startswith("<b.csv: 2 rows, 2 columns>")
        with pytest.raises(NoSuchTable, match="among 2 tables"):
            opened.profile("nothing")
