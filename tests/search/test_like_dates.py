"""Columns of dates that a distribution is compared with: who decides whether the day or the month is first."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

import mere
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import write_files

NOTE = "'day' has dates in which the day or the month may be first: they were read with the month first"
ORDERS = {"day first": "{0.day}/{0.month}/{0.year}", "month first": "{0.month}/{0.day}/{0.year}"}


def _days(seed: int) -> list[date]:
    """Days up to the twelfth, mostly late in the month and early in the year: exchanged, they are spread otherwise."""
    random = Random(seed)
    return [date(2020, random.randint(1, 3), random.randint(8, 12)) for _ in range(40)]


def _file(days: list[date], form: str, other: str = "") -> str:
    shown = [day + timedelta(days=13) for day in days]
    rows = [
        f"{form.format(day)},{other.format(also) if other else 'x'}\n" for day, also in zip(days, shown, strict=True)
    ]
    return "day,other\n" + "".join(rows)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("dates")
    files = {
        "iso.csv": _file(_days(1), "{0.year}-{0.month:02}-{0.day:02}"),
        "unsure.csv": _file(_days(2), ORDERS["day first"]),
        "shown.csv": _file(_days(3), ORDERS["day first"], ORDERS["day first"]),
    }
    index([write_files(folder / "raw", files)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(3))
def test_a_column_whose_order_is_open_is_told(lake: Any, tmp_path: Path, order: str, seed: int) -> None:
    path = tmp_path / "q.csv"
    path.write_text(_file(_days(seed), ORDERS[order]))
    assert NOTE in lake.distribution(like=str(path), on="day", k=3).notes
    assert NOTE in lake.distribution(like="unsure.csv", on="day", k=3).notes


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(3))
def test_the_other_columns_of_its_table_decide_the_order(lake: Any, tmp_path: Path, order: str, seed: int) -> None:
    path, plain = tmp_path / "q.csv", tmp_path / "iso.csv"
    path.write_text(_file(_days(seed), ORDERS[order], ORDERS[order]))
    plain.write_text(_file(_days(seed), "{0.year}-{0.month:02}-{0.day:02}"))
    asked, expected = (lake.distribution(like=str(each), on="day", k=3, per="column") for each in (path, plain))
    assert not asked.notes
    assert [(hit.table, hit.score) for hit in asked] == [(hit.table, hit.score) for hit in expected]


def test_a_list_of_dates_has_no_table_that_decides(lake: Any) -> None:
    given = [ORDERS["day first"].format(day) for day in _days(7)]
    assert any("the query column has dates" in note for note in lake.distribution(like=given, k=3).notes)
    assert not lake.distribution(like=[*given, "13/1/2020"], k=3).notes


def test_hits_on_columns_whose_order_is_open_are_marked(lake: Any) -> None:
    hits = {hit.table: hit for hit in lake.distribution(like="iso.csv", on="day", column="day", k=5)}
    assert set(hits) == {"unsure.csv", "shown.csv"}
    assert hits["unsure.csv"].evidence.get("unsure") is True and "unsure" not in hits["shown.csv"].evidence
    assert not any(hit.exact for hit in hits.values())
