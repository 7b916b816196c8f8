"""Tables of equal width, one below the other: each is a table if the second header is without doubt."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tables import Made, written
from raw_files import read, read_all, rows_of, write

from mere.readers import open_tables

often = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
NAMES = ["origin", "capital", "product", "colour", "maker", "street", "owner", "species", "island", "grade", "kind"]
USUAL = ["city", "place name", "result"]
PLACES = ["Lima", "Oslo", "Rome", "Old Mill", "Riverside", "Brighton", "Lake County", "Graz", "Wien", "Ada Low"]
SEPARATORS = st.sampled_from(["\n", "\n\n", "\nSecond list\n", "Other things\n", "\nOther things\n\n"])


@st.composite
def stacks(draw: st.DrawFn, header: str = "words") -> list[Made]:
    """Two or three tables of one width and different headers: of words, of codes, or with years in the header."""
    random = Random(draw(st.integers(0, 1 << 32)))
    width, names = random.randint(2, 3), random.sample(NAMES, len(NAMES))
    tables = []
    for number in range(random.randint(2, 3)):
        own, size = names[number * width :][:width], random.randint(4, 12)
        if header == "years":
            own = [own[0], *(str(2018 + place) for place in range(width + 1))]
            rows = [[random.choice(PLACES), *(str(random.randint(1, 900)) for _ in own[1:])] for _ in range(size)]
        elif header == "codes":
            rows = [[f"{random.choice('ABC')}{random.randint(100, 999)}" for _ in own] for _ in range(size)]
        else:
            rows = [[random.choice(PLACES) for _ in own] for _ in range(size)]
            own[random.randrange(width)] = USUAL[number]  # small letters alone are no proof
        tables.append(Made(own, rows))
    return tables


@pytest.mark.parametrize("header", ["words", "codes", "years"])
@often
@given(st.data(), SEPARATORS, st.sampled_from([",", ";", "\t"]))
def test_tables_of_equal_width_are_told_apart(tmp_path, header, data, separator, delimiter):
    tables = data.draw(stacks(header))
    expected = {"" if n == 0 else str(n + 1): (made.names, made.rows) for n, made in enumerate(tables)}
    text = separator.join(made.text(delimiter) for made in tables)
    assert read_all(tmp_path, "x.csv", text) == expected


@often
@given(stacks(), SEPARATORS, st.sampled_from([str.capitalize, str.lower]))
def test_groups_of_one_table_of_words_stay_one_table(tmp_path, tables, separator, spelled):
    """Without a header of its own, a group is no table, whether its cells begin with capitals or not."""
    first = [list(map(str.capitalize, tables[0].names))]
    groups = [[[spelled(cell) for cell in row] for row in made.rows] for made in tables]
    _, rows = read(tmp_path, "x.csv", written(first) + separator.join(map(written, groups)))
    assert [row for row in rows if row[-1] is not None] == [row for group in groups for row in group]


@often
@given(stacks("years"), SEPARATORS)
def test_groups_of_one_table_below_years_stay_one_table(tmp_path, tables, separator):
    text = written([tables[0].names]) + separator.join(written(made.rows) for made in tables)
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == tables[0].names
    assert [row for row in rows if row[-1] is not None] == [row for made in tables for row in made.rows]


@pytest.mark.parametrize("below", [3, 6])
def test_a_row_in_small_letters_after_a_blank_line_is_a_row(tmp_path, below):
    rows = [["Ann", "Rome"], ["Bob", "Oslo"], ["Cyd", "Bonn"], ["Dan", "Lima"]]
    group = [["adidas", "germany"], *[["Eve", "Nice"], ["Fay", "Cork"], ["Gus", "Graz"]] * (below // 3)]
    text = written([["name", "city"], *rows]) + "\n" + written(group)
    assert read_all(tmp_path, "x.csv", text) == {"": (["name", "city"], [*rows, *group])}


def test_a_header_of_words_that_is_a_guess_is_told(tmp_path):
    rows = [["Ann", "Rome"], ["Bob", "Oslo"], ["Cyd", "Bonn"], ["Dan", "Lima"]]
    text = written([["name", "place"], *rows]) + "\n" + written([["owner", "city"], *rows])
    first, second = open_tables(write(tmp_path, "x.csv", text))
    assert [rows_of(first), rows_of(second)] == [rows, rows]
    assert not first.issues and any("it may be a row" in issue for issue in second.issues)


def test_a_list_of_fields_with_blank_lines_stays_one_table(tmp_path):
    text = "field,label\nid,identifier\nname,full name\nkind,sort\n\naddress,street address\nprice,unit price\ncity,a\n"
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == ["field", "label"] and len(rows) == 6


@often
@given(st.integers(3, 7), st.randoms(use_true_random=False))
def test_two_columns_of_words_with_a_key_twice_are_a_table_above_another(tmp_path, count, random):
    pairs = [[random.choice(PLACES), random.choice(PLACES)] for _ in range(count)]
    pairs.append(list(pairs[0]))
    other = Made(["day", "wind", "rain"], [[f"2020-01-{row + 1:02}", str(row), f"{row}.5"] for row in range(5)])
    read_tables = read_all(tmp_path, "x.csv", written([["term", "place"], *pairs]) + "\n" + other.text())
    assert read_tables == {"": (["term", "place"], pairs), "2": (other.names, other.rows)}
