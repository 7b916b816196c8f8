"""Which embedder was a lake indexed with?  Frozen in its trained state and in every segment.

embedder      u8: JSON: name, version, dimensions (0: sparse), distances (strict, normal, loose)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from mere.indexes.similar import spelling
from mere.indexes.similar.embedders import Distances, Embedder


@dataclass(frozen=True)
class Frozen:
    """The embedder of a lake, without the means to embed."""

    name: str
    version: str
    dimensions: int
    distances: Distances

    @property
    def is_sparse(self) -> bool:
        return self.dimensions == 0

    def array(self) -> np.ndarray:
        return np.frombuffer(json.dumps(asdict(self)).encode(), np.uint8)

    @staticmethod
    def read(arrays: Mapping[str, np.ndarray]) -> Frozen:
        document = json.loads(arrays["embedder"].tobytes())
        return Frozen(**{**document, "distances": Distances(**document["distances"])})

    @staticmethod
    def of(embedder: Embedder) -> Frozen:
        return Frozen(embedder.name, embedder.version, embedder.dimensions, embedder.distances)


SPELLING = Frozen(
    spelling.NAME, spelling.VERSION, 0, Distances(spelling.STRICT, spelling.NORMAL, spelling.LOOSE)
)  # fmt: skip
