"""The real matching behind `mere.transform_join` and `mere transform`: everyday tables, and tables that are unusual."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import mere
from mere.cli import run
from mere.demo.staff import BADGES, MAILBOXES, STAFF, files

FIRST = ["Ada", "Barack", "Carl", "Emmy", "Grace", "Marie", "Alan", "Helen", "Isaac", "Rosa", "Nelson", "Frida"]
LAST = ["Lovelace", "Obama", "Gauss", "Noether", "Hopper", "Curie", "Turing", "Keller", "Newton", "Parks", "Mandela",
        "Kahlo"]  # fmt: skip
STAFF_LIST = {
    "person": [f"{last}, {first} (19{n:02}-)" for n, (first, last) in enumerate(zip(FIRST, LAST, strict=True))]
}
HOLDERS = {"holder": [f"{first} {last}" for first, last in zip(FIRST, LAST, strict=True)][::-1]}
ALL = [(n, len(FIRST) - 1 - n) for n in range(len(FIRST))]


@pytest.fixture
def demo_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in files(seed=7):
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pairs_of(result: mere.TransformJoin) -> list[tuple[int, int]]:
    return [(pair.left_row, pair.right_row) for pair in result.pairs]


def test_names_that_are_turned_round_are_joined_and_new_rows_too() -> None:
    result = mere.transform_join(STAFF_LIST, HOLDERS)
    assert result.refused is None and pairs_of(result) == ALL
    assert {pair.by for pair in result.pairs} == {"program 1"} and result.conflicts == []
    [program] = [program for program in result.programs if program.direction == "left to right"]
    assert program(["Franklin, Rosalind (1920-)", None]) == ["Rosalind Franklin", None]


def test_either_table_may_be_the_left_one() -> None:
    result = mere.transform_join(HOLDERS, STAFF_LIST)
    assert sorted(pairs_of(result)) == sorted((right, left) for left, right in ALL)
    assert result.programs[0].direction == "right to left"


@pytest.mark.parametrize(("other", "rows"), [(BADGES, 28), (MAILBOXES, 30)])
def test_the_tables_of_the_demo_are_joined_by_the_command(
    demo_tables: Path, other: str, rows: int, capsys: Any
) -> None:
    assert run(["transform", STAFF, other, "-o", "out.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["pairs"]) == rows and document["refused"] is None
    assert len((demo_tables / "out.csv").read_text().splitlines()) == rows + 1
    column = {BADGES: "holder", MAILBOXES: "address"}[other]
    joined = mere.transform_join(STAFF, other).frame().to_pylist()
    assert all(row["person"].split(",")[0].lower() in row[column].lower() for row in joined)


def test_unrelated_tables_are_refused_with_the_reason() -> None:
    cities = {"city": ["Vienna", "Bern", "Rome", "Oslo", "Paris", "Madrid", "Lisbon", "Athens", "Dublin", "Warsaw"]}
    result = mere.transform_join(STAFF_LIST, cities)
    assert result.refused and result.pairs == [] and result.advice


UNUSUAL = {
    "one row of each": ({"a": ["Obama, Barack"]}, {"b": ["Barack Obama"]}),
    "one row of one": ({"a": ["Obama, Barack"]}, HOLDERS),
    "only numbers": ({"n": list(range(100, 160))}, {"m": [str(n * 7) for n in range(40)]}),
    "a megabyte in one cell": ({"person": [*STAFF_LIST["person"][1:], "x, y " * 200_000]}, HOLDERS),
    "the same value everywhere": ({"a": ["x y"] * 50}, {"b": ["y, x"] * 50}),
    "one letter": ({"a": list("abcdefgh")}, {"b": list("ABCDEFGH")}),
    "other scripts": ({"a": ["東京 (JP)", "大阪 (JP)", "京都 (JP)"]}, {"b": ["東京", "大阪", "京都"]}),
    "one column of missing values": ({"a": [None] * 12, **STAFF_LIST}, HOLDERS),
    "control characters": ({"a": ["\x00a, b", "\ud83dc, d".encode("utf-8", "replace").decode()]}, {"b": ["b \x00a"]}),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_tables_get_an_answer_or_a_reason(name: str) -> None:
    left, right = UNUSUAL[name]
    result = mere.transform_join(left, right, seconds=20)
    assert result.refused is None or (result.refused and result.pairs == [])
    sizes = len(next(iter(left.values()))), len(next(iter(right.values())))
    assert all(0 <= pair.left_row < sizes[0] and 0 <= pair.right_row < sizes[1] for pair in result.pairs)
    assert json.dumps(result.to_dict()) and repr(result) and result._repr_html_()
    assert isinstance(result.frame("outer"), pa.Table)


def test_a_megabyte_in_one_cell_does_not_hide_the_others() -> None:
    result = mere.transform_join(*UNUSUAL["a megabyte in one cell"], seconds=20)
    assert set(pairs_of(result)) == {(n - 1, right) for n, right in ALL if n > 0}


def test_a_table_joins_with_itself(demo_tables: Path) -> None:
    result = mere.transform_join(STAFF, STAFF)
    assert pairs_of(result) == [(row, row) for row in range(30)]
    assert result.frame().column_names == ["person", "department", "since", "person_right", "department_right",
                                           "since_right"]  # fmt: skip


def test_a_hint_is_followed() -> None:
    left = {**STAFF_LIST, "holder": HOLDERS["holder"]}
    assert pairs_of(mere.transform_join(left, HOLDERS)) == [(row, row) for row in range(12)], "equal columns are first"
    assert pairs_of(mere.transform_join(left, HOLDERS, on=("person", "holder"))) == ALL


def test_the_answer_depends_on_the_tables_alone() -> None:
    first, second = (mere.transform_join(STAFF_LIST, HOLDERS).to_dict() for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_a_misspelt_row_that_is_left_over_is_matched_by_similarity_unless_that_is_switched_off() -> None:
    misspelt = {"holder": [name.replace("Lovelace", "Lovelaces") for name in HOLDERS["holder"]]}
    result = mere.transform_join(STAFF_LIST, misspelt)
    assert pairs_of(result) == ALL
    assert [pair.by for pair in result.pairs] == ["fuzzy", *["program 1"] * 11] and 0 < result.pairs[0].score < 1
    assert result.to_arrow().slice(0, 1).to_pylist()[0]["right_key"] == "Ada Lovelaces"
    assert pairs_of(mere.transform_join(STAFF_LIST, misspelt, fuzzy=False)) == ALL[1:]
