"""What commands print in terminals of several widths, of wide tables and long names, and what they mark."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from rich.cells import cell_len

import mere
from mere.cli import run
from mere.cli.fitting import clean
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import RAW, write_files

LONG = "a_very_long_folder_name/of_statistics/by_region_and_year/of_the_whole_country/population_by_region_and_year.csv"
WIDE = ",".join(f"question_{number}" for number in range(500)) + "\n" + ",".join(map(str, range(500))) + "\n"
FILES = {
    **RAW,
    LONG: "region,year,inhabitants\n" + "".join(f"Styria {n},{2000 + n},{n * 1000}\n" for n in range(30)),
    "東京都/人口統計表.csv": "都市,人口\n東京,14000000\n大阪,8800000\n" + "とても長い都市の名前" * 8 + ",1\n",
    "wide.csv": WIDE,
    "bad\x1b[31mname.csv": "a\u202eb,c\n\x1b[2J,1\n",
}


def workbook() -> bytes:
    book, data = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, state in (("prices", "visible"), ("secret margins", "hidden")):
        sheet = book.create_sheet(name)
        sheet.sheet_state = state
        for row in (
            ["article", "number"],
            *([f"article {n}", n + (100 if state == "hidden" else 0)] for n in range(9)),
        ):
            sheet.append(row)
    book.save(data)
    return data.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    folder = tmp_path_factory.mktemp("widths")
    write_files(folder / "raw", FILES)
    (folder / "raw" / "book.xlsx").write_bytes(workbook())
    index([folder / "raw"], folder / "lake", engine=Inline())
    (folder / "mine.csv").write_text(
        "article,number,land,town\n" + "".join(f"article {n},{n},AT,Vienna\n" for n in range(9))
    )
    return folder


@pytest.fixture(autouse=True)
def in_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MERE_LAKE", "lake")
    monkeypatch.delenv("COLUMNS", raising=False)


def printed(capsys: Any, *arguments: str) -> list[str]:
    assert run(list(arguments)) == 0
    return capsys.readouterr().out.splitlines()


def document(capsys: Any, *arguments: str) -> Any:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


COMMANDS = [
    ["info"],
    ["tables"],
    ["tables", "*.csv", "--k", "2"],
    ["show", LONG, "--rows", "3"],
    ["show", "wide.csv", "--rows", "3"],
    ["show", "wide.csv", "--columns", "question_4*", "--all"],
    ["show", "人口統計表.csv", "--rows", "3"],
    ["show", LONG, "--where", "at least 30% of year < 2010"],
    ["search", "region", "article"],
    ["where", "at least 10% of any column > 0"],
    ["where", "--like", "mine.csv", "--on", "number"],
    ["join", "mine.csv"],
    ["join", LONG],
    ["join", "mine.csv", "--on", "article"],
    ["join", "mine.csv", "--on", "land,town"],
    ["join", "mine.csv", "--on", "article", "--by", "similar"],
    ["join", "mine.csv", "--on", "land", "--with", "geo/countries.csv"],
    ["ask", "keywords", "region"],
    ["assemble", "mine.csv", "book.xlsx#prices", "book.xlsx#secret margins"],
    ["doctor", "--lake", "lake"],
]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments)[:40])
def test_no_line_is_wider_than_the_terminal(
    arguments: list[str], width: int, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = printed(capsys, *arguments)
    assert lines and [line for line in lines if cell_len(line) > width] == []
    blank = [place for place, line in enumerate(lines) if not line.strip()]
    assert len(blank) <= 3 and not any(place + 1 in blank for place in blank), "only between parts of the output"
    assert not any("\x1b" in line or "\u202e" in line for line in lines)


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments)[:40])
def test_a_pipe_gets_every_column_and_whole_names(arguments: list[str], capsys: Any) -> None:
    lines = printed(capsys, *arguments)
    assert not any("more column" in line or "…" in line for line in lines)


def test_names_are_cut_in_the_middle_and_columns_left_out_are_counted(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert any(line.endswith("…/population_by_region_and_year.csv") for line in printed(capsys, "tables"))
    lines = printed(capsys, "show", "wide.csv", "--rows", "1")
    assert any(line.startswith("49") and "more columns: --columns PATTERN, --json" in line for line in lines)


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize("more", [[], ["--on", "article"], ["--on", "land,town"]], ids=str)
def test_a_join_can_be_understood_and_typed_in_a_narrow_terminal(more, width, monkeypatch: Any, capsys: Any) -> None:
    """Of every hit, the columns of both sides, the name of the table in full, and the first reason."""
    question = ["join", "mine.csv", *more]
    hits = document(capsys, *question)["hits"]
    monkeypatch.setenv("COLUMNS", str(width))
    shown = printed(capsys, *question)
    header, *lines = shown[next(place for place, line in enumerate(shown) if line.startswith("score")) :]
    assert {"score", "on", "table", "columns"} <= set(header.split())
    assert width < 80 or "share" in header.split()
    starts = [place for place, line in enumerate(lines) if line.lstrip(" <")[:2] in ("0.", "1.")]
    assert len(starts) == len(hits) > 0 and max(map(cell_len, lines)) <= width
    for hit, start, end in zip(hits, starts, [*starts[1:], len(lines)], strict=True):
        text = "".join("".join(lines[start:end]).split())
        names = map(clean, [hit["table"], *hit["columns"], *hit["evidence"]["on"]])
        assert [name for name in names if name.replace(" ", "") not in text] == []
        assert hit["evidence"]["reasons"][0].replace(" ", "")[: width // 2] in text


def test_a_search_says_why_in_a_narrow_terminal(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = printed(capsys, "search", "region")
    assert any(line.startswith("    region in ") for line in lines) and not any("more column" in line for line in lines)


def test_many_lines_are_cut_on_a_terminal_only(monkeypatch: Any, capsys: Any) -> None:
    assert sum("question_" in line for line in printed(capsys, "show", "wide.csv")) == 500
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    lines = printed(capsys, "show", "wide.csv")
    assert sum("question_" in line for line in lines) == 60
    assert "... and 440 more columns: --all shows all, --columns PATTERN chooses by name" in lines
    assert sum("question_" in line for line in printed(capsys, "show", "wide.csv", "--all")) == 500
    monkeypatch.setattr("mere.cli.tables._MOST_TABLES", 3)
    lines = printed(capsys, "tables")
    assert lines[-2:] == ["... and 7 more tables: --k 0 lists all, a PATTERN chooses by name", "10 tables"]
    assert len(printed(capsys, "tables", "--k", "0")) == 12


def test_k_and_columns_also_choose_in_documents(capsys: Any) -> None:
    assert len(document(capsys, "tables", "--k", "2")["tables"]) == 2
    assert len(document(capsys, "tables", "--k", "0")["tables"]) == 10
    shown = document(capsys, "show", "wide.csv", "--columns", "question_49?", "--rows", "1")
    names = [f"question_49{digit}" for digit in range(10)]
    assert [column["name"] for column in shown["columns"]] == names == list(shown["raw"][0])


HIDDEN = "book.xlsx#secret margins"


def test_hidden_sheets_are_marked_wherever_they_are_shown(capsys: Any) -> None:
    tables = {table["name"]: table["hidden"] for table in document(capsys, "tables")["tables"]}
    assert [name for name, hidden in tables.items() if hidden] == [HIDDEN]
    [line] = [line for line in printed(capsys, "tables") if HIDDEN in line]
    assert "excel, hidden" in line
    assert document(capsys, "show", HIDDEN)["hidden"] is True
    assert document(capsys, "show", "book.xlsx#prices")["hidden"] is False
    assert "hidden: its workbook does not show this sheet" in printed(capsys, "show", HIDDEN)
    for question in (
        ["join", "mine.csv", "--on", "article", "--copies"],
        ["join", "mine.csv", "--on", "article,town", "--copies"],
        ["search", "article"],
        ["where", "at least 10% of number > 0"],
        ["where", "--like", "mine.csv", "--on", "number"],
    ):
        hits = document(capsys, *question)["hits"]
        marked = {hit["table"]: hit["evidence"].get("hidden") for hit in hits if hit["table"].startswith("book")}
        assert marked in ({"book.xlsx#prices": None, HIDDEN: True}, {}), question
        if marked:
            assert sum(f"{HIDDEN} (hidden)" in line for line in printed(capsys, *question)) == 1


def test_hidden_sheets_are_marked_in_python(folder: Path) -> None:
    with mere.open(folder / "lake") as lake:
        assert f"{HIDDEN} (hidden)" in repr(lake.tables)
        assert "9 rows, hidden" in repr(lake.profile(HIDDEN))
        assert lake.tables.to_arrow().column("hidden").to_pylist().count(True) == 1
        [hit] = lake.overlap("mine.csv", on="article", table=HIDDEN)
        explained = lake.explain("overlap", "mine.csv", (HIDDEN, ["article"]), on="article")
        assert hit.evidence["hidden"] is True and explained[0].evidence["hidden"] is True


def test_approximate_numbers_are_marked_where_a_hit_is_not_exact(capsys: Any) -> None:
    question = ["where", "--like", "mine.csv", "--on", "number"]
    hits = document(capsys, *question)["hits"]
    assert hits and not any(hit["exact"] for hit in hits)
    header, *lines = printed(capsys, *question)
    assert header.split()[:2] == ["score", "distance"]
    assert all(cell.startswith("~") for line in lines[: len(hits)] for cell in line.split()[:2])
    question = ["where", "at least 50% of inhabitants < 14500"]
    [hit] = document(capsys, *question)["hits"]
    [line] = [line for line in printed(capsys, *question) if LONG in line]
    assert line.lstrip().startswith("~") is not hit["exact"]


def test_python_marks_scores_that_are_not_exact(folder: Path) -> None:
    with mere.open(folder / "lake") as lake:
        exact, estimated = lake.overlap("mine.csv", on="article"), lake.distribution(like="mine.csv", on="number")
    assert exact and "~" not in repr(exact)
    assert all(line.lstrip().startswith("~") for line in repr(estimated).splitlines()[1:])


def test_joined_rows_show_the_key_and_columns_of_both_tables(monkeypatch: Any, capsys: Any) -> None:
    join = ["join", "mine.csv", "--on", "town", "--with", "geo/cities.tsv", "--column", "city"]
    assert printed(capsys, *join)[1].split() == ["article", "number", "land", "town", "city", "country"]
    monkeypatch.setenv("COLUMNS", "30")
    shown = printed(capsys, *join)
    header = next(line for line in shown if line.startswith("article"))
    assert header.split() == ["article", "town", "city"]
    assert "3 more columns" in shown
