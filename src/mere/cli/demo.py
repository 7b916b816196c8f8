"""`mere demo`: make a small raw lake with difficult files, index it, and ask it questions, scene by scene."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.text import Text

from mere.cli.assembling import show_bundle
from mere.cli.progress import show_progress
from mere.cli.render import clean, console, counted, show_hits, show_rows
from mere.cli.reports import show_report
from mere.cli.tables import show_conditions, show_profile
from mere.cli.transforming import show_transform
from mere.demo import DemoLake, make_lake
from mere.demo.houses import HOUSES, PRICES
from mere.demo.staff import BADGES, MAILBOXES, STAFF
from mere.lake import Lake, index
from mere.lake import open as open_lake
from mere.search.exporting import export
from mere.search.transforming import transform_join

_SEARCHES = [
    ("hospital admissions", "words of a description beside the data"),
    ('"country year" column:revenue', "a phrase, and a word that a column's name must have"),
    ("airprot codes", "with a typo"),
]

_JOINS = [
    ("code", "which tables have my country codes?  A row per table, and what a join would give"),
    ("year", "years are integers, and integers occur in unrelated columns"),
]


_KEYS = [
    (["country", "year"], "on two columns at once: only rows with the same country and year match"),
    (
        ["contact_first", "contact_last", "contact_city"],
        "a person is a key of three columns; another table has them in another order",
    ),
]


_TRANSFORMS = [
    (BADGES, "the same people, with their names turned round; no column is named, and no example given"),
    (MAILBOXES, "... and their e-mail addresses"),
]


_WANTED, _BUDGET = "rooms >= 3", 110
_CONDITION = "at least 30% of age* < 40 and at least 30% of age* > 60"


def run_demo(folder: Path | None, shown: bool = True) -> dict[str, Any]:
    """Make the lake, index it, run every scene; return the results as one document."""
    folder = folder or Path(tempfile.mkdtemp(prefix="mere-demo-"))
    say = _print if shown else _ignore
    say(f"Making a raw lake in {folder}: the shared folder of a trading company, and open data.")
    made = make_lake(folder)
    packages = ", ".join(made.packages) or "no package, because none is installed"
    say(f"{len(made.difficult_files)} of its files are difficult to read or to join; tables from {packages}.")
    lake = folder / "lake"
    say(f"\n$ mere index {' '.join(str(s) for s in made.sources)} --lake {lake}")
    with show_progress(quiet=not shown) as progress:
        report = index(made.sources, lake, progress=progress)
    if shown:
        show_report(report, str(lake))
    with open_lake(lake) as opened:
        scenes = [scene(opened, made, say, shown) for scene in SCENES]
    say(f"\nThe lake is kept in {lake}.  Try:  mere join FILE --on COLUMN --lake {lake}")
    return {"folder": str(folder), "lake": str(lake), "index": report.to_dict(), "scenes": scenes}


Say = Callable[[str], None]


def _print(text: str) -> None:
    console().print(Text(clean_lines(text), style="bold" if text.strip().startswith("$") else ""))


def _ignore(text: str) -> None:
    pass


def clean_lines(text: str) -> str:
    return "\n".join(clean(line) for line in text.split("\n"))


def search_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """Keyword search: names, folders, headers and descriptions."""
    tables = {}
    for words, comment in _SEARCHES:
        say(f"\n$ mere search '{words}'    # {comment}")
        hits = lake.keywords(words, k=4)
        tables[words] = [hit.table for hit in hits]
        if shown:
            show_hits(hits)
    return {"scene": "search", "found": tables}


def namibia_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """Values that many tools misread: NA is Namibia, and 032 is not 32."""
    table = "geography/country_codes.csv"
    say(f"\n$ mere show {table}    # NA is Namibia here, not a missing value, and 032 keeps its zero")
    profile = lake.profile(table)
    if shown:
        show_profile(profile)
    nulls = {column.name: column.nulls for column in profile.columns}
    return {"scene": "show", "table": profile.name, "nulls": nulls}


def join_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """Joins on one column: by codes, by years that match by coincidence, and the joined rows."""
    query, tables = str(made.query), {}
    for on, comment in _JOINS:
        say(f"\n$ mere join {made.query.name} --on {on} --by overlap --k 4    # {comment}")
        hits = lake.overlap(query, 4, on=on)
        tables[on] = [hit.table for hit in hits]
        if shown:
            show_hits(hits)
    best = lake.overlap(query, 1, on="code", table="geography/country_codes.csv")[0]
    out = made.query.with_name("my_markets_joined.csv")
    say(f"\n$ mere join {made.query.name} --on code --with {best.table} -o {out.name}")
    joined = lake.join(query, best, raw=True)
    export(joined, str(out))
    namibia = [row["iso3"] for row in joined.select(["code", "iso3"]).to_pylist() if row["code"] == "NA"]
    size = f"{counted(joined.num_rows, 'row')}, {counted(joined.num_columns, 'column')}"
    say(f"{size}; NA matched {', '.join(sorted(set(namibia)))}")
    return {"scene": "join", "found": tables, "joined": best.table, "rows": joined.num_rows, "namibia": namibia}


def key_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """Joins on several columns: which tables have the same combinations, in which of their columns."""
    query, partners = str(made.query), {}
    for on, comment in _KEYS:
        say(f"\n$ mere join {made.query.name} --on {','.join(on)} --by composite --k 3    # {comment}")
        hits = lake.composite(query, on, 3)
        partners[",".join(on)] = [{"table": hit.table, "columns": list(hit.columns)} for hit in hits]
        if shown:
            show_hits(hits)
    first = lake.propose_keys(query)[0]
    say(
        f"\n$ mere join {made.query.name} --k 4    # no column named: all are tried, and what speaks for a join decides"
    )
    hits = lake.joinable(query, k=4)
    if shown:
        show_hits(hits)
    likely = [{"table": hit.table, "on": hit.evidence["on"]} for hit in hits]
    return {"scene": "keys", "found": partners, "proposed": list(first.columns), "likely": likely}


def similar_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """A join that equality misses: names that are misspelt, abbreviated, or written without accents."""
    query, name = str(made.suppliers), made.suppliers.name
    say(f"\n$ mere join {name} --on supplier --by overlap    # no table has a name as it is written here")
    equal = lake.overlap(query, 4, on="supplier")
    if shown:
        show_hits(equal)
    say(f"\n$ mere join {name} --on supplier --by similar    # the same names in other spellings")
    hits = lake.similar(query, on="supplier")
    if shown:
        show_hits(hits)
    best = hits[0]
    say(f"\n$ mere join {name} --on supplier --by similar --with {best.table} --how inner    # joined on these pairs")
    joined = lake.join(query, best, "inner", raw=True)
    if shown:
        show_rows(joined)
    found = {"equal": [hit.table for hit in equal], "similar": [hit.table for hit in hits]}
    return {"scene": "similar", "found": found, "pairs": best.evidence["pairs"], "rows": joined.num_rows}


def transform_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """Joins of names that are written in another order, and of e-mail addresses: the programs are learnt and shown."""
    folder, programs = made.query.parent, {}
    for other, comment in _TRANSFORMS:
        code = ["python"] if other == BADGES else []
        say(f"\n$ mere transform {STAFF} {other}{' --python' if code else ''}    # {comment}")
        result = transform_join(folder / STAFF, folder / other)
        if shown:
            show_transform(result, (STAFF, other), code)
        programs[other] = [str(program) for program in result.programs]
    return {"scene": "transform", "found": programs}


def assemble_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """Which tables to buy for a budget: one is rejected because the chosen ones already hold its rows."""
    folder = made.query.parent
    say(
        f'\n$ mere assemble {HOUSES} --query "{_WANTED}" --prices {PRICES} --budget {_BUDGET}'
        "    # which tables add the most rows to mine for my money?"
    )
    bundle = lake.assemble(folder / HOUSES, None, [_WANTED], _BUDGET, folder / PRICES)
    if shown:
        show_bundle(bundle)
    rejected = {each.table: each.code for each in bundle.rejected}
    return {"scene": "assemble", "chosen": [each.table for each in bundle.chosen], "rejected": rejected}


def spread_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """Distributions: a table of both young and old people, found by its histograms, without reading a row."""
    say(f'\n$ mere where "{_CONDITION}"    # which tables have both young and old people?')
    hits = lake.where(_CONDITION, 4)
    if shown:
        show_hits(hits)
    table = hits[0].table
    say(f'\n$ mere show {table} --where "{_CONDITION}"    # the histogram it was found by')
    profile = lake.profile(table, where=_CONDITION)
    if shown:
        show_conditions(profile)
    return {"scene": "spread", "found": {hit.table: hit.evidence["label"] for hit in hits}}


def update_scene(lake: Lake, made: DemoLake, say: Say, shown: bool) -> dict[str, Any]:
    """Nothing changed: no file is read, and Spark is not started."""
    say(f"\n$ mere index --lake {lake.path}    # again: nothing has changed, so nothing is read")
    report = index([], lake.path)
    say(f"{counted(report.unchanged, 'file')} unchanged, {report.seconds:.2f} s")
    return {"scene": "update", "unchanged": report.unchanged, "seconds": round(report.seconds, 3)}


SCENES = [
    search_scene,
    namibia_scene,
    join_scene,
    key_scene,
    similar_scene,
    transform_scene,
    assemble_scene,
    spread_scene,
    update_scene,
]
