"""The settings of the paper's own index; it is built only if `fainder_clusters` is not 0."""

from __future__ import annotations

from mere.indexes.declare import Setting
from mere.indexes.distribution.fainder.clusters import recipe_of

SETTINGS = (
    Setting(
        "fainder_clusters", 0, "clusters of the FAINDER paper's index, such as 250; 0: it is not built", check=recipe_of
    ),
    Setting("fainder_bins", 5_000, "bins of all clusters together", check=recipe_of),
    Setting("fainder_clustering", "k-means", "k-means, agglomerative or hdbscan", check=recipe_of),
    Setting("fainder_transform", "quantile", "quantile, standard, robust or none", check=recipe_of),
    Setting("fainder_smoothing", 1.0, "the larger, the more equal the clusters' shares of the bins", check=recipe_of),
)
