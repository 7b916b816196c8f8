"""Which files are, or may be, the parts of one table?

    kind      its files                                              one table
    delta     those that the log of a Delta Lake table names         always
    iceberg   those of the current snapshot of an Iceberg table      always
    hive      below folders KEY=VALUE                                always
    spark     part-00000... of one folder                            always
    numbered  data_001.csv, data_002.csv (setting `unite_parts`)     if they have the same columns
    json      at least three small .json files of one folder         those that are objects of one shape

Candidates are known by their paths, so that a file never changes its dataset because of what others contain; whether a
candidate of the last two kinds is a part is decided after reading (`parts_inside`), from the columns of all candidates.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from mere.pipeline.records import HIVE, JSON, NUMBERED, SPARK, PartOf
from mere.pipeline.scan import SPARK_PART, RawFile
from mere.readers.first_rows import DATA, HEADER
from mere.readers.partitions import FILE_NAME, hive_partition
from mere.segments.datasets import Part, Shape

FEWEST_OBJECTS = 3
_OBJECT_BYTES = 1 << 20  # a larger JSON file is a table of its own
_NUMBERED = re.compile(r"(.*?)(\d+)((?:\.[A-Za-z]\w*)+)")
_SHARED = 0.5  # of the columns of an object, and of those that most have, must be the same


@dataclass
class Group:
    """The candidates for the parts of one table, in the order of their paths."""

    source: str
    path: str  # identifies it in the source
    kind: str
    folder: str  # that it is named after, or a pattern
    files: list[RawFile] = field(default_factory=list)
    name: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.source, self.path

    @property
    def path_for_name(self) -> str:
        return self.folder


def group_files(files: Sequence[RawFile], unite_parts: bool) -> list[Group]:
    """The groups among the files of all sources; each file that is in one is told so in its `part`."""
    groups: dict[tuple[str, str], Group] = {}
    candidates = [file for file in files if not file.refused and not file.is_sidecar and file.full != file.source]
    objects = Counter((file.source, posixpath.dirname(file.path)) for file in candidates if _may_be_object(file))
    numbers = Counter((file.source, pattern) for file in candidates if (pattern := _numbered(file.path)))
    for file in candidates:
        numbered = _numbered(file.path) if unite_parts else ""
        folder = posixpath.dirname(file.path)
        if file.part is None and (part := _by_path(file.path)):
            file.part = part
        elif file.part is None and numbered and numbers[file.source, numbered] > 1:
            file.part = PartOf(numbered, NUMBERED)
        elif file.part is None and _may_be_object(file) and objects[file.source, folder] >= FEWEST_OBJECTS:
            file.part = PartOf(posixpath.join(folder, "*.json"), JSON, {FILE_NAME: posixpath.basename(file.path)})
        if file.part:
            _add(groups, file, file.part)
    return [groups[key] for key in sorted(groups)]


def _add(groups: dict[tuple[str, str], Group], file: RawFile, part: PartOf) -> None:
    folder = posixpath.dirname(part.dataset) if part.kind == JSON else part.dataset
    key = file.source, part.dataset
    groups.setdefault(key, Group(*key, part.kind, "" if folder == "." else folder)).files.append(file)


def _by_path(path: str) -> PartOf | None:
    """The dataset of a file that its path alone puts there; the folder of the source itself is written as a dot."""
    folder, name = posixpath.split(path)
    above, values = hive_partition(folder.split("/"))
    if values:
        return PartOf("/".join(above) or ".", HIVE, values)
    return PartOf(folder or ".", SPARK) if SPARK_PART.match(name) else None


def _may_be_object(file: RawFile) -> bool:
    return file.path.lower().endswith(".json") and file.size <= _OBJECT_BYTES and _by_path(file.path) is None


def _numbered(path: str) -> str:
    """The path with a star instead of the last number before the extension; empty if there is none."""
    folder, name = posixpath.split(path)
    match = _NUMBERED.fullmatch(name)
    return posixpath.join(folder, f"{match[1]}*{match[3]}") if match and _by_path(path) is None else ""


def parts_inside(kind: str, parts: Sequence[Part]) -> set[str]:
    """The paths of the candidates that are parts of the table."""
    readable = [part for part in parts if part.shape]
    if kind == NUMBERED:
        return _of_equal_columns(parts)
    if kind == JSON:
        return {path for path, _ in _of_one_shape([(part.path, _main(part.shape)) for part in readable if part.shape])}
    return {part.path for part in readable}


def first_rows_of(kind: str, parts: Sequence[Part]) -> dict[str, str]:
    """By path: how to read the first rows of text files whose readers judged them differently from the others."""
    tops = {part.path: part.shape for part in parts if part.shape and part.shape.top}
    if kind in (NUMBERED, JSON) or len(tops) < 2:
        return {}
    [(top, count)] = Counter(shape.top for shape in tops.values()).most_common(1)
    if 2 * count > len(tops):
        is_header = any(shape.named for shape in tops.values() if shape.top == top)
        return {p: HEADER for p, shape in tops.items() if is_header and not shape.named and shape.top == top}
    cells = Counter(cell for shape in tops.values() for cell in set(shape.top))
    common = sum(2 * number > len(tops) for cell, number in cells.items() if cell)
    if len({len(shape.top) for shape in tops.values()}) > 1 or 2 * common >= len(top):
        return {}
    return {path: DATA for path, shape in tops.items() if shape.named}


def _of_equal_columns(parts: Sequence[Part]) -> set[str]:
    """All or none: each has one table, and their columns are the same."""
    columns = {tuple(part.shape.columns.items()) if part.shape else () for part in parts}
    equal = len(parts) > 1 and len(columns) == 1 and [member for member, _ in min(columns)] == [""]
    return {part.path for part in parts} if equal else set()


def _main(shape: Shape) -> frozenset[str]:
    """The columns of an object, without the one that every part has."""
    return frozenset(shape.columns.get("", ())) - {FILE_NAME}


def _of_one_shape(objects: list[tuple[str, frozenset[str]]]) -> list[tuple[str, frozenset[str]]]:
    """The objects that share half of their columns with what most objects have, and the other way round."""
    counted = Counter(column for _, columns in objects for column in columns)
    common = {column for column, count in counted.items() if 2 * count > len(objects)}
    alike = [each for each in objects if len(each[1] & common) >= _SHARED * max(len(each[1]), len(common), 1)]
    return alike if len(alike) >= FEWEST_OBJECTS else []
