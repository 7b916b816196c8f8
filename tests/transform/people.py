"""People with names of syllables, in two tables that spell them differently; and codes.  The true pairs are known."""

from __future__ import annotations

import random
from typing import NamedTuple

SYLLABLES = [start + vowel + end for start in "bdfgklmnprstv" for vowel in "aeiou" for end in ("", "l", "n", "r", "s")]

Person = tuple[str, str]  # given name, family name


class Tables(NamedTuple):
    """Two tables, and the pairs of rows that belong together."""

    left: dict[str, list[str]]
    right: dict[str, list[str]]
    truth: set[tuple[int, int]]


def _name(rng: random.Random, syllables: int) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(syllables)).title()


def people(rng: random.Random, count: int, given: int, family: int) -> list[Person]:
    """So many people, of so many given and family names; some share both."""
    firsts = [_name(rng, 3) for _ in range(given)]
    lasts = [_name(rng, 3) for _ in range(family)]
    return [(rng.choice(firsts), rng.choice(lasts)) for _ in range(count)]


def two_tables(rng: random.Random, count: int, common: float, given: int, family: int) -> tuple[list, list]:
    """So many different people in each of two tables, and in both a share of them."""
    several = list(dict.fromkeys(people(rng, 4 * count, given, family)))
    assert len(several) >= 2 * count
    both = round(common * count)
    left, right = several[:count], several[:both] + several[count : 2 * count - both]
    rng.shuffle(left)
    rng.shuffle(right)
    return left, right


def truth_of(left: list, right: list) -> set[tuple[int, int]]:
    places: dict[object, list[int]] = {}
    for row, entry in enumerate(right):
        places.setdefault(entry, []).append(row)
    return {(row, other) for row, entry in enumerate(left) for other in places.get(entry, ())}


def turned(left: list[Person], right: list[Person], spelling: str = "one column") -> Tables:
    """Family name first on the left; on the right in one or two columns."""
    mine = {"person": [f"{family}, {given}" for given, family in left]}
    if spelling == "two columns":
        theirs = {"given": [given for given, _ in right], "family": [family for _, family in right]}
    else:
        theirs = {"name": [f"{given} {family}" for given, family in right]}
    return Tables(mine, theirs, truth_of(left, right))


def codes(rng: random.Random, count: int, common: float) -> Tables:
    """Random codes of seven digits, written together on the left, and with a dash on the right."""
    several = [f"{number:07}" for number in rng.sample(range(10**7), 2 * count)]
    both = round(common * count)
    left, right = several[:count], several[:both] + several[count : 2 * count - both]
    rng.shuffle(right)
    return Tables({"code": left}, {"nr": [f"{code[:3]}-{code[3:]}" for code in right]}, truth_of(left, right))
