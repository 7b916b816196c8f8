"""The wide tables of one segment."""

from __future__ import annotations

import numpy as np

from mere.answers import Found, Hit
from mere.indexes.kind import Meeting, Part, Probe, meeting_of_hits


def found_in(part: Part, probe: Probe, bound: float) -> Found:
    widths, names = part.arrays["widths"], part.segment.names
    wide = np.flatnonzero(part.live & (widths >= max(probe["columns"], bound)))
    notes = [f"'{names[table]}' has more than 40 columns" for table in wide.tolist() if widths[table] > 40]
    return Found([Hit(names[table], (), float(widths[table])) for table in wide.tolist()], notes)


def tables_of(part: Part, probe: Probe) -> Meeting:
    return meeting_of_hits(part, found_in(part, probe, 0.0), lambda hit: 1.0)
