"""What to do next: the command that executes a join, and the column or the kind of question to name.

A list of joins is not the last step, and a wrong call is often one flag away from a right one.  Both are answered by
the question that ranks joins (`Lake.joinable`), and written as flags.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.text import Text

from mere.cli.fitting import clean, width_of
from mere.cli.params import as_given
from mere.cli.render import console
from mere.errors import UsageError
from mere.search.joinable.ways import LOOSE, added_text

if TYPE_CHECKING:
    from mere.answers import Hit, Hits
    from mere.indexes import Kind
    from mere.lake import Lake

_TRIED = 5  # joins of which the first that fits is proposed


def show_command(hits: Hits, file: str) -> None:
    """The command that executes the first join, if a plain one finds no equal values, or fewer than match otherwise."""
    if not hits or not hits[0].evidence.get("on"):
        return
    kinds = {"to join:": hits[0].evidence["by"]} if hits[0].evidence.get("by") in LOOSE else {}
    kinds |= {f"to join the {added_text(more)}, too:": more["by"] for more in hits[0].evidence.get("also", [])}
    for start, kind in kinds.items():
        for line in _lines([start, *map(shlex.join, _parts(file, hits[0], kind))], console().width):
            console().print(Text(clean(line), no_wrap=True, overflow="ignore"), soft_wrap=True)


def _parts(file: str, hit: Hit, kind: str) -> list[list[str]]:
    """The words of the command, each flag with its value."""
    mine, theirs = ["--on", listed(hit.evidence["on"])], ["--column", listed(hit.columns)]
    command = ["mere", "join", as_given(file)]
    words = [["--keep-word", word] for word in hit.evidence.get("keep_words", ())]
    return [command, mine, ["--with", hit.table], theirs, ["--by", kind], *words, *lake_flags()]


def lake_flags() -> list[list[str]]:
    """--lake and --as-of, if they were given; elsewhere the lake is found without them."""
    context = click.get_current_context()
    given = {"--lake": "lake", "--as-of": "as_of"}
    return [[flag, str(context.params[name])] for flag, name in given.items() if _is_given(context, name)]


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) == ParameterSource.COMMANDLINE


def _lines(parts: Sequence[str], width: int) -> list[str]:
    """A command in lines that a shell reads as one, as wide as the terminal if a line has space for its parts.

    >>> _lines(["to join:", "mere join a.csv", "--on city"], 28)
    ['to join: mere join a.csv \\\\', '    --on city']
    """
    lines = [f"{parts[0]} {parts[1]}"]
    for part in parts[2:]:
        if width_of(f"{lines[-1]} {part} \\") <= width:
            lines[-1] += f" {part}"
        else:
            lines.append(f"    {part}")
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def listed(columns: Sequence[str]) -> str:
    """Columns as --on and --column read them."""
    return ",".join(f'"{name}"' if "," in name else name for name in columns)


def loose_remedy(lake: Lake, file: str, columns: Sequence[str] | None, table: str, wanted: Any = None) -> str:
    """The flag that joins with a table of which no value is equal to one of mine; empty if none does."""
    hits = lake.joinable(file, columns, 0, per="column", table=table)
    fitting = (hit for hit in hits if wanted is None or list(hit.columns) == list(wanted))
    hit = next((hit for hit in fitting if hit.evidence["by"] in LOOSE), None)
    if hit is None:
        return ""
    return f"--by {hit.evidence['by']} joins with its column '{hit.columns[0]}': {hit.evidence['reasons'][0]}"


def check_column_named(lake: Lake, file: str, kind: Kind, table: str | None = None) -> None:
    """An error if a kind that takes one column is asked without --on, which proposes the best column of the file."""
    names = lake.columns(file)
    if kind.joins != "one column" or len(names) == 1:
        return
    some = ", ".join(listed([name]) for name in names[:20]) + (" ..." if len(names) > 20 else "")
    hits = lake.joinable(file, None, _TRIED, table=table)
    proposed = next((hit for hit in hits if len(hit.evidence["on"]) == 1), None)
    best = f"; --on {shlex.quote(listed(proposed.evidence['on']))} gives the best join" if proposed else ""
    fault = f"'{file}' has {len(names)} columns, and '{kind.name}' takes one"
    raise UsageError(fault, f"name one with --on: {some}{best}; without --by and its flags, all are tried")
