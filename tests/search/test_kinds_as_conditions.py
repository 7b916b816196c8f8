"""Questions of any kind as conditions, explained and in batches: nothing approximate is called guaranteed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import mere
from mere.cli import run
from mere.errors import QueryError, UsageError
from mere.pipeline.engine import Inline
from tests.conftest import write_files


@pytest.fixture
def lake(tmp_path: Path, run_index: Any) -> Any:
    chance = random.Random(5)
    words = [f"w{number}" for number in range(400)]
    files = {f"t{n}.csv": "word\n" + "\n".join(chance.sample(words, 60)) + "\n" for n in range(40)}
    files["keys.csv"] = "a,b,c\n" + "".join(f"{n % 7},{n % 5},{n}\n" for n in range(60))
    run_index(write_files(tmp_path / "raw", files))
    with mere.open(run_index.lake) as opened:
        yield opened


def test_what_signatures_miss_is_not_excluded_by_not(lake: Any) -> None:
    chance = random.Random(9)
    missed = 0
    for _ in range(30):
        values = chance.sample([f"w{number}" for number in range(400)], 30)
        exact = {hit.table for hit in lake.containment(values, 0.2, exact=True)}
        missed += len(exact - {hit.table for hit in lake.containment(values, 0.2, exact=False)})
        question = mere.ask("containment", values=values, threshold=0.2, exact=False)
        assert {hit.table for hit in lake.where(question, 0)} == exact
        others = lake.where(~question, 0)
        assert not exact & {hit.table for hit in others if hit.evidence["label"] == "guaranteed"}
    assert missed, "signatures missed no table: the test shows nothing"


def test_the_degree_of_a_join_is_its_share(lake: Any) -> None:
    values = ["w1", "w2", "w3", "w4"]
    shares = {hit.table: hit.evidence["share"] for hit in lake.overlap(values, 0)}
    hits = lake.where(mere.ask("overlap", values=values), 0)
    assert hits and {hit.table: hit.score for hit in hits} == shares
    assert hits[0].evidence["reasons"][0]["shared"] >= 1 and hits[0].columns == ("word",)


def test_a_condition_has_the_notes_of_the_search(lake: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("mere.indexes.composite.search.WORK", 1)
    frame = {"x": [str(n % 7) for n in range(60)], "y": [str(n % 5) for n in range(60)]}
    notes = lake.composite(frame, k=0).notes
    condition = mere.ask("composite", frame=frame)
    assert any("too many ways to match" in note for note in notes)
    assert sorted(lake.where(condition).notes) == sorted(notes)
    assert "keys.csv" not in {hit.table for hit in lake.where(~condition, 0) if hit.evidence["label"] == "guaranteed"}


def test_a_join_that_is_named_is_explained(lake: Any) -> None:
    values = ["w1", "w2", "w3"]
    best = lake.overlap(values)[0]
    [named] = lake.explain("overlap", values, (best.table, "word"))
    assert (named.score, named.evidence) == (best.score, best.evidence)
    [by_share] = lake.explain("containment", values, best)
    assert by_share.score == best.evidence["share"] and by_share.evidence["found_by"] == "posting lists"
    with pytest.raises(UsageError, match="has no column 'nope'"):
        lake.explain("overlap", values, (best.table, "nope"))
    with pytest.raises(QueryError, match="a key of 2 columns, and 1 columns"):
        lake.explain("composite", {"x": ["1"], "y": ["2"]}, ("keys.csv", ["a"]))
    with pytest.raises(UsageError, match="not joined with"):
        lake.explain("keywords", "word", (best.table, "word"))


def test_what_is_asked_with_is_given_once(lake: Any) -> None:
    with pytest.raises(UsageError, match="'overlap' was given values= twice"):
        lake.ask("overlap", ["w1"], values=["w2"])


def test_a_frame_whose_column_is_named_like_a_parameter_is_a_frame(lake: Any) -> None:
    [hits] = lake.batch("overlap", [{"table": ["w1", "w2"]}], Inline())
    assert hits.to_dicts() == lake.overlap({"table": ["w1", "w2"]}).to_dicts()


def test_a_document_does_not_share_its_evidence_with_the_hit(lake: Any) -> None:
    hit = lake.overlap(["w1"])[0]
    hit.to_dict()["evidence"].clear()
    assert hit.evidence["shared"] == 1


@pytest.mark.parametrize(
    "flags", [["--threshold", "0.1", "--mode", "auto"], ["--verify"], ["--with", "t1.csv", "--mode", "auto"]]
)
def test_a_flag_with_its_default_value_changes_nothing(lake: Any, flags: list[str], tmp_path: Path) -> None:
    write_files(tmp_path, {"mine.csv": "word\nw1\nw2\nw3\n" + "\n".join(f"w{n}" for n in range(100)) + "\n"})
    assert run(["join", str(tmp_path / "mine.csv"), "--on", "word", *flags, "--lake", lake.path]) == 0


def test_a_table_to_join_with_is_one_of_the_lake(lake: Any, tmp_path: Path, monkeypatch: Any) -> None:
    words = "\n".join(f"w{n}" for n in range(400))
    write_files(tmp_path / "here", {"mine.csv": f"word\n{words}\n", "t1.csv": "foo,bar\n1,2\n"})
    monkeypatch.chdir(tmp_path / "here")
    assert run(["join", "mine.csv", "--on", "word", "--with", "t1.csv", "--column", "word", "--lake", lake.path]) == 0
