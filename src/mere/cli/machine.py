"""`mere warm`, `mere doctor` and `mere demo`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from mere.cli.options import as_of_option, json_option, lake_option, print_json


@click.command()
@lake_option
@as_of_option
@json_option
def warm(lake: str, as_of: int | None, as_json: bool) -> int:
    """Compile the kernels of this installation, once: for machines that will answer many questions.

    Without it, questions are answered in NumPy until compiling pays, and kernels are compiled in the background.

    Example:  mere warm --lake ./lake
    """
    from mere.cli.progress import show_steps
    from mere.lake import open as open_lake

    started = time.perf_counter()
    steps: list[dict[str, object]] = []
    with open_lake(lake, as_of) as opened, show_steps(steps, quiet=as_json) as progress:
        opened.warm(progress)
    seconds = round(time.perf_counter() - started, 1)
    if as_json:
        print_json({"seconds": seconds, "kernels": steps})
    else:
        print(f"kernels are compiled and loaded; {seconds} s")
    return 0


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), help="Where to make it; default: a temporary folder.")
@json_option
def demo(folder: Path | None, as_json: bool) -> int:
    """Make a small realistic lake with common faults, index it, and show what Mere can do.  Offline.

    Example:  mere demo --folder ./mere-demo
    """
    from mere.cli.demo import run_demo

    started = time.perf_counter()
    document = run_demo(folder, shown=not as_json)
    document["seconds"] = round(time.perf_counter() - started, 1)
    if as_json:
        print_json(document)
    return 0


@click.command()
@click.option(
    "--lake", type=click.Path(file_okay=False), metavar="DIR", help="Also verify every checksum of this lake."
)
@json_option
def doctor(lake: str | None, as_json: bool) -> int:
    """Say what is missing on this machine, and whether a lake is intact.

    Example:  mere doctor --lake ./lake
    """
    from mere.cli.doctor import examine
    from mere.cli.progress import show_waiting
    from mere.cli.reports import show_examination

    with show_waiting("examining"):
        document = examine(lake)
    print_json(document) if as_json else show_examination(document)
    if lake is not None and not all(entry["ok"] for entry in document["lake"]["files"]):
        return 4
    return 0 if all(check["ok"] or check["optional"] for check in document["checks"]) else 1
