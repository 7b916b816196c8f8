"""`mere index`."""

from __future__ import annotations

import sys
from typing import Any

import click

from mere.cli.options import json_option, lake_option, master_option, print_json, settings_flags
from mere.errors import UsageError


@click.command()
@click.argument("sources", nargs=-1, type=click.Path())
@lake_option
@click.option(
    "--spark-table", "spark_tables", multiple=True, metavar="NAME",
    help="A table of a Spark catalog, read on the executors; several may be given.",
)  # fmt: skip
@master_option
@click.option("--forget", multiple=True, metavar="SOURCE", help="Drop a source and its tables.")
@click.option(
    "--include", multiple=True, metavar="PATTERN",
    help="Read only files that match, e.g. 'sales/**/*.csv'; kept for the source. '' reads all again.",
)  # fmt: skip
@click.option(
    "--exclude", multiple=True, metavar="PATTERN",
    help="Leave out files that match, e.g. '*.bak'; kept for the source. '' leaves none out.",
)  # fmt: skip
@click.option(
    "--decimal", type=click.Choice(["point", "comma", "infer"]),
    help="How the source writes decimal numbers; kept for the source.",
)  # fmt: skip
@click.option("--rebuild", is_flag=True, help="Read everything again.")
@click.option("--compact", is_flag=True, help="Rewrite now the segments that are small or have many removed tables.")
@settings_flags
@click.option(
    "--limit", "limits", multiple=True, metavar="NAME=N",
    help="A limit for reading files, e.g. columns=50000; kept for later runs.",
)  # fmt: skip
@click.option(
    "--set", "changes", multiple=True, metavar="NAME=VALUE", help="A setting, e.g. histogram_bins=equal-width-20."
)
@click.option("--keep", "keep_snapshots", type=click.IntRange(min=1), help="How many snapshots to keep.")
@click.option("--dry-run", is_flag=True, help="Only report what would be done.")
@json_option
def index(lake: str, limits: tuple[str, ...], changes: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Make a lake from folders of raw tables, or update it.

    Known sources are scanned again; unchanged files are not read again.

    Example:  mere index ./data --lake ./lake
    """
    from mere.cli.progress import show_progress
    from mere.cli.reports import show_report
    from mere.lake import index as run

    options = {name: given.pop(name) for name in ("master", "forget", "rebuild", "compact", "dry_run", "decimal")}
    options |= {name: given.pop(name) or None for name in ("include", "exclude")}
    sources = [*given.pop("sources"), *(f"spark:{name}" for name in given.pop("spark_tables"))]
    flags = {name: value for name, value in given.items() if value is not None}
    settings = _settings(lake, limits, {**dict(map(_setting, changes)), **flags})
    with show_progress(quiet=as_json and not sys.stderr.isatty()) as progress:
        report = run(sources, lake, settings=settings, progress=progress, **options)
    print_json(report.to_dict()) if as_json else show_report(report, lake)
    return 3 if report.quarantined else 0


def _settings(lake: str, limits: tuple[str, ...], changes: dict[str, Any]) -> Any:
    """The settings of the lake with these changes; None if nothing is changed."""
    if not changes and not limits:
        return None
    from mere.pipeline import Settings
    from mere.readers import Limits
    from mere.segments.snapshot import kept_numbers, read_snapshot

    kept = kept_numbers(lake)
    settings = Settings.from_dict(read_snapshot(lake, kept[-1]).settings if kept else {})
    changed = dict(map(_limit, limits))
    return settings.replace(limits=Limits.from_dict({**settings.limits.to_dict(), **changed}), **changes)


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not number.replace("_", "").isdigit():
        raise UsageError(f"--limit '{text}' is not NAME=NUMBER", "write for example --limit columns=50000")
    return name, int(number)


def _setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE, with the value as the type of the setting."""
    from mere.pipeline.settings import declared_settings, similar_settings

    name, _, given = text.partition("=")
    setting = declared_settings().get(name)
    if setting is None:
        raise UsageError(f"--set '{text}': no setting is called '{name}'", similar_settings(name))
    is_bool = isinstance(setting.default, bool)
    try:
        return name, {"true": True, "false": False}[given] if is_bool else type(setting.default)(given)
    except (KeyError, ValueError) as error:
        wanted = "true or false" if is_bool else {int: "an integer", float: "a number"}[type(setting.default)]
        raise UsageError(f"--set '{text}': '{given}' is not {wanted}", f"the default is {setting.default}") from error
