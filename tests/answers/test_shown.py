"""How numbers of hits are shown."""

from __future__ import annotations

import pytest

from mere.answers import Hit
from mere.answers.shown import columns_cell, marked_number, score_cell


@pytest.mark.parametrize(("exact", "mark"), [(True, ""), (False, "~")])
def test_a_number_has_three_digits_and_a_score_four_and_an_estimate_is_marked(exact: bool, mark: str) -> None:
    hit = Hit("a.csv", ("c",), 12.3456, exact, {})
    assert marked_number(hit, 0.45678) == f"{mark}0.457" and marked_number(hit, 0.45678, 4) == f"{mark}0.4568"
    assert score_cell(hit) == f"{mark}12.35"


def test_four_columns_are_named_and_more_are_counted() -> None:
    assert columns_cell(Hit("a.csv", ("a", "b", "c", "d"), 1.0, True, {})) == "a, b, c, d"
    assert columns_cell(Hit("a.csv", ("a", "b", "c", "d", "e", "f"), 1.0, True, {})) == "a, b, c, d and 2 more"
