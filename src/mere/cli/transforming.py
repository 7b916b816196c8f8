"""`mere transform`: join two files whose keys are written differently, and show the programs that were learnt."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from mere.answers.shown import percent
from mere.cli.fitting import Column
from mere.cli.flags import in_flags
from mere.cli.options import json_option
from mere.cli.outputs import check_free, force_option, warnings_as_notes
from mere.cli.params import ColumnNames, Input, as_given
from mere.cli.render import Grid, changed_cells, clean, console, counted, print_document, show_notes
from mere.errors import UsageError

if TYPE_CHECKING:
    from mere.search.transforming import TransformJoin

_EXAMPLES = 3  # pairs that are shown per program
_WIDTH = 48  # characters of a key
CODE = ("python", "spark_sql")  # languages in which programs can be printed


@click.command()
@click.argument("left", type=Input(tables=False))
@click.argument("right", type=Input(tables=False))
@click.option(
    "-o", "--output", type=click.Path(), metavar="PATH", help="Write the joined rows as .csv, .tsv or .parquet."
)
@force_option
@click.option(
    "--how",
    type=click.Choice(["inner", "left", "right", "outer"]),
    default="inner",
    show_default=True,
    help="With -o: only pairs, or also rows without a partner.",
)
@click.option(
    "--on",
    nargs=2,
    type=ColumnNames(("left", "right")),
    metavar="COL[,COL] COL[,COL]",
    help="What to match of LEFT and of RIGHT (a name with a comma in double quotes).  [default: any columns]",
)
@click.option("--seconds", type=float, default=120, show_default=True, help="Time limit of the search.")
@click.option("--fuzzy/--no-fuzzy", default=True, help="Match rows that are left over by similarity.  [default: fuzzy]")
@click.option("--accidents", is_flag=True, help="Also accept a join that looks like an accident.")
@click.option("--many-to-many", is_flag=True, help="Also accept a join of which neither side is a key.")
@click.option("--most-programs", type=int, default=10, show_default=True, metavar="N", help="Programs at most.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of the samples of large tables.")
@click.option("-p", "--programs", type=click.Path(), metavar="FILE", help="Save the programs as JSON, for new rows.")
@click.option("--python", is_flag=True, help="Also print the programs as Python.")
@click.option("--spark-sql", is_flag=True, help="Also print the programs as Spark SQL.")
@click.option("--formulas", is_flag=True, help="With -o: keep cells that a spreadsheet would run as formulas.")
@json_option
def transform(left: str, right: str, as_json: bool, **given: Any) -> int:
    """Join two files whose keys are written differently: learn the programs that turn one into the other.

    LEFT and RIGHT are files of any format (FILE#member for a sheet or member), '-' is standard input.  No columns need
    to be named.

    \b
    Example:  mere transform staff.csv badges.csv
              mere transform staff.csv badges.csv -o joined.csv --how left
              mere transform staff.csv badges.csv --on name holder --python
              mere transform staff.csv badges.csv --programs programs.json
    """
    from mere.cli.progress import show_waiting

    _check_outputs(left, right, given)
    check_free(given["force"], given["output"], given["programs"])
    result = _matched(left, right, as_json, given)
    with show_waiting("writing"), warnings_as_notes(result.notes):
        neutralised = _write(result, given) if result.refused is None else 0
    if as_json:
        written = {"output": given["output"], "programs_file": given["programs"]} if result.refused is None else {}
        document = {**result.to_dict(), "output": None, "programs_file": None, "neutralised": neutralised}
        print_document({**document, **written})
    else:
        show_notes(result.notes)
        code = [name for name in CODE if given[name]]
        show_transform(result, (as_given(left), as_given(right)), code)
        _show_written(result, [given[name] for name in ("output", "programs") if given[name] is not None])
        for line in changed_cells(neutralised):
            console().print(Text(line))
    return 0


def _check_outputs(left: str, right: str, given: dict[str, Any]) -> None:
    """Refuse outputs that cannot be written, before anything is computed."""
    from mere.search.exporting import check_target

    output, programs = given["output"], given["programs"]
    for source in (left, right):
        if output is not None:
            check_target(output, source)
        if programs is not None and all(map(os.path.exists, (programs, source))) and os.path.samefile(programs, source):
            raise UsageError(f"'{programs}' is a table to join", "choose another name for the programs")
    if programs is not None:
        folder = os.path.dirname(programs) or "."
        if not os.path.isdir(folder):
            raise UsageError(f"there is no folder '{folder}'", "create it, or choose another")
        if os.path.isdir(programs) or programs == output:
            raise UsageError(f"cannot write the programs to '{programs}'", "choose another name for them")
    if output is None and given["formulas"]:
        raise UsageError("--formulas goes with -o", "name a file for the joined rows: -o FILE")


def _matched(left: str, right: str, as_json: bool, given: dict[str, Any]) -> TransformJoin:
    from mere.cli.progress import show_sentences
    from mere.search.transforming import transform_join

    names = ("seconds", "fuzzy", "accidents", "many_to_many", "most_programs", "seed")
    options = {name: given[name] for name in names}
    with show_sentences(as_json and not sys.stderr.isatty()) as say:
        return transform_join(left, right, on=_columns(given["on"]), progress=say, **options)


def _columns(on: tuple[str, str] | None) -> tuple[list[str], list[str]] | None:
    from mere.search.given import split_names

    return (split_names(on[0], []), split_names(on[1], [])) if on else None


def _write(result: TransformJoin, given: dict[str, Any]) -> int:
    """Write what was asked for; how many cells got an apostrophe."""
    from mere.search.exporting import export, is_text_format

    changed, output = 0, given["output"]
    if output is not None:
        rows = result.joined(given["how"], raw=is_text_format(output))
        changed = export(rows, output, neutralise=not given["formulas"]).neutralised
    if given["programs"] is not None:
        result.save_programs(given["programs"])
    return changed


def show_transform(result: TransformJoin, names: tuple[str, str], code: Sequence[str] = ()) -> None:
    """What was matched, by which programs, with examples, and what was not; `code`: in which languages."""
    out = console()
    if result.refused is not None:
        out.print(Text(f"no join: {clean(in_flags(result.refused, transform))}"))
        if result.advice:
            out.print(Text(f"  {in_flags(result.advice, transform)}"))
        return
    missing = {side: len(rows) for side, rows in result.unmatched.items()}
    counts = [
        f"{rows - missing[side]:,} of {counted(rows, 'row')} of {clean(name)} ({percent(result.coverage[side])})"
        for (side, rows), name in zip(result.rows.items(), names, strict=True)
    ]
    out.print(Text(f"{counts[0]} match {counts[1]}"))
    _show_makers(result, names, code)
    _show_leftovers(result, names, missing)


def _show_written(result: TransformJoin, paths: list[str]) -> None:
    if paths:
        written = f"written to {clean(' and '.join(paths))}" if result.refused is None else "nothing was written"
        console().print(Text(written))


def _show_makers(result: TransformJoin, names: tuple[str, str], code: Sequence[str]) -> None:
    """Each program with its code, and some pairs that it made; then those made by similarity."""
    out = console()
    pairs = result.to_arrow()
    places: dict[str, list[int]] = {}
    for place, maker in enumerate(pairs.column("by").to_pylist()):
        places.setdefault(maker, []).append(place)
    for number, program in enumerate(result.programs, 1):
        source, target = names if program.direction == "left to right" else names[::-1]
        made = counted(program.pairs, "pair")
        out.print(Text(f"\nprogram {number} makes keys of {clean(target)} from {clean(source)}: {made}"))
        out.print(Text(f"  {clean(str(program.key))} = {clean(str(program))}"), soft_wrap=True)
        for language in code:
            lines = getattr(program, language).splitlines()
            out.print(Text("\n".join(f"    {clean(line)}" for line in lines)), soft_wrap=True)
        _show_examples(pairs, places.get(f"program {number}", []))
    if fuzzy := places.get("fuzzy"):
        out.print(Text(f"\nsimilar keys of rows that were left over: {counted(len(fuzzy), 'pair')}"))
        _show_examples(pairs, fuzzy, similar=True)


def _show_examples(pairs: Any, places: list[int], similar: bool = False) -> None:
    table = Grid([Column("left", most=_WIDTH), Column("right", rank=0, most=_WIDTH), Column("score")], header=False)
    for pair in pairs.take(places[:_EXAMPLES]).to_pylist():
        left, right = (pair[name] or "" for name in ("left_key", "right_key"))
        table.add(f"  {left}", f"{'≈' if similar else '='} {right}", f"{pair['score']:.2f}" if similar else "")
    console().print(table)


def _show_leftovers(result: TransformJoin, names: tuple[str, str], missing: dict[str, int]) -> None:
    without = [
        f"{counted(missing[side], 'row')} of {clean(name)}"
        for side, name in zip(("left", "right"), names, strict=True)
        if missing[side]
    ]
    lines = [f"without a partner: {' and '.join(without)}"] if without else []
    if result.conflicts:
        lines.append(f"{counted(len(result.conflicts), 'row')} had several possible partners: --json lists them")
    if lines:
        console().print(Text("\n" + "\n".join(lines)))
