"""The law of the kinds.  Register a kind, give it a case, and all of this is asked of it."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere import compiled
from mere.answers import Hit, best
from mere.errors import Corrupt
from mere.indexes import KINDS
from mere.indexes.kind import Kind, open_part, packed, unpacked
from mere.pipeline.engine import Spark
from mere.segments import Segment
from tests.kinds.cases import CASES, Case
from tests.kinds.harness import ask, build_parts, build_segment, dicts, file_of, folder, search
from tests.kinds.lakes import cuts, lakes

every_kind = pytest.mark.parametrize("name", sorted(KINDS))


def generated(examples: int) -> Any:
    """So many lakes; a failure prints the seed that replays it."""
    quiet = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=None, print_blob=True, suppress_health_check=quiet)


class Trial:
    """One generated lake, its settings and some questions."""

    def __init__(self, name: str, data: Any, questions: int = 3) -> None:
        self.kind: Kind = KINDS[name]
        self.case: Case = CASES[name]
        self.tables = data.draw(lakes(), label="lake")
        self.settings = data.draw(st.sampled_from(self.case.settings), label="settings")
        self.trained = self.kind.train(self.tables, self.settings)
        one = self.case.queries(self.tables)
        self.queries = data.draw(st.lists(one, min_size=questions, max_size=questions), label="questions")

    def answers(self, parts: list[Any]) -> list[list[Hit]]:
        return [ask(self.kind, parts, query, self.case.k(query)) for query in self.queries]


def test_every_kind_has_a_case() -> None:
    assert set(CASES) == set(KINDS)
    assert all(kind.name == name for name, kind in KINDS.items())


@every_kind
@generated(320)
@given(data=st.data())
def test_agrees_with_brute_force(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path:
        answers = trial.answers(build_parts(trial.kind, path, [trial.tables], trial.trained, trial.settings))
    for query, hits in zip(trial.queries, answers, strict=True):
        truth = trial.case.brute(query, trial.tables, trial.settings, trial.trained)
        assert [(hit.table, hit.columns) for hit in hits] == [(hit.table, hit.columns) for hit in truth]
        for hit, true in zip(hits, truth, strict=True):
            assert hit.score == pytest.approx(true.score, rel=trial.case.tolerance, abs=trial.case.tolerance)
            assert all(hit.evidence.get(key) == true.evidence.get(key) for key in trial.case.evidence)


@every_kind
@generated(200)
@given(data=st.data())
def test_answers_do_not_depend_on_segmentation(name: str, data: Any) -> None:
    trial = Trial(name, data)
    ways = [[trial.tables], [[table] for table in trial.tables], data.draw(cuts(trial.tables), label="cuts")]
    answers = []
    for groups in ways:
        with folder() as path:
            parts = build_parts(trial.kind, path, groups, trial.trained, trial.settings)
            answers.append([dicts(hits) for hits in trial.answers(parts)])
    assert answers[0] == answers[1] == answers[2]


@every_kind
@generated(120)
@given(data=st.data())
def test_dead_tables_never_answer_and_do_not_change_the_living(name: str, data: Any) -> None:
    trial = Trial(name, data)
    names = [table.facts.name for table in trial.tables]
    dead = frozenset(data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True), label="dead"))
    living = [table for table in trial.tables if table.facts.name not in dead]
    with folder() as path, folder() as other:
        groups = data.draw(cuts(trial.tables), label="cuts")
        with_dead = trial.answers(build_parts(trial.kind, path, groups, trial.trained, trial.settings, dead))
        without = trial.answers(
            build_parts(trial.kind, other, [living] if living else [], trial.trained, trial.settings)
        )
        assert [dicts(hits) for hits in with_dead] == [dicts(hits) for hits in without]


@every_kind
@generated(120)
@given(data=st.data())
def test_the_same_tables_give_the_same_bytes_in_any_order_and_after_compaction(name: str, data: Any) -> None:
    trial = Trial(name, data, questions=1)
    shuffled = data.draw(st.permutations(trial.tables), label="order")
    with folder() as path:
        first = build_segment(trial.kind, os.path.join(path, "a"), trial.tables, trial.trained, trial.settings)
        build_segment(trial.kind, os.path.join(path, "b"), shuffled, trial.trained, trial.settings)
        stored = [first.table(number) for number in range(first.table_count)]
        build_segment(trial.kind, os.path.join(path, "c"), stored, trial.trained, trial.settings)
        a, b, c = (_bytes(file_of(trial.kind, os.path.join(path, which))) for which in "abc")
    assert a == b == c


@every_kind
@generated(120)
@given(data=st.data())
def test_a_flipped_byte_is_reported_with_the_name_of_the_file(name: str, data: Any) -> None:
    trial = Trial(name, data, questions=1)
    with folder() as path:
        segment = build_segment(trial.kind, os.path.join(path, "s"), trial.tables, trial.trained, trial.settings)
        file = file_of(trial.kind, segment.folder)
        content = bytearray(_bytes(file))
        near_the_end = st.integers(max(0, len(content) - 40), len(content) - 1)
        place = data.draw(st.one_of(st.integers(0, len(content) - 1), near_the_end), label="place")
        content[place] ^= data.draw(st.integers(1, 255), label="flip")
        with open(file, "wb") as handle:
            handle.write(content)
        with pytest.raises(Corrupt, match=f"{trial.kind.name}.idx"):
            _ask_one(trial, Segment(segment.folder, segment.entry))


@every_kind
@generated(10)
@given(data=st.data())
def test_a_missing_file_is_reported_by_its_name(name: str, data: Any) -> None:
    trial = Trial(name, data, questions=1)
    with folder() as path:
        segment = build_segment(trial.kind, os.path.join(path, "s"), trial.tables, trial.trained, trial.settings)
        os.unlink(file_of(trial.kind, segment.folder))
        with pytest.raises(Corrupt, match=f"{trial.kind.name}.idx"):
            _ask_one(trial, segment)


@every_kind
@generated(25)
@given(data=st.data())
def test_threads_give_the_same_answers_as_one_after_the_other(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path:
        parts = build_parts(trial.kind, path, [[table] for table in trial.tables], trial.trained, trial.settings)
        alone = [dicts(hits) for hits in trial.answers(parts)]
        fresh = [open_part(trial.kind, Segment(p.segment.folder, p.segment.entry), p.live) for p in parts]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _: [dicts(hits) for hits in trial.answers(fresh)], range(8)))
    assert all(answer == alone for answer in together)


@every_kind
@generated(100)
@given(data=st.data())
def test_compiled_kernels_give_the_same_answers_as_numpy(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path, folder() as other:
        answers = []
        for room, kernels in ((path, True), (other, False)):
            with patch.object(compiled, "ready", lambda *_, kernels=kernels: kernels):
                parts = build_parts(trial.kind, room, [trial.tables], trial.trained, trial.settings)
                answers.append([dicts(hits) for hits in trial.answers(parts)])
        assert answers[0] == answers[1]


@pytest.mark.spark
@every_kind
@generated(25)
@given(data=st.data())
def test_executors_give_the_same_answers_as_this_process(name: str, data: Any, spark: Any) -> None:
    trial = Trial(name, data)
    with folder() as lake:
        rooms = os.path.join(lake, "segments")
        dead = data.draw(st.frozensets(st.sampled_from([table.facts.name for table in trial.tables])), label="dead")
        groups = data.draw(cuts(trial.tables), label="cuts")
        parts = build_parts(trial.kind, rooms, groups, trial.trained, trial.settings, dead)
        here = [dicts(hits) for hits in trial.answers(parts)]
        probes = [packed(trial.kind.plan(query, parts)) for query in trial.queries]
        common = {"lake": lake, "kind": name, "probes": probes, "k": 0, "per": "table"}
        payloads = [{**common, "segment": {**p.segment.entry, "dead": _dead(p)}} for p in parts]
        results = Spark(spark).run("search", payloads)
        there = [_merged(results, i, trial.case.k(query)) for i, query in enumerate(trial.queries)]
    assert there == here


def _dead(part: Any) -> list[int]:
    return np.flatnonzero(~part.live).tolist()


def _merged(results: list[Any], question: int, k: int) -> list[Any]:
    hits = [hit for result in results for hit in result["answers"][question]]
    return dicts(best([Hit(**{**hit, "columns": tuple(hit["columns"]), "tie": tuple(hit["tie"])}) for hit in hits], k))


@every_kind
@generated(120)
@given(data=st.data())
def test_a_bound_never_changes_the_best(name: str, data: Any) -> None:
    trial = Trial(name, data, questions=2)
    with folder() as path:
        parts = build_parts(
            trial.kind, path, data.draw(cuts(trial.tables), label="cuts"), trial.trained, trial.settings
        )
        for query in trial.queries:
            probe = trial.kind.plan(query, parts)
            everything = ask(trial.kind, parts, query, trial.case.k(query))
            for hit in everything:  # whatever was known so far: no hit as good as this one may be lost
                reached = [h for h in everything if h.score >= hit.score]
                assert dicts(search(trial.kind, parts, probe, len(reached), hit.score)) == dicts(reached)


@every_kind
@generated(120)
@given(data=st.data())
def test_a_probe_survives_the_journey_as_json(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path:
        parts = build_parts(trial.kind, path, [trial.tables], trial.trained, trial.settings)
        for query in trial.queries:
            probe = trial.kind.plan(query, parts)
            travelled = unpacked(json.loads(json.dumps(packed(probe))))
            here, there = (search(trial.kind, parts, p, 0, float("-inf")) for p in (probe, travelled))
            assert dicts(here) == dicts(there)
            json.dumps(dicts(here))  # and so do the hits


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _ask_one(trial: Trial, segment: Segment) -> None:
    part = open_part(trial.kind, segment, np.ones(segment.table_count, bool))
    ask(trial.kind, [part], trial.queries[0], 0)
