"""What is asked: which distinct keys, combinations of the values of several columns, does a table hold?

Cells go the way of the cells of a lake, column by column; a row with a null in any of them has no key.  The keys are
then written as a tree: a path from the root is a key, its first step the value in the first **level**'s column, and so
on.  Levels are the key's columns in the order of their distinct values, most first, so that the tree is as thin as it
can be after one step.  Nodes are numbered level by level, and within one by (parent, value): the children of a node
follow each other, ascending, and the leaves are the keys.

    value.offsets, value.data, hashes   the distinct values of every level, one level after the other
    value.starts        where each level's values start, and where the last one's end
    value.keys          u32: how many keys hold each value, in its level
    patterns            u64: the bits of each value in a super key, `words` numbers each
    node.values         u32: which of its level's values each node stands for; the root is node 0
    node.children       where each node's children start, and where the last one's end
    node.keys           u32: how many keys lie below each node
    counts              rows of the question with each key
    levels              the place, among the question's columns, of each level's column
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mere.compiled import read_only
from mere.errors import QueryError
from mere.indexes.composite.row_super_keys import recipe_in
from mere.indexes.composite.super_keys import patterns
from mere.indexes.inputs import Inputs
from mere.indexes.kind import Part
from mere.indexes.sets.question import cells_of, checked_threshold, least_overlap
from mere.segments import Coded, code_column
from mere.store import Strings, offsets_of
from mere.values.normalise import starts_like_a_number

MODES = ("auto", "rarest", "mate", "scr", "mcr")
MOST_COLUMNS = 8
WORK = 20_000_000  # rows looked at in one table, again and again: half a second; then the best so far is a lower bound
PATIENCE = 4  # times that, in one segment; then every further table gets but a small part of it
STEP = 64  # what mapping one column more costs, whatever its rows: in rows looked at


class Tree(NamedTuple):
    """The keys as a tree, for kernels and NumPy."""

    starts: np.ndarray  # of the values of each level
    values: np.ndarray
    children: np.ndarray
    keys: np.ndarray


@dataclass(frozen=True, eq=False)
class Question:
    """Keys to look for."""

    values: Strings
    hashes: np.ndarray
    weights: np.ndarray  # keys per value
    patterns: np.ndarray  # (values, words)
    counts: np.ndarray
    tree: Tree
    levels: list[int]
    names: Sequence[str] = ()  # of the question's columns, if they have names

    def __len__(self) -> int:
        return len(self.counts)

    @staticmethod
    def of(probe: Mapping[str, Any]) -> Question:
        """The question a probe carries; read-only, so that kernels are compiled once."""
        names = ("value.starts", "node.values", "node.children", "node.keys")
        return Question(
            Strings(read_only(probe["value.offsets"]), read_only(probe["value.data"])),
            read_only(probe["hashes"]),
            read_only(probe["value.keys"]),
            read_only(probe["patterns"]).reshape(len(probe["hashes"]), probe["words"]),
            probe["counts"],
            Tree(*(read_only(probe[name]) for name in names)),
            probe["levels"],
            probe["on"] or (),
        )

    def paths(self) -> np.ndarray:
        """Of each key (a row) the number of its value in every level."""
        leaves = np.arange(len(self.tree.values) - len(self), len(self.tree.values))
        steps = []
        for _ in self.levels:
            steps.append(self.tree.values[leaves])
            leaves = np.searchsorted(self.tree.children, leaves, side="right") - 1
        return np.stack(steps[::-1], axis=1) if steps else np.zeros((len(self), 0), np.uint32)

    def key(self, path: np.ndarray) -> list[str]:
        """A key in words, in the order of the question's columns."""
        starts = self.tree.starts
        by_level = {self.levels[level]: self.values[int(starts[level] + v)] for level, v in enumerate(path)}
        return [by_level[place] for place in sorted(by_level)]


def key_query(given: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """The query of a question about a key; a table of the lake does not answer a question of its own."""
    key = inputs.key(given["frame"], given["on"], MOST_COLUMNS)
    query = {name: value for name, value in given.items() if name != "frame"}
    return {
        **query, "columns": key.columns, "on": key.names, "skip": key.table,
        "table": inputs.table(given["table"], with_rows=True), "notes": list(key.notes),
    }  # fmt: skip


def composite_probe(query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """What a question about keys carries to the segments.

    `columns` are the key's columns, each as cells or as `Coded`, of equal length; `on` are their names.  `threshold`:
    only tables that hold this share of the keys; `numbers`: False keeps columns of numbers from answering; `table` and
    `skip` name the only table that may answer, or one that may not.
    """
    mode = query.get("mode") or "auto"
    if mode not in MODES:
        raise QueryError(f"no mode '{mode}' for a key of columns", f"choose one of {', '.join(MODES)}")
    if query.get("per", "table") != "table":
        raise QueryError("a key of several columns is answered by tables, not by columns", "leave out per='column'")
    columns = [one if isinstance(one, Coded) else code_column(cells_of(one)) for one in query["columns"]]
    if not 0 < len(columns) <= MOST_COLUMNS:
        raise QueryError(f"a key of {len(columns)} columns", f"give 1 to {MOST_COLUMNS}")
    if len({len(column.codes) for column in columns}) > 1:
        raise QueryError("the columns of a key have different lengths", "give columns of one table")
    keys = _as_tree(columns)
    threshold, size = query.get("threshold"), len(keys["counts"])
    share = 0.0 if threshold is None else checked_threshold(threshold)
    return {
        **keys,
        **_bits(keys, parts),
        "numbers": query.get("numbers") is not False,
        "numeric": query.get("numbers") is not False and any(_has_numbers(column) for column in columns),
        "unsure": any(column.unsure for column in columns),
        "table": query.get("table"),
        "skip": query.get("skip"),
        "on": query.get("on"),
        "at_least": least_overlap(share, size),
        "mode": mode,
        "k": int(query.get("k", 10)),
        "notes": [*(query.get("notes") or []), *_notes(columns, size), *_warned(columns, query.get("numbers"))],
    }


def _has_numbers(column: Coded) -> bool:
    """Whether a column of numbers may have one of its values."""
    return bool(starts_like_a_number(column.values.to_arrow()).any())


def example_question(part: Part) -> Question:
    """A question with arrays of the types that all questions to a part have: for compiling kernels."""
    return Question.of(composite_probe({"columns": [["a"], ["b"]]}, [part]))


def _as_tree(columns: list[Coded]) -> dict[str, Any]:
    whole = np.flatnonzero(np.logical_and.reduce([column.codes > 0 for column in columns]))
    used, places = zip(*(_renumbered(column.codes[whole]) for column in columns), strict=True)
    levels = sorted(range(len(columns)), key=lambda place: (-len(used[place]), place))
    steps = [places[place] for place in levels]
    order = np.argsort(_combined(steps, [len(used[place]) for place in levels]))
    new = np.zeros(len(order), bool)  # whether a row's path leaves that of the row before
    new[:1] = True
    node_values, parents, numbers = [np.zeros(1, np.uint32)], [], np.zeros(len(order), np.int64)
    for step in steps:
        step = step[order]
        new[1:] |= step[1:] != step[:-1]
        node_values.append(step[new].astype(np.uint32))
        parents.append(numbers[new])
        numbers = np.cumsum(new) - 1
    counts = np.bincount(numbers)
    kept = [(columns[place], used[place] - 1) for place in levels]
    values = Strings.concat([column.values.take(chosen) for column, chosen in kept])
    return {
        **values.arrays("value"),
        "hashes": np.concatenate([column.hashes[chosen] for column, chosen in kept]),
        "value.starts": offsets_of(np.array([len(chosen) for _, chosen in kept], np.int64)),
        **_linked(node_values, parents, len(counts)),
        "counts": counts,
        "levels": levels,
    }


def _renumbered(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The codes that occur, ascending, and for each code its place among them."""
    occurs = np.bincount(codes, minlength=1) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def _combined(steps: list[np.ndarray], sizes: list[int]) -> np.ndarray:
    """One number a row that sorts like the row's steps."""
    combined, limit = steps[0], sizes[0]
    for step, size in zip(steps[1:], sizes[1:], strict=True):
        if limit * size >= 1 << 62:
            combined = np.unique(combined, return_inverse=True)[1]
            limit = len(combined)
        combined, limit = combined * size + step, limit * size
    return combined


def _linked(node_values: list[np.ndarray], parents: list[np.ndarray], keys: int) -> dict[str, np.ndarray]:
    """The tree's arrays; the keys that hold a value are those below the nodes that stand for it."""
    sizes = [len(values) for values in node_values]
    families = [np.bincount(up, minlength=size) for up, size in zip(parents, sizes, strict=False)]
    below = [np.ones(keys, np.int64)]
    for up, size in zip(parents[::-1], sizes[-2::-1], strict=True):
        below.append(np.bincount(up, below[-1], size).astype(np.int64))
    held = [np.bincount(values, weights) for values, weights in zip(node_values[1:], below[-2::-1], strict=True)]
    return {
        "node.values": np.concatenate(node_values),
        "node.children": 1 + offsets_of(np.concatenate([*families, np.zeros(keys, np.int64)])),
        "node.keys": np.concatenate(below[::-1]).astype(np.uint32),
        "value.keys": np.concatenate(held).astype(np.uint32),
    }


def _bits(keys: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """Each value's bits, by the recipe of the lake."""
    if not parts:
        return {"patterns": np.zeros(len(keys["hashes"]), np.uint64), "words": 1}
    values, ranks = Strings.mapped(keys, "value"), parts[0].arrays["recipe.ranks"]
    bits = patterns(values, keys["hashes"], recipe_in(parts[0]), ranks)
    return {"patterns": bits.reshape(-1), "words": bits.shape[1]}


def _warned(columns: list[Coded], numbers: bool | None) -> list[str]:
    """Keys of numbers alone match by accident, and in many ways."""
    if numbers is False or not columns or not all(column.numeric for column in columns):
        return []
    return ["all columns of the key are numbers: they may match by accident, and searching them all may take long"]


def _notes(columns: list[Coded], keys: int) -> list[str]:
    dropped = sorted({spelling for column in columns for spelling in column.dropped})
    notes = [f"read as missing: {', '.join(map(repr, dropped))}"] if dropped else []
    return notes if keys else [*notes, "no row has a value in every column of the key"]
