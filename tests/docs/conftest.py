"""The demo lake of the documents, the same everywhere: pyproject.toml names the releases of its packages."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mere.cli import demo
from mere.pipeline import index
from mere.pipeline.engine import Inline


class Demo(NamedTuple):
    folder: Path
    output: str


@pytest.fixture(scope="package")
def demo_lake(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """What `mere demo --folder mere-demo` makes and prints."""
    output = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.chdir(tmp_path_factory.mktemp("documents"))
        patch.setattr(demo, "index", functools.partial(index, engine=Inline()))
        demo.run_demo(Path("mere-demo"))
        return Demo(Path("mere-demo").absolute(), output.getvalue())


@pytest.fixture
def in_the_demo(demo_lake: Demo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Demo]:
    """The demo's folder as the current one, and its lake as the default one."""
    monkeypatch.chdir(demo_lake.folder)
    monkeypatch.setenv("MERE_LAKE", "lake")
    yield demo_lake
