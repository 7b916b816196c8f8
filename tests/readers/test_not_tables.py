"""Text that is not a table is refused with what it looks like; delimited text is read whatever its extension."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import made_tables
from raw_files import read

from mere.errors import Unreadable

often = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
KEYS = st.lists(st.sampled_from(["name", "path", "size", "user.host", "max_rows", "debug"]), min_size=4, max_size=12)
VALUES = st.sampled_from(["1", "true", "a, b, c", "/usr/lib", "some words here", "3.14", "x; y"])


def _refused(tmp_path, name, text, kind):
    with pytest.raises(Unreadable, match=f"looks like {kind}"):
        read(tmp_path, name, text)


@often
@given(KEYS, st.data(), st.sampled_from(["x.yaml", "x.yml", "x.txt", "x"]))
def test_yaml_is_refused(tmp_path, keys, data, name):
    lines = []
    for key in keys:
        nested = data.draw(st.booleans())
        lines += [f"{key}:", "  - one", "  - two"] if nested else [f"{key}: {data.draw(VALUES)}"]
    _refused(tmp_path, name, "\n".join(lines) + "\n", "YAML")


@often
@given(KEYS, st.data(), st.sampled_from(["x.ini", "x.toml", "x.cfg", "x.properties"]))
def test_configuration_files_are_refused(tmp_path, keys, data, name):
    lines = ["[main]"] if name != "x.properties" else ["# made by hand"]
    lines += [f"{key} = {data.draw(VALUES)}" for key in keys]
    _refused(tmp_path, name, "\n".join(lines) + "\n", "a configuration file")


STATEMENTS = [
    "x = f(a, b, c)",
    "if x > 3:",
    "    return x, y",
    "for i in range(10):",
    "import os, sys",
    "def f(a, b, c):",
]
BRACES = [
    "int main(int a, int b) {",
    "  x = a + b;",
    "}",
    "  return x;",
    "  call(x, y, z);",
    "  if (x > 3) {",
    "// text",
]


@often
@given(st.permutations(STATEMENTS), st.permutations(BRACES), st.integers(1, 4))
def test_source_code_is_refused(tmp_path, statements, braces, times):
    _refused(tmp_path, "x.py", "\n".join(statements * times) + "\n", "source code")
    _refused(tmp_path, "x.java", "\n".join(braces * times) + "\n", "source code")


MESSAGES = st.sampled_from(["started", "request took 3 s, too slow", "failed: disk full", "user bob, host a, port 80"])


@often
@given(st.lists(st.tuples(st.integers(10, 59), st.sampled_from(["INFO", "WARN"]), MESSAGES), min_size=5, max_size=20))
def test_logs_are_refused(tmp_path, entries):
    lines = [f"2024-01-01 10:{minute}:00 {level} {message}" for minute, level, message in entries]
    if len({message for _, _, message in entries}) > 1:
        _refused(tmp_path, "x.log", "\n".join(lines) + "\n", "a log")


def test_markdown_is_refused(tmp_path):
    _refused(
        tmp_path, "x.md", "# Title\n\nSome text, with commas, and more.\n\n- one, a\n- two, b\n- three, c\n", "Markdown"
    )


@often
@given(made_tables(), st.sampled_from(["x.yaml", "x.log", "x.md", "x.py", "x.ini", "x.txt", "x"]))
def test_delimited_text_is_a_table_whatever_its_extension(tmp_path, made, name):
    table, rows = read(tmp_path, name, made.text())
    assert table.columns == made.names and rows == made.rows


@pytest.mark.parametrize("width", [2, 3, 5])
def test_rows_of_times_between_tabs_are_no_log(tmp_path, width):
    rows = [[f"2024-01-05T12:00:{n:02}", *(str(n * column) for column in range(1, width))] for n in range(20)]
    text = "\n".join("\t".join(row) for row in [["ts", *(f"v{n}" for n in range(1, width))], *rows])
    assert read(tmp_path, "x.txt", text)[1] == rows
