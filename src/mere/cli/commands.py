"""One function per command; its docstring is its help."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from mere.errors import UsageError

app = typer.Typer(
    name="mere",
    help="A discovery engine for data lakes: what else is out there that fits my table?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

LakeOption = Annotated[
    str, typer.Option("--lake", envvar="MERE_LAKE", help="The lake's folder.", show_default=True)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
AsOfOption = Annotated[int | None, typer.Option("--as-of", help="Open this older snapshot, if it is still kept.")]
KOption = Annotated[int, typer.Option("--k", help="How many answers; 0 for all.")]
PerOption = Annotated[str, typer.Option("--per", help="One row per 'table' or per 'column'.")]


def _print_json(document: Any) -> None:
    print(json.dumps(document, ensure_ascii=False, default=str))


def _version(wanted: bool) -> None:
    if wanted:
        import mere

        print(f"mere {mere.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


@app.command()
def index(
    sources: Annotated[list[str] | None, typer.Argument(help="Folders or files of raw tables.")] = None,
    lake: LakeOption = ".mere",
    master: Annotated[str | None, typer.Option(help="Spark master; default: this machine, all cores.")] = None,
    forget: Annotated[list[str] | None, typer.Option(help="Drop a source and its tables.")] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Read everything again.")] = False,
    compact: Annotated[bool, typer.Option("--compact", help="Rewrite small and half-dead segments now.")] = False,
    values: Annotated[bool | None, typer.Option("--values/--no-values", help="Let keyword search see cells, too.")] = None,
    limit: Annotated[
        list[str] | None, typer.Option(help="A reading limit, NAME=NUMBER, e.g. columns=50000; kept for later runs.")
    ] = None,
    keep: Annotated[int | None, typer.Option(help="How many snapshots to keep.", min=1)] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Make a lake from folders of raw tables, or bring it up to date.

    Known sources are scanned again; unchanged files are not read again.

    Example:  mere index ./data --lake ./lake
    """
    from mere.cli.progress import show_progress
    from mere.cli.render import show_report
    from mere.lake import index as run

    settings = _settings(lake, values, limit or [], keep)
    with show_progress(quiet=as_json and not sys.stderr.isatty()) as progress:
        report = run(
            sources or [], lake, master=master, forget=forget or [], rebuild=rebuild, compact=compact,
            dry_run=dry_run, settings=settings, progress=progress,
        )  # fmt: skip
    _print_json(report.to_dict()) if as_json else show_report(report, lake)
    return 3 if report.quarantined else 0


def _settings(lake: str, values: bool | None, limits: list[str], keep: int | None) -> Any:
    """The lake's own settings with these changes, or None if there are none."""
    if values is None and not limits and keep is None:
        return None
    from dataclasses import replace

    from mere.pipeline import Settings
    from mere.readers import Limits
    from mere.segments.snapshot import kept_numbers, read_snapshot

    kept = kept_numbers(lake)
    stored = read_snapshot(lake, kept[-1]).settings if kept else {}
    settings = Settings.from_dict(stored) if stored else Settings()
    changed = dict(_limit(text) for text in limits)
    settings = replace(settings, limits=Limits.from_dict({**settings.limits.to_dict(), **changed}))
    if values is not None:
        settings = replace(settings, keywords_values=values)
    return settings if keep is None else replace(settings, keep_snapshots=keep)


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not number.replace("_", "").isdigit():
        raise UsageError(f"--limit '{text}' is not NAME=NUMBER", "write for example --limit columns=50000")
    return name, int(number)


@app.command()
def info(lake: LakeOption = ".mere", as_of: AsOfOption = None, as_json: JsonOption = False) -> int:
    """What a lake holds, what it takes, which snapshots are kept.

    Example:  mere info --lake ./lake
    """
    from mere.cli.render import show_info
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        document = {**opened.info(), "quarantined": opened.quarantine()}
    _print_json(document) if as_json else show_info(document)
    return 0


@app.command()
def tables(
    pattern: Annotated[str | None, typer.Argument(help="Only names that match this glob, or hold this text.")] = None,
    lake: LakeOption = ".mere",
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> int:
    """List the tables.

    Example:  mere tables 'sales/*.csv'
    """
    from mere.cli.render import show_tables
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        found = opened.tables if pattern is None else opened.tables.matching(pattern)
        document = {"snapshot": opened.snapshot, "tables": found.to_dicts()}
    _print_json(document) if as_json else show_tables(found)
    return 0


@app.command()
def show(
    table: Annotated[str, typer.Argument(help="A table's name, or its last part.")],
    lake: LakeOption = ".mere",
    rows: Annotated[int, typer.Option(help="Also print so many raw rows.", min=0)] = 0,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show a table: where it came from, its columns, their types, counts, ranges and histograms.

    Example:  mere show geography/country_codes.csv --rows 5
    """
    from mere.cli.render import show_profile, show_rows
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        profile = opened.profile(table)
        raw = opened.rows(profile.name, limit=rows) if rows else None
    if as_json:
        _print_json({**profile.to_dict(), **({"raw": raw.to_pylist()} if raw is not None else {})})
        return 0
    show_profile(profile)
    if raw is not None:
        show_rows(raw)
    return 0


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(help="Words, \"phrases\", column:word, source:name, -word, word*.")],
    lake: LakeOption = ".mere",
    k: KOption = 10,
    per: PerOption = "table",
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> int:
    """Find tables by words: names, folders, headers, descriptions (and cells, if indexed with --values).

    Example:  mere search airport codes column:country
    """
    from mere.cli.render import show_hits
    from mere.lake import open as open_lake

    with open_lake(lake, as_of) as opened:
        hits = opened.keywords(_query(words), k, per)
    _print_json(hits.to_dict()) if as_json else show_hits(hits)
    return 0


def _query(words: list[str]) -> str:
    """The arguments as one query; an argument with spaces was quoted in the shell, so it is a phrase."""
    if len(words) == 1:
        return words[0]
    return " ".join(_as_phrase(word) if " " in word and '"' not in word else word for word in words)


def _as_phrase(word: str) -> str:
    field, colon, rest = word.partition(":")
    return f'{field}:"{rest}"' if colon and " " not in field else f'"{word}"'


@app.command()
def demo(
    folder: Annotated[Path | None, typer.Option(help="Where to make it; default: a temporary folder.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Make a small realistic lake with traps in it, index it, and show what Mere can do.  Offline.

    Example:  mere demo --folder ./mere-demo
    """
    from mere.cli.demo import play

    started = time.perf_counter()
    document = play(folder, talk=not as_json)
    document["seconds"] = round(time.perf_counter() - started, 1)
    if as_json:
        _print_json(document)
    return 0


@app.command()
def doctor(
    lake: Annotated[str | None, typer.Option("--lake", help="Also verify every checksum of this lake.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Say what is missing on this machine, and whether a lake is whole.

    Example:  mere doctor --lake ./lake
    """
    from mere.cli.doctor import examine
    from mere.cli.render import show_examination

    document = examine(lake)
    _print_json(document) if as_json else show_examination(document)
    damaged = any(not entry["ok"] for entry in document["lake"]["files"]) if document.get("lake") else False
    return 4 if damaged else 0 if all(check["ok"] or check["optional"] for check in document["checks"]) else 1
