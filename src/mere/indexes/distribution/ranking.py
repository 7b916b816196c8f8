"""Which columns of a segment are the best, given how well each satisfies a question?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from mere import compiled
from mere.answers import Hit, best, first_best
from mere.indexes.distribution.counting import DISTRIBUTION
from mere.indexes.kind import Part


def best_hits(
    part: Part, columns: np.ndarray, score: np.ndarray, sure: np.ndarray | None, probe: Mapping[str, Any], bound: float
) -> Iterator[Hit]:
    """The hits that may be among the best k; one a table, if so wished.  Tables stand in the order of their names, so
    of equally good ones the first are better; before them, those that are sure (of estimates, nothing is)."""
    segment, k, ranked = part.segment, probe["k"], sure is not None
    certain = np.zeros(len(score), bool) if sure is None else sure
    kept = np.flatnonzero(score >= bound)
    tables = segment.table_of_column[columns[kept]]
    if probe["per"] == "table":
        top = largest(tables, score[kept], segment.table_count)
        at_top, chosen, surely = score[kept] == top[tables], *np.zeros((2, segment.table_count), bool)
        surely[tables[at_top & certain[kept]]] = True
        found = np.flatnonzero(top >= 0)
        chosen[found[first_best(top[found], surely[found], k)]] = True
        kept = kept[chosen[tables] & at_top]
    elif 0 < k < len(kept):
        order = np.argsort(tables, kind="stable")
        kept, tables = kept[order], tables[order]
        last = first_best(score[kept], certain[kept], k)[-1]
        points, surely = score[kept], certain[kept]
        better = (points > points[last]) | ((points == points[last]) & (surely > surely[last]))
        equal = (points == points[last]) & (surely == surely[last]) & (tables <= tables[last])
        kept = kept[better | equal]  # in a table, names decide
    hits = (
        Hit(segment.names[table], (segment.column_name(column),), points, right, {}, tie_of(right) if ranked else ())
        for table, column, points, right in zip(
            segment.table_of_column[columns[kept]].tolist(), columns[kept].tolist(), score[kept].tolist(),
            certain[kept].tolist(), strict=True,
        )
    )  # fmt: skip
    if probe["per"] != "table":
        yield from hits
        return
    by_table: dict[str, list[Hit]] = {}
    for hit in hits:
        by_table.setdefault(hit.table, []).append(hit)
    for several in by_table.values():
        yield from best(several, 1)


def largest(owners: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    """The largest score of each owner; -1 for those that have none."""
    if compiled.ready(DISTRIBUTION):
        return _largest_compiled(owners, scores, count)
    top = np.full(count, -1.0)
    np.maximum.at(top, owners, scores)
    return top


def _largest_compiled(owners: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    from mere.indexes.distribution.kernels import largest

    return np.asarray(largest(owners, scores, count))


def run_kernels(part: Part) -> tuple[tuple[str, Callable[[], object]], ...]:
    """Calls that run each kernel of this module once: for compiling them."""
    owners, scores = part.segment.table_of_column[:0].copy(), np.empty(0)
    return (("largest", lambda: _largest_compiled(owners, scores, 0)),)


def tie_of(sure: bool) -> tuple[float, ...]:
    """Among equal scores, what is sure comes first."""
    return (0.0,) if sure else (1.0,)
