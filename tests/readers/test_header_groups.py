"""Headers whose upper line names groups of columns, and whose lower line divides them by years, quarters or dates."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_files import read

often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
GROUPS = ["Sales", "Costs", "Births", "Net income", "Exports", "Deaths per year"]
LABELS = ["Region", "Code", "Town name"]
TOWNS = ["Leeds", "Bath", "New York", "Ulm", "Oslo", "Porto", "Hull"]
PERIODS = {
    "years": lambda start, n: str(1990 + start + n),
    "years, every fifth": lambda start, n: str(1950 + start + 5 * n),
    "years of schools": lambda start, n: f"{2000 + start + n}/{start + n + 1:02}",
    "years, the last preliminary": lambda start, n: f"{2010 + start + n}" + "p" * (n > 0),
    "quarters": lambda _start, n: f"Q{n + 1}",
    "months": lambda start, n: f"20{10 + start}-0{n + 1}",
    "dates": lambda start, n: f"0{n + 1}.03.20{10 + start}",
}


@dataclass
class Grouped:
    """A table with groups of columns: the lines of its header, the names they make, and its rows."""

    upper: list[str]
    lower: list[str]
    names: list[str]
    rows: list[list[str]]

    def text(self, delimiter: str = ",", quoting: int = csv.QUOTE_MINIMAL) -> str:
        sink = io.StringIO()
        csv.writer(sink, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(
            [self.upper, self.lower, *self.rows]
        )
        return sink.getvalue()


def _row(random: Random, labels: int, values: int) -> list[str]:
    words = [random.choice(TOWNS), f"R{random.randint(100, 999)}", "north"][:labels]
    return [*words, *(str(random.randint(0, 1400)) for _ in range(values))]


@st.composite
def grouped(draw: st.DrawFn, kinds: list[str] = list(PERIODS), least_groups: int = 1) -> Grouped:  # noqa: B006
    random = draw(st.randoms(use_true_random=False))
    count, size, labels = random.randint(least_groups, 4), random.randint(2, 4), random.randint(1, 3)
    start, period = random.randint(0, 20), PERIODS[random.choice(kinds)]
    periods = [period(start, n) for n in range(size)]
    groups, columns = random.sample(GROUPS, count), LABELS[:labels]
    below, repeated, total = (random.random() < 0.5 for _ in range(3))
    upper = [*([""] * labels if below else columns)]
    lower = [*(columns if below else [""] * labels)]
    for group in groups:
        upper += [group, *[group if repeated else ""] * (size - 1)]
        lower += periods
    names = [*columns, *(f"{group} {each}" for group in groups for each in periods)]
    if total:
        upper, lower, names = [*upper, "Total"], [*lower, ""], [*names, "Total"]
    rows = [_row(random, labels, count * size + total) for _ in range(random.randint(4, 12))]
    return Grouped(upper, lower, names, rows)


@often
@given(grouped(), st.sampled_from(",;\t|"), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_a_line_of_periods_below_groups_is_part_of_the_header(tmp_path, made, delimiter, quoting):
    table, rows = read(tmp_path, "x.csv", made.text(delimiter, quoting))
    assert table.columns == made.names
    assert rows == made.rows


@often
@given(grouped(["years"], least_groups=2), st.integers(2, 4))
def test_numbers_that_are_the_same_in_each_group_are_part_of_the_header_where_the_row_has_no_label(
    tmp_path, made, size
):
    count = 3
    made.upper = ["Region", *(cell for group in GROUPS[:count] for cell in [group, *[""] * (size - 1)])]
    made.lower = ["", *(str(n + 1) for _ in range(count) for n in range(size))]
    made.rows = [["Leeds", *(str(7 * row + place) for place in range(count * size))] for row in range(8)]
    table, rows = read(tmp_path, "x.csv", made.text())
    assert rows == made.rows
    assert table.columns[1:3] == ["Sales 1", "Sales 2"]
    assert any("taken for part of the header, not for a row: ', 1, 2" in issue for issue in table.issues)


@often
@given(grouped(["years", "dates"]), st.randoms(use_true_random=False))
def test_a_row_with_a_label_below_the_name_of_the_labels_is_data(tmp_path, made, random):
    labels = sum(bool(cell) for cell in LABELS if cell in made.upper)
    if not labels:
        return
    made.lower[:labels] = _row(random, labels, 0)
    _, rows = read(tmp_path, "x.csv", made.text())
    assert rows == [made.lower, *made.rows]


@often
@given(grouped(["years"]), st.randoms(use_true_random=False))
def test_a_first_row_of_years_among_rows_of_years_is_data(tmp_path, made, random):
    made.lower = ["All", *(str(random.randint(1990, 2020)) for _ in made.lower[1:])]
    made.rows = [["All", *(str(random.randint(1990, 2020)) for _ in made.lower[1:])] for _ in range(9)]
    _, rows = read(tmp_path, "x.csv", made.text())
    assert rows == [made.lower, *made.rows]


@pytest.mark.parametrize("label", ["Total", ""])
def test_a_row_of_totals_below_groups_is_data_although_its_cells_may_be_years(tmp_path, label):
    rows = [[label, "2022", "1999", "2011", "1987"], *(["Leeds", "500", "400", "600", "300"] for _ in range(5))]
    text = "\n".join(",".join(row) for row in [["", "Sales", "", "Costs", ""], *rows])
    assert read(tmp_path, "x.csv", text)[1] == rows


def _pivoted(random: Random, labels: int, count: int, size: int) -> Grouped:
    """As pandas writes a table of two dimensions of columns and some of rows."""
    corners = random.choice([["", ""], ["Year", "Sex"]])
    parts = ["M", "F", "all", "none"][:size]
    if count > 1 and not corners[0]:
        parts = [str(n + 1) for n in range(size)]
    upper = [corners[0], *[""] * (labels - 1), *(str(2010 + n) for n in range(count) for _ in range(size))]
    lower = [corners[1], *[""] * (labels - 1), *parts * count]
    names = [*LABELS[:labels], *(f"{2010 + n} {part}" for n in range(count) for part in parts)]
    return Grouped(upper, lower, names, [_row(random, labels, count * size) for _ in range(8)])


@often
@given(st.randoms(use_true_random=False), st.integers(1, 3), st.integers(1, 3), st.integers(2, 4))
def test_a_last_line_with_the_names_of_labels_is_part_of_the_header(tmp_path, random, labels, count, size):
    made = _pivoted(random, labels, count, size)
    line = [*LABELS[:labels], *[""] * (count * size)]
    lines = [made.upper, made.lower, line, *made.rows]
    table, rows = read(tmp_path, "x.csv", "\n".join(map(",".join, lines)))
    assert (table.columns, rows) == (made.names, made.rows)
    told = "what the lines of the header are about was left out: 'Year, Sex'"
    assert (told in table.issues) == (made.upper[0] == "Year")


@often
@given(st.randoms(use_true_random=False), st.integers(2, 5))
def test_a_heading_inside_the_table_is_no_line_of_the_header(tmp_path, random, size):
    made = _pivoted(random, 1, 2, size)
    headings = [["North", *[""] * 2 * size], ["South", *[""] * 2 * size]]
    rows = [headings[0], *made.rows[:4], headings[1], *made.rows[4:]]
    header = ["Region", *(f"{group} {n}" for group in "ab" for n in range(size))]
    for lines in ([header], [["Region", *made.upper[1:]], ["", *["M", "F", "all", "none", "x"][:size] * 2]]):
        _, found = read(tmp_path, "x.csv", "\n".join(map(",".join, [*lines, *rows])))
        assert found == rows
