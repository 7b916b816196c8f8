"""How answers look in a terminal.  Whatever came from a raw file is escaped before it is shown."""

from __future__ import annotations

import datetime
import json
import unicodedata
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mere.drawing import sparkline, spread_evenly

if TYPE_CHECKING:
    from mere.answers import Hits
    from mere.pipeline import Report
    from mere.search import ColumnProfile, Profile, Tables

_TOLD = ("encoding", "delimiter", "header_rows", "preamble_lines", "compression")
_MOST_COLUMNS = 300  # drawn of a wide table


def console() -> Console:
    """A terminal as wide as it is; a pipe or file wide enough that nothing is folded."""
    plain = _Console(highlight=False)
    return plain if plain.is_terminal else _Console(highlight=False, width=220)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # whoever read has seen enough: not a fault, as rich would have it


def clean(text: str, width: int | None = None) -> str:
    """Text that cannot steer the terminal: control characters and direction marks become visible escapes."""
    shown = "".join(_visible(c) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)
    return shown if width is None or len(shown) <= width else shown[: width - 1] + "…"


def _visible(character: str) -> str:
    return " " if character in "\n\t\r" else f"\\u{ord(character):04x}"


def size(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def grid(*columns: str, right: tuple[str, ...] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        wraps = column not in right
        table.add_column(
            Text(column), justify="right" if column in right else "left", overflow="fold", no_wrap=not wraps
        )
    return table


def row(table: Table, *cells: str) -> None:
    table.add_row(*(Text(cell) for cell in cells))


def show_report(report: Report, lake: str) -> None:
    out = console()
    totals = report.totals
    done = "looked" if report.dry_run else "done"
    out.print(
        Text(
            f"{report.added:,} files added, {report.changed:,} changed, {report.removed:,} removed, "
            f"{report.unchanged:,} unchanged; {done} in {report.seconds:.1f} s"
        )
    )
    if not report.dry_run:
        counted = ", ".join(f"{totals.get(name, 0):,} {name}" for name in ("tables", "columns", "rows"))
        raw = f"from {size(totals.get('bytes', 0))}; {report.metadata:,} files describe others"
        out.print(Text(f"snapshot {report.snapshot} of '{clean(lake)}': {counted} {raw}"))
    if report.hidden:
        out.print(Text(f"{report.hidden:,} hidden files or folders were left out"))
    for note in report.notes:
        out.print(Text(f"note: {clean(note)}"))
    if report.quarantined:
        show_quarantine(report.quarantined)


def show_quarantine(rows: list[dict[str, str]], most: int = 20) -> None:
    out = console()
    out.print(Text(f"\nQuarantine: {len(rows)} file{'' if len(rows) == 1 else 's'} could not be read, or only in part"))
    table = grid("file", "kept", "reason")
    for one in rows[:most]:
        row(table, clean(one["path"], 60), clean(one["kept"]), clean(one["reason"], 160))
    out.print(table)
    if len(rows) > most:
        out.print(Text(f"... and {len(rows) - most} more: 'mere info --json' lists them all"))


def show_info(document: dict[str, Any]) -> None:
    out = console()
    out.print(
        Text(
            f"{document['lake']}: snapshot {document['snapshot']}, {document.get('tables', 0):,} tables, "
            f"{document.get('columns', 0):,} columns, {document.get('rows', 0):,} rows"
        )
    )
    raw, kept = document.get("bytes", 0), document["index_bytes"]
    share = f", {kept / raw:.2f} of the raw files" if raw else ""
    out.print(Text(f"index {size(kept)}{share}, in {document['segments']} segments"))
    table = grid("file", "bytes", right=("bytes",))
    for name, length in sorted(document["files"].items()):
        row(table, name, size(length))
    out.print(table)
    for source in document["sources"]:
        out.print(Text(f"source {clean(source)}"))
    table = grid("snapshot", "made", "tables", "rows", "segments", right=("snapshot", "tables", "rows", "segments"))
    for line in document["snapshots"]:
        if "damaged" in line:
            row(table, str(line["snapshot"]), f"damaged: {clean(line['damaged'])}", "", "", "")
            continue
        made = datetime.datetime.fromtimestamp(line["created"]).strftime("%Y-%m-%d %H:%M:%S")
        row(
            table, str(line["snapshot"]), made, f"{line.get('tables', 0):,}", f"{line.get('rows', 0):,}",
            str(line["segments"]),
        )  # fmt: skip
    out.print(table)
    if document["quarantined"]:
        show_quarantine(document["quarantined"])


def show_tables(tables: Tables) -> None:
    from mere.search.catalog import counted

    out = console()
    table = grid("rows", "columns", "format", "table", right=("rows", "columns"))
    for one in tables:
        told = "profile only" if one.profile_only else one.format
        row(table, counted(one.rows), f"{one.columns:,}", told, clean(one.name))
    out.print(table)
    out.print(Text(f"{len(tables):,} tables"))


def show_profile(profile: Profile) -> None:
    from mere.search.catalog import counted

    out = console()
    out.print(Text(clean(profile.name), style="bold"))
    dialect = ", ".join(
        f"{name.replace('_', ' ')} {profile.dialect[name]!r}" for name in _TOLD if profile.dialect.get(name)
    )
    counts = f"{counted(profile.rows)} rows, {len(profile.columns):,} columns"
    out.print(Text(f"{counts}; {profile.format}, {size(profile.bytes)}"))
    if profile.profile_only:
        out.print(Text("profile only: this is what its owner publishes; no row of it is here", style="bold"))
    out.print(Text(f"from {clean(profile.source)}" + (f" ({clean(dialect, 200)})" if dialect else "")))
    for name in ("title", "description"):
        if profile.about.get(name):
            out.print(Text(clean(profile.about[name], 400), style="italic"))
    for issue in profile.issues:
        out.print(Text(f"note: {clean(issue)}"))
    columns = ("column", "type", "distinct", "null", "minimum", "maximum", "spread", "examples")
    table = grid(*columns, right=("distinct", "null"))
    for column in profile.columns[:_MOST_COLUMNS]:
        row(
            table, clean(column.name, 40), column.type + ("*" if column.misfits else ""), counted(column.distinct),
            counted(column.nulls), clean(column.minimum or "", 20), clean(column.maximum or "", 20),
            spread(column), clean(", ".join(column.examples), 48),
        )  # fmt: skip
    out.print(table)
    if len(profile.columns) > _MOST_COLUMNS:
        out.print(Text(f"... and {len(profile.columns) - _MOST_COLUMNS:,} more columns: --json lists them all"))
    if any(column.misfits for column in profile.columns[:_MOST_COLUMNS]):
        odd = ", ".join(f"{clean(c.name, 30)} {c.misfits:,}" for c in profile.columns[:_MOST_COLUMNS] if c.misfits)
        out.print(Text(f"* cells of another type: {odd}"))


def spread(column: ColumnProfile) -> str:
    """A small histogram: bins of numbers and dates, or the shares of the most frequent values."""
    if column.histogram:
        drawn = column.histogram
        return sparkline(spread_evenly(drawn["edges"], drawn["counts"]) if "edges" in drawn else drawn["counts"])
    if column.top and column.top[0][1] > 1:
        return ", ".join(f"{clean(value, 12)} {count:,}" for value, count in column.top[:2])
    return ""


def show_rows(raw: Any) -> None:
    table = grid(*(clean(name, 24) for name in raw.column_names))
    for cells in raw.to_pylist():
        row(table, *("" if cell is None else clean(str(cell), 24) for cell in cells.values()))
    console().print(table)


def show_hits(hits: Hits) -> None:
    out = console()
    for note in hits.notes:
        out.print(Text(clean(note)))
    if hits.hits:
        table = grid("score", "table", "columns", "why", right=("score",))
        for hit in hits:
            columns = ", ".join(hit.columns[:4]) + (" …" if len(hit.columns) > 4 else "")
            mark = "" if hit.exact else "~"
            row(
                table,
                f"{mark}{hit.score:.4g}",
                clean(hit.table),
                clean(columns, 40),
                clean(("profile only; " if hit.evidence.get("profile_only") else "") + why(hit.evidence), 70),
            )
        out.print(table)
    out.print(Text(hits.summary()))


def why(evidence: dict[str, Any]) -> str:
    """The evidence in a few words."""
    terms = evidence.get("terms")
    if not terms:
        return json.dumps(evidence, ensure_ascii=False)
    return "; ".join(f"{term} in {', '.join(fields)}" for term, fields in terms.items())


def show_examination(document: dict[str, Any]) -> None:
    out = console()
    for check in document["checks"]:
        mark = "ok  " if check["ok"] else "note" if check["optional"] else "FAIL"
        out.print(Text(f"{mark}  {check['name']}: {clean(check['found'])}"))
        if not check["ok"] and check["remedy"]:
            out.print(Text(f"      {check['remedy']}"))
    lake = document.get("lake")
    if lake:
        damaged = [entry for entry in lake["files"] if not entry["ok"]]
        out.print(Text(f"{clean(lake['path'])}: {len(lake['files'])} files verified, {len(damaged)} damaged"))
        for entry in damaged:
            out.print(Text(f"FAIL  snapshot {entry['snapshot']}: {clean(entry['fault'])}"))
            out.print(Text(f"      {clean(entry['remedy'])}"))
        if damaged and all(entry["snapshot"] != lake["current"] for entry in damaged):
            out.print(Text("the current snapshot is whole; 'mere index --keep 1' drops the older ones"))


def show_exported(document: dict[str, Any]) -> None:
    counts = ", ".join(f"{document[name]:,} {name}" for name in ("tables", "columns", "histograms"))
    console().print(
        Text(f"profiles of {counts} in {clean(document['output'])}, {size(document['bytes'])}; no row of them")
    )
