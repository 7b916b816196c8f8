"""The paper's own index, to compare with: columns are found on the axis of values, after their bins were made alike.

FAINDER: Behme, Galhotra, Beedkar, Markl, PVLDB 2024, sections 5 and 6.

    the paper                     here
    v_H                           a row of `features`: smallest edge, largest edge, average width
    A, T, k, B, alpha             `Recipe`: how to cluster, and to transform before; clusters, bins, smoothing
    edges(H_c)                    `fainder.edges`, those of a cluster
    rebinning                     `fainder.middle`: the share below an edge, values spread evenly in their bins
    conversion                    `fainder.lower` and `fainder.upper`: bounds of that share
    I^p, I^H                      `fainder.X` and `fainder.X.of`: shares ascending, and whose they are
    Algorithm 1                   `modes.approximately`
    FAINDER EXACT                 `modes.exactly`

    low-memory       rebinning; no promise
    full-recall      conversion; all columns that are possible, and some that are not
    full-precision   conversion; only columns that are guaranteed, not all of them
    exact            what the last two differ in is looked at, bin by bin: the columns that are possible
    profile-scan, binsort, normal-dist      the paper's baselines; they need no index of their own

    clusters    learnt once per lake, from a sample      modes       one mode, one segment
    alignment   histograms to shares at those edges

Where we depart.  Clusters and their edges are learnt from a sample and frozen, and a histogram belongs to the cluster
with the nearest centre, so that the answer does not depend on how a lake is cut; a histogram may stick out of its
cluster's range, and the promises still hold.  Algorithm 1 does not say on which side to search, and takes or leaves
whole clusters wrongly where a comparison is strict; here every answer is a bound at the next edge.  Shares are float64
and edges are not rounded: rounding breaks both promises.  The quantile transform has a thousand landmarks.  Two-sided
ranges are put together from one-sided ones, so that the promises hold.

Cost: O(sum over clusters of members * bins) to build and to keep, 12 bytes each, three times; a question costs two
binary searches per cluster and its answer.
"""

from mere.indexes.distribution.fainder.alignment import aligned
from mere.indexes.distribution.fainder.clusters import PREFIX, Recipe, clustered, recipe_of
from mere.indexes.distribution.fainder.modes import BASELINES, MODES, answered
from mere.indexes.distribution.fainder.settings import SETTINGS

__all__ = ["BASELINES", "MODES", "PREFIX", "SETTINGS", "Recipe", "aligned", "answered", "clustered", "recipe_of"]
