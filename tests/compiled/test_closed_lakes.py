"""A server that opens a lake for every request: its kernels are compiled although each lake is closed soon."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import mere
from mere import compiled
from mere.compiled import code, groups
from mere.compiled.groups import State
from mere.indexes import KINDS
from mere.indexes.containment import search
from mere.search import Asker
from mere.segments import OpenSnapshot

ROWS = pa.table({"code": ["AT", "NA", "CH"], "name": ["Austria", "Namibia", "Switzerland"]})
COUNTRIES = ROWS["code"].to_pylist()


def approximate(lake: Any) -> list[Any]:
    return [lake.containment(COUNTRIES, 0.5, exact=False, verify=False) for _ in range(2)]


def of_every_kind(lake: Any) -> list[Any]:
    return [
        lake.containment(COUNTRIES, 0.5),
        lake.overlap(COUNTRIES),
        lake.composite(ROWS, ["code", "name"]),
        lake.where("at least 30% of population < 9000000"),
    ]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("request_of", "names"),
    [(approximate, {"signing", "containment"}), (of_every_kind, {"lookup", "overlap", "composite"})],
)
def test_kernels_are_compiled_although_each_lake_is_closed_after_one_request(
    request_of: Any, names: set[str], raw: Path, run_index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_index(raw)
    monkeypatch.setattr(groups, "_states", {})
    monkeypatch.setattr(code, "LOADING", 0.0)
    monkeypatch.setattr(code, "load_cost", lambda group: 0.0)
    answers: list[Any] = []
    for _ in range(6000):  # only a failing test asks so often
        with mere.open(run_index.lake) as lake:
            answers.append([hits.to_dicts() for hits in request_of(lake)])
        assert answers[-1] == answers[0]
        assert State.FAILED not in groups._states.values(), groups._states
        if {name for name, state in groups._states.items() if state is State.READY} >= names:
            return
        time.sleep(0.1)
    raise AssertionError(groups._states)


def test_a_trial_opens_the_files_of_the_lake_when_it_is_made(raw: Path, run_index: Any) -> None:
    run_index(raw)
    opened = OpenSnapshot(run_index.lake)
    (part,) = Asker(opened).parts(KINDS["containment"])
    trial = search.trial(part)
    opened.close()
    compiled.warm([trial])
