"""The modes of `overlap`, on graphs of groups and sets larger than the lakes of the contract."""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.compiled import background, code, read_only
from mere.compiled import groups as kernel_groups
from mere.indexes.overlap import Overlap
from mere.indexes.overlap.build import NO_GROUP, _grouped_lists, _set_side
from mere.indexes.overlap.costs import USUAL
from mere.indexes.overlap.josie import best_sets as thesis_sets
from mere.indexes.overlap.kernels import best_sets
from mere.indexes.overlap.numpy import kth_best, merged
from mere.indexes.overlap.records import Costs, Index, Lists, Owners, Wanted, scratch_for
from mere.indexes.overlap.search import groups_of, lists_of
from mere.indexes.sets.duplicate_sets import NO_SET, DistinctSets
from mere.indexes.sets.question import Question, least_overlap
from mere.segments import Facts, code_column, digest, summarise
from mere.store import offsets_of
from tests.kinds.harness import build_parts, folder

COSTS = [
    USUAL,
    Costs(1e6, 1e6, 0.0, 0.0, 0.0),  # lists are expensive and probing is free: probe as soon as that is allowed
    Costs(1e6, 1e6, 1e9, 1e9, 0.0),  # probing is never worth it
    Costs(1e6, 1e5, 1e6, 1e5, 1e3),  # now and then
]


def columns(seed: int, sets: int, words: int, largest: int) -> list[list[str]]:
    """Sets with a few frequent words, many rare ones, and copies of one another."""
    chance = np.random.default_rng(seed)
    made: list[list[str]] = []
    for _ in range(sets):
        if made and chance.random() < 0.2:
            made.append(list(made[chance.integers(len(made))]))
            continue
        size = int(chance.integers(1, largest + 1))
        ranks = (words * chance.random(size) ** 3).astype(int)
        made.append([f"w{rank}" for rank in ranks])
    return made


def build(kind: Any, path: str, made: list[list[str]], per_table: int) -> Any:
    """One segment of tables with so many columns each."""
    several = [made[i : i + per_table] for i in range(0, len(made), per_table)]
    longest = max(len(column) for column in made)
    frames = [
        pa.table({f"c{i}": pa.array(c + [None] * (longest - len(c)), pa.string()) for i, c in enumerate(together)})
        for together in several
    ]
    tables = summarise([Facts(f"t{i:04d}", "", "") for i in range(len(frames))], digest(frames))
    [part] = build_parts(kind, path, [tables], {}, {})
    return part


@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 1 << 30),
    sets=st.sampled_from([1, 5, 40, 200]),
    words=st.sampled_from([3, 30, 400]),
    largest=st.sampled_from([2, 20, 120]),
    per_table=st.sampled_from([1, 4]),
    k=st.sampled_from([0, 1, 3, 10]),
    bound=st.sampled_from([0, 0, 1, 4, 15]),
    costs=st.sampled_from(COSTS),
    by_table=st.booleans(),
)
def test_every_mode_finds_the_same_best(
    seed: int, sets: int, words: int, largest: int, per_table: int, k: int, bound: int, costs: Costs, by_table: bool
) -> None:
    made = columns(seed, sets, words, largest)
    chance = np.random.default_rng(seed + 1)
    asked = made[chance.integers(len(made))] + [f"w{i}" for i in chance.integers(0, 2 * words, 5)]
    with folder() as path:
        part = build(Overlap(), os.path.join(path, "s"), made, per_table)
        column = code_column(pa.array(asked))
        question = Question(column.values, column.hashes, column.counts(), True)
        lists = lists_of(part)
        dead = chance.random(part.segment.column_count) < 0.2
        of_column = part.arrays["set.of_column"]
        number = np.arange(part.segment.column_count) if not by_table else part.segment.table_of_column
        truth = _best(made, asked, number, dead, k, bound)

        owners = _owners(part, number, dead)
        for engine, first in [(best_sets, True), (best_sets, False), (thesis_sets, True), (thesis_sets, False)]:
            with scratch_for(lists, len(number)) as scratch:
                groups = groups_of(part, question, scratch)
                sets_found, overlaps = engine(first, groups, Index(lists, owners, costs), Wanted(k, bound), scratch)
            assert not (scratch.marks.any() or scratch.weights.any() or scratch.counts.any())  # zero again
            answer = dict(zip(sets_found.tolist(), overlaps.tolist(), strict=True))
            for column, owner, overlap in truth:
                assert answer[int(of_column[column])] == overlap, (column, owner)
            assert all(answer[s] == _overlap(made, of_column, s, asked) for s in answer)  # nothing half-counted
            assert scratch.reads[0] <= len(groups)
        counts = merged(part, part.segment.dictionary.find(question.values, question.hashes))
        for column, _, overlap in truth:
            assert counts[of_column[column]] == overlap
        if k and len(truth) >= k:
            alive = np.flatnonzero((np.diff(owners.starts) > 0) & (counts >= max(bound, 1))).astype(np.uint32)
            assert kth_best(alive, counts[alive], owners, k) <= truth[-1][2]


def _best(
    made: list[list[str]], asked: list[str], number: np.ndarray, dead: np.ndarray, k: int, bound: int
) -> list[tuple[int, int, int]]:
    """(column, owner, overlap) of the best column of each of the k best owners, and of all that tie with the last."""
    scored = [(column, int(number[column]), len(set(words) & set(asked))) for column, words in enumerate(made)]
    scored = [entry for entry in scored if entry[2] >= max(1, bound) and not dead[entry[0]]]
    best: dict[int, tuple[int, int, int]] = {}
    for entry in sorted(scored, key=lambda entry: (-entry[2], entry[0])):
        best.setdefault(entry[1], entry)
    ranked = sorted(best.values(), key=lambda entry: -entry[2])
    if k and len(ranked) > k:
        ranked = [entry for entry in ranked if entry[2] >= ranked[k - 1][2]]
    return ranked


def _owners(part: Any, number: np.ndarray, dead: np.ndarray) -> Owners:
    """The owners of the live columns of each set."""
    starts, columns = part.arrays["column.starts"], part.arrays["columns"]
    alive = ~dead[columns]
    edges = np.concatenate([[0], np.cumsum(alive)])[starts]
    return Owners(read_only(edges), read_only(number[columns[alive]].astype(np.uint32)))


def _overlap(made: list[list[str]], of_column: np.ndarray, which: int, asked: list[str]) -> int:
    return len(set(made[int(np.flatnonzero(of_column == which)[0])]) & set(asked))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1 << 30), sets=st.sampled_from([1, 6, 60]), words=st.sampled_from([2, 20, 300]))
def test_groups_are_values_with_one_posting_list_and_sets_are_written_in_them(seed: int, sets: int, words: int) -> None:
    made = columns(seed, sets, words, 40)
    with folder() as path:
        part = build(Overlap(), os.path.join(path, "s"), made, 3)
        arrays = {name: np.array(part.arrays[name]) for name in part.arrays}
        texts = part.segment.dictionary.values.tolist()
    distinct = {frozenset(column) for column in made}
    assert len(arrays["set.sizes"]) == len(distinct)  # columns with equal sets share one
    assert NO_SET not in arrays["set.of_column"]
    where = {word: tuple(sorted(i for i, column in enumerate(made) if word in column)) for word in texts}
    assert NO_GROUP not in arrays["group.of_value"]
    groups = {}
    for word, group in zip(texts, arrays["group.of_value"].tolist(), strict=True):
        assert groups.setdefault(group, where[word]) == where[word]
    assert len(groups) == len(set(where.values()))  # and no two groups have one list
    lengths = np.diff(arrays["list.starts"])
    assert (np.diff(lengths) >= 0).all()  # rare values first
    for column, words_of in enumerate(made):
        which = arrays["set.of_column"][column]
        mine = arrays["set.groups"][arrays["set.starts"][which] : arrays["set.starts"][which + 1]]
        assert (np.diff(mine.astype(np.int64)) > 0).all()
        assert {w for w, g in zip(texts, arrays["group.of_value"], strict=True) if g in mine} == set(words_of)
    _check_after(arrays)


def _check_after(arrays: dict[str, np.ndarray]) -> None:
    """`list.after` counts the values of the set in later groups."""
    sizes = Counter(arrays["group.of_value"].tolist())
    for group in range(len(arrays["list.starts"]) - 1):
        for place in range(arrays["list.starts"][group], arrays["list.starts"][group + 1]):
            which = arrays["list.sets"][place]
            mine = arrays["set.groups"][arrays["set.starts"][which] : arrays["set.starts"][which + 1]].tolist()
            assert arrays["list.after"][place] == sum(sizes[g] for g in mine if g > group)


@given(st.fractions(0, 1).map(float), st.integers(1, 10_000))
def test_the_least_overlap_is_the_least(share: float, size: int) -> None:
    least = least_overlap(share, size)
    assert (least >= 1 and least / size >= share) or least == 1
    assert least == 1 or (least - 1) / size < share


@given(st.integers(1, 200), st.integers(1, 200))
def test_a_share_that_is_reached_exactly_counts(part: int, whole: int) -> None:
    if part <= whole:
        assert least_overlap(part / whole, whole) == part
        assert least_overlap(float(Fraction(part, whole)), whole) == part


def reads_of(ways: dict[str, tuple[bool, Costs]]) -> dict[str, list[int]]:
    """What is read, adaptively or not and with which costs, where one set holds all of a long query, whose frequent
    values occur in every set: its rare values find it."""
    chance = np.random.default_rng(4)
    frequent, rare = np.arange(20), np.arange(20, 120)
    made = [frequent[chance.random(20) < 0.8] for _ in range(20_000)] + [np.arange(120)]
    starts = offsets_of(np.array([len(ids) for ids in made]))
    sets = DistinctSets(np.arange(len(made), dtype=np.uint32), starts, np.concatenate(made).astype(np.uint32))
    group_of_value, list_starts, members, sizes = _grouped_lists(sets, len(frequent) + len(rare))
    side = _set_side(len(made), list_starts, members, sizes)
    side_of_sets = (side["list.after"], side["set.starts"], side["set.groups"], sets.sizes.astype(np.uint32))
    lists = Lists(*(read_only(array) for array in (list_starts, members, *side_of_sets)))
    owners = Owners(read_only(np.arange(len(made) + 1)), read_only(np.arange(len(made), dtype=np.uint32)))
    groups, weights = np.unique(group_of_value, return_counts=True)
    reads = {}
    for name, (adaptive, costs) in ways.items():
        with scratch_for(lists, len(made)) as scratch:
            scratch.weights[groups] = weights
            found, overlaps = best_sets(adaptive, groups, Index(lists, owners, costs), Wanted(1, 0), scratch)
        assert (found.tolist(), overlaps.tolist()) == ([20_000], [120])
        reads[name] = scratch.reads.tolist()
    return reads


def test_the_adaptive_mode_probes_and_reads_less_than_merging() -> None:
    reads = reads_of({"adaptive": (True, USUAL), "merging": (False, USUAL)})
    assert reads["adaptive"][1] < reads["merging"][1] / 10 and reads["adaptive"][2] == 1
    assert reads["merging"][2] == 0


def test_the_adaptive_mode_probes_only_where_the_costs_say_that_it_is_cheaper() -> None:
    reads = reads_of(
        {
            "lists expensive": (True, Costs(1e3, 1e3, 1.0, 1.0, 1.0)),
            "sets expensive": (True, Costs(6.0, 1.0, 1e9, 1e9, 1.0)),
            "nothing costs anything": (True, Costs(0.0, 0.0, 0.0, 0.0, 0.0)),
        }
    )
    assert reads["lists expensive"][2] == 1
    assert reads["sets expensive"][2] == 0
    assert reads["nothing costs anything"][2] == 0


def test_numpy_answers_until_the_kernels_are_compiled_and_answers_stay_the_same(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = columns(8, 60, 40, 20)
    part = build(Overlap(), str(tmp_path / "s"), made, 3)
    jobs: list[Any] = []
    monkeypatch.setattr(kernel_groups, "_states", {})
    monkeypatch.setattr(code, "LOADING", 0.0)
    monkeypatch.setattr(code, "load_cost", lambda group: 0.0)
    monkeypatch.setattr(background, "start", lambda *job: jobs.append(job))

    def answer() -> list[Any]:
        kind = Overlap()
        return list(kind.search(part, kind.plan({"values": made[0], "k": 5}, [part])))

    with monkeypatch.context() as patch:
        patch.setattr("mere.indexes.overlap.kernels.best_sets", _refuse)
        in_numpy = [answer() for _ in range(3)]
    assert list(kernel_groups._states) == ["overlap", "lookup"]
    for work, ended in jobs:
        work()
        ended(None)
    with monkeypatch.context() as patch:
        patch.setattr("mere.indexes.overlap.numpy.best_sets", _refuse)
        assert [answer()] * 3 == in_numpy


def _refuse(*arguments: Any) -> Any:
    raise AssertionError("not to be used now")


def test_an_interrupted_question_does_not_change_the_next_answer(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = columns(8, 60, 40, 20)
    part = build(Overlap(), str(tmp_path / "s"), made, 3)
    query = {"values": made[0], "k": 5}
    kind = Overlap()
    before = list(kind.search(part, kind.plan({**query, "mode": "merge"}, [part])))
    with monkeypatch.context() as patch:
        patch.setattr(
            "mere.indexes.overlap.josie.best_sets", lambda *arguments: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            list(kind.search(part, kind.plan({**query, "mode": "josie"}, [part])))
    assert list(kind.search(part, kind.plan({**query, "mode": "merge"}, [part]))) == before


@pytest.mark.parametrize("mode", ["quick", "", 7])
def test_an_unknown_mode_is_named(mode: Any) -> None:
    from mere.errors import QueryError

    if mode == "":  # no mode is 'auto'
        assert Overlap().plan({"values": ["a"], "mode": mode}, [])["mode"] == "auto"
        return
    with pytest.raises(QueryError, match=f"no mode '{mode}'"):
        Overlap().plan({"values": ["a"], "mode": mode}, [])
