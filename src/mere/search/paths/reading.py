"""Which links has `mere graph` written?  Those that can be part of a path between two tables are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mere.errors import UsageError
from mere.search.links.quality import costs_of, match_scores, names_agree
from mere.search.paths.link import Link

_NEEDED = (
    "left_table", "left_column", "right_table", "right_column", "overlap", "left_distinct", "right_distinct",
    "left_unique", "right_unique",
)  # fmt: skip


class GraphFile(NamedTuple):
    """The links of a graph: tables by number, and the rest as it was written."""

    names: list[str]
    left: np.ndarray
    right: np.ndarray
    rows: Any  # Arrow table


def read_graph(folder: str) -> GraphFile:
    """All pairs of different tables that a graph has."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    if not os.path.isdir(folder):
        raise UsageError(f"no graph '{folder}'", "write one with 'mere graph FOLDER'")
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".parquet"))
    if not paths:
        return GraphFile([], np.empty(0, np.int64), np.empty(0, np.int64), None)
    missing = set(_NEEDED) - set(pq.read_schema(paths[0]).names)
    if missing:
        remedy = "write it again with 'mere graph FOLDER'"
        raise UsageError(f"'{folder}' is not a graph of this version: it has no {', '.join(sorted(missing))}", remedy)
    rows = pa.concat_tables([pq.read_table(path, columns=list(_NEEDED)) for path in paths]).unify_dictionaries()
    rows = rows.combine_chunks()
    names = pa.concat_arrays([pc.unique(rows.column(side).cast(pa.string())) for side in ("left_table", "right_table")])
    names = pc.unique(names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names)
    left, right = (
        pc.index_in(rows.column(side).cast(pa.string()), names).to_numpy() for side in ("left_table", "right_table")
    )
    return GraphFile(names.to_pylist(), left, right, rows)


def links_between(graph: GraphFile, first: set[str], second: set[str], longest: int) -> Iterator[Link]:
    """The links that are on a way of at most `longest` links from one of the first tables to one of the second."""
    if graph.rows is None:
        return
    numbers = {name: number for number, name in enumerate(graph.names)}
    away = [_distances(graph, [numbers[n] for n in names if n in numbers], longest) for names in (first, second)]
    steps = np.minimum(
        away[0][graph.left] + 1 + away[1][graph.right], away[0][graph.right] + 1 + away[1][graph.left]
    )  # fmt: skip
    chosen = np.flatnonzero((steps <= longest) & (graph.left != graph.right))
    rows = graph.rows.take(chosen)
    texts = [[str(cell) for cell in rows.column(name).to_pylist()] for name in _NEEDED[:4]]
    agree = np.array([names_agree(*each) for each in zip(*texts, strict=True)], np.float64)
    shared, left, right, left_unique, right_unique = (rows.column(name).to_numpy() for name in _NEEDED[4:])
    scores = (match_scores(shared, left, right, agree), left_unique, right_unique)
    yield from map(Link, *texts, *(costs_of(score).tolist() for score in scores), shared.tolist())


def _distances(graph: GraphFile, starts: list[int], longest: int) -> np.ndarray:
    """How many links each table is away from the nearest of these; more than `longest` if farther."""
    away = np.full(len(graph.names), 2 * longest + 1)
    away[starts] = 0
    for step in range(longest):
        for here, there in ((graph.left, graph.right), (graph.right, graph.left)):
            reached = there[away[here] == step]
            away[reached] = np.minimum(away[reached], step + 1)
    return away
