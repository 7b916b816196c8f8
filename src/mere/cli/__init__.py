"""`mere`: reads arguments, calls `Lake` and `index`, prints text or one JSON document.

Exit codes: 0 done (no match included), 1 failed, 2 usage, 3 done but some files were quarantined, 4 corrupt index,
130 interrupted.
"""

from __future__ import annotations

import io
import json
import os
import sys
from typing import Any

_INTERRUPTED = {"type": "Interrupted", "message": "interrupted; no file is half-written", "remedy": ""}


def main() -> None:
    """The entry point of the `mere` program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for a terminal that cannot show every character
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the program was being loaded
        code = _fail(_INTERRUPTED, 130, "--json" in sys.argv)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command; an error becomes a message (with --json, a document) and an exit code."""
    import click

    from mere.cli.app import app
    from mere.errors import MereError

    if "_MERE_COMPLETE" in os.environ:
        import mere.cli.completion  # noqa: F401  (says how bash is answered)
    as_json = "--json" in arguments
    try:
        code = app(arguments or ["--help"], prog_name="mere", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except MereError as error:
        return _fail(_on_the_command_line(error.to_dict()["error"], arguments), error.exit_code, as_json)
    except click.ClickException as error:
        return _fail({"type": "UsageError", "message": error.format_message(), "remedy": _help(error)}, 2, as_json)
    except (KeyboardInterrupt, click.Abort):
        return _fail(_INTERRUPTED, 130, as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        place = f" '{error.filename}'" if error.filename else ""
        fault = f"{error.strerror or error}{place}"
        return _fail(
            {"type": type(error).__name__, "message": fault, "remedy": "check the path and its permissions"}, 1, as_json
        )
    except MemoryError:
        return _fail({"type": "MemoryError", "message": "out of memory", "remedy": "close other programs"}, 1, as_json)


def _on_the_command_line(error: dict[str, str], arguments: list[str]) -> dict[str, str]:
    """An error written with flags instead of Python's arguments."""
    from mere.cli.flags import in_flags

    command = _command_of(arguments)
    return {**error, "message": in_flags(error["message"], command), "remedy": in_flags(error["remedy"], command)}


def _command_of(arguments: list[str]) -> Any:
    """The command that arguments call."""
    import click

    from mere.cli.app import app

    command: click.Command | None = app
    context = click.Context(app)
    for argument in arguments:
        if isinstance(command, click.Group) and not argument.startswith("-"):
            command = command.get_command(context, argument)
    return command


def _help(error: object) -> str:
    context = getattr(error, "ctx", None)
    return f"see '{context.command_path} --help'" if context is not None else "see 'mere --help'"


def _fail(error: dict[str, str], code: int, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"error": error}, ensure_ascii=False))
    else:
        from mere.cli.render import clean

        remedy = f"\n  {clean(error['remedy'])}" if error["remedy"] else ""
        print(f"mere: {clean(error['message'])}{remedy}", file=sys.stderr)
    return code
