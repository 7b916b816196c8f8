"""What do arguments and options stand for: an input file, a table of the lake, columns of one of them?

Each type says how a shell completes it.  `-` as an input is standard input: it is copied into a temporary file, so that
it is recognised, limited and read like any other file; errors and notes call it `-`.
"""

from __future__ import annotations

import csv
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import click
from click.shell_completion import CompletionItem

from mere.errors import UsageError

STANDARD_INPUT = "-"
_COPIES: dict[str, str] = {}  # the path of a copy of standard input -> what the user wrote for it


def from_standard_input(given: str) -> str:
    """The path of a copy of standard input for `-` (and `-#member`); any other text as it is."""
    file, mark, member = given.partition("#")
    return _copied() + mark + member if file == STANDARD_INPUT else given


def _copied() -> str:
    context = click.get_current_context().find_root()
    if context.meta.get(__name__):
        raise UsageError("'-' is given twice, and standard input is read once", "give a file instead of one of them")
    if sys.stdin.isatty():
        raise UsageError("'-' reads standard input, which is a terminal", "pipe a table into it: cat FILE | mere ... -")
    context.meta[__name__] = True
    folder = tempfile.mkdtemp(prefix="mere-stdin-")
    context.call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    path = os.path.join(folder, "stdin")
    with open(path, "wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy, 1 << 20)
    _COPIES[path] = STANDARD_INPUT
    return path


def as_given(text: str) -> str:
    """The text with `-` in place of the copy of standard input."""
    for path, written in _COPIES.items():
        text = text.replace(path, written)
    return text


@dataclass(frozen=True)
class Input(click.ParamType):
    """A raw file, `-` for standard input, or a table of the lake."""

    tables: bool = True  # whether it may be a table of the lake
    name = "input"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if ctx is not None and ctx.resilient_parsing else from_standard_input(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Files, if the name of one starts so; else tables."""
        if not self.tables or _is_start_of_a_file(incomplete):
            return [CompletionItem(incomplete, type="file")]
        return _starting(incomplete, _tables(ctx))


@dataclass(frozen=True)
class TableName(click.ParamType):
    """A table of the lake."""

    name = "table"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return _starting(incomplete, _tables(ctx))


@dataclass(frozen=True)
class ColumnNames(click.ParamType):
    """Columns, separated by commas, of the tables that other parameters of the command name."""

    of: tuple[str, ...]
    name = "columns"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from mere.cli.known_names import columns_of

        before, comma, last = incomplete.rpartition(",")
        given = [value for name in self.of if isinstance(value := ctx.params.get(name), str)]
        names = dict.fromkeys(column for value in given for column in columns_of(value, _lake(ctx)))
        named = _names_in(before)
        quoted = [f'"{name}"' if "," in name else name for name in names if name not in named]
        return [CompletionItem(before + comma + item.value) for item in _starting(last, quoted)]


def _names_in(listed: str) -> set[str]:
    """The names in a list that is being typed."""
    return {name.strip() for parts in csv.reader([listed], skipinitialspace=True) for name in parts}


def _lake(ctx: click.Context) -> str:
    return ctx.params.get("lake") or os.environ.get("MERE_LAKE") or ".mere"


def _tables(ctx: click.Context) -> Iterable[str]:
    from mere.cli.known_names import tables_of

    return tables_of(_lake(ctx))


def _starting(start: str, names: Iterable[str]) -> list[CompletionItem]:
    """Names that start so, in whichever case."""
    return [CompletionItem(name) for name in names if name.casefold().startswith(start.casefold())]


def _is_start_of_a_file(start: str) -> bool:
    folder, name = os.path.split(os.path.expanduser(start))
    try:
        return any(
            entry.startswith(name) and (name or not entry.startswith(".")) for entry in os.listdir(folder or ".")
        )
    except OSError:
        return False
