"""How are a lake, its list of tables and the profile of a table shown in a terminal?"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from mere.cli.fitting import Column
from mere.cli.render import Grid, clean, console, counted, grid, row, show_notes, size
from mere.cli.reports import show_quarantine
from mere.drawing import histogram_text, sparkline, spread_evenly

if TYPE_CHECKING:
    from mere.search import ColumnProfile, Profile, Tables

# the details that are shown
_DIALECT = ("encoding", "delimiter", "header_rows", "preamble_lines", "compression", "version")
_COLUMNS = (  # of the table that describes columns; in a narrow terminal, the range is left out first
    Column("column", name=True, most=40), Column("type", whole=True), Column("distinct", right=True),
    Column("null", right=True), Column("minimum", rank=6, most=20), Column("maximum", rank=6, most=20),
    Column("values", rank=4, least=16), Column("examples", rank=5, most=48),
)  # fmt: skip
_MOST_TABLES, _MOST_COLUMNS = 100, 60  # lines on a terminal, unless more are asked for
_MOST_HISTOGRAMS = 8  # of several lines each


def show_info(document: dict[str, Any]) -> None:
    out = console()
    counts = ", ".join(counted(document.get(f"{noun}s", 0), noun) for noun in ("table", "column", "row"))
    out.print(Text(f"{clean(document['lake'])}: snapshot {document['snapshot']}, {counts}"))
    raw, index = document.get("bytes", 0), document["index_bytes"]
    ratio = f", {index / raw:.1f} times the raw files" if raw else ""
    out.print(Text(f"index {size(index)}{ratio}, in {counted(document['segments'], 'segment')}"))
    table = grid("file", "size", right=("size",))
    for name, length in sorted(document["files"].items()):
        row(table, name, size(length))
    out.print(table)
    for source in document["sources"]:
        options = ", ".join(_options(document["options"].get(source, {})))
        out.print(Text(f"source {clean(source)}{f' ({clean(options, 200)})' if options else ''}"))
    _show_snapshots(document["snapshots"])
    show_notes(document["stale"])
    if document["quarantined"]:
        show_quarantine(document["quarantined"])


def _options(options: dict[str, Any]) -> Iterator[str]:
    """How a source is read, as its flags would be written."""
    for name in ("include", "exclude"):
        yield from (f"--{name} '{pattern}'" for pattern in options.get(name, ()))
    if options.get("decimal"):
        yield f"--decimal {options['decimal']}"


def _show_snapshots(snapshots: list[dict[str, Any]]) -> None:
    table = grid("snapshot", "made", "tables", "rows", "segments", right=("snapshot", "tables", "rows", "segments"))
    for snapshot in snapshots:
        number = str(snapshot["snapshot"])
        if "damaged" in snapshot:
            row(table, number, f"damaged: {snapshot['damaged']}", "", "", "")
            continue
        made = datetime.datetime.fromtimestamp(snapshot["created"]).strftime("%Y-%m-%d %H:%M:%S")
        counts = (f"{snapshot.get(name, 0):,}" for name in ("tables", "rows", "segments"))
        row(table, number, made, *counts)
    console().print(table)


def show_tables(tables: Tables, k: int | None = None) -> None:
    """A line per table: the first k; by default a hundred on a terminal, and all elsewhere."""
    out = console()
    shown = tables[: _most_lines(k, len(tables), _MOST_TABLES)]
    table = grid(
        Column("rows", right=True), Column("columns", right=True, rank=2), Column("format", whole=True, rank=1),
        Column("table", name=True, rank=0),
    )  # fmt: skip
    for info in shown:
        kind = ", ".join([*([] if info.profile_only else [info.format]), *info.marks])
        row(table, _number(info.rows), f"{info.columns:,}", kind, info.name)
    if shown:
        out.print(table)
    if more := len(tables) - len(shown):
        out.print(Text(f"... and {counted(more, 'more table')}: --k 0 lists all, a PATTERN chooses by name"))
    out.print(Text(counted(len(tables), "table")))


def _most_lines(asked: int | None, total: int, usual: int) -> int:
    """How many lines are shown: as many as are asked for (0: all); by default all, on a terminal as is usual."""
    return asked or (total if asked == 0 or not sys.stdout.isatty() else usual)


def _number(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def show_profile(profile: Profile, all_columns: bool = False) -> None:
    """What is known of a table; of many columns, on a terminal only the first unless all are asked for."""
    out = console()
    out.print(Text(clean(profile.name), style="bold"))
    counts = f"{counted(profile.rows, 'row')}, {counted(len(profile.columns), 'column')}"
    out.print(Text(f"{counts}; {profile.format}, {size(profile.bytes)}"))
    if profile.profile_only:
        out.print(Text("profile only: its owner publishes this profile and keeps the rows", style="bold"))
    if profile.hidden:
        out.print(Text("hidden: its workbook does not show this sheet", style="bold"))
    dialect = [f"{name.replace('_', ' ')} {profile.dialect[name]!r}" for name in _DIALECT if profile.dialect.get(name)]
    if "dataset" in profile.dialect:
        dialect = [profile.dialect["dataset"], counted(profile.dialect["parts"], "part")]
    out.print(Text(f"from {clean(profile.source)}" + (f" ({clean(', '.join(dialect), 200)})" if dialect else "")))
    for name in ("title", "description"):
        if profile.about.get(name):
            out.print(Text(clean(profile.about[name], 400), style="italic"))
    if told := _numbers_told(profile.numbers):
        out.print(Text(f"numbers: {clean(told, 200)}"))
    for issue in profile.issues:
        out.print(Text(f"note: {clean(issue)}"))
    _show_columns(profile.columns, 0 if all_columns else None)


def _numbers_told(numbers: dict[str, Any]) -> str:
    """The decimal mark and the units of a table's numbers."""
    mark = {"comma": ["decimal comma"]}.get(numbers.get("decimal", ""), [])
    return ", ".join([*mark, *(f"{name} in {unit}" for name, unit in numbers.get("units", {}).items())])


def _show_columns(columns: list[ColumnProfile], k: int | None) -> None:
    out, shown = console(), columns[: _most_lines(k, len(columns), _MOST_COLUMNS)]
    table = Grid(_COLUMNS)
    for column in shown:
        row(
            table, column.name, column.type + ("*" if column.misfits else ""), _number(column.distinct),
            _number(column.nulls), column.minimum or "", column.maximum or "", histogram_or_top(column),
            ", ".join(column.examples),
        )  # fmt: skip
    out.print(table)
    if len(columns) > len(shown):
        more = counted(len(columns) - len(shown), "more column")
        out.print(Text(f"... and {more}: --all shows all, --columns PATTERN chooses by name"))
    if misfits := ", ".join(f"{clean(column.name, 30)} {column.misfits:,}" for column in shown if column.misfits):
        out.print(Text(f"* cells of another type: {misfits}"))


def histogram_or_top(column: ColumnProfile) -> str:
    """A small histogram of numbers and dates, or the most frequent values with their numbers of rows."""
    if column.histogram:
        counts, edges = column.histogram["counts"], column.histogram.get("edges")
        return sparkline(counts if edges is None else spread_evenly(edges, counts))
    if column.top and column.top[0][1] > 1:
        return ", ".join(f"{clean(value, 12)} {count:,}" for value, count in column.top[:2])
    return ""


def show_conditions(profile: Profile) -> None:
    """The histograms of the columns that a condition refers to, with the part of the axis that it covers."""
    from mere.search.table_profile import verdict

    out, judgements = console(), profile.conditions or []
    for judgement in judgements[:_MOST_HISTOGRAMS]:
        out.print(Text(f"\n{clean(judgement['column'], 60)}  {clean(verdict(judgement), 200)}"))
        if "histogram" not in judgement:
            continue
        lines, inside = histogram_text(**judgement["histogram"], region=judgement.get("region"))
        for line in lines:
            text = Text(f"  {line}")
            for place, covered in enumerate(inside):
                text.stylize("bold yellow" if covered else "dim", place + 2, place + 3)
            out.print(text)
        out.print(Text(f"  {_axis(profile, judgement, len(inside))}"))
    if len(judgements) > _MOST_HISTOGRAMS:
        out.print(Text(f"... and {counted(len(judgements) - _MOST_HISTOGRAMS, 'more column')}: --json lists all"))
    if profile.conditions == []:
        out.print(Text("the condition refers to no column of numbers or dates of this table"))


def _axis(profile: Profile, judgement: dict[str, Any], width: int) -> str:
    """The ends of a column's axis, under its histogram."""
    from mere.values import spelled_moment

    column = next(column for column in profile.columns if column.name == judgement["column"])
    edges = judgement["histogram"]["edges"]
    numbers = [spelled_moment(edge) if column.type == "datetime" else f"{edge:g}" for edge in (edges[0], edges[-1])]
    left, right = (
        clean(end or number, 20) for end, number in zip((column.minimum, column.maximum), numbers, strict=True)
    )
    return f"{left}{right:>{max(1, width - len(left))}}"
