"""Which things are connected, directly or through others?  Union by rank with halved paths (Tarjan, 1975)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable


class Clusters:
    """Sets of connected things; `forest` holds the pairs that joined two of them."""

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}
        self._size: Counter[Hashable] = Counter()
        self.forest: list[tuple[Hashable, Hashable]] = []

    def connect(self, one: Hashable, other: Hashable) -> None:
        """Two things are connected; one thing with itself is nothing."""
        if one == other:
            return
        left, right = self._root(one), self._root(other)
        if left == right:
            return
        if self._size[left] < self._size[right]:
            left, right = right, left
        self._parent[right] = left
        self._size[left] += self._size[right]
        self.forest.append((one, other))

    def sizes(self) -> list[int]:
        """How many things are in each cluster, the largest first."""
        roots = Counter(self._root(thing) for thing in list(self._parent))
        return sorted(roots.values(), reverse=True)

    def _root(self, thing: Hashable) -> Hashable:
        if thing not in self._parent:
            self._parent[thing] = thing
            self._size[thing] = 1
        while self._parent[thing] != thing:
            self._parent[thing] = self._parent[self._parent[thing]]
            thing = self._parent[thing]
        return thing
