"""Every surface says the same of one answer: what is not exact, hidden or a copy, and the notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

import mere
from mere.indexes import KINDS
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import write_files

NUMBERS = [f"{n}.{n:03}" for n in range(100, 130)]
WORDS = [f"word {chr(97 + n % 26)}{chr(97 + n // 26)}{'xyz'[n % 3]}" for n in range(30)]


def book(path: Path, name: str) -> None:
    workbook = openpyxl.Workbook()
    workbook.active.append(["note"])
    workbook.active.append(["nothing"])
    hidden = workbook.create_sheet(name)
    hidden.sheet_state = "hidden"
    hidden.append(["word", "size"])
    for word, number in zip(WORDS, NUMBERS, strict=True):
        hidden.append([word, number])
    workbook.save(path)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Tables with the same rows: a sheet that is hidden, its copy that is not, numbers that may be read in two ways."""
    folder = tmp_path_factory.mktemp("finishing")
    rows = "word;size\n" + "".join(f"{word};{number}\n" for word, number in zip(WORDS, NUMBERS, strict=True))
    more = rows.replace("size", "length")
    files = {"far/away/copy.csv": rows, "far/other.csv": more, "words.csv": "word\n" + "\n".join(WORDS) + "\n"}
    raw = write_files(folder / "raw", files)
    book(raw / "b.xlsx", "data")
    index([raw], folder / "lake", engine=Inline(), settings=mere.Settings(segment_bytes=1, small_segments=99))
    with mere.open(folder / "lake") as opened:
        assert opened.info()["segments"] > 3
        yield opened


ASKED: dict[str, Any] = {
    "overlap": NUMBERS, "containment": NUMBERS, "composite": {"a": WORDS, "b": NUMBERS}, "similar": WORDS,
    "transform": [word.upper().replace("WORD ", "W-") for word in WORDS], "keywords": "word",
    "distribution": "at least 50% of size > 1",
}  # fmt: skip
MARKS = ("unsure", "hidden", "copies")


def marks(hit: Any) -> dict[str, Any]:
    return {"exact": hit.exact, **{name: hit.evidence[name] for name in MARKS if name in hit.evidence}}


@pytest.mark.parametrize("name", sorted(KINDS))
def test_interactive_answers_and_batches_say_the_same(lake: Any, name: str) -> None:
    for copies in (True, False):
        for k in (0, 1, 2):
            alone = lake.ask(name, ASKED[name], k, copies=copies)
            [batch] = lake.batch(name, [ASKED[name]], Inline(), k=k, copies=copies)
            assert batch.to_dicts() == alone.to_dicts() and batch.notes == alone.notes
    assert any(hit.evidence.get("hidden") for hit in lake.ask(name, ASKED[name], 0)) or name == "transform"


def test_of_copies_one_that_is_sure_is_shown(tmp_path: Path) -> None:
    rows = "word;size\n" + "".join(f"{word};{number}\n" for word, number in zip(WORDS, NUMBERS, strict=True))
    files = {"a.csv": rows}
    raw = write_files(tmp_path / "raw", files)
    book = openpyxl.Workbook()
    for word, number in [("word", "size"), *zip(WORDS, map(float, NUMBERS), strict=True)]:
        book.active.append([word, number])
    book.save(raw / "typed_numbers.xlsx")
    index([raw], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as opened:
        both = {hit.table: hit.exact for hit in opened.overlap([float(n) for n in NUMBERS], 0)}
        assert both == {"a.csv": False, "typed_numbers.xlsx#Sheet": True}
        [hit] = opened.overlap([float(n) for n in NUMBERS], 0, copies=False)
        assert (hit.table, hit.exact, hit.evidence["copied_in"]) == ("typed_numbers.xlsx#Sheet", True, ["a.csv"])


def test_batches_keep_words_as_questions_do(lake: Any) -> None:
    asked = {"values": [*WORDS, "NA"], "keep_words": ["NA"]}
    [batch] = lake.batch("overlap", [asked], Inline())
    assert batch.to_dicts() == lake.ask("overlap", **asked).to_dicts() and batch[0].evidence["keep_words"] == ["NA"]


@pytest.mark.parametrize("name", sorted(KINDS))
def test_conditions_and_explanations_say_what_the_answer_says(lake: Any, name: str) -> None:
    alone = {hit.table: hit for hit in lake.ask(name, ASKED[name], 0)}
    found = lake.where(mere.ask(name, ASKED[name]), 0)
    for hit in found:
        if hit.table in alone and hit.score:
            assert hit.exact == alone[hit.table].exact
            assert hit.evidence.get("hidden") == alone[hit.table].evidence.get("hidden")
            assert hit.evidence["reasons"][0].get("unsure") == alone[hit.table].evidence.get("unsure")
    assert set(alone) <= {hit.table for hit in found}
    assert not alone or set(lake.ask(name, ASKED[name], 0).notes) <= set(found.notes)
    for hit in alone.values() if KINDS[name].joins and name != "transform" else ():
        explained = lake.explain(name, ASKED[name], hit)
        assert marks(explained[0]) == marks(hit)
        assert bool(explained.notes) >= bool(hit.evidence.get("unsure"))


def test_what_may_be_read_in_two_ways_is_not_exact_on_any_surface(lake: Any) -> None:
    tables = {"b.xlsx#data", "far/away/copy.csv", "far/other.csv"}
    key, one = {"word": WORDS, "size": NUMBERS}, mere.ask("overlap", NUMBERS)
    answers = {
        "overlap": lake.overlap(NUMBERS, 0), "containment": lake.containment(NUMBERS), "where": lake.where(one, 0),
        "composite": lake.composite(key, k=0), "joinable": lake.joinable(key, ["word", "size"], copies=True),
    }  # fmt: skip
    for name, hits in answers.items():
        assert hits and {hit.table for hit in hits} <= tables and not any(hit.exact for hit in hits), name
        assert any("may be read otherwise" in note for note in hits.notes), name
    paths = lake.paths("far/other.csv", "b.xlsx#data", longest=1, k=0)
    by_column = {path.steps[0].left_column: path for path in paths}
    assert by_column["word"].exact and by_column["word"].to_dict()["steps"][0]["marks"] == ["hidden"]
    if "length" in by_column:
        assert not by_column["length"].exact and "unsure" in by_column["length"].steps[0].marks
        assert any("'length' of 'far/other.csv'" in note for note in paths.notes)


def test_a_path_over_numbers_that_may_be_read_in_two_ways_is_not_exact(lake: Any) -> None:
    paths = lake.paths({"size": NUMBERS}, "far/other.csv", longest=1, k=0, accidents=True)
    assert len(paths) == 1 and not paths[0].exact and paths[0].steps[0].marks == ("unsure",)
    assert any("'length' of 'far/other.csv'" in note for note in paths.notes)
    assert "unsure" in paths._repr_html_()
