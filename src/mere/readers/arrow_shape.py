"""What do nested Arrow arrays contain: how long are the lists, which keys have the maps, which column is the key?

Counted by Arrow kernels. A place is the way to an array from the record of all columns: numbers of fields, and
`ELEMENT` for the elements of a list or the pairs of a map.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from mere.readers.as_text import as_text
from mere.readers.nested_shape import KEY_ROWS, key_candidates

ELEMENT = "[]"
MAP_KEYS = 64  # a map with more different keys is a list of records with `key` and `value`

Place = tuple[int | str, ...]


def plain_type(data_type: pa.DataType) -> pa.DataType:
    """The type without extension types around it."""
    while isinstance(data_type, pa.BaseExtensionType):
        data_type = data_type.storage_type
    return data_type


def plain(array: pa.Array) -> pa.Array:
    while isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    return array


def is_list(data_type: pa.DataType) -> bool:
    return types.is_list(data_type) or types.is_large_list(data_type)


def has_lists(data_type: pa.DataType) -> bool:
    """Whether a list or a map is anywhere inside."""
    data_type = plain_type(data_type)
    if types.is_struct(data_type):
        return any(has_lists(inner.type) for inner in data_type)
    return is_list(data_type) or types.is_map(data_type)


def lengths_of(array: pa.Array) -> np.ndarray:
    """The length of each list; 0 for null."""
    return pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)


def pairs_type(data_type: pa.MapType) -> pa.DataType:
    """The type of a map as a list of records with `key` and `value`."""
    return pa.list_(pa.struct([pa.field("key", data_type.key_type, nullable=False), ("value", data_type.item_type)]))


def as_list(array: pa.Array) -> pa.Array:
    return array.cast(pairs_type(array.type)) if types.is_map(array.type) else array


@dataclass
class Counts:
    """The lists, or maps, at one place."""

    longest: int = 0
    total: int = 0
    keys: pa.Array | None = None  # of a map
    many_keys: bool = False

    def add(self, array: pa.Array) -> None:
        lengths = lengths_of(array)
        self.longest = max(self.longest, int(lengths.max(initial=0)))
        self.total += int(lengths.sum())

    def add_keys(self, new: pa.Array) -> None:
        if not self.many_keys:
            self.keys = pc.unique(new if self.keys is None else pa.concat_arrays([self.keys, new]))
            self.many_keys = len(self.keys) > MAP_KEYS


class ArrowKeys:
    """The fields of records, by their name a key, that are filled and different in every record."""

    def __init__(self, names: list[str]) -> None:
        self._texts: dict[str, list[pa.Array]] = {name: [] for name in key_candidates(names) if names.count(name) == 1}
        self._rows = 0

    @property
    def candidates(self) -> list[str]:
        return list(self._texts)

    def add(self, name: str, column: pa.Array) -> None:
        if name not in self._texts or types.is_nested(column.type):
            self._texts.pop(name, None)
            return
        text = as_text(column)
        filled = not text.null_count and not pc.any(pc.equal(text, "")).as_py()
        self._texts[name].append(text)
        if not filled or sum(map(len, self._texts[name])) > KEY_ROWS:
            del self._texts[name]

    @property
    def best(self) -> str:
        for name, texts in self._texts.items():
            whole = pa.chunked_array(texts, pa.string())
            if len(whole) and pc.count_distinct(whole).as_py() == len(whole):
                return name
        return ""


@dataclass
class ArrowShape:
    """The counts of every list and map, the rows and the keys of every list of records; records are at `()`, too."""

    levels: int
    counts: dict[Place, Counts] = field(default_factory=dict)
    keys: dict[Place, ArrowKeys] = field(default_factory=dict)

    def add(self, array: pa.Array, place: Place = (), depth: int = 0) -> None:
        array = plain(array)
        if depth >= self.levels:
            return
        if types.is_struct(array.type):
            self._add_struct(array, place, depth)
        elif is_list(array.type) or types.is_map(array.type):
            lists = as_list(array)
            elements = pc.list_flatten(lists)
            counts = self.counts.setdefault(place, Counts())
            counts.add(lists)
            if types.is_map(array.type):
                counts.add_keys(pc.struct_field(elements, "key"))
            self.add(elements, (*place, ELEMENT), depth)

    def _add_struct(self, array: pa.Array, place: Place, depth: int) -> None:
        names = [inner.name for inner in array.type]
        if place[-1:] in ((), (ELEMENT,)) and place not in self.keys:
            self.keys[place] = ArrowKeys(names)
        keys = self.keys.get(place) if place[-1:] in ((), (ELEMENT,)) else None
        for number, inner in enumerate(array.flatten()):
            if keys and names[number] in keys.candidates:
                keys.add(names[number], plain(inner))
            self.add(inner, (*place, number), depth + 1)
