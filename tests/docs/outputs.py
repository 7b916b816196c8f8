"""Which outputs does a document show, and what do the commands print now?

A shown line is a printed one, character for character; only times are left out.  `...` at its end stands for the rest
of the line, and as a line for other lines.  Shown lines are in the order in which they are printed.

`make readme` runs the commands of the README in a new demo lake, and writes the README with the lines that are printed
now: a line that is not printed any more is replaced by the most similar one, cut at the same place.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

from mere.cli import run
from mere.cli.demo import run_demo
from tests.docs.documents import ROOT, Command, blocks, commands, sections, text_of

_TIME = re.compile(r"\d[\d,.]* (ms|s)\b")
_REST = " ..."


def refreshed(command: Command, printed: str) -> list[str]:
    """The lines that a document shows of an output, as they are printed now."""
    lines, fresh = printed.splitlines(), list[str]()
    for shown in command.shown:
        if shown == _REST.strip():
            fresh.append(shown)
            continue
        assert lines, f"'{command.line}' prints nothing below the line before {shown!r}"
        place = next((place for place, line in enumerate(lines) if _is_shown(shown, line)), None)
        fresh.append(_cut(shown, lines[_most_similar(shown, lines)]) if place is None else shown)
        lines = lines[(_most_similar(shown, lines) if place is None else place) + 1 :]
    return fresh


def _is_shown(shown: str, line: str) -> bool:
    shown, line = (_TIME.sub(r"? \1", each.rstrip()) for each in (shown, line))
    return line.startswith(shown.removesuffix(_REST)) if shown.endswith(_REST) else line == shown


def _most_similar(shown: str, lines: list[str]) -> int:
    return max(range(len(lines)), key=lambda n: SequenceMatcher(None, shown, _cut(shown, lines[n]), False).ratio())


def _cut(shown: str, line: str) -> str:
    """A printed line, cut between words about where the document cuts the shown one."""
    if not shown.endswith(_REST) or len(line) <= len(shown):
        return line.rstrip()
    return line[: line.rfind(" ", 0, len(shown))].rstrip() + _REST


def scene(demo: str, command: Command) -> str:
    """What the demo prints below a command, which it shows with a remark."""
    for part in re.split(r"(?m)^\$ ", demo)[1:]:
        line, _, printed = part.partition("\n")
        if line.partition("    #")[0] == command.line:
            return printed
    raise AssertionError(f"the demo does not run {command.line!r}")


def arguments_of(command: Command) -> list[str]:
    program, *arguments = shlex.split(command.line)
    assert program == "mere"
    if "-o" in arguments:  # a file that exists is not overwritten
        Path(arguments[arguments.index("-o") + 1]).unlink(missing_ok=True)
    return arguments


def printed_by(job: Callable[[], object]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        job()
    return output.getvalue()


def fresh_readme(text: str, demo: str) -> str:
    """The README with what is printed now: by the demo, and by the commands of the tasks in its folder."""
    for block in blocks(text):
        if block.language != "console":
            continue
        lines = list[str]()
        for command in commands(block):
            of_demo = "\n".join(block.lines) in sections(text)["The demo"]
            printed = scene(demo, command) if of_demo else printed_by(lambda: run(arguments_of(command)))  # noqa: B023
            lines += [f"$ {command.line}", *refreshed(command, printed)]
        text = text.replace("\n".join(block.lines), "\n".join(lines))
    return text


def main() -> None:
    os.chdir(tempfile.mkdtemp())
    demo = printed_by(lambda: run_demo(Path("mere-demo")))
    os.chdir("mere-demo")
    os.environ["MERE_LAKE"] = "lake"
    (ROOT / "README.md").write_text(fresh_readme(text_of("README.md"), demo), encoding="utf-8")


if __name__ == "__main__":
    main()
