"""Where does a text share long pieces with the values of a column?

Algorithm 3 of Zhu's thesis (Auto-Join) looks up every suffix of a value in a sorted list of all suffixes of the other
column, for its longest prefix that occurs there (the ideal q-gram: the longer it is, the rarer).

    Q_q(v)              the pieces of length q of a value            suffix[:q]
    QUERYINDEX(C, g)    the values of C that hold g                  Suffixes.values_with
    BINARYSEARCHQ(u, C) the length of u's longest prefix in C        Suffixes.longest

We depart in one point: the longest prefix is found by one binary search instead of log |u|, because in a sorted list of
suffixes it is shared with a neighbour of the place where u would be.

Cost: O(S log S) to sort S suffixes of at most `DEPTH` characters; O(log S) per suffix looked up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

SHORTEST = 3  # characters: the thesis's least q
DEPTH = 48  # characters of a suffix that are kept; longer pieces are compared up to there
_LAST = "\U0010ffff" * DEPTH  # after every suffix that begins alike


class Shared(NamedTuple):
    """A piece that a text shares with values of a column."""

    start: int  # in the text
    length: int
    first: int  # the suffixes that begin with it: a range
    end: int


class Suffixes:
    """All suffixes of some texts, sorted."""

    def __init__(self, texts: Sequence[str]) -> None:
        pairs = sorted(
            (text[start : start + DEPTH], place)
            for place, text in enumerate(texts)
            for start in range(len(text) - SHORTEST + 1)
        )
        self._suffixes = [suffix for suffix, _ in pairs]
        self._places = [place for _, place in pairs]

    def longest(self, suffix: str) -> int:
        """The length of the longest prefix of a suffix that occurs in the column."""
        place = bisect_left(self._suffixes, suffix)
        neighbours = self._suffixes[max(0, place - 1) : place + 1]
        return max((_common(suffix, neighbour) for neighbour in neighbours), default=0)

    def values_with(self, shared: Shared) -> set[int]:
        """The places of the values that hold a piece."""
        return set(self._places[shared.first : shared.end])

    def shared_pieces(self, text: str, most: int) -> list[Shared]:
        """The pieces of a text that occur in the column at most `most` times and cannot be extended on either side."""
        found = []
        suffixes, reach = self._suffixes, 0  # the end of the last piece
        for start in range(len(text) - SHORTEST + 1):
            end = max(reach + 1, start + SHORTEST)  # a piece that ends before is part of the last one
            if end > len(text):
                break
            piece = text[start : min(end, start + DEPTH)]
            place = bisect_left(suffixes, piece)
            if place == len(suffixes) or not suffixes[place].startswith(piece):
                continue
            suffix = text[start : start + DEPTH]
            piece = suffix[: self.longest(suffix)]
            reach = start + len(piece)
            first = bisect_left(suffixes, piece)
            if first + most < len(suffixes) and suffixes[first + most].startswith(piece):
                continue  # too frequent to say anything
            found.append(Shared(start, len(piece), first, bisect_left(suffixes, piece + _LAST, first)))
        return found


def _common(one: str, other: str) -> int:
    """The length of the longest common prefix."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))
