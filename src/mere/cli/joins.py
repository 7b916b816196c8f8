"""`mere join` and `mere graph`: what they do, and how it looks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.text import Text

from mere.cli.render import clean, console, grid, row, show_rows
from mere.errors import UsageError

if TYPE_CHECKING:
    from mere.answers import Hit, Hits
    from mere.lake import Lake

Shown = tuple[dict[str, Any], Callable[[], None]]  # the JSON document, and how to show it instead
_ROWS, _COLUMNS = 10, 12  # of a joined table, in a terminal


def find(
    lake: Lake,
    file: str,
    on: str | None,
    k: int | None,
    threshold: float | None,
    by: str | None,
    exact: bool | None,
    verify: bool,
    mode: str,
    numbers: bool | None,
    ties: str,
    per: str,
    output: str | None,
    column: str | None,
    formulas: bool,
    **_: Any,
) -> Shown:
    """Search for tables to join with."""
    if output is not None:
        raise UsageError("-o writes joined rows, and no table was named", "name one with --with TABLE")
    if by == "overlap" and threshold is not None:
        raise UsageError("--threshold is a share: it goes with containment", "leave out --by, or the threshold")
    if column is not None or formulas:
        raise UsageError("--column and --formulas go with --with", "name a table to join with")
    by_share = by == "containment" or threshold is not None
    if not by_share and (exact is not None or not verify):
        raise UsageError("--exact, --approximate and --no-verify go with a threshold", "add --threshold, e.g. 0.6")
    if by_share and mode != "auto":
        raise UsageError(f"--mode {mode} goes with the best k, not with a threshold", "leave out one of them")
    common: dict[str, Any] = {"on": on, "per": per, "numbers": numbers, "ties": ties}
    if by_share:
        share = 0.6 if threshold is None else threshold
        hits = lake.containment(file, share, k=k or 0, verify=verify, exact=exact, **common)
    else:
        hits = lake.overlap(file, 10 if k is None else k, mode=mode, **common)
    return hits.to_dict(), partial(show_joins, hits)


def join_with(
    lake: Lake,
    file: str,
    on: str | None,
    with_table: str,
    column: str | None,
    how: str,
    output: str | None,
    formulas: bool,
    **_: Any,
) -> Shown:
    """Join with the table that was named."""
    from mere.search.exporting import check_target, export
    from mere.search.inputs import only_column

    if output is not None:
        check_target(output, file)
    hits = lake.overlap(file, 0, on=on, table=with_table, per="column", numbers=True)
    chosen = [hit for hit in hits if column in (None, hit.columns[0])]
    if not chosen:
        if column is not None:
            only_column([known.name for known in lake.profile(with_table).columns], column, f"table '{with_table}'")
        where = "no column" if column is None else f"no value of column '{column}'"
        raise UsageError(f"{where} of '{with_table}' is shared with mine", "'mere join' without --with searches")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        joined = lake.join(file, chosen[0], how, on=on)
    notes = [*hits.notes, *(str(one.message) for one in caught)]
    if output is not None:
        export(joined, output, neutralise=not formulas)
    document = {
        "table": chosen[0].table, "columns": list(chosen[0].columns), "how": how, "rows": joined.num_rows,
        "output": output, "evidence": chosen[0].evidence, "notes": list(dict.fromkeys(notes)),
    }  # fmt: skip
    return document, partial(_show_joined, document, joined)


def _show_joined(document: dict[str, Any], joined: Any) -> None:
    out = console()
    for note in document["notes"]:
        out.print(Text(f"note: {clean(note)}"))
    evidence = document["evidence"]
    out.print(
        Text(
            f"{clean(document['how'])} join with {clean(document['table'])} on {clean(document['columns'][0])}: "
            f"{evidence['overlap']:,} values match ({share(evidence['containment'])} of mine), "
            f"{evidence['fan_out']['shape']}, {document['rows']:,} rows"
        )
    )
    if document["output"] is not None:
        out.print(Text(f"written to {clean(document['output'])}"))
        return
    show_rows(joined.slice(0, _ROWS).select(list(range(min(_COLUMNS, joined.num_columns)))))
    if joined.num_columns > _COLUMNS:
        out.print(Text(f"... and {joined.num_columns - _COLUMNS:,} more columns"))
    if joined.num_rows > _ROWS:
        out.print(Text(f"... and {joined.num_rows - _ROWS:,} more rows: -o FILE writes them all"))


def show_joins(hits: Hits) -> None:
    """One row a hit: how much is shared, with whom, what a join would do, and examples."""
    out = console()
    for note in hits.notes:
        out.print(Text(f"note: {clean(note)}"))
    if hits.hits:
        table = grid("share", "shared", "table", "column", "join", "matches", "misses", right=("share", "shared"))
        for hit in hits:
            row(table, *_cells(hit))
        out.print(table)
    out.print(Text(hits.summary()))


def _cells(hit: Hit) -> list[str]:
    evidence = hit.evidence
    mark = "" if hit.exact else "~"
    return [
        f"{mark}{share(evidence['containment'])}",
        f"{mark}{evidence['overlap']:,}",
        clean(hit.table),
        clean(", ".join(hit.columns), 30),
        _fan_out(evidence["fan_out"]),
        clean(", ".join(evidence["matched"][:3]), 36),
        clean(", ".join(evidence["unmatched"][:3]), 36),
    ]


def share(part: float) -> str:
    """A share in percent that says 100 % only of all, and 0 % only of nothing.

    >>> share(1.0), share(0.9962), share(0.5), share(0.002)
    ('100%', '>99%', '50%', '<1%')
    """
    if 0.995 <= part < 1:
        return ">99%"
    return "<1%" if 0 < part < 0.005 else f"{part:.0%}"


def _fan_out(fan_out: dict[str, Any] | None) -> str:
    """many-to-one, 13,979 rows"""
    return f"{fan_out['shape']}, {fan_out['rows']:,} rows" if fan_out else "?"


def show_graph(document: dict[str, Any]) -> None:
    out = console()
    out.print(
        Text(
            f"{document['pairs']:,} pairs of columns, {document['threshold']:.0%} or more contained, "
            f"among {document['columns']:,} columns; {document['seconds']:.1f} s"
        )
    )
    out.print(Text(f"written to {clean(document['output'])}"))
