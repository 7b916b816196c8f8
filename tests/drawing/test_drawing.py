"""Pictures of histograms are well-formed and inside their frame, whatever the numbers are."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from mere.drawing import (
    HEIGHT,
    WIDTH,
    Step,
    curve_svg,
    curve_text,
    histogram_svg,
    histogram_text,
    sparkline,
    spread_evenly,
)

numbers = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def histograms(draw):
    edges = sorted(draw(st.lists(numbers, min_size=2, max_size=12)))
    return edges, [draw(st.integers(0, 1000)) for _ in edges[1:]]


@settings(deadline=None)
@given(
    histogram=histograms(),
    region=st.one_of(st.none(), st.tuples(st.one_of(st.none(), numbers), st.one_of(st.none(), numbers))),
)
def test_every_bar_lies_inside_the_picture(histogram, region):
    edges, counts = histogram
    root = ElementTree.fromstring(histogram_svg(edges, counts, region))
    for bar in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, width, height = (float(bar.get(name)) for name in ("x", "y", "width", "height"))
        assert x >= -0.01 and x + width <= WIDTH + 0.02 and y >= -0.01 and y + height <= HEIGHT + 0.02
    bars = [bar for bar in root.iter("{http://www.w3.org/2000/svg}rect") if bar.get("fill") != "#f0c060"]
    assert len(bars) == sum(count > 0 for count in counts)


@settings(deadline=None)
@given(histogram=histograms())
def test_bins_of_equal_width_have_the_same_number_of_rows_in_total(histogram):
    edges, counts = histogram
    even = spread_evenly(edges, counts)
    assert abs(sum(even) - sum(counts)) <= 1e-6 * (1 + sum(counts)) and len(sparkline(even)) in (0, 16)


def test_the_region_of_a_predicate_is_shaded():
    assert "#f0c060" in histogram_svg([0, 1, 2], [3, 4], [None, 1.0])
    assert "#f0c060" not in histogram_svg([0, 1, 2], [3, 4])


@settings(deadline=None)
@given(
    histogram=histograms(),
    region=st.tuples(st.one_of(st.none(), numbers), st.one_of(st.none(), numbers)),
)
def test_lines_of_characters_have_equal_lengths_and_mark_the_region(histogram, region):
    edges, counts = histogram
    lines, inside = histogram_text(edges, counts, region)
    assert len(lines) == 6 and {len(line) for line in lines} == {len(inside)} == {48}
    assert [mark == "━" for mark in lines[-1]] == inside
    assert any("█" in line or "▇" in line for line in lines[:1]) == (sum(counts) > 0)
    covered = [place for place, covers in enumerate(inside) if covers]
    assert covered == list(range(covered[0], covered[-1] + 1)) if covered else True


def test_a_region_outside_the_axis_covers_nothing_and_one_around_it_covers_all():
    assert not any(histogram_text([0, 1, 2], [3, 4], [5.0, None])[1])
    assert not any(histogram_text([0, 1, 2], [3, 4], [None, -5.0])[1])
    assert all(histogram_text([0, 1, 2], [3, 4], [None, 9.0])[1])
    assert histogram_text([0, 4], [4], [1.0, 3.0], wide=4)[1] == [False, True, True, False]
    assert sum(histogram_text([5, 5], [4], [5.0, 5.0], wide=9)[1]) == 1


# curves

costs = st.floats(0, 1e9)
steps = st.lists(st.tuples(costs, st.integers(0, 10**9), st.text(max_size=5)), min_size=1, max_size=9).map(
    lambda drawn: [
        Step(cost, rows, label)
        for (cost, _, label), rows in zip(
            sorted(drawn, key=lambda step: step[0]), sorted(rows for _, rows, _ in drawn), strict=True
        )
    ]
)
budgets = st.one_of(st.none(), st.floats(1e-6, 1e9))


@given(steps=steps, budget=budgets)
def test_a_curve_is_well_formed_and_inside_its_picture(steps, budget):
    picture = curve_svg([step._replace(label=f"<b>{step.rows}</b>&") for step in steps], budget)
    root = ElementTree.fromstring(picture)
    dots = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(dots) == len(steps) and "<b>" not in picture
    wide, high = float(root.get("width")), float(root.get("height"))
    assert all(0 <= float(dot.get("cx")) <= wide and 0 <= float(dot.get("cy")) <= high for dot in dots)
    heights = [float(dot.get("cy")) for dot in dots]
    assert heights == sorted(heights, reverse=True), "more rows are higher"


@given(steps=steps, budget=budgets, wide=st.integers(30, 100), high=st.integers(2, 12))
def test_a_curve_as_text_fits_and_never_falls(steps, budget, wide, high):
    lines = curve_text(steps, budget, wide, high)
    assert len(lines) == high + 2 and max(map(len, lines)) <= wide
    margin = lines[-2].index("└") + 1
    tops = []
    for place in range(margin, len(lines[-2])):
        column = [line[place : place + 1] for line in lines[:high]]
        tops.append(min(level for level, mark in enumerate(column) if mark in ("─", "╭", "╯", "│", "┊")))
    drawn = [top for top, place in zip(tops, range(margin, len(lines[-2])), strict=True) if lines[-2][place] != "┴"]
    assert drawn == sorted(drawn, reverse=True)


def test_only_the_most_rows_are_on_the_highest_line():
    lines = curve_text([Step(0, 0), Step(1, 1), Step(2, 99), Step(3, 100)], 2, wide=40, high=4)
    assert lines[0].startswith("100 ┤")
    assert lines[0].index("╭") > lines[1].index("╭") > lines[2].index("╭")
    assert "budget 2" in lines[-1] and lines[-1].rstrip().endswith("3")


def test_a_budget_far_beyond_the_curve_is_not_drawn():
    steps = [Step(0, 5), Step(1, 9)]
    assert "budget" in curve_svg(steps, 2) and "budget" not in curve_svg(steps, 1000)
    assert "budget" in curve_text(steps, 2)[-1] and "budget" not in curve_text(steps, 1000)[-1]
