"""Which columns of one segment hold at least this share of the question's values?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.containment.minhash import HASHES, signatures
from mere.indexes.containment.tuning import shapes_for
from mere.indexes.kind import Part
from mere.indexes.sets.answerers import Answerers, answerers_of, hits_among
from mere.indexes.sets.evidence import column_of, common_places, shared_by, with_evidence
from mere.indexes.sets.question import Question, checked_threshold, probe_of
from mere.store import compiled

USUAL = 0.6
MAY_MISS = "candidates come from MinHash signatures: a column may be missed; exact=True finds all"
ESTIMATED = "scores are estimated from MinHash signatures alone; verify=True computes them"
_INTERVAL = 1.96  # standard deviations around an estimate that is shown: 95 %
_DOUBT = 1.5  # standard deviations by which a signature must be below the threshold for its set to be refused


def containment_probe(query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """A question about one column: its signature, and the bands and rows to use in each partition."""
    threshold = checked_threshold(query.get("threshold", USUAL))
    probe = probe_of(query)
    size, verify = len(probe["hashes"]), bool(query.get("verify", True))
    signature, shapes = np.zeros(0, np.uint32), np.zeros((0, 2), np.int64)
    if parts and size:
        signature = signatures(probe["hashes"], np.array([0, size]))[0]
        shapes = shapes_for(parts[0].arrays["shapes"], parts[0].arrays["bounds"], size, threshold)
    notes = [*probe["notes"], MAY_MISS, *([] if verify else [ESTIMATED])]
    more = {"signature": signature, "bands": shapes[:, 0].copy(), "rows": shapes[:, 1].copy()}
    return {**probe, **more, "threshold": threshold, "verify": verify, "notes": notes}


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> Iterator[Hit]:
    """The columns, or tables, of the part that reach the threshold: exactly, or by what their signatures say."""
    if len(probe["signature"]) == 0:
        return iter(())
    answerers = answerers_of(part, probe)
    sets, agreed = candidates(part, probe, answerers)
    exact = probe["verify"]
    scores = _verified(part, Question.of(probe), sets) if exact else _estimated(part, probe, sets, agreed)
    kept = scores >= max(probe["threshold"], bound)
    return hits_among(part, answerers, sets[kept], scores[kept], probe, exact)


def candidates(part: Part, probe: Mapping[str, Any], answerers: Answerers) -> tuple[np.ndarray, np.ndarray]:
    """The sets that share a band with the question, are large enough, belong to somebody who may answer, and whose
    whole signatures do not speak against them; and in how many places these agree with the question's."""
    arrays, shapes = part.arrays, np.stack([probe["bands"], probe["rows"]], axis=1)
    if "partitions" not in part.memo:
        part.memo["partitions"] = np.searchsorted(arrays["bounds"], arrays["set.sizes"]).astype(np.uint16)
    partitions = part.memo["partitions"]
    if compiled.ready():
        from mere.indexes.containment.kernels import walk

        forest = (arrays["signatures"], arrays["keys"], arrays["trees"])
        found, agreed = walk(probe["signature"], *forest, partitions, shapes)
    else:
        with compiled.rented():
            found, agreed = _walk(probe["signature"], arrays["signatures"], partitions, shapes)
    enough = arrays["set.sizes"][found] >= probe["threshold"] * len(probe["hashes"]) * (1 - 1e-9)
    owned = answerers.starts[found + np.uint32(1)] > answerers.starts[found]
    likely = _estimated(part, probe, found, agreed, _DOUBT) >= probe["threshold"]
    kept = np.flatnonzero(enough & owned & likely)
    return found[kept], agreed[kept]


def _walk(
    signature: np.ndarray, signed: np.ndarray, partitions: np.ndarray, shapes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Twin of `kernels.walk`, without the trees: compare everything."""
    same = signed == signature
    found = np.zeros(len(signed), bool)
    bands, rows = shapes[partitions].T
    for r in np.unique(rows).tolist():
        band = same[:, : HASHES // r * r].reshape(len(signed), HASHES // r, r).all(axis=2)
        first = np.where(band.any(axis=1), band.argmax(axis=1), HASHES)
        found |= (rows == r) & (first < bands)
    return np.flatnonzero(found).astype(np.uint32), np.count_nonzero(same[found], axis=1)


def _verified(part: Part, question: Question, sets: np.ndarray) -> np.ndarray:
    """The share of the question's values that each of the sets holds."""
    if len(sets) == 0:
        return np.zeros(0)
    segment, columns = part.segment, part.arrays["columns"][part.arrays["column.starts"][sets]]
    ids = segment.dictionary.find(question.values, question.hashes)
    ids = ids[ids >= 0].astype(np.uint32)
    out = np.empty(len(sets), np.int64)
    if compiled.ready():
        from mere.indexes.containment.kernels import overlaps

        overlaps(ids, segment.values["set.starts"], segment.values["set.ids"], columns, out)
        return out / len(question)
    with compiled.rented():
        for i, column in enumerate(columns.tolist()):
            out[i] = len(common_places(ids, segment.set_of(column))[0])
    return out / len(question)


def _estimated(
    part: Part, probe: Mapping[str, Any], sets: np.ndarray, agreed: np.ndarray, z: float = 0.0
) -> np.ndarray:
    """The containment in each of the sets, so many standard deviations above (or below) what is likely."""
    similarity = _wilson(agreed / HASHES, z) if z else agreed / HASHES
    return _containment(similarity, part.arrays["set.sizes"][sets].astype(np.float64), len(probe["hashes"]))


def _containment(similarity: np.ndarray, sizes: np.ndarray, size: int) -> np.ndarray:
    """From Jaccard similarity (2.7), never above what the set could hold."""
    return np.minimum((sizes / size + 1) * similarity / (1 + similarity), np.minimum(sizes / size, 1.0))


def _wilson(share: np.ndarray, z: float) -> np.ndarray:
    """The end of Wilson's interval for a share of `HASHES` trials."""
    spread = z * np.sqrt(share * (1 - share) / HASHES + z * z / (4 * HASHES * HASHES))
    return np.clip((share + z * z / (2 * HASHES) + spread) / (1 + z * z / HASHES), 0.0, 1.0)


def explain(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The hits with their evidence: computed, or what the signatures let us guess."""
    if probe["verify"]:
        hits = [replace(hit, evidence={"found_by": "signatures"}) for hit in hits]
        return with_evidence(part, probe, hits)
    return [replace(hit, evidence=_guess(part, probe, hit)) for hit in hits]


def _guess(part: Part, probe: Mapping[str, Any], hit: Hit) -> dict[str, Any]:
    column = column_of(part.segment, hit.table, hit.columns[0])
    which = part.arrays["set.of_column"][column : column + 1]
    agreed = np.count_nonzero(part.arrays["signatures"][which] == probe["signature"], axis=1)
    zs = (-_INTERVAL, 0.0, _INTERVAL)
    low, likely, high = (float(_estimated(part, probe, which, agreed, z)[0]) for z in zs)
    size, distinct = len(probe["hashes"]), int(part.arrays["set.sizes"][which[0]])
    return {
        "found_by": "signatures",
        **shared_by(probe, hit, round(likely * size)),
        "share": likely,
        "overlap": round(likely * size),
        "containment": likely,
        "interval": [low, high],
        "jaccard": likely * size / (size + distinct - likely * size),
        "distinct": distinct,
        "fan_out": None,
        "matched": [],
        "unmatched": [],
    }
