"""Is the join that a person wants the first one?  Before, and by the score of `mere.ranking`.

    python benchmarks/join_ranking.py FOLDER --queries FOLDER --keys dev_join_fk.csv [--lake LAKE]
        [--overlap dev_join_unary_overlap.csv] [--composite dev_join_nary_overlap.csv]
        [--domains dev_domain_columns.csv]

FOLDER is the raw lake; --lake an index of it, if there is one.  --keys lists declared foreign keys (evidence,
left_path, left_cols, right_path, right_cols, arity, ...); other joins are possible, so all shares are lower bounds.

The column named: every declared key of one column, ranked among all columns of the lake by number of values in common,
ties by name or by keys (before), ties by the likely join, and by the score (`Lake.joinable`).  Weights are learnt by
`training/join_ranking.py` from all other sources (`evidence`), source by source.

None named: the tables of --queries, whose `queries.json` names the keys that a person would join on, and the left
tables of --keys.  A hit is right
    for a query file, if it joins on one of the named keys, and the partner has at least 70 % of my values (of the lists
    of --overlap and --composite that were cut, what is as good as the last line counts).  If all columns of the key
    are numbers, the partner must be in the folder that the query file was taken from: small integers match anything;
    for a left table, if it joins on the declared columns with the declared partner.
A hit is a partner, more leniently, if it joins on a part of a named key that is no number (a country, of country and
year), or with the declared partner on other columns, of text (the name instead of the number of a thing).
With --domains (domain, path, column_index: which columns hold countries, states, airports, ...), a hit is also counted,
apart, if it joins columns of one domain and has at least 70 % of my values; years may be part of such a key.
Weights are learnt from every second table, by the order of names, and reported for both halves.

In both, a column whose set equals that of the declared partner's key is the same partner (an exact copy), and a table
never finds itself: a table of the lake is left out of its own answers, and a query file is not in the lake.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import mere
from mere.answers import Hit, Hits
from mere.errors import MereError
from mere.pipeline import index
from mere.ranking import Model, usual_model
from mere.search.joinable import Request, find_joins

sys.path.append(str(Path(__file__).resolve().parents[1] / "training"))

from join_lists import List, fit, given_tables, lists_of, model_of, read_keys, signature

SHARE = 0.7  # of my values, for a partner of a query file


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--queries", type=Path, required=True)
    arguments.add_argument("--keys", type=Path, required=True)
    arguments.add_argument("--overlap", type=Path)
    arguments.add_argument("--composite", type=Path)
    arguments.add_argument("--domains", type=Path)
    arguments.add_argument("--lake", type=Path)
    arguments.add_argument("--errors", action="store_true", help="also list the tables whose first hit is not right")
    options = arguments.parse_args()
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        if options.lake is None:
            index([options.folder], work / "lake")
        with mere.open(options.lake or work / "lake") as lake:
            lists = lists_of(lake, read_keys([options.keys]), options.queries)
            print(line(("question, ranking", "asked", "first", "three", "mrr")))
            for row in column_named(lake, lists, options):
                print(line(row), flush=True)
            for row in none_named(lake, lists, options):
                print(line(row), flush=True)
    finally:
        shutil.rmtree(work)


def line(cells: Sequence[str]) -> str:
    """One line of the table: partner first, in the first three, mean reciprocal rank."""
    return f"{cells[0]:78}" + "".join(f"{cell:>7}" for cell in cells[1:])


def summary(title: str, places: Sequence[int]) -> tuple[str, ...]:
    all_places = np.array(places)
    shares = (np.mean(all_places == 1), np.mean(all_places <= 3), np.mean(1 / all_places))
    return (title, str(len(places)), *(f"{share:.3f}" for share in shares))


# the column named


def column_named(lake: mere.Lake, lists: list[List], options: Any) -> list[tuple[str, ...]]:
    """One line per way of ranking, and the left-out sources one by one."""
    named = [each for each in lists if each.named]
    rows = []
    for ties in ("name", "keys", "likely"):
        places = [place_in_overlap(lake, row, ties, options.queries) for row in declared(lake, options)]
        rows.append(summary(f"column named: overlap, ties by {ties}", places))
    left_out: list[int] = []
    lines = []
    for source in sorted({each.source for each in named}):
        weights = fit([each for each in lists if each.source != source])
        places = [each.place(weights) for each in named if each.source == source]
        left_out += places
        lines.append(summary(f"  {source} left out", places))
    rows.append(summary("column named: score, each source left out in turn", left_out))
    shipped = usual_model().weights
    return [*rows, *lines, summary("column named: score, the package's weights", [e.place(shipped) for e in named])]


def declared(lake: mere.Lake, options: Any) -> list[dict[str, Any]]:
    """The declared keys of one column whose partner is in the lake."""
    given, known = given_tables(lake, options.queries), {info.name for info in lake.tables}
    keys = read_keys([options.keys])
    return [row for row in keys if row["left_path"] in given and row["right_path"] in known]


def place_in_overlap(lake: mere.Lake, row: dict[str, Any], ties: str, queries: Path) -> int:
    """The place of the partner among all tables by overlap."""
    given = given_tables(lake, queries)[row["left_path"]]
    right = columns_of(lake, row["right_path"], [int(row["right_cols"])])
    hits = lake.ask("overlap", given, 100, on=lake.columns(given)[int(row["left_cols"])], ties=ties)
    return next((place for place, hit in enumerate(hits, 1) if same_column(lake, hit, row["right_path"], right)), 10**6)


def columns_of(lake: mere.Lake, table: str, places: list[int]) -> list[str]:
    return [lake.columns(table)[place] for place in places]


def same_column(lake: mere.Lake, hit: Hit, table: str, columns: list[str]) -> bool:
    """Whether a hit is this table and column, or one with the same set."""
    if hit.table == table:
        return sorted(hit.columns) == sorted(columns)
    return len(columns) == len(hit.columns) == 1 and set_of(lake, hit.table, hit.columns[0]) == set_of(
        lake, table, columns[0]
    )


def set_of(lake: mere.Lake, table: str, column: str) -> tuple[int, int]:
    from mere.search.catalog import find_rows

    segment, number = find_rows(lake._opened, table)
    return signature(segment, segment.columns_of(number)[segment.columns(number).names.index(column)])


# none named

Right = Callable[[Hit], float]  # 1: right; 0.5: a partner, more leniently; 0.25: of one domain
LENIENT = {0.5: "a partner, leniently", 0.25: "or columns of one domain"}


def none_named(lake: mere.Lake, lists: list[List], options: Any) -> list[tuple[str, ...]]:
    """One line per way of ranking and half."""
    asked = with_domains(lake, {**query_files(lake, options), **left_tables(lake, options)}, options)
    halves = [sorted(asked)[0::2], sorted(asked)[1::2]]
    given = given_tables(lake, options.queries)
    paths = {str(file): path for path, file in given.items()}
    learning = [each for each in lists if given[each.left] in halves[0]]
    chosen = model_of(fit(learning), learning)
    rows = [summary("none named: --on auto as it was", [place_by_proposal(lake, name, asked[name]) for name in asked])]
    for title, model in (("weights learnt on the first half", chosen), ("the package's weights", usual_model())):
        places = {name: place_by_score(lake, name, asked[name], model, options.errors) for name in asked}
        for half, names in zip(("first half", "second half"), halves, strict=True):
            rows.append(summary(f"none named: score, {title}: {half}", [places[name] for name in names]))
        files = [name for name in asked if name in paths and name != paths[name]]
        rows.append(summary(f"  query files, {title}", [places[name] for name in files]))
        rows.append(summary(f"  left tables, {title}", [places[name] for name in asked if name not in files]))
        for least, meaning in LENIENT.items():
            lenient = {name: place_by_score(lake, name, asked[name], model, False, least) for name in asked}
            for half, names in zip(("first half", "second half"), halves, strict=True):
                rows.append(summary(f"  {meaning}, {title}: {half}", [lenient[name] for name in names]))
    return rows


@cache
def hits_by_score(lake: mere.Lake, given: str, model: Model) -> Hits:
    return find_joins(lake._asker, Request(given, None, 10, model=model))


def place_by_score(lake: mere.Lake, given: str, right: Right, model: Model, errors: bool, least: float = 1.0) -> int:
    hits = hits_by_score(lake, given, model)
    place = next((place for place, hit in enumerate(hits, 1) if right(hit) >= least), 10**6)
    if errors and place > 1 and hits:
        print(place, given, [(h.table, h.columns, h.evidence["on"], round(h.score, 3)) for h in hits[:3]])
    return place


def place_by_proposal(lake: mere.Lake, given: str, right: Right) -> int:
    """The first proposed key that has hits."""
    for proposal in lake.propose_keys(given):
        kind = "overlap" if len(proposal.columns) == 1 else "composite"
        on = proposal.columns[0] if kind == "overlap" else list(proposal.columns)
        more = {"ties": "name"} if kind == "overlap" else {}
        if hits := lake.ask(kind, given, 10, on=on, **more):
            return next((place for place, hit in enumerate(hits, 1) if right(hit) == 1), 10**6)
    return 10**6


def with_domains(lake: mere.Lake, asked: dict[str, Right], options: Any) -> dict[str, Right]:
    """The same judgements; what is not right may be a join of two columns of one domain."""
    domains: dict[tuple[str, int], set[str]] = defaultdict(set)
    for row in csv.DictReader(options.domains.open()) if options.domains else []:
        domains[row["path"], int(row["column_index"])].add(row["domain"])
    paths = {file: path for path, file in given_tables(lake, options.queries).items()}

    def of_one_domain(name: str, hit: Hit) -> bool:
        mine, theirs = lake.columns(name), lake.columns(hit.table)
        common = [
            domains[paths[name], mine.index(on)] & domains[hit.table, theirs.index(column)]
            for on, column in zip(hit.evidence["on"], hit.columns, strict=True)
        ]
        return all(common) and any(known != {"year"} for known in common) and hit.evidence["share"] >= SHARE

    def extended(name: str, right: Right) -> Right:
        return lambda hit: right(hit) or 0.25 * of_one_domain(name, hit)

    return {name: extended(name, right) for name, right in asked.items()}


def left_tables(lake: mere.Lake, options: Any) -> dict[str, Right]:
    """The left tables of the declared keys that are in the lake, with the declared partners."""
    known = {info.name for info in lake.tables}
    partners: dict[str, list[tuple[set[str], str, list[str]]]] = defaultdict(list)
    for row in csv.DictReader(options.keys.open()):
        if row["left_path"] in known and row["right_path"] in known and row["left_path"] != row["right_path"]:
            left, right = ([int(place) for place in row[side].split("|")] for side in ("left_cols", "right_cols"))
            mine = set(columns_of(lake, row["left_path"], left))
            partners[row["left_path"]].append((mine, row["right_path"], columns_of(lake, row["right_path"], right)))
    return {table: declared_partner(lake, options) for table, options in partners.items()}


def declared_partner(lake: mere.Lake, partners: list[tuple[set[str], str, list[str]]]) -> Right:
    def right(hit: Hit) -> float:
        on = set(hit.evidence["on"])
        if any(on == mine and same_column(lake, hit, table, columns) for mine, table, columns in partners):
            return 1.0
        numeric = hit.evidence.get("signals", {}).get("unsupported", 0.0) > 0 or hit.evidence["share"] < SHARE
        return 0.0 if numeric else 0.5 * any(hit.table == table for _, table, _ in partners)

    return right


def query_files(lake: mere.Lake, options: Any) -> dict[str, Right]:
    """The query files, with the keys that a person would join on."""
    files = {}
    least = cut_lists(options)
    for query in json.loads((options.queries / "queries.json").read_text()):
        name = str(options.queries / query["file"])
        headers = lake.columns(name)
        keys = [tuple(headers[c] if isinstance(c, int) else c for c in key) for key in query["keys"]]
        numbers = {key for key in keys if _all_numbers(lake, name, key)}
        floors = {frozenset(key): least.get((query["id"], frozenset(map(str, given))), 0.0)
                  for key, given in zip(keys, query["keys"], strict=True)}  # fmt: skip
        folder = "/".join(query["orig_path"].split("/")[:-1])
        parts = {c for key in keys for c in key if not _all_numbers(lake, name, (c,))}
        files[name] = person_joins(floors, {frozenset(key) for key in numbers}, parts, folder)
    return files


def person_joins(
    keys: dict[frozenset[str], float], numbers: set[frozenset[str]], parts: set[str], folder: str
) -> Right:
    def right(hit: Hit) -> float:
        on = frozenset(hit.evidence["on"])
        if on not in keys and on <= parts and hit.evidence["share"] >= SHARE:
            return 0.5
        if on not in keys or hit.evidence["share"] < max(SHARE, min(keys[on], 1.0) if keys[on] >= SHARE else SHARE):
            return 0.0
        return float(on not in numbers or hit.table.startswith(folder))

    return right


def cut_lists(options: Any) -> dict[tuple[str, frozenset[str]], float]:
    """The share on the last line of each list that was cut; what is not listed must be as good."""
    lowest: dict[tuple[str, frozenset[str]], list[float]] = defaultdict(list)
    for path, column, share in ((options.overlap, "query_column", "containment"),
                                (options.composite, "query_columns", "share")):  # fmt: skip
        for row in csv.DictReader(path.open()) if path else []:
            lowest[row["query"], frozenset(row[column].split("|"))].append(float(row[share]))
    return {key: min(shares) for key, shares in lowest.items() if len(shares) in (60, 100)}


def _all_numbers(lake: mere.Lake, given: str, key: tuple[str, ...]) -> bool:
    try:
        return all(lake._asker.inputs.column(given, name).cells.numeric for name in key)
    except MereError:
        return False


if __name__ == "__main__":
    main()
