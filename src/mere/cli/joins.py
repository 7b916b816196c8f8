"""`mere join`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from mere.cli.options import (
    as_of_option,
    is_default,
    join_k_option,
    joining_flags,
    joining_parameters,
    json_option,
    keep_word_option,
    lake_option,
    per_option,
)
from mere.cli.outputs import check_free, force_option
from mere.cli.params import ColumnNames, Input, TableName
from mere.cli.render import print_document, print_hits
from mere.errors import UsageError
from mere.indexes import KINDS, Kind

if TYPE_CHECKING:
    from mere.answers import Hits
    from mere.lake import Lake

JOINING = [kind.name for kind in KINDS.joining()]


@click.command()
@click.argument("file", type=Input())
@click.option(
    "--on",
    type=ColumnNames(("file",)),
    metavar="COL[,COL]",
    help="The column of FILE to join on, or columns (a name with a comma in double quotes).  [default: any]",
)
@join_k_option
@click.option(
    "--by",
    type=click.Choice(JOINING),
    help="The kind of question, which also says what --with joins on.  [default: whatever joins best]",
)
@joining_flags
@keep_word_option
@per_option
@click.option("--copies", is_flag=True, help="Every table, also those that are copies of another one in the answer.")
@click.option(
    "--with", "with_table", type=TableName(), metavar="TABLE", help="Join with this table instead of searching."
)
@click.option(
    "--column",
    type=ColumnNames(("with_table",)),
    metavar="COL[,COL]",
    help="With --with: its column(s).  [default: what matches most]",
)
@click.option(
    "--how", type=click.Choice(["left", "inner", "right", "outer"]), help="With --with: which rows.  [default: left]"
)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="PATH",
    help="With --with: write the rows as .csv, .tsv, .parquet or .arrow.",
)
@force_option
@click.option("--formulas", is_flag=True, help="With -o: keep cells that a spreadsheet would run as formulas.")
@click.option("--raw", is_flag=True, help="With -o: text as it was written also in .parquet and .arrow.")
@click.option(
    "--buffer",
    type=click.IntRange(1),
    metavar="MIB",
    help="With -o: memory for rows that are being written.  [default: 128]",
)
@click.option("--yes", is_flag=True, help="With -o: write more than ten million rows without asking.")
@lake_option
@as_of_option
@json_option
def join(file: str, lake: str, as_of: int | None, as_json: bool, **given: Any) -> int:
    """Find the tables that you most likely want to join with FILE; or, with --with, join with one.

    FILE is a raw file (FILE#member for a sheet or member), '-' for standard input, or the name of a table of the lake.
    Without --on, all of its columns are tried, and promising combinations.  Hits are ranked by what speaks for each
    join; with --by, or a flag of one kind of question, by what that kind counts.

    \b
    Examples:
      mere join sales.csv
      mere join sales.csv --on country
      mere join sales.csv --on country,year
      mere join sales.csv --on country --by overlap
      mere join sales.csv --on country --threshold 0.8
      mere join sales.csv --on country --by similar
      mere join sales.csv --on day --by transform
      mere join sales.csv --with geo/countries.csv
      mere join sales.csv --on country --with geo/countries.csv -o joined.csv
      mere join sales.csv --on country --with geo/countries.csv --by similar
      zcat sales.csv.gz | mere join - --on country
    """
    from mere.cli.join_with import join_with, show_joined
    from mere.cli.live import show_live
    from mere.cli.proposing import show_command
    from mere.lake import open as open_lake

    check_free(given.pop("force"), given["output"])
    with open_lake(lake, as_of) as opened:
        if given["with_table"] is not None:
            document, preview = join_with(opened, file, given)
            print_document(document) if as_json else show_joined(document, preview)
            return 0
        code = 0
        with show_live(as_json) as live:
            try:
                hits = find(opened, file, given, live.update)
            except KeyboardInterrupt:
                if (latest := live.interrupted()) is None:
                    raise
                hits, code = latest, 130
    print_hits(hits, as_json)
    if not as_json:
        show_command(hits, file)
    return code


def find(lake: Lake, file: str, given: dict[str, Any], on_update: Callable[[Hits], object]) -> Hits:
    """Search for tables to join with; of proposed keys, take the first that has hits."""
    if given["output"] is not None:
        raise UsageError("-o goes with --with", "name a table to join with: --with TABLE")
    for flag in ("column", "formulas", "how", "raw", "buffer", "yes"):
        if given[flag]:
            raise UsageError(f"--{flag} goes with --with", "name a table to join with: --with TABLE")
    from mere.cli.proposing import check_column_named

    flags = joining_flags_of(given)
    if not asks_a_kind(given):
        k = 10 if given["k"] is None else given["k"]
        named = _named(lake, file, given["on"])
        return lake.joinable(
            file,
            named,
            k,
            per=given["per"],
            keep_words=given["keep_words"],
            copies=given["copies"],
            on_update=on_update,
        )
    tried: list[str] = []
    for columns, notes in columns_to_join(lake, file, given["on"]):
        kind = joining_kind(given, len(columns or [""]))
        if columns is None:
            check_column_named(lake, file, kind)
        on = columns if kind.joins == "several columns" or columns is None else columns[0]
        hits = lake.ask(kind.name, file, given["k"], per=given["per"], copies=given["copies"], on=on, **flags)
        if hits or not notes:
            break
        tried.append(f"nothing joins on {', '.join(columns or [])}")
    hits.notes[:0] = [*tried, *(notes if hits else [])]
    return hits


def asks_a_kind(given: dict[str, Any]) -> bool:
    """Whether a kind of question is meant: named with --by, or by a flag of one."""
    return given["by"] is not None or any(given[name] is not None for name in joining_parameters())


def _named(lake: Lake, file: str, on: str | None) -> list[str] | None:
    """The columns to join on; None if any will do: without --on, or with --on auto."""
    if on is None or (on == "auto" and "auto" not in lake.columns(file)):
        return None
    from mere.search.given import split_names

    return split_names(on, lake.columns(file)) if any(mark in on for mark in ',"') else [on]


def joining_flags_of(given: dict[str, Any]) -> dict[str, Any]:
    """The flags of joining kinds that are set, but for those that say what every kind assumes."""
    names = [name for name in joining_parameters() if given[name] is not None]
    flags = {name: given[name] for name in names if not is_default(name, given[name])}
    return flags | ({"keep_words": list(given["keep_words"])} if given["keep_words"] else {})


def joining_kind(given: dict[str, Any], columns: int) -> Kind:
    """The kind that takes this number of columns and the flags: the one that is named, or the first one.

    A flag that is set to its default also says which kind is meant, if one kind takes all of them.
    """
    by, flags = given["by"], joining_flags_of(given)
    mentioned = {name for name in joining_parameters() if given[name] is not None}
    candidates = [KINDS[by]] if by is not None else KINDS.joining()
    if columns > 1 and by is not None and KINDS[by].joins == "one column":
        raise UsageError(f"--by {by} takes one column, but --on names {columns}", "leave out --by")
    if by is None:
        arity = "one column" if columns == 1 else "several columns"
        candidates = [kind for kind in candidates if kind.joins == arity]
        candidates.sort(key=lambda kind: not mentioned <= {parameter.name for parameter in kind.parameters})
    for kind in candidates:
        parameters = {parameter.name: parameter for parameter in kind.parameters}
        if set(flags) <= set(parameters):
            for flag in flags:
                if (needed := parameters[flag].needs) and needed not in flags and by is None:
                    raise UsageError(f"{flag}={flags[flag]!r} goes with {needed}=", f"add {needed}=0.6, for example")
            return kind
    raise UsageError(*_misfit(candidates, flags))


def _misfit(candidates: list[Kind], flags: dict[str, Any]) -> tuple[str, str]:
    """The error for flags that none of the kinds takes together."""
    taken = [{parameter.name for parameter in kind.parameters} for kind in candidates]
    names = ", ".join(kind.name for kind in candidates)
    for flag in flags:
        if not any(flag in parameters for parameters in taken):
            owners = ", ".join(joining_parameters()[flag])
            return f"{flag}={flags[flag]!r} does not go with {names}, only with {owners}", "leave it out"
    return f"{' and '.join(f'{flag}=' for flag in flags)} do not go together", "leave out one of them"


Columns = tuple[list[str] | None, list[str]]  # the columns to join on, and notes on them


def columns_to_join(lake: Lake, file: str, on: str | None) -> list[Columns]:
    """The columns to join on; for `auto`, the proposed keys of the table, the best first."""
    return list(_columns_to_join(lake, file, on))


def _columns_to_join(lake: Lake, file: str, on: str | None) -> Iterator[Columns]:
    from mere.search.given import split_names

    if on is None or (on != "auto" and not any(mark in on for mark in ',"')):
        yield (None if on is None else [on]), []
        return
    known = lake.columns(file)
    names = split_names(on, known)
    if names != ["auto"] or "auto" in known:
        yield names, []
        return
    proposals = lake.propose_keys(file)
    if not proposals:
        raise UsageError(f"'{file}' has no columns that look like a key", "name them with --on COL,COL")
    described = [f"on {', '.join(proposal.columns)}: {proposal.why}" for proposal in proposals]
    for place, proposal in enumerate(proposals):
        yield list(proposal.columns), [described[place], *(f"or {other}" for other in described[place + 1 :])]
