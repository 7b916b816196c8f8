"""The import contract of pyproject.toml names the packages and kinds that exist; questions import what they need."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import mere
from mere.indexes import KINDS

ROOT = Path(__file__).parents[2]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
PACKAGES, INDEXES, SPARK = CONTRACTS


def test_the_kinds_of_the_contract_are_those_of_the_registry() -> None:
    top = INDEXES["layers"][0].split(" | ")
    assert sorted(top) == sorted(KINDS)
    assert {type(kind).__module__ for kind in KINDS.values()} == {f"mere.indexes.{name}" for name in top}


def test_every_package_has_a_place_and_only_the_pipeline_may_import_spark() -> None:
    folder = Path(mere.__file__).parent
    packages = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    packages -= {"__init__"}
    assert sorted(PACKAGES["layers"]) == sorted(packages)
    assert set(SPARK["source_modules"]) == {f"mere.{name}" for name in packages - {"pipeline"}}


def test_every_folder_of_a_kind_has_files_of_the_same_names() -> None:
    for name in KINDS:
        files = {path.stem for path in (Path(mere.__file__).parent / "indexes" / name).glob("*.py")}
        assert {"__init__", "build", "plan", "search"} <= files, name
        assert not {"question", "plain", "training", "stored"} & files, name


@pytest.mark.parametrize("package", ["mere", "mere.readers", "mere.search"])
def test_a_package_that_defers_imports_offers_all_its_names(package: str) -> None:
    module = import_module(package)
    homes = module._HOMES
    assert sorted(name for names in homes.values() for name in names) == sorted(module.__all__)
    for home, names in homes.items():
        for name in names:
            assert getattr(module, name) is getattr(import_module(f"{package}.{home}"), name)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


@pytest.mark.parametrize("package", ["mere.readers", "mere.search"])
def test_no_deferred_name_is_that_of_a_module(package: str) -> None:
    module = import_module(package)
    [folder] = module.__path__
    assert not {path.stem for path in Path(folder).iterdir()} & set(module.__all__)


def test_the_registry_knows_which_kinds_join_without_importing_them() -> None:
    assert [kind.name for kind in KINDS.joining()] == [kind.name for kind in KINDS.values() if kind.joins]
    assert {name: joins for name, (_, joins) in KINDS._classes.items()} == {
        name: bool(kind.joins) for name, kind in KINDS.items()
    }


NEVER = {"numba", "pandas", "polars", "pyspark", "torch", "importlib.metadata", "pyarrow.fs", "pyarrow.parquet"}
OF_FILES = {"mere.readers.opening", "mere.readers.text_tables", "mere.readers.json_tables"}
OF_OTHER_FORMATS = {f"mere.readers.{name}" for name in ("archives", "avro", "columnar", "excel", "html_tables")}
OTHER_KINDS = {f"mere.indexes.{name}.search" for name in ("distribution", "transform")} | {"mere.transform.match"}
QUESTIONS = {
    "search": (["search", "country"], {"mere.indexes.overlap", "mere.indexes.similar", *OF_FILES}),
    "join": (["join", "sales.csv", "--on", "country"], {"mere.indexes.keywords.search"}),
    "a containment question": (["join", "sales.csv", "--on", "country", "--threshold", "0.5"], set()),
}  # fmt: skip
REPORT = """
import sys
from mere.cli import run
code = run(sys.argv[1:])
print("\\n".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_from_a_cold_shell_imports_what_it_needs(name: str, raw: Path, run_index: Any) -> None:
    run_index(raw)
    (raw / "sales.csv").write_text("country,amount\nAT,1\nDE,2\n")
    arguments, others = QUESTIONS[name]
    command = [sys.executable, "-c", REPORT, *arguments, "--lake", run_index.lake]
    done = subprocess.run(command, cwd=raw, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "hit" in done.stdout, done.stderr
    imported = set(done.stderr.split())
    assert not imported & (NEVER | OF_OTHER_FORMATS | OTHER_KINDS | others)
