"""Further tables of the company: people, money per country and year, suppliers, web, sensors.

Here the same thing is written differently: 'first last', 'LAST, First', a user name, an e-mail address;
ISO codes of two and three letters, numbers with zeros in front, names of countries and their other names.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np

from mere.demo.company import STORES, Company, ages, amounts, days, people, rows
from mere.demo.encode import Columns, Files, as_csv, as_gzip, as_json, as_jsonl, as_parquet, as_xlsx, records
from mere.demo.world import COUNTRIES, OTHER_NAMES, pick, plain, stream

EMPLOYEES = 400
DEPARTMENTS = ["Buying", "Finance", "Logistics", "Marketing", "People", "Sales", "Technology"]
YEARS = range(2008, 2025)


def files(company: Company) -> Files:
    yield from _people(company)
    yield from _money(company)
    yield from _suppliers(company.seed)
    yield from _web(company)
    yield from _telemetry(company.seed)


def _people(company: Company) -> Files:
    staff = employees(company.seed)
    yield "people/employees.csv", as_csv(staff)
    yield (
        "people/payroll.xlsx",
        as_xlsx({str(year): _payroll(company.seed, staff, year) for year in (2023, 2024)}),
    )
    yield "people/training.csv", as_csv(_training(company.seed, staff))
    yield "people/org_chart.json", as_json(_org_chart(staff))
    yield "people/survey_2024.csv", as_csv(_survey(company))
    yield "people/loyalty_members.parquet", as_parquet(_loyalty(company))


def employees(seed: int) -> Columns:
    rng = stream(seed, "employees")
    first, last = people(rng, EMPLOYEES)
    logins = [f"{plain(f)[0]}{plain(n)}"[:8] for f, n in zip(first, last, strict=True)]
    return {
        "employee_id": list(range(1, EMPLOYEES + 1)),
        "full_name": [f"{f} {n}" for f, n in zip(first, last, strict=True)],
        "username": logins,
        "email": [f"{plain(f)}.{plain(n)}@harbourvale.example" for f, n in zip(first, last, strict=True)],
        "department": pick(rng, DEPARTMENTS, EMPLOYEES),
        "store_id": rng.integers(1, STORES + 1, EMPLOYEES).tolist(),
        "age": ages(rng, 41, 9, EMPLOYEES),
        "hired": days(rng, date(2005, 1, 1), 7000, EMPLOYEES),
    }


def _payroll(seed: int, staff: Columns, year: int) -> Columns:
    rng = stream(seed, f"payroll {year}")
    names = [name.rsplit(" ", 1) for name in staff["full_name"]]
    return {
        "Employee": [f"{last.upper()}, {first}" for first, last in names],
        "Grade": rng.integers(3, 12, len(names)).tolist(),
        "Salary": amounts(rng, 42_000, len(names)),
    }


def _training(seed: int, staff: Columns) -> Columns:
    rng = stream(seed, "training")
    return {
        "login": pick(rng, staff["username"], 600),
        "course": pick(rng, ["first aid", "forklift", "data protection", "negotiation", "spreadsheets"], 600),
        "passed": days(rng, date(2021, 1, 1), 1400, 600),
    }


def _org_chart(staff: Columns) -> dict[str, object]:
    """Nested on purpose: departments contain people, people have contact details."""
    members: dict[str, list[object]] = {name: [] for name in DEPARTMENTS}
    for r in records(staff):
        contact = {"email": r["email"], "store": {"id": r["store_id"]}}
        members[r["department"]].append({"name": r["full_name"], "contact": contact})
    return {
        "company": "Harbour & Vale",
        "departments": [{"name": n, "members": m} for n, m in members.items()],
    }


_REMARKS = [
    "",
    "",
    "",
    "Fine.",
    "Delivery was late,\nbut the driver was kind.",
    'They call it "express".\n\nIt is not.',
]


def _survey(company: Company) -> Columns:
    """The key is three columns together: first name, last name and city; remarks have several lines."""
    rng = stream(company.seed, "survey")
    respondents = rows(company.customers, (rng.random(len(company.customers["city"])) < 0.4).tolist())
    count = len(respondents["city"])
    answers = {f"q{n}": rng.integers(1, 6, count).tolist() for n in range(1, 6)}
    names = {
        "First name": respondents["first_name"],
        "Surname": respondents["last_name"],
        "City": respondents["city"],
    }
    return {**names, **answers, "remarks": pick(rng, _REMARKS, count)}


def _loyalty(company: Company) -> Columns:
    rng = stream(company.seed, "loyalty")
    members = rows(company.customers, (rng.random(len(company.customers["city"])) < 0.7).tolist())
    count = len(members["email"])
    return {
        "email": members["email"],
        "age": members["age"],
        "points": rng.integers(0, 5000, count).tolist(),
        "tier": pick(rng, ["bronze", "bronze", "silver", "gold"], count),
    }


def _money(company: Company) -> Files:
    seed = company.seed
    yield "finance/revenue_by_country_year.csv", as_csv(_per_country_year(seed, "revenue", "country", "name"))
    yield (
        "finance/targets_by_country_year.parquet",
        as_parquet(_per_country_year(seed, "target", "iso3", "iso3")),
    )
    headcount = _per_country_year(seed, "headcount", "code", "iso2")
    headcount["headcount"] = [round(wage_bill / 6000) for wage_bill in headcount["headcount"]]
    headcount["year"] = [float(year) for year in headcount["year"]]  # as in an export of a column with empty cells
    yield "finance/headcount_by_country_year.csv", as_csv(headcount)
    for year in range(2021, 2025):
        yield f"finance/budgets/budget_{year}.csv", as_csv(_budget(seed, year))
    yield "finance/fx_rates.csv", as_csv(_rates(seed))
    yield "finance/credit_check.csv", as_csv(_credit(company))


def _per_country_year(seed: int, measure: str, header: str, spelling: str) -> Columns:
    pairs = [(getattr(country, spelling), year) for country in COUNTRIES for year in YEARS]
    keys, years = zip(*pairs, strict=True)
    return {
        header: list(keys),
        "year": list(years),
        measure: amounts(stream(seed, measure), 90_000, len(pairs)),
    }


def _budget(seed: int, year: int) -> Columns:
    rng = stream(seed, f"budget {year}")
    pairs = [(OTHER_NAMES.get(c.iso2, c.name), d) for c in COUNTRIES for d in DEPARTMENTS if rng.random() < 0.5]
    return {
        "country": [country for country, _ in pairs],
        "department": [department for _, department in pairs],
        "year": [year] * len(pairs),
        "budget": amounts(rng, 15_000, len(pairs)),
    }


def _rates(seed: int) -> Columns:
    rng = stream(seed, "rates")
    codes = sorted({c.currency for c in COUNTRIES} - {"EUR"})
    months = [f"2024-{month:02}" for month in range(1, 13)]
    start = rng.lognormal(1.5, 1.5, (len(codes), 1))
    paths = start * np.exp(rng.normal(0, 0.01, (len(codes), 12)).cumsum(axis=1))
    return {
        "currency": [code for code in codes for _ in months],
        "month": months * len(codes),
        "per_eur": paths.round(4).ravel().tolist(),
    }


def _credit(company: Company) -> Columns:
    rng = stream(company.seed, "credit")
    checked = rows(company.customers, [s == "corporate" for s in company.customers["segment"]])
    names = zip(checked["first_name"], checked["last_name"], strict=True)
    return {
        "name": [f"{first} {last}" for first, last in names],
        "town": checked["city"],
        "score": rng.integers(300, 851, len(checked["city"])).tolist(),
    }


_TRADES = ["Paper", "Timber", "Ceramics", "Textiles", "Glassworks", "Metals", "Packaging"]
_BIRDS = [
    "Kestrel",
    "Heron",
    "Plover",
    "Osprey",
    "Curlew",
    "Avocet",
    "Dunlin",
    "Merlin",
    "Bittern",
    "Whimbrel",
]


def _suppliers(seed: int) -> Files:
    """Two lists of the same names, one with typing errors: few are equal, nearly all are similar."""
    rng = stream(seed, "suppliers")
    firms = [f"{bird} {trade} Limited" for bird in _BIRDS for trade in _TRADES]
    listed: Columns = {"supplier": firms, "country": [c.name for c in pick(rng, COUNTRIES, len(firms))]}
    typed = [_typed(firm, variant) for firm, variant in zip(firms, rng.integers(5, size=len(firms)), strict=True)]
    rated: Columns = {"vendor": typed, "stars": rng.integers(1, 6, len(firms)).tolist()}
    yield "purchasing/suppliers.csv", as_csv(listed)
    yield "purchasing/vendor_ratings.csv", as_csv(rated)


def _typed(firm: str, variant: int) -> str:
    middle = len(firm) // 2
    swapped = firm[: middle - 1] + firm[middle] + firm[middle - 1] + firm[middle + 1 :]
    return [firm, firm.replace("Limited", "Ltd."), firm.upper(), firm[:3] + firm[4:], swapped][variant]


def _web(company: Company) -> Files:
    for day in (1, 2, 3):
        log = as_jsonl(_web_log(company, day))
        yield (
            (f"web/web_log_2024-06-{day:02}.jsonl", log)
            if day < 3
            else (f"web/web_log_2024-06-{day:02}.jsonl.gz", as_gzip(log))
        )
    rng = stream(company.seed, "newsletter")
    addresses = pick(rng, company.customers["email"], 500)
    yield (
        "web/newsletter.csv",
        as_csv(
            {
                "address": [a.upper() if a < "d" else a for a in addresses],
                "opted_in": days(rng, date(2022, 1, 1), 900, 500),
            }
        ),
    )


def _web_log(company: Company, day: int) -> Columns:
    rng, count = stream(company.seed, f"web {day}"), 2500
    seconds = np.sort(rng.integers(86_400, size=count)).tolist()
    users = pick(rng, company.customers["email"], count)
    return {
        "at": [(datetime(2024, 6, day) + timedelta(seconds=s)).isoformat() for s in seconds],
        "user": [user if logged_in else None for user, logged_in in zip(users, rng.random(count) < 0.6, strict=True)],
        "path": [f"/product/{sku}" for sku in pick(rng, company.products["sku"], count)],
        "status": pick(rng, [200] * 18 + [404, 500], count),
        "ms": rng.gamma(2, 40, count).astype(int).tolist(),
        "country": [c.iso2 for c in pick(rng, COUNTRIES, count)],
    }


def _telemetry(seed: int) -> Files:
    rng = stream(seed, "sensors")
    sensors = [f"TH-{n:03}" for n in range(1, 49)]
    yield (
        "telemetry/sensors.csv",
        as_csv(
            {
                "sensor": sensors,
                "site": rng.integers(1, 13, 48).tolist(),
                "installed": days(rng, date(2019, 1, 1), 1500, 48),
            }
        ),
    )
    for month in range(1, 5):
        readings = _readings(seed, sensors, month)
        if month % 2:
            yield f"telemetry/readings_2024-{month:02}.parquet", as_parquet(readings)
        else:
            yield f"telemetry/readings_2024-{month:02}.csv.gz", as_gzip(as_csv(readings))
    offsets = [{"sensor": s, "offset": o} for s, o in zip(sensors, rng.normal(0, 0.2, 48).round(3), strict=True)]
    yield "telemetry/calibration.json", as_json({"made": "2024-01-08", "unit": "celsius", "records": offsets})


def _readings(seed: int, sensors: list[str], month: int) -> Columns:
    rng, count = stream(seed, f"readings {month}"), 4000
    minutes = np.sort(rng.integers(28 * 24 * 60, size=count)).tolist()
    return {
        "sensor": pick(rng, sensors, count),
        "at": [str(datetime(2024, month, 1) + timedelta(minutes=m)) for m in minutes],
        "temperature": rng.normal(17, 3, count).round(1).tolist(),
        "humidity": rng.normal(55, 9, count).round(0).tolist(),
    }
