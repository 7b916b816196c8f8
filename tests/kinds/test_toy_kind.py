"""A kind is a folder and an entry in the registry: every surface then has it, and every contract test runs on it."""

from __future__ import annotations

import inspect
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.compiled import code, groups
from mere.compiled.groups import State
from mere.errors import LakeError, UsageError
from mere.indexes import KINDS
from mere.pipeline.engine import Inline
from mere.search import Asker
from mere.segments import OpenSnapshot
from tests.conftest import write_files
from tests.kinds import cases, test_contract
from tests.pipeline.test_updates import files_read
from tests.toy_kind.wide import Wide, brute, kernels, search

CASE = cases.Case(
    queries=lambda tables: st.fixed_dictionaries({"columns": st.integers(1, 6), "k": st.sampled_from([0, 1, 2, 10])}),
    brute=lambda query, tables, settings, trained: brute(query, tables, settings),
    k=lambda query: query["k"],
    settings=({}, {"wide_unit": 2}),
    evidence=("width",),
)
CONTRACT = [
    test
    for name, test in inspect.getmembers(test_contract, inspect.isfunction)
    if name.startswith("test_") and "name" in inspect.signature(test).parameters and "spark" not in name
    if "executors" not in name  # other processes do not have this registry; tasks of this process do
]


@pytest.fixture(autouse=True)
def registered(monkeypatch: Any) -> None:
    monkeypatch.setitem(KINDS, "wide", Wide())
    monkeypatch.setitem(cases.CASES, "wide", CASE)


@pytest.fixture
def lake(raw: Path, run_index: Any) -> Any:
    run_index(raw)
    with mere.open(run_index.lake) as opened:
        yield opened


WIDEST = ["geo/countries.csv", "sales/orders.json"]


@pytest.mark.parametrize("test", CONTRACT, ids=lambda test: test.__name__)
def test_the_contract_is_tested_on_it(test: Any) -> None:
    test(name="wide")


def test_the_contract_covers_it() -> None:
    assert len(CONTRACT) >= 15


def test_python_asks_it(lake: Any) -> None:
    hits = lake.ask("wide", 3)
    assert [hit.table for hit in hits] == WIDEST and hits.notes == ["counted in columns"]
    assert lake.ask("wide", columns=3, k=1).to_dicts() == hits.to_dicts()[:1]
    with pytest.raises(UsageError, match="'wide' has no parameter 'rows'; it has columns"):
        lake.ask("wide", rows=3)


def test_the_shell_asks_it(lake: Any, capsys: Any) -> None:
    assert run(["ask", "wide", "3", "--json", "--lake", lake.path]) == 0
    assert [hit["table"] for hit in json.loads(capsys.readouterr().out)["hits"]] == WIDEST
    assert run(["ask", "wide", "columns=3", "--k", "1", "--lake", lake.path]) == 0
    shown = capsys.readouterr().out
    assert "width" in shown and "geo/countries.csv" in shown and "never" not in shown
    assert run(["ask", "wide", "columns=many", "--lake", lake.path]) == 2
    assert "columns must be an int, got 'many'" in capsys.readouterr().err


def test_conditions_use_it(lake: Any) -> None:
    hits = lake.where(mere.ask("wide", columns=3) & mere.words("order"))
    assert [hit.table for hit in hits] == ["sales/orders.json"]
    assert "geo/countries.csv" not in [hit.table for hit in lake.where(~mere.ask("wide", columns=3))]


def test_a_batch_answers_it_as_one_by_one(lake: Any) -> None:
    answers = lake.batch("wide", [3, {"columns": 2}], Inline())
    assert [hits.to_dicts() for hits in answers] == [lake.ask("wide", n).to_dicts() for n in (3, 2)]
    assert answers[0].notes == lake.ask("wide", 3).notes


def test_its_settings_are_those_of_a_lake(raw: Path, run_index: Any) -> None:
    assert mere.Settings(wide_unit=2).wide_unit == 2
    with pytest.raises(UsageError, match="setting 'wide_unit' must be an int of at least 1, got 0"):
        mere.Settings(wide_unit=0)
    run_index(raw)
    assert run(["index", "--lake", run_index.lake, "--set", "wide_unit=0", "--json"]) == 2
    run_index(settings=mere.Settings(wide_unit=3))
    with mere.open(run_index.lake) as lake:
        assert [hit.score for hit in lake.ask("wide", 1)] == [1.0, 1.0]
        assert lake.info()["settings"]["wide_unit"] == 3


def test_its_hits_are_shown_and_converted(lake: Any) -> None:
    hits = lake.ask("wide", 3)
    assert hits.to_pandas()["width"].tolist() == [3, 3]
    assert hits.to_polars()["width"].to_list() == [3, 3]
    html = hits._repr_html_()
    assert "<th>width</th><th>table</th>" in html and "<th>never</th>" not in html


def test_it_is_warmed_with_the_others_and_its_kernel_answers(lake: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(groups, "_states", {})
    in_numpy, steps, calls = lake.ask("wide", 3).to_dicts(), list[str](), list[Any]()
    assert groups.state_of(search.WIDE) is State.NUMPY
    lake.warm(lambda name, seconds: steps.append(name))
    assert "wide: places_of_wide" in steps and groups.state_of(search.WIDE) is State.READY
    places_of_wide = kernels.places_of_wide
    monkeypatch.setattr(kernels, "places_of_wide", lambda *given: calls.append(given) or places_of_wide(*given))
    assert lake.ask("wide", 3).to_dicts() == in_numpy and calls
    assert len(places_of_wide.signatures) == 1, "warming compiles for the types that questions use"


@pytest.mark.timeout(600)
def test_its_kernel_is_compiled_although_every_lake_is_closed_after_one_question(lake: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(groups, "_states", {})
    monkeypatch.setattr(code, "LOADING", 0.0)
    monkeypatch.setattr(code, "load_cost", lambda group: 0.0 if group is search.WIDE else float("inf"))
    for _ in range(6000):  # only a failing test asks so often
        with mere.open(lake.path) as opened:
            assert [hit.table for hit in opened.ask("wide", 3)] == WIDEST
        if groups.state_of(search.WIDE) is State.READY:
            return
        time.sleep(0.05)
    raise AssertionError(groups.state_of(search.WIDE))


def test_its_machine_code_has_its_own_folder() -> None:
    module = "tests.toy_kind.wide.kernels"
    assert {module, "tests.toy_kind.wide.records", "mere.compiled.jit"} <= code.sources_of(module)
    assert "kernels-tests.toy_kind.wide.kernels-" in code.code_folder(module)
    assert code.load_cost(search.WIDE) < float("inf")


def averages_of(lake: str) -> set[float]:
    """What was learnt once, in every segment."""
    parts = Asker(OpenSnapshot(lake)).parts(KINDS["wide"])
    return {float(part.arrays["average"][0]) for part in parts}


def test_an_older_lake_gets_it_without_reading_a_raw_file(raw: Path, run_index: Any, monkeypatch: Any) -> None:
    monkeypatch.delitem(KINDS, "wide")
    run_index(raw)
    monkeypatch.setitem(KINDS, "wide", Wide())
    with mere.open(run_index.lake) as lake, pytest.raises(LakeError, match="no current 'wide' index"):
        lake.ask("wide", 3)
    read = files_read(monkeypatch)
    assert run_index().snapshot == 2 and read == []
    with mere.open(run_index.lake) as lake:
        assert [hit.table for hit in lake.ask("wide", 3)] == WIDEST
    averages = averages_of(run_index.lake)
    write_files(raw, {"very.csv": ",".join(f"c{i}" for i in range(50)) + "\n" + ",".join("1" * 50) + "\n"})
    run_index()
    with mere.open(run_index.lake) as lake:
        hits = lake.ask("wide", 3)
        assert hits[0].table == "very.csv" and hits.notes[-1] == "'very.csv' has more than 40 columns"
    assert averages_of(run_index.lake) == averages
    monkeypatch.setattr(Wide, "version", 2)
    assert run_index().snapshot == 4, "a new version of a kind is built again"
    assert run_index().snapshot == 4
