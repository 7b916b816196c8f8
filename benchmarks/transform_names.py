"""Are rows joined by whole names and codes, where a part of each would join many more of them, wrongly?

    python benchmarks/transform_names.py DATA [--repetitions N]

DATA has worldcup/data-csv/players.csv, with 10,401 given and family names.  Three cases, each repeated with other rows:

    few       200 names "Last, First" and a column of numbers, against 20,262 people, the further ones put together of
              given and family names; people of one name belong together
    third     1,000 names against 1,000 others, of which 30 % are common
    codes     1,000 random codes of 7 digits against 1,000 others, of which 30 % are common, or none

The other table spells names or codes in one of several ways.  Precision and recall are of pairs of rows, the lowest of
all repetitions.  Where nothing is common, no pair is right, and a refusal counts as 1.
"""

from __future__ import annotations

import argparse
import csv
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from labelled_tables import Figures, scored
from measuring import report
from mere.transform.match import match

Name = tuple[str, str]  # given, family
Columns = dict[str, list[str]]
PEOPLE, FEW, THIRD = 20_262, 200, 1_000
COMMON = 0.3
UNKNOWN = "not applicable"  # as the file writes a name that a player does not have
SPELLINGS: dict[str, Callable[[Sequence[Name]], Columns]] = {
    "First Last": lambda names: {"name": [f"{given} {family}" for given, family in names]},
    "LAST First": lambda names: {"name": [f"{family.upper()} {given}" for given, family in names]},
    "two columns": lambda names: {"given": [name[0] for name in names], "family": [name[1] for name in names]},
}
FORMS: dict[str, Callable[[str], str]] = {
    "123-4567": lambda code: f"{code[:3]}-{code[3:]}",
    "1.234.567": lambda code: f"{code[0]}.{code[1:4]}.{code[4:]}",
    "SKU-1234567": lambda code: f"SKU-{code}",
}


class Case(NamedTuple):
    left: Columns
    right: Columns
    truth: set[tuple[int, int]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--repetitions", type=int, default=4)
    options = arguments.parse_args()
    names = players(options.data / "worldcup/data-csv/players.csv")
    makers: dict[str, Callable[[random.Random, str], Case]] = {
        "few": lambda rng, spelling: few(names, rng, spelling),
        "third": lambda rng, spelling: third(names, rng, spelling),
    }
    lines = []
    for name, make in makers.items():
        for spelling in SPELLINGS:
            lines += lowest(
                f"{name}, {spelling}", [make(random.Random(n), spelling) for n in range(options.repetitions)]
            )
    for form in FORMS:
        for common in (COMMON, 0.0):
            cases = [codes(random.Random(n), form, common) for n in range(options.repetitions)]
            lines += lowest(f"codes, {form}, {common:.0%} common", cases)
    report("Names and codes that have parts in common", lines)


def players(path: Path) -> list[Name]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = [(row["given_name"], row["family_name"]) for row in csv.DictReader(file)]
    return [name for name in rows if UNKNOWN not in name]


def few(names: list[Name], rng: random.Random, spelling: str) -> Case:
    given, family = ([name[place] for name in names] for place in (0, 1))
    people = names + [(rng.choice(given), rng.choice(family)) for _ in range(PEOPLE - len(names))]
    chosen = rng.sample(people, FEW)
    case = turned(chosen, rng.sample(people, PEOPLE), spelling)
    return case._replace(left={**case.left, "points": [str(rng.randrange(1, 1000)) for _ in chosen]})


def third(names: list[Name], rng: random.Random, spelling: str) -> Case:
    return turned(*drawn(rng.sample(sorted(set(names)), 2 * THIRD), COMMON, rng), spelling)


def codes(rng: random.Random, form: str, common: float) -> Case:
    left, right = drawn([f"{number:07}" for number in rng.sample(range(10**7), 2 * THIRD)], common, rng)
    return Case({"code": left}, {"nr": [FORMS[form](code) for code in right]}, truth_of(left, right))


def turned(left: list[Name], right: list[Name], spelling: str) -> Case:
    return Case(
        {"person": [f"{family}, {given}" for given, family in left]}, SPELLINGS[spelling](right), truth_of(left, right)
    )


def drawn(several: list[Any], common: float, rng: random.Random) -> tuple[list[Any], list[Any]]:
    """Two halves of one list, of which a share is common."""
    count = len(several) // 2
    both = round(common * count)
    return several[:count], rng.sample(several[:both] + several[count : 2 * count - both], count)


def truth_of(left: Sequence[Any], right: Sequence[Any]) -> set[tuple[int, int]]:
    rows = defaultdict(list)
    for row, entry in enumerate(right):
        rows[entry].append(row)
    return {(row, other) for row, entry in enumerate(left) for other in rows[entry]}


def lowest(name: str, cases: list[Case]) -> list[tuple[str, str, str]]:
    """The lowest figures of some cases, and the seconds of each."""
    figures, started = [], time.process_time()
    for case in cases:
        outcome = match(case.left, case.right)
        found = set(zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True))
        figures.append(scored(found, case.truth) if case.truth else Figures(*[float(not found)] * 3))
    seconds = (time.process_time() - started) / len(cases)
    precision, recall = (min(figure[place] for figure in figures) for place in (0, 1))
    return [(name, f"precision {precision:.3f}, recall {recall:.3f}, {seconds:.1f} s", ">= .98, >= .95")]


if __name__ == "__main__":
    main()
