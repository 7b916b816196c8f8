"""Every way to ask a lake gives the same answers: on the demo lake, and where counts pass the edges of their types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mere
from mere.demo import make_lake
from mere.indexes import KINDS
from mere.pipeline import Settings, index, tasks
from mere.pipeline.engine import Inline
from mere.segments import Table, write_segment
from tests.conftest import write_files
from tests.kinds import same_answers
from tests.kinds.same_answers import MAKERS, OTHERS, REFERENCE, WAYS, Question, answers, differences, questions_of

EDGES = (1, 254, 255, 256, 65_534, 65_535, 65_536)  # rows of a value, where a byte and two bytes end
HUGE = (*EDGES, 2**31 - 1, 2**31, 2**32 - 1)  # and where four do: no test can have so many rows
COUNTRIES = ["Austria", "Chile", "Peru", "Namibia", "Nepal", "Ghana", "Tonga", "Malta", "Qatar", "Yemen"]


def rows_of(counts: dict[str, int]) -> str:
    names = [name for name, count in counts.items() for _ in range(count)]
    return "".join(["country,place\n", *(f"{name},{place}\n" for place, name in enumerate(names))])


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of tables whose values have as many rows as `EDGES` says."""
    folder = tmp_path_factory.mktemp("counted")
    counts = dict(zip(COUNTRIES, EDGES, strict=False))
    few = {"Austria": 1000, "Chile": 300, "Peru": 254}
    yield write_files(folder, {"all.csv": rows_of(counts), "few.csv": rows_of(few), "one.csv": rows_of({"Chile": 255})})


def indexed(sources: list[Path], lake: Path, **settings: Any) -> Path:
    index(sources, lake, engine=Inline(), settings=Settings(**settings))
    return lake


def no_differences(lake: Path, questions: list[Question], **others: Path) -> None:
    assert [str(found) for found in differences(lake, questions, others)] == []


def asked_of(lake: Path, count: int) -> list[Question]:
    with mere.open(lake) as opened:
        return questions_of(opened, count)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make_lake(tmp_path_factory.mktemp("demo")).sources


def test_the_demo_lake_answers_the_same_in_all_ways(demo: list[Path], tmp_path: Path) -> None:
    lake, divided = indexed(demo, tmp_path / "lake"), indexed(demo, tmp_path / "divided", segment_bytes=1 << 16)
    questions = asked_of(lake, 45)
    no_differences(lake, questions, divided=divided)
    found = {q.kind for q, right in zip(questions, answers(lake, questions), strict=True) if right.get("hits")}
    assert found == {*KINDS, *OTHERS} == set(MAKERS), "questions of every kind have hits"
    assert asked_of(lake, 30) == questions[:30], "a question does not depend on how many there are"


def test_counts_at_the_edges_of_their_types_are_the_same_in_all_ways(counted: Path, tmp_path: Path) -> None:
    lake, divided = indexed([counted], tmp_path / "lake"), indexed([counted], tmp_path / "divided", segment_bytes=1)
    questions = asked_of(lake, 36)
    mine = [Question(kind, COUNTRIES[:7], {"k": 0}) for kind in ("overlap", "containment", "similar")]
    no_differences(lake, [*questions, *mine], divided=divided)


def test_rows_of_joins_are_counted_after_warming(counted: Path, tmp_path: Path) -> None:
    asked = ["Austria", "Chile", "Peru"]
    with mere.open(indexed([counted], tmp_path / "lake")) as lake:
        lake.warm()
        found = [
            lake.overlap(asked, table="few.csv"),
            lake.containment(asked, table="few.csv"),
            lake.containment(asked, table="few.csv", exact=False),
            lake.joinable(asked, table="few.csv"),
            lake.explain("overlap", asked, ("few.csv", "country")),
        ]
    assert [hits[0].evidence["fan_out"]["rows"] for hits in found] == [1554] * 5


def with_counts(table: Table) -> Table:
    counts = np.resize(np.array(HUGE, np.uint32), len(table.sets.counts))
    return replace(table, sets=replace(table.sets, counts=counts))


def test_counts_of_billions_are_the_same_in_all_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables have few rows; the counts that are stored say that their values have billions."""
    monkeypatch.setattr(
        tasks, "write_segment", lambda path, tables: write_segment(path, [with_counts(table) for table in tables])
    )
    raw = write_files(tmp_path / "raw", {"a.csv": rows_of(dict.fromkeys(COUNTRIES, 1))})
    lake = indexed([raw], tmp_path / "lake")
    mine = Question("overlap", COUNTRIES * 3, {"k": 0})
    by_counts = [q for q in asked_of(lake, 27) if q.kind in ("overlap", "containment", "similar", "joinable")]
    no_differences(lake, [mine, *by_counts])
    [answer] = answers(lake, [mine])
    assert answer["hits"][0]["evidence"]["fan_out"]["rows"] == 3 * sum(HUGE)


def test_a_batch_advises_as_a_question_does(counted: Path, tmp_path: Path) -> None:
    question = Question("keywords", '"country" "Austria Peru"', {"k": 10})
    lake = indexed([counted], tmp_path / "lake")
    [right], [batched] = (list(answers(lake, [question], way)) for way in (REFERENCE, WAYS["tasks"]))
    assert right["hits"] == [] and "leave out" in right["notes"][-1] and batched == right


def test_a_difference_in_the_evidence_is_reported_with_its_place(
    counted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def saturated(lake: mere.Lake, question: Question) -> Any:
        answer = same_answers.asked(lake, question)
        answer["hits"][0]["evidence"]["fan_out"]["rows"] = 764
        return answer

    monkeypatch.setitem(WAYS, "saturated", REFERENCE._replace(ask=saturated))  # type: ignore[arg-type]
    question = Question("overlap", ["Austria", "Chile", "Peru"], {"table": "few.csv"})
    [found] = differences(indexed([counted], tmp_path / "lake"), [question])
    assert found == (question, "saturated", "answer.hits[0].evidence.fan_out.rows: 1554, 764")
