"""Long answers compute evidence when it is read: the same as at once, also after the lake was closed or has changed."""

from __future__ import annotations

import gc
import shutil
from typing import Any
from unittest.mock import patch

import pytest

import mere
from mere.answers import LazyHits, lazy
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import write_files

TABLES = 12
PLACES = ["vienna", "graz", "linz", "salzburg", "innsbruck", "bregenz", "wels", "villach", "dornbirn", "steyr"]
QUESTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "overlap": (PLACES, {}),
    "containment": (PLACES[:4], {"threshold": 0.1}),
    "composite": ({"place": PLACES, "code": [str(n) for n in range(10)]}, {}),
    "similar": (["wien", *(f"{place}s" for place in PLACES)], {"share": 0.1}),
    "distribution": ("at least 1% of size >= 0", {}),
    "keywords": ("places", {}),
}


def table(number: int) -> str:
    """Places from a moving window, with numbers, of which some may be read in two ways."""
    rows = [f"{place},{code},{number + 1}.{code:03}" for code, place in enumerate(PLACES) if (code + number) % 3]
    return "\n".join(["place,code,size", *rows, ""])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A lake of several segments."""
    folder = tmp_path_factory.mktemp("lazy")
    raw = write_files(folder / "raw", {f"places/{number:02}.csv": table(number) for number in range(TABLES)})
    index([raw], folder / "lake", engine=Inline(), settings=mere.Settings(segment_bytes=2000))
    return folder


@pytest.fixture
def folder(made: Any, tmp_path: Any) -> Any:
    """A copy of it."""
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture(autouse=True)
def small_blocks() -> Any:
    with patch.object(lazy, "BLOCK", 2):
        yield


def ask(lake: mere.Lake, kind: str) -> mere.Hits:
    given, more = QUESTIONS[kind]
    return lake.ask(kind, given, 0, **more)


def document(hits: mere.Hits) -> dict[str, Any]:
    return {**hits.to_dict(), "took_ms": 0}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_what_is_read_later_is_what_is_computed_at_once(made: Any, kind: str) -> None:
    with mere.open(made / "lake") as lake:
        with patch.object(lazy, "BLOCK", 1000):
            at_once = ask(lake, kind)
        later = ask(lake, kind)
        assert isinstance(at_once.hits, list) and isinstance(later.hits, LazyHits) and later.hits.unread == TABLES
        assert later.notes == at_once.notes and repr(later).splitlines()[1:] == repr(at_once).splitlines()[1:]
        assert [later[place].to_dict() for place in reversed(range(TABLES))] == at_once.to_dicts()[::-1]
        assert document(ask(lake, kind)) == document(at_once)
        assert [hit.to_dict() for hit in ask(lake, kind)] == at_once.to_dicts()


def test_doubts_are_known_before_evidence_is_read(made: Any) -> None:
    with mere.open(made / "lake") as lake:
        hits = lake.overlap([float(f"{number + 1}.{code:03}") for number in range(TABLES) for code in range(10)], k=0)
        assert isinstance(hits.hits, LazyHits) and "may be read otherwise" in " ".join(hits.notes)
        exact = [hit.exact for hit in hits.hits.found]
        assert hits.hits.unread == len(hits) and set(exact) == {True, False}
        assert [hit.exact for hit in hits] == [not hit.evidence.get("unsure", False) for hit in hits] == exact


@pytest.mark.parametrize("kind", QUESTIONS)
def test_closing_a_lake_completes_the_answers_in_use(folder: Any, kind: str) -> None:
    with mere.open(folder / "lake") as lake:
        expected = document(ask(lake, kind))
        hits, partly_read = ask(lake, kind), ask(lake, kind)
        assert partly_read[0].to_dict() == expected["hits"][0]
    shutil.rmtree(folder / "lake")
    assert document(hits) == document(partly_read) == expected


def test_answers_of_lakes_that_nobody_closed_survive_a_run_that_replaces_the_snapshot(folder: Any) -> None:
    expected = {kind: document(ask(mere.open(folder / "lake"), kind)) for kind in QUESTIONS}
    answers = {kind: ask(mere.open(folder / "lake"), kind) for kind in QUESTIONS}
    gc.collect()
    snapshots, once = folder / "lake" / "snapshots", {"engine": Inline(), "settings": mere.Settings(keep_snapshots=1)}
    index([folder / "raw"], folder / "lake", rebuild=True, **once)
    assert len(list(snapshots.glob("*.json"))) == 2  # the answers keep theirs
    assert {kind: document(hits) for kind, hits in answers.items()} == expected
    index([folder / "raw"], folder / "lake", rebuild=True, **once)
    assert len(list(snapshots.glob("*.json"))) == 1  # all evidence is there: none is kept


def test_an_answer_that_is_not_in_use_costs_nothing_when_the_lake_is_closed(made: Any) -> None:
    with mere.open(made / "lake") as lake:
        ask(lake, "overlap")
        gc.collect()
        with patch.object(LazyHits, "complete", side_effect=AssertionError):
            lake.close()


def test_a_lake_is_closed_even_if_an_answer_cannot_be_completed(made: Any) -> None:
    lake = mere.open(made / "lake")
    hits = ask(lake, "overlap")
    with patch.object(LazyHits, "complete", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        lake.close()
    assert "closed" in repr(lake) and len(hits) == TABLES
