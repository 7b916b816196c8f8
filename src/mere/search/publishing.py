"""What can be published of tables without a row of them?

One document in Croissant 1.1 (JSON-LD), a record set per table, a field per column.  `histogram` and `statistics` are
additions to Croissant, in a namespace of their own; `bins`, `densities` and the names of the statistics are those of
FAINDER's authors, `counts` are numbers of rows.

    of every column             name, description, type, cells that are not null, nulls, distinct values
    of numbers and dates, too   the histogram that the lake answers from, least and largest value, mean
    of text                     nothing more: no cell, no example, no range
    of those that are unsure    what is not known of them (`segments/plain_numbers`): others must not be surer

Edges of a histogram, the least and the largest value are values of the column, and a bin may have a single row.  With
`least`, edges are round numbers, no bin has fewer rows, a column with fewer has no histogram, and neither range nor
mean is published.  Dates are seconds since 1970 in edges, and text elsewhere.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import numpy as np

from mere.errors import UsageError
from mere.indexes import KINDS
from mere.indexes.kind import Kind, Part
from mere.search.asking.ask import Asker
from mere.search.catalog import find_table, rows_of
from mere.segments import Columns, Facts, Segment, axis_values
from mere.store import files
from mere.values import Type, spelled_moment
from mere.values.dates import FIRST_MOMENT, LAST_MOMENT

Json = dict[str, Any]

CONFORMS = "http://mlcommons.org/croissant/1.1"
CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "mere": "urn:mere:profile#",
    "conformsTo": "dct:conformsTo",
    "recordSet": "cr:recordSet",
    "field": "cr:field",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "rows": "mere:rows",
    "unsure": "mere:unsure",
    "histogram": {"@id": "mere:histogram", "@type": "@json"},
    "statistics": {"@id": "mere:statistics", "@type": "@json"},
}
DATASET = ("name", "description", "url", "license", "creator", "publisher", "datePublished", "version")
_NAME = "profiles"
_DESCRIPTION = "Profiles of tables."  # short: keyword search finds every table by these words
_TYPES = {
    Type.INTEGER: "sc:Integer",
    Type.DECIMAL: "sc:Float",
    Type.DATETIME: "sc:DateTime",
    Type.BOOLEAN: "sc:Boolean",
}
_ROUND_BINS = 16
_FINEST = {Type.INTEGER: 1.0, Type.DATETIME: 86400.0}  # the least step between round numbers


def profiles(asker: Asker, tables: Sequence[str] | None, least: int, dataset: Mapping[str, str]) -> Json:
    """The document of these tables (None: of all)."""
    if isinstance(least, bool) or not isinstance(least, int) or least < 0:
        raise UsageError(f"'least' must be an int >= 0, got {least!r}", "least=20 gives every bin 20 rows or more")
    if unknown := sorted(set(dataset) - set(DATASET)):
        raise UsageError(f"'{unknown[0]}' cannot be set for a dataset", f"choose from {', '.join(DATASET)}")
    if isinstance(tables, str):
        raise UsageError(f"expected a list of tables, got tables='{tables}'", f"write tables=['{tables}']")
    named = None if tables is None else [find_table(asker.opened, name) for name in tables]
    records: dict[str, Json] = {}
    for place, (segment, live) in enumerate(zip(asker.opened.segments, asker.opened.live, strict=True)):
        if named is None:
            numbers = np.flatnonzero(live).tolist()
        else:
            numbers = sorted({number for owner, number in named if owner is segment})
        parts = [(kind, asker.parts(kind)[place]) for kind in _describing()]
        records |= {record["name"]: record for record in _records(segment, parts, numbers, least)}
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        "name": _NAME,
        "description": _DESCRIPTION,
        **dataset,
        "recordSet": [records[name] for name in sorted(records)],
    }


def write(document: Json, path: str) -> int:
    """Write the document; the file is complete or does not exist.  Returns its size in bytes."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder '{folder}'", "create it, or choose another")
    if os.path.isdir(path):
        raise UsageError(f"'{path}' is a folder", "name a file in it")
    files.publish(path, as_text(document).encode())
    return os.path.getsize(path)


def as_text(document: Json) -> str:
    """The document as JSON, a line per record set."""
    head = json.dumps({**document, "recordSet": []}, ensure_ascii=False, allow_nan=False, indent=1)
    lines = [json.dumps(record, ensure_ascii=False, allow_nan=False) for record in document["recordSet"]]
    return head.removesuffix("[]\n}") + "[\n" + ",\n".join(lines) + "\n]}\n"


Parts = Sequence[tuple[Kind, Part]]


def _describing() -> list[Kind]:
    """The kinds that add to the profile of a column."""
    return [kind for kind in KINDS.values() if type(kind).describe is not Kind.describe]


def _records(segment: Segment, parts: Parts, numbers: Sequence[int], least: int) -> Iterator[Json]:
    """The record set of each of these tables."""
    wanted = [column for number in numbers for column in segment.columns_of(number)]
    owners, values, rows = axis_values(segment, np.array(wanted, np.int64))
    for number in numbers:
        facts, span, unsure = segment.facts(number), segment.columns_of(number), segment.unsure_columns(number)
        if facts.published:
            published = facts.published["columns"]
            columns = [coarse(rounded(column), least) for column in published] if least else published
        else:
            bounds = np.searchsorted(owners, np.arange(span.start, span.stop + 1)).tolist()
            numbers_of = [(values[a:b], rows[a:b]) for a, b in pairwise(bounds)]
            columns = _counted(segment, parts, number, numbers_of, least)
            doubts = [{"unsure": unsure[column]} if column in unsure else {} for column in span]
            columns = [{**column, **doubt} for column, doubt in zip(columns, doubts, strict=True)]
        yield _record(facts, segment.columns(number), columns)


def _record(facts: Facts, known: Columns, columns: Sequence[Json]) -> Json:
    about, record = facts.about, quote(facts.name, safe="")
    description = {
        "alternateName": about.get("title"),
        "description": about.get("description"),
        "keywords": about.get("keywords"),
        "license": about.get("licence"),
        "rows": rows_of(facts),
    }
    described = about.get("columns", {})
    fields = [
        _field(record, name, described.get(name), Type(kind), column)
        for name, kind, column in zip(known.names, known.types.tolist(), columns, strict=True)
    ]
    known_only = {name: value for name, value in description.items() if value is not None}
    return {"@type": "cr:RecordSet", "@id": record, "name": facts.name, **known_only, "field": fields}


def _field(record: str, name: str, description: str | None, kind: Type, column: Json) -> Json:
    """One column; `column` is as in `segments/published.py`."""
    field: Json = {"@type": "cr:Field", "@id": f"{record}/{quote(name, safe='')}", "name": name}
    if description:
        field["description"] = description
    field["dataType"] = _TYPES.get(kind, "sc:Text")
    if "edges" in column:
        counts, rows = column["counts"], sum(column["counts"])
        field["histogram"] = {
            "bins": column["edges"], "counts": counts, "densities": [count / rows for count in counts],
        }  # fmt: skip
    names = {"count": "count", "nulls": "nulls", "distinct": "distinct", "low": "min", "high": "max", "mean": "mean"}
    if "unsure" in column:
        field["unsure"] = column["unsure"]
    statistics = {published: column[own] for own, published in names.items() if own in column}
    if kind == Type.DATETIME:
        dates = [name for name in ("min", "max", "mean") if name in statistics]
        statistics |= {name: spelled_moment(statistics[name]) for name in dates}
    return {**field, "statistics": statistics} if statistics else field


NumbersOf = Sequence[tuple[np.ndarray, np.ndarray]]  # of each column: its numbers, and how many rows have each


def _counted(segment: Segment, parts: Parts, number: int, numbers_of: NumbersOf, least: int) -> list[Json]:
    """What the lake knows of each of a table's columns."""
    columns, rows = [], segment.facts(number).rows
    span, distinct = segment.columns_of(number), segment.distinct_counts(number).tolist()
    for place, column in enumerate(span):
        nulls = int(segment.catalog["column.nulls"][column])
        plain: Json = {"count": rows - nulls, "nulls": nulls, "distinct": distinct[place]}
        numbers, counts = numbers_of[place]
        if len(numbers) and least:
            kind = Type(int(segment.catalog["column.types"][column]))
            columns.append(coarse({**plain, **_round_bins(numbers, counts, kind)}, least))
        else:
            columns.append({**plain, **_exact(parts, column, numbers, counts)} if len(numbers) else plain)
    return columns


def _exact(parts: Parts, column: int, numbers: np.ndarray, counts: np.ndarray) -> Json:
    """Range, mean, and what the kinds add: the histogram that the lake answers from."""
    low, high = float(numbers.min()), float(numbers.max())
    mean = float((numbers * (counts / counts.sum())).sum())
    described: Json = {}
    for kind, part in parts:
        described |= kind.describe(part, column)
    return {"low": low, "high": high, "mean": min(max(mean, low), high), **described}


def coarse(column: Json, least: int) -> Json:
    """A column without range and mean, and with at least so many rows in each bin."""
    plain: Json = {name: column[name] for name in ("count", "nulls", "distinct", "unsure") if name in column}
    if sum(column.get("counts", ())) < least:
        return plain
    edges, counts = united(column["edges"], column["counts"], least)
    return {**plain, "edges": edges, "counts": counts}


def united(edges: Sequence[float], counts: Sequence[int], least: int) -> tuple[list[float], list[int]]:
    """Neighbouring bins united until each has so many rows; together they must have them.

    >>> united([0, 1, 2, 3, 4], [1, 5, 7, 1], 5)
    ([0, 2, 4], [6, 8])
    """
    united_edges, united_counts, rows = [edges[0]], [], 0
    for right, count in zip(edges[1:], counts, strict=True):
        rows += count
        if rows >= least:
            united_edges.append(right)
            united_counts.append(rows)
            rows = 0
    united_counts[-1] += rows
    united_edges[-1] = edges[-1]
    return united_edges, united_counts


def _round_bins(numbers: np.ndarray, rows: np.ndarray, kind: Type) -> Json:
    """About sixteen bins between round numbers; none where numbers are too large to be rounded."""
    edges = _round_edges(float(numbers.min()), float(numbers.max()), kind)
    if not len(edges):
        return {}
    counts = np.bincount(np.searchsorted(edges, numbers, side="right") - 1, rows, len(edges) - 1).astype(np.int64)
    filled = np.flatnonzero(counts)
    first, last = int(filled[0]), int(filled[-1]) + 1
    return {"edges": edges[first : last + 1].tolist(), "counts": counts[first:last].tolist()}


def rounded(column: Json) -> Json:
    """A published column between round numbers: outer edges are rounded outward, inner ones are kept if round."""
    if "edges" not in column:
        return column
    edges = np.array(column["edges"])
    grid = _round_edges(float(edges[0]), float(edges[-1]), Type(column["type"]))
    if not len(grid):
        return {name: value for name, value in column.items() if name not in ("edges", "counts")}
    inner = np.flatnonzero(np.isin(edges[1:-1], grid)) + 1
    below, above = np.searchsorted(grid, edges[[0, -1]], side="right")
    kept_edges = [grid[below - 1], *edges[inner], grid[above]]
    counts = [sum(column["counts"][left:right]) for left, right in pairwise([0, *inner.tolist(), len(edges) - 1])]
    return {**column, "edges": np.array(kept_edges).tolist(), "counts": counts}


def _round_edges(low: float, high: float, kind: Type) -> np.ndarray:
    """About sixteen round numbers, from at most the lowest to above the highest; none if they are too large."""
    finest = _FINEST.get(kind, 0.0)
    unit = finest or 1.0
    step = max(_round_up(((high / 2 - low / 2) * 2 or abs(low)) / unit / _ROUND_BINS) * unit, finest)
    while True:
        edges = _multiples(math.floor(low / step) - 1, math.floor(high / step) + 2, step)
        if not np.isfinite(edges).all():
            return np.zeros(0)
        if (np.diff(edges) > 0).all():
            break
        step *= 10  # it was finer than floats of this size
    if kind == Type.DATETIME and low >= FIRST_MOMENT and high < LAST_MOMENT:
        return np.unique(edges.clip(FIRST_MOMENT, LAST_MOMENT))  # later dates cannot be read back
    return edges


def _multiples(first: int, last: int, step: float) -> np.ndarray:
    """The multiples of a step from the first to the last, as decimals are written: 0.3, and not 0.1 + 0.1 + 0.1."""
    places = np.array([float(place) for place in range(first, last + 1)])
    with np.errstate(over="ignore"):
        return places * step if step >= 1 else places / round(1 / step)


def _round_up(number: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, ...; of a tenth, a fifth, a half, and so on below.

    >>> _round_up(3.0), _round_up(0.11)
    (5.0, 0.2)
    """
    number = min(max(number, 1e-15), 1e307)
    power = 10.0 ** math.floor(math.log10(number))
    return next(power * digit for digit in (1, 2, 5, 10, 20) if power * digit >= number)
