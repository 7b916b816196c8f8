"""`mere profile export`."""

from __future__ import annotations

import os
from typing import Any

import click

from mere.cli.options import as_of_option, json_option, lake_option, print_json
from mere.cli.outputs import check_free, force_option
from mere.cli.params import TableName
from mere.errors import UsageError


@click.group(invoke_without_command=True)
@click.pass_context
def profile(context: click.Context) -> None:
    """Publish profiles of tables, without their rows."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@profile.command("export")
@click.argument("tables", nargs=-1, type=TableName())
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write it there; '-' or nothing prints it.")
@force_option
@click.option(
    "--least",
    type=click.IntRange(min=0),
    default=0,
    metavar="ROWS",
    help="No bin has fewer rows; edges are round; ranges and means are left out.",
)
@click.option(
    "--set", "dataset", multiple=True, metavar="NAME=TEXT", help="Of the dataset: name, url, creator, license, ..."
)
@lake_option
@as_of_option
@json_option
def export_profiles(
    tables: tuple[str, ...], output: str | None, dataset: tuple[str, ...], lake: str, as_json: bool, **given: Any
) -> int:
    """Publish profiles of TABLES (default: all) without their rows: Croissant 1.1 (JSON-LD) with histograms.

    A lake that indexes the file finds these tables by words and by how their columns are distributed; its users ask
    you for the rows.

    \b
    What it discloses:
      of every table        its name, number of rows, title, description,
                            keywords and licence
      of every column       name, description, type, how many cells are filled,
                            null, and distinct
      of numbers and dates  least and largest value, mean, and a histogram whose
                            edges are values of the column, some of whose bins
                            may have a single row: numbers that identify a
                            person are disclosed
      of text               no cell, no example, no range

    With --least 20, no bin has fewer than 20 rows, edges are round numbers, and range and mean are left out.

    Example:  mere profile export patients.csv --least 20 -o profiles.json --set creator='City of Vienna'
    """
    from mere.cli.progress import show_waiting
    from mere.cli.reports import show_exported
    from mere.lake import open as open_lake
    from mere.search.publishing import as_text

    path = None if output in (None, "-") else output
    check_free(given["force"], path)
    with show_waiting("reading the tables"), open_lake(lake, given["as_of"]) as opened:
        document = opened.export_profiles(tables or None, path, least=given["least"], **_dataset(dataset))
    if path is None:
        print_json(document) if as_json else print(as_text(document), end="", flush=True)
        return 0
    records = document["recordSet"]
    counts = {
        "output": path, "tables": len(records), "columns": sum(len(record["field"]) for record in records),
        "histograms": sum("histogram" in field for record in records for field in record["field"]),
        "bytes": os.path.getsize(path),
    }  # fmt: skip
    print_json(counts) if as_json else show_exported(counts)
    return 0


def _dataset(texts: tuple[str, ...]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for text, (_, equals, _) in zip(texts, pairs, strict=True):
        if not equals:
            raise UsageError(f"--set '{text}' is not NAME=TEXT", "write for example --set creator='City of Vienna'")
    return {name: value for name, _, value in pairs}
