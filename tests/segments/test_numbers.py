"""Tables of known numbers, written in a known convention: types, values and numbers come out as they were made."""

import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.segments import Facts, block_evidence, code_column, digest, merge, readings_of, side_by_side, summarise
from mere.segments.plain_numbers import numbers_in_doubt
from mere.segments.united_numbers import numbers_hold
from mere.values import Evidence, Type, canonical_numbers
from tests.segments.test_summarise import contents

GROUPS = {"point": [",", " ", "'", "\u202f", ""], "comma": [".", " ", "’", "\u00a0", ""]}
NEGATIVE = ["-{}", "({})", "{}-", "\u2212{}"]
UNITS = ["{}", "€ {}", "{} EUR", "{} %", "${}"]
LABELS = ["TOT", "<5", "n/a", None, ""]
UNIT_NAMES = {"{}": "", "€ {}": "EUR", "{} EUR": "EUR", "{} %": "%", "${}": "$"}


def written(number, decimal, group, negative, unit):
    """An exact decimal (a whole number of hundredths) in a convention."""
    whole, hundredths = divmod(abs(number), 100)
    text = f"{whole:,}".replace(",", group) + ("," if decimal == "comma" else ".") + f"{hundredths:02}"
    return unit.format(negative.format(text) if number < 0 else text)


def plain(number):
    sign, (whole, hundredths) = "-" if number < 0 else "", divmod(abs(number), 100)
    return canonical_numbers(pa.array([f"{sign}{whole}.{hundredths:02}"]))[0].as_py()


@st.composite
def number_tables(draw):
    """A table, its decimal mark, and per column the plain numbers (None for a label or a null) and the unit."""
    decimal, rows = draw(st.sampled_from(["point", "comma"])), draw(st.integers(6, 20))
    columns, truth = {}, {}
    for c in range(draw(st.integers(1, 3))):
        group, negative, unit = (draw(st.sampled_from(those)) for those in (GROUPS[decimal], NEGATIVE, UNITS))
        numbers = draw(st.lists(st.integers(-(10**9), 10**9), min_size=rows, max_size=rows))
        numbers[0] = abs(numbers[0]) + 1  # not all in brackets
        labels = draw(st.sets(st.integers(1, rows - 1), max_size=rows // 4))
        cells = [written(n, decimal, group, negative, unit) for n in numbers]
        cells = [draw(st.sampled_from(LABELS)) if i in labels else cell for i, cell in enumerate(cells)]
        columns[f"c{c}"] = cells
        truth[f"c{c}"] = [None if i in labels else plain(n) for i, n in enumerate(numbers)], UNIT_NAMES[unit]
    columns["thousands"] = [draw(st.sampled_from(["913.446", "1.500", "12.000"])) for _ in range(rows)]
    columns["word"] = [f"w{i}" for i in range(rows)]
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}), decimal, truth


def values_of(table, column):
    a, b = table.sets.starts[column : column + 2]
    values = table.sets.values.slice(int(a), int(b)).tolist()
    data = b"".join(np.asarray(each).tobytes() for each in table.cells.data)
    stretch = data[table.cells.starts[column] : table.cells.starts[column + 1]]
    codes = np.frombuffer(stretch, f"<u{table.cells.widths[column]}")
    return [None if code == 0 else values[code - 1] for code in codes]


EITHER = {"point": {"913.446": "913.446", "1.500": "1.5", "12.000": "12"}}
EITHER["comma"] = {"913.446": "913446", "1.500": "1500", "12.000": "12000"}


@given(number_tables())
@settings(max_examples=250, deadline=None)
def test_numbers_come_out_as_they_were_made(made):
    table, decimal, truth = made
    [summary] = summarise([Facts("t", "", "")], digest([table]))
    for place, name in enumerate(table.column_names):
        got = values_of(summary, place)
        if name in truth:
            numbers, unit = truth[name]
            assert [value for value, known in zip(got, numbers, strict=True) if known] == [n for n in numbers if n]
            assert Type(int(summary.columns.types[place])).is_number
            assert summary.facts.numbers.get("units", {}).get(name, "") == unit
            finite = [float(number) for number in numbers if number]
            assert (summary.columns.low[place], summary.columns.high[place]) == (min(finite), max(finite))
            labels = sum(value is not None for value, known in zip(got, numbers, strict=True) if known is None)
            assert summary.columns.misfits[place] == labels
            assert summary.columns.histogram[place].sum() == len(finite)
        elif name == "thousands":
            assert got == [EITHER[decimal][cell] for cell in table.column(name).to_pylist()]
    assert summary.columns.types[-1] == Type.TEXT
    assert summary.facts.numbers["decimal"] == decimal and "unsure" not in summary.facts.numbers


@given(number_tables(), st.data())
@settings(max_examples=150, deadline=None)
def test_where_a_table_was_cut_changes_no_number(tmp_path_factory, made, data):
    table = made[0]
    cuts = sorted(data.draw(st.lists(st.integers(0, table.num_rows), max_size=3)))
    blocks = digest([table.slice(a, b - a) for a, b in itertools.pairwise([0, *cuts, table.num_rows])])
    path = str(tmp_path_factory.mktemp("block") / "0.idx")
    blocks[0].write(path)
    blocks[0] = type(blocks[0]).read(path)
    evidence = sum((block_evidence(block) for block in blocks[1:]), block_evidence(blocks[0]))
    facts = Facts("t", "", "")
    readings = readings_of(evidence, [table.num_columns], [facts], 0.66)
    pieces = [
        summarise([Facts("t", "", "")], [merge(blocks, range(c, c + 1))], readings=readings.slice(c, c + 1))[0]
        for c in range(table.num_columns)
    ]
    [whole] = summarise([facts], digest([table]))
    merged = side_by_side(pieces)
    assert contents(merged) == contents(whole) and merged.facts.numbers == whole.facts.numbers


@given(number_tables())
@settings(max_examples=100, deadline=None)
def test_a_column_that_is_asked_with_has_the_values_that_it_would_have_in_the_lake(made):
    table, decimal, _ = made
    [summary] = summarise([Facts("t", "", "")], digest([table]))
    for place, cells in enumerate(table.columns):
        coded = code_column(cells.combine_chunks(), decimal=decimal)
        values = [None, *coded.values.tolist()]
        assert [values[code] for code in coded.codes] == values_of(summary, place)
        assert coded.numeric == Type(int(summary.columns.types[place])).is_number


def summary_of(**columns):
    return summarise([Facts("t", "", "")], digest([pa.table(columns)]))[0]


def test_a_decimal_point_before_zeros_shows_the_decimal_mark():
    table = summary_of(price=["5.00", "12.00"], weight=["913.446", "1.500"])
    assert table.facts.numbers == {"decimal": "point"} and table.sets.values.tolist().count("1.5") == 1
    assert summary_of(price=["5", "12"], weight=["913.446", "1.500"]).facts.numbers == {"unsure": {"weight": "decimal"}}


def test_numbers_in_a_column_of_text_stay_as_they_are():
    table = summary_of(a=["€ 5", "1.500", "1.5", "x", "y", "z", "1,234"], b=["1,5"] * 7)
    assert set(values_of(table, 0)) == {"€ 5", "1.5", "x", "y", "z", "1,234"}


def months(mark="."):
    return [f"{year}{mark}{month}" for year in (2019, 2020) for month in range(1, 13)]


def test_versions_are_text_and_keep_their_last_zero():
    for cells in (months(), months(","), [f"3.{n}" for n in range(31)], ["0.10", *months(), "2.5.1", "n/a"]):
        table = summary_of(a=cells, b=["2.50", "2.5"] * (len(cells) // 2) + ["7"] * (len(cells) % 2))
        kept = [cell.replace("3.0", "3") for cell in cells if cell != "n/a"]
        assert [value for value in values_of(table, 0) if value] == kept
        assert table.columns.types.tolist() == [Type.TEXT, Type.DECIMAL] and {"2.5"} <= set(values_of(table, 1))
        assert set(code_column(pa.array(cells)).values.tolist()) == set(kept)


def test_numbers_with_a_last_zero_are_equal_to_those_without_where_they_are_no_versions():
    for more in (["1.05"], ["1.125"], ["-1.5"], ["$1.5"], ["1.5e3"]):
        assert {"2019.1"} <= set(values_of(summary_of(a=months() + more), 0)), more
    words = [f"w{i}" for i in range(30)]
    assert "2019.1" in values_of(summary_of(a=[*months()[:-3], *words]), 0)
    assert "2019.10" not in values_of(summary_of(a=["2019.10", "2019.1", "x", "y", "z"]), 0)


@given(st.lists(st.integers(1, 10**5), min_size=1, max_size=60), st.sampled_from([1, 2, 3]), st.booleans())
@settings(max_examples=100, deadline=None)
def test_decimals_as_programs_write_them_are_never_versions(numbers, places, drop):
    cells = [f"{number / 10**places:.{places}f}" for number in numbers]
    if drop:
        cells = [cell.rstrip("0").removesuffix(".") for cell in cells]
    table = summary_of(a=cells)
    assert Type(int(table.columns.types[0])).is_number
    assert values_of(table, 0) == canonical_numbers(pa.array(cells)).to_pylist()


@given(st.integers(0, 24), st.integers(0, 24))
def test_where_versions_were_cut_changes_nothing(a, b):
    table = pa.table({"a": months()})
    cuts = sorted((0, a, b, 24))
    blocks = digest([table.slice(a, b - a) for a, b in itertools.pairwise(cuts)])
    evidence = sum((block_evidence(block) for block in blocks[1:]), block_evidence(blocks[0]))
    readings = readings_of(evidence, [1], [Facts("t", "", "")], 0.66)
    [merged] = summarise([Facts("t", "", "")], [merge(blocks)], readings=readings)
    assert values_of(merged, 0) == months() and contents(merged) == contents(summary_of(a=months()))


def test_bare_exponents_are_plain_among_numbers_and_codes_elsewhere():
    cells = ["1e3", "35933e5", "1000", "7", "2e-1", "5", "1.5e3", "-2e2", "€ 3e3"]
    plain = ["1000", "3593300000", "1000", "7", "0.2", "5", "1500", "-200", "3000"]
    assert values_of(summary_of(a=cells), 0) == plain
    assert set(code_column(pa.array(cells)).values.tolist()) == set(plain)
    codes = ["0e8", "1e3", "7e6"]
    for more in ([], ["12"], ["jfk", "1b2", "12", "13", "14"]):
        table = summary_of(a=codes + more)
        assert values_of(table, 0) == codes + more and table.columns.types[0] == Type.TEXT


def test_numbers_of_another_unit_are_misfits_and_keep_it():
    table = summary_of(a=["$5"] * 19 + ["€7"])
    assert set(values_of(table, 0)) == {"5", "€7"} and table.columns.misfits[0] == 1
    assert table.facts.numbers == {"units": {"a": "$"}}


def test_the_note_of_doubt_names_a_value_and_how_it_was_read():
    numbers = {"unsure": {"a": "decimal", "b": "decimal"}}
    [note] = numbers_in_doubt(numbers, {"a": ["12", "n/a"], "b": ["5", "€ 1,200", "913.446"]})
    assert note.startswith("columns 'a', 'b': € 1,200 in 'b' may be") and "read as 1200 (" in note
    assert "read as 1.5 (" in numbers_in_doubt(numbers, {"a": ["1.500"]})[0]
    [note] = numbers_in_doubt({**numbers, "decimal": "comma"}, {"a": ["913.446"]})
    assert "read as 913446 (" in note and "--decimal point" in note
    assert "numbers like 1.234" in numbers_in_doubt(numbers, {})[0] and not numbers_in_doubt({}, {})


def test_small_numbers_in_brackets_are_told():
    table = summary_of(a=["1", "2", "(3)", "4", "(5)"])
    assert values_of(table, 0) == ["1", "2", "-3", "4", "-5"] and table.facts.numbers == {"unsure": {"a": "brackets"}}
    [note] = numbers_in_doubt(table.facts.numbers, {})
    assert note.startswith("column 'a': numbers like (2) may be negative")


degrees = st.lists(st.integers(-180_000, 180_000).filter(lambda n: n % 10 and abs(n) >= 1000), min_size=1, max_size=9)


@given(degrees, st.sampled_from(["lat", "Longitude", "geo_lng", "LAT (deg)"]), st.sampled_from(".,"), st.booleans())
@settings(max_examples=60, deadline=None)
def test_degrees_have_decimals_whatever_their_table_has(thousandths, name, mark, cut):
    plain = [f"{number / 1000:.3f}" for number in thousandths]
    table = pa.table({name: [text.replace(".", mark) for text in plain], "preis": ["84,48"] * len(plain)})
    blocks = digest([table.slice(0, 1), table.slice(1)] if cut else [table])
    evidence = sum((block_evidence(block) for block in blocks[1:]), block_evidence(blocks[0]))
    readings = readings_of(Evidence.from_list(evidence.to_list()), [2], [Facts("t", "", "")], 0.66)
    [summary] = summarise([Facts("t", "", "")], [merge(blocks)], readings=readings)
    assert values_of(summary, 0) == plain and "unsure" not in summary.facts.numbers
    coded = code_column(table.column(name).combine_chunks(), decimal="comma", name=name)
    assert set(coded.values.tolist()) == set(plain) and not coded.undecided


def test_a_table_whose_fractions_were_numbers_has_a_decimal_point():
    facts = Facts("t", "", "", format="parquet", numbers={"typed": True})
    [table] = summarise([facts], digest([pa.table({"a": ["913.446"]})]))
    assert table.facts.numbers == {"typed": True, "decimal": "point"}


def test_a_given_decimal_mark_is_kept():
    facts = Facts("t", "", "", numbers={"given": "comma"})
    [table] = summarise([facts], digest([pa.table({"a": ["913.446", "2"]})]))
    assert table.facts.numbers == {"given": "comma", "decimal": "comma"} and "913446" in table.sets.values.tolist()


def test_the_share_of_dates_is_that_of_numbers():
    cells, facts = ["2020-01-05"] * 8 + ["unknown"] * 2, Facts("t", "", "")
    blocks = digest([pa.table({"a": cells})])
    for share, expected in ((0.66, Type.DATETIME), (0.9, Type.TEXT)):
        readings = readings_of(block_evidence(blocks[0]), [1], [facts], share)
        for summary in (summarise([facts], blocks, share)[0], summarise([facts], blocks, readings=readings)[0]):
            assert summary.columns.types.tolist() == [expected]


def test_stored_degrees_do_not_hold_if_they_were_read_as_something_else():
    evidence = block_evidence(digest([pa.table({"lat": ["48,137"], "n": ["1.5"]})])[0])
    older = Evidence.from_list([row[:-1] for row in evidence.to_list()])  # it was not known what has degrees
    before, now = (readings_of(each, [2], [Facts("t", "", "")], 0.66) for each in (older, evidence))
    assert numbers_hold(now, now, evidence) and not numbers_hold(before, now, evidence)
