"""Which files are the parts of one table, in which order, and how many rows has each?

A dataset is a folder of files that were taken for one table, or were candidates for that (`pipeline/datasets.py`
says when).  The rows of the table are those of its parts, one part after the other, in the order of the paths; its
columns are those of all parts, by name, in the order in which they are first met.  Files of several tables (members)
make several tables of the dataset.

Kept with the records of the raw files, in the container `files`: `dataset.key` (source and path, with a line break
between them) and `dataset.record` (JSON).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mere.segments.snapshot import Snapshot
from mere.segments.sources import source_from_stored, stored_source
from mere.segments.united_numbers import KeptEvidence
from mere.store import Container, Strings

FILES_VERSION = 1  # of the container


@dataclass(frozen=True)
class Shape:
    """What a part looks like: its format, and the columns of each of its tables, by member."""

    format: str
    columns: Mapping[str, tuple[str, ...]]
    top: tuple[str, ...] = ()  # the first row of a text file...
    named: bool = False  # ...and whether its reader took it for the header

    def to_dict(self) -> dict[str, Any]:
        columns = {member: list(names) for member, names in self.columns.items()}
        return {"format": self.format, "columns": columns, "top": list(self.top), "named": self.named}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Shape:
        columns = {member: tuple(names) for member, names in document["columns"].items()}
        return Shape(document["format"], columns, tuple(document["top"]), document["named"])

    def __hash__(self) -> int:
        return hash((self.format, tuple(self.columns.items()), self.top))


OBJECTS = "json"  # the kind of a dataset whose parts are JSON objects, a row each


@dataclass(frozen=True)
class Part:
    """One file of a dataset."""

    path: str  # relative to the source
    size: int
    shape: Shape | None = None  # None: it cannot be a part, because it could not be read, or is a table of its own
    inside: bool = False  # whether its rows are in the tables of the dataset
    rows: Mapping[str, int] = field(default_factory=dict)  # by member
    values: Mapping[str, str | None] = field(default_factory=dict)  # the columns that its path or a log gives it
    issues: tuple[str, ...] = ()
    lost: bool = False  # some of its rows or cells are missing; `issues` says why
    first_row: str = ""  # how its first row is read: see `readers/first_rows.py`
    typed: bool = False  # it has fractions that are numbers, not text: see `plain_numbers.py`


@dataclass(frozen=True)
class Dataset:
    """Files that are one table, or candidates for that."""

    source: str
    path: str  # what identifies it in the source: a folder, or a pattern of file names
    kind: str
    name: str  # of its table; members are appended
    parts: tuple[Part, ...] = ()  # in the order of their rows
    dropped: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)  # by member and column:
    # spellings of null that some rows may have had, and that are null in the stored table
    evidence: Mapping[str, KeptEvidence] = field(default_factory=dict)  # by member: how its numbers are written

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path

    @property
    def inside(self) -> list[Part]:
        return [part for part in self.parts if part.inside]

    @property
    def members(self) -> list[str]:
        """The members that become tables, as first met."""
        return list(dict.fromkeys(m for part in self.inside if part.shape for m in part.shape.columns))

    def columns(self, member: str) -> list[str]:
        """The columns of all parts, as first met."""
        shapes = dict.fromkeys(part.shape for part in self.inside)
        return list(dict.fromkeys(name for s in shapes if s for name in s.columns.get(member, ())))

    def format(self, member: str) -> str:
        """The formats of the parts."""
        shapes = {part.shape for part in self.inside}
        return ", ".join(sorted({shape.format for shape in shapes if shape and member in shape.columns}))

    def numbers(self, decimal: str) -> dict[str, Any]:
        """What is known of its numbers before they are read: see `plain_numbers.py`; `decimal` may be empty."""
        known = {"given": decimal, "typed": any(part.typed for part in self.inside)}
        return {name: value for name, value in known.items() if value}

    def table_name(self, member: str) -> str:
        return f"{self.name}#{member}" if member else self.name

    def to_dict(self) -> dict[str, Any]:
        shapes = list(dict.fromkeys(part.shape for part in self.parts if part.shape))
        numbers = {shape: number for number, shape in enumerate(shapes)}
        parts = [
            {**part.__dict__, "issues": list(part.issues), "shape": numbers[part.shape] if part.shape else None}
            for part in self.parts
        ]
        evidence = {member: each.to_dict() for member, each in self.evidence.items()}
        shown = [shape.to_dict() for shape in shapes]
        return {**self.__dict__, "parts": parts, "shapes": shown, "evidence": evidence}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Dataset:
        shapes = list(map(Shape.from_dict, document["shapes"]))
        parts = tuple(
            Part(**{**p, "issues": tuple(p["issues"]), "shape": None if p["shape"] is None else shapes[p["shape"]]})
            for p in document["parts"]
        )
        evidence = {member: KeptEvidence(**each) for member, each in document["evidence"].items()}
        known = {name: document[name] for name in document if name != "shapes"}
        return Dataset(**{**known, "parts": parts, "evidence": evidence})


def dataset_arrays(lake: str, datasets: Iterable[Dataset]) -> dict[str, np.ndarray]:
    """The arrays that datasets add to the container of the records."""
    stored = [replace(dataset, source=stored_source(lake, dataset.source)) for dataset in datasets]
    stored.sort(key=lambda dataset: dataset.key)
    lines = (json.dumps(dataset.to_dict(), ensure_ascii=False, sort_keys=True) for dataset in stored)
    keys = (_key(*dataset.key) for dataset in stored)
    return {**Strings.of(keys).arrays("dataset.key"), **Strings.of(lines).arrays("dataset.record")}


def read_datasets(lake: str, snapshot: Snapshot, only: tuple[str, str] | None = None) -> list[Dataset]:
    """The datasets of a snapshot; given the source and path of one, only that."""
    if not snapshot.files:
        return []
    arrays = Container(os.path.join(lake, snapshot.files.path), "files", FILES_VERSION, snapshot.files.entry)
    if "dataset.key.offsets" not in arrays:  # written before there were datasets
        return []
    keys = Strings.mapped(arrays, "dataset.key").tolist()
    records = Strings.mapped(arrays, "dataset.record")
    located = [(source_from_stored(lake, key.partition("\n")[0]), key.partition("\n")[2]) for key in keys]
    chosen = [number for number, key in enumerate(located) if only is None or key == only]
    return [replace(Dataset.from_dict(json.loads(records[i])), source=located[i][0]) for i in chosen]


def _key(source: str, path: str) -> str:
    return f"{source}\n{path}"
