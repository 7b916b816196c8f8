"""`mere graph` and `mere paths`."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from mere.answers.shown import percent
from mere.cli.fitting import shorten_middle
from mere.cli.options import as_of_option, json_option, lake_option, master_option, print_json
from mere.cli.outputs import check_free, force_option
from mere.cli.params import Input, as_given
from mere.cli.render import clean, console, counted, print_document, show_notes

if TYPE_CHECKING:
    from mere.search.paths import Path, Paths, Step

accidents_option = click.option(
    "--accidents", is_flag=True,
    help="Also matches that say little: years, dates, booleans, one-letter codes, small integers, row numbers.",
)  # fmt: skip
least_option = click.option(
    "--least", type=click.IntRange(min=1), default=5, show_default=True, metavar="N",
    help="The least number of values that two columns share.",
)  # fmt: skip


@click.command()
@click.argument("output", type=click.Path())
@click.option(
    "--threshold",
    type=float,
    default=0.8,
    show_default=True,
    help="The least share of a column's values that the other must have.",
)
@least_option
@accidents_option
@click.option("--numbers", is_flag=True, help="Also columns of numbers.")
@master_option
@force_option
@lake_option
@as_of_option
@json_option
def graph(output: str, force: bool, lake: str, as_of: int | None, as_json: bool, **options: Any) -> int:
    """Write the join graph of a lake: every pair of columns of which one contains most of the other's values.

    OUTPUT is a folder of Parquet files, one row per pair: left and right table and column, overlap, containment of the
    left in the right, Jaccard, distinct values, how unique they are, score, accident.  Runs on Spark.

    Example:  mere graph ./joins --threshold 0.9 --least 20
    """
    from mere.cli.progress import show_progress
    from mere.lake import open as open_lake

    check_free(force, output)
    with open_lake(lake, as_of) as opened, show_progress(quiet=as_json and not sys.stderr.isatty()) as progress:
        document = opened.graph(output, progress=progress, **options)
    print_json(document) if as_json else _show_graph(document)
    return 0


def _show_graph(document: dict[str, Any]) -> None:
    out = console()
    out.print(
        Text(
            f"{counted(document['pairs'], 'pair')} of columns, {document['threshold']:.0%} or more contained, "
            f"among {counted(document['columns'], 'column')}; {document['seconds']:.1f} s"
        )
    )
    if document["tables"]:
        out.print(
            Text(
                f"{counted(document['tables'], 'table')} joined with another, in "
                f"{counted(document['clusters'], 'cluster')}; the largest has {document['largest_cluster']:,}"
            )
        )
    if left_out := document["left_out"]:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in left_out.items())
        total = counted(sum(left_out.values()), "pair")
        out.print(Text(f"left out: {total} ({reasons}); --least 1 and --accidents keep them"))
    out.print(Text(f"written to {clean(document['output'])}"))


@click.command()
@click.argument("first", type=Input())
@click.argument("second", type=Input())
@click.option("--k", type=click.IntRange(min=0), default=5, show_default=True, help="How many paths; 0 for all.")
@click.option(
    "--longest", type=click.IntRange(1, 5), default=3, show_default=True, metavar="N", help="The most joins of a path."
)
@click.option("--graph", type=click.Path(), help="Use the links in this folder, which 'mere graph' wrote.")
@least_option
@click.option(
    "--threshold", type=float, default=0.5, show_default=True,
    help="The least share of one column's values that the other has.",
)  # fmt: skip
@accidents_option
@click.option("--questions", type=int, default=500, show_default=True, help="The most columns to ask with.")
@click.option("--seconds", type=float, default=20.0, show_default=True, help="The longest time to ask.")
@lake_option
@as_of_option
@json_option
def paths(first: str, second: str, lake: str, as_of: int | None, as_json: bool, **options: Any) -> int:
    """Find join paths between two tables, the best first: over which tables, and which columns?

    FIRST and SECOND are raw files, or tables of the lake.  The score is the product over all joins (how much of
    both columns is shared, how many values, whether names agree), a fifth less for every join after the first, and
    less for paths that multiply rows.  Numbers of rows over several joins are estimates.

    \b
    Example:  mere paths sales.csv geo/regions.csv
              mere paths sales.csv geo/regions.csv --longest 4 --graph ./joins
    """
    from mere.cli.progress import show_waiting
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened, show_waiting():
        found = opened.paths(first, second, **options)
    print_document(found.to_dict()) if as_json else _show_paths(found)
    return 0


def _show_paths(found: Paths) -> None:
    from mere.cli.proposing import lake_flags

    out = console()
    show_notes(found.notes)
    for number, path in enumerate(found, 1):
        out.print(Text(f"{number}. score {path.score:.3f}, {_rows(path)}"))
        for step in path.steps:
            out.print(Text(f"   {_between(step.left_table, step.left_column)}", no_wrap=True))
            out.print(Text(f"   = {_between(step.right_table, step.right_column)}", no_wrap=True))
            out.print(Text(f"     {_described(step)}"))
        if path.copies:
            same = counted(len(path.copies), "path")
            out.print(Text(f"   and {same} over {_others(path)}"))
    commands = found[0].commands if found else ()
    in_lake = "".join(f" {shlex.join(words)}" for words in lake_flags())
    if commands:
        out.print(Text("the first path is joined by (the others: --json)" if len(found) > 1 else "joined by"))
        for command in commands:
            out.print(Text(f"  {clean(as_given(command))}{in_lake}"), soft_wrap=True)
    out.print(Text(found.summary()))


def _rows(path: Path) -> str:
    about = "" if path.exact else "about "
    kept, rows = (_number(each) for each in (path.kept, path.rows))
    noun = "row" if kept == "1" else "rows"
    return f"{about}{kept} {noun} of {_short(as_given(path.tables[0]), 30)} kept, {rows} joined"


def _others(path: Path) -> str:
    """The first tables of the copies that this path does not have."""
    others = dict.fromkeys(table for tables in path.copies for table in tables if table not in path.tables)
    if not others:
        return "other columns of these tables"
    first = ", ".join(_short(table, 40) for table in list(others)[:2])
    return "tables with the same values: " + first + (", ..." if len(others) > 2 else "")


def _number(rows: float) -> str:
    return "less than 1" if 0 < rows < 1 else f"{rows:,.0f}"


def _described(step: Step) -> str:
    shares = f"{percent(step.containment)} and {percent(step.contained)}"
    marks = "".join(f", {mark}" for mark in step.marks)
    return f"{counted(step.shared, 'value')} shared, {shares} of both, {step.shape}, score {step.score:.2f}{marks}"


def _short(text: str, width: int) -> str:
    return shorten_middle(clean(text), width)


def _between(table: str, column: str) -> str:
    """A column and its table, in a line of at most 80 characters."""
    return f"{_short(column, 24)} of {_short(as_given(table), 46)}"
