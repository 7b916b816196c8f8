"""Keys of several columns: larger tables than the contract's, every mode, the limit, and what hits say."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere import compiled
from mere.answers import best
from mere.errors import QueryError, UsageError
from mere.indexes import composite
from mere.indexes.composite import numpy as descent
from mere.indexes.composite import plan
from mere.indexes.composite.build import STRIDE
from mere.indexes.composite.matches import Wanted
from mere.indexes.composite.plan import MOST_COLUMNS, Question, composite_probe
from mere.indexes.composite.row_super_keys import super_keys_of
from mere.indexes.composite.super_keys import Recipe, patterns
from mere.pipeline import Settings
from mere.segments import Facts, Table, digest, summarise
from mere.store import Strings
from mere.values import hash_values
from tests.kinds.harness import ask, build_parts, dicts, folder
from tests.oracles.composite import brute, columns_of

KIND = composite.Composite()


def tables_of(frames: dict[str, dict[str, list[Any]]]) -> list[Table]:
    """Tables as a lake keeps them."""
    stretches = [pa.table({n: pa.array(c, pa.string()) for n, c in frame.items()}) for frame in frames.values()]
    return summarise([Facts(name, "", name) for name in frames], digest(stretches))


def random_lake(seed: int) -> tuple[list[Table], random.Random]:
    """Tables of a few hundred rows over few values, so that mappings compete; some with duplicate columns and nulls."""
    chance = random.Random(seed)
    frames = {}
    for number in range(chance.randint(2, 5)):
        rows, width = chance.choice([1, 20, 150, 400]), chance.randint(2, 6)
        domains = [[f"{chance.choice('abc')}{i}" for i in range(chance.choice([1, 2, 5, 30]))] for _ in range(width)]
        columns = [[chance.choice(domain) for _ in range(rows)] for domain in domains]
        if width > 2 and chance.random() < 0.5:
            columns[chance.randrange(width)] = list(columns[0])
        columns[-1] = [None if chance.random() < 0.2 else cell for cell in columns[-1]]
        names = chance.sample(["x", "y", "z", "u", "v", "w"], width)
        frames[f"t{number}"] = dict(zip(names, columns, strict=True))
    return tables_of(frames), chance


def random_key(tables: list[Table], chance: random.Random) -> list[list[str | None]]:
    columns = columns_of(chance.choice(tables))
    chosen = [chance.choice(columns) for _ in range(chance.randint(1, 4))]
    rows = chance.sample(range(len(chosen[0])), chance.randint(0, len(chosen[0])))
    key = [[column[row] for row in rows] for column in chosen]
    for _ in range(chance.randint(0, 20)):  # rows whose parts come from different rows
        for column, cells in zip(key, chosen, strict=True):
            column.append(chance.choice(cells))
    return key


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_every_mode_agrees_with_brute_force_where_many_mappings_compete(seed: int) -> None:
    tables, chance = random_lake(seed)
    trained = KIND.train(tables, {})
    with folder() as path:
        parts = build_parts(KIND, path, [tables[::2], tables[1::2]], trained, {})
        for _ in range(3):
            key = random_key(tables, chance)
            headers = sorted({name for table in tables for name in table.columns.names})
            on = chance.choice([None, [chance.choice(headers) for _ in key]])
            query = {"columns": key, "on": on, "k": chance.choice([0, 1, 2, 10])}
            truth = [(hit.table, hit.columns, hit.score) for hit in brute(query, tables)]
            for mode in composite.MODES:
                for kernels in (True, False) if mode == "auto" else (True,):
                    with patch.object(compiled, "ready", lambda *_, kernels=kernels: kernels):
                        hits = ask(KIND, parts, {**query, "mode": mode}, query["k"])
                    assert [(hit.table, hit.columns, hit.score) for hit in hits] == truth, mode


WIDE = {f"c{i:02d}": [str((row * (i + 3) + row // 7) % 3) for row in range(60)] for i in range(12)}
TANGLED = [WIDE[name][shift : shift + 40] for shift, name in enumerate(["c03", "c05", "c07", "c08"])]  # no row fits all


@pytest.mark.parametrize("kernels", [True, False])
def test_a_search_that_is_cut_short_gives_a_lower_bound_and_a_note(kernels: bool) -> None:
    tables = tables_of({"wide": WIDE})
    query = {"columns": TANGLED, "k": 1}
    with folder() as path, patch.object(compiled, "ready", lambda *_: kernels):
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        [complete] = ask(KIND, parts, query, 1)
        assert complete.exact and complete.score == brute(query, tables)[0].score
        with patch("mere.indexes.composite.search.WORK", 2000):
            probe = KIND.plan(query, parts)
            cut, notes = KIND.search(parts[0], probe, 0.0)
        with patch("mere.indexes.composite.search.WORK", 1):
            cut_at_once = KIND.plan(query, parts)
            nothing, notes_at_once = KIND.search(parts[0], cut_at_once, 0.0)
    assert any("lower bounds" in note for note in notes)
    assert cut and not any(hit.exact for hit in cut)
    assert min(hit.score for hit in cut) > 0 and max(hit.score for hit in cut) <= complete.score
    assert any("left out" in note for note in notes_at_once) and nothing == []


def test_a_wide_table_that_cannot_be_numbered_is_left_to_the_descent_in_every_mode() -> None:
    many = {f"c{i}": [f"v{i}", f"w{i}"] for i in range(400)}
    tables = tables_of({"many": many, "few": {"a": ["v7"], "b": ["v8"]}})
    key = [many[f"c{i}"] for i in range(8)]
    with folder() as path:
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        for mode in composite.MODES:
            [hit] = ask(KIND, parts, {"columns": key, "mode": mode}, 10)
            assert (hit.table, hit.columns, hit.score) == ("many", tuple(f"c{i}" for i in range(8)), 2.0)


def test_rows_of_a_value_are_found_behind_many_values_and_in_every_width() -> None:
    for rows in (200, 300, 70_000):  # rows of one, two and four bytes
        numbers = [f"n{row}" for row in range(rows)]
        halves = [f"h{row // 2}" for row in range(rows)]
        tables = tables_of({"t": {"number": numbers, "half": halves}})
        asked = [0, STRIDE - 1, STRIDE, rows // 2, rows - 1]
        key = [[numbers[row] for row in asked], [halves[row] for row in asked]]
        for kernels in (True, False):
            with folder() as path, patch.object(compiled, "ready", lambda *_, kernels=kernels: kernels):
                parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
                [hit] = ask(KIND, parts, {"columns": key}, 10)
                assert (hit.score, hit.evidence["rows"]) == (5.0, 5)
                for row in asked[:2]:
                    order = descent.order_of(parts[0], 1)
                    assert np.count_nonzero(order == row) == 1


@pytest.mark.parametrize("recipe", ["bloom-128", "xash-128", "xash-512", "table-256", "simhash-128"])
@pytest.mark.parametrize("kernels", [True, False])
def test_the_super_key_only_prunes_and_evidence_counts_how_much(recipe: str, kernels: bool) -> None:
    tables, chance = random_lake(5)
    with folder() as path, patch.object(compiled, "ready", lambda *_: kernels):
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {"super_keys": recipe})
        keys = [random_key(tables, chance) for _ in range(10)]
        hits = [hit for key in keys for hit in ask(KIND, parts, {"columns": key, "k": 0, "mode": "mate"}, 0)]
    assert hits
    for hit in hits:
        evidence = hit.evidence
        assert 0 <= evidence["pruned"] <= evidence["checked"] - evidence["rows"]
        assert evidence["rows"] >= evidence["matched_keys"] == hit.score


def test_super_keys_are_the_bits_of_all_values_of_a_row() -> None:
    tables = tables_of({"s": {"a": ["x", None]}, "t": {"a": ["Ann", "Bob", None], "b": ["1", None, None]}})
    with folder() as path:
        [part] = build_parts(KIND, path, [tables], KIND.train(tables, {}), {"super_keys": "xash-256"})
        super_keys = super_keys_of(part)
    values = Strings.of(["x", "ann", "bob", "1"])
    bits = patterns(values, hash_values(values.to_arrow()), Recipe("xash", 256), part.arrays["recipe.ranks"])
    rows = [bits[0], 0 * bits[0], bits[1] | bits[3], bits[2], 0 * bits[0]]
    assert np.array_equal(super_keys, np.array(rows))
    assert not [name for name in part.arrays if name.startswith("super")]  # a tenth of an index, which only mate needs


@pytest.mark.parametrize("kernels", [True, False])
def test_rows_are_pruned_by_their_super_keys_and_counted(kernels: bool) -> None:
    words = [f"word{i}" for i in range(50)]
    tables = tables_of({"t": {"a": ["x"] * 50, "b": words}})
    query = {"columns": [["x"] * 2, ["word7", "word8"]], "mode": "mate"}
    with folder() as path, patch.object(compiled, "ready", lambda *_: kernels):
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {"super_keys": "bloom-512"})
        [hit] = ask(KIND, parts, query, 10)
        assert hit.evidence["checked"] == hit.evidence["rows"] == 2 and hit.evidence["pruned"] == 0
        query = {"columns": [["x", "z", "y"], ["word7", "word8", "word9"]], "mode": "mate"}
        [hit] = ask(KIND, parts, {**query, "columns": query["columns"][::-1]}, 10)
        assert (hit.evidence["checked"], hit.evidence["pruned"]) == (3, 2)  # word8 and word9 stand beside x
        with patch("mere.indexes.composite.evidence.MOST_PAIRS", 1):
            [hit] = ask(KIND, parts, {**query, "columns": query["columns"][::-1]}, 10)
            assert hit.evidence["checked"] == 1 and hit.evidence["matched_keys"] == 1
            assert hit.evidence["candidates"] == 3
        [hit] = ask(KIND, parts, {**query, "mode": "auto"}, 10)
        assert "candidates" in hit.evidence and not {"checked", "pruned"} & set(hit.evidence)


@pytest.mark.parametrize("kernels", [True, False])
def test_columns_that_are_all_alike_are_found_at_once_whatever_their_order(kernels: bool) -> None:
    alike = {f"c{i:02d}": ["1"] for i in reversed(range(30))}
    tables = tables_of({"t": alike})
    with folder() as path, patch.object(compiled, "ready", lambda *_: kernels):
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        [hit] = ask(KIND, parts, {"columns": [["1"]] * 8}, 10)
    assert hit.exact and hit.columns == tuple(f"c{i:02d}" for i in range(8))


def test_where_numpy_takes_too_long_the_kernels_answer() -> None:
    tables = tables_of({"wide": WIDE})
    query = {"columns": TANGLED}
    with folder() as path:
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        asked = Question.of(composite_probe(query, []))
        ids = parts[0].segment.dictionary.find(asked.values, asked.hashes)
        with patch.object(compiled, "is_worth_loading", lambda *_: True), pytest.raises(descent.TookTooLong):
            list(descent.Descent(parts[0], asked, ids).best_tables(Wanted(np.ones(12, bool), 0, 1)))
        late = patch.object(descent.Descent, "best_tables", side_effect=descent.TookTooLong)
        with late, patch.object(compiled, "ready", lambda *_: False):
            [hit] = ask(KIND, parts, query, 10)
    assert hit.exact and hit.score == brute(query, tables)[0].score


def test_a_huge_k_asks_for_everything_and_costs_nothing() -> None:
    tables = tables_of({f"t{i}": {"a": ["1"], "b": ["2"]} for i in range(5)})
    with folder() as path:
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        for mode in composite.MODES:
            assert len(ask(KIND, parts, {"columns": [["1"], ["2"]], "k": 10**15, "mode": mode}, 10**15)) == 5


def test_too_many_mappings_to_note_are_left_to_the_descent_in_every_mode() -> None:
    alike = {f"c{i:02d}": ["1", "2"] for i in range(40)}
    tables = tables_of({"t": alike})
    with folder() as path:
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        for mode in composite.MODES:
            [hit] = ask(KIND, parts, {"columns": [["1", "2"]] * 6, "mode": mode}, 10)
            assert (hit.score, hit.columns[0]) == (2.0, "c00")


def test_evidence_names_the_mapping_and_gives_keys_that_do_and_do_not_match() -> None:
    tables = tables_of({"t": {"when": ["2001", "2002", "2002"], "who": ["Ann", "Bob", "bob "], "no": ["1", "2", "3"]}})
    query = {"columns": [["ann", "Bob", "Cid", None], ["2001", "2002", "2003", "2001"]], "on": ["name", "year"]}
    with folder() as path:
        [hit] = ask(KIND, build_parts(KIND, path, [tables], KIND.train(tables, {}), {}), query, 10)
    assert hit.columns == ("who", "when") and hit.score == 2.0
    assert hit.evidence["mapping"] == {"name": "who", "year": "when"}
    assert hit.evidence["matched"] == [["ann", "2001"], ["bob", "2002"]]
    assert hit.evidence["unmatched"] == [["cid", "2003"]]
    assert hit.evidence["fan_out"]["shape"] == "one-to-many" and hit.evidence["rows"] == 3
    assert hit.evidence["share"] == 2 / 3


def test_of_equally_good_mappings_the_first_by_name_counts() -> None:
    tables = tables_of({"t": {"b": ["1", "2"], "a": ["1", "2"], "d": ["x", "y"], "c": ["x", "y"]}})
    with folder() as path:
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        for mode in composite.MODES:
            [hit] = ask(KIND, parts, {"columns": [["x", "y"], ["1", "2"]], "mode": mode}, 10)
            assert hit.columns == ("c", "a")


def test_the_same_column_is_never_used_twice() -> None:
    tables = tables_of({"one": {"a": ["1", "2"]}, "two": {"a": ["1", "2"], "b": ["1", "2"]}})
    with folder() as path:
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        hits = ask(KIND, parts, {"columns": [["1", "2"], ["1", "2"]]}, 10)
    assert [(hit.table, hit.columns) for hit in hits] == [("two", ("a", "b"))]


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(
        st.tuples(*(st.sampled_from([None, "a", "b", "C", "c ", "1", "1.0", ""]) for _ in range(3))), max_size=30
    ),
    levels=st.integers(1, 3),
)
def test_the_tree_holds_every_distinct_key_once(rows: list[tuple[str | None, ...]], levels: int) -> None:
    columns = [[row[i] for row in rows] for i in range(levels)]
    asked = Question.of(composite_probe({"columns": columns}, []))
    keys = [tuple(asked.key(path)) for path in asked.paths()]
    normal = {"C": "c", "c ": "c", "1.0": "1", "": None}
    truth = [tuple(normal.get(cell, cell) for cell in row[:levels]) for row in rows]
    truth = [key for key in truth if None not in key]
    assert sorted(keys) == sorted(set(truth))
    assert {key: int(count) for key, count in zip(keys, asked.counts, strict=True)} == {
        key: truth.count(key) for key in set(truth)
    }
    assert asked.tree.keys[0] == len(keys)
    for level, place in enumerate(asked.levels):
        span = slice(asked.tree.starts[level], asked.tree.starts[level + 1])
        weights = dict(
            zip(asked.values.slice(span.start, span.stop).tolist(), asked.weights[span].tolist(), strict=True)
        )
        assert weights == {value: sum(key[place] == value for key in keys) for value in weights}


def test_steps_too_many_to_be_numbered_together_are_numbered_anew() -> None:
    chance = np.random.default_rng(3)
    steps = [chance.integers(0, 50, 300) for _ in range(4)]
    huge = plan._combined(steps, [1 << 40, 50, 1 << 30, 50])
    assert np.array_equal(np.argsort(huge, kind="stable"), np.lexsort(steps[::-1]))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"columns": [["a"]], "mode": "josie"}, "no mode 'josie' for a key"),
        ({"columns": []}, "a key of 0 columns"),
        ({"columns": [["a"]] * (MOST_COLUMNS + 1)}, "a key of 9 columns"),
        ({"columns": [["a"], ["a", "b"]]}, "different lengths"),
        ({"columns": [["a"]], "threshold": 2}, "'threshold' must be"),
        ({"columns": [["a"]], "per": "column"}, "by tables, not by columns"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(query: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        composite_probe(query, [])


def test_an_unknown_recipe_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match="xash-100"):
        Settings(super_keys="xash-100")


def test_a_key_without_a_whole_row_finds_nothing_and_says_why() -> None:
    tables = tables_of({"t": {"a": ["x"], "b": ["y"]}})
    with folder() as path:
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        probe = KIND.plan({"columns": [["x", None], [None, "y"]]}, parts)
        assert KIND.search(parts[0], probe, 0.0).hits == []
    assert probe["notes"] == ["no row has a value in every column of the key"]


def test_a_bound_from_elsewhere_saves_work_but_loses_no_tie() -> None:
    frames = {f"t{i}": {"a": [str(n) for n in range(5)], "b": [str(n) for n in range(5)]} for i in range(4)}
    tables = tables_of(frames)
    query = {"columns": [[str(n) for n in range(5)]] * 2, "k": 2}
    with folder() as path:
        parts = build_parts(KIND, path, [tables], KIND.train(tables, {}), {})
        probe = KIND.plan(query, parts)
        assert [hit.table for hit in best(KIND.search(parts[0], probe, 5.0).hits, 2)] == ["t0", "t1"]
        assert KIND.search(parts[0], probe, 6.0).hits == []
        assert len(dicts(ask(KIND, parts, {**query, "k": 0}, 0))) == 4
