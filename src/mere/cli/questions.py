"""`mere search` and `mere ask`."""

from __future__ import annotations

import os
from typing import Any

import click

from mere.cli.options import question
from mere.cli.params import Input
from mere.cli.render import print_hits
from mere.errors import UsageError
from mere.indexes import KINDS
from mere.indexes.declare import Parameter, parameter_from_text
from mere.search.asking.ask import kind_named


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})  # -word excludes
@click.argument("words", nargs=-1, required=True)
@question
def search(words: tuple[str, ...], lake: str, k: int | None, per: str, as_of: int | None, as_json: bool) -> int:
    """Find tables by words in names, folders, headers, descriptions and cells.

    WORDS are words or a question, "phrases", column:word, table:word, folder:word, about:word, source:name,
    value:word (in cells), -word, word*.

    Example:  mere search airport codes column:country
    """
    from mere.cli.progress import show_waiting
    from mere.lake import open as open_lake

    with show_waiting(), open_lake(lake, as_of) as opened:
        hits = opened.keywords(_query(words), 10 if k is None else k, per)
    print_hits(hits, as_json)
    return 0


def _query(words: tuple[str, ...]) -> str:
    """The arguments as one query; an argument with spaces was quoted in the shell, so it is a phrase."""
    if len(words) == 1:
        return words[0]
    return " ".join(_as_phrase(word) if " " in word and '"' not in word else word for word in words)


def _as_phrase(word: str) -> str:
    field, colon, rest = word.partition(":")
    return f'{field}:"{rest}"' if colon and " " not in field else f'"{word}"'


class _WithKinds(click.Command):
    """A command whose help lists the kinds and their parameters."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for kind in KINDS.values():
            with formatter.section(f"Parameters of {kind.name} (the first is GIVEN)"):
                formatter.write_dl([(parameter.name, _described(parameter)) for parameter in kind.parameters])


def _described(parameter: Parameter) -> str:
    choices = f" [{', '.join(parameter.choices)}]" if parameter.choices else ""
    return f"{parameter.meaning}{choices}"


@click.command(cls=_WithKinds)
@click.argument("kind", metavar="KIND")
@click.argument("given", nargs=-1, type=Input(), metavar="[GIVEN] [NAME=VALUE]...")
@question
def ask(kind: str, given: tuple[str, ...], lake: str, as_of: int | None, as_json: bool, **limits: Any) -> int:
    """Ask a question of any KIND: GIVEN is the first of its parameters, NAME=VALUE are the others.

    Where GIVEN is a file, '-' is standard input.

    \b
    Example:  mere ask keywords 'airport codes'
              mere ask overlap sales.csv on=country mode=josie
              mere ask composite sales.csv on=country,year
              mere ask distribution 'at least 30% of age < 40' --per column
    """
    from mere.cli.progress import show_waiting
    from mere.lake import open as open_lake

    parameters = _parameters(kind, given)
    with show_waiting(), open_lake(lake, as_of) as opened:
        hits = opened.ask(kind, **limits, **parameters)
    print_hits(hits, as_json)
    return 0


def _parameters(kind: str, given: tuple[str, ...]) -> dict[str, Any]:
    """The parameters by name; an argument that is not NAME=VALUE is the first parameter of the kind."""
    declared = {parameter.name: parameter for parameter in kind_named(kind).parameters}
    main = next(iter(declared))
    values: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if equals and name in declared:
            values[name] = parameter_from_text(kind, declared[name], value)
        elif main not in values and (os.path.exists(text) or not (equals and name.isidentifier())):
            values[main] = parameter_from_text(kind, declared[main], text)
        else:
            remedy = f"it has {', '.join(declared)}; for k and per use --k and --per"
            raise UsageError(f"'{kind}' has no parameter '{name}'", remedy)
    if not values:
        raise UsageError(f"'mere ask {kind}' needs GIVEN or NAME=VALUE", f"{main} is {declared[main].meaning}")
    asking = [main, *(name for name, parameter in declared.items() if parameter.asks)]
    if declared[main].default is None and not any(name in values for name in asking):
        raise UsageError(f"'{kind}' asks with {main}, and none is given", f"write 'mere ask {kind} {main.upper()}'")
    return values
