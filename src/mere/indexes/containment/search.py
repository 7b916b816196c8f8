"""Which columns of one segment hold at least this share of the question's values?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mere import compiled
from mere.answers import Hit
from mere.compiled import Trial, read_only
from mere.indexes.containment import minhash
from mere.indexes.containment import numpy as in_numpy
from mere.indexes.containment.records import HASHES, Forest
from mere.indexes.containment.tuning import CLASSES
from mere.indexes.kind import Part
from mere.indexes.sets.comparing import shared_values
from mere.indexes.sets.eligible_columns import EligibleColumns, eligible_columns, hits_among
from mere.indexes.sets.question import Question

CONTAINMENT = compiled.Group("containment", ("mere.indexes.containment.kernels",), compiling=2.0)
_DOUBT = 1.5  # standard deviations by which a signature must be below the threshold for its set to be refused


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The columns, or tables, of the part that reach the threshold: exactly, or by what their signatures say."""
    if len(probe["signature"]) == 0:
        return iter(())
    eligible = eligible_columns(part, probe)
    sets, agreed = candidates(part, probe, eligible)
    exact = probe["verify"]
    scores = _verified(part, Question.of(probe), sets) if exact else estimated_containment(part, probe, sets, agreed)
    kept = scores >= max(probe["threshold"], bound)
    return hits_among(part, eligible, (sets[kept], scores[kept]), probe, exact)


def candidates(part: Part, probe: Mapping[str, Any], eligible: EligibleColumns) -> tuple[np.ndarray, np.ndarray]:
    """The sets that share a band with the question, are large enough, have an eligible column, and are likely, by their
    full signatures, to reach the threshold; and in how many places their signatures agree with the question's."""
    arrays, shapes = part.arrays, np.stack([probe["bands"], probe["rows"]], axis=1)
    classes = _classes_of(part)
    if compiled.ready(CONTAINMENT, lambda: trial(part)):
        sets, agreed = _walk_compiled(part, probe["signature"], shapes)
    else:
        with compiled.time_fallback(CONTAINMENT):
            sets, agreed = in_numpy.walk(probe["signature"], arrays["signatures"], classes, shapes)
    enough = arrays["set.sizes"][sets] >= probe["threshold"] * len(probe["hashes"]) * (1 - 1e-9)
    owned = eligible.starts[sets + np.uint32(1)] > eligible.starts[sets]
    likely = estimated_containment(part, probe, sets, agreed, _DOUBT) >= probe["threshold"]
    kept = np.flatnonzero(enough & owned & likely)
    return sets[kept], agreed[kept]


def _classes_of(part: Part) -> np.ndarray:
    """The size class of each set of the part."""
    if "classes" not in part.memo:
        part.memo["classes"] = np.searchsorted(CLASSES, part.arrays["set.sizes"]).astype(np.uint16)
    return part.memo["classes"]


def _walk_compiled(part: Part, signature: np.ndarray, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from mere.indexes.containment import kernels

    forest = Forest(*(part.arrays[name] for name in ("signatures", "keys", "trees")))
    return kernels.walk(read_only(signature), forest, read_only(_classes_of(part)), read_only(shapes))


def _verified(part: Part, question: Question, sets: np.ndarray) -> np.ndarray:
    """The share of the question's values that each of the sets holds."""
    if len(sets) == 0:
        return np.zeros(0)
    columns = part.arrays["columns"][part.arrays["column.starts"][sets]]
    ids = part.find(question.values, question.hashes)
    return np.diff(shared_values(part.segment, ids[ids >= 0].astype(np.uint32), columns).edges) / len(question)


def warm(parts: Sequence[Part]) -> list[Trial]:
    """Compiles what a question needs."""
    by_types = {part.arrays["trees"].dtype: part for part in parts}
    steps = [step for part in parts[:1] for step in (part.segment.dictionary.trial(), minhash.trial())]
    return steps + [trial(part) for part in by_types.values()]


def trial(part: Part) -> Trial:
    """Compiles what a question needs, beside signing and the look-up."""
    signature, shapes = np.zeros(HASHES, np.uint32), np.zeros((len(CLASSES), 2), np.int64)
    return Trial(CONTAINMENT, (("walk", lambda: _walk_compiled(part, signature, shapes)),))


def estimated_containment(
    part: Part, probe: Mapping[str, Any], sets: np.ndarray, agreed: np.ndarray, z: float = 0.0
) -> np.ndarray:
    """The containment in each of the sets, z standard deviations above (or below) the most likely value."""
    similarity = _wilson(agreed / HASHES, z) if z else agreed / HASHES
    return _containment(similarity, part.arrays["set.sizes"][sets].astype(np.float64), len(probe["hashes"]))


def _containment(similarity: np.ndarray, sizes: np.ndarray, size: int) -> np.ndarray:
    """From Jaccard similarity (2.7), never above what the set could hold."""
    return np.minimum((sizes / size + 1) * similarity / (1 + similarity), np.minimum(sizes / size, 1.0))


def _wilson(share: np.ndarray, z: float) -> np.ndarray:
    """The end of Wilson's interval for a share of `HASHES` trials."""
    spread = z * np.sqrt(share * (1 - share) / HASHES + z * z / (4 * HASHES * HASHES))
    return np.clip((share + z * z / (2 * HASHES) + spread) / (1 + z * z / HASHES), 0.0, 1.0)
