"""`mere info`, `mere tables` and `mere show`."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from mere.cli.options import as_of_option, json_option, keep_word_option, lake_option, print_json
from mere.cli.params import ColumnNames, TableName
from mere.errors import UsageError

if TYPE_CHECKING:
    from mere.search import Profile


@click.command()
@lake_option
@as_of_option
@json_option
def info(lake: str, as_of: int | None, as_json: bool) -> int:
    """Show what is in a lake, its size on disk, and which snapshots are kept.

    Example:  mere info --lake ./lake
    """
    from mere.cli.progress import show_waiting
    from mere.cli.tables import show_info
    from mere.lake import open as open_lake

    with show_waiting("reading the lake"), open_lake(lake, as_of) as opened:
        document = {**opened.info(), "quarantined": opened.quarantine()}
    print_json(document) if as_json else show_info(document)
    return 0


@click.command()
@click.argument("pattern", required=False, type=TableName())
@click.option(
    "--k", type=click.IntRange(min=0), metavar="N",
    help="How many tables; 0 for all.  [default: 100 on a terminal, otherwise all]",
)  # fmt: skip
@lake_option
@as_of_option
@json_option
def tables(pattern: str | None, k: int | None, lake: str, as_of: int | None, as_json: bool) -> int:
    """List the tables; with PATTERN, those whose name matches the glob or contains the text.

    A sheet that its workbook hides is marked 'hidden', a table without its rows 'profile only'.

    Example:  mere tables 'sales/*.csv'
    """
    from mere.cli.progress import show_waiting
    from mere.cli.tables import show_tables
    from mere.lake import open as open_lake

    with show_waiting("reading the lake"), open_lake(lake, as_of) as opened:
        matching = opened.tables if pattern is None else opened.tables.matching(pattern)
        document = {"snapshot": opened.snapshot, "tables": matching.to_dicts()[: k or None]}
    print_json(document) if as_json else show_tables(matching, k)
    return 0


@click.command()
@click.argument("table", type=TableName())
@lake_option
@click.option("--rows", type=click.IntRange(min=0), default=0, help="Also print this many raw rows.")
@click.option(
    "--columns",
    type=ColumnNames(("table",)),
    metavar="PATTERN",
    help="Only columns whose name matches the glob or contains the text.",
)
@click.option("--all", "all_columns", is_flag=True, help="All columns.  [default: the first 60 on a terminal]")
@keep_word_option
@click.option(
    "--where", metavar="CONDITION", help="Also draw the histograms that decide it; a condition as for 'mere where'."
)
@as_of_option
@json_option
def show(table: str, lake: str, rows: int, as_of: int | None, as_json: bool, **given: Any) -> int:
    """Show a table: its source, its columns, their types, counts, ranges and histograms.

    TABLE is the name of a table, or its last part if no other table has that.

    \b
    Example:  mere show geography/country_codes.csv --rows 5
              mere show people.csv --where 'at least 30% of age < 40'
              mere show survey.csv --columns 'q1*' --all
    """
    from mere.cli.progress import show_waiting
    from mere.cli.render import show_rows
    from mere.cli.tables import show_conditions, show_profile
    from mere.lake import open as open_lake

    with show_waiting("reading the table"), open_lake(lake, as_of) as opened:
        profile = opened.profile(table, given["where"], keep_words=given["keep_words"])
        profile = profile if given["columns"] is None else _with_columns(profile, given["columns"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is to be known of the rows is among the profile's notes
            names = None if given["columns"] is None else [column.name for column in profile.columns]
            raw = opened.rows(profile.name, names, rows, raw=True) if rows else None
    if as_json:
        print_json({**profile.to_dict(), **({"raw": raw.to_pylist()} if raw is not None else {})})
        return 0
    show_profile(profile, given["all_columns"])
    show_conditions(profile)
    if raw is not None:
        show_rows(raw, "--columns PATTERN, --json or a wider terminal shows")
    return 0


def _with_columns(profile: Profile, pattern: str) -> Profile:
    """The profile with the columns that match only."""
    from mere.search.catalog import name_matches

    columns = [column for column in profile.columns if name_matches(column.name, pattern)]
    if not columns:
        names = ", ".join(column.name for column in profile.columns[:10])
        more = " ..." if len(profile.columns) > 10 else ""
        raise UsageError(f"no column of '{profile.name}' matches '{pattern}'", f"it has {names}{more}")
    return replace(profile, columns=columns)
