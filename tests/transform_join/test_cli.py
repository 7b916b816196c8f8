"""`mere transform`: text for people, one JSON document, files that are complete or absent."""

from __future__ import annotations

import csv
import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

import mere
from mere.cli import run
from mere.cli.progress import Sentences, show_waiting
from mere.transform import Outcome
from tests.processes import child
from tests.transform.people import turned, two_tables
from tests.transform_join.outcomes import TURNED, refusing, staff_and_badges

LEFT = (
    'person,age\n"Obama, Barack (1961-)",63\n"Curie, Marie (1867-)",157\nPlato,2452\n,1\n"Lovelace, Ada (1815-)",209\n'
)
RIGHT = "holder,age\nAda Lovelace,1\nBarack Obama,2\nMarie Currie,\nNobody,4.5\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, matching: Any) -> Path:
    """The folder of two files, as the current one."""
    (tmp_path / "staff.csv").write_text(LEFT)
    (tmp_path / "badges.csv").write_text(RIGHT)
    monkeypatch.chdir(tmp_path)
    matching(staff_and_badges)
    return tmp_path


def printed(capsys: Any, *options: str, code: int = 0) -> str:
    assert run(["transform", "staff.csv", "badges.csv", *options]) == code
    return capsys.readouterr().out


def document(capsys: Any, *options: str, code: int = 0) -> dict[str, Any]:
    out = printed(capsys, *options, "--json", code=code)
    assert out.count("\n") == 1
    return json.loads(out)


def test_the_programs_the_counts_and_some_pairs_are_shown(files: Path, capsys: Any) -> None:
    lines = [" ".join(line.split()) for line in printed(capsys).splitlines()]
    assert lines == [
        "note: a sample of the rows was used; --seconds 600 gives more time",
        "3 of 5 rows of staff.csv (60%) match 3 of 4 rows of badges.csv (75%)",
        "",
        "program 1 makes keys of badges.csv from staff.csv: 2 pairs",
        f"holder = {TURNED}",
        "Obama, Barack (1961-) = Barack Obama",
        "Lovelace, Ada (1815-) = Ada Lovelace",
        "",
        "similar keys of rows that were left over: 1 pair",
        "Curie, Marie (1867-) ≈ Marie Currie 0.92",
        "",
        "without a partner: 2 rows of staff.csv and 1 row of badges.csv",
        "2 rows had several possible partners: --json lists them",
    ]


def test_the_code_of_programs_is_printed_on_demand(files: Path, capsys: Any) -> None:
    plain = printed(capsys)
    for flag, code in (("--python", TURNED.to_python()), ("--spark-sql", TURNED.to_spark_sql())):
        shown = [line.strip() for line in printed(capsys, flag).splitlines()]
        assert [line.strip() for line in code.splitlines() if line.strip() not in shown] == []
        assert code.splitlines()[-1].strip() not in plain


def test_the_document_is_that_of_python_and_names_the_files(files: Path, capsys: Any) -> None:
    shown = document(capsys, "-o", "out.csv", "--programs", "programs.json")
    in_python = mere.transform_join("staff.csv", "badges.csv").to_dict()
    assert shown.pop("output") == "out.csv" and shown.pop("programs_file") == "programs.json"
    assert shown.pop("neutralised") == 0
    assert shown.pop("notes") == ["a sample of the rows was used; --seconds 600 gives more time"]
    assert {key: shown[key] for key in shown if key != "seconds"} == {
        key: value for key, value in in_python.items() if key not in ("seconds", "notes")
    }


def test_the_joined_rows_are_written(files: Path, capsys: Any) -> None:
    assert "written to out.csv" in printed(capsys, "-o", "out.csv")
    with open("out.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["person", "age", "holder", "age_right"] and len(rows) == 4
    assert rows[1] == ["Obama, Barack (1961-)", "63", "Barack Obama", "2"]
    printed(capsys, "-o", "out.parquet", "--how", "outer")
    assert pq.read_table("out.parquet").num_rows == 6


def test_programs_are_saved_and_can_be_loaded(files: Path, capsys: Any) -> None:
    printed(capsys, "-p", "programs.json")
    [program] = mere.load_programs("programs.json")
    assert program(["Noether, Emmy (1882-)"]) == ["Emmy Noether"]


def test_a_refusal_says_what_to_try_and_writes_nothing(files: Path, matching: Any, capsys: Any) -> None:
    matching(refusing)
    out = printed(capsys, "-o", "out.csv", "--programs", "programs.json")
    assert out.startswith("no join: the join looks like an accident: 3 of 100 rows match\n")
    assert "--accidents" in out and "--on" in out and "nothing was written" in out
    assert sorted(path.name for path in files.iterdir()) == ["badges.csv", "staff.csv"]
    shown = document(capsys, "-o", "out.csv")
    assert shown["refused"] and shown["pairs"] == [] and shown["output"] is None and shown["programs_file"] is None


def test_many_to_many_is_refused_unless_asked_for(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    """Two tables of other people, of whom many have one given name."""
    monkeypatch.chdir(tmp_path)
    tables = turned(*two_tables(random.Random(4), 300, 0.0, 12, 200))
    Path("mine.csv").write_text("\n".join(["person", *(f'"{person}"' for person in tables.left["person"])]))
    Path("theirs.csv").write_text("\n".join(["name", *tables.right["name"]]))
    assert run(["transform", "mine.csv", "theirs.csv"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("no join: ") and "rows on average: it reads '" in out and "--many-to-many" in out
    assert run(["transform", "mine.csv", "theirs.csv", "--many-to-many"]) == 0
    shown = capsys.readouterr()
    assert "rows of mine.csv" in shown.out and "note: many to many: " in shown.out


def test_an_interruption_leaves_no_file_and_exits_with_130(files: Path, matching: Any, capsys: Any) -> None:
    def interrupted(*arguments: Any) -> Outcome:
        raise KeyboardInterrupt

    matching(interrupted)
    for options in ([], ["--json"]):
        assert run(["transform", "staff.csv", "badges.csv", "-o", "out.csv", "-p", "programs.json", *options]) == 130
    assert sorted(path.name for path in files.iterdir()) == ["badges.csv", "staff.csv"]
    assert "interrupted" in capsys.readouterr().err


def test_ctrl_c_in_a_shell_exits_with_130_and_leaves_no_file(files: Path) -> None:
    program = (
        "import sys, time, types\n"
        "def match(*given):\n    print('matching', file=sys.stderr, flush=True)\n    time.sleep(600)\n"
        "sys.modules['mere.transform.match'] = types.SimpleNamespace(match=match)\n"
        "from mere.cli import main\nmain()"
    )
    command = [sys.executable, "-c", program, "transform", "staff.csv", "badges.csv", "-o", "out.csv"]
    with child(command, stderr=subprocess.PIPE) as running:
        assert running.stderr.readline() == "matching\n"  # type: ignore[union-attr]
        running.send_signal(signal.SIGINT)
        message = running.stderr.read()  # type: ignore[union-attr]
    assert running.returncode == 130 and "interrupted" in message, message
    assert sorted(path.name for path in files.iterdir()) == ["badges.csv", "staff.csv"]


def test_an_interruption_while_writing_leaves_the_old_file(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (files / "out.csv").write_text("old\n")

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mere.search.writing._write_text", interrupted)
    printed(capsys, "-o", "out.csv", "--force", code=130)
    assert (files / "out.csv").read_text() == "old\n"
    assert sorted(path.name for path in files.iterdir()) == ["badges.csv", "out.csv", "staff.csv"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--seconds", "0"], "--seconds must be a number above 0, got 0.0; --seconds 120 is the default"),
        (["--seconds", "soon"], "'soon' is not a valid float"),
        (["--most-programs", "0"], "--most-programs must be an int >= 1, got 0"),
        (["--on", "person", "nobody"], "'badges.csv' has no column 'nobody'; it has holder, age"),
        (["-o", "out.docx"], "cannot write 'out.docx'"),
        (["-o", "none/out.csv"], "there is no folder 'none'"),
        (["-o", "badges.csv"], "'badges.csv' is the query file itself"),
        (["-p", "none/programs.json"], "there is no folder 'none'"),
        (["-p", "staff.csv"], "'staff.csv' is a table to join"),
        (["-p", "x.csv", "-o", "x.csv"], "cannot write the programs to 'x.csv'"),
        (["--formulas"], "--formulas goes with -o"),
        (["--how", "cross"], "'cross' is not one of"),
    ],
)
def test_a_wrong_option_is_an_error_with_its_value(files: Path, capsys: Any, options: list[str], text: str) -> None:
    error = document(capsys, *options, code=2)["error"]
    assert error["remedy"] and text in f"{error['message']}; {error['remedy']}"
    assert sorted(path.name for path in files.iterdir()) == ["badges.csv", "staff.csv"]


def test_a_column_of_one_file_only_is_an_error(files: Path, capsys: Any) -> None:
    assert run(["transform", "staff.csv", "badges.csv", "--on", "person"]) == 2
    assert "'--on' requires 2 arguments" in capsys.readouterr().err


def test_a_missing_file_is_an_error(files: Path, capsys: Any) -> None:
    assert run(["transform", "staff.csv", "nowhere.csv"]) == 2
    assert "'nowhere.csv' is not a file" in capsys.readouterr().err


def test_columns_are_named_by_commas(files: Path, capsys: Any) -> None:
    assert document(capsys, "--on", "person,age", "holder")["refused"] is None


def test_cells_and_names_control_neither_the_terminal_nor_a_spreadsheet(files: Path, capsys: Any) -> None:
    (files / "staff.csv").write_text(LEFT.replace("Obama, Barack", "\x1b[31m[bold]Obama").replace("Plato", "=cmd()"))
    out = printed(capsys, "-o", "out.csv", "--how", "left", "--python")
    assert "\x1b" not in out and "\\u001b[31m[bold]Obama" in out
    assert "\n'=cmd(),2452," in (files / "out.csv").read_text()
    printed(capsys, "-o", "out.csv", "--how", "left", "--formulas", "--force")
    assert "\n=cmd(),2452," in (files / "out.csv").read_text()


def test_progress_is_printed_on_stderr_once_a_second_at_most(capsys: Any) -> None:
    times = iter([0.0, 0.5, 1.2, 1.2, 1.9, 2.2, 2.2])
    say = Sentences(lambda: next(times))
    for sentence in ("one", "two", "three", "four\x1b"):
        say(sentence)
    captured = capsys.readouterr()
    assert captured.err.splitlines() == ["two", "four\\u001b"] and captured.out == ""


@pytest.mark.parametrize(("terminal", "after", "shown"), [(True, 0.0, True), (True, 60.0, False), (False, 0.0, False)])
def test_a_question_that_takes_long_shows_that_it_goes_on(
    terminal: bool, after: float, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal, and only after a while; the moving line ends with the question, also if that fails."""
    started, stopped = Event(), []

    class Status:
        def start(self) -> None:
            started.set()

        def stop(self) -> None:
            stopped.append(started.is_set())

    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(Console, "status", lambda *_: Status())
    with pytest.raises(ZeroDivisionError), show_waiting(after):
        if shown:
            assert started.wait(60)
        raise ZeroDivisionError
    assert started.is_set() == shown and stopped == ([shown] if terminal else [])
