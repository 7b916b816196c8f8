"""Options of several commands, options made from what kinds declare, and printing JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from mere.indexes import KINDS
from mere.indexes.declare import Parameter, Setting

Command = Callable[..., Any]

lake_option = click.option(
    "--lake",
    type=click.Path(file_okay=False),
    metavar="DIR",
    envvar="MERE_LAKE",
    default=".mere",
    show_default=True,
    show_envvar=True,
    help="The lake's folder.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
as_of_option = click.option("--as-of", type=int, metavar="N", help="Open this older snapshot, if it is still kept.")
per_option = click.option(
    "--per",
    type=click.Choice(["table", "column"]),
    default="table",
    show_default=True,
    help="One hit per table or per column.",
)
keep_word_option = click.option(
    "--keep-word",
    "keep_words",
    multiple=True,
    metavar="WORD",
    help="A word for missing values, such as NA, that is a value in this table; may be repeated.",
)
k_option = click.option("--k", type=click.IntRange(min=0), help="How many hits; 0 for all.  [default: 10]")
join_k_option = click.option(
    "--k", type=click.IntRange(min=0), help="How many hits; 0 for all.  [default: 10; all with a threshold]"
)
master_option = click.option("--master", help="Spark master; default: this machine, all cores.")


def question(command: Command) -> Command:
    """The options of every question."""
    return lake_option(k_option(per_option(as_of_option(json_option(command)))))


def print_json(document: Any) -> None:
    try:
        print(json.dumps(document, ensure_ascii=False, default=str), flush=True)
    except BrokenPipeError:  # the reader closed the pipe, which is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def joining_flags(command: Command) -> Command:
    """A flag for every parameter of a joining kind that declares one; None if it is not given."""
    for name, owners in reversed(joining_parameters().items()):
        first = next(iter(owners.values()))
        kwargs: dict[str, Any] = {"help": _help(owners), "default": None}
        if first.type is bool:
            command = click.option(first.flags, name, **kwargs)(command)
        else:
            command = click.option(first.flags, name, type=first.type, metavar=_metavar(first), **kwargs)(command)
    return command


def joining_parameters() -> dict[str, dict[str, Parameter]]:
    """The parameters that `mere join` has flags for: by name, then by kind."""
    parameters: dict[str, dict[str, Parameter]] = {}
    for kind in KINDS.joining():
        for parameter in kind.parameters:
            if parameter.flags:
                parameters.setdefault(parameter.name, {})[kind.name] = parameter
    return parameters


def is_default(name: str, value: Any) -> bool:
    """Whether a flag has the value that every kind assumes without it."""
    owners = joining_parameters().get(name, {})
    return bool(owners) and all(parameter.default == value for parameter in owners.values())


def _help(owners: dict[str, Parameter]) -> str:
    """The meaning of a parameter, and its choices, by kind where they differ."""
    first = next(iter(owners.values()))
    by_kind = {kind: ", ".join(parameter.choices) for kind, parameter in owners.items()}
    if len(set(by_kind.values())) > 1:
        choices = "; ".join(f"{kind}: {listed}" for kind, listed in by_kind.items() if listed)
    else:
        choices = next(iter(by_kind.values()))
    kinds = ", ".join(owners)
    return f"{first.meaning[:1].upper()}{first.meaning[1:]}" + (f" [{choices}]" if choices else "") + f".  ({kinds})"


def _metavar(parameter: Parameter) -> str:
    return {float: "NUMBER", int: "N"}.get(parameter.type, parameter.name.upper())


def settings_flags(command: Command) -> Command:
    """A flag for every setting of a kind that declares one."""
    settings = {setting.name: setting for kind in KINDS.values() for setting in kind.settings if setting.flag}
    for setting in reversed(settings.values()):
        command = click.option(
            setting.flag, setting.name, default=None, help=_setting_help(setting), type=_setting_type(setting)
        )(command)
    return command


def _setting_type(setting: Setting) -> type | None:
    return None if isinstance(setting.default, bool) else type(setting.default)


def _setting_help(setting: Setting) -> str:
    return f"{setting.meaning[:1].upper()}{setting.meaning[1:]}.  [default: {setting.default}]"
