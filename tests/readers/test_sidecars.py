"""Which sidecars describe which files, and what they say."""

from __future__ import annotations

import json
import posixpath

import pytest
from raw_files import write

from mere.readers import Limits, describe, is_sidecar, sidecars_of


@pytest.mark.parametrize(
    "name",
    ["README", "readme.txt", "README.md", "a/datapackage.json", "x.csv-metadata.json", "csv-metadata.json",
     "LICENSE",
     "metadata.json", "croissant.json", "croissant_v1.json", "x.croissant.json", "x.jsonld",
     "SOURCES.md", "notes.rst"],
)  # fmt: skip
def test_sidecars_are_recognised_by_name(name):
    assert is_sidecar(name)


@pytest.mark.parametrize("name", ["x.csv", "x.json", "metadata.csv", "x.txt", "readme.csv", "package.json"])
def test_data_files_are_not_sidecars(name):
    assert not is_sidecar(name)


def test_the_nearest_description_comes_first():
    sidecars = sidecars_of(
        ["README.md", "a/datapackage.json", "a/data/x.csv", "a/data/x.txt", "a/data/x.csv-metadata.json",
         "a/data/LICENSE",
         "a/data/y.csv", "b/z.csv", "b/c/d/w.csv"]
    )  # fmt: skip
    assert sidecars["a/data/x.csv"] == [
        "a/data/x.csv-metadata.json",
        "a/data/x.txt",
        "a/data/LICENSE",
        "a/datapackage.json",
    ]
    assert sidecars["a/data/y.csv"] == ["a/data/LICENSE", "a/datapackage.json"]
    assert sidecars["b/z.csv"] == ["README.md"] and sidecars["b/c/d/w.csv"] == ["README.md"]
    assert "a/data/LICENSE" not in sidecars


def steps_of(paths, monkeypatch):
    """How many times a name or a folder is taken from a path."""
    calls = []
    with monkeypatch.context() as patch:
        for function in (posixpath.basename, posixpath.dirname, posixpath.splitext):
            patch.setattr(posixpath, function.__name__, lambda path, f=function: calls.append(path) or f(path))
        sidecars_of(paths)
    return len(calls)


def test_the_steps_grow_linearly_with_the_number_of_paths(monkeypatch):
    def paths(count):
        files = [f"s{n % 5}/d{n % 7}/x{n}.csv" for n in range(count)]
        return [*files, *(f"{path}-metadata.json" for path in files), *(f"s{n}/README.md" for n in range(5))]

    assert sidecars_of(paths(1000))["s3/d3/x3.csv"] == ["s3/d3/x3.csv-metadata.json", "s3/README.md"]
    few, many = steps_of(paths(1000), monkeypatch), steps_of(paths(4000), monkeypatch)
    assert few >= 1000 and many <= 4.2 * few


def test_a_data_package_describes_its_resource_and_columns(tmp_path):
    package = {
        "title": "Prices", "description": "All prices", "licenses": [{"name": "ODC-PDDL"}],
        "keywords": ["gold", "money"],
        "resources": [
            {"path": "data/other.csv", "title": "Other"},
            {"path": "data/monthly.csv", "title": "Monthly", "schema": {"fields": [
                {"name": "Date", "description": "first of the month"}, {"name": "Price"}]}},
        ],
    }  # fmt: skip
    sidecar = write(tmp_path, "datapackage.json", json.dumps(package))
    about = describe(str(tmp_path / "data" / "monthly.csv"), [sidecar], Limits())
    assert (about.title, about.description, about.licence) == ("Monthly", "All prices", "ODC-PDDL")
    assert about.keywords == ["gold", "money"] and about.columns == {"Date": "first of the month"}


def test_csv_on_the_web_describes_columns_by_title(tmp_path):
    columns = [{"titles": ["On Street", "street"], "name": "s", "dc:description": "where it stands"}]
    document = {
        "url": "x.csv",
        "dc:title": "Trees",
        "dcat:keyword": ["tree"],
        "tableSchema": {"columns": columns},
    }
    sidecar = write(tmp_path, "x.csv-metadata.json", json.dumps(document))
    about = describe(str(tmp_path / "x.csv"), [sidecar], Limits())
    assert about.title == "Trees" and about.keywords == ["tree"] and about.columns == {"On Street": "where it stands"}


def test_croissant_describes_the_fields_of_its_file(tmp_path):
    field = {"name": "pass", "description": "who survived",
             "source": {"fileObject": {"@id": "f1"}, "extract": {"column": "Survived"}}}  # fmt: skip
    other = {"name": "no", "description": "elsewhere", "source": {"fileObject": {"@id": "f2"}}}
    document = {
        "name": "Titanic", "license": "CC0", "distribution": [
            {"@id": "f1", "contentUrl": "https://host/data/titanic.csv"},
            {"@id": "f2", "contentUrl": "no.csv"}],
        "recordSet": [{"field": [field, other]}],
    }  # fmt: skip
    sidecar = write(tmp_path, "croissant.json", json.dumps(document))
    about = describe(str(tmp_path / "titanic.csv"), [sidecar], Limits())
    assert about.title == "Titanic" and about.licence == "CC0" and about.columns == {"Survived": "who survived"}


def test_a_readme_gives_title_and_text_without_markup(tmp_path):
    text = "# Bechdel *test*\n\n[![badge](b.svg)](x) Films in which [two women](http://x) talk.\n" + "word " * 4000
    about = describe(str(tmp_path / "x.csv"), [write(tmp_path, "README.md", text)], Limits())
    assert about.title == "Bechdel test" and "Films in which two women talk." in about.description
    assert len(about.description) <= 4096


def test_a_broken_sidecar_is_ignored_and_reported(tmp_path):
    broken = write(tmp_path, "datapackage.json", "{nonsense")
    readme = write(tmp_path, "README", "Good text")
    about = describe(str(tmp_path / "x.csv"), [broken, readme, str(tmp_path / "absent.md")], Limits())
    assert about.title == "Good text" and len(about.broken) == 2
    assert about.broken[broken].startswith("could not be read: JSONDecodeError")
