"""What must a lake learn once, so that its distribution index stays the same?  The paper's clusters, if wished for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.indexes.distribution.brute import histograms
from mere.indexes.distribution.fainder import clustered, recipe_of
from mere.segments import Table


def trained_on(sample: Sequence[Table], settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The clusters of the sample's histograms; nothing, if the paper's index is not to be built."""
    recipe = recipe_of(settings)
    if recipe.clusters == 0:
        return {}
    ends = [(bins[0][0], bins[-1][1], len(bins)) for table in sample for bins in histograms(table, settings).values()]
    features = [(low, high, high / size - low / size) for low, high, size in ends]
    return clustered(np.array(features, float).reshape(-1, 3), recipe)
