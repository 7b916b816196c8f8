"""Lines in quotes as a whole, and lines of pairs `key=value`."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mere.readers import Limits, sniff_splittable
from tests.readers.raw_files import read

NAMES = ["id", "name", "amount"]
ROWS = [[str(n), f"Ann {n}", f"{n}.5"] for n in range(1, 9)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("count", [1, 3, 8])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lines_in_quotes_as_a_whole_are_rows(tmp_path: Path, delimiter: str, count: int, newline: str) -> None:
    lines = [f'"{delimiter.join(row)}"' for row in [NAMES, *ROWS[:count]]]
    table, rows = read(tmp_path, "f.csv", newline.join(lines) + newline)
    assert (table.columns, rows) == (NAMES, ROWS[:count])
    assert "each line was in quotes as a whole: they were left out" in table.issues


def test_quotes_inside_such_lines_are_doubled(tmp_path: Path) -> None:
    rows = [[row[0], f"{row[1]}, second", row[2]] for row in ROWS]
    lines = [f'"{row[0]},""{row[1]}"",{row[2]}"' for row in rows]
    table, found = read(tmp_path, "f.csv", '"id,name,amount"\n' + "\n".join(lines) + "\n")
    assert (table.columns, found) == (NAMES, rows)


@pytest.mark.parametrize(
    "lines", [['"name"', '"Doe, Ann"', '"Roe, Bob"'], ['"name, first"', '"Doe, Ann"', '"Roe, Bob"']]
)
def test_quoted_names_with_commas_stay_one_column(tmp_path: Path, lines: list[str]) -> None:
    table, rows = read(tmp_path, "f.csv", "\n".join(lines) + "\n")
    assert len(table.columns) == 1 and len(rows) == 2


@pytest.mark.parametrize("between", [" ", "  ", ";", ", ", "&", "|", "\t"])
@pytest.mark.parametrize("count", [3, 20])
@pytest.mark.parametrize("extension", [".csv", ".txt"])
def test_keys_that_each_line_repeats_are_the_columns(tmp_path: Path, between: str, count: int, extension: str) -> None:
    rows = [[f"2024-01-05T12:00:{n:02}", f"{n / 4}", str(n)] for n in range(count)]
    names = ["ts", "temp", "hum"]
    lines = [between.join(f"{key}={value}" for key, value in zip(names, row, strict=True)) for row in rows]
    table, found = read(tmp_path, "f" + extension, "\n".join(lines) + "\n")
    assert (table.columns, found) == (names, rows)
    assert any("same keys" in issue for issue in table.issues)


def test_values_of_keys_may_be_quoted(tmp_path: Path) -> None:
    text = "".join(f'level=info n={n} msg="it is {n}, fine"\n' for n in range(5))
    table, rows = read(tmp_path, "f.txt", text)
    assert table.columns == ["level", "n", "msg"] and rows[2] == ["info", "2", "it is 2, fine"]


def test_lines_of_other_keys_are_read_as_they_are(tmp_path: Path) -> None:
    text = "formula,n\n" + "".join(f"a=b{n} c=d,{n}\n" for n in range(5))
    table, _ = read(tmp_path, "f.csv", text)
    assert table.columns == ["formula", "n"]


@pytest.mark.parametrize("form", ["pairs", "quotes"])
@pytest.mark.parametrize("compressed", [False, True])
def test_long_files_are_read_in_these_forms_too(tmp_path: Path, form: str, compressed: bool) -> None:
    rows = [[str(n), f"name{n}", "x" * 40] for n in range(100_000)]
    lines = [" ".join(map("{}={}".format, NAMES, row)) if form == "pairs" else f'"{",".join(row)}"' for row in rows]
    head = [] if form == "pairs" else ['"id,name,amount"']
    data = ("\n".join([*head, *lines]) + "\n").encode()
    table, found = read(tmp_path, "f.csv.gz" if compressed else "f.csv", gzip.compress(data, 1) if compressed else data)
    assert (table.columns, found) == (NAMES, rows)
    assert sniff_splittable(str(tmp_path / "f.csv"), Limits()) is None


def test_a_later_line_in_another_form_is_kept_and_told(tmp_path: Path) -> None:
    lines = [f"a={n} b={n} c={n}" for n in range(9000)]
    lines[8000] = "a=1 d=2"
    table, rows = read(tmp_path, "f.txt", "\n".join(lines))
    assert len(rows) == 9000 and rows[8000] == ["a=1 d=2", None, None]
    assert any("1 short row" in issue for issue in table.issues)
    assert table.lost and any("1 line has not the keys" in issue for issue in table.issues)


@pytest.mark.parametrize(
    "line", ["ts=9 host=x,y path=/q", "ts=9 host=it is path=/q", "ts=9\thost=x y\tpath=/q", "x" * 300_000]
)
@pytest.mark.parametrize("count", [9000, 200_000])
def test_a_later_line_whose_values_are_no_words_is_kept_whole(tmp_path: Path, line: str, count: int) -> None:
    lines = [f"ts={n} host=h{n} path=/p/{n}" for n in range(count)]
    lines[8000] = line
    lines[8500] = ""
    table, rows = read(tmp_path, "f.txt", "\n".join(lines))
    assert rows[8000] == [line.replace("\t", " "), None, None]
    assert rows[7999] == ["7999", "h7999", "/p/7999"]
    assert table.lost and any("1 line has not the keys" in issue for issue in table.issues)


@pytest.mark.parametrize("count", [2000, 300_000])
def test_the_early_end_of_a_compressed_file_is_told(tmp_path: Path, count: int) -> None:
    data = gzip.compress("".join(f"ts={n} host=h{n} path=/p/{n}\n" for n in range(count)).encode())
    table, rows = read(tmp_path, "f.txt.gz", data[: len(data) * 3 // 4])
    assert len(rows) > 10 and table.columns == ["ts", "host", "path"]
    assert table.lost and any("the file ends early" in issue for issue in table.issues)
