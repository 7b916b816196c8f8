"""A table of cells in a terminal: no line is too wide, none is blank, and what is left out is counted."""

from __future__ import annotations

import io
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mere.cli import render
from mere.cli.fitting import MOST_BELOW, Column, clean, fit, shorten, shorten_middle, width_of, wrapped

CELLS = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="a/東é\u0301\u200d\ufe0f❤👩\u202e\x1b\n\r\t\x85 …", max_size=80),
    st.sampled_from(
        ["", " ", "\n", "\u3000", "geography/europe/alps/country_codes.csv", "x" * 500, "東" * 200, "\ufe0f"]
    ),
    st.integers().map(str),
)
COLUMNS = st.builds(
    Column, CELLS, st.booleans(), st.booleans(), st.booleans(), st.one_of(st.none(), st.integers(0, 3)),
    st.one_of(st.none(), st.integers(1, 60)), st.one_of(st.none(), st.integers(1, 60)), st.booleans(), st.booleans(),
)  # fmt: skip
TABLES = st.lists(COLUMNS, min_size=1, max_size=9).flatmap(
    lambda columns: st.tuples(
        st.just(columns), st.lists(st.lists(CELLS, min_size=len(columns), max_size=len(columns)), max_size=6)
    )
)


def naive_width(text: str) -> int:
    """Cells by the categories of Unicode alone: an independent measure of what `width_of` must not fall below."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


@given(TABLES, st.integers(20, 200), st.booleans())
def test_no_line_is_too_wide_or_blank_and_the_first_column_is_visible(table, width, header):
    columns, rows = table
    lines, left_out, below = fit(columns, rows, width, header)
    assert len(lines) == len(below) == len(rows) + header
    for line in (line for lines_of_row in below for line in lines_of_row):
        assert cell_len(line) <= width_of(line) <= width and line.strip()
        assert not {unicodedata.category(character) for character in line} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    for line, cells in zip(lines, [[column.header for column in columns]] * header + rows, strict=True):
        assert cell_len(line) <= width_of(line) <= width
        assert line.strip() and len(line.splitlines()) == 1
        assert not {unicodedata.category(character) for character in line} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
        if first := clean(cells[0]).strip()[:1]:
            assert line.strip()[0] in (first, "…")
    headers = iter([column.header for column in columns])
    assert all(header in headers for header in left_out), "in the order of the columns"
    assert len(left_out) < len(columns)


def packed(texts) -> str:
    """Texts without white space, at which lines are broken."""
    return "".join("".join(texts).split())


@given(TABLES, st.integers(20, 200))
def test_a_name_that_is_needed_in_full_is_whole_beside_or_below(table, width):
    columns, rows = table
    lines, left_out, below = fit(columns, rows, width)
    for line, more, cells in zip(lines[1:], below[1:], rows, strict=True):
        for column, cell in zip(columns, cells, strict=True):
            if column.full and not column.below and column.header not in left_out:
                assert packed(clean(cell)) in packed(line) or packed(clean(cell)) in packed(more)


@given(TABLES, st.integers(20, 200))
def test_prose_is_never_left_out_and_takes_two_lines_at_most(table, width):
    columns, rows = table
    columns = [replace(column, full=False, rank=None) for column in columns]
    lines, left_out, below = fit(columns, rows, width)
    prose = [place for place, column in enumerate(columns) if column.below and place > 0]
    others = [column.header for place, column in enumerate(columns) if place not in prose]
    assert len(left_out) <= max(0, len(others) - 1)
    for more, cells in zip(below[1:], rows, strict=True):
        assert len(more) <= MOST_BELOW * len(prose)
        if more:
            first = next(cells[place] for place in prose if clean(cells[place]).strip())
            assert more[0].split()[0][:1] == clean(first).split()[0][:1]
    assert below[0] == [] and (fit(columns, rows, None).below == [[]] * len(lines))


@given(st.text(), st.integers(2, 40), st.one_of(st.none(), st.integers(1, 4)))
def test_wrapped_text_loses_nothing_unless_it_is_cut(text, width, most):
    text = clean(text)
    lines = wrapped(text, width, most)
    assert all(width_of(line) <= width and line.strip() for line in lines)
    if most is None:
        assert packed(lines) == packed([text])
    else:
        assert len(lines) <= most and (packed(lines) == packed([text]) or lines[-1].endswith("…"))


def test_reasons_stand_below_a_hit_and_a_cut_name_is_repeated():
    columns = [
        Column("score", right=True), Column("shared", right=True, rank=9),
        Column("table", name=True, rank=0, full=True), Column("why", most=40, below=True),
    ]  # fmt: skip
    rows = [["0.9", "12", "shop/a/b/c/d/customers_by_region.csv", "all of my rows match; its values are unique"]]
    assert fit(columns, rows, 100).below == [[], []]
    lines, left_out, below = fit(columns, rows, 40)
    assert (lines[1], left_out) == ("  0.9  shop/…/d/customers_by_region.csv", ["shared"])
    assert below == [
        [],
        ["    shop/a/b/c/d/customers_by_region.csv", "    all of my rows match; its values are", "    unique"],
    ]


@given(TABLES)
def test_without_a_width_nothing_is_cut_or_left_out(table):
    columns, rows = table
    lines, left_out, below = fit(columns, rows, None)
    assert left_out == [] and not any(below)
    for line, cells in zip(lines, [[column.header for column in columns], *rows], strict=True):
        assert all(clean(cell).strip() in line for cell in cells) and line.strip()


@given(TABLES, st.integers(20, 120))
def test_a_wider_terminal_leaves_out_no_more_columns(table, width):
    columns, rows = table
    assert len(fit(columns, rows, width + 7).left_out) <= len(fit(columns, rows, width).left_out)


@given(st.text(), st.integers(0, 40))
def test_a_shortened_text_fits_and_keeps_its_start(text, width):
    text = clean(text)
    for short in (shorten(text, width), shorten_middle(text, width)):
        assert width_of(short) <= width
        assert short == text or width == 0 or "…" in short
    if width > 8:
        assert shorten_middle(text, width).startswith(text[:1])


@given(st.text(alphabet=st.characters(exclude_characters="\u200d"), max_size=20))
def test_width_is_that_of_the_characters(text):
    text = clean(text)
    assert width_of(text) >= cell_len(text)
    if text.isascii() or all("\u4e00" <= character <= "\u9fff" or character == "\u0301" for character in text):
        assert width_of(text) == naive_width(text)


def test_numbers_and_histograms_stay_whole_and_names_keep_both_ends():
    columns = [
        Column("share", right=True), Column("table", name=True, rank=0), Column("values", whole=True), Column("why"),
    ]  # fmt: skip
    rows = [["100%", "geography/europe/alps/country_codes.csv", "▁▂▃▄▅▆▇█", "a long reason " * 5]]
    lines, left_out, _ = fit(columns, rows, 52)
    assert left_out == ["why"]
    assert lines[1] == " 100%  geography/…/alps/country_codes.csv   ▁▂▃▄▅▆▇█"


def test_what_ends_lines_or_controls_a_terminal_is_escaped():
    cell = "a\u2028b\u2029c\x1b[2Jd\u202ee\ud800f\x85g\nh\ti"
    lines = fit([Column("x")], [[cell]], 80).lines
    assert lines[1] == r"a\u2028b\u2029c\u001b[2Jd\u202ee\ud800f\u0085g h i"


def test_columns_of_one_rank_are_left_out_together():
    columns = [Column("name"), Column("low", rank=1), Column("high", rank=1), Column("kind", rank=0)]
    rows = [["x" * 9, "1" * 9, "2" * 9, "k" * 9]]
    assert fit(columns, rows, 42).left_out == []
    assert fit(columns, rows, 41).left_out == ["low", "high"]


def test_a_long_cell_does_not_widen_a_column_of_a_pipe():
    lines, _, _ = fit([Column("a"), Column("b")], [["x" * 500, "1"], ["y", "2"]], None)
    assert lines[1] == "x" * 500 + "  1" and len(lines[2]) == 60 + 2 + 1


@pytest.mark.parametrize(("columns", "width"), [("80", 80), ("5", 20), ("0", None), ("", None), ("wide", None)])
def test_columns_is_respected_off_a_terminal(columns, width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", columns)
    names = [f"column_{number}" for number in range(300)]
    table = render.Grid([Column(name) for name in names])
    table.add(*names)
    render.console().print(table)
    lines = capsys.readouterr().out.splitlines()
    if width is None:
        assert all(name in lines[1] for name in names) and len(lines) == 2
    else:
        assert max(map(len, lines)) <= width
        assert "more columns" in lines[2]


def test_a_console_without_a_terminal_does_not_wrap_prose(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    render.console().print("word " * 400)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_the_line_on_left_out_columns_names_them_where_they_fit():
    assert render.left_out_line(["why"], 80, "--json shows") == "1 more column (why): --json shows it"
    assert render.left_out_line(["a" * 80, "b"], 80, "--json shows") == "2 more columns: --json shows them"
    assert render.left_out_line(["a" * 80, "b"], 20, "--json shows") == "2 more columns"
    assert io.StringIO(render.left_out_line(["a\nb"], 80, "x")).read().count("\n") == 0
