"""Where machine code is kept: a change of anything that is part of it leads to another folder, other changes do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mere.compiled import code

SOURCES = {
    "a.py": "from mere.b import work\nfrom mere.compiled.jit import kernel\n",
    "b.py": "from mere import c\nfrom mere.compiled.jit import helper\n",
    "c.py": "import mere.d\nLIMIT = 3\n",
    "d.py": "from mere import e\n",
    "e.py": "",
    "compiled/jit.py": "import numba\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mere"
    for name, text in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "__init__.py").write_text("")
    monkeypatch.setattr(code, "_PACKAGE", folder)
    monkeypatch.setattr(code, "cache_folder", lambda: str(tmp_path))
    return folder


def test_sources_are_modules_with_kernels_and_what_they_take_constants_from(package: Path) -> None:
    assert code.sources_of("mere.a") == {"mere.a", "mere.b", "mere.c", "mere.compiled.jit"}


@pytest.mark.parametrize(("changed", "recompiled"), [("a.py", True), ("b.py", True), ("c.py", True), ("e.py", False)])
def test_a_changed_source_changes_the_folder_of_the_kernels_that_use_it(
    package: Path, changed: str, recompiled: bool
) -> None:
    before = code.code_folder.__wrapped__("mere.a")
    (package / changed).write_text(SOURCES[changed] + "\n# changed\n")
    assert (code.code_folder.__wrapped__("mere.a") != before) is recompiled


def test_the_folder_of_real_kernels_depends_on_the_kernels_they_call() -> None:
    sources = code.sources_of("mere.indexes.overlap.kernels")
    assert {"mere.indexes.overlap.reading", "mere.indexes.overlap.ranking", "mere.store.kernels"} <= sources
    assert "mere.compiled.jit" in sources
    assert not {"mere.indexes.containment.kernels", "mere.segments", "mere.indexes.overlap.search"} & sources


def test_a_module_that_does_not_exist_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"mere\.nothing"):
        code.sources_of("mere.nothing")
