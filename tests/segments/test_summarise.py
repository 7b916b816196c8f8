"""What is kept of a table: equal to a slow reading of its cells, wherever it was cut."""

import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.segments import (
    Facts,
    Segment,
    StagedFile,
    digest,
    merge,
    side_by_side,
    summarise,
    write_segment,
    write_staged,
)  # fmt: skip
from mere.store import dictionary
from mere.values import normalise_cell
from mere.values.nulls import SPELLINGS

cell = st.none() | st.sampled_from(["", " ", "a", "A", "b", "1", "1.0", "01", "NA", "null", "é", "É", "x y", "x  y"])
cell |= st.sampled_from(["AT", "CH", "DE", "FR", "NA", "na"])
cell |= st.text(st.characters(exclude_categories=["Cs", "N"]), max_size=5)  # how numbers are read: test_numbers


@st.composite
def tables(draw, rows=st.integers(0, 12), most_columns=4):
    height = draw(rows)
    width = draw(st.integers(1, most_columns))
    columns = {
        f"c{i}": pa.array(draw(st.lists(cell, min_size=height, max_size=height)), pa.string()) for i in range(width)
    }
    return pa.table(columns)


def slow(column):
    """The values of a column's cells, one by one."""
    values = [None if c is None else normalise_cell(c) or None for c in column.to_pylist()]
    return [None if v is None or _is_null(v, set(values) - {None}) else v for v in values]


def _is_null(value, distinct):
    if value not in SPELLINGS:
        return False
    others = distinct - {value}
    alike = [other for other in others if other.isalpha() and len(other.encode()) == len(value)]
    enough = len(alike) == len(others) if len(others) < 8 else len(alike) >= 0.8 * len(others)
    return not (value.isalpha() and len(others) >= 3 and enough)


def summary(tables_):
    return summarise([Facts(f"t{i}", "s", f"t{i}") for i in range(len(tables_))], digest(tables_))


def cells_of(segment, table):
    columns = []
    for number in segment.columns_of(table):
        values = [segment.dictionary.values[int(i)] for i in segment.set_of(number)]
        columns.append([values[code - 1] if code else None for code in segment.codes_of(number)])
    return columns


def contents(table):
    """Everything a summary holds, comparable."""
    c = table.columns
    return (
        table.sets.values.tolist(), table.sets.hashes.tolist(), table.sets.counts.tolist(), table.sets.starts.tolist(),
        b"".join(np.asarray(d).tobytes() for d in table.cells.data), table.cells.widths.tolist(), c.names,
        c.types.tolist(), c.nulls.tolist(), c.misfits.tolist(), c.lows, c.highs, c.histogram.tolist(), c.examples,
    )  # fmt: skip


@given(st.lists(tables(), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_a_segment_holds_every_cell(tmp_path_factory, lake):
    folder = str(tmp_path_factory.mktemp("s") / "segment")
    segment = Segment(folder, write_segment(folder, summary(lake)))
    for number, table in enumerate(lake):
        assert cells_of(segment, number) == [slow(column) for column in table.columns]
        for place, column in zip(segment.columns_of(number), table.columns, strict=True):
            values = slow(column)
            counts = {
                segment.dictionary.values[int(i)]: int(n)
                for i, n in zip(segment.set_of(place), segment.counts_of(place), strict=True)
            }
            assert counts == {v: values.count(v) for v in set(values) - {None}}
            assert np.all(np.diff(segment.set_of(place).astype(np.int64)) > 0)
            assert segment.columns(number).nulls[place - segment.columns_of(number).start] == values.count(None)


@given(tables(st.integers(1, 12)), st.data())
@settings(max_examples=300, deadline=None)
def test_where_a_table_was_cut_leaves_no_trace(tmp_path_factory, table, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, table.num_rows), max_size=4)))
    edges = [0, *cuts, table.num_rows]
    parts = digest([table.slice(a, b - a) for a, b in itertools.pairwise(edges)])
    folder = tmp_path_factory.mktemp("parts")
    for i, part in enumerate(parts):
        part.write(str(folder / f"{i}.idx"))
    parts = [type(part).read(str(folder / f"{i}.idx")) for i, part in enumerate(parts)]
    [whole] = summary([table])
    [merged] = summarise([Facts("t0", "s", "t0")], [merge(parts)])
    assert contents(merged) == contents(whole)
    pieces = [summarise([Facts("t0", "s", "t0")], [merge(parts, range(c, c + 1))])[0] for c in range(table.num_columns)]
    assert contents(side_by_side(pieces)) == contents(whole)


@given(st.lists(tables(), min_size=1, max_size=4), st.randoms())
@settings(max_examples=150, deadline=None)
def test_the_same_tables_make_the_same_bytes_in_any_order_and_any_number_of_ranges(tmp_path_factory, lake, random):
    folder = tmp_path_factory.mktemp("s")
    tables_ = summary(lake)
    first = write_segment(str(folder / "a"), tables_)
    random.shuffle(tables_)
    original, dictionary.AT_ONCE = dictionary.AT_ONCE, 3
    try:
        second = write_segment(str(folder / "b"), tables_)
    finally:
        dictionary.AT_ONCE = original
    assert first.files == second.files
    segment = Segment(str(folder / "b"), second)
    third = write_segment(str(folder / "c"), [segment.table(i) for i in range(segment.table_count)])
    assert first.files == third.files


@given(st.lists(tables(), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_staged_tables_come_back(tmp_path_factory, lake):
    path, staged = str(tmp_path_factory.mktemp("s") / "t.idx"), summary(lake)
    write_staged(path, staged)
    read = StagedFile(path)
    for number, table in enumerate(staged):
        assert contents(read.table(number)) == contents(table) and read.table(number).facts == table.facts


def test_na_is_namibia_among_two_letter_codes_and_null_elsewhere():
    codes = "at be ch de es fr it na nl pl".upper().split()
    names = ["Austria", "NA"] + [f"name {i}" for i in range(8)]
    [table] = summary([pa.table({"code": codes, "name": names})])
    assert table.columns.nulls.tolist() == [0, 1]
    assert "na" in table.sets.values.tolist()


def test_a_histogram_counts_every_number_once():
    [table] = summary([pa.table({"n": [str(i) for i in range(160)], "same": ["5"] * 160})])
    assert table.columns.histogram[0].tolist() == [10] * 16
    assert table.columns.histogram[1].tolist() == [160] + [0] * 15
    assert (table.columns.lows, table.columns.highs) == (["0", "5"], ["159", "5"])
