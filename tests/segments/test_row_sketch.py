"""The sketch of a table: the distinct rows with the smallest hashes, wherever the table was cut."""

import itertools
import runpy
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere.values
from mere.bundles.relation import relation_of_stored
from mere.bundles.sample import sample_of
from mere.bundles.schema import Schema
from mere.bundles.stored import stored_sample
from mere.segments import SKETCHES, Facts, Segment, digest, row_sketch, summarise, write_segment, write_sketches
from mere.segments.row_sketch import NO_THRESHOLD, _HashedRows, merge_sketches, sketch_of
from mere.values import Type, cell_terms, column_keys, hash_values, row_hashes

hashes = st.lists(st.integers(0, 40) | st.integers(0, 2**64 - 1), max_size=60).map(lambda h: np.array(h, np.uint64))
sizes = st.integers(1, 12)
cell = st.none() | st.sampled_from(["a", "A", "b", "1", "1.0", "é", "x y", "日本", "NA", ""])


@st.composite
def tables(draw):
    names = draw(st.lists(st.sampled_from(["a", "A", "b", "Unit Price", "unit_price", "%"]), min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(*[cell] * len(names)), max_size=40))
    return pa.table([pa.array([row[i] for row in rows], pa.string()) for i in range(len(names))], names=names)


def slow_sketch(hashes_, size):
    """Which rows have the smallest distinct hashes, and the smallest hash that is left out."""
    first = {}
    for row, hash_ in enumerate(hashes_.tolist()):
        first.setdefault(hash_, row)
    ordered = sorted(first)
    return [first[h] for h in ordered[:size]], ordered[size] if len(ordered) > size else 2**64 - 1, len(ordered)


def segment_of(folder, lake, size):
    names = [f"t{i}" for i in range(len(lake))]
    summaries = summarise([Facts(name, "s", name) for name in names], digest(lake))
    entry = write_segment(folder, summaries)
    return Segment(folder, entry.with_file(SKETCHES, write_sketches(Segment(folder, entry), size)))


def slow_row_hashes(segment, number):
    """The hashes of a table's rows, cell by cell."""
    columns = segment.columns_of(number)
    keys = column_keys(segment.column_names[columns.start : columns.stop])
    sums = [0] * int(segment.catalog["table.rows"][number])
    for key, column in zip(keys, columns, strict=True):
        values = [segment.dictionary.values[int(i)] for i in segment.set_of(column)]
        for row, code in enumerate(segment.codes_of(column).tolist()):
            if code:
                term = cell_terms(hash_values(pa.array([values[code - 1]])), key)[1]
                sums[row] = (sums[row] + int(term)) % 2**64
    return row_hashes(np.array(sums, np.uint64))


@given(hashes, sizes, st.data())
def test_sketches_of_parts_merge_to_the_sketch_of_the_table(all_hashes, size, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(all_hashes)), max_size=4)))
    spans = list(itertools.pairwise([0, *cuts, len(all_hashes)]))
    merged = merge_sketches([sketch_of(all_hashes[a:b], a, size)[0] for a, b in spans], size)
    table, distinct = sketch_of(all_hashes, 0, size)
    assert merged.hashes.tolist() == table.hashes.tolist() and merged.rows.tolist() == table.rows.tolist()
    rows, threshold, count = slow_sketch(all_hashes, size)
    assert (merged.rows[:size].tolist(), int(merged.threshold(size)), len(distinct)) == (rows, threshold, count)


@given(hashes, hashes, sizes)
def test_merging_merged_sketches_is_merging_all(left, right, size):
    parts = [sketch_of(part, start, size)[0] for part, start in [(left, 0), (right, 100), (left, 200)]]
    at_once = merge_sketches(parts, size)
    stepwise = merge_sketches([merge_sketches(parts[:2], size), parts[2]], size)
    assert at_once.hashes.tolist() == stepwise.hashes.tolist() and at_once.rows.tolist() == stepwise.rows.tolist()


@given(st.lists(tables(), min_size=1, max_size=3), sizes, st.integers(1, 50))
@settings(max_examples=150)
def test_a_segment_stores_the_sketch_of_each_table_whatever_the_size_of_blocks(tmp_path_factory, lake, size, block):
    folder = tmp_path_factory.mktemp("s")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_sketch, "_BLOCK", block)
        patch.setattr(row_sketch, "_VALUES", block)
        segment = segment_of(str(folder / "blocks"), lake, size)
    sketches = segment.sketches
    assert segment_of(str(folder / "whole"), lake, size).entry.files == segment.entry.files
    for number, table in enumerate(lake):
        rows, threshold, distinct = slow_sketch(slow_row_hashes(segment, number), size)
        stored = sketches["rows"][sketches["starts"][number] : sketches["starts"][number + 1]]
        assert stored.tolist() == (rows if table.num_rows > size else [])
        assert (int(sketches["threshold"][number]), int(sketches["distinct"][number])) == (threshold, distinct)


def contents(sample):
    columns = [
        None if c is None else (c.values.tolist(), c.hashes.tolist(), c.codes.tolist(), c.codes.dtype)
        for c in sample.relation.columns
    ]
    facts = (sample.relation.name, sample.relation.rows, sample.threshold, sample.distinct)
    return facts, sample.hashes.tolist(), columns


@given(tables(), tables(), sizes, sizes)
@settings(max_examples=300)
def test_a_stored_sample_is_the_sample_of_the_rows(tmp_path_factory, table, base, stored_size, size):
    segment = segment_of(str(tmp_path_factory.mktemp("s") / "segment"), [table], stored_size)
    own = [Type(code) for code in segment.catalog["column.types"].tolist()]
    type_of = dict(zip(table.column_names, own, strict=True))
    for names in (base.column_names, [*table.column_names, "more"], table.column_names[::-1]):
        schema = Schema(tuple(names), tuple(type_of.get(name, Type.TEXT) for name in names))
        expected = sample_of(relation_of_stored(segment, 0, schema), size)
        sample = stored_sample(segment, 0, schema, size)
        suffices = size <= stored_size or expected.distinct <= stored_size or table.num_rows <= stored_size
        if schema.same_rows(table.column_names, own) and suffices:
            assert sample is not None and contents(sample) == contents(expected)
        else:
            assert sample is None
        as_stored = stored_sample(segment, 0, schema, None)
        if schema.same_rows(table.column_names, own):
            made = sample_of(relation_of_stored(segment, 0, schema), stored_size)
            assert as_stored is not None and contents(as_stored) == contents(made)
        else:
            assert as_stored is None


def test_a_segment_without_sketches_or_with_another_version_has_no_stored_sample(tmp_path):
    lake = [pa.table({"a": ["x", "y", "z"]})]
    segment = segment_of(str(tmp_path / "s"), lake, 2)
    schema = Schema(("a",), (Type.TEXT,))
    assert stored_sample(segment, 0, schema, 2) is not None
    entry = segment.entry
    without = {name: file for name, file in entry.files.items() if name != SKETCHES}
    newer = {**entry.files, SKETCHES: type(entry.files[SKETCHES])(1, "", 99)}
    for files in (without, newer):
        other = Segment(segment.folder, type(entry)(**{**entry.__dict__, "files": files}))
        assert other.sketches is None and stored_sample(other, 0, schema, 2) is None


def test_other_hashes_of_rows_are_another_version_of_the_sketches(monkeypatch):
    module = sys.modules[Segment.__module__]
    assert module.SKETCHES_VERSION == 2
    monkeypatch.setattr(mere.values, "ROW_HASHES_VERSION", 7)
    assert runpy.run_path(module.__file__)["SKETCHES_VERSION"] == 7


def test_a_table_without_rows_has_an_empty_sketch(tmp_path):
    segment = segment_of(str(tmp_path / "s"), [pa.table({"a": pa.array([], pa.string())})], 4)
    assert segment.sketches["distinct"].tolist() == [0]
    assert segment.sketches["threshold"].tolist() == [int(NO_THRESHOLD)]
    assert segment.sketches["rows"].tolist() == []


def test_sketches_compare_numbers_dates_and_booleans_as_their_columns_do(tmp_path):
    """The same rows, written in two ways, give the same sketches."""
    numbers = [1000 + 7 * i for i in range(40)]
    one = {
        "n": [str(n) for n in numbers],
        "d": [f"2020-01-{1 + n % 28:02d}" for n in numbers],
        "b": ["true" if n % 2 else "false" for n in numbers],
    }
    other = {
        "n": [f"{n:,}" for n in numbers],
        "d": [f"{1 + n % 28}/1/2020" for n in numbers],
        "b": ["yes" if n % 2 else "no" for n in numbers],
    }
    schema = Schema(("n", "d", "b"), (Type.INTEGER, Type.DATETIME, Type.BOOLEAN))
    samples = []
    for name, columns in (("one", one), ("other", other)):
        segment = segment_of(str(tmp_path / name), [pa.table(columns)], 16)
        samples.append(stored_sample(segment, 0, schema, 16))
        assert samples[-1] is not None
        assert samples[-1].hashes.tolist() == sample_of(relation_of_stored(segment, 0, schema), 16).hashes.tolist()
    assert samples[0].hashes.tolist() == samples[1].hashes.tolist()
    assert samples[0].threshold == samples[1].threshold


def test_dates_are_read_by_the_order_of_their_column(tmp_path):
    written = pa.table({"d": ["13/1/2020", "5/1/2020"], "e": ["1/13/2020", "5/1/2020"], "yes": ["y", "n"]})
    usual = pa.table({"d": ["2020-01-13", "2020-01-05"], "e": ["2020-01-13", "2020-05-01"], "yes": ["true", "false"]})
    summaries = summarise([Facts("a", "s", "a"), Facts("b", "s", "b")], digest([written, usual]))
    segment = Segment(str(tmp_path / "s"), write_segment(str(tmp_path / "s"), summaries))
    one, other = _HashedRows(segment).sums()
    assert one.tolist() == other.tolist()
    assert len(set(one.tolist())) == 2
