"""What do records contain: which columns, which lists, which column is their key? Gathered record by record.

Records are objects of JSON or Avro. A path is joined by `SEPARATOR` inside the readers, because a key may contain dots;
`shown` makes it the name of a column.

Memory: one entry per path, and a hash per record for each of at most `CANDIDATES` columns that may be the key; beyond
`KEY_ROWS` records, or if no list is in the first `KEYS_FROM` records, the key is the number of the row.
"""

from __future__ import annotations

import re
from typing import Any

import xxhash

from mere.readers.json_records import cell, is_fraction

SEPARATOR = "\x1f"
KEY_ROWS = 1_000_000
KEYS_FROM = 10_000  # records without lists need no key, and are not searched for one any longer
CANDIDATES = 3
KEY_NAMES = ("id", "_id", "uuid", "guid", "key", "key_of_record", "code", "identifier", "name")
KEY_ENDING = re.compile(r".*([_\- ]id|[a-z]I[dD]|[_\- ]key|[_\- ]code|[_\- ]uuid)")

Path = tuple[str, ...]


def shown(name: str) -> str:
    """The name of a column or a table, from its path."""
    return name.replace(SEPARATOR, ".")


def key_candidates(names: list[str]) -> list[str]:
    """The columns that are a key by their name, the most usual names first."""
    ranks = {name: rank for rank, name in enumerate(KEY_NAMES)}
    known = sorted((name for name in names if name.lower() in ranks), key=lambda name: ranks[name.lower()])
    others = [name for name in names if name not in known and KEY_ENDING.fullmatch(name)]
    return (known + others)[:CANDIDATES]


class TooWide(ValueError):
    """Records with more different keys than a table may have columns."""


class Keys:
    """The columns, by their name a key, that are filled and different in every record so far."""

    def __init__(self) -> None:
        self._seen: dict[str, set[int]] | None = None
        self._rows = 0

    def best(self, rows: int) -> str:
        """The key of so many records, or an empty text; none if records have been left out."""
        return next(iter(self._seen or ()), "") if rows == self._rows else ""

    def add(self, record: dict[str, Any]) -> None:
        if self._seen is None:
            self._seen = {name: set() for name in key_candidates(list(record))}
        self._rows += 1
        if not self._seen:
            return
        for name, hashes in list(self._seen.items()):
            value = record.get(name)
            text = None if isinstance(value, (dict, list)) else cell(value)
            code = xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace")) if text else 0
            if not text or code in hashes or self._rows > KEY_ROWS:
                del self._seen[name]
            hashes.add(code)

    def merge(self, other: Keys) -> None:
        """Add the records that another one has seen."""
        if self._seen is not None and other._seen is not None:
            both = [
                name for name in self._seen if name in other._seen and self._seen[name].isdisjoint(other._seen[name])
            ]
            self._seen = {name: self._seen[name] | other._seen[name] for name in both}
        elif self._seen is None:
            self._seen = other._seen
        self._rows += other._rows


class Lists:
    """The lists found at one path."""

    def __init__(self, path: Path, levels: int, most: int) -> None:
        self.path = path
        self.longest = 0
        self.total = 0
        self.records = False  # whether they contain objects,
        self.scalars = False  # texts, numbers or booleans,
        self.fractions = False  # numbers that are not whole,
        self.others = levels < 1  # or lists, or objects that stay text
        self.elements = Shape(levels, most)

    def add(self, items: list[Any]) -> None:
        self.longest = max(self.longest, len(items))
        self.total += len(items)
        for item in items:
            if type(item) is dict:
                self.records = True
                self.elements.add(item)
            elif isinstance(item, (dict, list)):
                self.others = True
            elif item is not None:
                self.scalars = True
                self.fractions = self.fractions or is_fraction(item)
            else:
                self.elements.add_missing()

    @property
    def pure(self) -> bool:
        """Records, or scalars, and nothing else."""
        return not self.others and not (self.records and self.scalars)

    @property
    def single_record(self) -> bool:
        return self.pure and self.records and self.longest <= 1

    def merge(self, other: Lists) -> None:
        """Add lists that were found at the same path by another way."""
        self.longest = max(self.longest, other.longest)
        self.total += other.total
        self.records |= other.records
        self.scalars |= other.scalars
        self.fractions |= other.fractions
        self.others |= other.others
        self.elements.merge(other.elements)


class Shape:
    """The columns, `most` at most, and lists of records; objects up to `levels` deep are flattened."""

    def __init__(self, levels: int, most: int) -> None:
        self.rows = 0
        self.levels = levels
        self.most = most
        self.filled: dict[str, bool] = {}  # every column, and whether it has a value
        self.lists: dict[str, Lists] = {}
        self.fractions = False  # some value is a number with a fraction
        self.keys = Keys()

    def add(self, record: dict[str, Any]) -> None:
        self.rows += 1
        if self.rows <= KEYS_FROM or self.lists:
            self.keys.add(record)
        self._walk(record, "", ())
        if len(self.filled) > self.most:
            raise TooWide(f"more than {self.most:,} columns")

    def add_missing(self) -> None:
        """A null in place of a record."""
        self.rows += 1
        self.keys.add({})

    def _walk(self, record: dict[str, Any], prefix: str, path: Path) -> None:
        for key, value in record.items():
            name, kind = prefix + key, type(value)
            if kind is dict and value and len(path) + 1 < self.levels:
                self._walk(value, name + SEPARATOR, (*path, key))
            elif kind is list:
                self.filled.setdefault(name, False)
                if name not in self.lists:
                    self.lists[name] = Lists((*path, key), self.levels - len(path) - 1, self.most)
                self.lists[name].add(value)
            elif value is None or (kind is dict and not value):
                self.filled.setdefault(name, False)
            else:
                self.filled[name] = True
                self.fractions = self.fractions or is_fraction(value)

    def has_fractions(self) -> bool:
        """Whether some number has a fraction, in the records or in their lists."""
        inner = self.lists.values()
        return self.fractions or any(lists.fractions or lists.elements.has_fractions() for lists in inner)

    def merge(self, other: Shape) -> None:
        """Add what another shape of the same place has gathered."""
        self.rows += other.rows
        self.keys.merge(other.keys)
        self._add_names(other, "", ())

    def inline(self) -> set[str]:
        """Replace each list of at most one record by the columns and lists of that record; the paths of such lists.

        The shortest paths first: what is in their records may make a list at a longer path longer than one.
        """
        inlined: set[str] = set()
        while single := [name for name, lists in self.lists.items() if lists.single_record]:
            shortest = min(len(self.lists[name].path) for name in single)
            single = [name for name in single if len(self.lists[name].path) == shortest]
            before, self.filled = self.filled, {}
            for name, filled in before.items():
                if name not in single:
                    self.filled[name] = filled or self.filled.get(name, False)
                    continue
                lists = self.lists.pop(name)
                self._add_names(lists.elements, name + SEPARATOR, lists.path)
                if filled:  # a scalar in place of the list in another record
                    self.filled[name] = True
            inlined.update(single)
        return inlined

    def _add_names(self, other: Shape, prefix: str, path: Path) -> None:
        for name, filled in other.filled.items():
            self.filled[prefix + name] = filled or self.filled.get(prefix + name, False)
        for name, lists in other.lists.items():
            if prefix + name in self.lists:
                self.lists[prefix + name].merge(lists)
            else:
                lists.path = (*path, *lists.path)
                self.lists[prefix + name] = lists
