"""The contract of every kind: register a kind, give it a case, and all of these tests run on it.

Every answer is made by `search.asking.ask.lazy_answer`, the function behind every surface.
"""

from __future__ import annotations

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere import compiled
from mere.answers import JOIN_FIELDS, Found, Hit, Hits, Merged, found_from_dict, found_to_dict
from mere.errors import Corrupt
from mere.indexes import KINDS
from mere.indexes.kind import Kind, Part, explained, open_part
from mere.indexes.probe import packed, unpacked
from mere.pipeline.batch import search_on
from mere.pipeline.engine import Engine, Inline, Spark
from mere.search.asking import ask as search_ask
from mere.segments import Segment
from tests.kinds.cases import CASES, Case
from tests.kinds.harness import answer, answered, ask, build_parts, build_segment, dicts, file_of, folder
from tests.kinds.lakes import cuts, lakes

every_kind = pytest.mark.parametrize("name", sorted(KINDS))


def generated(examples: int) -> Any:
    """Hypothesis makes this many lakes; a failure prints the seed that repeats it."""
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
        queries = self.case.queries(self.tables)
        self.queries = data.draw(st.lists(queries, min_size=questions, max_size=questions), label="questions")

    def results(self, parts: list[Any]) -> list[Found]:
        return [answered(self.kind, parts, query, self.case.k(query)) for query in self.queries]

    def answers(self, parts: list[Any]) -> list[list[Hit]]:
        return [result.hits for result in self.results(parts)]

    def documents(self, parts: list[Any]) -> list[Any]:
        """Hits and notes as JSON: they must not depend on segments, threads or executors."""
        return [found_to_dict(result) for result in self.results(parts)]


def test_every_kind_has_a_case() -> None:
    assert set(CASES) == set(KINDS)
    assert list(KINDS) == [kind.name for kind in KINDS.values()]


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
def test_dead_tables_never_answer_and_do_not_change_other_answers(name: str, data: Any) -> None:
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
@generated(60)
@given(data=st.data())
def test_many_threads_give_the_same_answers_as_one(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path:
        groups = data.draw(cuts(trial.tables), label="cuts")
        parts = build_parts(trial.kind, path, groups, trial.trained, trial.settings)
        alone = trial.documents(parts)
        with patch.object(search_ask, "THREADS_FROM", 0):
            assert trial.documents(parts) == alone


@every_kind
@generated(25)
@given(data=st.data())
def test_questions_asked_at_the_same_time_do_not_disturb_each_other(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path:
        parts = build_parts(trial.kind, path, [[table] for table in trial.tables], trial.trained, trial.settings)
        alone = trial.documents(parts)
        fresh = [open_part(trial.kind, Segment(p.segment.folder, p.segment.entry), p.live) for p in parts]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _: trial.documents(fresh), range(8)))
    assert together == [alone] * 8


@every_kind
@generated(100)
@given(data=st.data())
def test_compiled_kernels_give_the_same_answers_as_numpy(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path, folder() as other:
        answers = []
        for place, kernels in ((path, True), (other, False)):
            with patch.object(compiled, "ready", lambda *_, kernels=kernels: kernels):
                parts = build_parts(trial.kind, place, [trial.tables], trial.trained, trial.settings)
                answers.append([dicts(hits) for hits in trial.answers(parts)])
        assert answers[0] == answers[1]


@pytest.mark.spark
@every_kind
@generated(25)
@given(data=st.data())
def test_executors_give_the_same_answers_as_this_process(name: str, data: Any, spark: Any) -> None:
    compare_with_tasks(name, data, Spark(spark))


@every_kind
@generated(40)
@given(data=st.data())
def test_tasks_in_this_process_give_the_same_answers(name: str, data: Any) -> None:
    compare_with_tasks(name, data, Inline())


def compare_with_tasks(name: str, data: Any, engine: Engine) -> None:
    trial = Trial(name, data)
    with folder() as lake:
        dead = data.draw(st.frozensets(st.sampled_from([table.facts.name for table in trial.tables])), label="dead")
        groups = data.draw(cuts(trial.tables), label="cuts")
        parts = build_parts(trial.kind, os.path.join(lake, "segments"), groups, trial.trained, trial.settings, dead)
        here = trial.documents(parts)
        entries = [replace(part.segment.entry, dead=tuple(_dead(part))) for part in parts]
        there = []
        for query in trial.queries:
            question = {"lake": lake, "kind": name, "k": trial.case.k(query), "per": query.get("per", "table")}
            [merged] = search_on(engine, question, [trial.kind.plan(dict(query), parts)], entries)
            there.append(found_to_dict(Found([hit for hit, _ in merged.pairs], merged.notes)))
    assert there == here


def _dead(part: Any) -> list[int]:
    return np.flatnonzero(~part.live).tolist()


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
            probe, per = trial.kind.plan(dict(query), parts), query.get("per", "table")
            everything = ask(trial.kind, parts, query, trial.case.k(query))
            for hit in everything:  # no hit that reaches this one's score may be omitted
                reached = [other for other in everything if other.score >= hit.score]
                merged: Merged[Part] = Merged(len(reached), per)
                for part in parts:
                    merged.add(part, trial.kind.search(part, probe, hit.score))
                assert dicts(explained(trial.kind, probe, merged.pairs)) == dicts(reached)


@every_kind
@generated(120)
@given(data=st.data())
def test_a_probe_and_its_answers_are_the_same_after_json(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path:
        parts = build_parts(trial.kind, path, [trial.tables], trial.trained, trial.settings)
        for query in trial.queries:
            probe = trial.kind.plan(dict(query), parts)
            restored = unpacked(json.loads(json.dumps(packed(probe))))
            per = query.get("per", "table")
            here, there = (found_to_dict(answer(trial.kind, parts, p, 0, per)) for p in (probe, restored))
            assert here == there
            assert found_to_dict(found_from_dict(json.loads(json.dumps(here)))) == here  # and so do the hits


@every_kind
@generated(60)
@given(data=st.data())
def test_a_search_does_not_change_its_probe(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path:
        parts = build_parts(trial.kind, path, [trial.tables], trial.trained, trial.settings)
        for query in trial.queries:
            probe = trial.kind.plan(dict(query), parts)
            before = json.dumps(packed(probe))
            answer(trial.kind, parts, probe, trial.case.k(query), query.get("per", "table"))
            trial.kind.tables(parts[0], probe)
            assert json.dumps(packed(probe)) == before


@every_kind
@generated(60)
@given(data=st.data())
def test_as_a_condition_a_question_misses_no_table(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path, folder() as other:
        [part] = build_parts(trial.kind, path, [trial.tables], trial.trained, trial.settings)
        for query in trial.queries:
            every = {**query, "k": 0, "per": "table"}
            route = trial.kind.route(trial.kind.condition(every), 1)
            answering = KINDS[route.kind]
            trained = answering.train(trial.tables, trial.settings)
            [own] = build_parts(answering, os.path.join(other, route.kind), [trial.tables], trained, trial.settings)
            probe = answering.plan(route.query, [own])
            meeting = answering.tables(own, probe)
            may = {own.segment.names[table] for table in np.flatnonzero(meeting.may).tolist()}
            hits = answering.search(own, probe).hits
            assert {hit.table for hit in trial.kind.search(part, trial.kind.plan(every, [part])).hits} <= may
            unknown = np.isnan(meeting.degree)
            known = {own.segment.names[table] for table in np.flatnonzero(meeting.may & ~unknown).tolist()}
            assert known <= {hit.table for hit in hits} <= may or not all(hit.exact for hit in hits)
            assert not (meeting.sure & ~meeting.may).any()
            assert not (unknown & ~(meeting.may & ~meeting.sure)).any()
            degrees = meeting.degree[~unknown]
            assert ((degrees >= 0) & (degrees <= 1)).all() and (meeting.degree[~meeting.may] == 0).all()
            shutil.rmtree(os.path.join(other, route.kind))


@every_kind
def test_a_kind_declares_what_surfaces_need(name: str) -> None:
    kind = KINDS[name]
    names = [parameter.name for parameter in kind.parameters]
    assert names and len(set(names)) == len(names) and not {"k", "per", "kind", "given"} & set(names)
    assert all(parameter.meaning for parameter in kind.parameters)
    assert all(setting.meaning for setting in kind.settings)
    assert kind.shown and all(column.header for column in kind.shown)
    fields = [field.name for field in kind.fields]
    assert len(set(fields)) == len(fields) and not {"table", "columns", "score", "exact", "evidence"} & set(fields)
    if kind.joins:
        assert set(JOIN_FIELDS) <= set(kind.fields) and {"on", "table"} <= set(names)


@every_kind
@generated(40)
@given(data=st.data())
def test_hits_convert_and_are_shown(name: str, data: Any) -> None:
    trial = Trial(name, data)
    with folder() as path:
        parts = build_parts(trial.kind, path, [trial.tables], trial.trained, trial.settings)
        for result in trial.results(parts):
            searched = {"tables": len(trial.tables), "columns": 0, "segments": 1}
            hits = Hits(name, result.hits, 1, 0.0, searched, result.notes, trial.kind.fields, trial.kind.shown)
            table = hits.to_arrow()
            assert table.num_rows == len(hits)
            assert [field.name for field in trial.kind.fields] == table.column_names[4:-1]
            if trial.kind.joins:
                assert not any(table.column(name).null_count for name in ("shared", "share", "mapping", "matched"))
            assert hits._repr_html_().count("<tr>") == len(hits) + 1


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _ask_one(trial: Trial, segment: Segment) -> None:
    part = open_part(trial.kind, segment, np.ones(segment.table_count, bool))
    ask(trial.kind, [part], trial.queries[0], 0)
