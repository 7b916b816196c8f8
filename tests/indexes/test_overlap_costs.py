"""What reading costs: the measured line through two samples, and when it is trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mere.indexes.overlap import costs as model
from mere.indexes.overlap.costs import USUAL, costs_for, fitted, measure
from mere.indexes.overlap.records import Costs, Lists


def lists_of_lengths(lists: np.ndarray, sets: np.ndarray) -> Lists:
    """Lists and sets of these lengths; what they contain does not matter."""
    starts, set_starts = (np.concatenate([[0], np.cumsum(lengths)]) for lengths in (lists, sets))
    nothing = np.zeros(0, np.uint32)
    return Lists(starts, np.zeros(starts[-1], np.uint32), nothing, set_starts, nothing, nothing)


LISTS = lists_of_lengths(np.arange(1, 2001), np.arange(3000, 0, -1))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, float, float], Any]:
    """Makes a reader that takes so many nanoseconds per item and per entry, on a clock of our own."""
    now = [0.0]
    monkeypatch.setattr(model, "clock", lambda: now[0])

    def reader(starts: np.ndarray, access: float, entry: float) -> Callable[[np.ndarray], None]:
        lengths = np.diff(starts)

        def take(sample: np.ndarray) -> None:
            now[0] += float((access + entry * lengths[sample]).sum())

        return take

    return reader


@pytest.mark.parametrize("costs", [(6.0, 1.0, 60.0, 1.0), (20.0, 0.5, 30.0, 3.0), (3.0, 4.0, 200.0, 0.25)])
def test_the_costs_of_reading_are_recovered_from_the_times_of_samples(read: Any, costs: tuple[float, ...]) -> None:
    list_access, list_entry, set_access, set_entry = costs
    measured = fitted(LISTS, read(LISTS.starts, list_access, list_entry), read(LISTS.set_starts, set_access, set_entry))
    assert measured == pytest.approx((*costs, USUAL.look))


def test_costs_far_from_the_usual_ones_are_not_trusted(read: Any) -> None:
    measured = fitted(LISTS, read(LISTS.starts, 1e6, 1e6), read(LISTS.set_starts, 0.0, 0.0))
    assert measured == Costs(8 * 6.0, 8 * 1.0, 60.0 / 8, 1.0 / 8, USUAL.look)


def test_a_disturbed_time_does_not_count(read: Any) -> None:
    undisturbed, calls = read(LISTS.starts, 6.0, 1.0), []

    def disturbed(sample: np.ndarray) -> None:
        calls.append(sample)
        for _ in range(1 + len(calls) % 2):  # every other time it takes twice as long
            undisturbed(sample)

    measured = fitted(LISTS, disturbed, read(LISTS.set_starts, 60.0, 1.0))
    assert measured == pytest.approx(USUAL)


def test_costs_are_measured_once_and_only_where_there_is_enough_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    few = lists_of_lengths(np.full(600, 1), np.full(600, 1))
    answers = iter([Costs(1.0, 2.0, 3.0, 4.0, 5.0), Costs(9.0, 9.0, 9.0, 9.0, 9.0)])
    monkeypatch.setattr(model, "_measured", [])
    monkeypatch.setattr(model, "measure", lambda lists: next(answers))
    assert costs_for(few) == USUAL
    assert costs_for(LISTS) == Costs(1.0, 2.0, 3.0, 4.0, 5.0)
    assert costs_for(LISTS) == costs_for(few) == Costs(1.0, 2.0, 3.0, 4.0, 5.0)


def test_lists_are_timed_by_reading_lists_and_sets_by_probing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock moves by a cost that only the kernel that runs has; afterwards the counters are zero again."""
    from mere.compiled import read_only
    from mere.indexes.overlap import reading
    from mere.indexes.overlap.records import scratch_for

    now = [0.0]
    monkeypatch.setattr(model, "clock", lambda: now[0])

    def merge_lists(lists: Lists, groups: np.ndarray, dense: bool, scratch: Any) -> None:
        now[0] += float((20.0 + 2.0 * np.diff(lists.starts)[groups]).sum())
        scratch.counts[:] += 1

    def probe(lists: Lists, sets: np.ndarray, groups: np.ndarray, first: int, scratch: Any) -> None:
        assert first == 0 and len(groups) == len(lists.starts) - 1
        now[0] += float((100.0 + 3.0 * np.diff(lists.set_starts)[sets]).sum())

    monkeypatch.setattr(reading, "merge_lists", merge_lists)
    monkeypatch.setattr(reading, "probe", probe)
    sizes = read_only(np.zeros(len(LISTS.set_starts) - 1, np.uint32))
    lists = LISTS._replace(set_sizes=sizes)
    assert measure(lists) == pytest.approx(Costs(20.0, 2.0, 100.0, 3.0, USUAL.look))
    with scratch_for(lists, 0) as scratch:
        assert not scratch.weights.any() and not scratch.counts.any()
