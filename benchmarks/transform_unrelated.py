"""How often are two tables joined that have nothing to do with each other?

    python benchmarks/transform_unrelated.py DATA [--pairs N] [--seed S]

DATA has folders of labelled pairs of tables (see labelled_tables.py).  A source table of one topic is matched with a
target table of another; topics are drawn first, then tables, each with equal chances.  Topics are grouped by
hand (`TOPICS`), so that no two topics speak of the same things; those that have something in common all the same,
such as the states where presidents were born and the states of parks, are counted apart (`COMMON`).

Compared with Mere when it may accept accidents, and with equality: the share of source rows with an equal value in two
columns, the target's being a key, accepted from one half.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import NamedTuple

from labelled_tables import Labelled, Table, read_all
from measuring import report
from mere.transform import Options, Outcome
from mere.transform.match import match
from transform import column_pairs, equal, matched_rows

TOPICS = {  # by the start of a folder's name
    "Beatles songs": ("beatles songs",),
    "Christmas songs": ("christmas songs",),
    "US politicians": ("california govs", "new york govs", "texas govs", "us presidents"),
    "UK prime ministers": ("uk prime ministers",),
    "computer scientists": ("duke cs profs",),
    "school staff": ("k12 name to email",),
    "university mail": ("sharif email to url",),
    "parks and states": ("park to state",),
    "fruits": ("fruits",),
    "vegetables": ("vegetables",),
    "motorcycles": ("bikes",),
    "telephone numbers": ("phone",),
    "universities": ("univ-",),
    "people": ("dr-name", "firstname", "initials", "lastname", "name-combine", "reverse-name"),
}
COMMON = {
    frozenset({"US politicians", "parks and states"}): "states",
    frozenset({"computer scientists", "universities"}): "universities",
}
HALF = 0.5


class Accepted(NamedTuple):
    """An outcome of two tables of different topics that was not refused."""

    names: str
    outcome: Outcome


class Pair(NamedTuple):
    topics: tuple[str, str]
    source: Labelled
    target: Labelled


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--pairs", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    data = [pair for folder in sorted(options.data.iterdir()) if folder.is_dir() for pair in read_all(folder)]
    pairs = drawn(data, options.pairs, options.seed)
    unrelated = [pair for pair in pairs if frozenset(pair.topics) not in COMMON]
    related = [pair for pair in pairs if frozenset(pair.topics) in COMMON]
    started = time.process_time()
    ours = accepted(unrelated, Options())
    seconds = time.process_time() - started
    show("Accepted by Mere, although nothing is in common", ours)
    show("Accepted by Mere, with states or universities in common", accepted(related, Options()))
    count = len(unrelated)
    untested = len(accepted(unrelated, Options(accidents=True)))
    by_equality = sum(equal_share(pair) >= HALF for pair in unrelated)
    report(
        f"{count} pairs of tables with nothing in common, {len(related)} more with something in common",
        [
            ("accepted by Mere", shown(len(ours), count), "<= 2 %"),
            ("accepted by Mere if accidents are", shown(untested, count), ""),
            ("accepted by equality of half the rows", shown(by_equality, count), ""),
            ("CPU seconds per pair", f"{seconds / count:.2f}", ""),
            ("ratio: accepted / if accidents are", f"{len(ours) / max(1, untested):.2f}", ""),
        ],
    )


def drawn(data: list[Labelled], count: int, seed: int) -> list[Pair]:
    """Different pairs of tables of different topics."""
    by_topic = {topic: [one for one in data if one.name.startswith(starts)] for topic, starts in TOPICS.items()}
    assert sum(map(len, by_topic.values())) == len(data), "every folder needs one topic: add it to TOPICS"
    topics = [topic for topic, tables in by_topic.items() if tables]
    rng = random.Random(seed)
    pairs: dict[tuple[str, str], Pair] = {}
    while len(pairs) < count:
        one, other = rng.sample(topics, 2)
        source, target = rng.choice(by_topic[one]), rng.choice(by_topic[other])
        pairs[source.name, target.name] = Pair((one, other), source, target)
    return list(pairs.values())


def accepted(pairs: list[Pair], options: Options) -> list[Accepted]:
    found = []
    for pair in pairs:
        outcome = match(pair.source.source.columns, pair.target.target.columns, options)
        if outcome.refused is None:
            found.append(Accepted(f"{described(pair.source, 'source')}, {described(pair.target, 'target')}", outcome))
    return found


def described(pair: Labelled, side: str) -> str:
    table: Table = getattr(pair, side)
    return f"{pair.name} ({len(table.rows)} rows)"


def equal_share(pair: Pair) -> float:
    both = Labelled("", pair.source.source, pair.target.target, set(), [])
    most = max(matched_rows(equal(both, *columns)) for columns in column_pairs(both))
    return most / len(set(both.source.rows))


def show(title: str, of: list[Accepted]) -> None:
    print(f"\n{title}: {len(of)}")
    for one in of:
        print(f"  {one.names}: {len(one.outcome.left_rows)} pairs of rows")
        for rule in one.outcome.rules[:2]:
            print(f"    {rule.program} = {rule.key}")


def shown(part: int, whole: int) -> str:
    return f"{part} of {whole}: {part / whole:.1%}"


if __name__ == "__main__":
    main()
