"""What a shell proposes: commands, flags, tables of the lake, columns of files and tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete

from mere.cli import completion, known_names, run
from mere.cli.app import COMMANDS, app
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import RAW, write_files

FILES = {**RAW, "geo/two words (old).csv": "Größe,a b,x,y\n1,2,3,4\n"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    (folder / "mine.csv").write_text('land,town,"with, comma"\nAT,Graz,1\n')
    return folder


@pytest.fixture(autouse=True)
def in_the_folder(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MERE_LAKE", "lake")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def proposed(line: str) -> list[str]:
    """What a shell proposes for the last word of a line."""
    *words, incomplete = line.split(" ")
    return [item.value for item in ShellComplete(app, {}, "mere", "_MERE_COMPLETE").get_completions(words, incomplete)]


TABLES = ["geo/cities.tsv", "geo/countries.csv", "geo/two words (old).csv", "sales/notes.csv", "sales/orders.json"]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("j", ["join"]),
        ("", list(COMMANDS)),
        ("profile ", ["export"]),
        ("show ", TABLES),
        ("show geo/c", TABLES[:2]),
        ("show GEO/C", TABLES[:2]),
        ("show --columns p --lake nowhere x", []),
        ("show geo/countries.csv --columns p", ["population"]),
        ("show countries.csv --columns p", ["population"]),
        ("tables sa", TABLES[3:]),
        ("profile export sa", TABLES[3:]),
        ("join geo/co", ["geo/countries.csv"]),
        ("join geo/countries.csv --on ", ["code", "name", "population"]),
        ("join mine.csv --on ", ["land", "town", '"with, comma"']),
        ("join mine.csv --on land,to", ["land,town"]),
        ("join mine.csv --with sales/n", ["sales/notes.csv"]),
        ("join mine.csv --with geo/cities.tsv --column ", ["city", "country"]),
        ("join mine.csv --by comp", ["composite"]),
        ("join mine.csv --forc", ["--force"]),
        ("join none.csv --on ", []),
        ("join mine.csv --lake nowhere --with ", []),
        ("where --like mine.csv --on t", ["town"]),
        ("transform mine.csv geo/countries.csv --on l", ["land"]),
        ("assemble mine.csv --exclude to", ["town"]),
        ("completion ", ["bash", "zsh", "fish"]),
    ],
)
def test_names_that_start_so_are_proposed(line: str, names: list[str]) -> None:
    assert proposed(line) == names
    assert proposed(line) == names, "from the cache"


def test_files_are_proposed_where_one_starts_so() -> None:
    complete = ShellComplete(app, {}, "mere", "_MERE_COMPLETE").get_completions
    assert [(item.type, item.value) for item in complete(["join"], "mi")] == [("file", "mi")]
    assert [item.type for item in complete(["transform"], "xyz")] == ["file"]
    assert [item.type for item in complete(["index", "--lake"], "")] == ["dir"]


def test_an_outline_has_the_parameters_of_its_command() -> None:
    context = click.Context(app)
    for name in COMMANDS:
        command, outline = app.get_command(context, name), completion.outline(name)
        assert command is not None and outline is not None
        pairs = [(command, outline)]
        if isinstance(command, click.Group):
            pairs += [(each, outline.commands[inner]) for inner, each in command.commands.items()]
        for real, made in pairs:
            assert [_facts(parameter) for parameter in real.params] == [_facts(parameter) for parameter in made.params]


def _facts(parameter: click.Parameter) -> tuple[Any, ...]:
    flags = (sorted(parameter.opts), sorted(parameter.secondary_opts)) if isinstance(parameter, click.Option) else ()
    return parameter.name, flags, parameter.nargs, parameter.multiple, getattr(parameter, "is_flag", False)


@pytest.mark.parametrize("typed", ["", "land,", "land,town,", '"a,b",', "town, land,"])
def test_columns_that_are_named_already_are_not_proposed(typed: str, folder: Path) -> None:
    names = ["land", "town", "year", "a,b"]
    (folder / "four.csv").write_text('land,town,year,"a,b"\nAT,Graz,1999,x\n')
    complete = ShellComplete(app, {}, "mere", "_MERE_COMPLETE").get_completions
    items = {item.value for item in complete(["join", "four.csv", "--on"], typed)}
    quoted = {name: f'"{name}"' if "," in name else name for name in names}
    assert items == {typed + quoted[name] for name in names if quoted[name] not in typed}


def test_names_follow_the_newest_snapshot_and_the_file(tmp_path: Path) -> None:
    raw, lake = tmp_path / "raw", str(tmp_path / "lake")
    index([write_files(raw, {"a.csv": "x\n1\n"})], lake, engine=Inline())
    assert list(known_names.tables_of(lake)) == ["a.csv"]
    write_files(raw, {"b.csv": "y\n1\n"})
    index([raw], lake, engine=Inline())
    assert list(known_names.tables_of(lake)) == ["a.csv", "b.csv"]
    assert known_names.columns_of(str(raw / "b.csv"), lake) == ["y"]
    write_files(raw, {"b.csv": "longer,z\n1,2\n"})
    assert known_names.columns_of(str(raw / "b.csv"), lake) == ["longer", "z"]


def test_a_completion_never_fails_and_the_cache_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.csv").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    assert known_names.columns_of(str(tmp_path / "bad.csv"), "nowhere") == []
    (tmp_path / "lake" / "snapshots").mkdir(parents=True)
    assert list(known_names.tables_of(str(tmp_path / "lake"))) == []
    (tmp_path / "lake" / "snapshots" / "00000001.json").write_text("{}")
    assert list(known_names.tables_of(str(tmp_path / "lake"))) == []
    monkeypatch.setattr(known_names, "_KEPT", 3)
    for number in range(9):
        assert known_names.remembered(["n", number], lambda number=number: number, None) == number
    assert len(os.listdir(tmp_path / "mere" / "completion")) == 3


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_the_script_of_a_shell_is_printed(shell: str, capsys: Any) -> None:
    assert run(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "_MERE_COMPLETE" in script and f"{shell}_complete" in script
    assert run(["completion", shell, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"shell": shell, "script": script.removesuffix("\n")}


def test_bash_gets_special_characters_escaped() -> None:
    answer = completion._Bash(app, {}, "mere", "_MERE_COMPLETE").format_completion
    assert answer(CompletionItem("geo/two words (old).csv")) == r"plain,geo/two\\ words\\ \\(old\\).csv"
    assert answer(CompletionItem("a/Größe_1.csv#2024")) == "plain,a/Größe_1.csv#2024"


def test_a_completion_from_the_cache_imports_no_engine() -> None:
    """The second time, names come from the cache: neither NumPy nor Arrow is loaded."""
    script = (
        "import sys\n"
        "from click.shell_completion import ShellComplete\n"
        "from mere.cli.app import app\n"
        "complete = ShellComplete(app, {}, 'mere', '_MERE_COMPLETE').get_completions\n"
        "print([item.value for item in complete(['join', 'mine.csv', '--with', 'geo/cities.tsv', '--column'], 'c')])\n"
        "print([item.value for item in complete(['join', 'mine.csv', '--on'], 'to')])\n"
        "print(sorted({'numpy', 'pyarrow', 'numba', 'mere.indexes'} & set(sys.modules)))\n"
    )
    first, second = (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    )
    assert first[:2] == second[:2] == ["['city', 'country']", "['town']"]
    assert "numpy" in first[2] and second[2] == "[]"


def test_python_dash_m_is_the_program(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "mere", "tables", "geo/*.tsv"], capture_output=True, text=True)
    assert done.returncode == 0 and "geo/cities.tsv" in done.stdout, done.stderr
