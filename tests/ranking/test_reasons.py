"""Why a join stands where it stands: a sentence for what lifts it, another for what lowers it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mere.ranking import SIGNALS, usual_model
from mere.ranking.reasons import Context, reasons, reasons_against

CONTEXT = Context("mine", "theirs", 5, 10, 20, 3.0, 1.0, 9.0, 2.0, "", True)
TWO = ("rows", "values")
LOWERED = ("0% of my values match", "only 25% of my rows match", "less than 1% of my values match")


def said(rows: float, values: float, against: bool = False) -> list[str]:
    """The reasons of a hit with these signals, where both weigh 1 and usually are a half."""
    place = [SIGNALS.index(name) for name in TWO]
    weights, usual, signals = (np.zeros(len(SIGNALS)) for _ in range(3))
    weights[place], usual[place], signals[place] = 1, 0.5, (rows, values)
    model = replace(usual_model(), weights=weights, usual=usual)
    return (reasons_against if against else reasons)(signals, model, CONTEXT)


@pytest.mark.parametrize(
    ("rows", "values", "expected"),
    [
        (1.0, 0.75, ["100% of my rows match", "75% of my values match"]),
        (0.75, 1.0, ["100% of my values match", "75% of my rows match"]),
        (0.74, 0.26, []),
        (0.25, 0.0, ["0% of my values match", "only 25% of my rows match"]),
        (0.9, 0.004, ["less than 1% of my values match", "90% of my rows match"]),
        (0.997, 0.5, ["more than 99% of my rows match"]),
    ],
)
def test_a_signal_that_moves_the_odds_by_a_quarter_is_a_reason(rows: float, values: float, expected: list[str]) -> None:
    assert said(rows, values) == expected
    assert said(rows, values, against=True) == [text for text in expected if text in LOWERED]
