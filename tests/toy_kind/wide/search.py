"""The wide tables of one segment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mere import compiled
from mere.answers import Found, Hit
from mere.compiled import Trial, read_only
from mere.indexes.kind import Meeting, Part, Probe, meeting_of_hits
from tests.toy_kind.wide.records import Tables

WIDE = compiled.Group("wide", ("tests.toy_kind.wide.kernels",), compiling=1.0)


def found_in(part: Part, probe: Probe, bound: float) -> Found:
    widths, names = part.arrays["widths"], part.segment.names
    wide = _places_of_wide(part, float(max(probe["columns"], bound))).tolist()
    notes = [f"'{names[table]}' has more than 40 columns" for table in wide if widths[table] > 40]
    return Found([Hit(names[table], (), float(widths[table])) for table in wide], notes)


def tables_of(part: Part, probe: Probe) -> Meeting:
    return meeting_of_hits(part, found_in(part, probe, 0.0), lambda hit: 1.0)


def warm(parts: Sequence[Part]) -> list[Trial]:
    """Compiles what a question needs."""
    return [trial(part) for part in parts[:1]]


def trial(part: Part) -> Trial:
    tables = _tables_in(part)
    return Trial(WIDE, (("places_of_wide", lambda: _places_compiled(tables, 0.0)),))


def _places_of_wide(part: Part, least: float) -> np.ndarray:
    tables = _tables_in(part)
    if compiled.ready(WIDE, lambda: trial(part)):
        return _places_compiled(tables, least)
    with compiled.time_fallback(WIDE):
        return np.flatnonzero(tables.live & (tables.widths >= least))


def _places_compiled(tables: Tables, least: float) -> np.ndarray:
    from tests.toy_kind.wide.kernels import places_of_wide

    return places_of_wide(tables, least)


def _tables_in(part: Part) -> Tables:
    return Tables(read_only(part.arrays["widths"]), read_only(part.live))
