"""Which histograms are alike enough to share their bins?  Learnt once per lake, then frozen.

center.places      f64 (clusters, 3): in the space of transformed features
scale.landmarks    f64 (landmarks, 3): quantiles of each feature; none if the transform is linear
scale.shift        f64 (3): what a linear transform subtracts
scale.unit         f64 (3): and what it divides by
edge.starts        where each cluster's edges start, and where the last one's end
edge.values        f64: bins of one width over the range that a cluster's histograms cover
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from warnings import catch_warnings

import numpy as np

from mere.errors import UsageError
from mere.indexes.kind import Arrays
from mere.store import offsets_of

CLUSTERINGS = ("k-means", "agglomerative", "hdbscan")
TRANSFORMS = ("quantile", "standard", "robust", "none")
PREFIX = "fainder_"  # of the settings
_LANDMARKS = 1000
_RANGES = {"clusters": (0, 100_000), "bins": (1, 10_000_000), "smoothing": (0, 10**9)}
_SAMPLE = {"k-means": 200_000, "agglomerative": 5_000, "hdbscan": 20_000}  # histograms that each can cluster in seconds


@dataclass(frozen=True)
class Recipe:
    """The hyperparameters of section 7.3, and the smoothing of section 5.1; settings of the lake, prefixed."""

    clusters: int = 0  # k; with 0 the paper's index is not built
    bins: int = 5_000  # B, of all clusters together
    clustering: str = "k-means"  # A
    transform: str = "quantile"  # T
    smoothing: float = 1.0  # alpha: the larger, the more alike are the clusters' shares of B


def recipe_of(settings: Mapping[str, Any]) -> Recipe:
    """What the settings say."""
    given = {field.name: settings[name] for field in fields(Recipe) if (name := PREFIX + field.name) in settings}
    recipe = Recipe(**given)
    for name, known in (("clustering", CLUSTERINGS), ("transform", TRANSFORMS)):
        if getattr(recipe, name) not in known:
            raise UsageError(f"unknown {PREFIX}{name}: '{getattr(recipe, name)}'", f"choose one of {', '.join(known)}")
    for name, (least, most) in _RANGES.items():
        if not least <= getattr(recipe, name) <= most:
            raise UsageError(f"{PREFIX}{name} is {getattr(recipe, name)}", f"give a number from {least} to {most:,}")
    return recipe


def clustered(features: np.ndarray, recipe: Recipe) -> dict[str, np.ndarray]:
    """The clusters of some histograms, given by their features."""
    scale = _scale(features, recipe.transform)
    chosen = features[_spread(len(features), _SAMPLE[recipe.clustering])]
    places = transformed(chosen, scale)
    labels = _labels(places, recipe)
    names = np.unique(labels[labels >= 0])  # what a clustering calls an outlier goes to the nearest cluster
    centers = np.array([places[labels == name].mean(axis=0) for name in names]).reshape(-1, 3)
    centers = centers if len(centers) else np.zeros((1, 3))
    owners = nearest(transformed(features, scale), centers)
    edges = [_edges(features[owners == c], size) for c, size in enumerate(_budgets(owners, len(centers), recipe))]
    return {
        "center.places": centers,
        **{f"scale.{name}": array for name, array in scale.items()},
        "edge.starts": offsets_of(np.array([len(one) for one in edges], np.int64)),
        "edge.values": np.concatenate(edges),
    }


def clusters_of(features: np.ndarray, trained: Arrays) -> np.ndarray:
    """The cluster of each histogram."""
    scale = {name: trained[f"scale.{name}"] for name in ("landmarks", "shift", "unit")}
    return nearest(transformed(features, scale), trained["center.places"])


def transformed(features: np.ndarray, scale: Arrays) -> np.ndarray:
    """Features made comparable."""
    landmarks = scale["landmarks"]
    if len(landmarks) == 0:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.clip(np.nan_to_num((features - scale["shift"]) / scale["unit"]), -1e100, 1e100)
    steps = np.linspace(0.0, 1.0, len(landmarks))
    ranks = [  # of a value at several landmarks, the middle one
        (np.interp(own, marks, steps) + 1 - np.interp(-own, -marks[::-1], steps)) / 2
        for own, marks in zip(features.T, landmarks.T, strict=True)
    ]
    return np.array(ranks).T.reshape(-1, 3)


def nearest(places: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """The nearest center of each place; of several, the first."""
    best, owners = np.full(len(places), np.inf), np.zeros(len(places), np.int64)
    for number, center in enumerate(centers):
        away = ((places - center) ** 2).sum(axis=1)
        closer = away < best
        best[closer], owners[closer] = away[closer], number
    return owners


def _scale(features: np.ndarray, transform: str) -> dict[str, np.ndarray]:
    none, shift, unit = np.zeros((0, 3)), np.zeros(3), np.ones(3)
    if len(features) and transform == "quantile":
        marks = np.linspace(0.0, 1.0, min(_LANDMARKS, len(features)))
        none = np.quantile(features, marks, axis=0, method="nearest")
    elif len(features) and transform == "standard":
        with np.errstate(over="ignore"):
            shift, unit = features.mean(axis=0), features.std(axis=0)
    elif len(features) and transform == "robust":
        low, shift, high = np.quantile(features, [0.25, 0.5, 0.75], axis=0, method="nearest")
        unit = high / 2 - low / 2
    return {"landmarks": none, "shift": shift, "unit": np.where(unit > 0, unit, 1.0)}


def _labels(places: np.ndarray, recipe: Recipe) -> np.ndarray:
    """A cluster for each place; -1 for none."""
    distinct = len(np.unique(places, axis=0))
    count = min(recipe.clusters, distinct)
    if count < 2:
        return np.zeros(len(places), np.int64)
    try:
        from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
    except ImportError as error:
        raise UsageError("the paper's index needs scikit-learn", "pip install 'mere[fainder]'") from error
    if recipe.clustering == "k-means":
        with catch_warnings(action="ignore"):  # places that are almost one make fewer clusters, which is fine
            return KMeans(count, n_init=1, random_state=0).fit_predict(places)
    if recipe.clustering == "agglomerative":
        return AgglomerativeClustering(count).fit_predict(places)
    return HDBSCAN(min_cluster_size=min(5, distinct), copy=True).fit_predict(places)


def _budgets(owners: np.ndarray, clusters: int, recipe: Recipe) -> list[int]:
    """The bins of each cluster: by its size, smoothed towards the same for all (equation 2)."""
    weights = np.bincount(owners, minlength=clusters) + recipe.smoothing
    shares = weights / max(weights.sum(), 1e-300)
    return np.maximum(1, (recipe.bins * shares).astype(np.int64)).tolist()


def _edges(features: np.ndarray, bins: int) -> np.ndarray:
    """Bins of one width over the range of some histograms; none if there are none."""
    if len(features) == 0:
        return np.zeros(0)
    low, high = features[:, 0].min(), features[:, 1].max()
    shares = np.arange(bins + 1) / bins
    return np.unique(np.clip(low * (1 - shares) + high * shares, low, high))


def _spread(count: int, most: int) -> np.ndarray:
    """At most so many numbers below a count, evenly spread."""
    return np.unique(np.linspace(0, max(0, count - 1), min(count, most)).astype(np.int64))
