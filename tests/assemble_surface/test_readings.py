"""Tables of a bundle are read alike: what one of them tells about dates and missing values holds for the others."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
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


# Cells that may be read in two ways.


def in_doubt(bundle: mere.Bundle) -> list[str]:
    """The notes on cells that may be read otherwise; there are some if, and only if, the answer is not exact."""
    notes = [note for note in bundle.notes if "may be read otherwise" in note]
    assert bundle.exact == bundle.base_exact == (bundle.interval is not None) == (not notes)
    return notes


THOUSANDS = [1000 + n for n in range(40)]
POINTS = [f"1.{n:03}" for n in range(40)]
AS_POINTS = "numbers in 'v' of 'b.csv' may be read otherwise: they were read with decimal points"


def one_column(values: Sequence[Any], name: str = "v") -> str:
    return "\n".join([name, *(f'"{value}"' for value in values)]) + "\n"


@pytest.fixture
def lake_of(tmp_path: Path, run_index: Any) -> Iterator[Callable[..., mere.Lake]]:
    """A lake of tables with one column, by their values."""
    with ExitStack() as opened:

        def make(name: str = "v", **tables: Sequence[Any]) -> mere.Lake:
            files = {f"{table}.csv": one_column(values, name) for table, values in tables.items()}
            write_files(tmp_path / "raw", files)
            run_index(tmp_path / "raw")
            return opened.enter_context(mere.open(tmp_path / "lake"))

        yield make


@pytest.mark.parametrize("numbers", [POINTS, ["1.000", "1.100", "2.500"] * 12, ["1,000", "1,001"] * 20])
def test_numbers_among_texts_of_which_no_table_shows_the_decimal_mark_are_not_counted_exactly(
    tmp_path: Path, lake_of: Any, numbers: list[str]
) -> None:
    texts = [*numbers, *(f"closed now {n}" for n in range(60))]
    lake = lake_of(a=THOUSANDS, b=texts, c=["5,5"])
    for theirs in ("b.csv", tmp_path / "raw/b.csv"):
        assert in_doubt(lake.assemble("a.csv", [theirs], budget=1, method="exact")) == [
            AS_POINTS.replace("b.csv", str(theirs))
        ]
    prices = {"b.csv": 1, "c.csv": 5}
    other = lake.assemble("a.csv", ["b.csv", "c.csv"], budget=1, prices=prices, method="exact")
    assert [each.table for each in other.chosen] == ["b.csv"] and in_doubt(other) == []
    assert (
        other.distinct
        == len({*map(float, THOUSANDS), *(float(n.replace(".", "").replace(",", ".")) for n in numbers)}) + 60
    )


@pytest.mark.parametrize("numbers", [["1.5", "2.25"], ["0.500", "1234.500"], ["1", "12", "1234"], ["x 1.000", "1.2.3"]])
def test_texts_with_numbers_that_have_one_reading_are_counted_exactly(lake_of: Any, numbers: list[str]) -> None:
    lake = lake_of(a=THOUSANDS, b=[*numbers, *(f"closed now {n}" for n in range(60))])
    assert in_doubt(lake.assemble("a.csv", ["b.csv"], method="exact")) == []


def test_texts_that_are_compared_as_texts_have_one_reading() -> None:
    words = [f"closed now {n}" for n in range(60)]
    assert in_doubt(mere.assemble({"v": [*POINTS, *words]}, {"b": {"v": words}}, method="exact")) == []
    assert in_doubt(mere.assemble({"v": ["5/1/2020", *words]}, {"b": {"v": words}}, method="exact")) == []
    assert (
        in_doubt(mere.assemble({"latitude": THOUSANDS}, {"b": {"latitude": [*POINTS, *words]}}, method="exact")) == []
    )


@pytest.mark.parametrize("number", ["1,001", "1.001", "1.500"])
def test_numbers_among_dates_are_in_doubt_too(lake_of: Any, number: str) -> None:
    dates = [f"2020-{month:02}-{day:02}" for day in range(1, 9) for month in range(1, 6)]
    lake = lake_of(a=THOUSANDS, b=[*dates, number, "soon"], c=["5,50", "7,25"])
    alone = lake.assemble("a.csv", ["b.csv"], method="exact")
    assert in_doubt(alone) == [AS_POINTS] and alone.distinct == 40 + 42 - (number == "1,001")
    both = lake.assemble("a.csv", ["b.csv", "c.csv"], method="exact")
    assert in_doubt(both) == [] and both.distinct == 40 + 42 - (number == "1.001") + 2


def test_texts_whose_raw_file_is_gone_are_not_counted_exactly(tmp_path: Path, lake_of: Any) -> None:
    lake = lake_of(a=THOUSANDS, b=["1.000", "1.500", *(f"closed now {n}" for n in range(60))])
    (tmp_path / "raw/b.csv").unlink()
    bundle = lake.assemble("a.csv", ["b.csv"], method="exact")
    assert not bundle.exact and any("'b.csv'" in note for note in bundle.notes)


OPEN_DATES = [f"{day}/{month}/2020" for day in range(1, 9) for month in range(1, 6)]
AS_DATES = "dates in 'v' of 'b.csv' may be read otherwise: their day and month may be exchanged"


@pytest.mark.parametrize(
    ("dates", "other", "notes"),
    [
        (OPEN_DATES, [], [AS_DATES]),
        (OPEN_DATES, ["13/1/2020"], []),
        (OPEN_DATES, ["1/13/2020"], []),
        ([*OPEN_DATES, "13/1/2020"], [], []),
        ([*OPEN_DATES, "13/1/2020", "1/13/2020"], ["13/1/2020"], [AS_DATES]),
        (["5/5/2020", "5.1.2020"], [], []),
        ([*OPEN_DATES, *(f"closed now {n}" for n in range(90))], [], [AS_DATES]),
    ],
)
def test_dates_of_which_no_table_shows_the_order_are_not_counted_exactly(
    tmp_path: Path, lake_of: Any, dates: list[str], other: list[str], notes: list[str]
) -> None:
    iso = [f"2020-{month:02}-{day:02}" for day in range(1, 9) for month in range(1, 6)]
    lake = lake_of(a=iso, b=dates, **({"c": other} if other else {}))
    candidates = ["b.csv", *(["c.csv"] if other else [])]
    assert in_doubt(lake.assemble("a.csv", candidates, method="exact")) == notes
    frames = {name: {"v": values} for name, values in (("b.csv", dates), ("c.csv", other)) if values}
    assert in_doubt(mere.assemble({"v": iso}, frames, method="exact")) == notes


def test_dates_that_their_own_table_shows_to_be_in_another_order_are_not_counted_exactly(tmp_path: Path) -> None:
    base = {"v": [*OPEN_DATES, "13/1/2020"]}
    theirs = {"v": OPEN_DATES, "w": [f"1/{day}/2020" for day in range(13, 29)] + ["2/28/2020"] * 24}
    path = tmp_path / "b.csv"
    path.write_text("v,w\n" + "".join(f"{v},{w}\n" for v, w in zip(theirs["v"], theirs["w"], strict=True)))
    assert in_doubt(mere.assemble(base, {"b.csv": theirs}, method="exact")) == [AS_DATES]
    assert in_doubt(mere.assemble(base, [path], method="exact")) == [AS_DATES.replace("b.csv", str(path))]


@pytest.mark.parametrize(
    ("values", "how"),
    [
        (
            [*(f"{n}%" for n in range(1, 30)), *range(30, 40)],
            "some are percentages and others have no unit, all were read as they are written",
        ),
        (
            [*range(3, 40), *(f"({n})" for n in range(1, 9))],
            "those like (2) may be footnotes, they were read as negative",
        ),
    ],
)
def test_percentages_among_numbers_and_numbers_in_brackets_are_not_counted_exactly(
    tmp_path: Path, lake_of: Any, values: list[Any], how: str
) -> None:
    lake = lake_of(a=range(50), b=values)
    for theirs in ("b.csv", tmp_path / "raw/b.csv"):
        note = f"numbers in 'v' of '{theirs}' may be read otherwise: {how}"
        assert in_doubt(lake.assemble("a.csv", [theirs], method="exact")) == [note]


def test_a_chosen_sheet_that_its_workbook_hides_is_noted(tmp_path: Path, run_index: Any) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    (tmp_path / "raw").mkdir()
    workbook = openpyxl.Workbook()
    shown, hidden = workbook.active, workbook.create_sheet("data")
    shown.title, hidden.sheet_state = "shown", "hidden"
    for sheet, start in ((shown, 0), (hidden, 100)):
        for row in (["shop", "size"], *([f"shop {n}", n] for n in range(start, start + 20))):
            sheet.append(row)
    workbook.save(tmp_path / "raw/book.xlsx")
    run_index(tmp_path / "raw")
    note = "'book.xlsx#data' is a sheet that its workbook hides"
    with mere.open(tmp_path / "lake") as lake:
        base = {"shop": ["shop 1"], "size": [1]}
        assert note in lake.assemble(base, ["book.xlsx#data", "book.xlsx#shown"]).notes
        assert [each for each in lake.assemble(base, ["book.xlsx#shown"]).notes if "hides" in each] == []
        bought = lake.assemble(base, budget=1, prices={"book.xlsx#data": 2, "book.xlsx#shown": 1})
        assert bought.chosen and note not in bought.notes


def test_numbers_that_are_sure_stay_so_if_their_table_is_read_again_for_a_word(lake_of: Any, tmp_path: Path) -> None:
    """The columns of one table disagree about its decimal mark, so it shows none; each shows its own."""
    rows = [("AT", "1.5", "2,25"), ("", "1.234", "1,125"), ("NA", "2.5", "3,75")]
    path = tmp_path / "b.csv"
    path.write_text("code;p;q\n" + "".join(";".join(row) + "\n" for row in rows), encoding="utf-8")
    base = {"code": [*CODES, "NA"], "p": list(range(10)), "q": list(range(10))}
    assert in_doubt(mere.assemble(base, [path], method="exact")) == []


def test_other_columns_of_a_table_show_the_order_of_its_dates(tmp_path: Path) -> None:
    theirs = {"v": OPEN_DATES, "w": [f"{13 + n % 15}/1/2020" for n in range(len(OPEN_DATES))]}
    base = {"v": [f"2020-{month:02}-{day:02}" for day in range(1, 9) for month in range(1, 6)]}
    path = tmp_path / "b.csv"
    path.write_text("v,w\n" + "".join(f"{v},{w}\n" for v, w in zip(theirs["v"], theirs["w"], strict=True)))
    for given_table in ({"b.csv": theirs}, [path]):
        bundle = mere.assemble(base, given_table, method="exact")
        assert in_doubt(bundle) == [] and bundle.distinct == 40


def test_a_decimal_comma_that_few_numbers_show_is_noted_as_such(tmp_path: Path, run_index: Any) -> None:
    rows = [(f"shop {n}", f"1,{n + 100}", f"{n % 9},{n % 7}") for n in range(40)]
    write_files(tmp_path / "raw", {"b.csv": "s;v;w\n" + "".join(";".join(row) + "\n" for row in rows)})
    run_index(tmp_path / "raw")
    with mere.open(tmp_path / "lake") as opened:
        bundle = opened.assemble({"s": ["shop 1"], "v": [1]}, ["b.csv"], method="exact")
    assert in_doubt(bundle) == ["numbers in 'v' of 'b.csv' may be read otherwise: they were read with decimal commas"]
