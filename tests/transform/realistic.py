"""Rows as tables have them: names, dates, codes, telephone numbers, e-mail addresses, addresses; by a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

FIRST = [
    "Ada", "Alan", "Grace", "Barbara", "Edsger", "Donald", "Tony", "John", "Frances", "Marie", "Niels", "Max",
    "Lise", "Emmy", "Otto", "Erwin", "Katherine", "Dorothy", "Hedy", "Rosalind", "Chien", "Vera", "Jocelyn",
    "Subrahmanyan", "Srinivasa", "Sofia", "Maryam", "Henri", "Carl", "Leonhard",
]  # fmt: skip
MIDDLE = ["Quincy", "Delano", "Walker", "Fitzgerald", "Milhous", "Rudolph", "Jefferson", "Herbert"]
LAST = [
    "Lovelace", "Turing", "Hopper", "Liskov", "Dijkstra", "Knuth", "Hoare", "Backus", "Allen", "Curie", "Bohr",
    "Planck", "Meitner", "Noether", "Hahn", "Schroedinger", "Johnson", "Vaughan", "Lamarr", "Franklin", "Wu",
    "Rubin", "Burnell", "Ramanujan", "Kovalevskaya", "Mirzakhani", "Gauss", "Euler",
]  # fmt: skip
STREETS = ["Oak", "Main", "Elm", "Station", "Church", "Mill", "Park", "Castle", "Harbour", "Forest"]
KINDS = ("Street", "Road", "Avenue", "Lane")
CITIES = [
    "Vienna", "Windhoek", "Bern", "Lisbon", "Porto", "Krakow", "Leeds", "Ghent", "Turin", "Oslo", "Lyon", "Graz",
    "Malmo", "Cork", "Bath",
]  # fmt: skip
HOSTS = ("example.org", "mail.example.com", "lake.test")

Row = tuple[str | None, ...]
Maker = Callable[[random.Random], Row]


def rows_of(make: Maker, count: int, seed: int) -> list[Row]:
    """Different rows."""
    rng = random.Random(seed)
    found: dict[Row, None] = {}
    while len(found) < count:
        found[make(rng)] = None
    return list(found)


def name(rng: random.Random) -> Row:
    return (f"{rng.choice(FIRST)} {rng.choice(LAST)}",)


def turned_name(rng: random.Random) -> Row:
    return (f"{rng.choice(LAST)}, {rng.choice(FIRST)}",)


def long_name(rng: random.Random) -> Row:
    """With one or two first names."""
    middle = f" {rng.choice(MIDDLE)}" if rng.random() < 0.5 else ""
    return (f"{rng.choice(FIRST)}{middle} {rng.choice(LAST)}",)


def name_columns(rng: random.Random) -> Row:
    return rng.choice(FIRST), rng.choice(LAST)


def person_with_years(rng: random.Random) -> Row:
    born = rng.randrange(1700, 1990)
    died = born + rng.randrange(30, 95)
    return (f"{rng.choice(LAST)}, {rng.choice(FIRST)}({born}-{died})",)


def day(rng: random.Random) -> date:
    return date(1950, 1, 1) + timedelta(days=rng.randrange(25_000))


def iso_date(rng: random.Random) -> Row:
    return (day(rng).isoformat(),)


def written_date(rng: random.Random) -> Row:
    made = day(rng)
    return (f"{made:%B} {made.day}, {made.year}",)


def short_month_date(rng: random.Random) -> Row:
    made = day(rng)
    return (f"{made.day}-{made:%b}-{made.year}",)


def code(rng: random.Random) -> Row:
    letters = "".join(rng.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=3))
    return (f"{letters}-{rng.randrange(10_000):04}-{rng.choice('QRTX')}{rng.randrange(10)}",)


def number(rng: random.Random) -> Row:
    return (str(rng.randrange(1, 10 ** rng.randrange(2, 6))),)


def padded_number(rng: random.Random) -> Row:
    return (f"{rng.randrange(1, 10 ** rng.randrange(2, 7)):06}",)


def phone(rng: random.Random) -> Row:
    return (f"({rng.randrange(200, 999)}) {rng.randrange(200, 999)}-{rng.randrange(10_000):04}",)


def email(rng: random.Random) -> Row:
    return (f"{rng.choice(FIRST)}.{rng.choice(LAST)}{rng.randrange(100)}@{rng.choice(HOSTS)}".lower(),)


def address(rng: random.Random) -> Row:
    postcode = f"{rng.choice('ABDEGHKLNRS')}{rng.randrange(1000, 9999)}"
    street = f"{rng.randrange(1, 300)} {rng.choice(STREETS)} {rng.choice(KINDS)}"
    return (f"{street}, {postcode} {rng.choice(CITIES)}",)
