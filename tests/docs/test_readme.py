"""The README shows what really happens: its commands run, their output is the one shown, and Python says the same."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

import mere
from mere.answers import Hits
from mere.cli import run
from mere.search import Profile
from mere.search.assembling import Bundle
from mere.search.paths import Paths
from mere.search.transforming import TransformJoin
from tests.docs.conftest import Demo
from tests.docs.documents import Block, Command, blocks, commands, sections, text_of
from tests.docs.outputs import arguments_of, refreshed, scene

README = text_of("README.md")
TASKS = sections(sections(README)["Eight tasks"], level=3)


def console_of(text: str) -> Block:
    return next(block for block in blocks(text) if block.language == "console")


def check_shown(command: Command, printed: str) -> None:
    pairs = zip(command.shown, refreshed(command, printed), strict=True)
    stale = [f"shown:    {shown}\nprinted:  {fresh}" for shown, fresh in pairs if shown != fresh]
    message = f"the README shows other lines than '{command.line}' prints; 'make readme' writes these into it"
    assert not stale, "\n".join([message, *stale])


def test_every_number_that_is_shown_is_compared_but_times() -> None:
    shown = [command for block in blocks(README) if block.language == "console" for command in commands(block)]
    for line, output in shown:
        for place, text in enumerate(output):
            for number in re.finditer(r"\d+", text):
                changed = f"{text[: number.start()]}{int(number[0]) + 1}{text[number.end() :]}"
                other = Command(line, [*output[:place], changed, *output[place + 1 :]])
                is_time = re.match(r"[\d.]* m?s\b", text[number.start() :])
                assert (refreshed(other, "\n".join(output))[place] == changed) == bool(is_time), changed
    assert len(shown) > 12


def test_there_are_eight_tasks() -> None:
    assert len(TASKS) == 8
    assert len(README.splitlines()) <= 200


def test_the_demo_prints_what_is_shown(demo_lake: Demo) -> None:
    shown = commands(console_of(sections(README)["The demo"]))
    assert len(shown) >= 4
    for command in shown:
        check_shown(command, scene(demo_lake.output, command))


@pytest.mark.parametrize("task", TASKS)
def test_a_task_prints_what_is_shown(task: str, in_the_demo: Demo, capsys: Any) -> None:
    for command in commands(console_of(TASKS[task])):
        assert run(arguments_of(command)) == 0
        assert command.shown
        check_shown(command, capsys.readouterr().out)


@pytest.mark.parametrize("task", TASKS)
def test_python_gives_the_same_answer_as_the_command(task: str, in_the_demo: Demo, capsys: Any) -> None:
    python = next(block for block in blocks(TASKS[task]) if block.language == "python")
    lines = commands(console_of(TASKS[task]))
    statements = ast.parse("\n".join(python.lines)).body
    assert len(statements) == len(lines)
    with mere.open("lake") as lake:
        for command, statement in zip(lines, statements, strict=True):
            assert run([*arguments_of(command), "--json"]) == 0
            document = json.loads(capsys.readouterr().out)
            check_same(eval(ast.unparse(statement), {"lake": lake, "mere": mere}), document)


def check_same(answer: Any, document: dict[str, Any]) -> None:
    """What Python returns, against the document that the command prints."""
    if isinstance(answer, Hits):
        assert answer.to_dicts() == document["hits"] and len(answer) > 0
    elif isinstance(answer, Profile):
        assert json.loads(json.dumps(answer.to_dict()["columns"])) == document["columns"]
    elif isinstance(answer, Paths):
        assert answer.to_dict()["paths"] == document["paths"] and len(answer) > 0
    elif isinstance(answer, TransformJoin):
        assert answer.to_dict()["pairs"] == document["pairs"] and len(answer) > 0
        assert answer.to_dict()["programs"] == document["programs"]
    elif isinstance(answer, Bundle):
        assert answer.to_dict()["curve"] == document["curve"] and len(answer) > 0
        assert [answer.to_dict()[name] for name in ("chosen", "rejected")] == [document["chosen"], document["rejected"]]
    else:
        assert answer.num_rows == document["rows"] > 0
        if document["output"] is None:
            return
        assert len(Path(document["output"]).read_text(encoding="utf-8").splitlines()) == answer.num_rows + 1


@pytest.mark.parametrize("command", ["python3 run.py demo", "python3 run.py test"])
def test_the_two_commands_of_a_clean_clone_are_documented(command: str) -> None:
    assert command in README
    assert f'"{command.split()[-1]}":' in text_of("run.py")
