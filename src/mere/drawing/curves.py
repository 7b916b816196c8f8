"""How is a step curve drawn: how many rows can be had for which cost?

The curve is level between two steps.  The vertical axis starts at the rows of the first step, which are there at no
cost, and not at 0: what is bought would otherwise be invisible beside a large table.  Both ends of the curve are
labelled at the axes.  The budget is a vertical line; beyond the last step the curve goes on level.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

CURVE_WIDTH, CURVE_HEIGHT = 520.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 76.0, 16.0, 14.0, 40.0  # margins of the picture
_LONG = 1e15  # numbers from here on are shown with four digits and their power of ten
_MARK = 1.15  # the axis is a little longer than the last step, so that a budget at its end can be seen


class Step(NamedTuple):
    """From this cost on there are so many rows; `label` says what was bought."""

    cost: float
    rows: float
    label: str = ""


class _Axes(NamedTuple):
    """The ranges that are drawn."""

    last: float  # costs from 0 to this
    dearest: float  # the cost of the last step
    low: float
    high: float

    def across(self, cost: float) -> float:
        """The place of a cost, from 0 to 1."""
        return min(max(cost / self.last, 0.0), 1.0)

    def up(self, rows: float) -> float:
        """The height of a number of rows, from 0 to 1; a level curve is at the bottom."""
        return min(max((rows - self.low) / (self.high - self.low), 0.0), 1.0) if self.high > self.low else 0.0


def _axes(steps: Sequence[Step], budget: float | None) -> _Axes:
    """A budget far beyond the last step is outside of the picture."""
    dearest = max((step.cost for step in steps), default=0.0)
    last = dearest * _MARK if budget is None or not 0 < budget <= 3 * dearest else max(dearest * _MARK, budget)
    rows = [step.rows for step in steps] or [0.0]
    return _Axes(last or 1.0, dearest, min(rows), max(rows))


def number_label(number: float) -> str:
    """A cost or a number of rows as it is shown.

    >>> number_label(12.0), number_label(1234.5), number_label(0.00125), number_label(2.5e15)
    ('12', '1,234.50', '0.00125', '2.5e+15')
    """
    if number >= _LONG:
        return f"{number:.4g}"
    return f"{int(number):,}" if float(number).is_integer() else f"{number:,.2f}" if number >= 1 else f"{number:.4g}"


def curve_svg(steps: Sequence[Step], budget: float | None = None) -> str:
    """The curve as an SVG, with a point per step, whose label appears when it is pointed at."""
    axes = _axes(steps, budget)
    wide, high = CURVE_WIDTH - _LEFT - _RIGHT, CURVE_HEIGHT - _TOP - _BOTTOM

    def place(cost: float, rows: float) -> tuple[float, float]:
        return _LEFT + wide * axes.across(cost), _TOP + high * (1 - axes.up(rows))

    corners = [place(step.cost, step.rows) for step in steps]
    path = "".join(f"{'H' if n else 'M'}{x:.1f}{'V' if n else ' '}{y:.1f}" for n, (x, y) in enumerate(corners))
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#4878a8"><title>{_title(step)}</title></circle>'
        for step, (x, y) in zip(steps, corners, strict=True)
    )
    line = f'<path d="{path}H{_LEFT + wide:.1f}" fill="none" stroke="#4878a8" stroke-width="2"/>' if path else ""
    size = f'width="{CURVE_WIDTH:.0f}" height="{CURVE_HEIGHT:.0f}" viewBox="0 0 {CURVE_WIDTH:.0f} {CURVE_HEIGHT:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" font-size="11">'
        f"<title>distinct rows for a cost</title>{_frame(axes)}{_budget_line(axes, budget)}{line}{dots}</svg>"
    )


def _title(step: Step) -> str:
    return html.escape(f"cost {number_label(step.cost)}: {number_label(step.rows)} rows; {step.label or 'the base'}")


def _frame(axes: _Axes) -> str:
    left, right, top, bottom = _LEFT, CURVE_WIDTH - _RIGHT, _TOP, CURVE_HEIGHT - _BOTTOM
    dearest = left + (right - left) * axes.across(axes.dearest)
    labels = [_text(left, bottom + 14, "0", "middle"),
              _text(dearest, bottom + 14, number_label(axes.dearest) if axes.dearest else "", "middle"),
              _text(left - 6, bottom, number_label(axes.low), "end"), _text(left, top - 3, "distinct rows", "middle"),
              _text((left + right) / 2, bottom + 32, "cost", "middle")]  # fmt: skip
    if axes.high > axes.low:
        labels.append(_text(left - 6, top + 9, number_label(axes.high), "end"))
    lines = f'<path d="M{left:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}" fill="none" stroke="#888"/>'
    return lines + "".join(labels)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _budget_line(axes: _Axes, budget: float | None) -> str:
    if budget is None or budget > axes.last:
        return ""
    x, bottom = _LEFT + (CURVE_WIDTH - _LEFT - _RIGHT) * axes.across(budget), CURVE_HEIGHT - _BOTTOM
    dashed = f'<path d="M{x:.1f} {_TOP:.1f}V{bottom:.1f}" stroke="#c06030" stroke-dasharray="4 3"/>'
    return dashed + _text(x, bottom + 26, f"budget {number_label(budget)}", "middle")


def curve_text(steps: Sequence[Step], budget: float | None = None, wide: int = 60, high: int = 8) -> list[str]:
    """The curve as lines of characters of at most `wide` characters, the axis and its labels last.

    >>> print("\\n".join(curve_text([Step(0, 10), Step(5, 20)], 5, wide=24, high=3)))
    20 ┤                 ╭──
       │                 │
    10 ┤─────────────────╯
       └─────────────────┴──
       0            budget 5
    """
    axes = _axes(steps, budget)
    labels = {0: number_label(axes.low), high - 1: number_label(axes.high)} if axes.high > axes.low else {
        0: number_label(axes.low)}  # fmt: skip
    margin = max(map(len, labels.values())) + 1
    width = max(wide - margin - 1, 8)
    marked = None if budget is None or budget > axes.last else _column(axes, budget, width)
    drawn = _drawn(steps, axes, width, high)
    lines = []
    for level in range(high - 1, -1, -1):
        cells = [
            "┊" if place == marked and cell in " ─" else cell for place, cell in enumerate(drawn[level])
        ]  # fmt: skip
        lines.append(
            f"{labels.get(level, ''):>{margin - 1}} {'┤' if level in labels else '│'}{''.join(cells)}".rstrip()
        )
    axis = "".join("┴" if place == marked else "─" for place in range(width))
    return [*lines, f"{'':{margin}}└{axis}", f"{'':{margin}}{_axis_labels(axes, budget, marked, width)}".rstrip()]


def _column(axes: _Axes, cost: float, width: int) -> int:
    return min(int(axes.across(cost) * (width - 1) + 0.5), width - 1)


def _level(axes: _Axes, rows: float, high: int) -> int:
    """The line of a number of rows: only the least are on the lowest, and only the most on the highest."""
    if rows <= axes.low or rows >= axes.high or high < 3:
        return round(axes.up(rows)) * (high - 1)
    return min(max(round(axes.up(rows) * (high - 1)), 1), high - 2)


def _drawn(steps: Sequence[Step], axes: _Axes, width: int, high: int) -> list[list[str]]:
    """The characters of the curve, level by level from the bottom."""
    drawn = [[" "] * width for _ in range(high)]
    levels: list[int] = [0] * width
    for step in steps:
        start = _column(axes, step.cost, width)
        levels[start:] = [_level(axes, step.rows, high)] * (width - start)
    before = levels[0]
    for place, level in enumerate(levels):
        drawn[level][place] = "─" if level == before else "╭"
        if level > before:
            drawn[before][place] = "╯"
            for between in range(before + 1, level):
                drawn[between][place] = "│"
        before = level
    return drawn


def _axis_labels(axes: _Axes, budget: float | None, marked: int | None, width: int) -> str:
    """0 at the left, the budget below its mark, the cost of the last step below it where there is space."""
    line = [" "] * (width + 1)
    line[0] = "0"
    texts = [] if marked is None or budget is None else [(marked, f"budget {number_label(budget)}")]
    if axes.dearest:
        texts.append((_column(axes, axes.dearest, width), number_label(axes.dearest)))
    for place, text in texts:
        start = max(min(place + 1 - len(text) // 2, width + 1 - len(text)), 2)
        if not "".join(line[start - 1 : start + len(text) + 1]).strip():
            line[start : start + len(text)] = text
    return "".join(line)[: width + 1]
