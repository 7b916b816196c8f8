"""Which columns of one segment share the most values with the question?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mere.answers import Hit
from mere.errors import QueryError
from mere.indexes.kind import Part
from mere.indexes.overlap import plain
from mere.indexes.sets.answerers import Answerers, answerers_of, hits_among
from mere.indexes.sets.question import Question, checked_threshold, least_overlap, probe_of
from mere.store import compiled

if TYPE_CHECKING:
    from mere.indexes.overlap.kernels import Costs, Lists

MODES = ("auto", "merge", "probe", "josie")

Sets = tuple[np.ndarray, np.ndarray]  # sets, and their overlaps


def overlap_probe(query: Mapping[str, Any]) -> dict[str, Any]:
    """A question about one column, with the least overlap of interest and the mode."""
    mode = query.get("mode") or "auto"
    if mode not in MODES:
        raise QueryError(f"no mode '{mode}' for one column", f"known are {', '.join(MODES)}")
    threshold = query.get("threshold")
    share = 0.0 if threshold is None else checked_threshold(threshold)
    probe = probe_of(query)
    return {**probe, "at_least": least_overlap(share, len(probe["hashes"])), "mode": mode}


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The best columns, or tables, of the part."""
    question = Question.of(probe)
    answerers = answerers_of(part, probe)
    floor = max(probe["at_least"], math.ceil(bound) if bound > 0 else 0)
    sets, overlaps = best_sets(part, question, answerers, probe, floor)
    return hits_among(part, answerers, sets, overlaps, probe)


def best_sets(part: Part, question: Question, answerers: Answerers, probe: Mapping[str, Any], floor: int) -> Sets:
    """The sets that may be among the best, by the mode asked for, or else by whatever is fastest here and now."""
    owners, k, mode = answerers.owners(probe["per"]), probe["k"], probe["mode"]
    if mode == "auto" and not compiled.ready():
        with compiled.rented():
            return plain.best_sets(part, question, answerers, owners, k, floor)
    if not compiled.ready():  # the thesis's modes have no twins
        compiled.warm()
    return compiled_sets(part, question, answerers, probe, floor)[:2]


def compiled_sets(
    part: Part, question: Question, answerers: Answerers, probe: Mapping[str, Any], floor: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By the compiled engines: sets, overlaps, and what was read (lists, their entries, sets, their entries)."""
    from mere.indexes.overlap import engine
    from mere.indexes.overlap.kernels import Owners, desk_for

    lists, costs = lists_of(part)
    owners = Owners(answerers.starts, answerers.owners(probe["per"]))
    values = (part.segment.dictionary.known, part.arrays["group.of_value"])
    asked = (question.hashes, question.values.offsets, question.values.data)
    k, mode = probe["k"], probe["mode"]
    with desk_for(lists, part.segment.column_count) as desk:
        if mode in ("auto", "merge"):
            return engine.answer(mode == "auto", *asked, *values, lists, owners, costs, k, floor, desk)
        from mere.indexes.overlap import josie

        groups = engine.groups_of(*asked, *values, desk)
        return josie.best_sets(mode == "probe", groups, lists, owners, costs, k, floor, desk)


def lists_of(part: Part) -> tuple[Lists, Costs]:
    """The part's arrays for the kernels, and what reading them costs."""
    if "lists" not in part.memo:
        from mere.indexes.overlap.costs import costs_for
        from mere.indexes.overlap.kernels import Lists

        names = ("list.starts", "list.sets", "list.after", "set.starts", "set.groups", "set.sizes")
        lists = Lists(*(part.arrays[name] for name in names))
        part.memo["lists"] = (lists, costs_for(lists))
    return part.memo["lists"]
