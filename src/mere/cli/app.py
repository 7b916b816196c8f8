"""The `mere` program: a command is imported when it is called, so that `mere --help` imports none of them."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from mere.errors import UsageError

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

# name -> (module of this package, what it does); the command is the module's attribute of that name
COMMANDS = {
    "index": ("indexing", "Make a lake from folders of raw tables, or update it."),
    "join": ("joins", "Find tables that join with a file, or join one."),
    "transform": ("transforming", "Join two files whose keys are written differently."),
    "assemble": ("assembling", "Choose the tables that add the most rows to mine for a budget."),
    "search": ("questions", "Find tables by words."),
    "where": ("questions", "Find tables by how their columns are distributed, and by words."),
    "ask": ("questions", "Ask a question of any kind."),
    "tables": ("catalog", "List the tables."),
    "show": ("catalog", "Show a table: columns, types, counts, histograms, rows."),
    "info": ("catalog", "Show what is in a lake, its size, and which snapshots are kept."),
    "profile": ("profiles", "Publish profiles of tables, without their rows."),
    "graph": ("linking", "Write every pair of columns that join, as Parquet."),
    "paths": ("linking", "Find join paths between two tables."),
    "warm": ("machine", "Compile the kernels of this installation."),
    "doctor": ("machine", "Check what is missing on this machine, and whether a lake is intact."),
    "completion": ("completion", "Print the script that completes commands and names in a shell."),
    "demo": ("machine", "Make a small lake, index it, and show what Mere can do."),
}


class _Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        if ctx.resilient_parsing:  # a shell completes a line: its flags are known without importing the command
            from mere.cli.completion import outline

            return outline(name)
        return getattr(import_module(f"mere.cli.{COMMANDS[name][0]}"), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:  # fmt: skip
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(args[0], COMMANDS, 1)
            raise UsageError(f"no command '{args[0]}'", f"did you mean {near[0]}?" if near else "see 'mere --help'")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [CompletionItem(name, help=meaning) for name, (_, meaning) in COMMANDS.items()]
        return [item for item in names if item.value.startswith(incomplete)] + click.Command.shell_complete(
            self, ctx, incomplete
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, meaning) for name, (_, meaning) in COMMANDS.items()])


@click.group(cls=_Commands, context_settings=HELP)
@click.version_option(package_name="mere", message="mere %(version)s")
def app() -> None:
    """A discovery engine for data lakes: which other tables fit mine?

    \b
    Example:  mere index ./data
              mere join sales.csv --on country
    """
    from mere.values.pandas_import import block_pandas_import

    block_pandas_import()
