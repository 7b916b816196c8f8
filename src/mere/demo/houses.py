"""Sold houses: tables that are offered for a price, and that hold many of the same rows.

my_houses.csv                 the user's own: what one agency sold
my_prices.csv                 what the tables below cost
housing/houses_north.csv      all sales in the north of the city
housing/houses_south.csv      ... and in the south
housing/houses_west.csv       ... and in the west
housing/houses_spring.csv     ... and of one season, in the north and the south
housing/houses_harbour.csv    ... and in one district of the north: the table of the north holds all of it
"""

from __future__ import annotations

from datetime import date

from mere.demo.company import amounts, days, rows
from mere.demo.encode import Columns, Files, as_csv
from mere.demo.world import pick, stream

HOUSES, PRICES = "my_houses.csv", "my_prices.csv"
_SOLD = 2400
_NORTH = ["Harbour", "Lighthouse", "Old Town"]
_SOUTH = ["Mill Lane", "Orchard", "Station"]
_WEST = ["Airfield"]
_PRICES = {"houses_north": 60, "houses_south": 45, "houses_west": 40, "houses_spring": 30, "houses_harbour": 25}


def files(seed: int) -> Files:
    """The tables that are offered."""
    sold = _sold(seed)
    areas = {"north": _NORTH, "south": _SOUTH, "west": _WEST, "harbour": _NORTH[:1]}
    for name, districts in areas.items():
        yield f"housing/houses_{name}.csv", as_csv(rows(sold, [each in districts for each in sold["district"]]))
    seasons = [date(2024, 3, 1) <= day < date(2024, 6, 1) for day in sold["sold_on"]]
    spring = [now and district not in _WEST for now, district in zip(seasons, sold["district"], strict=True)]
    yield "housing/houses_spring.csv", as_csv(rows(sold, spring))


def my_files(seed: int) -> Files:
    """The user's own table, and the prices of the others."""
    sold = _sold(seed)
    mine = stream(seed, "my houses").random(_SOLD) < 0.1
    yield HOUSES, as_csv(rows(sold, mine.tolist()))
    yield PRICES, as_csv({"table": list(_PRICES), "price": list(_PRICES.values())})


def _sold(seed: int) -> Columns:
    """All houses that were sold in a year."""
    rng = stream(seed, "houses")
    return {
        "district": pick(rng, [*_NORTH, *_NORTH[:1], *_SOUTH, *_WEST], _SOLD),
        "rooms": rng.integers(1, 9, _SOLD).tolist(),
        "area_m2": (rng.gamma(6, 18, _SOLD) + 25).round().astype(int).tolist(),
        "sold_on": days(rng, date(2024, 1, 1), 366, _SOLD),
        "paid_eur": [round(amount, -2) for amount in amounts(rng, 320_000, _SOLD)],
    }
