"""Headers of several lines: units, names that go on, and lines about a series, in delimited and aligned text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import written
from raw_files import read

often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
UNITS = ["Persons", "Mio. €", "km", "hours", "Pounds", "$ per cwt", "%", "households", "Index points"]
TOWNS = ["Leeds", "Bath", "New York", "Ulm", "Oslo", "Porto", "Hull", "San José"]
RANDOMS = st.randoms(use_true_random=False)


def _rows(random, width: int, count: int) -> list[list[str]]:
    return [[random.choice(TOWNS), *(str(random.randint(0, 9_999)) for _ in range(width - 1))] for _ in range(count)]


@often
@given(RANDOMS, st.integers(2, 6), st.integers(5, 20), st.booleans(), st.sampled_from(",;\t|"))
def test_a_line_of_units_is_part_of_the_names_where_only_the_label_is_blank(
    tmp_path, random, width, count, short, delimiter
):
    names = ["Town", *(f"Q{n + 1} 2023" for n in range(width - 1))]
    units = ["", *(random.choice(UNITS) for _ in range(width - 1))]
    for place in random.sample(range(1, width), random.randint(0, (width - 1) // 2)):
        units[place] = ""
    rows = _rows(random, width, count)
    if random.random() < 0.5:
        rows[0][1] = "k.A."
    lines = [names, units[: max(n for n, unit in enumerate(units) if unit) + 1] if short else units, *rows]
    table, found = read(tmp_path, "x.csv", written(lines, delimiter))
    assert found == rows
    assert table.columns == [f"{name} {unit}".strip() for name, unit in zip(names, units, strict=True)]
    if "Persons" in units:  # it may be no unit
        assert any("taken for part of the header" in issue for issue in table.issues)


@often
@given(RANDOMS, st.integers(4, 7), st.integers(2, 8))
def test_headings_above_the_values_are_rows(tmp_path, random, width, count):
    """`,Men,,,` above rows and `,Women,,,` above others: no line of the header, but parts of the table."""
    headings = [["", word, *[""] * (width - 2)] for word in ("Men", "Women")]
    first, second = _rows(random, width, count + 2), _rows(random, width, count + 2)
    rows = [headings[0], *first, headings[1], *second]
    _, found = read(tmp_path, "x.csv", written([["Town", *(f"a{n}" for n in range(width - 1))], *rows]))
    assert found == rows


@often
@given(RANDOMS, st.integers(2, 6), st.integers(5, 30), st.booleans())
def test_lines_about_a_series_are_part_of_its_name(tmp_path, random, series, count, values):
    """As statistical offices write series over time: a column each, and lines with words, numbers and codes."""
    lines = [
        ["", *(f"Employed {chr(65 + n)}" for n in range(series))],
        ["Unit", *["000"] * series],
        ["Series Type", *(random.choice(["Trend", "Original"]) for _ in range(series))],
    ]
    if values:
        lines += [["Collection Month", *["1"] * series], ["Series Start", *["1978-02-01"] * series]]
    lines += [["Series ID", *(f"A{random.randint(10_000, 99_999)}K" for _ in range(series))]]
    dates = [f"{1990 + n}-02-01" if values else f"Feb-{1990 + n}" for n in range(count)]
    rows = [[date, *(f"{random.randint(1000, 9999) / 10}" for _ in range(series))] for date in dates]
    table, found = read(tmp_path, "x.csv", written([*lines, *rows]))
    assert found == rows
    assert table.columns == [" ".join(filter(None, names)) for names in zip(*lines, strict=True)]


@often
@given(RANDOMS, st.integers(1, 3), st.integers(1, 3))
def test_the_name_of_a_group_does_not_go_on_into_the_next_one(tmp_path, random, size, after):
    groups = ["Population", *["Growth", "Area", "Density"][:after]]
    parts = ["Men", "Women", "Children", "All"][: size + 1]
    lines = [
        ["Region", groups[0], *[""] * size, *groups[1:]],
        ["", *parts, *[""] * after],
        ["", *["number"] * len(parts), *["%", "km2", "per km2"][:after]],
    ]
    rows = _rows(random, 1 + len(parts) + after, 8)
    table, found = read(tmp_path, "x.csv", written([*lines, *rows]))
    assert found == rows
    own = [f"{name} {unit}" for name, unit in zip(groups[1:], ["%", "km2", "per km2"], strict=False)]
    assert table.columns == ["Region", *(f"Population {part} number" for part in parts), *own]


def _aligned(lines: list[list[str]], widths: list[int]) -> str:
    """Words to the left, all other columns to the right."""
    cut = [
        [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))] for line in lines
    ]
    return "".join("   ".join(line).rstrip() + "\n" for line in cut)


@often
@given(RANDOMS, st.integers(2, 5), st.integers(6, 20))
def test_the_second_line_of_an_aligned_header_is_part_of_it(tmp_path, random, values, count):
    upper = ["Town", *(["No. of", "Share", "Mean", "Built", "Total"][:values])]
    lower = ["", *(["households", "%", "height", "m2", "cost"][:values])]
    rows = [[random.choice(TOWNS), *(str(random.randint(1, 99_999)) for _ in range(values))] for _ in range(count)]
    widths = [max(map(len, column)) for column in zip(upper, lower, *rows, strict=True)]
    table, found = read(tmp_path, "x.txt", _aligned([upper, lower, *rows], widths))
    assert table.columns == [" ".join(filter(None, names)) for names in zip(upper, lower, strict=True)]
    assert found == rows


@often
@given(RANDOMS, st.integers(6, 20), st.sampled_from(["households", "inhabitants", "dwellings"]))
def test_a_word_of_the_second_line_may_be_wider_than_its_column(tmp_path, random, count, word):
    rows = [
        [random.choice(TOWNS), str(random.randint(1000, 99_999)), f"{random.randint(0, 99)}.5"] for _ in range(count)
    ]
    rows[0] = ["San José", "10468", "15.0"]
    text = _aligned([["Town", "No. of", "Share"], *rows], [8, 6, 5])
    first, *others = text.splitlines()
    second = word.rjust(17) + "%".rjust(8)
    table, found = read(tmp_path, "x.txt", "\n".join([first, second, *others]) + "\n")
    assert table.columns == ["Town", f"No. of {word}", "Share %"]
    assert found == rows


@pytest.mark.parametrize(
    "text",
    [
        "name,born,died\nX,October 1761,May 1799\nY,1770,1801\nZ,1771,1802\nW,1772,1803\n",
        "town,people,area\n,closed,\nUlm,1,2\n,3,4\nBath,5,6\n",  # others have no label either
        "town,people,area\nUlm,A1,B2\nOslo,1,2\nBath,3,4\nHull,5,6\n",  # codes
    ],
)
def test_a_first_row_that_may_be_data_is_kept(tmp_path, text):
    _, rows = read(tmp_path, "x.csv", text)
    assert len(rows) == 4


@often
@given(RANDOMS, st.integers(1, 10))
def test_rows_of_words_and_years_above_a_row_of_words_are_rows(tmp_path, random, place):
    rows = [[str(random.randint(1980, 2020)), random.choice(TOWNS), str(random.randint(1980, 2020))] for _ in range(20)]
    rows[place] = ["unknown", "Ulm", "never"]
    table, found = read(tmp_path, "x.csv", written([["built", "town", "sold"], *rows]))
    assert table.columns == ["built", "town", "sold"] and found == rows
