"""What is an embedder: which vector does a text get, and how close are two texts that mean the same?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mere.errors import UsageError


@dataclass(frozen=True)
class Distances:
    """How close two values must be to match, as shares of the maximum distance (2, between vectors of unit length).

    They depend on the embedder: calibrated on labelled pairs, `normal` is the distance with a precision of about 0.9.
    """

    strict: float
    normal: float
    loose: float

    def __post_init__(self) -> None:
        if not 0 < self.strict <= self.normal <= self.loose <= 1:
            raise UsageError(
                f"distances of an embedder: {self.strict}, {self.normal}, {self.loose}",
                "give strict, normal and loose as ascending shares of the maximum distance, above 0 and at most 1",
            )


@dataclass(frozen=True)
class Embedder:
    """A model that gives each text a dense vector.

    `embed` takes normalised values (`mere.values.normalise`) and returns float32 of shape (texts, dimensions), of any
    length; a text that the model knows nothing about gets zeros.  `name` and `version` together say which vectors: two
    embedders that agree in both give the same vectors.  An empty version means that this is not known.
    """

    name: str
    version: str
    dimensions: int
    distances: Distances
    embed: Callable[[list[str]], np.ndarray]
    kept_as: str = ""  # under which name vectors are kept on disk; empty: they are not
