"""The same people in three tables of the user, written in three ways: a staff list, badges, and mailboxes.

my_staff.csv       Dahl, Fatima (1974-)
my_badges.csv      Fatima Dahl
my_mailboxes.csv   f.dahl@harbour.example
"""

from __future__ import annotations

from datetime import date

from mere.demo.company import days
from mere.demo.encode import Columns, Files, as_csv
from mere.demo.world import FIRST_NAMES, LAST_NAMES, pick, plain, stream

STAFF, BADGES, MAILBOXES = "my_staff.csv", "my_badges.csv", "my_mailboxes.csv"
_PEOPLE = 30
_VISITORS = 4  # have a badge, and are not in the staff list
_DEPARTMENTS = ["Accounts", "Buying", "Design", "Sales", "Warehouse"]


def files(seed: int) -> Files:
    first, last = _people(seed)
    yield STAFF, as_csv(_staff(seed, first, last))
    yield BADGES, as_csv(_badges(seed, first, last))
    yield MAILBOXES, as_csv(_mailboxes(seed, first, last))


def _people(seed: int) -> tuple[list[str], list[str]]:
    """People with different last names, all in plain letters."""
    rng = stream(seed, "my people")
    firsts, lasts = ([name for name in names if plain(name) == name.lower()] for names in (FIRST_NAMES, LAST_NAMES))
    chosen = rng.permutation(len(lasts))[: _PEOPLE + _VISITORS].tolist()
    return pick(rng, firsts, len(chosen)), [lasts[place] for place in chosen]


def _staff(seed: int, first: list[str], last: list[str]) -> Columns:
    rng = stream(seed, "my staff")
    born = rng.integers(1958, 2003, _PEOPLE).tolist()
    names = zip(last, first, born, strict=False)
    return {
        "person": [f"{last}, {first} ({year}-)" for last, first, year in names],
        "department": pick(rng, _DEPARTMENTS, _PEOPLE),
        "since": days(rng, date(2012, 1, 1), 4000, _PEOPLE),
    }


def _badges(seed: int, first: list[str], last: list[str]) -> Columns:
    """In another order, with visitors, and without the first two of the staff."""
    rng = stream(seed, "my badges")
    order = [place for place in rng.permutation(len(last)).tolist() if place >= 2]
    return {
        "badge": [f"B{number}" for number in rng.permutation(9000)[: len(order)] + 1000],
        "holder": [f"{first[place]} {last[place]}" for place in order],
    }


def _mailboxes(seed: int, first: list[str], last: list[str]) -> Columns:
    rng = stream(seed, "my mailboxes")
    order = rng.permutation(_PEOPLE).tolist()
    return {
        "address": [f"{first[place][0].lower()}.{last[place].lower()}@harbour.example" for place in order],
        "megabytes": rng.integers(20, 9000, len(order)).tolist(),
    }
