"""`mere where`."""

from __future__ import annotations

from typing import Any

import click

from mere.cli.options import question
from mere.cli.params import ColumnNames, Input
from mere.cli.render import print_hits
from mere.errors import UsageError
from mere.indexes.distribution import MODES


@click.command()
@click.argument("condition", required=False)
@click.option(
    "--like",
    type=Input(),
    metavar="WHAT",
    help="Instead: columns distributed like a FILE's ('-': standard input) or TABLE's, or 'normal(0, 1)'.",
)
@click.option("--on", type=ColumnNames(("like",)), metavar="COL", help="With --like FILE: its column.")
@click.option(
    "--column", metavar="NAME", help="With --like: only columns of this name; a name, a glob*, /an expression/."
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    metavar="MODE",
    default="auto",
    show_default=True,
    help=f"[{', '.join(MODES)}]  How predicates are answered: auto, or an algorithm of the FAINDER paper.",
)
@click.option("--sure", is_flag=True, help="Only what is guaranteed, and nothing that is only possible.")
@question
def where(
    condition: str | None,
    like: str | None,
    mode: str,
    sure: bool,
    lake: str,
    as_of: int | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Find tables by how their columns are distributed, from histograms, without reading rows; and by words.

    \b
    CONDITION is made of predicates and quoted words, joined by and, or, not, ( ):
      at least 30% of age < 40            or 'at most', with <, <=, >, >=, =, !=
      at least 0.5 of year between 1900 and 1950
      at least 90% of any column > 0      a name, "a name", glob*, /expression/
      at least 10% of born >= 1990-01-01  dates
      ... and at most 1% of the same column > 90   the column of the one before

    Hits are guaranteed; or possible, where the histogram does not decide; or, after all others, possible because
    nothing is known, with the reason; --sure leaves out what is possible.  In an approximate mode they are called
    approximate.  One quoted word is a word of 'mere search', several are a phrase.  A date is compared only with
    dates, a number only with numbers.

    \b
    Example:  mere where "at least 30% of age < 40 and at least 30% of age > 60"
              mere where "at least 30% of age < 40 and 'cancer'"
              mere where --like people.csv --on age
              mere where --like 'normal(100, 15)' --column '*iq*'
    """
    from mere.cli.progress import show_waiting
    from mere.lake import open as open_lake
    from mere.language import Predicate, SameColumn, parse
    from mere.search.given import is_file, only_column

    if (condition is None) == (like is None):
        raise UsageError("'mere where' takes a CONDITION or --like, and not both", "give one of them")
    if like is None and (given["on"] or given["column"]):
        raise UsageError("--on and --column go with --like", "leave them out")
    if like is not None and (mode != "auto" or sure):
        fault = f"{'--sure' if sure else '--mode'} goes with a CONDITION, and not with --like"
        raise UsageError(fault, "leave it out")
    meaning = parse(condition) if condition is not None else None
    given["k"] = 10 if given["k"] is None else given["k"]
    with show_waiting(), open_lake(lake, as_of) as opened:
        if meaning is None:
            if given["on"] is None and is_file(like):
                given["on"] = only_column(opened.columns(like), None, f"'{like}'")
            hits = opened.distribution(like=like, **given)
        elif given["per"] == "table":
            hits = opened.where(meaning, given["k"], mode=mode, sure=sure)
        elif isinstance(meaning, Predicate | SameColumn):
            hits = opened.distribution(meaning, given["k"], per="column", mode=mode, sure=sure)
        else:
            remedy = "leave out --per, or all but one predicate (or those of the same column)"
            raise UsageError("--per column goes with a single predicate", remedy)
    print_hits(hits, as_json)
    return 0
