"""Tables of a public data portal: real places; fictional clinics, sport and energy.

At the northern clinic, ages are bimodal: at least 30 % of the patients are under 40, and at least 30 % over 60.
At the other clinics, ages have a normal distribution.
"""

from __future__ import annotations

from datetime import date

import numpy as np

from mere.demo.company import ages, amounts, days
from mere.demo.encode import Columns, Files, as_csv, as_gzip, as_json, as_jsonl, as_parquet, as_tsv, records
from mere.demo.world import COUNTRIES, OTHER_NAMES, STATES, pick, stream


def files(seed: int) -> Files:
    yield from _geography()
    yield from _health(seed)
    yield from _sport(seed)
    yield from _society(seed)


def _geography() -> Files:
    yield "geography/country_codes.csv", as_csv(country_codes())
    others = [(c.name, OTHER_NAMES.get(c.iso2, c.name), c.iso2) for c in COUNTRIES]
    name, other, code = zip(*others, strict=True)
    yield "geography/country_names.tsv", as_tsv({"name": name, "also_called": other, "code": code})
    cities = [(city, c.iso2, city == c.cities[0]) for c in COUNTRIES for city in c.cities]
    city, country, capital = zip(*cities, strict=True)
    yield "geography/cities.csv", as_csv({"city": city, "country": country, "is_capital": capital})
    states: Columns = {"state": [s.code for s in STATES], "name": [s.name for s in STATES]}
    yield "geography/us_states.csv", as_csv(states)
    currencies = [
        {"currency": code, "used_in": [c.name for c in COUNTRIES if c.currency == code]}
        for code in sorted({c.currency for c in COUNTRIES})
    ]
    yield "geography/currencies.json", as_json(currencies)


def country_codes() -> Columns:
    return {
        "iso2": [c.iso2 for c in COUNTRIES],
        "iso3": [c.iso3 for c in COUNTRIES],
        "numeric": [c.numeric for c in COUNTRIES],
        "country": [c.name for c in COUNTRIES],
        "capital": [c.cities[0] for c in COUNTRIES],
        "currency": [c.currency for c in COUNTRIES],
    }


def _health(seed: int) -> Files:
    yield "health/clinic_north_patients.csv", as_csv(_patients(seed, "north", 700, bimodal=True))
    yield "health/clinic_east_patients.csv", as_csv(_patients(seed, "east", 500, bimodal=False))
    yield "health/clinic_south_patients.csv", as_csv(_patients(seed, "south", 600, bimodal=False))
    yield "health/sleep_study.parquet", as_parquet(_sleep(seed))
    yield "health/vaccination_by_country_year.csv.gz", as_gzip(as_csv(_vaccination(seed)))


def _bimodal_ages(rng: np.random.Generator, count: int) -> list[int]:
    """45 % around 28 and 45 % around 72: more than 30 % on each side, whatever the seed."""
    young, old = round(count * 0.45), round(count * 0.45)
    parts = [rng.normal(28, 4, young), rng.normal(72, 4, old), rng.normal(50, 5, count - young - old)]
    return rng.permutation(np.clip(np.concatenate(parts), 18, 95)).astype(int).tolist()


def _patients(seed: int, clinic: str, count: int, bimodal: bool) -> Columns:
    rng = stream(seed, f"clinic {clinic}")
    return {
        "patient": [f"{clinic[0].upper()}{n:04}" for n in range(1, count + 1)],
        "age": _bimodal_ages(rng, count) if bimodal else ages(rng, 50, 8, count),
        "sex": pick(rng, ["F", "M"], count),
        "admitted": days(rng, date(2023, 1, 1), 700, count),
        "diagnosis": pick(rng, ["fracture", "influenza", "asthma", "hypertension", "migraine"], count),
        "nights": rng.poisson(3, count).tolist(),
    }


def _sleep(seed: int) -> Columns:
    rng = stream(seed, "sleep")
    return {
        "participant": list(range(1, 301)),
        "age_years": _bimodal_ages(rng, 300),
        "hours": rng.normal(7, 1, 300).round(1).tolist(),
        "caffeine_mg": rng.gamma(2, 70, 300).round(0).tolist(),
    }


def _vaccination(seed: int) -> Columns:
    rng = stream(seed, "vaccination")
    pairs = [(c.name, year) for c in COUNTRIES for year in range(2005, 2021)]
    return {
        "Country": [country for country, _ in pairs],
        "Year": [year for _, year in pairs],
        "coverage_pct": np.clip(rng.normal(84, 9, len(pairs)), 0, 100).round(1).tolist(),
    }


def _sport(seed: int) -> Files:
    rng = stream(seed, "sport")
    clubs = [f"{state.city} {name}" for state in STATES[::5] for name in ("Herons", "Millers", "Comets")]
    # AL and NL are leagues here; elsewhere AL is Alabama, and NL the Netherlands.
    leagues = ["AL" if n % 2 else "NL" for n in range(len(clubs))]
    yield (
        "sport/clubs.csv",
        as_csv({"club": clubs, "league": leagues, "founded": rng.integers(1901, 1999, len(clubs)).tolist()}),
    )
    home, away = pick(rng, clubs, 600), pick(rng, clubs, 600)
    score = rng.poisson(4.3, (2, 600)).tolist()
    games: Columns = {"played": sorted(days(rng, date(2024, 4, 1), 180, 600)), "home": home, "away": away}
    yield "sport/games_2024.csv", as_csv({**games, "home_runs": score[0], "away_runs": score[1]})
    medals = [
        {"noc": c.iso3, "gold": g, "silver": s, "bronze": b}
        for c, (g, s, b) in zip(COUNTRIES, rng.poisson(2, (len(COUNTRIES), 3)).tolist(), strict=True)
    ]
    yield "sport/regatta_medals.json", as_json(medals)


def _society(seed: int) -> Files:
    rng = stream(seed, "society")
    hosts = pick(rng, COUNTRIES, 150)
    kinds = pick(rng, ["Film", "Jazz", "Book"], 150)
    festivals: Columns = {
        "festival": [f"{kind} days {n}" for n, kind in enumerate(kinds, 1)],
        "city": [pick(rng, host.cities, 1)[0] for host in hosts],
        "country": [host.name for host in hosts],
        "visitors": rng.integers(500, 90_000, 150).tolist(),
    }
    yield "culture/festivals.jsonl", as_jsonl(festivals)
    pairs = [(c.iso3, year) for c in COUNTRIES for year in range(2015, 2024)]
    iso, years = zip(*pairs, strict=True)
    tariffs = {"iso": iso, "year": years, "eur_per_kwh": amounts(rng, 0.18, len(pairs))}
    yield "energy/electricity_tariffs.csv", as_csv(tariffs)
    libraries: Columns = {
        "numeric_code": [c.numeric for c in COUNTRIES],
        "libraries": rng.integers(90, 9000, len(COUNTRIES)).tolist(),
    }
    yield "culture/libraries.json", as_json(list(records(libraries)))
