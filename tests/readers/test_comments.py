"""Comments above a table are no rows, whatever divides its cells, and the last one may name its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.raw_files import read, read_all

NAMES = ["year", "month", "value"]
ROWS = [[str(1990 + row // 12), str(row % 12 + 1), f"{row * 0.37 - 5:.2f}"] for row in range(60)]
TITLES = ["Title: Sea level", "Units: mm", "Missing: -99.9", "Contact: a b"]


def _line(cells: list[str], how: str) -> str:
    return "".join(cell.ljust(7) for cell in cells).rstrip() if how == "aligned" else how.join(cells)


@pytest.mark.parametrize("how", ["aligned", " ", "\t", ",", ";"])
@pytest.mark.parametrize("mark", ["#", "%", "//", "# "])
@pytest.mark.parametrize("extension", [".txt", ".csv", ".dat"])
@pytest.mark.parametrize("titles", [1, 4])
def test_the_last_comment_names_the_columns(tmp_path: Path, how: str, mark: str, extension: str, titles: int) -> None:
    above = [f"{mark.strip()} {title}" for title in TITLES[:titles]]
    lines = [*above, mark + _line(NAMES, how), *(_line(row, how) for row in ROWS)]
    table, rows = read(tmp_path, "f" + extension, "\n".join(lines) + "\n")
    assert table.columns == NAMES
    assert rows == ROWS


@pytest.mark.parametrize("how", ["aligned", " ", "\t", ",", ";"])
@pytest.mark.parametrize("above", ["", "##fileformat=VCFv4.2\n##source=x\n"])
def test_a_mark_right_before_the_first_name_is_no_part_of_it(tmp_path: Path, how: str, above: str) -> None:
    text = above + "#" + "\n".join(_line(row, how) for row in [NAMES, *ROWS]) + "\n"
    table, rows = read(tmp_path, "f.vcf", text)
    assert table.columns == NAMES
    assert rows == ROWS


@pytest.mark.parametrize("name", ["#", "# of people", "% change", "%change"])
def test_a_mark_that_is_a_name_stays(tmp_path: Path, name: str) -> None:
    table, _ = read(tmp_path, "f.csv", f"{name},city\n1,Wien\n2,Graz\n3,Linz\n")
    assert table.columns == [name, "city"]


@pytest.mark.parametrize("how", ["aligned", " ", ","])
@pytest.mark.parametrize("header", [True, False])
def test_comments_that_name_nothing_are_left_out(tmp_path: Path, how: str, header: bool) -> None:
    lines = [*(f"# {title}" for title in TITLES), *[_line(NAMES, how)] * header, *(_line(row, how) for row in ROWS)]
    table, rows = read(tmp_path, "f.txt", "\n".join(lines) + "\n")
    assert table.columns == (NAMES if header else ["column_1", "column_2", "column_3"])
    assert rows == ROWS
    assert header or any("no header was found" in issue for issue in table.issues)


@pytest.mark.parametrize("count", [1, 9, 10, 15, 25, 35, 60, 120])
def test_any_number_of_comments_with_commas_is_left_out(tmp_path: Path, count: int) -> None:
    comments = [f"# Meta line {line}, some text here" for line in range(count)]
    tables = read_all(tmp_path, "f.csv", "\n".join([*comments, *(_line(row, ",") for row in [NAMES, *ROWS])]))
    assert tables == {"": (NAMES, ROWS)}


@pytest.mark.parametrize("count", range(1, 16))
def test_up_to_fifteen_pairs_above_a_table_are_left_out_and_told(tmp_path: Path, count: int) -> None:
    pairs = [f"Key{line};value {line}" for line in range(count)]
    table, rows = read(tmp_path, "f.csv", "\n".join([*pairs, "", *(_line(row, ";") for row in [NAMES, *ROWS])]))
    assert table.columns == NAMES
    assert rows == ROWS
    assert any("left out" in issue for issue in table.issues)


@pytest.mark.parametrize("count", [8, 12, 15])
def test_a_list_of_codes_above_another_table_is_a_table(tmp_path: Path, count: int) -> None:
    codes = [[f"{chr(65 + line)}{chr(70 + line)}", f"Land {line}"] for line in range(count)]
    first = [_line(row, ";") for row in [["code", "name"], *codes]]
    tables = read_all(tmp_path, "f.csv", "\n".join([*first, "", *(_line(row, ";") for row in [NAMES, *ROWS])]))
    assert tables == {"": (["code", "name"], codes), "2": (NAMES, ROWS)}
