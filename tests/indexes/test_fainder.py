"""The paper's modes keep their promises: full recall, full precision, exactness; whatever they were trained on."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import mere
from mere.errors import QueryError, UsageError
from mere.indexes.distribution.build import indexed
from mere.indexes.distribution.fainder import BASELINES, MODES, Recipe, aligned, answered, clustered, recipe_of
from mere.indexes.distribution.fainder.alignment import features_of
from mere.indexes.distribution.fainder.clusters import CLUSTERINGS, TRANSFORMS
from mere.indexes.distribution.histograms import WAYS, Strategy, summed_up
from mere.language import Predicate
from mere.pipeline import Settings
from tests.indexes.test_distribution import bins, random_columns, random_predicate
from tests.oracles.distribution import label, takes


def random_lake(chance: random.Random) -> tuple[Any, Any, Any]:
    """Histograms, and clusters learnt from others: these may stick out of their cluster, or lie far from it."""
    strategy = Strategy(chance.choice(WAYS), chance.choice([1, 2, 4, 16]))
    summary, others = (summed_up(*random_columns(chance), strategy) for _ in range(2))
    recipe = Recipe(
        clusters=chance.randint(1, 5), bins=chance.choice([1, 5, 40]), clustering=chance.choice(CLUSTERINGS),
        transform=chance.choice(TRANSFORMS), smoothing=chance.choice([0, 1, 100]),
    )  # fmt: skip
    seen = chance.choice([summary, others])
    trained = clustered(features_of(seen.starts, seen.edges)[: chance.choice([0, 1, 9, 9, 9])], recipe)
    arrays = indexed(summary)
    return summary, {**arrays, **aligned(arrays, trained)}, trained


def test_promises_are_kept_and_modes_are_what_they_say() -> None:
    chance, asked, gaps = random.Random("fainder"), 0, dict.fromkeys(MODES, 0)
    while asked < 20_000:
        summary, arrays, trained = random_lake(chance)
        own, memo = bins(summary), {}
        for _ in range(30):
            predicate = random_predicate(chance, summary.edges.tolist())
            labels = [label(predicate, of_column) for of_column in own]
            possible = {i for i, verdict in enumerate(labels) if verdict}
            certain = {i for i, verdict in enumerate(labels) if verdict == "guaranteed"}
            answers = {mode: answered(arrays, predicate, mode, memo).tolist() for mode in (*MODES, *BASELINES)}
            assert all(len(set(which)) == len(which) for which in answers.values())
            assert possible <= set(answers["full-recall"])
            assert set(answers["full-precision"]) <= certain
            for mode in ("exact", "profile-scan", "binsort"):
                assert set(answers[mode]) == possible
            for mode in MODES:
                assert sorted(answers[mode]) == [i for i, b in enumerate(own) if takes(mode, predicate, b, trained)]
                gaps[mode] += len(possible ^ set(answers[mode]))
            asked += len(own)
    assert gaps["exact"] == 0 and all(gaps[mode] > 0 for mode in MODES if mode != "exact")  # they are approximate


def test_precision_survives_fractions_that_floats_cannot_tell_apart() -> None:
    summary = summed_up(np.zeros(10, int), np.arange(10.0), np.ones(10, np.int64), Strategy("equal-depth", 16))
    arrays = indexed(summary)
    arrays |= aligned(arrays, clustered(features_of(summary.starts, summary.edges), Recipe(clusters=1, bins=9)))
    for operator, value in (("<", 3.0), (">", 6.5)):
        for more, holds in ((0, True), (1, False)):
            fraction = Fraction(3, 10) + Fraction(more, 10**30)
            predicate = Predicate(None, "at least", fraction, operator, value)
            assert (label(predicate, bins(summary)[0]) is not None) == holds
            assert answered(arrays, predicate, "full-precision", {}).tolist() in ([], [0] if holds else [])
            assert answered(arrays, predicate, "exact", {}).tolist() == ([0] if holds else [])
            assert not holds or answered(arrays, predicate, "full-recall", {}).tolist() == [0]


def test_normal_columns_are_taken_for_normal() -> None:
    chance = np.random.default_rng(3)
    numbers = chance.normal(100, 15, 4000)
    columns = np.append(np.zeros(4000, int), [1])
    summary = summed_up(columns, np.append(numbers, 5.0), np.ones(4001, np.int64), Strategy("equal-depth", 64))
    arrays = indexed(summary)

    def answer(side: str, percent: int, operator: str, value: Any) -> list[int]:
        predicate = Predicate(None, side, Fraction(percent, 100), operator, value)
        return answered(arrays, predicate, "normal-dist", {}).tolist()

    assert answer("at least", 80, "<", 115.0) == [0, 1] and answer("at least", 88, "<", 115.0) == [1]
    assert answer("at least", 12, ">", 115.0) == [0] and answer("at most", 12, ">", 115.0) == [1]
    assert answer("at least", 65, "between", (85.0, 115.0)) == [0]
    assert answer("at least", 71, "between", (85.0, 115.0)) == []
    assert answer("at most", 71, "between", (85.0, 115.0)) == [0, 1]
    assert answer("at least", 100, "<", 5.0) == [] and answer("at least", 100, "<=", 5.0) == [1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"fainder_clusters": -1}, {"fainder_bins": 0}, {"fainder_bins": 10**11}, {"fainder_smoothing": float("inf")},
        {"fainder_smoothing": -0.5}, {"fainder_smoothing": float("nan")},
        {"fainder_clustering": "kmeans"}, {"fainder_transform": "log"},
    ],
)  # fmt: skip
def test_a_recipe_that_cannot_be_is_refused_before_anything_is_read(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        Settings(**wrong)


def test_a_recipe_is_read_from_settings() -> None:
    recipe = recipe_of(Settings(fainder_clusters=7, fainder_bins=70, fainder_clustering="hdbscan").to_dict())
    assert recipe == Recipe(7, 70, "hdbscan", "quantile", 1.0)


def test_without_scikit_learn_the_remedy_is_named() -> None:
    with patch.dict(sys.modules, {"sklearn.cluster": None}), pytest.raises(UsageError, match="scikit-learn"):
        clustered(np.array([[0.0, 1.0, 1.0], [5.0, 9.0, 2.0]]), Recipe(clusters=2))


@pytest.mark.spark
def test_a_lake_answers_in_the_papers_modes_and_its_clusters_stay(tmp_path: Path) -> None:
    raw, lake = tmp_path / "raw", tmp_path / "lake"
    raw.mkdir()
    for number in range(4):
        cells = [f"{i * (number + 1)},{i % 7}" for i in range(60)]
        (raw / f"t{number}.csv").write_text("\n".join(["size,day", *cells]) + "\n")
    mere.index([raw], lake)
    with mere.open(lake) as opened, pytest.raises(QueryError, match="needs the paper's index"):
        opened.distribution("at least 50% of size < 40", mode="exact")
    mere.index([raw], lake, settings=Settings(fainder_clusters=2, fainder_bins=12))
    asked = "at least 50% of size < 65"
    with mere.open(lake) as opened:
        before = {mode: opened.distribution(asked, 0, mode=mode).to_dicts() for mode in ("auto", *MODES, *BASELINES)}
    assert [hit["table"] for hit in before["auto"]] == ["t0.csv", "t1.csv"]
    assert before["exact"] == before["binsort"] == before["profile-scan"] == before["auto"]
    labels = {hit["table"]: hit["evidence"]["label"] for hit in before["full-recall"]}
    assert {"t0.csv", "t1.csv"} <= labels.keys() and set(labels.values()) <= {"guaranteed", "possible", "ruled out"}
    (raw / "far.csv").write_text("size,day\n" + "".join(f"{i * 1000},{i}\n" for i in range(60)))
    mere.index([raw], lake)  # a new segment, with the clusters of the first run
    with mere.open(lake) as opened:
        for mode in MODES:
            after = [hit for hit in opened.distribution(asked, 0, mode=mode).to_dicts() if hit["table"] != "far.csv"]
            assert after == before[mode]
