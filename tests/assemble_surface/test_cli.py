"""`mere assemble`: text for people, one JSON document, files that are complete or absent."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

import mere
from mere.bundles.outcome import METHODS
from mere.cli import assembling, render, run
from tests.assemble_surface.conftest import ROWS, SHOPS, table
from tests.processes import child

PRICES = "table,price\nnorth,6\nsouth,5\ncopy,8\nwide,30\n"
ASK = ["-q", "amount < 60", "--budget", "12", "--prices", "prices.csv", "--method", "exact"]


@pytest.fixture
def files(indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a base and a price list, as the current one; the lake is the default one."""
    (tmp_path / "mine.csv").write_text(table(ROWS[:5]))
    (tmp_path / "prices.csv").write_text(PRICES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MERE_LAKE", str(indexed / "lake"))
    return tmp_path


def printed(capsys: Any, *options: str, code: int = 0) -> str:
    assert run(["assemble", "mine.csv", *options]) == code
    return capsys.readouterr().out


def document(capsys: Any, *options: str, code: int = 0) -> dict[str, Any]:
    out = printed(capsys, *options, "--json", code=code)
    assert out.count("\n") == 1
    return json.loads(out)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_chosen_and_rejected_tables_and_the_curve_are_shown(files: Path, capsys: Any) -> None:
    lines = [" ".join(line.split()) for line in printed(capsys, *ASK).splitlines()]
    assert lines[:11] == [
        "2 tables, cost 11 of 12: 30 distinct rows, 25 more than the base (exact)",
        "",
        "chosen price new rows rows share of all",
        "(the base) 5 17%",
        "shops/south.csv 5 15 20 67%",
        "shops/north.csv 6 10 30 100%",
        "",
        "rejected price reason",
        "shops/copy.csv 8 its 10 rows are held by 'shops/north.csv' and the base",
        "shops/wide.csv 30 none of its rows meets the queries",
        "",
    ]
    assert lines[11] == "distinct rows for a cost" and lines[12].startswith("30 ┤") and "budget 12" in lines[-1]


@pytest.mark.parametrize("options", [ASK, ["--budget", "2"], []])
def test_nothing_is_wider_than_80_columns(
    files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    narrow = lambda: Console(highlight=False, width=80)  # noqa: E731
    monkeypatch.setattr(render, "console", narrow)
    monkeypatch.setattr(assembling, "console", narrow)
    assert max(len(line) for line in printed(capsys, *options).splitlines()) <= 80


def test_the_document_is_that_of_python_and_names_the_files(files: Path, indexed: Path, capsys: Any) -> None:
    shown = document(capsys, *ASK, "-o", "out.csv", "--plot", "curve.svg")
    in_python = mere.assemble(
        "mine.csv", None, ["amount < 60"], 12, "prices.csv", "exact", lake=indexed / "lake"
    ).to_dict()  # fmt: skip
    assert shown.pop("output") == "out.csv" and shown.pop("plot") == "curve.svg"
    assert shown.pop("neutralised") == 0
    assert {**shown, "seconds": None} == {**in_python, "seconds": None}


def test_the_rows_are_written_and_the_curve_is_drawn(files: Path, capsys: Any) -> None:
    lines = printed(capsys, *ASK, "-o", "out.csv", "--plot", "curve.png").splitlines()
    assert lines[-2:] == ["30 rows written to out.csv", "curve written to curve.png"]
    with open("out.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["city", "amount", "day", "table"] and len(rows) == 31
    assert rows[1] == ["Graz", "0", "2024-01-10", "mine.csv"]
    printed(capsys, *ASK, "-o", "out.parquet")
    assert pq.read_table("out.parquet").num_rows == 30
    assert names_in(files) == ["curve.png", "mine.csv", "out.csv", "out.parquet", "prices.csv"]


def test_files_need_no_lake(files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MERE_LAKE", "nowhere")
    for name, rows in (("a.csv", ROWS[3:9]), ("b.csv", ROWS[8:20])):
        (files / name).write_text(table(rows))
    for candidates in (["-c", "a.csv", "-c", "b.csv"], ["--candidates", "a.csv", "b.csv"], ["a.csv", "b.csv"]):
        shown = document(capsys, *candidates, "--prices", "0.5", "--method", "exact")
        assert {each["table"]: each["price"] for each in shown["chosen"]} == {"a.csv": 3, "b.csv": 6}
    assert run(["assemble", "mine.csv"]) == 1
    assert "no lake at 'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize("tables", [["mine.csv", "nofile.csv"], ["nofile.csv"], ["nofile.csv", "mine.csv"]])
def test_a_mistyped_file_is_the_fault_if_there_is_no_lake(
    files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, tables: list[str]
) -> None:
    monkeypatch.setenv("MERE_LAKE", "nowhere")
    assert run(["assemble", *tables]) == 2
    assert (
        "no file 'nofile.csv', and no lake at 'nowhere'\n  check the path, or name the lake with --lake"
        in capsys.readouterr().err
    )


def test_flags_of_the_lake_that_are_not_used_are_noted(files: Path, capsys: Any) -> None:
    (files / "a.csv").write_text(table(ROWS[3:9]))
    assert document(capsys, "a.csv")["notes"] == []
    assert document(capsys, "a.csv", "--as-of", "1")["notes"] == ["--as-of is not used: all tables are files"]
    both = printed(capsys, "a.csv", "--as-of", "1", "--lake", "none")
    assert "note: --lake and --as-of are not used: all tables are files" in both
    assert document(capsys, "north.csv", "--as-of", "1")["notes"] == []


def test_an_output_is_not_one_of_the_tables(files: Path, capsys: Any) -> None:
    (files / "a.csv").write_text(table(ROWS[3:9]))
    for options in (["-o", "a.csv"], ["-o", "./a.csv"]):
        assert "is one of the tables" in document(capsys, "a.csv", *options, code=2)["error"]["message"]
    assert (files / "a.csv").read_text() == table(ROWS[3:9])


def test_without_a_chosen_table_there_is_no_curve(files: Path, capsys: Any) -> None:
    (files / "a.csv").write_text(table(ROWS[:3]))
    out = printed(capsys, "a.csv")
    assert "0 tables" in out and "are held by the base" in out and "distinct rows for a cost" not in out


def test_one_row_is_not_rows(files: Path, capsys: Any) -> None:
    (files / "a.csv").write_text(table(ROWS[:3]))
    assert "cost 0, no limit: 1 distinct row, 0 more than the base (exact)" in printed(
        capsys, "a.csv", "-q", "amount=0"
    )


def test_columns_are_shown_if_a_chosen_table_lacks_some(files: Path, capsys: Any) -> None:
    (files / "short.csv").write_text("city,other\nBonn,1\n")
    (files / "a.csv").write_text(table(ROWS[3:9]))
    lines = [" ".join(line.split()) for line in printed(capsys, "short.csv", "a.csv").splitlines()]
    assert "chosen price new rows rows share of all columns" in lines
    assert any(line.startswith("short.csv 1 1 ") and line.endswith(" 1 of 3") for line in lines)
    assert any(line.startswith("a.csv 1 4 ") and line.endswith(" 3 of 3") for line in lines)


@pytest.mark.parametrize(("counted", "mark"), [(True, ""), (False, "~")])
def test_only_estimated_numbers_are_marked(capsys: Any, counted: bool, mark: str) -> None:
    bundle = mere.assemble({"n": [1, 2, 3]}, {"a": {"n": [1, 4]}}, method="exact")
    bundle.exact, bundle.base_exact = False, counted
    assembling.show_bundle(bundle)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert f"(the base) {mark}3 75%" in lines and "a 1 ~1 ~4 100%" in lines


@pytest.mark.parametrize(
    ("exact", "names", "line"),
    [
        (False, ["a"], "1 table was counted in full, because its sample says too little"),
        (False, ["a", "b", "c"], "3 tables were counted in full, because their samples say too little"),
        (True, ["a", "b"], "all tables were counted in full, because their samples say too little"),
    ],
)
def test_tables_that_were_counted_in_full_are_told(capsys: Any, exact: bool, names: list[str], line: str) -> None:
    bundle = mere.assemble({"n": [1]}, {name: {"n": [1, 2]} for name in "abc"}, method="exact")
    assembling.show_bundle(bundle)
    assert "in full" not in capsys.readouterr().out
    bundle.exact, bundle.counted = exact, names
    assembling.show_bundle(bundle)
    assert capsys.readouterr().out.splitlines()[1] == line


def test_several_columns_are_excluded_as_the_note_says(files: Path, capsys: Any) -> None:
    (files / "mine.csv").write_text(
        "id,row_key,city\n" + "".join(f"{n},k{n},{city}\n" for n, city in enumerate("abab"))
    )
    (files / "more.csv").write_text("id,row_key,city\n7,k7,a\n8,k8,c\n")
    assert "leave them out with --exclude id,row_key if they only number the rows" in printed(capsys, "more.csv")
    for options in (["--exclude", "id,row_key"], ["--exclude", "id", "--exclude", "row_key"]):
        assert document(capsys, "more.csv", *options)["distinct"] == 3


def test_queries_may_be_in_a_file(files: Path, capsys: Any) -> None:
    (files / "queries.sql").write_text("-- small ones\namount < 3;\n\nSELECT * FROM t WHERE city = 'Linz'\n")
    both = document(capsys, "--queries", "queries.sql", "-q", "amount = 20", "--method", "exact")
    assert both["distinct"] == 3 + 5 + 1


def test_only_ten_rejected_tables_are_listed(files: Path, capsys: Any) -> None:
    names = [f"t{n}.csv" for n in range(13)]
    for name in names:
        (files / name).write_text(table(ROWS[:2]))
    out = printed(capsys, *names, "--method", "exact")
    assert "... and 3 more tables: --json lists all" in out and out.count("are held by the base") == 10


def test_flags_are_named_instead_of_arguments(files: Path, capsys: Any) -> None:
    out = printed(capsys, "--budget", "9", "--prices", "prices.csv", "-c", "north.csv", "-c", "other/words.csv")
    assert "no price is known; --default-price gives one to such tables" in out
    assert run(["assemble", "mine.csv", "--budget", "1", "--prices", "prices.csv"]) == 2
    error = capsys.readouterr().err
    assert "no candidate costs --budget 1 or less" in error and "costs 5; raise --budget" in error
    rows = "".join(f"{n},{city}\n" for n, city in enumerate("abcd"))
    (files / "mine.csv").write_text("id,city\n" + rows)
    out = printed(capsys, "-c", "wide.csv")
    assert "leave it out with --exclude id if it only numbers the rows" in out


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--budget", "0"], "--budget must be a finite number above 0, got 0.0"),
        (["--budget", "much"], "'much' is not a valid float"),
        (["--method", "best"], "'best' is not one of"),
        (
            ["--sample-size", "3"],
            "--sample-size must be a whole number of at least 16, got 3; leave out --sample-size for the size of",
        ),
        (["--default-price", "-1"], "--default-price must be a finite number >= 0, got -1.0"),
        (["--prices", "nowhere.csv"], "the price list 'nowhere.csv' is not a file"),
        (["--prices", "-5"], "the price of each row must be a finite number >= 0, got -5.0"),
        (["--queries", "nowhere.sql"], "'nowhere.sql' is not a file; give a file with one query per line"),
        (["-q", "amont < 5"], "no column 'amont'"),
        (["-q", "amount < 5; DROP TABLE t"], "DROP"),
        (["--exclude", "size"], "the base 'mine.csv' has no column 'size'; it has city, amount, day"),
        (["-c", "nort.csv"], "no file 'nort.csv', and no table 'nort.csv'"),
        (["-o", "out.docx"], "cannot write 'out.docx'"),
        (["-o", "none/out.csv"], "there is no folder 'none'"),
        (["-o", "mine.csv"], "'mine.csv' is one of the tables"),
        (["-o", "prices.csv", "--prices", "prices.csv"], "'prices.csv' is the price list"),
        (["--plot", "curve.jpg"], "cannot draw to 'curve.jpg'"),
        (["--plot", "none/curve.svg"], "there is no folder 'none'"),
        (["--licence", ""], "expected names of licences, got --licence ''"),
        (["-q", "amount > 1", "--exclude", "amount"], "column 'amount' is excluded (--exclude), in the query"),
        (["--formulas"], "--formulas goes with -o"),
        (
            ["--spark"],
            "--method sketch counts in this process; --spark is for 'exact' and 'optimal'; use --method exact, or "
            "leave out --spark",
        ),
    ],
)
def test_a_wrong_option_is_an_error_with_its_value(files: Path, capsys: Any, options: list[str], text: str) -> None:
    error = document(capsys, *options, code=2)["error"]
    assert error["remedy"] and text in f"{error['message']}; {error['remedy']}"
    assert names_in(files) == ["mine.csv", "prices.csv"]


def test_names_and_cells_control_neither_the_terminal_nor_a_spreadsheet(files: Path, capsys: Any) -> None:
    name = "\x1b[31m[bold]x.csv"
    (files / name).write_text("city,amount,day\n=cmd(),5,2024-01-01\n")
    out = printed(capsys, "-c", name, "-o", "out.csv", "--method", "exact")
    assert "\x1b" not in out and "\\u001b[31m[bold]x.csv" in out
    assert "\n'=cmd(),5," in (files / "out.csv").read_text()
    printed(capsys, "-c", name, "-o", "out.csv", "--formulas", "--force")
    assert "\n=cmd(),5," in (files / "out.csv").read_text()


def test_every_method_is_a_choice(capsys: Any) -> None:
    assert run(["assemble", "--help"]) == 0
    assert f"[{'|'.join(METHODS)}]" in capsys.readouterr().out


def test_an_interruption_leaves_no_file_and_exits_with_130(
    files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mere.search.writing._write_text", interrupted)
    for options in ([], ["--json"]):
        assert run(["assemble", "mine.csv", *ASK, "-o", "out.csv", "--plot", "curve.svg", *options]) == 130
    assert names_in(files) == ["mine.csv", "prices.csv"]
    assert "interrupted" in capsys.readouterr().err


def test_ctrl_c_in_a_shell_exits_with_130_and_leaves_no_file(files: Path) -> None:
    program = (
        "import sys, time\n"
        "import mere.search.assembling\n"
        "def slow(*given):\n    print('choosing', file=sys.stderr, flush=True)\n    time.sleep(600)\n"
        "sys.modules['mere.search.assembling.assembled'].assemble = slow\n"
        "from mere.cli import main\nmain()"
    )
    command = [sys.executable, "-c", program, "assemble", "mine.csv", *ASK, "-o", "out.csv"]
    with child(command, stderr=subprocess.PIPE) as running:
        lines = iter(running.stderr.readline, "")  # type: ignore[union-attr]
        assert any(line == "choosing\n" for line in lines)
        running.send_signal(signal.SIGINT)
        message = running.stderr.read()  # type: ignore[union-attr]
    assert running.returncode == 130 and "interrupted" in message, message
    assert names_in(files) == ["mine.csv", "prices.csv"]


def test_tables_of_the_lake_are_the_default_candidates(files: Path, capsys: Any) -> None:
    shown = document(capsys, "--method", "exact")
    assert sorted(each["table"] for each in (*shown["chosen"], *shown["rejected"])) == SHOPS
    assert shown["budget"] is None and shown["output"] is None and shown["plot"] is None
