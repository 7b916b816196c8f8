"""How does an error that speaks of Python arguments read on the command line?

Errors and notes name arguments as Python writes them (`exact=True`, `on='city'`, "'k' must be ..."), because most of
them are raised below the surfaces.  The command line shows the flags of the command that was called instead.
"""

from __future__ import annotations

import re

import click

_ASSIGNED = re.compile(r"(?<![\w-])([a-z_]+)=(True|False|'[^']*'|\"[^\"]*\"|\[[^\]]*\]|[\w.]+)?")
_SUBJECT = re.compile(r"(?<!setting )'([a-z_]+)'(?= must be)")


def in_flags(text: str, command: click.Command | None) -> str:
    """The text with the arguments of a command written as its flags.

    >>> options = [click.Option(["--exact/--approximate"]), click.Option(["--k"], type=int)]
    >>> command = click.Command("join", params=options)
    >>> in_flags("exact=True finds all, exact=False may miss some; 'k' must be an int; k=0 returns all", command)
    '--exact finds all, --approximate may miss some; --k must be an int; --k 0 returns all'
    """
    options = {parameter.name: parameter for parameter in command.params} if command else {}

    def assigned(match: re.Match[str]) -> str:
        option, value = options.get(match.group(1)), match.group(2)
        if not isinstance(option, click.Option):
            return match.group()
        if option.is_flag or option.secondary_opts:
            off = value == "False" and option.secondary_opts
            return option.secondary_opts[0] if off else option.opts[0]
        return f"{option.opts[-1]} {value.strip(chr(39))}" if value else option.opts[-1]

    def subject(match: re.Match[str]) -> str:
        option = options.get(match.group(1))
        return option.opts[-1] if isinstance(option, click.Option) else match.group()

    return _SUBJECT.sub(subject, _ASSIGNED.sub(assigned, text))
