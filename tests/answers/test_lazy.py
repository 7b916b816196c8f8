"""Evidence is computed for the hits that are read, once, and is the same in whatever way they are read."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.answers import Hit, Hits, LazyHits
from mere.answers.hits import SHOWN
from mere.answers.lazy import BLOCK


class Counted:
    """Some hits, and which of them were explained."""

    def __init__(self, size: int) -> None:
        self.found = [Hit(f"t{place:06}", ("c",), float(size - place)) for place in range(size)]
        self.truth = [replace(hit, evidence={"place": place}) for place, hit in enumerate(self.found)]
        self.explained: list[int] = []
        self.calls = 0
        self.lazy = LazyHits(self.found, self.explain)

    def explain(self, places: Sequence[int]) -> list[Hit]:
        self.explained += places
        self.calls += 1
        return [self.truth[place] for place in places]

    def hits(self) -> Hits:
        return Hits("overlap", self.lazy, 1, 0.5, {"tables": 3, "columns": 4})


def evidence(hits: Sequence[Hit]) -> list[int]:
    return [hit.evidence["place"] for hit in hits]


places = st.one_of(
    st.integers(-400, 400),
    st.slices(400),
    st.tuples(st.integers(0, 400), st.integers(0, 400)).map(lambda ends: slice(*ends)),
)


@given(st.integers(0, 400), st.lists(places, max_size=6))
def test_reading_in_any_order_gives_what_a_list_gives_and_explains_each_hit_once(
    size: int, reads: list[object]
) -> None:
    counted = Counted(size)
    for place in reads:
        try:
            expected = counted.truth[place]  # type: ignore[call-overload]
        except IndexError:
            with pytest.raises(IndexError):
                counted.lazy[place]
            continue
        read = counted.lazy[place]
        assert read == expected
        assert evidence(read) == evidence(expected) if isinstance(place, slice) else read.evidence == expected.evidence
    assert len(counted.explained) == len(set(counted.explained)) == size - counted.lazy.unread
    assert evidence(list(counted.lazy)) == list(range(size))
    assert sorted(counted.explained) == list(range(size)) and counted.lazy.unread == 0


READS: dict[str, tuple[Callable[[LazyHits], object], int]] = {
    "the first": (lambda hits: hits[0], BLOCK),
    "the last": (lambda hits: hits[-1], 1000 % BLOCK),
    "a slice": (lambda hits: hits[:10], 10),
    "a slice backwards": (lambda hits: hits[20:10:-1], 10),
    "an empty slice": (lambda hits: hits[10:10], 0),
    "the length": (len, 0),
    "whether there are any": (bool, 0),
    "the first of a loop": (lambda hits: next(iter(hits)), BLOCK),
    "scores": (lambda hits: [hit.score for hit in hits.found], 0),
    "repr": (repr, 0),
    "equality": (lambda hits: hits == list(hits.found), 0),
}


@pytest.mark.parametrize("name", READS)
def test_only_what_is_read_is_explained(name: str) -> None:
    counted = Counted(1000)
    read, explained = READS[name]
    read(counted.lazy)
    assert len(counted.explained) == explained


def test_a_loop_over_all_hits_takes_few_computations() -> None:
    counted = Counted(64 * BLOCK)
    assert evidence([hit for hit in counted.lazy]) == list(range(64 * BLOCK))  # noqa: C416 (a list asks for the length)
    assert counted.calls == 7


def test_reading_backwards_takes_one_computation_per_block() -> None:
    counted = Counted(4 * BLOCK)
    assert evidence(list(reversed(counted.lazy))) == list(range(4 * BLOCK))[::-1]
    assert counted.calls == 4


def test_a_hit_is_the_same_object_whenever_it_is_read() -> None:
    counted = Counted(200)
    assert counted.lazy[150] is counted.lazy[150] is list(counted.lazy)[150] is counted.lazy.complete()[150]


def test_threads_that_read_at_the_same_time_explain_each_hit_once() -> None:
    counted, start = Counted(2000), threading.Barrier(4)

    def explain(places: Sequence[int]) -> list[Hit]:
        time.sleep(0.02)  # long enough that the other threads come
        return counted.explain(places)

    lazy = LazyHits(counted.found, explain)

    def read(number: int) -> list[int]:
        start.wait()
        return evidence(list(lazy) if number % 2 else lazy[:])

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(read, range(4)))
    assert results == [list(range(2000))] * 4 and sorted(counted.explained) == list(range(2000))


def test_what_evidence_was_computed_from_is_released_when_all_is_read() -> None:
    counted = Counted(100)
    computed: list[Counted] = []

    @contextmanager
    def within() -> Iterator[None]:
        yield
        computed.append(counted)

    counted.lazy.keep(within)
    counted.lazy.complete()
    assert computed == [counted], "in the context that was given"
    assert counted.lazy._explain is None and counted.lazy._within is nullcontext


def test_an_error_is_raised_and_the_next_reading_tries_again() -> None:
    counted, faults = Counted(100), [ValueError("the disk")]

    def explain(missing: Sequence[int]) -> list[Hit]:
        if faults:
            raise faults.pop()
        return counted.explain(missing)

    lazy = LazyHits(counted.found, explain)
    with pytest.raises(ValueError, match="the disk"):
        list(lazy)
    assert evidence(list(lazy)) == list(range(100))


def test_copies_are_complete() -> None:
    for duplicate in (copy.copy, copy.deepcopy, lambda hits: pickle.loads(pickle.dumps(hits))):
        answer = Counted(100).hits()
        same = duplicate(answer)
        assert same == answer and evidence(same[:]) == list(range(100))


def test_documents_and_frames_have_all_evidence_and_take_one_computation() -> None:
    for convert in (Hits.to_dict, Hits.to_dicts, Hits.to_arrow, Hits.to_pandas, Hits.to_polars):
        counted = Counted(1000)
        result = convert(counted.hits())
        assert counted.calls == 1 and len(counted.explained) == 1000
        assert len(result["hits"] if convert is Hits.to_dict else result) == 1000


def test_what_is_shown_says_how_much_is_left_out() -> None:
    counted = Counted(1234)
    shown = repr(counted.hits())
    assert shown.count("\n") == SHOWN + 1 and shown.endswith("… and 1,184 more") and not counted.explained
    page = counted.hits()._repr_html_()
    assert page.count("<tr>") == SHOWN + 1 and "… and 1,184 more" in page and len(counted.explained) == SHOWN
    few = Counted(SHOWN).hits()
    assert "more" not in repr(few) and "more" not in few._repr_html_()
