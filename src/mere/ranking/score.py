"""How likely is it that a person wants this join?

A logistic model: the logarithm of the odds is a sum of weighted signals.  Rounded to six digits, so that the last
bits of a logarithm, which may differ between machines, order nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from mere.ranking.signals import OF_COLUMNS, SIGNALS
from mere.ranking.weights import BIAS, USUAL, WEIGHTS

_DIGITS = 6


@dataclass(frozen=True, eq=False)
class Model:
    """The weight of every signal, what a signal usually is, and the bias; in the order of `SIGNALS`."""

    weights: np.ndarray
    usual: np.ndarray
    bias: float

    def contributions(self, signals: np.ndarray) -> np.ndarray:
        """How much each signal lifts or lowers a hit, compared with what it usually is."""
        return self.weights * (signals - self.usual)


@cache
def usual_model() -> Model:
    """The model with the weights of the package."""
    return Model(np.array([WEIGHTS[name] for name in SIGNALS]), np.array([USUAL[name] for name in SIGNALS]), BIAS)


def scores(signals: np.ndarray, model: Model) -> np.ndarray:
    """A score from 0 to 1 for each row of signals."""
    return np.round(1 / (1 + np.exp(-_sum(signals, model.weights) - model.bias)), _DIGITS)


def column_scores(signals: np.ndarray, model: Model) -> np.ndarray:
    """What the signals of the columns alone add to the logarithm of the odds: orders hits of equal overlap."""
    return np.round(_sum(signals, model.weights[: len(OF_COLUMNS)]), _DIGITS)


def _sum(signals: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Signal by signal in one order, where a matrix product adds in an order that depends on the number of rows."""
    total = np.zeros(len(signals))
    for place, weight in enumerate(weights.tolist()):
        total += weight * signals[:, place]
    return total
