"""Which files of a source are data, and which are hidden?"""

from __future__ import annotations

from pathlib import Path

import pytest

from mere.pipeline.scan import scan


def _scanned(folder: Path, names: list[str]) -> tuple[list[str], int]:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a,b\n1,2\n")
    found = scan([str(folder)], str(folder / "lake"))
    return [file.path for file in found.files], found.hidden


@pytest.mark.parametrize("hidden", ["_b.csv", ".b.csv", "_metadata", "_common_metadata"])
@pytest.mark.parametrize(
    ("folder", "part"),
    [("y=2020", "a.csv"), ("y=2020/m=01", "a.csv"), ("out", "part-00000.csv"), ("out", "part-r-00001")],
)
def test_files_that_spark_does_not_read_beside_the_parts_of_a_table_are_hidden(
    tmp_path: Path, hidden: str, folder: str, part: str
) -> None:
    assert _scanned(tmp_path, [f"{folder}/{part}", f"{folder}/{hidden}"]) == ([f"{folder}/{part}"], 1)


def test_elsewhere_a_file_may_start_with_an_underscore(tmp_path: Path) -> None:
    assert _scanned(tmp_path, ["_b.csv", "sub/_c.csv"]) == (["_b.csv", "sub/_c.csv"], 0)
