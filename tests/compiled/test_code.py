"""Where machine code is kept: a change of anything that is part of it leads to another folder, other changes do not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mere.compiled import code

SOURCES = {
    "a.py": "from plugin_for_tests.b import work\nfrom mere.compiled.jit import kernel\nimport numpy as np\n",
    "b.py": "from . import c\nfrom .inner.limits import LIMIT\nfrom mere.compiled.jit import helper\n",
    "c.py": "import plugin_for_tests.d\nLIMIT = 3\n",
    "d.py": "",
    "inner/limits.py": "LIMIT = 4\n",
    "store/kernels.py": "from mere.store import kernels\nfrom mere.compiled.jit import kernel\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package beside Mere, which is never imported."""
    folder = tmp_path / "plugin_for_tests"
    for name, text in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "__init__.py").write_text("raise AssertionError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(code, "cache_folder", lambda: str(tmp_path))
    return folder


def test_sources_are_modules_with_kernels_and_what_they_take_constants_from(package: Path) -> None:
    own = {f"plugin_for_tests.{name}" for name in ("a", "b", "c", "inner.limits")}
    mere = {name for name in code.sources_of("plugin_for_tests.a") if name.startswith("mere.")}
    assert code.sources_of("plugin_for_tests.a") == own | mere
    assert "mere.compiled.jit" in mere
    assert "plugin_for_tests" not in sys.modules


@pytest.mark.parametrize(
    ("changed", "recompiled"),
    [("a.py", True), ("b.py", True), ("c.py", True), ("inner/limits.py", True), ("d.py", False)],
)
def test_a_changed_source_changes_the_folder_of_the_kernels_that_use_it(
    package: Path, changed: str, recompiled: bool
) -> None:
    before = code.code_folder.__wrapped__("plugin_for_tests.a")
    (package / changed).write_text(SOURCES[changed] + "\n# changed\n")
    assert (code.code_folder.__wrapped__("plugin_for_tests.a") != before) is recompiled


def test_a_module_is_not_confused_with_the_module_of_mere_that_has_the_same_place(package: Path) -> None:
    sources = code.sources_of("plugin_for_tests.store.kernels")
    assert {"plugin_for_tests.store.kernels", "mere.store.kernels", "mere.compiled.jit"} <= sources
    assert code._path("plugin_for_tests.store.kernels") == package / "store" / "kernels.py"
    assert code._path("mere.store.kernels") != package / "store" / "kernels.py"


def test_a_single_file_can_have_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "single_file_for_tests.py").write_text("from mere.compiled.jit import kernel\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert {"single_file_for_tests", "mere.compiled.jit"} <= code.sources_of("single_file_for_tests")


def test_the_folder_of_real_kernels_depends_on_the_kernels_they_call() -> None:
    sources = code.sources_of("mere.indexes.overlap.kernels")
    assert {"mere.indexes.overlap.reading", "mere.indexes.overlap.ranking", "mere.store.kernels"} <= sources
    assert "mere.compiled.jit" in sources
    assert not {"mere.indexes.containment.kernels", "mere.segments", "mere.indexes.overlap.search"} & sources


@pytest.mark.parametrize("module", ["mere.nothing", "no_such_package_for_tests.kernels", "sys", "__main__.inner"])
def test_a_module_without_a_source_file_is_named(module: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"'{module}'"):
        code.sources_of(module)
