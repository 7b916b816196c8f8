"""The time limit and the seconds of each stage, with a clock that is set by hand."""

from __future__ import annotations

import time

import pytest

from mere.transform.clock import Clock


@pytest.fixture
def hands(monkeypatch):
    now = {"seconds": 100.0}
    monkeypatch.setattr(time, "monotonic", lambda: now["seconds"])
    monkeypatch.setattr(time, "perf_counter", lambda: now["seconds"])
    return now


def test_the_limit_counts_from_the_beginning(hands):
    clock = Clock(5)
    assert not clock.out_of_time()
    hands["seconds"] += 5
    assert not clock.out_of_time()
    hands["seconds"] += 0.001
    assert clock.out_of_time()


def test_stages_add_up_also_after_an_error(hands):
    clock = Clock(60)
    for seconds in (2, 3):
        with clock.timed("reading"):
            hands["seconds"] += seconds
    with pytest.raises(KeyError), clock.timed("learning"):
        hands["seconds"] += 7
        raise KeyError
    assert dict(clock.seconds) == {"reading": 5, "learning": 7}
