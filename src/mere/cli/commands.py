"""One function per command; its docstring is its help."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mere.errors import UsageError

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

lake_option = click.option(
    "--lake",
    envvar="MERE_LAKE",
    default=".mere",
    show_default=True,
    show_envvar=True,
    help="The lake's folder.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
as_of_option = click.option("--as-of", type=int, metavar="N", help="Open this older snapshot, if it is still kept.")


per_option = click.option(
    "--per", type=click.Choice(["table", "column"]), default="table", show_default=True, help="One row for each."
)


def question(command: Callable[..., Any]) -> Callable[..., Any]:
    """What every question takes."""
    k = click.option("--k", default=10, show_default=True, help="How many answers; 0 for all.")
    return lake_option(k(per_option(as_of_option(json_option(command)))))


def _print_json(document: Any) -> None:
    try:
        print(json.dumps(document, ensure_ascii=False, default=str), flush=True)
    except BrokenPipeError:  # whoever read has seen enough; click would call that a fault
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(context_settings=HELP)
@click.version_option(package_name="mere", message="mere %(version)s")
def app() -> None:
    """A discovery engine for data lakes: what else is out there that fits my table?"""
    from mere.values.pandas_import import block_pandas_import

    block_pandas_import()


@app.command()
@click.argument("sources", nargs=-1)
@lake_option
@click.option("--master", help="Spark master; default: this machine, all cores.")
@click.option("--forget", multiple=True, metavar="SOURCE", help="Drop a source and its tables.")
@click.option("--rebuild", is_flag=True, help="Read everything again.")
@click.option("--compact", is_flag=True, help="Rewrite small and half-dead segments now.")
@click.option("--values/--no-values", default=None, help="Let keyword search see cells, too.")
@click.option("--numbers/--no-numbers", default=None, help="Index columns of numbers for joins, too.")
@click.option("--super-keys", metavar="HASH-BITS", help="How rows are summed up for composite keys, e.g. xash-256.")
@click.option(
    "--limit",
    multiple=True,
    metavar="NAME=N",
    help="A reading limit, e.g. columns=50000; kept for later runs.",
)
@click.option(
    "--set", "changes", multiple=True, metavar="NAME=VALUE", help="A setting, e.g. histogram_bins=equal-width-20."
)
@click.option("--keep", type=click.IntRange(min=1), help="How many snapshots to keep.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@json_option
def index(
    sources: tuple[str, ...],
    lake: str,
    master: str | None,
    forget: tuple[str, ...],
    rebuild: bool,
    compact: bool,
    values: bool | None,
    numbers: bool | None,
    super_keys: str | None,
    limit: tuple[str, ...],
    changes: tuple[str, ...],
    keep: int | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Make a lake from folders of raw tables, or bring it up to date.

    Known sources are scanned again; unchanged files are not read again.

    Example:  mere index ./data --lake ./lake
    """
    from mere.cli.progress import show_progress
    from mere.cli.render import show_report
    from mere.lake import index as run

    named = {"keywords_values": values, "join_numbers": numbers, "super_keys": super_keys, "keep_snapshots": keep}
    settings = _settings(lake, limit, {**dict(map(_setting, changes)), **_given(named)})
    with show_progress(quiet=as_json and not sys.stderr.isatty()) as progress:
        report = run(
            sources, lake, master=master, forget=forget, rebuild=rebuild, compact=compact,
            dry_run=dry_run, settings=settings, progress=progress,
        )  # fmt: skip
    _print_json(report.to_dict()) if as_json else show_report(report, lake)
    return 3 if report.quarantined else 0


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _settings(lake: str, limits: tuple[str, ...], changes: dict[str, Any]) -> Any:
    """The lake's own settings with these changes, or None if there are none."""
    if not changes and not limits:
        return None
    from dataclasses import replace

    from mere.pipeline import Settings
    from mere.readers import Limits
    from mere.segments.snapshot import kept_numbers, read_snapshot

    kept = kept_numbers(lake)
    stored = read_snapshot(lake, kept[-1]).settings if kept else {}
    settings = Settings.from_dict(stored) if stored else Settings()
    changed = dict(_limit(text) for text in limits)
    return replace(settings, limits=Limits.from_dict({**settings.limits.to_dict(), **changed}), **changes)


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not number.replace("_", "").isdigit():
        raise UsageError(f"--limit '{text}' is not NAME=NUMBER", "write for example --limit columns=50000")
    return name, int(number)


def _setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE, the value as its setting has it."""
    from mere.pipeline import Settings

    usual = {name: value for name, value in Settings().to_dict().items() if not isinstance(value, dict)}
    name, _, given = text.partition("=")
    if name not in usual:
        raise UsageError(f"--set '{text}': no setting is called '{name}'", f"known are {', '.join(usual)}")
    read = {"true": True, "false": False}.__getitem__ if isinstance(usual[name], bool) else type(usual[name])
    try:
        return name, read(given)
    except (KeyError, ValueError) as error:
        raise UsageError(f"--set '{text}': '{given}' is no value of it", f"the usual one is {usual[name]}") from error


@app.command()
@lake_option
@as_of_option
@json_option
def info(lake: str, as_of: int | None, as_json: bool) -> int:
    """What a lake holds, what it takes, which snapshots are kept.

    Example:  mere info --lake ./lake
    """
    from mere.cli.render import show_info
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        document = {**opened.info(), "quarantined": opened.quarantine()}
    _print_json(document) if as_json else show_info(document)
    return 0


@app.command()
@click.argument("pattern", required=False)
@lake_option
@as_of_option
@json_option
def tables(pattern: str | None, lake: str, as_of: int | None, as_json: bool) -> int:
    """List the tables; with PATTERN, those whose name matches the glob or holds the text.

    Example:  mere tables 'sales/*.csv'
    """
    from mere.cli.render import show_tables
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        found = opened.tables if pattern is None else opened.tables.matching(pattern)
        document = {"snapshot": opened.snapshot, "tables": found.to_dicts()}
    _print_json(document) if as_json else show_tables(found)
    return 0


@app.command()
@click.argument("table")
@lake_option
@click.option("--rows", type=click.IntRange(min=0), default=0, help="Also print so many raw rows.")
@click.option("--where", metavar="CONDITION", help="Also draw what the histograms say of it, as for 'mere where'.")
@as_of_option
@json_option
def show(table: str, lake: str, rows: int, where: str | None, as_of: int | None, as_json: bool) -> int:
    """Show a table: where it came from, its columns, their types, counts, ranges and histograms.

    TABLE is a table's name, or its last part if no other table has it.

    \b
    Example:  mere show geography/country_codes.csv --rows 5
              mere show people.csv --where 'at least 30% of age < 40'
    """
    from mere.cli.conditions import show_judged
    from mere.cli.render import show_profile, show_rows
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        profile = opened.profile(table, where)
        raw = opened.rows(profile.name, limit=rows) if rows else None
    if as_json:
        _print_json({**profile.to_dict(), **({"raw": raw.to_pylist()} if raw is not None else {})})
        return 0
    show_profile(profile)
    show_judged(profile)
    if raw is not None:
        show_rows(raw)
    return 0


@app.group()
def profile() -> None:
    """What can be told of tables without a row of them."""


@profile.command("export")
@click.argument("tables", nargs=-1)
@click.option("-o", "--output", metavar="FILE", help="Write it there; '-' or nothing prints it.")
@click.option(
    "--least",
    type=click.IntRange(min=0),
    default=0,
    metavar="ROWS",
    help="No bin holds fewer rows; edges are round; ranges and means are left out.",
)
@click.option(
    "--set", "said", multiple=True, metavar="NAME=TEXT", help="Of the whole: name, url, creator, license, ..."
)
@lake_option
@as_of_option
@json_option
def export_profiles(
    tables: tuple[str, ...],
    output: str | None,
    least: int,
    said: tuple[str, ...],
    lake: str,
    as_of: int | None,
    as_json: bool,
) -> int:
    """Publish profiles of TABLES (default: all), and no row: Croissant 1.1 (JSON-LD) with histograms.

    Whoever indexes the file finds these tables by words and by how their columns are spread, and asks you for the rows.

    \b
    What it discloses:
      of every table         its name, number of rows, title, description, keywords and licence
      of every column        name, description, type, how many cells are filled, null, and distinct
      of numbers and dates   least and largest value, mean, and a histogram whose edges are values of the column,
                             some of whose bins may hold a single row: numbers that identify somebody are told
      of text                no cell, no example, no range
    With --least 20, no bin holds fewer than 20 rows, edges are round numbers, and range and mean are not told.

    Example:  mere profile export patients.csv --least 20 -o profiles.json --set creator='City of Vienna'
    """
    from mere.cli.render import show_exported
    from mere.lake import open as open_lake
    from mere.search.publishing import as_text

    pairs = [text.partition("=") for text in said]
    if wrong := next((text for text, (_, mark, _) in zip(said, pairs, strict=True) if not mark), None):
        raise UsageError(f"--set '{wrong}' is not NAME=TEXT", "write for example --set creator='City of Vienna'")
    path = None if output in (None, "-") else output
    with open_lake(lake, as_of) as opened:
        document = opened.export_profiles(tables or None, path, least=least, **{name: text for name, _, text in pairs})
    if path is None:
        _print_json(document) if as_json else print(as_text(document), end="", flush=True)
        return 0
    records = document["recordSet"]
    counted = {
        "output": path, "tables": len(records), "columns": sum(len(record["field"]) for record in records),
        "histograms": sum("histogram" in field for record in records for field in record["field"]),
        "bytes": os.path.getsize(path),
    }  # fmt: skip
    _print_json(counted) if as_json else show_exported(counted)
    return 0


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})  # -h... is a word
@click.argument("words", nargs=-1, required=True)
@question
def search(words: tuple[str, ...], lake: str, k: int, per: str, as_of: int | None, as_json: bool) -> int:
    """Find tables by words: names, folders, headers, descriptions (and cells, if indexed with --values).

    WORDS are words, "phrases", column:word, table:word, folder:word, about:word, source:name, -word, word*.

    Example:  mere search airport codes column:country
    """
    from mere.cli.render import show_hits
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        hits = opened.keywords(_query(words), k, per)
    _print_json(hits.to_dict()) if as_json else show_hits(hits)
    return 0


def _query(words: tuple[str, ...]) -> str:
    """The arguments as one query; an argument with spaces was quoted in the shell, so it is a phrase."""
    if len(words) == 1:
        return words[0]
    return " ".join(_as_phrase(word) if " " in word and '"' not in word else word for word in words)


def _as_phrase(word: str) -> str:
    field, colon, rest = word.partition(":")
    return f'{field}:"{rest}"' if colon and " " not in field else f'"{word}"'


@app.command()
@click.argument("condition", required=False)
@click.option("--like", metavar="WHAT", help="Instead: columns spread like a FILE's or TABLE's, or 'normal(0, 1)'.")
@click.option("--on", metavar="COL", help="With --like FILE: its column.")
@click.option("--column", metavar="NAME", help="With --like: only columns called so; a name, a glob*, /an expression/.")
@question
def where(
    condition: str | None, like: str | None, on: str | None, column: str | None,
    lake: str, k: int, per: str, as_of: int | None, as_json: bool,
) -> int:  # fmt: skip
    """Find tables by how their columns are spread, and by words: answered from histograms, without a row being read.

    \b
    CONDITION is made of predicates and quoted words, joined by and, or, not and brackets:
      at least 30% of age < 40             at most a share, with <, <=, >, >=
      at least 0.5 of year between 1900 and 1950
      at least 90% of any column > 0       a name, "a name", a glob*, /a regular expression/
      at least 10% of born >= 1990-01-01   dates

    Hits are guaranteed, or possible where a number falls inside a bin.  One quoted word is what 'mere search' finds
    with it, several are a phrase.  A date is compared with dates, a number with numbers.

    \b
    Example:  mere where "at least 30% of age < 40 and at least 30% of age > 60 and 'cancer'"
              mere where --like people.csv --on age
              mere where --like 'normal(100, 15)' --column '*iq*'
    """
    from mere.cli.conditions import show_alike, show_conditions
    from mere.lake import open as open_lake
    from mere.language import Predicate, parse

    if (condition is None) == (like is None):
        raise UsageError("'mere where' takes a CONDITION, or --like", "give one of them")
    if like is None and (on or column):
        raise UsageError("--on and --column go with --like", "leave them out")
    meaning = parse(condition) if condition is not None else None
    with open_lake(lake, as_of) as opened:
        if meaning is None:
            hits = opened.distribution(like=like, on=on, column=column, k=k, per=per)
            _print_json(hits.to_dict()) if as_json else show_alike(hits)
            return 0
        if per == "column":
            if not isinstance(meaning, Predicate):
                raise UsageError("--per column goes with one predicate", "leave it out, or ask for one")
            hits = opened.distribution(meaning, k, per=per)
        else:
            hits = opened.where(meaning, k)
    _print_json(hits.to_dict()) if as_json else show_conditions(hits)
    return 0


@app.command()
@click.argument("file")
@click.option(
    "--on",
    metavar="COL[,COL]",
    help="The column of FILE to join on, or columns (a name with a comma in double quotes); 'auto' proposes a key.",
)
@click.option(
    "--k", type=click.IntRange(min=0), help="How many answers; 0 for all.  [default: 10, all with --threshold]"
)
@click.option("--threshold", type=float, metavar="T", help="All columns that hold this share of mine, e.g. 0.6.")
@click.option(
    "--by",
    type=click.Choice(["overlap", "containment", "composite"]),
    help="Rank by this.  [default: overlap; composite with several columns]",
)
@click.option("--exact/--approximate", default=None, help="With --threshold: by lists, or by signatures.")
@click.option("--verify/--no-verify", default=True, help="With --approximate: compute, or estimate, containment.")
@click.option(
    "--mode",
    default="auto",
    metavar="MODE",
    help="Algorithm: auto; merge, probe, josie for one column; rarest, mate, scr, mcr for several.",
)
@click.option("--numbers/--no-numbers", default=None, help="Let columns of numbers answer.  [default: if mine is one]")
@click.option(
    "--ties",
    type=click.Choice(["name", "keys"]),
    default="name",
    show_default=True,
    help="Among equals, go by name, or put columns first that look like the key mine refers to.",
)
@per_option
@click.option("--with", "with_table", metavar="TABLE", help="Join with this table instead of searching.")
@click.option("--column", metavar="COL[,COL]", help="With --with: its column(s).  [default: what matches most]")
@click.option(
    "--how", type=click.Choice(["left", "inner", "right", "outer"]), help="With --with: which rows.  [default: left]"
)
@click.option("-o", "--output", metavar="PATH", help="With --with: write the rows as .csv, .tsv or .parquet.")
@click.option("--formulas", is_flag=True, help="With -o: leave cells alone that a spreadsheet would run.")
@lake_option
@as_of_option
@json_option
def join(file: str, lake: str, as_of: int | None, as_json: bool, **asked: Any) -> int:
    """Find tables that join with FILE on a column, or on a key of several; or, with --with, join one.

    FILE is a raw file (FILE#member for a sheet or member), or the name of a table of the lake.

    \b
    Examples:
      mere join sales.csv --on country
      mere join sales.csv --on country --threshold 0.8
      mere join sales.csv --on country,year
      mere join sales.csv --on auto
      mere join sales.csv --on country --with geo/countries.csv -o joined.csv
    """
    from mere.cli.joins import find, join_with
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        document, show = (join_with if asked["with_table"] else find)(opened, file, **asked)
    _print_json(document) if as_json else show()
    return 0


@app.command()
@click.argument("output", type=click.Path())
@click.option("--threshold", type=float, default=0.8, show_default=True, help="The least share that is contained.")
@click.option("--numbers", is_flag=True, help="Columns of numbers, too.")
@click.option("--master", help="Spark master; default: this machine, all cores.")
@lake_option
@as_of_option
@json_option
def graph(
    output: str, threshold: float, numbers: bool, master: str | None, lake: str, as_of: int | None, as_json: bool
) -> int:
    """Write the lake's join graph: every pair of columns of which one holds most of the other's values.

    OUTPUT is a folder of Parquet files, one row per pair: left and right table and column, overlap, containment of the
    left in the right, Jaccard, distinct values.  Runs on Spark.

    Example:  mere graph ./joins --threshold 0.9
    """
    from mere.cli.joins import show_graph
    from mere.cli.progress import show_progress
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened, show_progress(quiet=as_json and not sys.stderr.isatty()) as progress:
        document = opened.graph(output, threshold, numbers=numbers, master=master, progress=progress)
    _print_json(document) if as_json else show_graph(document)
    return 0


@app.command()
@click.option("--folder", type=click.Path(path_type=Path), help="Where to make it; default: a temporary folder.")
@json_option
def demo(folder: Path | None, as_json: bool) -> int:
    """Make a small realistic lake with traps in it, index it, and show what Mere can do.  Offline.

    Example:  mere demo --folder ./mere-demo
    """
    from mere.cli.demo import play

    started = time.perf_counter()
    document = play(folder, talk=not as_json)
    document["seconds"] = round(time.perf_counter() - started, 1)
    if as_json:
        _print_json(document)
    return 0


@app.command()
@click.option("--lake", help="Also verify every checksum of this lake.")
@json_option
def doctor(lake: str | None, as_json: bool) -> int:
    """Say what is missing on this machine, and whether a lake is whole.

    Example:  mere doctor --lake ./lake
    """
    from mere.cli.doctor import examine
    from mere.cli.render import show_examination

    document = examine(lake)
    _print_json(document) if as_json else show_examination(document)
    if lake is not None and not all(entry["ok"] for entry in document["lake"]["files"]):
        return 4
    return 0 if all(check["ok"] or check["optional"] for check in document["checks"]) else 1
