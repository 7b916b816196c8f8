"""What every command says to a missing file, an empty file, a wrong name, and a folder that is no lake.

A fault is one line with the value, and a second one with the remedy; with --json it is one document.  A wrong use is
exit code 2, what failed 1, a corrupt lake 4.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mere.cli import main, run
from mere.cli.app import COMMANDS
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import RAW, write_files

NO_FILE = "no file 'none.csv', and no table 'none.csv' among 4 tables; 'mere tables' lists the names"
EMPTY = "cannot read 'empty.csv': the file is empty; remove it or fetch it again"
NO_COLUMN = "'mine.csv' has no column 'none'; it has land, n"
NO_TABLE = "no table 'none.csv' among 4 tables; 'mere tables' lists the names"
NO_LAKE = "no lake at 'nowhere'; make one with 'mere index SOURCE --lake nowhere'"
COUNTRIES = "geo/countries.csv"
ELSEWHERE = ["--lake", "nowhere"]

FAULTS: list[tuple[list[str], int, str]] = [
    (["join", "none.csv", "--on", "land"], 2, NO_TABLE),
    (["join", "empty.csv", "--on", "land"], 2, EMPTY),
    (["join", "mine.csv", "--on", "none"], 2, NO_COLUMN),
    (["join", "mine.csv", "--on", "land", "--with", "none.csv"], 2, NO_TABLE),
    (
        ["join", "mine.csv", "--on", "land", "--with", COUNTRIES, "--column", "none"], 2,
        "table 'geo/countries.csv' has no column 'none'; it has code, name, population",
    ),
    (["join", "mine.csv", "--on", "land", *ELSEWHERE], 1, NO_LAKE),
    (["join", ".", "--on", "land"], 2, "'.' is not a file; give the path of a file with a table"),
    (["transform", "none.csv", "mine.csv"], 2, "'none.csv' is not a file; give the path of a file with a table"),
    (["transform", "mine.csv", "empty.csv"], 2, EMPTY),
    (["transform", "mine.csv", "mine.csv", "--on", "none", "n"], 2, NO_COLUMN),
    (["transform", "mine.csv"], 2, "Missing argument 'RIGHT'.; see 'mere transform --help'"),
    (["assemble", "none.csv"], 2, NO_FILE),
    (["assemble", "empty.csv"], 2, EMPTY),
    (["assemble", "mine.csv", "none.csv"], 2, NO_FILE),
    (["assemble", "mine.csv", "--exclude", "none"], 2, "the base 'mine.csv' has no column 'none'; it has land, n"),
    (["assemble", "mine.csv", *ELSEWHERE], 1, NO_LAKE),
    (
        ["assemble", "mine.csv", "raw/geo/cities.tsv", "--prices", "none.csv"], 2,
        "the price list 'none.csv' is not a file; give a file with columns table and price, or a number per row",
    ),
    (["assemble", "mine.csv", "--queries", "no.txt"], 2, "'no.txt' is not a file; give a file with one query per line"),
    (["search", "x", *ELSEWHERE], 1, NO_LAKE),
    (["search"], 2, "Missing argument 'WORDS...'.; see 'mere search --help'"),
    (["where", "--like", "none.csv", "--on", "n"], 2, NO_FILE),
    (["where", "--like", "empty.csv", "--on", "n"], 2, EMPTY),
    (["where", "--like", "mine.csv", "--on", "none"], 2, NO_COLUMN),
    (["where", "--like", "mine.csv"], 2, "'mine.csv' has 2 columns, and none is named; name one with --on: land, n"),
    (["where", "at least 50% of n < 4", *ELSEWHERE], 1, NO_LAKE),
    (["where"], 2, "'mere where' takes a CONDITION or --like, and not both; give one of them"),
    (["ask", "overlap", "none.csv", "on=land"], 2, NO_FILE),
    (["ask", "overlap", "empty.csv", "on=land"], 2, EMPTY),
    (["ask", "overlap", "mine.csv", "on=none"], 2, NO_COLUMN),
    (["ask", "overlap", "mine.csv", "on=land", "table=none.csv"], 2, NO_TABLE),
    (["ask", "overlap", "mine.csv", "on=land", *ELSEWHERE], 1, NO_LAKE),
    (["tables", *ELSEWHERE], 1, NO_LAKE),
    (["show", "none.csv"], 2, NO_TABLE),
    (["show", "contries.csv"], 2, "no table 'contries.csv' among 4 tables; did you mean geo/countries.csv?"),
    (["show", "customers.csv"], 2, "no table 'customers.csv' among 4 tables; 'mere tables' lists the names"),
    (
        ["show", COUNTRIES, "--columns", "none"], 2,
        "no column of 'geo/countries.csv' matches 'none'; it has code, name, population",
    ),
    (["show", COUNTRIES, *ELSEWHERE], 1, NO_LAKE),
    (["info", *ELSEWHERE], 1, NO_LAKE),
    (["info", "--as-of", "99"], 1, "snapshot 99 is not kept in 'lake'; kept are 1"),
    (["profile", "export", "none.csv"], 2, NO_TABLE),
    (["profile", "export", *ELSEWHERE], 1, NO_LAKE),
    (["graph", "out", *ELSEWHERE], 1, NO_LAKE),
    (["paths", "none.csv", COUNTRIES], 2, NO_TABLE),
    (["paths", "mine.csv", COUNTRIES, *ELSEWHERE], 1, NO_LAKE),
    (["warm", *ELSEWHERE], 1, NO_LAKE),
    (["doctor", *ELSEWHERE], 1, NO_LAKE),
    (["index", "nowhere", "--lake", "new"], 2, "source '{folder}/nowhere' does not exist; check the path"),
    (
        ["index", "--lake", "nowhere"], 1,
        "no lake at '{folder}/nowhere', and no source to make one from; name a folder of tables",
    ),
    (["completion", "csh"], 2, "'csh' is not one of 'bash', 'zsh', 'fish'.; see 'mere completion --help'"),
    (["nothing"], 2, "no command 'nothing'; see 'mere --help'"),
    (["serach", "x"], 2, "no command 'serach'; did you mean search?"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    index([write_files(folder / "raw", RAW)], folder / "lake", engine=Inline())
    (folder / "mine.csv").write_text("land,n\nAT,1\nCH,2\n")
    (folder / "empty.csv").write_text("")
    return folder


@pytest.fixture(autouse=True)
def in_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MERE_LAKE", "lake")


@pytest.mark.parametrize(
    ("arguments", "code", "text"), FAULTS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_a_fault_is_a_line_a_remedy_and_an_exit_code(
    arguments: list[str], code: int, text: str, folder: Path, capsys: Any
) -> None:
    fault, _, remedy = text.replace("{folder}", str(folder)).rpartition("; ")
    assert run(arguments) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    first, second = printed.err.splitlines()
    assert first.startswith("mere: ") and first.endswith(fault) and second == f"  {remedy}"
    assert run([*arguments, "--json"]) == code
    printed = capsys.readouterr()
    error = json.loads(printed.out)["error"]
    assert printed.err == "" and error["message"].endswith(fault) and error["remedy"] == remedy


def test_every_command_has_a_case() -> None:
    without_faults = {"demo"}  # it takes no names
    assert {arguments[0] for arguments, _, _ in FAULTS} >= set(COMMANDS) - without_faults


@pytest.mark.parametrize(
    "command", [*([name] for name in COMMANDS if name != "profile"), ["profile", "export"]], ids=" ".join
)
def test_the_help_of_every_command_has_an_example_and_fits_80_columns(
    command: list[str], capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*command, "--help"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "Example" in out and f"mere {' '.join(command)}" in out and "--json" in out


def test_a_damaged_lake_is_exit_code_4(tmp_path: Path, capsys: Any) -> None:
    lake = tmp_path / "lake"
    index([write_files(tmp_path / "raw", {"a.csv": "x\n1\n"})], lake, engine=Inline())
    [catalog] = lake.glob("segments/*/catalog.idx")
    data = bytearray(catalog.read_bytes())
    data[len(data) // 2] ^= 1
    catalog.write_bytes(data)
    for command in (["tables"], ["doctor"], ["show", "a.csv"]):
        assert run([*command, "--lake", str(lake)]) == 4
        printed = capsys.readouterr()
        assert "catalog.idx" in printed.out + printed.err


def test_an_interruption_is_one_line_and_130(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mere.lake.Lake.keywords", interrupted)
    assert run(["search", "x"]) == 130
    assert capsys.readouterr().err.strip() == "mere: interrupted; no file is half-written"
    monkeypatch.setattr("mere.cli.run", interrupted)
    monkeypatch.setattr(sys, "argv", ["mere", "search", "x"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130 and capsys.readouterr().err.count("\n") == 1


def given_on_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize(
    "arguments",
    [
        ["join", "-", "--on", "land"],
        ["join", "-", "--on", "land", "--with", COUNTRIES],
        ["where", "--like", "-", "--on", "n"],
        ["ask", "overlap", "-", "on=land"],
        ["transform", "-", "raw/geo/countries.csv", "--on", "land", "code", "--accidents"],
        ["assemble", "-", "raw/geo/cities.tsv"],
    ],
    ids=" ".join,
)
def test_standard_input_is_read_like_a_file(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    changing = ("took_ms", "seconds", "base")
    documents = []
    for given in ("-", "mine.csv"):
        given_on_stdin(monkeypatch, Path("mine.csv").read_bytes())
        code = run([*(given if argument == "-" else argument for argument in arguments), "--json"])
        document = json.loads(capsys.readouterr().out)
        documents.append((code, {name: value for name, value in document.items() if name not in changing}))
    assert documents[0] == documents[1] and documents[0][0] == 0
    assert list(tmp_path.iterdir()) == [], "the copy is removed"


def test_parquet_and_compressed_bytes_on_standard_input_are_recognised(monkeypatch: Any, capsys: Any) -> None:
    import gzip

    import pyarrow as pa
    import pyarrow.parquet as pq

    parquet = io.BytesIO()
    pq.write_table(pa.table({"land": ["AT", "CH"], "n": [1, 2]}), parquet)
    rows = json.dumps([{"land": "AT", "n": 1}, {"land": "CH", "n": 2}]).encode()
    hits = []
    for data in (Path("mine.csv").read_bytes(), parquet.getvalue(), rows, gzip.compress(rows)):
        given_on_stdin(monkeypatch, data)
        assert run(["join", "-", "--on", "land", "--json"]) == 0
        hits.append(json.loads(capsys.readouterr().out)["hits"])
    assert hits[0] and all(each == hits[0] for each in hits)


def test_standard_input_that_cannot_be_used_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    given_on_stdin(monkeypatch, b"")
    assert run(["join", "-", "--on", "land"]) == 2
    assert capsys.readouterr().err == "mere: cannot read '-': the file is empty\n  remove it or fetch it again\n"
    given_on_stdin(monkeypatch, b"land,n\nAT,1\n")
    assert run(["join", "-", "--on", "none"]) == 2
    assert capsys.readouterr().err.startswith("mere: '-' has no column 'none'\n")
    given_on_stdin(monkeypatch, b"land,n\nAT,1\n")
    assert run(["transform", "-", "-"]) == 2
    assert "'-' is given twice" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert run(["join", "-", "--on", "land"]) == 2
    assert "which is a terminal" in capsys.readouterr().err


OUTPUTS = [
    ["join", "mine.csv", "--on", "land", "--with", COUNTRIES, "-o", "out.csv"],
    ["transform", "mine.csv", "raw/geo/countries.csv", "--on", "land", "code", "--accidents", "-o", "out.csv"],
    ["transform", "mine.csv", "raw/geo/countries.csv", "--on", "land", "code", "--accidents", "-p", "programs.json"],
    ["assemble", "mine.csv", "raw/geo/cities.tsv", "-o", "out.csv"],
    ["assemble", "mine.csv", "raw/geo/cities.tsv", "--plot", "curve.svg"],
    ["profile", "export", "-o", "profiles.json"],
    ["graph", "pairs"],
]


@pytest.mark.parametrize("arguments", OUTPUTS, ids=" ".join)
def test_an_output_is_not_overwritten_without_force(
    arguments: list[str], folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "mere.lake.Lake.graph",
        lambda *_, **__: {
            "pairs": 0,
            "threshold": 1,
            "columns": 0,
            "seconds": 0,
            "output": "pairs",
            "tables": 0,
            "left_out": 0,
        },
    )
    target = folder / arguments[-1]
    target.unlink(missing_ok=True) if target.suffix else target.mkdir()
    assert run(arguments) == 0, "an empty folder holds nothing to lose"
    existing = target if target.suffix else target / "part.parquet"
    existing.write_text("mine\n")
    capsys.readouterr()
    assert run(arguments) == 2
    assert (
        capsys.readouterr().err
        == f"mere: '{arguments[-1]}' exists already\n  --force overwrites it, or choose another name\n"
    )
    assert existing.read_text() == "mine\n"
    assert run([*arguments, "--force"]) == 0
    assert not target.suffix or existing.read_text() != "mine\n"
