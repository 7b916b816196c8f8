"""Cells are compared in one form per column in all tables of a bundle, whatever each table reads the column as."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mere
from mere.bundles.schema import Reading, Schema
from mere.bundles.stored import stored_sample
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.search.assembling.inputs import Member, Stored, table_of_the_lake
from mere.search.assembling.readings import read_alike
from mere.search.catalog import find_table
from mere.segments import OpenSnapshot
from mere.values import Form, Type
from tests.assemble_surface.messy import Bundle, Counted, bundle, fold, has_one_reading
from tests.conftest import write_files


def as_frame(given: Bundle, table: int) -> dict[str, list[str | None]]:
    return {name: [row[place] for row in given.tables[table]] for place, name in enumerate(given.names)}


def check(found: mere.Bundle, true: Counted) -> None:
    """The counts, gains, choice and rows of an answer are those of DuckDB."""
    numbers = {"base": 0} | {f"t{number}": number for number in range(len(true.given.tables))}
    chosen = [numbers[Path(each.table).stem] for each in found.chosen]
    assert found.exact == has_one_reading(true.given) and found.base == true.distinct([])
    assert found.distinct == true.distinct(chosen) == true.best()
    held = [true.distinct(chosen[:number]) for number in range(len(chosen) + 1)]
    assert [each.gain for each in found.chosen] == [b - a for a, b in pairwise(held)]
    for each in found.rejected:
        if each.gain is not None:
            assert each.gain == true.distinct([*chosen, numbers[Path(each.table).stem]]) - held[-1]
    written = found.fetch(raw=True)
    cells = zip(*(written[name].to_pylist() for name in true.given.names), strict=True)
    owners = [numbers[Path(owner).stem] for owner in written["table"].to_pylist()]
    rows = [true.normalised[table, tuple(map(fold, row))] for table, row in zip(owners, cells, strict=True)]
    assert len(rows) == len(set(rows)) == found.distinct


def assembled(folder: Path, seed: int) -> None:
    """Check one random bundle of frames, of files, and of tables of a lake."""
    given = bundle(Random(seed))
    true, tables = Counted(given), range(len(given.tables))
    prices = {f"t{number}": price for number, price in enumerate(given.prices, 1)}
    options: dict[str, Any] = {"budget": given.budget, "method": "optimal"}
    frames = {f"t{table}": as_frame(given, table) for table in tables[1:]}
    check(mere.assemble(as_frame(given, 0), frames, prices=prices, **options), true)
    (folder / "raw").mkdir(parents=True)
    for table in tables:
        cells = pa.table({name: pa.array(column, pa.string()) for name, column in as_frame(given, table).items()})
        pq.write_table(cells, folder / f"raw/t{table}.parquet")  # whose header is no guess
    index([folder / "raw"], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as lake:
        names = {info.name for info in lake.tables}
        assert names == {f"t{table}.parquet" for table in tables}
        stored = [f"t{table}.parquet" for table in tables[1:]]
        for base in ("t0.parquet", folder / "raw/t0.parquet", as_frame(given, 0)):
            check(lake.assemble(base, stored, prices={f"{k}.parquet": v for k, v in prices.items()}, **options), true)


@pytest.mark.parametrize("seed", range(12))
def test_counts_gains_choice_and_rows_are_those_of_sql_over_normalised_cells(tmp_path: Path, seed: int) -> None:
    assembled(tmp_path, seed)


@pytest.mark.slow
def test_three_hundred_bundles_are_those_of_sql_over_normalised_cells(tmp_path: Path) -> None:
    wrong = {}
    for seed in range(300):
        try:
            assembled(tmp_path / str(seed), seed)
        except AssertionError as error:
            wrong[seed] = str(error)[:200]
    assert wrong == {}


# Each cause by itself.


def open_price(n: int) -> str:
    return f"{n % 9 + 1},{n + 100}"


PRICES = [lambda n: f"€ {n}", lambda n: f"{n} %", lambda n: f"{n},50", open_price, str]


def csv_of(*columns: Sequence[str], header: str = "shop;price") -> str:
    return "\n".join([header, *(";".join(row) for row in zip(*columns, strict=True))]) + "\n"


def lake_of(folder: Path, **options: Any) -> mere.Lake:
    index([folder / "raw"], folder / "lake", engine=Inline(), **options)
    return mere.open(folder / "lake")


@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize("base", ["numbers", "mixed"])
def test_rows_that_are_the_same_in_a_table_of_numbers_and_in_one_of_texts_are_counted_once(
    tmp_path: Path, price: Callable[[int], str], base: str
) -> None:
    shops = [f"shop {n}" for n in range(500)]
    numbers, mixed = list(map(price, range(500))), [price(n) if n % 5 < 2 else "on request" for n in range(500)]
    write_files(tmp_path / "raw", {"numbers.csv": csv_of(shops, numbers), "mixed.csv": csv_of(shops, mixed)})
    other = "mixed" if base == "numbers" else "numbers"
    with lake_of(tmp_path) as lake:
        for mine in (f"{base}.csv", tmp_path / f"raw/{base}.csv"):
            for theirs in (f"{other}.csv", tmp_path / f"raw/{other}.csv"):
                bundle = lake.assemble(mine, [theirs])
                assert bundle.exact == (
                    price is not open_price
                )  # no table shows whether `1,107` is more than a thousand
                assert (bundle.base, bundle.distinct) == (500, 800)
                assert [each.gain for each in bundle.chosen] == [300]
                assert len(bundle.fetch()) == len(bundle.fetch(raw=True)) == 800
                assert bundle.fetch().column("shop").to_pylist().count("shop 5") == 1


def test_samples_that_were_hashed_in_another_form_are_not_used(tmp_path: Path) -> None:
    numbers = [f"{n},000,{n:03}" for n in range(100, 200)]
    texts = csv_of(["x"] * 200, [*numbers, *(f"room {n}" for n in range(100))])
    flagged = csv_of(["x"] * 105, [*numbers, *map("({})".format, range(1, 6))])
    files = {"texts.csv": texts, "numbers.csv": csv_of(["x"] * 100, numbers), "flagged.csv": flagged}
    write_files(tmp_path / "raw", files)
    as_text = Schema(("shop", "price"), (Type.TEXT, Type.TEXT))
    as_numbers = Schema(("shop", "price"), (Type.TEXT, Type.TEXT), (Reading(), Reading(form=Form(numbers=True))))
    with lake_of(tmp_path, settings=Settings(sketch_size=16)), closing(OpenSnapshot(str(tmp_path / "lake"))) as opened:
        made = {
            schema: {name for name in files if stored_sample(*find_table(opened, name), schema) is None}
            for schema in (as_text, as_numbers)
        }
    assert made == {as_text: {"numbers.csv", "flagged.csv"}, as_numbers: {"texts.csv", "flagged.csv"}}


def test_a_table_of_which_only_compared_cells_are_kept_is_not_read_alike(tmp_path: Path) -> None:
    files = {
        f"{name}.csv": csv_of("xyz", [f"{sign} {n}" for n in (7, 8, 9)]) for name, sign in (("a", "€"), ("b", "$"))
    }
    write_files(tmp_path / "raw", files)
    with lake_of(tmp_path), closing(OpenSnapshot(str(tmp_path / "lake"))) as opened:
        tables = [table_of_the_lake(opened, Stored(*find_table(opened, name))) for name in files]
        schema = Schema(("shop", "price"), (Type.EMPTY,) * 2)
        assert read_alike(schema, [Member(table, None) for table in tables]).complete
        alike = read_alike(schema, [Member(replace(table, as_written=False), None) for table in tables])
        assert not alike.complete and "it has no raw file" in alike.notes[-1]


def test_every_sister_table_is_a_candidate_though_its_codes_were_read_as_numbers(tmp_path: Path) -> None:
    """82 tables cut from one, some of them with codes that have no zero in front."""
    codes = [f"{n:04}" for n in range(40)] + [str(n) for n in range(1000, 5000, 17)]
    rows = [(code, f"ward {n % 7}", str(n * n)) for n, code in enumerate(codes)]
    random, files = Random(7), {}
    for number in range(82):
        kept = random.sample(rows[40:] if number % 4 == 0 else rows, 30)
        kept += [] if number % 4 == 0 else random.sample(rows[:40], 2)
        files[f"{number:02}.csv"] = csv_of(*zip(*kept, strict=True), header="precinct;ward;votes")
    write_files(tmp_path / "raw", files)
    true = {tuple(line.split(";")) for text in files.values() for line in text.splitlines()[1:]}
    with lake_of(tmp_path) as lake:
        for base in ("01.csv", "00.csv", tmp_path / "raw/01.csv"):
            given = [None, [name for name in files if name != Path(base).name]]
            for candidates in given:
                bundle = lake.assemble(base, candidates, method="exact")
                assert len(bundle.chosen) + len(bundle.rejected) == 81
                assert {each.code for each in bundle.rejected} <= {"nothing new"}
                assert bundle.exact and bundle.distinct == len(bundle.fetch()) == len(true)
                assert any(note.startswith("'precinct' is ") for note in bundle.notes)


@pytest.mark.parametrize(
    ("first", "second", "distinct"),
    [
        ([1, 0, 5], [True, False], 3),
        ([1, 0, 5], ["yes", "no"], 3),
        ([True, False], ["yes", "no"], 2),
        (["yes", "no", "maybe"], [True, False], 5),  # `no` may be Norway
        (["2020-01-05", "5 Jan 2020", "soon", "late"], [date(2020, 1, 5)], 3),
        ([2020, 2021], [date(2020, 1, 1)], 3),
        (["€ 7", "€ 8"], ["$ 7", "€ 8", "$ 9", "$ 1"], 5),
        (["8,107"], ["8,107", "9,50", "10,25"], 3),
        (["8,107", "one", "two"], ["8,107", "9,50", "10,25"], 5),
        (["8.107", "one", "two"], ["8,107", "9,50", "10,25"], 6),
        ([f"1.{n}" for n in range(1, 13)], ["1.1", "1.10", "1.2"], 12),
        (["007", "12"], [12, 7], 3),
        (["é", "Ｅ"], ["e\u0301", "e", None], 3),
    ],
)
def test_the_order_of_the_tables_does_not_matter(first: list[Any], second: list[Any], distinct: int) -> None:
    tables = {"a": first}, {"a": second}
    for base, other in (tables, tables[::-1]):
        bundle = mere.assemble(base, {"other": other}, method="exact")
        assert bundle.exact and bundle.distinct == len(bundle.fetch()) == distinct


def test_numbers_in_brackets_are_negative_in_all_tables_which_is_not_sure() -> None:
    tables = {"a": ["(2)", "3", "4"] * 9}, {"a": ["(2)", "(200)", "-2", "(1,000)", "5"]}
    for base, other in (tables, tables[::-1]):
        bundle = mere.assemble(base, {"other": other}, method="exact")
        assert not bundle.exact and bundle.distinct == len(bundle.fetch()) == 6


@pytest.mark.parametrize(
    ("mine", "theirs", "distinct"),
    [
        (["€ 7", "€ 8", "€ 9"], ["$ 7", "$ 8", "$ 9", "$ 1"], 7),
        (["8,50", "9,107", "3,25"], ["9,107", "8,108", "3,109"], 5),
        ([f"1.{n}" for n in range(1, 13)], ["1.1", "1.10", "1.2"], 12),
    ],
)
def test_a_table_whose_stored_cells_do_not_show_the_form_is_read_again_or_the_answer_is_not_exact(
    tmp_path: Path, mine: list[str], theirs: list[str], distinct: int
) -> None:
    files = {"mine.csv": csv_of(["x"] * len(mine), mine), "theirs.csv": csv_of(["x"] * len(theirs), theirs)}
    write_files(tmp_path / "raw", files)
    with lake_of(tmp_path) as lake:
        bundle = lake.assemble("mine.csv", method="exact")
        assert bundle.exact and bundle.distinct == distinct
        (tmp_path / "raw/theirs.csv").unlink()
        unsure = lake.assemble("mine.csv", method="exact")
        assert not unsure.exact and not unsure.base_exact and unsure.interval is None
        assert "exact" not in unsure.certainty()
        noted = "numbers of 'theirs.csv' are written in another way in other tables: "
        assert [note.startswith(noted) for note in unsure.notes if note not in bundle.notes] == [True]


def test_literals_of_queries_have_the_form_of_the_column() -> None:
    base, other = {"a": ["8,107", "12,000", "x", "y"]}, {"a": ["8,107", "9,000"]}
    for query in ("a = '8,107'", "a IN ('8,107')", "a LIKE '8107'"):
        assert mere.assemble(base, {"other": other}, [query], method="exact").distinct == 1
    assert mere.assemble(other, {"other": base}, ["a > 8000"], method="exact").distinct == 3
    assert mere.assemble({"a": [0, 5]}, {"flags": {"a": ["yes", "no"]}}, ["a < 2"], method="exact").distinct == 2
