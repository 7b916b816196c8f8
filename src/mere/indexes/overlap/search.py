"""Which columns of one segment share the most values with the question?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mere import compiled
from mere.answers import Hit
from mere.compiled import Trial, read_only
from mere.indexes.kind import Part
from mere.indexes.overlap import numpy as in_numpy
from mere.indexes.overlap.costs import costs_for
from mere.indexes.overlap.records import Costs, Index, Lists, Owners, Scratch, Wanted, scratch_for
from mere.indexes.sets.eligible_columns import EligibleColumns, eligible_columns, hits_among
from mere.indexes.sets.question import Question

OVERLAP = compiled.Group("overlap", ("mere.indexes.overlap.kernels", "mere.indexes.overlap.reading"), compiling=8.0)

Sets = tuple[np.ndarray, np.ndarray]  # sets, and their overlaps


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The best columns, or tables, of the part."""
    eligible = eligible_columns(part, probe)
    floor = max(probe["at_least"], math.ceil(bound) if bound > 0 else 0)
    sets, overlaps = best_sets(part, eligible, probe, floor)
    return hits_among(part, eligible, (sets, overlaps), probe)


def best_sets(part: Part, eligible: EligibleColumns, probe: Mapping[str, Any], floor: int) -> Sets:
    """The sets that may be among the best, by the mode asked for, or else by whatever is fastest at the moment."""
    question, wanted = Question.of(probe), Wanted(probe["k"], floor)
    owners = Owners(eligible.starts, eligible.owners(probe["per"]))
    mode = probe["mode"]
    if mode == "auto" and not compiled.ready(OVERLAP, lambda: trial(part)):
        with compiled.time_fallback(OVERLAP):
            return in_numpy.best_sets(part, question, owners, wanted)
    return compiled_sets(part, question, owners, wanted, mode)  # modes named by the question have no NumPy version


def compiled_sets(part: Part, question: Question, owners: Owners, wanted: Wanted, mode: str) -> Sets:
    """The same by kernels."""
    lists, costs = lists_of(part), costs_of(part)
    index = Index(lists, owners, costs)
    with scratch_for(lists, part.segment.column_count) as scratch:
        groups = groups_of(part, question, scratch)
        if mode in ("auto", "merge"):
            from mere.indexes.overlap import kernels

            return kernels.best_sets(mode == "auto", groups, index, wanted, scratch)
        from mere.indexes.overlap import josie

        return josie.best_sets(mode == "probe", groups, index, wanted, scratch)


def groups_of(part: Part, question: Question, scratch: Scratch) -> np.ndarray:
    """The groups of the question's values, ascending; `scratch.weights` says how many values each stands for."""
    from mere.indexes.overlap.reading import weigh

    ids = part.find(question.values, question.hashes)
    groups = np.empty(min(len(ids), len(scratch.weights)), np.uint32)
    groups = groups[: weigh(ids, part.arrays["group.of_value"], scratch.weights, groups)]
    groups.sort()
    return groups


def lists_of(part: Part) -> Lists:
    """The part's arrays for the kernels."""
    if "lists" not in part.memo:
        names = ("list.starts", "list.sets", "list.after", "set.starts", "set.groups", "set.sizes")
        part.memo["lists"] = Lists(*(part.arrays[name] for name in names))
    return part.memo["lists"]


def costs_of(part: Part) -> Costs:
    """What reading the part costs."""
    if "costs" not in part.memo:
        part.memo["costs"] = costs_for(lists_of(part))
    return part.memo["costs"]


def warm(parts: Sequence[Part]) -> list[Trial]:
    """Compiles what a question in the default mode needs."""
    return [step for part in parts[:1] for step in (part.segment.dictionary.trial(), trial(part))]


def trial(part: Part) -> Trial:
    """Compiles what a question in the default mode needs, beside the look-up."""
    return Trial(
        OVERLAP,
        (
            ("weigh", lambda: _ask_nothing(part, "weigh")),
            ("merge_lists, probe", lambda: _ask_nothing(part, "read")),
            ("best_sets", lambda: _ask_nothing(part, "best_sets")),
        ),
    )


def _ask_nothing(part: Part, kernel: str) -> None:
    """Run a kernel with arguments of the right types and no content."""
    from mere.indexes.overlap import kernels, reading
    from mere.indexes.overlap.costs import USUAL

    lists, nothing = lists_of(part), np.empty(0, np.uint32)
    owners = Owners(read_only(np.zeros(len(lists.set_starts), np.int64)), read_only(nothing))
    with scratch_for(lists, 0) as scratch:
        if kernel == "weigh":
            reading.weigh(np.empty(0, np.int64), part.arrays["group.of_value"], scratch.weights, nothing)
        elif kernel == "read":
            reading.merge_lists(lists, nothing, False, scratch)
            reading.probe(lists, nothing, nothing, 0, scratch)
        else:
            kernels.best_sets(True, nothing, Index(lists, owners, USUAL), Wanted(1, 0), scratch)
