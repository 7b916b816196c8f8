"""The tables of a fictional trading company, Harbour & Vale, with real keys between them.

    customers ─customer_id─ orders ─order_id─ order_lines ─sku─ products
                              ├─order_id─ shipments, invoices, returns
                              └─store_id─ stores ─store_id─ employees

The same people and countries are written in several ways: see `office.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

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
    records,
)
from mere.demo.world import COUNTRIES, FIRST_NAMES, LAST_NAMES, STATES, pick, plain, stream

CUSTOMERS = 1200
ORDERS = 6000
STORES = 40
OVERLAP = timedelta(days=3)  # a monthly file repeats the last days of the month before


@dataclass(frozen=True)
class Company:
    seed: int
    customers: Columns
    stores: Columns
    products: Columns
    orders: Columns
    lines: Columns


def create(seed: int) -> Company:
    customers, products = _customers(seed), _products(seed)
    orders, lines = _orders(seed, customers, products)
    return Company(seed, customers, _stores(seed), products, orders, lines)


def files(company: Company) -> Files:
    yield "sales/customers.csv", as_csv(company.customers)
    yield "sales/products.csv", as_csv(company.products)
    yield "sales/order_lines.parquet", as_parquet(company.lines)
    yield "sales/stores.csv", as_csv(company.stores)
    yield "sales/promotions.xlsx", as_xlsx(_promotions(company))
    for month in range(1, 13):
        yield f"sales/orders/orders_2024-{month:02}.csv", as_csv(_month(company.orders, month))
    yield "logistics/shipments.tsv", as_tsv(_shipments(company))
    yield "logistics/carriers.json", as_json(list(records(_CARRIERS)))
    yield "logistics/warehouses.csv", as_csv(_warehouses(company.seed))
    yield "logistics/pallets.csv", as_csv(_pallets(company.seed))
    yield "logistics/returns.jsonl.gz", as_gzip(as_jsonl(_returns(company)))
    yield "finance/invoices.csv.gz", as_gzip(as_csv(_invoices(company)))


def rows(table: Columns, keep: list[bool]) -> Columns:
    return {name: [v for v, k in zip(column, keep, strict=True) if k] for name, column in table.items()}


def people(rng: np.random.Generator, count: int) -> tuple[list[str], list[str]]:
    """First and last names; all pairs are different, so that a full name is a key."""
    chosen = rng.choice(len(FIRST_NAMES) * len(LAST_NAMES), count, replace=False).tolist()
    first = [FIRST_NAMES[c % len(FIRST_NAMES)] for c in chosen]
    return first, [LAST_NAMES[c // len(FIRST_NAMES)] for c in chosen]


def days(rng: np.random.Generator, start: date, span: int, count: int) -> list[date]:
    return [start + timedelta(days=d) for d in rng.integers(span, size=count).tolist()]


def ages(rng: np.random.Generator, mean: float, spread: float, count: int) -> list[int]:
    return np.clip(rng.normal(mean, spread, count), 18, 95).astype(int).tolist()


def amounts(rng: np.random.Generator, middle: float, count: int) -> list[float]:
    """Lognormal, like most amounts of money."""
    return (middle * rng.lognormal(0, 0.8, count)).round(2).tolist()


def _customers(seed: int) -> Columns:
    rng = stream(seed, "customers")
    # One customer per country first, so that rare codes (NA is Namibia) occur; then a few countries dominate.
    favourites = rng.permutation(len(COUNTRIES))
    skewed = favourites[(rng.random(CUSTOMERS - len(COUNTRIES)) ** 2 * len(COUNTRIES)).astype(int)]
    homes = [*COUNTRIES, *(COUNTRIES[i] for i in skewed)]
    first, last = people(rng, CUSTOMERS)
    return {
        "customer_id": [f"C{n:05}" for n in range(1, CUSTOMERS + 1)],
        "first_name": first,
        "last_name": last,
        "email": [f"{plain(f)}.{plain(n)}@example.com" for f, n in zip(first, last, strict=True)],
        "city": [pick(rng, home.cities, 1)[0] for home in homes],
        "country": [home.iso2 for home in homes],
        "segment": pick(rng, ["consumer", "corporate", "public sector"], CUSTOMERS),
        "age": ages(rng, 46, 11, CUSTOMERS),
        "since": days(rng, date(2012, 1, 1), 4300, CUSTOMERS),
    }


def _stores(seed: int) -> Columns:
    rng = stream(seed, "stores")
    codes, names, cities = zip(*STATES[:STORES], strict=True)
    return {
        "store_id": list(range(1, STORES + 1)),
        "city": list(cities),
        "state": list(codes),
        "state_name": list(names),
        "opened": days(rng, date(1998, 3, 1), 8000, STORES),
        "floor_sqft": (rng.integers(20, 180, STORES) * 100).tolist(),
    }


_MATERIALS = ["oak", "walnut", "steel", "linen", "wool", "ceramic", "glass", "cork", "bamboo", "copper"]
_GOODS = {
    "furniture": ["bench", "desk", "shelf", "stool", "cabinet"],
    "kitchen": ["bowl", "kettle", "tray", "jug", "board"],
    "textiles": ["blanket", "curtain", "rug", "cushion", "towel"],
    "lighting": ["lamp", "lantern", "sconce", "pendant", "spotlight"],
}


def _products(seed: int) -> Columns:
    rng = stream(seed, "products")
    goods = [
        (f"{material} {thing}", category)
        for category, things in _GOODS.items()
        for thing in things
        for material in _MATERIALS
    ]
    return {
        "sku": [f"{n:03}" for n in range(1, len(goods) + 1)],  # 007 is not 7
        "product": [name for name, _ in goods],
        "category": [category for _, category in goods],
        "unit_price": amounts(rng, 45, len(goods)),
        "discontinued": (rng.random(len(goods)) < 0.1).tolist(),
    }


def _orders(seed: int, customers: Columns, products: Columns) -> tuple[Columns, Columns]:
    rng = stream(seed, "orders")
    ids = [f"SO-{100_000 + n}" for n in range(1, ORDERS + 1)]
    sizes = rng.integers(1, 5, ORDERS)
    sold = rng.integers(len(products["sku"]), size=sizes.sum()).tolist()
    quantities = rng.integers(1, 9, len(sold)).tolist()
    owner = np.repeat(np.arange(ORDERS), sizes)
    prices = [products["unit_price"][i] for i in sold]
    totals = np.bincount(owner, np.multiply(prices, quantities)).round(2).tolist()
    lines = {
        "order_id": [ids[o] for o in owner],
        "line": np.concatenate([np.arange(1, size + 1) for size in sizes]).tolist(),
        "sku": [products["sku"][i] for i in sold],
        "quantity": quantities,
        "unit_price": prices,
    }
    orders = {
        "order_id": ids,
        "customer_id": pick(rng, customers["customer_id"], ORDERS),
        "order_date": sorted(days(rng, date(2024, 1, 1), 366, ORDERS)),
        "store_id": rng.integers(1, STORES + 1, ORDERS).tolist(),
        "status": pick(rng, ["open", "shipped", "shipped", "shipped", "cancelled"], ORDERS),
        "total": totals,
    }
    return orders, lines


def _month(orders: Columns, month: int) -> Columns:
    first = date(2024, month, 1)
    after = date(2024 + month // 12, month % 12 + 1, 1)
    return rows(orders, [first - OVERLAP <= day < after for day in orders["order_date"]])


def _promotions(company: Company) -> dict[str, Columns]:
    rng = stream(company.seed, "promotions")
    codes = [f"{season}{year}" for year in (22, 23, 24) for season in ("SPRING", "SUMMER", "AUTUMN", "WINTER")]
    campaigns: Columns = {
        "campaign": codes,
        "starts": [f"20{code[-2:]}-{3 * i % 12 + 1:02}-01" for i, code in enumerate(codes)],
        "budget_eur": amounts(rng, 20_000, len(codes)),
    }
    discounts: Columns = {
        "campaign": pick(rng, codes, 90),
        "sku": pick(rng, company.products["sku"], 90),
        "percent_off": (rng.integers(1, 9, 90) * 5).tolist(),
    }
    return {"campaigns": campaigns, "discounts": discounts}


_CARRIERS: Columns = {
    "carrier": ["GLF", "HMB", "NRD", "PKT", "TRX"],
    "name": ["Gulf Freight", "Hamburg Haulage", "Nordic Parcel", "Pocket Post", "Trans-Express"],
    "phone": [
        "0049 40 5550 101",
        "0049 40 5550 102",
        "0047 55 5501 03",
        "0044 113 555 0104",
        "0033 4 5550 105",
    ],
}


def _shipments(company: Company) -> Columns:
    rng = stream(company.seed, "shipments")
    shipped = rows(company.orders, [status == "shipped" for status in company.orders["status"]])
    count = len(shipped["order_id"])
    names = {c.iso2: c.name for c in COUNTRIES}
    home = dict(zip(company.customers["customer_id"], company.customers["country"], strict=True))
    return {
        "shipment": [f"H{n:06}" for n in rng.permutation(900_000)[:count].tolist()],
        "order_id": shipped["order_id"],
        "carrier": pick(rng, _CARRIERS["carrier"], count),
        "shipped_on": [
            day + timedelta(days=w)
            for day, w in zip(shipped["order_date"], rng.integers(1, 9, count).tolist(), strict=True)
        ],
        "destination": [names[home[customer]] for customer in shipped["customer_id"]],
        "weight_kg": rng.gamma(2, 6, count).round(1).tolist(),
    }


def _warehouses(seed: int) -> Columns:
    homes = pick(stream(seed, "warehouses"), COUNTRIES, 12)
    return {
        "site": list(range(1, 13)),
        "city": [home.cities[-1] for home in homes],
        "country": [home.iso3 for home in homes],
    }


def _pallets(seed: int) -> Columns:
    """Ids from 1 to 500: they are contained in the ids of other tables, to which they are not related."""
    rng = stream(seed, "pallets")
    return {
        "id": list(range(1, 501)),
        "site": rng.integers(1, 13, 500).tolist(),
        "aisle": rng.integers(1, 31, 500).tolist(),
        "boxes": rng.integers(1, 41, 500).tolist(),
    }


def _returns(company: Company) -> Columns:
    rng = stream(company.seed, "returns")
    return {
        "order_id": pick(rng, company.orders["order_id"], 350),
        "reason": pick(rng, ["damaged", "too late", "wrong colour", "changed mind"], 350),
        "received": days(rng, date(2024, 1, 15), 360, 350),
        "refund": amounts(rng, 80, 350),
    }


def _invoices(company: Company) -> Columns:
    buyers = {r["customer_id"]: r for r in records(company.customers)}
    currencies = {c.iso2: c.currency for c in COUNTRIES}
    billed = [r for r in records(company.orders) if r["status"] != "cancelled"]
    return {
        "invoice": [f"INV/2024/{n:05}" for n in range(1, len(billed) + 1)],
        "order_no": [r["order_id"] for r in billed],
        "billed_to": ["{last_name}, {first_name}".format(**buyers[r["customer_id"]]) for r in billed],
        "issued": [r["order_date"].strftime("%d.%m.%Y") for r in billed],
        "amount": [r["total"] for r in billed],
        "currency": [currencies[buyers[r["customer_id"]]["country"]] for r in billed],
    }
