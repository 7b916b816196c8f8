"""How do the answers of several segments become one answer?

`Merged` is the only place where partial answers meet: a question in one thread, a question in many threads, a Spark
task, the driver of a batch, a condition and a ranking of joins all add to one.  What has been merged so far gives the
bound: no hit below the score of the k-th best can be among the k best, so the next segment need not report it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from mere.answers.hit import Hit, best_by

Owner = TypeVar("Owner")


class Found(NamedTuple):
    """What one search returns: hits in any order, and notes for the reader of the answer."""

    hits: list[Hit]
    notes: list[str]


class Merged(Generic[Owner]):
    """The best k hits (0: all) of everything added so far, each with the part that found it; and the notes.

    Of hits that are the `same`, the best one counts, of equally good ones the first.
    """

    def __init__(self, k: int, per: str = "table", same: Callable[[Hit, Owner], Hashable] | None = None) -> None:
        self._k = k
        self._same = same
        self._per_column = per == "column"
        self._pairs: list[tuple[Hit, Owner]] = []
        self._notes: set[str] = set()

    @property
    def bound(self) -> float:
        """The score of the k-th best hit: what a further hit must reach; 0 while there are fewer than k."""
        return self._pairs[self._k - 1][0].score if 0 < self._k <= len(self._pairs) else 0.0

    def add(self, owner: Owner, found: Found) -> None:
        """Take in what a part found; with `per` 'column', a hit of several columns counts once for each of them."""
        self._notes.update(found.notes)
        hits: Iterable[Hit] = found.hits
        if self._per_column:
            hits = (single for hit in found.hits for single in hit.per_column())
        self.add_pairs([(hit, owner) for hit in hits])

    def add_pairs(self, new: Sequence[tuple[Hit, Owner]]) -> None:
        """Take in hits, each with its own part."""
        if not new:
            return
        pairs = best_by([*self._pairs, *new], 0 if self._same else self._k, lambda pair: pair[0])
        if self._same:
            different = {self._same(*pair): pair for pair in reversed(pairs)}
            pairs = best_by(different.values(), self._k, lambda pair: pair[0])
        self._pairs = pairs

    @property
    def pairs(self) -> list[tuple[Hit, Owner]]:
        """The best hits in order, each with the part that found it."""
        return self._pairs

    @property
    def notes(self) -> list[str]:
        """Every note once, in alphabetical order: the same whichever part was searched first."""
        return sorted(self._notes)


def all_notes(planned: Iterable[str], searched: Iterable[str]) -> list[str]:
    """The notes of an answer in the order they are shown: those of the plan, then those of the search; each once."""
    return list(dict.fromkeys([*planned, *searched]))


Document = dict[str, Any]


def found_to_dict(found: Found) -> Document:
    return {"hits": [hit.to_record() for hit in found.hits], "notes": found.notes}


def found_from_dict(document: Document) -> Found:
    return Found([Hit.from_record(record) for record in document["hits"]], list(document["notes"]))
