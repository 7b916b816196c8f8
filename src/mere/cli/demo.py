"""`mere demo`: a small raw lake with traps in it, indexed and asked, one scene after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.text import Text

from mere.cli.progress import show_progress
from mere.cli.render import clean, console, show_hits
from mere.cli.reports import show_report
from mere.cli.tables import show_conditions, show_profile
from mere.demo import DemoLake, make_lake
from mere.lake import Lake, index
from mere.lake import open as open_lake
from mere.search.exporting import export

_SEARCHES = [
    ("hospital admissions", "a word of the descriptions beside the data"),
    ('"country year" column:revenue', "a phrase, and a column that must be there"),
    ("airprot codes", "with a typo"),
]

_JOINS = [
    ("code", "which tables know my country codes?  One row each, and what a join would do"),
    ("year", "a trap: years are small whole numbers, and stand in columns of every meaning"),
]


_KEYS = [
    (["country", "year"], "on two columns at once: the year is no trap any more"),
    (["contact_first", "contact_last", "contact_city"], "a person is a key of three, kept elsewhere in another order"),
]


_GENERATIONS = "at least 30% of age* < 40 and at least 30% of age* > 60"


def play(folder: Path | None, talk: bool = True) -> dict[str, Any]:
    """Make the lake, index it, run every scene; return what happened as one document."""
    folder = folder or Path(tempfile.mkdtemp(prefix="mere-demo-"))
    say = _say if talk else _silent
    say(f"Making a raw lake in {folder}: a trading company's shared folder, and open data it downloaded.")
    made = make_lake(folder)
    packages = ", ".join(made.packages) or "no package: none is installed"
    say(f"{len(made.difficult_files)} of its files are difficult to read or to join; tables from {packages}.")
    lake = folder / "lake"
    say(f"\n$ mere index {' '.join(str(s) for s in made.sources)} --lake {lake}")
    with show_progress(quiet=not talk) as progress:
        report = index(made.sources, lake, progress=progress)
    if talk:
        show_report(report, str(lake))
    with open_lake(lake) as opened:
        scenes = [scene(opened, made, say, talk) for scene in SCENES]
    say(f"\nThe lake stays in {lake}.  Ask it yourself:  mere join FILE --on COLUMN --lake {lake}")
    return {"folder": str(folder), "lake": str(lake), "index": report.to_dict(), "scenes": scenes}


Say = Callable[[str], None]


def _say(text: str) -> None:
    console().print(Text(clean_lines(text), style="bold" if text.strip().startswith("$") else ""))


def _silent(text: str) -> None:
    pass


def clean_lines(text: str) -> str:
    return "\n".join(clean(line) for line in text.split("\n"))


def search_scene(lake: Lake, made: DemoLake, say: Say, talk: bool) -> dict[str, Any]:
    """Keyword search: names, folders, headers and descriptions."""
    found = {}
    for words, what in _SEARCHES:
        say(f"\n$ mere search '{words}'    # {what}")
        hits = lake.keywords(words, k=4)
        found[words] = [hit.table for hit in hits]
        if talk:
            show_hits(hits)
    return {"scene": "search", "found": found}


def namibia_scene(lake: Lake, made: DemoLake, say: Say, talk: bool) -> dict[str, Any]:
    """The trap that most tools fall into: NA is Namibia, and 032 is not 32."""
    table = "geography/country_codes.csv"
    say(f"\n$ mere show {table}    # NA is Namibia here, not a missing value, and 032 keeps its zero")
    profile = lake.profile(table)
    if talk:
        show_profile(profile)
    nulls = {column.name: column.nulls for column in profile.columns}
    return {"scene": "show", "table": profile.name, "nulls": nulls}


def join_scene(lake: Lake, made: DemoLake, say: Say, talk: bool) -> dict[str, Any]:
    """Joins on one column: whom a code leads to, what an accident looks like, and the rows themselves."""
    query, found = str(made.query), {}
    for on, what in _JOINS:
        say(f"\n$ mere join {made.query.name} --on {on} --k 4    # {what}")
        hits = lake.overlap(query, 4, on=on)
        found[on] = [hit.table for hit in hits]
        if talk:
            show_hits(hits)
    best = lake.overlap(query, 1, on="code", table="geography/country_codes.csv")[0]
    out = made.query.with_name("my_markets_joined.csv")
    say(f"\n$ mere join {made.query.name} --on code --with {best.table} -o {out.name}")
    joined = lake.join(query, best)
    export(joined, str(out))
    namibia = [row["iso3"] for row in joined.select(["code", "iso3"]).to_pylist() if row["code"] == "NA"]
    say(f"{joined.num_rows} rows, {joined.num_columns} columns; NA matched {', '.join(sorted(set(namibia)))}")
    return {"scene": "join", "found": found, "joined": best.table, "rows": joined.num_rows, "namibia": namibia}


def key_scene(lake: Lake, made: DemoLake, say: Say, talk: bool) -> dict[str, Any]:
    """Joins on several columns: which tables hold the same combinations, in which of their columns."""
    query, found = str(made.query), {}
    for on, what in _KEYS:
        say(f"\n$ mere join {made.query.name} --on {','.join(on)} --k 3    # {what}")
        hits = lake.composite(query, on, 3)
        found[",".join(on)] = [{"table": hit.table, "columns": list(hit.columns)} for hit in hits]
        if talk:
            show_hits(hits)
    first = lake.propose_keys(query)[0]
    say(f"\n$ mere join {made.query.name} --on auto    # would ask on {', '.join(first.columns)}: {first.why}")
    return {"scene": "keys", "found": found, "proposed": list(first.columns)}


def spread_scene(lake: Lake, made: DemoLake, say: Say, talk: bool) -> dict[str, Any]:
    """Distributions: a table with two generations in it, found without a row being read."""
    say(f'\n$ mere where "{_GENERATIONS}"    # who has two generations in one table?')
    hits = lake.where(_GENERATIONS, 4)
    if talk:
        show_hits(hits)
    table = hits[0].table
    say(f'\n$ mere show {table} --where "{_GENERATIONS}"    # the histogram it was found by')
    profile = lake.profile(table, where=_GENERATIONS)
    if talk:
        show_conditions(profile)
    return {"scene": "spread", "found": {hit.table: hit.evidence["label"] for hit in hits}}


def update_scene(lake: Lake, made: DemoLake, say: Say, talk: bool) -> dict[str, Any]:
    """Nothing changed: no file is read, no Spark is started."""
    say(f"\n$ mere index --lake {lake.path}    # again: nothing has changed, so nothing is read")
    report = index([], lake.path)
    say(f"{report.unchanged} files unchanged, {report.seconds:.2f} s")
    return {"scene": "update", "unchanged": report.unchanged, "seconds": round(report.seconds, 3)}


SCENES = [search_scene, namibia_scene, join_scene, key_scene, spread_scene, update_scene]
