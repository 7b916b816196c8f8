"""Logs whose comments name the fields, as web servers and Zeek write them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_files import read

from mere.errors import Unreadable

often = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
FIELDS = ["date", "time", "s-ip", "cs-method", "sc-status", "cs(User-Agent)", "time-taken"]
ROW = ["2024-01-{:02}", "12:{:02}:00", "10.0.0.{}", "GET", "2{:02}", "curl/8.{}", "{}"]


def _rows(fields: list[str], count: int) -> list[list[str]]:
    cells = [ROW[FIELDS.index(field)] for field in fields]
    return [[cell.format(n % 28 + 1) for cell in cells] for n in range(count)]


@often
@given(
    st.lists(st.sampled_from(FIELDS), min_size=3, max_size=7, unique=True),
    st.integers(5, 40),
    st.sampled_from([" ", "\t"]),
    st.sampled_from(["x.csv", "x.log", "x.txt"]),
    st.booleans(),
)
def test_the_fields_of_a_web_server_are_the_header(tmp_path, fields, count, delimiter, name, restarted):
    about = ["#Software: Microsoft Internet Information Services 10.0", "#Version: 1.0", "#Date: 2024-01-01 00:00:00"]
    rows = _rows(fields, count)
    lines = [delimiter.join(row) for row in rows]
    comments = [*about, f"#Fields: {' '.join(fields)}"]
    if restarted:  # a comment with as many words as there are fields would be a row
        lines[3:3] = [about[1], comments[-1]]
    table, found = read(tmp_path, name, "\n".join([*comments, *lines]) + "\n")
    assert (table.columns, found) == (fields, rows)


@pytest.mark.parametrize("later", [["time", "date", "s-ip"], ["date", "time"], ["date", "time", "s-ip", "cs-method"]])
@pytest.mark.parametrize("place", [3, 5000])
@pytest.mark.parametrize("about", [[], ["#Version: 1.0", "#Software: a server"]])
@pytest.mark.parametrize("delimiter", [" ", "\t"])
def test_fields_that_change_are_told(tmp_path, later, place, about, delimiter):
    fields = FIELDS[:3]
    rows = _rows(fields, place) + _rows(fields, 20)
    lines = [delimiter.join(row) for row in rows]
    lines[place:place] = [f"#Fields: {' '.join(later)}".replace(" ", delimiter)]
    table, found = read(tmp_path, "x.log", "\n".join([*about, f"#Fields: {' '.join(fields)}", *lines]) + "\n")
    assert (table.columns, found) == (fields, rows)
    assert table.lost and any("1 comment names other fields than the header" in issue for issue in table.issues)


@often
@given(st.integers(2, 6), st.integers(5, 30))
def test_the_fields_of_zeek_are_the_header(tmp_path, width, count):
    names = ["ts", "uid", "id.orig_h", "proto", "service", "duration"][:width]
    rows = [[f"15{n}.5", f"C{n}x", f"10.0.0.{n}", "tcp", "-", f"{n}.25"][:width] for n in range(count)]
    kinds = ["time", "string", "addr", "enum", "string", "interval"][:width]
    about = ["#separator \\x09", "#path\tconn"]
    lines = [*about, "\t".join(["#fields", *names]), "\t".join(["#types", *kinds]), *map("\t".join, rows)]
    table, found = read(tmp_path, "conn.log", "\n".join(lines) + "\n")
    assert (table.columns, found) == (names, rows)


def test_a_log_whose_rows_do_not_have_the_fields_it_names_is_no_table(tmp_path):
    lines = [f"2024-01-01 12:00:{n:02} INFO started the part {'again ' * (n % 4)}" for n in range(20)]
    with pytest.raises(Unreadable, match="looks like a log"):
        read(tmp_path, "x.log", "#Fields: date time\n" + "\n".join(lines))
