"""Are rows matched whose columns were split or merged by a rule that has no exception?

    python benchmarks/transform_synthetic.py [--rows N] [--seed S]

The synthetic cases of Auto-Join (section 4.7.1 of Zhu's thesis), which are those of Warren and Tompa (VLDB 2006), on
rows that are made here, with a seed, since the original tables are not published:

    UserID       first and last name -> the first letter of the first name and up to seven letters of the last one
    Time         second, minute and hour -> hour:minute:second; all with two digits, and without leading zeros
    NameConcat   first and last name -> both, with a space between them or without
    Citeseer     authors, title, year -> all three, with points between them

The rows of the second table are shuffled.  No two rows have the same key: rows that would are left out.  `merge` has
the columns on the left, `split` on the right.  F is of pairs of rows.  Beside it: the F that the thesis gives for
Auto-Join (AJ) and for its fuzzy join on columns (FJ-C), on the original rows.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from measuring import report
from mere.transform import Columns, Outcome
from mere.transform.match import match

SYLLABLES = [first + vowel + last for first in "bcdfghjklmnprstvz" for vowel in "aeiou" for last in ("", "l", "n", "r")]
FIRST_NAMES, LAST_NAMES, WORDS = 800, 20_000, 6_000
Row = tuple[str, ...]


class Case(NamedTuple):
    name: str
    columns: Row
    merged: Callable[[Row], str]
    rows: Callable[[random.Random], Iterator[Row]]  # without end
    published: Row  # F of AJ and of FJ-C in the thesis


class Pair(NamedTuple):
    """A table of several columns and one of their merged texts; `places[i]` is the place of text i among the rows."""

    separate: Columns
    merged: Columns
    places: list[int]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=5_000)
    arguments.add_argument("--seed", type=int, default=7)
    options = arguments.parse_args()
    lines, scores = [], []
    for case in CASES:
        pair = made(case, options.rows, options.seed)
        for direction in ("merge", "split"):
            started = time.process_time()
            f, outcome = matched(pair, direction)
            seconds = time.process_time() - started
            shown = f"F {f:.4f}  (AJ {case.published[0]}, FJ-C {case.published[1]})  {seconds:.1f} s of CPU"
            lines.append((f"{case.name}: {direction}", shown, "1.0"))
            lines += [("", explanation, "") for explanation in explained(outcome)]
            scores.append(f)
    report(f"Synthetic cases of {options.rows:,} rows", lines)
    report("All cases", [("lowest F", f"{min(scores):.4f}", "1.0")])


def made(case: Case, count: int, seed: int) -> Pair:
    """The two tables of a case."""
    rng = random.Random(seed)
    by_key: dict[str, Row] = {}
    for row in case.rows(rng):
        by_key.setdefault(case.merged(row).casefold(), row)
        if len(by_key) == count:
            break
    rows = list(by_key.values())
    places = list(range(count))
    rng.shuffle(places)
    separate = dict(zip(case.columns, map(list, zip(*rows, strict=True)), strict=True))
    return Pair(separate, {"merged": [case.merged(rows[place]) for place in places]}, places)


def matched(pair: Pair, direction: str) -> tuple[float, Outcome]:
    if direction == "merge":
        outcome = match(pair.separate, pair.merged)
        found = zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True)
    else:
        outcome = match(pair.merged, pair.separate)
        found = zip(outcome.right_rows.tolist(), outcome.left_rows.tolist(), strict=True)
    return f_of(set(found), pair.places), outcome


def f_of(found: set[tuple[int, int]], places: list[int]) -> float:
    """F of pairs (row, merged text)."""
    right = sum(places[text] == row for row, text in found)
    return 2 * right / (len(found) + len(places))


def explained(outcome: Outcome) -> list[str]:
    if outcome.refused:
        return [f"refused: {outcome.refused}"]
    return [f"{rule.program} = {rule.key}: {rule.pairs:,} pairs" for rule in outcome.rules]


def words(rng: random.Random, count: int, shortest: int, longest: int) -> list[str]:
    """Different words of so many syllables."""
    made: dict[str, None] = {}
    while len(made) < count:
        made["".join(rng.choices(SYLLABLES, k=rng.randint(shortest, longest)))] = None
    return list(made)


def names(rng: random.Random) -> Iterator[Row]:
    first = [word.title() for word in words(rng, FIRST_NAMES, 1, 3)]
    last = [word.title() for word in words(rng, LAST_NAMES, 2, 4)]
    while True:
        yield rng.choice(first), rng.choice(last)


def times(rng: random.Random, form: str) -> Iterator[Row]:
    while True:
        yield tuple(format(rng.randrange(limit), form) for limit in (60, 60, 24))


def publications(rng: random.Random) -> Iterator[Row]:
    """Authors, title, year; words differ in how common they are."""
    people, vocabulary = names(rng), words(rng, WORDS, 1, 4)
    while True:
        authors = ", ".join(" ".join(name) for name in islice(people, rng.randint(1, 4)))
        places = (int(WORDS * rng.random() ** 2) for _ in range(rng.randint(4, 10)))
        title = " ".join(vocabulary[place] for place in places).capitalize()
        yield authors, title, str(rng.randint(1970, 2020))


NAME, TIME = ("first", "last"), ("second", "minute", "hour")
CITESEER = Case("Citeseer", ("authors", "title", "year"), ". ".join, publications, ("1.0000", "0.4637"))
CASES = [
    Case("UserID", NAME, lambda row: (row[0][:1] + row[1][:7]).lower(), names, ("1.0000", "0.8795")),
    Case("Time", TIME, lambda row: ":".join(row[::-1]), lambda rng: times(rng, "02d"), ("1.0000", "1.0000")),
    Case("Time, no zeros", TIME, lambda row: ":".join(row[::-1]), lambda rng: times(rng, "d"), ("-", "-")),
    Case("NameConcat", NAME, " ".join, names, ("1.0000", "0.1651")),
    Case("NameConcat, no space", NAME, "".join, names, ("-", "-")),
    CITESEER,
]


if __name__ == "__main__":
    main()
