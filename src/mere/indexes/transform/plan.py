"""What does a question carry to the segments: my values, and which columns are tried?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.errors import QueryError
from mere.indexes.kind import Part
from mere.indexes.sets.question import Question, probe_of
from mere.indexes.transform.candidates import EQUAL, MOST_VALUES, candidates_of

USUAL_SHARE = 0.3
USUAL_CANDIDATES = 20
USUAL_SECONDS = 10.0


def transform_probe(query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """A question about one column: its values, the contents of the columns to try, the least count, the time."""
    share = checked_share(query.get("share", USUAL_SHARE))
    most = checked_candidates(query.get("candidates", USUAL_CANDIDATES))
    probe = probe_of({**query, "numbers": True})
    found = candidates_of(parts, probe, most)
    notes, size = probe["notes"], len(Question.of(probe))
    if size > MOST_VALUES:
        notes = [*notes, f"the score is computed from {MOST_VALUES:,} of {size:,} values"]
    if found.sharing > len(found.contents):
        notes = [
            *notes,
            f"tried the {most} most likely of {found.sharing:,} columns that share words or numbers with mine",
        ]
    if found.equal:
        columns = "1 column that holds" if found.equal == 1 else f"{found.equal:,} columns that hold"
        notes = [*notes, f"left out {columns} at least {EQUAL:.0%} of my values as they are: 'overlap' finds them"]
    return {
        **probe,
        "notes": notes,
        "candidates": found.contents,
        "pieces": found.pieces,
        "weights": found.weights,
        "untried": True,  # some columns always: of a table without a hit, nothing is known
        "share": share,
        "seconds": checked_seconds(query.get("seconds", USUAL_SECONDS)),
        "many_to_many": bool(query.get("many_to_many", False)),
    }


def advice(query: Mapping[str, Any]) -> str:
    """What to ask instead, if there are no hits."""
    share = float(query.get("share", USUAL_SHARE))
    remedies = ["share=0.1 and candidates=200 find more"] if share > 0.1 else []
    if not query.get("many_to_many", False):
        remedies.append("many_to_many=True also finds columns of which neither side is a key")
    least = f"no column was found to match {share:.0%} of the values after a transformation"
    return "; ".join([least, *remedies])


def checked_share(share: Any) -> float:
    """The least score of a hit."""
    if not _is_number(share) or not 0 <= share <= 1:
        raise QueryError(
            f"'share' must be from 0 to 1, got {share!r}", f"{USUAL_SHARE} is {USUAL_SHARE:.0%} of my values"
        )
    return float(share)


def checked_candidates(candidates: Any) -> int:
    """How many columns a program is learnt for."""
    if isinstance(candidates, bool) or not isinstance(candidates, int | np.integer) or candidates < 1:
        raise QueryError(
            f"'candidates' must be an int of at least 1, got {candidates!r}", f"{USUAL_CANDIDATES} is usual"
        )
    return int(candidates)


def checked_seconds(seconds: Any) -> float:
    """How long learning may take."""
    if not _is_number(seconds) or not seconds > 0:
        raise QueryError(f"'seconds' must be above 0, got {seconds!r}", f"{USUAL_SECONDS:g} is usual")
    return float(seconds)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
