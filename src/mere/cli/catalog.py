"""`mere info`, `mere tables` and `mere show`."""

from __future__ import annotations

import warnings

import click

from mere.cli.options import as_of_option, json_option, lake_option, print_json


@click.command()
@lake_option
@as_of_option
@json_option
def info(lake: str, as_of: int | None, as_json: bool) -> int:
    """Show what is in a lake, its size on disk, and which snapshots are kept.

    Example:  mere info --lake ./lake
    """
    from mere.cli.tables import show_info
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        document = {**opened.info(), "quarantined": opened.quarantine()}
    print_json(document) if as_json else show_info(document)
    return 0


@click.command()
@click.argument("pattern", required=False)
@lake_option
@as_of_option
@json_option
def tables(pattern: str | None, lake: str, as_of: int | None, as_json: bool) -> int:
    """List the tables; with PATTERN, those whose name matches the glob or contains the text.

    Example:  mere tables 'sales/*.csv'
    """
    from mere.cli.tables import show_tables
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        matching = opened.tables if pattern is None else opened.tables.matching(pattern)
        document = {"snapshot": opened.snapshot, "tables": matching.to_dicts()}
    print_json(document) if as_json else show_tables(matching)
    return 0


@click.command()
@click.argument("table")
@lake_option
@click.option("--rows", type=click.IntRange(min=0), default=0, help="Also print this many raw rows.")
@click.option(
    "--where", metavar="CONDITION", help="Also draw the histograms that decide it; a condition as for 'mere where'."
)
@as_of_option
@json_option
def show(table: str, lake: str, rows: int, where: str | None, as_of: int | None, as_json: bool) -> int:
    """Show a table: its source, its columns, their types, counts, ranges and histograms.

    TABLE is the name of a table, or its last part if no other table has that.

    \b
    Example:  mere show geography/country_codes.csv --rows 5
              mere show people.csv --where 'at least 30% of age < 40'
    """
    from mere.cli.render import show_rows
    from mere.cli.tables import show_conditions, show_profile
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        profile = opened.profile(table, where)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is to be known of the rows is among the profile's notes
            raw = opened.rows(profile.name, limit=rows, raw=True) if rows else None
    if as_json:
        print_json({**profile.to_dict(), **({"raw": raw.to_pylist()} if raw is not None else {})})
        return 0
    show_profile(profile)
    show_conditions(profile)
    if raw is not None:
        show_rows(raw)
    return 0
