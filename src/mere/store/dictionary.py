"""Which number represents a value inside a segment?

A dictionary lists distinct values in the order of (hash, bytes); a value's id is its place.  Ordered by hash it is
merged, cut into ranges and searched as plain arrays of 64-bit numbers, and a huge one is built range by range.
Equal hashes never mean equal values: bytes are compared wherever hashes agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from mere import compiled
from mere.compiled import Trial, read_only
from mere.store.ragged import stable_order
from mere.store.strings import Strings, offsets_of

if TYPE_CHECKING:
    from mere.store.kernels import Known

AT_ONCE = 4_000_000  # values sorted and compared at once
LOOKUP = compiled.Group("lookup", ("mere.store.kernels",), compiling=2.0)
COMPARING = compiled.Group("comparing values", ("mere.store.kernels",), compiling=1.0)
_LARGE = 1_000_000  # values that are united: loading the kernels takes less time than NumPy


def distinct(values: Strings, hashes: np.ndarray, groups: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The first places of the distinct (group, value) pairs, in the order of group, hash, bytes; and for every value
    the number of its pair.  Without groups, all values belong to one.

    >>> words = Strings.of(["b", "a", "b"])
    >>> distinct(words, np.array([2, 1, 2], np.uint64))
    (array([1, 0]), array([1, 0, 1]))
    """
    order = _order(hashes, groups)
    same = _same_as_previous(values, order, hashes, groups)
    if same is None:  # two values with one hash: sort that case by bytes as well
        owners = np.zeros(len(values), np.int64) if groups is None else groups
        keys = [(int(owners[i]), int(hashes[i]), values.bytes_at(i)) for i in range(len(values))]
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
        same = np.array([i > 0 and keys[order[i]] == keys[order[i - 1]] for i in range(len(keys))], bool)
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(~same) - 1
    return np.minimum.reduceat(order, np.flatnonzero(~same)), number


def _order(hashes: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """The places in the order of group and hash; in any order where both agree, which NumPy sorts much faster."""
    order = np.argsort(hashes)
    return order if groups is None else order[stable_order(groups[order])]


def _same_as_previous(
    values: Strings, order: np.ndarray, hashes: np.ndarray, groups: np.ndarray | None
) -> np.ndarray | None:
    """Whether each value, in order, repeats the one before; None if hashes agree where bytes do not."""
    same = np.zeros(len(order), bool)
    same[1:] = _repeats(hashes[order])
    if groups is not None:
        same[1:] &= _repeats(groups[order])
    repeats = np.flatnonzero(same)
    if repeats.size and not equal_bytes(values, order[repeats], values, order[repeats - 1]).all():
        return None
    return same


def _repeats(numbers: np.ndarray) -> np.ndarray:
    return numbers[1:] == numbers[:-1]


def unite(sets: list[tuple[Strings, np.ndarray]], ids: np.ndarray) -> Iterator[tuple[Strings, np.ndarray]]:
    """The union of sets of values (each with its hashes, in the order of hash and bytes), a range of hashes at a time.

    `ids` is filled with the place of every value, set after set, in the union.  The sorting and comparing is done
    on one range; the caller decides what to keep of the ranges.
    """
    if len(ids) > _LARGE:
        compiled.load(COMPARING, comparing_trial)
    ranges = max(1, -(-len(ids) // AT_ONCE))
    edges = np.linspace(0, 2.0**64, ranges + 1)[1:-1].astype(np.uint64)
    cuts = [[0, *np.searchsorted(hashes, edges).tolist(), len(hashes)] for _, hashes in sets]
    starts = offsets_of(np.array([len(hashes) for _, hashes in sets], np.int64)).tolist()
    known = 0
    for r in range(ranges):
        spans = [(i, cut[r], cut[r + 1]) for i, cut in enumerate(cuts)]
        values = Strings.concat([sets[i][0].slice(a, b) for i, a, b in spans])
        hashes = np.concatenate([np.empty(0, np.uint64), *(sets[i][1][a:b] for i, a, b in spans)])
        places, number = distinct(values, hashes)
        done = 0
        for i, a, b in spans:
            ids[starts[i] + a : starts[i] + b] = number[done : done + b - a] + known
            done += b - a
        known += len(places)
        yield values.take(places), hashes[places]


def equal_bytes(left: Strings, left_places: np.ndarray, right: Strings, right_places: np.ndarray) -> np.ndarray:
    """Whether each pair of strings has the same bytes."""
    compare = compare_compiled if compiled.ready(COMPARING) else compare_in_numpy
    return compare(left, left_places, right, right_places)


def compare_in_numpy(left: Strings, left_places: np.ndarray, right: Strings, right_places: np.ndarray) -> np.ndarray:
    equal = left.lengths()[left_places] == right.lengths()[right_places]
    open_pairs = np.flatnonzero(equal)
    left_values = left.take(left_places[open_pairs]).to_arrow()
    right_values = right.take(right_places[open_pairs]).to_arrow()
    equal[open_pairs] = np.asarray(pc.equal(left_values, right_values))
    return equal


def compare_compiled(left: Strings, left_places: np.ndarray, right: Strings, right_places: np.ndarray) -> np.ndarray:
    """The same by kernels."""
    from mere.store import kernels

    equal = np.empty(len(left_places), bool)
    sides = ((read_only(texts.offsets), read_only(texts.data)) for texts in (left, right))
    one, other = (read_only(np.asarray(places, np.int64)) for places in (left_places, right_places))
    kernels.compare_bytes(next(sides), one, next(sides), other, equal)
    return equal


def comparing_trial() -> Trial:
    """Compiles what comparing needs."""
    nothing, nowhere = Strings.of([]), np.zeros(0, np.int64)
    return Trial(COMPARING, (("compare_bytes", lambda: compare_compiled(nothing, nowhere, nothing, nowhere)),))


@dataclass(frozen=True)
class Dictionary:
    """The distinct values of a segment, in the order of (hash, bytes)."""

    hashes: np.ndarray
    values: Strings

    def __len__(self) -> int:
        return len(self.hashes)

    def find(self, values: Strings, hashes: np.ndarray) -> np.ndarray:
        """The id of each (normalised) value, -1 where the dictionary does not have it."""
        if compiled.ready(LOOKUP, self.trial):
            return self._find_compiled(values, hashes)
        with compiled.time_fallback(LOOKUP):
            return self._find(values, hashes)

    def trial(self) -> Trial:
        """Compiles what a look-up needs."""
        nothing, no_hashes = Strings.of([]), np.zeros(0, np.uint64)
        return Trial(
            LOOKUP,
            (
                ("bucket_starts", lambda: self.known),
                ("find", lambda: self._find_compiled(nothing, no_hashes)),
            ),
        )

    def _find_compiled(self, values: Strings, hashes: np.ndarray) -> np.ndarray:
        from mere.store import kernels

        ids = np.empty(len(hashes), np.int64)
        kernels.find(read_only(hashes), read_only(values.offsets), read_only(values.data), self.known, ids)
        return ids

    @cached_property
    def known(self) -> Known:
        """The dictionary for kernels, divided into buckets of about four values."""
        from mere.store.kernels import Known, bucket_starts

        bits = max(1, (len(self) // 4).bit_length())
        buckets, shift = np.zeros((1 << bits) + 1, np.uint32), np.uint64(64 - bits)
        hashes = read_only(self.hashes)
        bucket_starts(hashes, shift, buckets)
        return Known(hashes, read_only(self.values.offsets), read_only(self.values.data), buckets, shift)

    def _find(self, wanted: Strings, hashes: np.ndarray) -> np.ndarray:
        ids = np.full(len(hashes), -1, np.int64)
        place = np.searchsorted(self.hashes, hashes)
        waiting = np.flatnonzero(place < len(self))
        while waiting.size:  # once, unless two values of the dictionary share a hash
            waiting = waiting[self.hashes[place[waiting]] == hashes[waiting]]
            equal = equal_bytes(self.values, place[waiting], wanted, waiting)
            ids[waiting[equal]] = place[waiting[equal]]
            waiting = waiting[~equal]
            place[waiting] += 1
            waiting = waiting[place[waiting] < len(self)]
        return ids
