"""What does a question carry to the segments: the column's values and their vectors, and how close a match must be?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.errors import QueryError
from mere.indexes.kind import Part
from mere.indexes.sets.question import COINCIDENCE, distinct_of, least_overlap, probe_of
from mere.indexes.similar import spelling
from mere.indexes.similar.embedders import resolve
from mere.indexes.similar.records import FARTHEST, Vectors, dense_vectors, no_vectors
from mere.indexes.similar.state import Frozen
from mere.store import Strings
from mere.values import codes_among

USUAL = 0.6  # share
MODES = ("auto", "scan", "pexeso", "pexeso-h")
MATCHES = ("best", "all")
MEMORY = 256  # MiB
WORDS = ("strict", "normal", "loose")
NUMBERS_NOTE = "the values are numbers, which have no spelling: 'overlap' and 'containment' compare columns of numbers"
_ALL_ALIKE = 0.7  # for sparse vectors: values that share nothing are at 0.7071


def similar_probe(query: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """A question about one column: its values, their vectors, the largest distance and the least count."""
    share, distance = checked_share(query.get("share", USUAL)), checked_distance(query.get("distance"))
    probe = probe_of({**query, "numbers": None, "notes": []})
    numeric, notes = probe["numbers"], [note for note in probe["notes"] if note != COINCIDENCE]
    notes = [*(query.get("notes") or []), *notes]
    notes += [NUMBERS_NOTE] if numeric else code_notes(Strings.mapped(probe, "value"))
    probe |= {"numbers": False, "notes": notes}
    more: dict[str, Any] = {"limit": 0.0, "dimensions": 0, **_vector_arrays(no_vectors())}
    if parts:
        frozen = Frozen.read(parts[0].arrays)
        limit = FARTHEST * _share_of_farthest(distance, frozen)
        vectors = _embedded(probe, frozen, parts[0], query.get("embedder"))
        more = {"limit": limit, "dimensions": frozen.dimensions, **_vector_arrays(vectors)}
    return {
        **probe,
        **more,
        "numeric": numeric,
        "need": least_overlap(share, len(probe["hashes"])),
        "matches": query.get("matches") or MATCHES[0],
        "mode": query.get("mode") or MODES[0],
        "memory": checked_memory(query.get("memory", MEMORY)) << 20,
    }


def code_notes(values: Strings) -> list[str]:
    """A note if most of the values are codes, with one of them."""
    codes = np.flatnonzero(codes_among(values.to_arrow()))
    if 2 * len(codes) < max(len(values), 1):
        return []
    fault = f"{len(codes):,} of {len(values):,} values are codes like '{values[int(codes[0])]}'"
    return [f"{fault}: two that are spelled alike may mean different things; 'overlap' matches equal ones"]


def advice(query: Mapping[str, Any]) -> str:
    """What to ask instead, if there are no hits; nothing if the values are numbers, or if there are none."""
    asked = distinct_of(query["values"])
    if asked.numeric or len(asked.hashes) == 0:
        return ""
    share, distance = float(query.get("share", USUAL)), query.get("distance")
    closer = "" if distance == "loose" else " and distance='loose' matches more"
    least = f"no column matches {share:.0%} of the values; share=0 gives the best ones" if share else "no value matches"
    return f"{least}{closer}"


def checked_share(share: Any) -> float:
    """The least share of the query's values that must match; 0 means any."""
    number = isinstance(share, int | float | np.integer | np.floating) and not isinstance(share, bool)
    if not number or not 0 <= share <= 1:
        raise QueryError(f"'share' must be from 0 to 1, got {share!r}", "0.6 is 60 % of my values; 0 means any")
    return float(share)


def checked_memory(memory: Any) -> int:
    """The MiB that the temporary arrays of a question may take."""
    if isinstance(memory, bool) or not isinstance(memory, int | np.integer) or memory < 1:
        raise QueryError(f"'memory' must be an int of at least 1, got {memory!r}", f"{MEMORY} means {MEMORY} MiB")
    return int(memory)


def checked_distance(distance: Any) -> str | float:
    """A word, or a share of the largest distance; a text may be either, or a percentage.

    >>> checked_distance(None), checked_distance("loose"), checked_distance("6%"), checked_distance(0.3)
    ('normal', 'loose', 0.06, 0.3)
    """
    if distance is None:
        return "normal"
    remedy = f"give one of {', '.join(WORDS)}, or a share of the largest distance such as 0.3 or 30%"
    if isinstance(distance, str):
        text = distance.strip().casefold()
        if text in WORDS:
            return text
        try:
            distance = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            raise QueryError(f"no distance is called '{text}'", remedy) from None
    number = isinstance(distance, int | float | np.integer | np.floating) and not isinstance(distance, bool)
    if not number or not 0 <= distance <= 1:
        raise QueryError(f"'distance' must be from 0 to 1, got {distance!r}", remedy)
    return float(distance)


def _share_of_farthest(distance: str | float, frozen: Frozen) -> float:
    if isinstance(distance, str):
        return float(getattr(frozen.distances, distance))
    if frozen.is_sparse and distance > _ALL_ALIKE:
        raise QueryError(
            f"'distance' must be at most {_ALL_ALIKE}, got {distance:g}",
            f"with the embedder '{frozen.name}', values that have nothing in common are at 0.71",
        )
    return distance


def _embedded(probe: Mapping[str, Any], frozen: Frozen, part: Part, given: Any) -> Vectors:
    """The vectors of the query's values."""
    values = Strings.mapped(probe, "value")
    if frozen.is_sparse:
        if given not in (None, frozen.name):
            raise QueryError(f"the lake was indexed with the embedder '{frozen.name}', got {given!r}", "leave it out")
        return spelling.embed(values, spelling.Statistics.read(part.arrays))
    embedder = resolve(frozen.name, frozen.version, given)
    return dense_vectors(embedder.embed(values.tolist()))


def _vector_arrays(vectors: Vectors) -> dict[str, np.ndarray]:
    """The vectors as flat arrays of a probe."""
    return {f"vector.{name}": np.ravel(array) for name, array in vectors._asdict().items()}


def vectors_of(probe: Mapping[str, Any]) -> Vectors:
    """The query's vectors, as `similar_probe` wrote them."""
    flat = Vectors(*(probe[f"vector.{name}"] for name in Vectors._fields))
    width = probe["dimensions"]
    return flat._replace(dense=flat.dense.reshape(-1, width) if width else flat.dense.reshape(0, 0))
