"""How are an index run, the quarantine, the checks of `mere doctor` and an export shown in a terminal?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from mere.cli.fitting import Column
from mere.cli.flags import in_flags
from mere.cli.render import clean, console, counted, grid, row, show_notes, size

if TYPE_CHECKING:
    from mere.pipeline import Report


def show_report(report: Report, lake: str) -> None:
    out, totals = console(), report.totals
    changes = {"added": report.added, "changed": report.changed, "removed": report.removed}
    files = [f"{counted(number, 'file')} {change}" for change, number in changes.items() if number]
    files += [f"{counted(report.stale, 'file')} of other rules"] if report.stale else []
    files += [f"{report.unchanged:,} unchanged"] if report.unchanged or not files else []
    done = "scanned" if report.dry_run else "done"
    out.print(Text(f"{', '.join(files)}; {done} in {report.seconds:.1f} s"))
    if not report.dry_run:
        counts = ", ".join(counted(totals.get(f"{noun}s", 0), noun) for noun in ("table", "column", "row"))
        described = f"; {counted(report.metadata, 'file')} with descriptions of others" if report.metadata else ""
        raw = f"from {size(totals.get('bytes', 0))}{described}"
        out.print(Text(f"snapshot {report.snapshot} of '{clean(lake)}': {counts} {raw}"))
    if report.hidden:
        out.print(Text(f"{counted(report.hidden, 'hidden file or folder')} left out"))
    show_notes(report.notes)
    if report.quarantined:
        show_quarantine(report.quarantined)


def show_quarantine(files: list[dict[str, str]], most: int = 20) -> None:
    out = console()
    out.print(Text(f"\nQuarantine: {counted(len(files), 'file')} could not be read, or only in part"))
    table = grid(
        Column("file", name=True, rank=0, most=60),
        Column("kept", whole=True, rank=1),
        Column("reason", rank=0, least=44),
    )
    for file in files[:most]:
        row(table, file["path"], file["kept"], file["reason"])
    out.print(table)
    if len(files) > most:
        out.print(Text(f"... and {len(files) - most:,} more: 'mere info --json' lists all"))


def show_examination(document: dict[str, Any]) -> None:
    out = console()
    for check in document["checks"]:
        mark = "ok  " if check["ok"] else "note" if check["optional"] else "FAIL"
        out.print(Text(f"{mark}  {check['name']}: {clean(check['found'])}"))
        if not check["ok"] and check["remedy"]:
            out.print(Text(f"      {check['remedy']}"))
    if lake := document.get("lake"):
        damaged = [entry for entry in lake["files"] if not entry["ok"]]
        verified = f"{counted(len(lake['files']), 'file')} verified" + (f", {len(damaged)} damaged" if damaged else "")
        out.print(Text(f"{clean(lake['path'])}: {verified}"))
        show_notes(lake["stale"])
        for entry in lake["files"]:
            if entry["ok"] and entry["fault"]:
                out.print(
                    Text(f"note  snapshot {entry['snapshot']}: {clean(entry['fault'])}; {clean(entry['remedy'])}")
                )
        for entry in damaged:
            out.print(Text(f"FAIL  snapshot {entry['snapshot']}: {clean(entry['fault'])}"))
            out.print(Text(f"      {clean(in_flags(entry['remedy'], None))}"))
        if damaged and all(entry["snapshot"] != lake["current"] for entry in damaged):
            out.print(Text("the current snapshot is intact; 'mere index --keep 1' removes the older ones"))


def show_exported(document: dict[str, Any]) -> None:
    counts = ", ".join(counted(document[f"{noun}s"], noun) for noun in ("table", "column", "histogram"))
    console().print(
        Text(f"profiles of {counts} written to {clean(document['output'])}, {size(document['bytes'])}; no rows")
    )
