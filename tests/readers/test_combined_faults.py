"""Faults that are each read right must be read right together: encodings with notes, titles with weak delimiters..."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import Made, made_tables, written
from raw_files import read, read_all, write

from mere.errors import Unreadable
from mere.readers import open_tables

often = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
ALPHABETS = {
    "greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "russian": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "japanese": "日月火水木金土山川田人口目手足車東西南北",
}


def _words(alphabet: str, random: Random) -> list[str]:
    return ["".join(random.choices(ALPHABETS[alphabet], k=random.randint(3, 12))) for _ in range(3)]


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("seed", range(4))
def test_utf_16_without_a_mark_is_read_whatever_its_letters(tmp_path, alphabet, encoding, seed):
    random = Random(seed)
    rows = [_words(alphabet, random) for _ in range(random.randint(3, 60))]
    _, found = read(tmp_path, "x.csv", written([["term", "place", "kind"], *rows]).encode(encoding))
    assert found == rows


@pytest.mark.parametrize("seed", range(10))
def test_numbers_of_two_bytes_are_no_utf_16(tmp_path, seed):
    random = Random(seed)
    data = b"".join(random.choice([random.randint(1, 255), 10]).to_bytes(2, "little") for _ in range(100))
    data += b"".join(random.randint(256, 65_000).to_bytes(2, "little") for _ in range(900))
    with pytest.raises(Unreadable):
        list(open_tables(write(tmp_path, "x.csv", data)))


@often
@given(made_tables(), st.sampled_from(["utf-16", "utf-16-le", "utf-16-be", "shift-jis", "gb18030"]), st.integers(1, 2))
def test_footnotes_are_found_in_every_encoding(tmp_path, made: Made, encoding, notes):
    places = (
        "北京市 天津市 河北省 山西省 辽宁省 吉林省"
        if encoding == "gb18030"
        else "東京都 大阪府 ひろしま カタカナ 京都府"
    )
    rows = [*made.rows, *([place, *made.rows[0][1:]] for place in places.split())]
    text = Made(made.names, rows).text() + f"Source: the office of {places[:3]}, 2019\n" * notes
    table, found = read(tmp_path, "x.csv", text.encode(encoding))
    assert (table.columns, found) == (made.names, rows)
    assert any("footnotes" in issue for issue in table.issues)


@often
@given(made_tables(), st.sampled_from([",", ";", "|", "\t"]), st.booleans())
def test_headers_of_two_lines_end_in_cr_cr_lf_as_well(tmp_path, made: Made, delimiter, quoted):
    upper = ["", *["North"] * (len(made.names) - 1)]
    rows = [['a "b", c' if quoted and cell == "Ada" else cell for cell in row] for row in made.rows]
    text = written([upper, made.names, *rows], delimiter, "\r\r\n")
    table, found = read(tmp_path, "x.csv", text)
    assert table.columns == [made.names[0], *(f"North {name}" for name in made.names[1:])]
    assert found == rows


@often
@given(made_tables(least_rows=6), made_tables(least_rows=6), st.sampled_from(["\n", "Table 2\n"]))
def test_stacked_tables_with_stray_quotes_are_told_apart(tmp_path, first: Made, second: Made, separator):
    first.names = [f"{name} a" for name in first.names]
    for made in (first, second):
        made.rows = [[f'{cell} 5" pipe' if cell[0].isalpha() else cell for cell in row] for row in made.rows]
    pieces = ["".join(",".join(row) + "\n" for row in [made.names, *made.rows]) for made in (first, second)]
    read_tables = read_all(tmp_path, "x.csv", pieces[0] + separator + pieces[1])
    assert read_tables == {"": (first.names, first.rows), "2": (second.names, second.rows)}


@often
@given(made_tables(), st.sampled_from([":", "#"]), st.sampled_from(["Annual figures", "Figures, second series"]))
def test_a_title_is_above_a_table_with_a_weak_delimiter(tmp_path, made: Made, delimiter, title):
    table, rows = read(tmp_path, "x.csv", f"{title}\n{made.text(delimiter)}")
    assert (table.columns, rows) == (made.names, made.rows)


@often
@given(st.integers(4, 30), st.sampled_from([" ", ":"]), st.sampled_from(["", "Annual figures by region\n"]))
def test_cells_in_quotes_show_a_weak_delimiter(tmp_path, count, delimiter, title):
    rows = [[f"Lake {row}", "old, but good", f"{row},50"] for row in range(count)]
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in [["name", "kind", "price"], *rows]]
    table, found = read(tmp_path, "x.csv", title + "\n".join(lines) + "\n")
    assert (table.columns, found) == (["name", "kind", "price"], rows)


SPELLED = {
    "decimal comma": lambda n: f"{n},{n % 7}5",
    "point thousands": lambda n: f"{n % 9 + 1}.{n % 900 + 100}.824,93",
    "comma thousands": lambda n: f"${n % 9 + 1},{n % 900 + 100},824.93",
    "as in India": lambda n: f"{n % 90 + 10},22,246.55",
    "minus behind": lambda n: f"{n},50-",
}


@pytest.mark.parametrize("spelling", SPELLED)
@pytest.mark.parametrize("how", ["aligned", "row names", "title", "short rows"])
def test_commas_in_numbers_are_no_delimiters(tmp_path, spelling, how):
    rows = [[f"EL-{n}", f"2021-05-{n % 28 + 1:02} 18:16", SPELLED[spelling](n), str(n)] for n in range(25)]
    names = ["device", "moment", "load", "count"]
    if how == "aligned":
        lines = ["".join(cell.ljust(20) for cell in row).rstrip() for row in [names, *rows]]
    else:
        rows = [[row[0], row[1][:10], *row[2:]] for row in rows]
        lines = [" ".join(row) for row in [names, *rows]]
    if how == "row names":
        lines = [lines[0], *(f"{number} {line}" for number, line in enumerate(lines[1:], 1))]
        names, rows = ["row_name", *names], [[str(number), *row] for number, row in enumerate(rows, 1)]
    if how == "title":
        lines = ["Measurements, a second series of them", *lines]
    if how == "short rows":
        lines[3], rows[2] = lines[3].rpartition(" ")[0], [*rows[2][:-1], None]
    table, found = read(tmp_path, "x.txt", "\n".join(lines) + "\n")
    assert (table.columns, found) == (names, rows)


def test_a_header_with_commas_above_rows_with_blanks_is_divided_at_commas(tmp_path):
    table, rows = read(tmp_path, "x.txt", "day,value\n" + "".join(f"2020 01 {n},5\n" for n in range(10, 20)))
    assert table.columns == ["day", "value"] and rows[0] == ["2020 01 10", "5"]


@often
@given(made_tables(), st.sampled_from(["\t", ","]))
def test_row_names_are_found_above_a_footnote(tmp_path, made: Made, delimiter):
    made.names = ["mpg", "cyl", "disp", "hp", "drat", "wt"][: len(made.names)]
    rows = [[str(number), *row] for number, row in enumerate(made.rows, 1)]
    text = written([made.names, *rows], delimiter) + "Source: the national office\n"
    table, found = read(tmp_path, "x.csv", text)
    assert (table.columns, found) == (["row_name", *made.names], rows)


@often
@given(st.integers(4, 20), st.randoms(use_true_random=False))
def test_units_above_numbers_with_a_minus_behind_are_part_of_the_names(tmp_path, count, random):
    rows = [["Ada", *(f"{random.randint(1, 999)}{random.choice(['-', ''])}" for _ in range(3))] for _ in range(count)]
    table, found = read(tmp_path, "x.csv", written([["name", "x", "y", "z"], ["", "kg", "cm", "EUR"], *rows]))
    assert (table.columns, found) == (["name", "x kg", "y cm", "z EUR"], rows)
