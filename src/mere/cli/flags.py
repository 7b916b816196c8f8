"""How are errors and notes written on the command line?

Errors and notes name arguments and methods as Python writes them (`exact=True`, `on='city'`, "'k' must be ...",
`Lake.tables`), because most of them are raised below the surfaces.  The command line shows the flags of the command
that was called, and names of commands, instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click

from mere.cli.params import as_given
from mere.indexes import KINDS

_VALUE = r"True|False|'[^']*'|\"[^\"]*\"|\[[^\]]*\]|-?[\w.]+(?![\w./])"
_ASSIGNED = re.compile(rf"(?<![\w'\"/.-])(?<!--set )([a-z_]+)=({_VALUE})?")  # not inside a path such as raw/k=5/x.csv
_SUBJECT = re.compile(r"(?<!setting )'([a-z_]+)'(?= must be)")
_METHOD = re.compile(r"\bLake\.([a-z]+)\b")
_COMMANDS = {"tables": "'mere tables'", "quarantine": "'mere info'"}


def in_flags(text: str, command: click.Command | None) -> str:
    """The text with the arguments of a command written as its flags.

    >>> options = [click.Option(["--exact/--approximate"]), click.Option(["--k"], type=int), click.Option(["--on"])]
    >>> command = click.Command("join", params=options)
    >>> in_flags("exact=True finds all, exact=False may miss some; 'k' must be an int; k=0 returns all", command)
    '--exact finds all, --approximate may miss some; --k must be an int; --k 0 returns all'
    >>> in_flags("on='my city' or on=['city', 'year']; Lake.tables lists the names", command)
    "--on 'my city' or --on city,year; 'mere tables' lists the names"
    >>> in_flags("cannot read 'raw/k=5/on=x/part.csv'", command)
    "cannot read 'raw/k=5/on=x/part.csv'"
    """

    def assigned(match: re.Match[str]) -> str:
        option = _option(match.group(1), command)
        return match.group() if option is None else _flag(option, match.group(2)) or match.group()

    def subject(match: re.Match[str]) -> str:
        option = _option(match.group(1), command)
        return match.group() if option is None else option.opts[-1]

    text = _SUBJECT.sub(subject, _ASSIGNED.sub(assigned, text))
    return as_given(_METHOD.sub(lambda match: _COMMANDS.get(match.group(1), match.group()), text))


def document_in_flags(document: Mapping[str, Any], command: click.Command | None) -> dict[str, Any]:
    """A JSON document with its notes written for the command line."""
    notes = [in_flags(note, command) for note in document.get("notes", ())]
    return {**document, "notes": notes} if notes else dict(document)


def _option(argument: str, command: click.Command | None) -> click.Option | None:
    """The option for an argument: one of the command, `--as-of`, or a flag of `mere index` for a setting."""
    own = [option for option in (command.params if command else []) if isinstance(option, click.Option)]
    return next((option for option in own if option.name == argument), None) or _elsewhere().get(argument)


def _elsewhere() -> dict[str, click.Option]:
    """Options of other commands, by argument; made when a text mentions one, because that imports every kind."""
    settings = [setting for kind in KINDS.values() for setting in kind.settings if setting.flag]
    options = [click.Option(["--as-of"]), *(click.Option([setting.flag, setting.name]) for setting in settings)]
    return {str(option.name): option for option in options}


def _flag(option: click.Option, value: str | None) -> str:
    """An option with its value; empty if there is no flag for the value."""
    if option.is_flag or option.secondary_opts:
        if value == "False":
            return option.secondary_opts[-1] if option.secondary_opts else ""
        return option.opts[-1]
    return f"{option.opts[-1]} {_shell_value(value)}" if value else option.opts[-1]


def _shell_value(value: str) -> str:
    """A value as a shell takes it: lists with commas, quotes only where they are needed."""
    if value.startswith("["):
        names = re.findall(r"'([^']*)'|\"([^\"]*)\"", value)
        value = f"'{','.join(single or double for single, double in names)}'"
    plain = value.strip("'\"")
    return plain if plain and not re.search(r"\s", plain) else value
