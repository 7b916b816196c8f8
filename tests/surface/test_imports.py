"""The import contract of pyproject.toml names the packages and kinds that exist."""

from __future__ import annotations

import tomllib
from pathlib import Path

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
        assert {"__init__", "build", "plan", "search", "brute"} <= files, name
        assert not {"question", "plain", "training", "stored"} & files, name
