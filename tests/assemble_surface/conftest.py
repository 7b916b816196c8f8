"""A lake of small tables that hold many of the same rows, and a base."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import mere
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import write_files

CITIES = ["Graz", "Linz", "Wien", "Bern", "Oslo", "Rome", "Kyiv", "Cork"]
ROWS = [(city, 10 * number + n, f"2024-0{number + 1}-1{n}") for number, city in enumerate(CITIES) for n in range(5)]


def table(rows: list[tuple[str, int, str]], header: str = "city,amount,day") -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


RAW = {
    "shops/north.csv": table(ROWS[:20]),
    "shops/south.csv": table(ROWS[15:35]),
    "shops/copy.csv": table(ROWS[2:12], "City,AMOUNT,Day"),
    "shops/wide.csv": "id,city,amount,day\n" + "".join(f"{n},{c},{a},{d}\n" for n, (c, a, d) in enumerate(ROWS[30:])),
    "other/words.csv": "town,amount,day\nGraz,much,2024-01-10\nLinz,little,2024-01-11\n",
    "other/people.csv": "name,age\nAda,36\nAlan,41\n",
    "shops/datapackage.json": json.dumps(
        {"licenses": [{"name": "CC-BY-4.0"}], "resources": [{"path": "north.csv", "licenses": [{"name": "CC0-1.0"}]}]}
    ),
}
BASE = {"city": [row[0] for row in ROWS[:5]], "amount": [row[1] for row in ROWS[:5]], "day": [r[2] for r in ROWS[:5]]}
SHOPS = ["shops/copy.csv", "shops/north.csv", "shops/south.csv", "shops/wide.csv"]


@pytest.fixture(scope="package")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with `raw` and `lake`."""
    folder = tmp_path_factory.mktemp("assemble")
    write_files(folder / "raw", RAW)
    index([folder / "raw"], folder / "lake", engine=Inline())
    return folder


@pytest.fixture
def lake(indexed: Path) -> Iterator[mere.Lake]:
    with mere.open(indexed / "lake") as opened:
        yield opened
