"""A session for tables of Spark leaves the current folder as it was."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import pytest

from mere.pipeline import session, sql
from mere.pipeline.execution import Execution


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("holds", [False, True])
def test_a_warehouse_that_was_not_there_and_holds_nothing_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool, holds: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session, "context", lambda master, spark: nullcontext(("running", False)))
    monkeypatch.setattr(sql, "sql_session", lambda running, given: (running, given))
    warehouse = tmp_path / "spark-warehouse"
    if before:
        warehouse.mkdir()
    started: list[Any] = []
    with ExitStack() as stack:
        assert Execution(spark="mine").session(stack, lambda: started.append(1)) == ("running", "mine")  # type: ignore[arg-type]
        warehouse.mkdir(exist_ok=True)
        if holds:
            (warehouse / "table").mkdir()
    assert started and warehouse.exists() == (before or holds)
