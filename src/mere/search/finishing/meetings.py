"""Which tables meet a question as a condition, which do not, and of which is it not known?

A kind says which tables it finds (`Kind.tables`).  What it cannot have looked at is unknown to it, neither yes nor no:
a table of which only a profile was published, if rows are asked for; a column of numbers that may be read in two ways,
if numbers are asked for; every column of numbers, if mine may be.  No hit on such a column is sure.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from mere.indexes.kind import Kind, Meeting, Part, Probe
from mere.indexes.sets.duplicate_sets import is_numeric
from mere.indexes.sets.eligible_columns import tables_meant
from mere.search.finishing.marks import marks_of, unsure_names

WITHHELD = "only a profile was published"
TWO_WAYS = "numbers may be read in two ways"
NOT_TRIED = "not every column was tried"


def meeting_of(kind: Kind, part: Part, probe: Probe) -> Meeting:
    """Which tables of a part meet a question of a kind, nothing that is not certain among those that surely do."""
    meeting = kind.tables(part, probe)
    if not kind.joins:
        return meeting
    hits = meeting.hits or {}
    marks, unsure = marks_of(kind, [(hit, part) for hit in hits.values()], probe), np.zeros(len(meeting.may), bool)
    unsure[[table for place, table in enumerate(hits) if "unsure" in marks.of.get(place, ())]] = True
    unseen = tables_meant(part, probe["table"], probe["skip"]) & ~meeting.may & _unseen(part, probe)
    degree = np.where(unseen | unsure, np.nan, meeting.degree)
    return meeting._replace(degree=degree, may=meeting.may | unseen, sure=meeting.sure & ~unsure)


def _unseen(part: Part, probe: Probe) -> np.ndarray:
    """The tables with something that the kind cannot have looked at."""
    if probe.get("untried"):
        return np.ones(part.segment.table_count, bool)
    unseen = part.segment.profile_only.copy()
    if probe.get("unsure"):
        numbers = is_numeric(part.segment.catalog["column.types"])
        unseen |= np.bincount(part.segment.table_of_column, numbers, len(unseen)) > 0
    if probe.get("numeric", probe["numbers"]):
        key = "tables with unsure numbers"
        if key not in part.memo:
            part.memo[key] = [t for t in range(part.segment.table_count) if unsure_names(part.segment, t)]
        unseen[part.memo[key]] = True
    return unseen


def why_unknown(part: Part, probe: Probe, table: str) -> tuple[list[str], str]:
    """The columns because of which a table is unknown to a question, and why."""
    number = bisect_left(part.segment.names, table)
    if part.segment.profile_only[number]:
        return [], WITHHELD
    names = [] if probe.get("untried") else unsure_names(part.segment, number)
    return names, TWO_WAYS if names or probe.get("unsure") else NOT_TRIED
