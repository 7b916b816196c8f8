"""Partial answers are merged into one, whatever the order they are added in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.answers import Found, Hit, Merged, all_notes, best

hits = st.lists(
    st.builds(
        lambda table, columns, score, tie: Hit(table, tuple(columns), score, True, {}, tie),
        st.sampled_from("abcdef"), st.lists(st.sampled_from("xyz"), unique=True, max_size=3),
        st.sampled_from([1.0, 2.0, 3.0]), st.sampled_from([(), (0.0,), (1.0,)]),
    ),
    max_size=6,
)  # fmt: skip
founds = st.lists(st.builds(Found, hits, st.lists(st.sampled_from(["n1", "n2", "n3"]), max_size=2)), max_size=5)


def merged(pieces: list[Found], k: int, per: str = "table") -> Merged[int]:
    answer: Merged[int] = Merged(k, per)
    for owner, piece in enumerate(pieces):
        answer.add(owner, piece)
    return answer


@given(founds, st.integers(0, 4))
def test_the_best_of_the_pieces_are_the_best_of_all(pieces: list[Found], k: int) -> None:
    everything = [hit for piece in pieces for hit in piece.hits]
    answer = merged(pieces, k)
    assert [hit.order for hit, _ in answer.pairs] == [hit.order for hit in best(everything, k)]
    assert all(hit in pieces[owner].hits for hit, owner in answer.pairs)


@given(founds, st.integers(0, 4), st.randoms())
def test_the_order_of_the_pieces_does_not_matter(pieces: list[Found], k: int, random: Any) -> None:
    shuffled = list(pieces)
    random.shuffle(shuffled)
    in_order, in_another = merged(pieces, k), merged(shuffled, k)
    assert [hit.order for hit, _ in in_order.pairs] == [hit.order for hit, _ in in_another.pairs]
    assert in_order.notes == in_another.notes == sorted({note for piece in pieces for note in piece.notes})


@given(founds, st.integers(1, 4))
def test_the_bound_is_the_score_of_the_kth_hit_and_omitting_what_is_below_changes_nothing(
    pieces: list[Found], k: int
) -> None:
    answer: Merged[int] = Merged(k)
    for owner, piece in enumerate(pieces):
        everything = sorted((hit.score for piece in pieces[:owner] for hit in piece.hits), reverse=True)
        assert answer.bound == (everything[k - 1] if len(everything) >= k else 0.0)
        answer.add(owner, Found([hit for hit in piece.hits if hit.score >= answer.bound], piece.notes))
    assert [hit.order for hit, _ in answer.pairs] == [hit.order for hit, _ in merged(pieces, k).pairs]


def test_the_bound_is_that_of_the_kth_hit_and_not_of_the_best() -> None:
    answer = merged([Found([Hit("a", (), 9.0), Hit("b", (), 5.0), Hit("c", (), 1.0)], [])], 2)
    assert answer.bound == 5.0
    assert merged([Found([Hit("a", (), 9.0)], [])], 2).bound == 0.0
    assert merged([Found([Hit("a", (), 9.0)], [])], 0).bound == 0.0


@given(founds)
def test_per_column_a_hit_of_several_columns_counts_once_for_each(pieces: list[Found]) -> None:
    pairs = merged(pieces, 0, "column").pairs
    expected = sum(max(1, len(hit.columns)) for piece in pieces for hit in piece.hits)
    assert len(pairs) == expected and all(len(hit.columns) <= 1 for hit, _ in pairs)


@pytest.mark.parametrize(("planned", "searched"), [(["b", "a"], ["c", "a"]), ([], ["a"]), (["a"], [])])
def test_notes_of_the_plan_come_first_and_each_once(planned: list[str], searched: list[str]) -> None:
    notes = all_notes(planned, searched)
    assert notes[: len(planned)] == planned and sorted(notes) == sorted({*planned, *searched})
