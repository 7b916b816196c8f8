"""How does a shell complete commands, flags, and names of tables and columns?

Click does the work: the shell starts `mere` with `_MERE_COMPLETE` set.  Two things are added.  The flags of a command
are kept in the cache folder (`known_names.remembered`) and read from there, because importing a command imports the
engine, seven times as much work (`benchmarks/completion.py`).  And bash gets names with spaces and other special
characters escaped.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from mere.cli import params
from mere.cli.known_names import remembered

SHELLS = ("bash", "zsh", "fish")
_SPECIAL = re.compile(r"([^\w@%+=:,./#~^-])")
_TYPES: dict[str, Any] = {kind.__name__: kind for kind in (params.Input, params.TableName, params.ColumnNames)}


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
def completion(shell: str, as_json: bool) -> int:
    """Print the script that completes commands, flags, tables and columns in a SHELL.

    \b
    Example:  eval "$(mere completion bash)"        in ~/.bashrc
              eval "$(mere completion zsh)"         in ~/.zshrc
              mere completion fish | source         in ~/.config/fish/config.fish
    """
    from mere.cli.app import app
    from mere.cli.options import print_json

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(app, {}, "mere", "_MERE_COMPLETE").source()
    print_json({"shell": shell, "script": script}) if as_json else print(script, flush=True)
    return 0


@add_completion_class
class _Bash(BashComplete):
    """Bash inserts a completion as it is, so that special characters are escaped here."""

    def format_completion(self, item: CompletionItem) -> str:
        escaped = _SPECIAL.sub(r"\\\\\1", item.value)  # twice, because click's script reads one of them away
        return f"{item.type},{escaped}"

    @staticmethod
    def _check_version() -> None:
        """Click starts another bash to learn its version; bash 4.4 is older than every Python that Mere runs on."""


def outline(name: str) -> click.Command | None:
    """A command with its parameters and without its function: what a completion needs of it."""
    made = remembered(["commands", *_version()], _all_described, {})
    return _command(made[name]) if name in made else None


def _version() -> list[Any]:
    """The folder of this installation, and when it was changed: commands, and the kinds that they have flags for."""
    package = os.path.dirname(os.path.dirname(__file__))
    folders = [os.path.join(package, name) for name in ("cli", "indexes")]
    files = [entry.path for folder in folders for entry in os.scandir(folder) if entry.name != "__pycache__"]
    return [package, *sorted((path, os.stat(path).st_mtime_ns) for path in files)]


def _all_described() -> dict[str, Any]:
    from mere.cli.app import COMMANDS

    modules = {name: import_module(f"mere.cli.{module}") for name, (module, _) in COMMANDS.items()}
    return {name: _described(getattr(module, name)) for name, module in modules.items()}


def _described(command: click.Command) -> dict[str, Any]:
    """A command as JSON."""
    inner = command.commands if isinstance(command, click.Group) else {}
    return {
        "name": command.name,
        "params": [_described_parameter(parameter) for parameter in command.params],
        "settings": {name: True for name in ("ignore_unknown_options",) if command.context_settings.get(name)},
        **({"commands": {name: _described(each) for name, each in inner.items()}} if inner else {}),
    }


def _described_parameter(parameter: click.Parameter) -> dict[str, Any]:
    names = [str(parameter.name), *parameter.opts] if isinstance(parameter, click.Option) else [str(parameter.name)]
    flags = "/".join([parameter.opts[-1], *parameter.secondary_opts]) if parameter.secondary_opts else None
    described = {"names": [str(parameter.name), flags] if flags else names, "nargs": parameter.nargs}
    described["type"] = _described_type(parameter.type)
    if isinstance(parameter, click.Option):
        described |= {"is_flag": parameter.is_flag, "multiple": parameter.multiple, "help": parameter.help or ""}
    return described


def _described_type(kind: click.ParamType) -> dict[str, Any]:
    if isinstance(kind, click.Choice):
        return {"choices": list(kind.choices)}
    if isinstance(kind, click.Path):
        return {"folder": not kind.file_okay}
    return {"kind": type(kind).__name__, **vars(kind)} if type(kind).__name__ in _TYPES else {}


def _command(made: dict[str, Any]) -> click.Command:
    parameters = [_parameter(each) for each in made["params"]]
    if "commands" in made:
        commands = {name: _command(each) for name, each in made["commands"].items()}
        return click.Group(made["name"], params=parameters, commands=commands)
    return click.Command(made["name"], params=parameters, context_settings=made["settings"])


def _parameter(made: dict[str, Any]) -> click.Parameter:
    if "is_flag" not in made:
        return click.Argument(made["names"], required=False, nargs=made["nargs"], type=_type(made["type"]))
    more = {} if made["is_flag"] else {"nargs": made["nargs"], "type": _type(made["type"])}
    return click.Option(made["names"], is_flag=made["is_flag"], multiple=made["multiple"], help=made["help"], **more)


def _type(made: dict[str, Any]) -> click.ParamType:
    if "choices" in made:
        return click.Choice(made["choices"])
    if "folder" in made:
        return click.Path(file_okay=not made["folder"])
    fields = {
        name: tuple(value) if isinstance(value, list) else value for name, value in made.items() if name != "kind"
    }
    return _TYPES[made["kind"]](**fields) if "kind" in made else click.STRING
