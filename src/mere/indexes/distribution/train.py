"""What must a lake learn once, so that its distribution index stays the same?  The paper's clusters, if asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.indexes.distribution.build import BINS, USUAL
from mere.indexes.distribution.fainder import clustered, recipe_of
from mere.indexes.distribution.fainder.alignment import features_of
from mere.indexes.distribution.histograms import histograms_of_table, strategy_of
from mere.segments import Table


def trained_on(sample: Sequence[Table], settings: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The clusters of the sample's histograms; nothing, if the paper's index is not to be built."""
    recipe = recipe_of(settings)
    if recipe.clusters == 0:
        return {}
    strategy = strategy_of(str(settings.get(BINS, USUAL)))
    histograms = [histograms_of_table(table, strategy) for table in sample]
    features = [features_of(of_table.starts, of_table.edges) for of_table in histograms]
    return clustered(np.concatenate([np.zeros((0, 3)), *features]), recipe)
