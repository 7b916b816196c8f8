"""Tables of a bundle are read alike: what one of them tells about dates and missing values holds for the others."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mere
from mere.bundles import answer
from mere.bundles.schema import Reading, Schema
from mere.bundles.stored import stored_sample
from mere.pipeline import Settings
from mere.segments import OpenSnapshot
from mere.values import Type
from tests.conftest import write_files

days = st.integers(1, 28)
rows = st.lists(
    st.tuples(days, st.integers(1, 12), st.sampled_from(["AT", "NA", "DE", "FR", "NO", "IT", ""])),
    min_size=1,
    max_size=12,
)
CODES = ["AT", "BE", "DE", "FR", "IT", "LU", "NL", "NO", "SE"]


def columns(table: list[tuple[int, int, str]]) -> dict[str, list[str]]:
    return {"day": [f"{day:02}/{month:02}/2020" for day, month, _ in table], "code": [code for _, _, code in table]}


@given(rows, st.data())
def test_a_part_of_the_base_adds_nothing_and_neither_does_the_base_to_a_part_and_the_rest(rows: Any, data: Any) -> None:
    table = [*rows, (13, 1, "AT"), *((day, 2, code) for day, code in enumerate(CODES, 13))]
    part = data.draw(st.lists(st.sampled_from(table), min_size=1, max_size=5))
    bundle = mere.assemble(columns(table), {"part": columns(part)})
    assert bundle.distinct == bundle.base == len(set(table))
    other = mere.assemble(columns(part), {"all": columns(table)})
    assert other.distinct == len(set(table)) and other.base == len(set(part))
    assert len(other.fetch()) == len(set(table))


def test_a_table_that_tells_another_order_of_day_and_month_is_read_as_it_tells() -> None:
    mine = {"day": ["13/01/2020", "05/02/2020"]}
    theirs = {"day": ["01/13/2020", "02/05/2020", "03/25/2020"]}
    assert mere.assemble(mine, {"theirs": theirs}).distinct == 3


@pytest.fixture
def lake(tmp_path: Path, run_index: Any) -> Any:
    dated = ["day,n", *(f"{day:02}/0{month}/2020,{day}" for day in range(1, 13) for month in (1, 2))]
    codes = ["code,n", *(f"{code},{n}" for n, code in enumerate([*CODES, "NA", "US"]))]
    part = ["code,n", "NA,9", "AT,0"]
    files = {"days.csv": dated, "codes.csv": codes, "part.csv": part}
    write_files(tmp_path / "raw", {name: "\n".join(lines) + "\n" for name, lines in files.items()})
    with gzip.open(tmp_path / "raw/cut.csv.gz", "wt") as file:
        file.write("city,n\n" + "".join(f"city {n * n},{n}\n" for n in range(5000)))
    whole = (tmp_path / "raw/cut.csv.gz").read_bytes()
    (tmp_path / "raw/cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    run_index(tmp_path / "raw")
    with mere.open(tmp_path / "lake") as opened:
        yield opened


@pytest.mark.parametrize("counted_rows", [answer.COUNTED_ROWS, 0])
def test_dates_of_the_lake_are_read_like_those_of_the_base(
    lake: mere.Lake, counted_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(answer, "COUNTED_ROWS", counted_rows)
    base = {"day": [f"{day:02}/01/2020" for day in range(1, 20)], "n": list(range(1, 20))}
    bundle = lake.assemble(base, ["days.csv"])
    assert bundle.distinct == 19 + 12
    assert len(bundle.fetch()) == 19 + 12
    assert lake.assemble(base, ["days.csv"], ["day >= '2020-02-01' AND day < '2020-03-01'"]).distinct == 12


def test_missing_values_of_the_lake_that_are_words_elsewhere_are_read_again(lake: mere.Lake) -> None:
    assert lake.assemble("codes.csv", ["part.csv"]).distinct == 11
    assert lake.assemble("part.csv", ["codes.csv"], ["code = 'NA'"]).distinct == 1
    assert len(lake.assemble("part.csv", ["codes.csv"]).fetch()) == 11


def test_missing_values_that_cannot_be_read_again_are_noted(lake: mere.Lake, tmp_path: Path) -> None:
    (tmp_path / "raw/part.csv").unlink()
    bundle = lake.assemble("codes.csv", ["part.csv"])
    assert any("missing values of 'part.csv' may be words in other tables" in note for note in bundle.notes)


def test_a_table_of_the_lake_that_was_read_in_part_is_noted(lake: mere.Lake) -> None:
    for bundle in (lake.assemble({"city": ["x"], "n": [1]}), lake.assemble("cut.csv.gz", {"c": {"city": ["x"]}})):
        assert any(note.startswith("'cut.csv.gz' was read only in part: ") for note in bundle.notes)


def test_a_word_that_is_a_missing_value_is_noted_in_a_query() -> None:
    base, more = {"c": ["?", "x"]}, {"e": {"c": ["q"]}}
    assert (
        "'?' is a missing value in 'c', which is equal to nothing; use c IS NULL"
        in mere.assemble(base, more, ["c = '?'"]).notes
    )
    named = {"code": [*CODES, "NA"]}
    assert mere.assemble(named, {"e": {"code": ["US"]}}, ["code = 'NA'"]).notes == []


def test_a_stored_sample_whose_dates_were_read_otherwise_is_not_used(tmp_path: Path, run_index: Any) -> None:
    lines = [f"{day:02}/0{month}/2020,{day}" for day in range(1, 13) for month in range(1, 5)]
    write_files(tmp_path / "raw", {"days.csv": "\n".join(["day,n", *lines]) + "\n"})
    run_index(tmp_path / "raw", settings=Settings(sketch_size=16))
    schema = Schema(("day", "n"), (Type.DATETIME, Type.INTEGER))
    [segment] = OpenSnapshot(run_index.lake).segments
    as_indexed = stored_sample(segment, 0, schema)
    assert as_indexed is not None and not as_indexed.complete
    otherwise = replace(schema, known_readings=(Reading(day_first=True), Reading()))
    assert stored_sample(segment, 0, otherwise) is None
