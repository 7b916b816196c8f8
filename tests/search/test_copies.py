"""Copies of a table are grouped: as if the complete list of hits were grouped by hand, whatever the segments."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mere
from mere.answers import Hit, found_to_dict
from mere.cli import run
from mere.errors import UsageError
from mere.indexes import KINDS
from mere.indexes.kind import Kind
from mere.pipeline.engine import Inline
from mere.search.asking import ask as search_ask
from mere.segments import Facts, Table, digest, summarise
from tests.conftest import write_files
from tests.kinds.cases import CASES
from tests.kinds.harness import answer, build_parts, folder, grouped_answer
from tests.kinds.lakes import cuts

WORDS = ["at", "ch", "de", "007", "7", "köln", "人口", "x"]
NAMES = ["code", "name", "Größe"]


@st.composite
def copied_tables(draw: Any) -> list[Table]:
    """Tables of few contents, in many folders; some have a cell, a name or the order of their columns changed."""
    contents = []
    for _ in range(draw(st.integers(1, 3))):
        headers = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
        rows = draw(st.sampled_from([0, 1, 3]))
        contents.append({name: [draw(st.sampled_from([*WORDS, None])) for _ in range(rows)] for name in headers})
    tables, facts = [], []
    for number in range(draw(st.integers(1, 12))):
        columns = {name: list(cells) for name, cells in draw(st.sampled_from(contents)).items()}
        change = draw(st.sampled_from(["", "", "", "cell", "row twice", "order", "name", "letters"]))
        if change == "cell" and columns["code" if "code" in columns else next(iter(columns))]:
            next(iter(columns.values()))[0] = draw(st.sampled_from(WORDS))
        if change == "row twice":
            columns = {name: cells + cells[:1] for name, cells in columns.items()}
        if change == "order":
            columns = dict(reversed(columns.items()))
        if change == "name":
            columns["other"] = columns.pop(next(iter(columns)))
        if change == "letters":  # a header of the same length
            columns = {name[::-1]: cells for name, cells in columns.items()}
        tables.append(pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}))
        place = draw(st.sampled_from(["", "a/", "b/old/", "z/"]))
        path = f"{place}{draw(st.sampled_from(['t', 'table', 'zoo']))}{number}.csv"
        facts.append(Facts(path, "here", path))
    return summarise(facts, digest(tables))


def grouped_by_hand(kind: Kind, hits: list[Hit], tables: list[Table], k: int) -> list[Any]:
    """The complete list of hits, grouped by the definition."""
    by_name = {table.facts.name: table for table in tables}
    groups: dict[Any, list[Hit]] = {}
    for hit in hits:
        table = by_name[hit.table]
        values, starts = table.sets.values.tolist(), table.sets.starts
        sets = [frozenset(values[starts[c] : starts[c + 1]]) for c in range(len(table.columns.names))]
        compared = [table.columns.names.index(name) for name in hit.columns] if kind.joins else range(len(sets))
        key = (tuple(table.columns.names), hit.columns, tuple(sets[c] for c in compared))
        groups.setdefault(key, []).append(hit)
    answer = []
    for members in groups.values():
        first = members[0]
        best = [hit for hit in members if (hit.score, hit.tie) == (first.score, first.tie)]
        shown = min(best, key=lambda hit: (hit.table.count("/"), len(hit.table), hit.table))
        others = sorted({hit.table for hit in members} - {shown.table})
        more = {"copies": len(others), "copied_in": others[:5]}
        answer.append(replace(shown, evidence={**shown.evidence, **more}).to_dict())
    return answer[: k or None]


quiet = settings(max_examples=16, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", [name for name in sorted(KINDS) if name not in ("transform", "distribution")])
@quiet
@given(data=st.data())
def test_groups_are_those_of_the_complete_list_whatever_the_segments(name: str, data: Any) -> None:
    kind, tables = KINDS[name], data.draw(copied_tables(), label="tables")
    trained = kind.train(tables, {})
    query = {**data.draw(CASES[name].queries(tables), label="query")}
    k, per = data.draw(st.sampled_from([0, 1, 1, 2, 3])), query.get("per", "table")
    dead = data.draw(st.frozensets(st.sampled_from([table.facts.name for table in tables]), max_size=3), label="dead")
    answers = []
    for groups in ([tables], [[table] for table in tables], data.draw(cuts(tables), label="cuts")):
        with folder() as path, patch.object(search_ask, "MORE", data.draw(st.sampled_from([2, 4]))):
            parts = build_parts(kind, path, groups, trained, {}, dead)
            found = grouped_answer(kind, parts, kind.plan({**query, "k": k}, parts), k, per)
            with patch.object(search_ask, "THREADS_FROM", 0):
                threads = grouped_answer(kind, parts, kind.plan({**query, "k": k}, parts), k, per)
            everything = answer(kind, parts, kind.plan({**query, "k": 0}, parts), 0, per).hits
        assert found_to_dict(threads)["hits"] == found_to_dict(found)["hits"]
        answers.append([hit.to_dict() for hit in found.hits])
    assert answers[0] == answers[1] == answers[2] == grouped_by_hand(kind, everything, tables, k)


def test_headers_of_the_same_lengths_and_dead_tables_are_no_copies() -> None:
    notes = ("note", "eton", "note", "note")
    frames = [pa.table({"code": ["at", "ch", "de"], note: ["x", "y", "z"]}) for note in notes]
    tables = summarise([Facts(name, "", "") for name in ("a.csv", "b.csv", "c.csv", "d.csv")], digest(frames))
    kind = KINDS["overlap"]
    for groups in ([tables], [[table] for table in tables]):
        with folder() as path:
            parts = build_parts(kind, path, groups, {}, {}, frozenset({"d.csv"}))
            probe = kind.plan({"values": ["at", "ch"], "k": 1}, parts)
            [hit] = grouped_answer(kind, parts, probe, 1, "table").hits
        assert (hit.table, hit.evidence["copies"], hit.evidence["copied_in"]) == ("a.csv", 1, ["c.csv"])


CSV = "code,name\nAT,Austria\nCH,Switzerland\nDE,Germany\n"
FILES = {
    "archive/2019/geo/countries.csv": CSV,
    "archive/2020/geo/countries.csv": CSV,
    "archive/2021/geo/countries.csv": CSV,
    "geo/countries.csv": CSV,
    "geo/two_codes.csv": "code,name\nAT,Austria\nCH,Switzerland\n",
    "geo/with_sizes.csv": "code,name,size\nAT,Austria,9\nCH,Switzerland,9\nDE,Germany,83\n",
    **{f"more/t{number}.csv": CSV.replace("code", f"code{number}") for number in range(4)},
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("copies")
    mere.index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


def counted(hits: Any) -> list[tuple[str, int]]:
    return [(hit.table, hit.evidence["copies"]) for hit in hits]


def test_the_shortest_path_stands_for_its_copies_and_their_number_is_that_of_the_lake(lake: Any) -> None:
    hits = lake.overlap(["at", "ch", "de"], 2, copies=False)
    assert counted(hits) == [("geo/countries.csv", 3), ("geo/with_sizes.csv", 0)]
    assert hits[0].evidence["copied_in"] == [name for name in FILES if name.startswith("archive")]
    assert len(lake.overlap(["at", "ch", "de"], 0, copies=False)) == 7
    assert len(lake.overlap(["at", "ch", "de"], 0)) == 10  # every table


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Forty tables of two contents: ten of the first, then both in turn; and others with the same values."""
    folder = tmp_path_factory.mktemp("many")
    contents = [f"code\nAT\nCH\n{code}\n" for code in ("DE", "FR")]
    files = {f"c{n:02}.csv": contents[n % 2 if n >= 10 else 0] for n in range(40)}
    files["two/equal_columns.csv"] = "left,right\nLU,LU\nSE,SE\n"
    files |= {"a/very/deep/pairs.csv": "x,y\n1a,1b\n2a,2b\n", "pairs.csv": "x,y\n1a,2b\n2a,1b\n1a,1b\n"}
    mere.index([write_files(folder / "raw", files)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


@pytest.mark.parametrize("k", [1, 2, 3, 0])
def test_copies_are_counted_that_are_not_among_the_best_hits(many: Any, k: int) -> None:
    groups = [("c00.csv", 24), ("c11.csv", 14)]  # equal sizes, and the same overlap with the question
    assert counted(many.overlap(["at", "ch"], k, copies=False)) == groups[: k or None]


def test_columns_of_one_table_are_not_copies_of_each_other(many: Any) -> None:
    hits = many.overlap(["lu", "se"], per="column", copies=False)
    assert [(hit.columns, hit.evidence["copies"]) for hit in hits] == [(("left",), 0), (("right",), 0)]


def test_the_member_with_the_best_score_stands_for_a_group_even_if_its_path_is_longer(many: Any) -> None:
    [hit] = many.composite({"p": ["1a", "2a"], "q": ["1b", "2b"]}, ["p", "q"], copies=False)
    assert (hit.table, hit.score, hit.evidence["copied_in"]) == ("a/very/deep/pairs.csv", 2, ["pairs.csv"])


def test_every_question_about_joins_groups_copies(lake: Any) -> None:
    values = ["at", "ch", "de"]
    frame = {"c": ["AT", "CH"], "n": ["Austria", "Switzerland"]}
    answers = [
        lake.containment(values, 0.5, copies=False), lake.similar(["austria", "switzerlnd"], copies=False),
        lake.composite(frame, ["c", "n"], copies=False), lake.containment(values, exact=False, copies=False),
        lake.overlap(values, per="column", copies=False),
    ]  # fmt: skip
    assert all(("geo/countries.csv", 3) in counted(hits) for hits in answers)


def test_batches_group_as_single_questions_do(lake: Any) -> None:
    queries = [["at", "ch", "de"], ["austria"], ["nothing"]]
    for k in (0, 1, 2, 3, 10):
        alone = [lake.overlap(values, k, copies=False).to_dicts() for values in queries]
        together = lake.batch("overlap", queries, Inline(), k, copies=False)
        assert [hits.to_dicts() for hits in together] == alone


@pytest.mark.spark
def test_executors_group_as_this_process_does(lake: Any, spark: Any) -> None:
    [hits] = lake.batch("composite", [{"c": ["AT"], "n": ["Austria"]}], spark, 1, copies=False)
    assert hits.to_dicts() == lake.composite({"c": ["AT"], "n": ["Austria"]}, k=1, copies=False).to_dicts()
    assert counted(hits) == [("geo/countries.csv", 3)]


def test_copies_are_a_column_of_tables_and_frames(lake: Any) -> None:
    hits = lake.overlap(["at", "ch", "de"], 1, copies=False)
    assert hits.to_arrow().column("copies").to_pylist() == [3]
    assert "<th>copies</th>" in hits._repr_html_() and "<td>+3</td>" in hits._repr_html_()
    assert "copies" not in lake.overlap(["at"], 1).to_arrow().column_names


def test_copies_must_be_yes_or_no(lake: Any) -> None:
    with pytest.raises(UsageError, match="'copies' must be True or False, got 3"):
        lake.overlap(["at"], copies=3)


def test_the_command_line_groups_copies_and_unfolds_them(
    lake: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.csv").write_text("land\nAT\nDE\n")
    question = ["join", str(tmp_path / "mine.csv"), "--on", "land", "--lake", lake.path, "--k", "2"]
    assert run(question) == 0
    shown = capsys.readouterr().out
    assert "copies" in shown and "+3" in shown and "archive" not in shown
    assert run([*question, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    copies = {hit["table"]: hit["evidence"]["copies"] for hit in document["hits"]}
    assert copies["geo/countries.csv"] == 3 and len(copies) == 2
    by_overlap = [*question, "--by", "overlap", "--ties", "name", "--json"]
    assert run(by_overlap) == 0
    document = json.loads(capsys.readouterr().out)
    assert [hit["evidence"]["copies"] for hit in document["hits"]] == [3, 0]
    assert run([*by_overlap, "--copies"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [hit["table"] for hit in document["hits"]] == sorted(FILES)[:2]


@pytest.mark.parametrize("k", [1, 2, 3, 10, 0])
def test_the_joins_that_a_person_wants_are_grouped_too(many: Any, k: int) -> None:
    frame = {"code": ["AT", "CH", "DE"]}
    every = many.joinable(frame, "code", 0, copies=True)
    assert len(every) == 40 and all("copies" not in hit.evidence for hit in every)
    hits = many.joinable(frame, "code", k)
    assert counted(hits) == [("c00.csv", 24), ("c11.csv", 14)][: k or None]
    assert hits[0].score == every[0].score and "<td>+24</td>" in hits._repr_html_()


def test_my_own_table_is_not_one_of_the_copies(many: Any) -> None:
    hits = many.joinable("c05.csv", "code", 1)
    assert counted(hits) == [("c00.csv", 23)]
    assert "copies" not in many.joinable("c05.csv", "code", table="c00.csv")[0].evidence
