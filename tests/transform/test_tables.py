"""The two tables while they are matched: rows, keys, samples."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.transform import Constant, Piece, Program, Split
from mere.transform.tables import EXAMPLES_NEEDED, SHARES_OF_PARTNERS, Keys, Side, expanded, keys_of, sample
from mere.values import normalise_cell

SMALL = 2500
cells = st.sampled_from([None, "", " ", "\t\n", "\u00a0", "a", "A", " a", "b", "é"])


def tables(most_rows=6):
    return st.integers(0, most_rows).flatmap(
        lambda rows: st.dictionaries(
            st.sampled_from("xyz"), st.lists(cells, min_size=rows, max_size=rows), min_size=1, max_size=3
        )
    )


def is_blank(cell):
    return cell is None or not cell.strip()


@given(tables())
def test_rows_are_the_first_of_equal_rows_that_hold_anything(columns):
    side = Side(columns)
    count = len(next(iter(columns.values())))
    every = [tuple(None if is_blank(cell[row]) else cell[row] for cell in columns.values()) for row in range(count)]
    first = [row for row in range(count) if any(every[row]) and every[row] not in every[:row]]
    assert side.names == [name for name, column in columns.items() if not all(map(is_blank, column))]
    assert side.rows == first
    assert side.copies == {row: [other for other in range(count) if every[other] == every[row]] for row in first}


def test_rows_that_differ_in_case_only_are_different():
    assert Side({"x": ["a", "A", "a"], "blank": [" ", "", None]}).copies == {0: [0, 2], 1: [1]}


def test_a_table_without_columns_or_values_has_no_rows():
    for columns in ({}, {"x": []}, {"x": [None, " "], "y": ["", "\t"]}):
        side = Side(columns)
        assert (side.names, side.rows, side.copies) == ([], [], {})


def test_canonical_cells_leave_out_the_empty_ones():
    side = Side({"x": ["  Pope&#39;s  CRÈEK", "b"], "y": [None, "\u0301"]})
    assert side.canonical(["x", "y"], 0) == ("pope's creek",)
    assert side.canonical(["x", "y"], 1) == ("b",)  # an accent alone is nothing


@given(st.lists(st.none() | st.text(max_size=5) | st.sampled_from(["12.0", "+12", "007", " 7", "İ", "ß", "x" * 1024])))
def test_keys_are_the_values_of_every_other_join(texts):
    assert keys_of(texts) == [None if text is None else normalise_cell(text) or None for text in texts]


def test_a_text_that_is_too_long_is_not_a_key():
    assert keys_of(["x" * 1024, "x" * 1025, " "]) == ["x" * 1024, None, None]
    assert keys_of([]) == []


def test_keys_find_the_rows_that_have_them():
    target = Side({"name": ["Ada Lovelace", "alan turing", "ADA lovelace", None, "Plato"]})
    keys = Keys(target, Program(("name",), (Piece(0, (Split(" ", 1, 1),)),)))
    assert keys.texts == ["Lovelace", "turing", "lovelace", None]
    assert dict(keys.rows) == {"lovelace": [0, 2], "turing": [1]}
    source = Side({"n": ["Turing!", "Lovelace!", "Curie!", "x"]})
    program = Program(("n",), (Piece(0, (Split("!", -2, -2),)),))
    assert keys.partners(source, program, source.rows) == (
        {0: [1], 1: [0, 2]},
        {"turing": [0], "lovelace": [1], "curie": [2]},
    )
    assert keys.partners(source, program, [2, 0]) == ({0: [1]}, {"turing": [0], "curie": [2]})
    assert keys.partners(source, Program(("n",), (Constant("turing"),)), [1])[0] == {1: [1]}


def sizes(source_count, target_count, share=0.05):
    samples = sample(SimpleNamespace(rows=range(source_count)), SimpleNamespace(rows=range(target_count)), share, 0)
    return tuple(map(len, samples))


@given(st.integers(1, SMALL), st.integers(1, SMALL))
def test_small_tables_are_looked_at_as_a_whole(source_count, target_count):
    assert sizes(source_count, target_count) == (source_count, target_count)


def test_sample_sizes_by_hand():
    """K = 4 / (1 - 0.8) = 20, and K / r = 400."""
    assert sizes(10**6, 10**6) == (20_000, 20_000)
    assert sizes(10**6, 10**7) == (20_000, 20_000)
    assert sizes(10**6, 5_000) == (80_000, 5_000)  # the target as a whole: p_s = 400 / 5000
    assert sizes(40_000, 10**6) == (4_000, 4_000)
    assert sizes(10**6, 10**6, share=0.5) == (6_325, 6_325)  # sqrt(40 / 10^6) of 10^6
    assert sizes(100, 10**6) == (100, SMALL)  # 400 / 1, but at least so many


@given(st.integers(1, 400_000), st.integers(1, 400_000), st.sampled_from(SHARES_OF_PARTNERS))
@settings(max_examples=80)
def test_samples_are_the_fewest_rows_that_hold_enough_examples(source_count, target_count, share):
    """N_t p_t p_s r = K, each share at most 1: against all sizes of the source's sample."""
    of_source, of_target = sizes(source_count, target_count, share)
    if max(source_count, target_count) <= SMALL:
        return
    assert of_source <= source_count and of_target <= target_count
    assert of_source >= min(SMALL, source_count) and of_target >= min(SMALL, target_count)
    wanted = EXAMPLES_NEEDED / (1 - 0.8)
    whole = target_count * share
    expected = (of_target + 0.5) * share * (of_source + 0.5) / source_count
    assert expected >= min(wanted, whole) * 0.999
    fewest = min(
        size + needed
        for size in {*range(1, source_count + 1, 50), source_count}
        if (needed := wanted / share * source_count / size) <= target_count or size == source_count
    )
    least = min(SMALL, source_count) + min(SMALL, target_count)
    assert of_source + of_target <= max(fewest, least) + SMALL


def test_samples_depend_on_the_seed_alone():
    source, target = (Side({"x": [f"{name}{number}" for number in range(4000)]}) for name in "st")
    first, again, other = (sample(source, target, 0.5, seed) for seed in (1, 1, 2))
    assert first == again != other
    for rows, side in zip(first, (source, target), strict=True):
        assert rows == sorted(set(rows)) and set(rows) <= set(side.rows)
        assert SMALL <= len(rows) < 4000


copies = st.lists(st.integers(0, 2), min_size=1, max_size=6).map(lambda numbers: Side({"x": [str(n) for n in numbers]}))


@given(copies, copies, st.data())
def test_expanded_pairs_are_those_of_all_copies(left, right, data):
    every = [(one, other) for one in left.rows for other in right.rows]
    pairs = data.draw(st.lists(st.sampled_from(every), unique=True))
    found = expanded(pairs, left, right)
    assert found.shape[0] == 3
    expected = {
        (one, other, number)
        for number, (first, second) in enumerate(pairs)
        for one in range(len(left.columns["x"]))
        for other in range(len(right.columns["x"]))
        if left.cells("x", one) == left.cells("x", first) and right.cells("x", other) == right.cells("x", second)
    }
    assert sorted(map(tuple, found.T.tolist())) == sorted(expected)


def test_columns_of_different_lengths_are_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="shorter"):
        Side({"x": ["a", "b"], "y": ["a"]})
