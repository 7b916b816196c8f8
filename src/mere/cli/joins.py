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


def find(lake: Lake, file: str, on: str | None, **asked: Any) -> Shown:
    """Search for tables to join with."""
    if asked["output"] is not None:
        raise UsageError("-o writes joined rows, and no table was named", "name one with --with TABLE")
    if asked["column"] is not None or asked["formulas"]:
        raise UsageError("--column and --formulas go with --with", "name a table to join with")
    if asked["how"] is not None:
        raise UsageError("--how goes with --with", "name a table to join with")
    tried: list[str] = []
    for names, notes in _columns_meant(lake, file, on):
        several = asked["by"] == "composite" or len(names or []) > 1
        hits = _by_key(lake, file, names, **asked) if several else _by_column(lake, file, names, **asked)
        if hits or not notes:
            break
        tried.append(f"nothing joins on {', '.join(names or [])}")
    hits.notes[:0] = [*tried, *notes]
    return hits.to_dict(), partial(show_keys if several else show_joins, hits)


Meant = tuple[list[str] | None, list[str]]  # the columns to join on, and what to say about them


def _columns_meant(lake: Lake, file: str, on: str | None) -> list[Meant]:
    """The columns to join on; `auto` lets the table itself propose keys, the best first."""
    from mere.search.inputs import column_names, split_names

    if on is None or (on != "auto" and not any(mark in on for mark in ',"')):
        return [(None if on is None else [on], [])]
    known = column_names(file, lake._opened)
    names = split_names(on, known)
    if names != ["auto"] or "auto" in known:
        return [(names, [])]
    proposals = lake.propose_keys(file)
    if not proposals:
        raise UsageError(f"'{file}' has no columns that look like a key", "name them with --on COL,COL")
    told = [f"on {', '.join(one.columns)}: {one.why}" for one in proposals]
    return [
        (list(one.columns), [told[place], *(f"or {other}" for other in told[place + 1 :])])
        for place, one in enumerate(proposals)
    ]


def _by_column(
    lake: Lake,
    file: str,
    names: list[str] | None,
    k: int | None,
    threshold: float | None,
    by: str | None,
    exact: bool | None,
    verify: bool,
    mode: str,
    numbers: bool | None,
    ties: str,
    per: str,
    **_: Any,
) -> Hits:
    if by == "overlap" and threshold is not None:
        raise UsageError("--threshold is a share: it goes with containment", "leave out --by, or the threshold")
    by_share = by == "containment" or threshold is not None
    if not by_share and (exact is not None or not verify):
        raise UsageError("--exact, --approximate and --no-verify go with a threshold", "add --threshold, e.g. 0.6")
    if by_share and mode != "auto":
        raise UsageError(f"--mode {mode} goes with the best k, not with a threshold", "leave out one of them")
    on = names[0] if names else None
    common: dict[str, Any] = {"on": on, "per": per, "numbers": numbers, "ties": ties}
    if by_share:
        share = 0.6 if threshold is None else threshold
        return lake.containment(file, share, k=k or 0, verify=verify, exact=exact, **common)
    return lake.overlap(file, 10 if k is None else k, mode=mode, **common)


def _by_key(
    lake: Lake,
    file: str,
    names: list[str] | None,
    k: int | None,
    threshold: float | None,
    by: str | None,
    exact: bool | None,
    verify: bool,
    mode: str,
    numbers: bool | None,
    ties: str,
    per: str,
    **_: Any,
) -> Hits:
    if by not in (None, "composite"):
        raise UsageError(f"--by {by} takes one column, and --on names {len(names or [])}", "leave out --by")
    if exact is not None or not verify:
        flags = "leave out --exact, --approximate, --verify and --no-verify"
        raise UsageError("a key of several columns is always answered exactly", flags)
    if per != "table" or ties != "name":
        raise UsageError("--per and --ties go with one column", "leave them out for a key of several columns")
    most = (10 if threshold is None else 0) if k is None else k
    return lake.composite(file, names, most, threshold=threshold, numbers=numbers, mode=mode)


def join_with(
    lake: Lake,
    file: str,
    on: str | None,
    with_table: str,
    column: str | None,
    how: str | None,
    output: str | None,
    formulas: bool,
    **asked: Any,
) -> Shown:
    """Join with the table that was named."""
    from mere.search.exporting import check_target, export

    if asked["k"] is not None or asked["threshold"] is not None or asked["mode"] != "auto":
        raise UsageError("--k, --threshold and --mode go with a search", "leave them out with --with")
    how = how or "left"
    if output is not None:
        check_target(output, file)
    names, said = _columns_meant(lake, file, on)[0]
    hit, found_notes = _partner(lake, file, names, with_table, column)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        joined = lake.join(file, hit, how, on=names)
    notes = [*said, *found_notes, *(str(one.message) for one in caught)]
    if hit.evidence.get("matched_keys") == 0:
        notes.append("no key of mine stands in these columns")
    if output is not None:
        export(joined, output, neutralise=not formulas)
    document = {
        "table": hit.table, "columns": list(hit.columns), "how": how, "rows": joined.num_rows,
        "output": output, "evidence": hit.evidence, "notes": list(dict.fromkeys(notes)),
    }  # fmt: skip
    return document, partial(_show_joined, document, joined)


def _partner(lake: Lake, file: str, names: list[str] | None, table: str, column: str | None) -> tuple[Hit, list[str]]:
    """The columns of a table to join with: those named, or else the ones that share most with mine."""
    wanted = None if column is None else _theirs(lake, table, column)
    if wanted is not None and len(wanted) != len(names or [""]):
        raise UsageError(
            f"--on and --column name different numbers of columns: {len(names or [''])} and {len(wanted)}",
            "name as many of each, in the same order",
        )
    if names is None or len(names) == 1:
        on = names[0] if names else None
        hits = lake.overlap(file, 0, on=on, table=table, per="column", numbers=True)
        chosen = [hit for hit in hits if wanted is None or hit.columns == tuple(wanted)]
    else:
        hits = lake.composite(file, names, 1, table=table)
        chosen = [_named_mapping(lake, file, names, table, wanted)] if wanted else list(hits)
    if not chosen:
        where = f"no value of column '{column}'" if wanted else "no key" if len(names or []) > 1 else "no column"
        raise UsageError(f"{where} of '{table}' is shared with mine", "'mere join' without --with searches")
    return chosen[0], hits.notes


def _theirs(lake: Lake, table: str, column: str) -> list[str]:
    """The columns of the other table that were named."""
    from mere.search.catalog import find_table
    from mere.search.inputs import several_columns, split_names

    segment, number = find_table(lake._opened, table)
    known = segment.columns(number).names
    return several_columns(known, split_names(column, known), f"table '{table}'")


def _named_mapping(lake: Lake, file: str, names: list[str], table: str, columns: list[str]) -> Hit:
    """A key mapped as the user says, which need not be the best mapping."""
    from mere.answers import Hit
    from mere.search.catalog import find_table
    from mere.search.inputs import read_key

    segment, number = find_table(lake._opened, table)
    hit = Hit(segment.names[number], tuple(columns), 0.0)
    return lake._asker.explained("composite", read_key(file, names, lake._opened).query(), hit)


def _show_joined(document: dict[str, Any], joined: Any) -> None:
    out = console()
    for note in document["notes"]:
        out.print(Text(f"note: {clean(note)}"))
    columns = ", ".join(document["columns"])
    out.print(
        Text(
            f"{clean(document['how'])} join with {clean(document['table'])} on {clean(columns)}: "
            f"{_what_matches(document['evidence'])}{document['rows']:,} rows"
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


def _what_matches(evidence: dict[str, Any]) -> str:
    """How much of mine is shared, as far as it was counted."""
    if "overlap" in evidence:
        matching = f"{evidence['overlap']:,} values match ({share(evidence['containment'])} of mine)"
    else:
        matching = f"{evidence['matched_keys']:,} keys match ({share(evidence['share'])} of mine)"
    return f"{matching}, {evidence['fan_out']['shape']}, "


def show_joins(hits: Hits) -> None:
    """One row a hit: how much is shared, with whom, what a join would do, and examples."""
    _show_hits(hits, ("share", "shared", "table", "column", "join", "matches", "misses"), _cells)


def show_keys(hits: Hits) -> None:
    """One row a hit: how many keys are shared, with whom, in which columns (in the order of mine), and so on."""
    _show_hits(hits, ("share", "keys", "table", "columns", "join", "matches", "misses"), _key_cells)


def _show_hits(hits: Hits, columns: tuple[str, ...], cells: Callable[[Hit], list[str]]) -> None:
    out = console()
    for note in hits.notes:
        out.print(Text(f"note: {clean(note)}"))
    if hits.hits:
        table = grid(*columns, right=columns[:2])
        for hit in hits:
            row(table, *cells(hit))
        out.print(table)
    out.print(Text(hits.summary()))


def _key_cells(hit: Hit) -> list[str]:
    evidence = hit.evidence
    mark = "" if hit.exact else "≥"
    return [
        f"{mark}{share(evidence['share'])}",
        f"{mark}{evidence['matched_keys']:,}",
        clean(hit.table),
        clean(", ".join(hit.columns), 60),
        _fan_out(evidence["fan_out"]),
        clean("; ".join(", ".join(key) for key in evidence["matched"][:2]), 40),
        clean("; ".join(", ".join(key) for key in evidence["unmatched"][:2]), 40),
    ]


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
