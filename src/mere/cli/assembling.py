"""`mere assemble`: choose the tables that add the most rows to a table for a budget, and show what a budget brings."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.text import Text

from mere.bundles.outcome import METHODS
from mere.cli.fitting import Column
from mere.cli.flags import in_flags
from mere.cli.options import as_of_option, json_option, lake_option
from mere.cli.outputs import check_free, force_option, warnings_as_notes
from mere.cli.params import ColumnNames, Input
from mere.cli.render import changed_cells, clean, console, counted, grid, print_document, row, show_notes
from mere.drawing import curve_text
from mere.errors import NotALake, UsageError

if TYPE_CHECKING:
    from mere.lake import Lake
    from mere.search.assembling import Bundle

_REJECTED = 10  # that are shown
_WIDE, _HIGH = 76, 7  # characters of the curve, at most


@click.command()
@click.argument("base", type=Input())
@click.argument("more", nargs=-1, type=Input(), metavar="[CANDIDATE]...")
@click.option(
    "-c",
    "--candidates",
    multiple=True,
    type=Input(),
    metavar="TABLE",
    help="A file or a table of the lake that can be chosen; repeatable.  [default: tables with the columns of BASE]",
)
@click.option("-q", "--query", "queries", multiple=True, metavar="SQL", help="Rows that are wanted; repeatable.")
@click.option("--queries", "query_file", type=Input(tables=False), metavar="FILE", help="A file with a query per line.")
@click.option("--budget", type=float, metavar="N", help="What may be spent.  [default: no limit]")
@click.option(
    "--prices",
    type=Input(tables=False),
    metavar="FILE|N",
    help="A file with columns table and price, or a price per row.  [default: 1 a table]",
)
@click.option("--default-price", type=float, metavar="N", help="The price of tables that --prices does not list.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="sketch",
    show_default=True,
    help="Estimate from samples; count; count and compare all bundles of up to 20 tables; or the learned estimator.",
)
@click.option(
    "--exclude",
    multiple=True,
    type=ColumnNames(("base",)),
    metavar="COL",
    help="Columns that are not compared, as an id; repeatable.",
)
@click.option("--licence", "licences", multiple=True, metavar="NAME", help="Only tables with this licence; repeatable.")
@click.option(
    "--sample-size",
    type=int,
    metavar="N",
    help="Rows of a sample: half to choose by, half to judge by.  [default: as the lake has stored, or 2000]",
)
@click.option("--spark/--no-spark", default=None, help="Count on Spark, or here.  [default: by the number of rows]")
@click.option(
    "-o", "--output", type=click.Path(), metavar="PATH", help="Write the rows of the bundle as .csv, .tsv or .parquet."
)
@click.option("--formulas", is_flag=True, help="With -o: keep cells that a spreadsheet would run as formulas.")
@click.option("--plot", type=click.Path(), metavar="PATH", help="Draw the curve as .svg, .html or .png.")
@force_option
@lake_option
@as_of_option
@json_option
def assemble(base: str, more: tuple[str, ...], lake: str, as_of: int | None, as_json: bool, **given: Any) -> int:
    """Choose the tables that add the most distinct rows to BASE for a budget.

    BASE and candidates are files (FILE#member for a sheet or member, '-' for standard input) or tables of the lake.
    Tables are compared in the columns of BASE.  A row counts if it meets one of the queries: SQL, such as
    "price < 100 AND city = 'Graz'".

    \b
    Example:  mere assemble mine.csv --budget 100 --prices prices.csv
              mere assemble mine.csv --budget 3 -q "price < 100 AND city = 'Graz'"
              mere assemble mine.csv offers/*.csv --prices 0.01 --budget 50
              mere assemble mine.csv --budget 9 -o bundle.csv --plot curve.svg
    """
    from mere.cli.progress import show_waiting

    candidates = [*given["candidates"], *more]
    _check_outputs([base, *candidates], given)
    check_free(given["force"], given["output"], given["plot"])
    with ExitStack() as stack:
        bundle = _assembled(stack, base, candidates, (lake, as_of), {**given, "quiet": as_json})
        bundle.notes += _unused_notes(base, candidates)
        with show_waiting("writing"), warnings_as_notes(bundle.notes):
            written, neutralised = _write(bundle, given)
    if as_json:
        outputs = {"output": given["output"], "plot": given["plot"], "neutralised": neutralised}
        print_document({**bundle.to_dict(), **outputs})
    else:
        show_notes(bundle.notes)
        show_bundle(bundle)
        for line in written:
            console().print(Text(line))
    return 0


def _check_outputs(tables: list[str], given: dict[str, Any]) -> None:
    """Refuse outputs that cannot be written, before anything is computed."""
    from mere.search.assembling.plotting import check_plot_path
    from mere.search.exporting import check_target

    output, plot, prices = given["output"], given["plot"], given["prices"]
    for target, what in ((output, "rows"), (plot, "curve")):
        for source in tables:
            if _is_same_file(target, source):
                raise UsageError(f"'{target}' is one of the tables", f"choose another name for the {what}")
        if _is_same_file(target, prices):
            raise UsageError(f"'{target}' is the price list", f"choose another name for the {what}")
    if output is not None:
        check_target(output, "")
    if plot is not None:
        check_plot_path(plot)
    if output is None and given["formulas"]:
        raise UsageError("--formulas goes with -o", "name a file for the rows: -o FILE")


def _is_same_file(path: str | None, other: str | None) -> bool:
    if path is None or other is None:
        return False
    from mere.search.given.files import path_and_member

    file = path_and_member(other)[0]
    return os.path.exists(path) and os.path.exists(file) and os.path.samefile(path, file)


def _assembled(
    stack: ExitStack, base: str, candidates: list[str], lake: tuple[str, int | None], given: dict[str, Any]
) -> Bundle:  # fmt: skip
    from mere.cli.progress import show_sentences
    from mere.lake import assemble as assemble_bundle

    opened = None if _needs_no_lake(base, candidates) else stack.enter_context(_open_lake([base, *candidates], lake))
    names = ("budget", "default_price", "method", "exclude", "licences", "sample_size", "spark")
    options = {name: given[name] for name in names}
    with show_sentences(given["quiet"] and not sys.stderr.isatty()) as say:
        return assemble_bundle(
            base, candidates or None, _queries(given), prices=_prices(given["prices"]), lake=opened, progress=say,
            **options,
        )  # fmt: skip


def _needs_no_lake(base: str, candidates: list[str]) -> bool:
    from mere.search.given import is_file

    return bool(candidates) and all(map(is_file, [base, *candidates]))


def _open_lake(tables: list[str], lake: tuple[str, int | None]) -> Lake:
    """The lake; if there is none, a table that is not a file is the fault."""
    from mere.lake import open as open_lake
    from mere.search.given import is_file

    try:
        return open_lake(*lake)
    except NotALake as error:
        if missing := [name for name in tables if not is_file(name)]:
            fault = f"no file '{missing[0]}', and {error.message}"
            raise UsageError(fault, "check the path, or name the lake with --lake") from error
        raise


def _unused_notes(base: str, candidates: list[str]) -> list[str]:
    """A note on flags of the lake that were given although all tables are files."""
    context = click.get_current_context()
    flags = {"lake": "--lake", "as_of": "--as-of"}
    given = [flag for name, flag in flags.items() if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if not given or not _needs_no_lake(base, candidates):
        return []
    return [f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} not used: all tables are files"]


def _queries(given: dict[str, Any]) -> list[str]:
    """The queries of the command line, and those of a file: one per line, without empty lines and comments."""
    queries, path = list(given["queries"]), given["query_file"]
    if path is None:
        return queries
    if not os.path.isfile(path):
        raise UsageError(f"'{path}' is not a file", "give a file with one query per line")
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = [line.strip() for line in file]
    except UnicodeDecodeError as error:
        raise UsageError(f"'{path}' is not a text in UTF-8", "give a file with one query per line") from error
    read = [line.rstrip(";") for line in lines if line and not line.startswith(("--", "#"))]
    if not read:
        raise UsageError(f"'{path}' has no query", "write one query per line")
    return [*queries, *read]


def _prices(given: str | None) -> str | float | None:
    """A price per row, or the path of a price list."""
    if given is None or os.path.exists(given):
        return given
    try:
        return float(given)
    except ValueError:
        return given


def _write(bundle: Bundle, given: dict[str, Any]) -> tuple[list[str], int]:
    """Write the rows and the curve where they were asked for; what was written, in words, and the changed cells."""
    from mere.search.exporting import export, is_text_format

    written, neutralised = [], 0
    if given["output"] is not None:
        rows = bundle.fetch(raw=is_text_format(given["output"]))
        neutralised = export(rows, given["output"], neutralise=not given["formulas"]).neutralised
        written.append(f"{counted(rows.num_rows, 'row')} written to {clean(given['output'])}")
        written += changed_cells(neutralised)
    if given["plot"] is not None:
        bundle.plot(given["plot"])
        written.append(f"curve written to {clean(given['plot'])}")
    return written, neutralised


def show_bundle(bundle: Bundle) -> None:
    """What was chosen, what was rejected and why, and the curve."""
    out = console()
    out.print(Text(bundle.summary()))
    if bundle.counted:
        out.print(Text(_counted_line(bundle)))
    out.print()
    _show_chosen(bundle)
    _show_rejected(bundle)
    if not bundle.chosen:
        return
    out.print(Text("\ndistinct rows for a cost"))
    for line in curve_text(bundle.steps(), bundle.budget, min(_WIDE, out.width), _HIGH):
        out.print(Text(line))


def _counted_line(bundle: Bundle) -> str:
    if bundle.exact:
        return "all tables were counted in full, because their samples say too little"
    count = len(bundle.counted)
    verb, their = ("was", "its sample says") if count == 1 else ("were", "their samples say")
    return f"{counted(count, 'table')} {verb} counted in full, because {their} too little"


def _show_chosen(bundle: Bundle) -> None:
    from mere.search.assembling.bundle import price_text

    most = max((point.distinct for point in bundle.curve), default=bundle.distinct) or 1
    about = "" if bundle.exact else "~"
    columns = {each.table: bundle.columns_in(each.table) for each in bundle.chosen}
    lacking = any(count < total for count, total in columns.values())
    numbers = ["price", "new rows", "rows", "share of all", *(["columns"] if lacking else [])]
    table = grid(Column("chosen", name=True), *numbers, right=numbers)
    more = [""] if lacking else []
    base = f"{'' if bundle.base_exact else '~'}{bundle.base:,}"
    row(table, "(the base)", "", "", base, f"{bundle.base / most:.0%}", *more)
    for each in bundle.chosen:
        gain, rows, share = f"{about}{each.gain:,}", f"{about}{each.distinct:,}", f"{each.distinct / most:.0%}"
        more = ["{} of {}".format(*columns[each.table])] if lacking else []
        row(table, each.table, price_text(each.price), gain, rows, share, *more)
    console().print(table)


def _show_rejected(bundle: Bundle) -> None:
    from mere.search.assembling.bundle import price_text

    if not bundle.rejected:
        return
    table = grid(Column("rejected", name=True, rank=0), Column("price", right=True), Column("reason", rank=0, least=40))
    for each in bundle.rejected[:_REJECTED]:
        row(table, each.table, price_text(each.price), in_flags(each.reason, assemble))
    out = console()
    out.print()
    out.print(table)
    if len(bundle.rejected) > _REJECTED:
        out.print(Text(f"... and {counted(len(bundle.rejected) - _REJECTED, 'more table')}: --json lists all"))
