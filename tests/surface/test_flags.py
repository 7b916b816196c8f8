"""Errors and notes name flags and commands on the command line, and arguments and methods in Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

import mere
from mere.cli import run
from mere.cli.flags import document_in_flags, in_flags
from mere.errors import MereError
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.segments.snapshot import snapshot_path
from tests.conftest import write_files

FILES = {
    "geo/countries.csv": "code,name,population\nAT,Austria,9000000\nCH,Switzerland,8700000\nDE,Germany,83000000\n",
    "geo/cities.csv": "city,country\nVienna,AT\nBern,CH\nRome,IT\n",
    "mine.csv": "my code,year\nAT,2001\nCH,2002\n",
}
ARGUMENT = re.compile(
    r"\b(exact|verify|threshold|k|per|on|how|mode|ties|numbers|like|as_of|lake|forget|least)=(?!\s*$)"
)
FLAG = re.compile(r"(^|[\s'(])--[a-z]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flags")
    index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    return folder


def error_of(folder: Path, capsys: Any, *arguments: str) -> str:
    """Message and remedy that a command fails with."""
    file = str(folder / "raw" / "mine.csv")
    arguments = tuple(file if argument == "FILE" else argument for argument in arguments)
    more = () if "--lake" in arguments else ("--lake", str(folder / "lake"))
    assert run([*arguments, *more, "--json"]) != 0
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["remedy"], error
    return f"{error['message']}; {error['remedy']}"


CODE = ("join", "FILE", "--on", "my code")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("join", "FILE", "--by", "overlap"), "name one with --on: my code, year"),
        (("join", "FILE", "--on", "nope"), "no column 'nope'; it has my code, year"),
        ((*CODE, "--threshold", "7"), "--threshold must be above 0 and at most 1, got 7.0"),
        ((*CODE, "--by", "overlap", "--threshold", "0.5"), "--threshold 0.5 does not go with overlap"),
        ((*CODE, "--exact"), "--exact goes with --threshold; add --threshold 0.6"),
        ((*CODE, "--approximate"), "--approximate goes with --threshold"),
        ((*CODE, "--no-verify"), "--no-verify goes with --threshold"),
        ((*CODE, "--mode", "nope"), "--mode must be one of auto, merge, probe, josie, got 'nope'"),
        ((*CODE, "--ties", "nope"), "for example --ties likely"),
        ((*CODE, "--with", "nowhere.csv"), "'mere tables' lists the names"),
        ((*CODE, "--with", "citys.csv"), "no table 'citys.csv' among 3 tables; did you mean geo/cities.csv?"),
        (("join", "FILE", "--on", "my code,year", "--per", "column"), "leave out --per column"),
        (("where", "--like", "FILE", "--on", "nope"), "no column 'nope'; it has my code, year"),
        (("where",), "takes a CONDITION or --like, and not both"),
        (("where", "'a'", "--on", "x"), "--on and --column go with --like"),
        (("where", "'a' or 'b'", "--per", "column"), "leave out --per"),
        (("search", "x", "--per", "row"), "'--per'"),
        (("search", "x", "--as-of", "7"), "snapshot 7 is not kept"),
        (("ask", "overlap"), "'mere ask overlap' needs GIVEN or NAME=VALUE; values is a list"),
        (("ask", "overlap", "FILE"), "name one with on=: my code, year"),
        (("ask", "overlap", "FILE", "on=year", "mode=nope"), "for example mode='auto'"),
        (("ask", "overlap", "FILE", "colour=red"), "no parameter 'colour'; it has values, on"),
        (("ask", "composite", "FILE", "on=my code,year", "--per", "column"), "leave out --per column"),
        (("ask", "nope"), "no kind 'nope'; choose from composite"),
        (("show", "nowhere"), "'mere tables' lists the names"),
        (("show", "cities.csv", "--where", "cancer"), "a condition starts with 'at least'"),
        (("index", "--set", "join_numbers=maybe"), "--set 'join_numbers=maybe': 'maybe' is not true or false"),
        (("index", "--set", "keep_snapshots=many"), "'many' is not an integer; the default is 3"),
        (("index", "--limit", "columns=many"), "write for example --limit columns=50000"),
        (("index", "/no/such/folder"), "source '/no/such/folder' does not exist"),
        (("profile", "export", "nowhere"), "'mere tables' lists the names"),
        (("profile", "export", "--set", "creator"), "write for example --set creator='City of Vienna'"),
        (("graph", "out", "--threshold", "7"), "--threshold must be above 0 and at most 1"),
    ],
)
def test_errors_of_commands_name_flags(folder: Path, capsys: Any, arguments: tuple[str, ...], text: str) -> None:
    error = error_of(folder, capsys, *arguments)
    assert text in error
    if arguments[0] != "ask":  # whose parameters are written NAME=VALUE
        assert not ARGUMENT.search(error), error
    assert "Lake." not in error


def test_a_folder_that_is_no_lake_is_refused_with_the_flag(folder: Path, capsys: Any) -> None:
    raw = str(folder / "raw")
    assert error_of(folder, capsys, "index", raw, "--lake", raw).endswith("choose an empty or new folder with --lake")
    with pytest.raises(MereError, match="choose an empty or new folder with lake="):
        index([raw], raw, engine=Inline())


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda lake, file: lake.overlap(file), "name one with on=: my code, year"),
        (
            lambda lake, file: lake.overlap(file, on="year", k=-1),
            "'k' must be an int >= 0, got -1; k=0 returns all hits",
        ),
        (lambda lake, file: lake.overlap(file, on="year", per="row"), "per='table' returns the best hit of each table"),
        (lambda lake, file: lake.overlap(file, on="year", mode="nope"), "for example mode='auto'"),
        (lambda lake, file: lake.overlap([1], on="year"), "on='year' needs named columns, got a list"),
        (lambda lake, file: lake.containment(file, 7, on="year"), "'threshold' must be above 0 and at most 1"),
        (lambda lake, file: lake.ask("composite", file, per="column"), "leave out per='column'"),
        (lambda lake, file: lake.join(file, ("geo/cities.csv", "country"), "cross", on="year"), "how='left' keeps all"),
        (lambda lake, file: lake.join(file, ("geo/cities.csv", ["country"])), "name one with on="),
        (lambda lake, file: lake.profile("nowhere"), "Lake.tables lists the names"),
        (lambda lake, file: lake.profile("citys.csv"), "did you mean geo/cities.csv?"),
        (lambda lake, file: lake.profile(7), "expected the name of a table, got 7"),
        (lambda lake, file: lake.distribution(), "or like="),
        (lambda lake, file: lake.export_profiles("cities.csv"), "write tables=['cities.csv']"),
        (lambda lake, file: lake.export_profiles(least=-1), "'least' must be an int >= 0, got -1; least=20 gives"),
    ],
)
def test_errors_in_python_name_arguments(folder: Path, ask: Any, text: str) -> None:
    with mere.open(folder / "lake") as lake, pytest.raises(MereError) as caught:
        ask(lake, str(folder / "raw" / "mine.csv"))
    assert text in str(caught.value)
    assert not FLAG.search(str(caught.value)), str(caught.value)


def test_a_note_names_the_flag_in_text_and_in_json_and_the_argument_in_python(folder: Path, capsys: Any) -> None:
    file, lake = str(folder / "raw" / "mine.csv"), str(folder / "lake")
    command = ["join", file, "--on", "my code", "--threshold", "0.5", "--approximate", "--lake", lake]
    assert run(command) == 0
    assert "--exact finds all" in capsys.readouterr().out
    assert run([*command, "--json"]) == 0
    assert any("--exact finds all" in note for note in json.loads(capsys.readouterr().out)["notes"])
    with mere.open(lake) as opened:
        notes = opened.containment(file, 0.5, on="my code", exact=False).notes
    assert any("exact=True finds all" in note for note in notes)


def test_a_lost_snapshot_is_read_by_an_older_one_with_the_flag(tmp_path: Path, capsys: Any) -> None:
    raw, lake = write_files(tmp_path / "raw", FILES), tmp_path / "lake"
    index([raw], lake, engine=Inline())
    (raw / "mine.csv").unlink()
    index([raw], lake, engine=Inline())
    Path(snapshot_path(str(lake), 2)).unlink()
    for command in ("tables", "doctor"):
        assert run([command, "--lake", str(lake)]) == 4
        printed = capsys.readouterr()
        assert "--as-of 1" in printed.out + printed.err and "as_of" not in printed.out + printed.err


COMMAND = click.Command(
    "join",
    params=[
        click.Option(["--exact/--approximate"]),
        click.Option(["-o", "--output"]),
        click.Option(["--k"], type=int),
        click.Option(["--on"]),
        click.Option(["--formulas"], is_flag=True),
        click.Argument(["tables"]),
    ],
)


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("exact=True", "--exact"),
        ("exact=False", "--approximate"),
        ("formulas=True", "--formulas"),
        ("formulas=False", "formulas=False"),
        ("k=-1", "--k -1"),
        ("output='x.csv'", "--output x.csv"),
        ("on='my city'", "--on 'my city'"),
        ("on=['city', 'year']", "--on city,year"),
        ("on=['my city', 'year']", "--on 'my city,year'"),
        ("with on=", "with --on"),
        ("'k' must be an int", "--k must be an int"),
        ("setting 'k' must be an int", "setting 'k' must be an int"),
        ("'on=x' is text of the user", "'on=x' is text of the user"),
        ("--set on=x", "--set on=x"),
        ("colour=red", "colour=red"),
        ("tables=['x']", "tables=['x']"),
        ("Lake.tables lists them", "'mere tables' lists them"),
        ("Lake.join joins them", "Lake.join joins them"),
    ],
)
def test_arguments_are_written_as_the_flags_of_the_command(python: str, shell: str) -> None:
    assert in_flags(python, COMMAND) == shell


def test_only_the_notes_of_a_document_are_rewritten() -> None:
    document = {"kind": "k=1", "notes": ["k=1"]}
    assert document_in_flags(document, COMMAND) == {"kind": "k=1", "notes": ["--k 1"]}
    assert document_in_flags({"kind": "k=1"}, COMMAND) == {"kind": "k=1"}
