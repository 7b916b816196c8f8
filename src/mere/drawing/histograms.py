"""How is a histogram drawn?  As an SVG for pages and notebooks, or as lines of characters for a terminal.

The area of a bar is proportional to the rows in its bin, its width to the width of the bin; very narrow bins are drawn
as lines.  The interval of a predicate is shaded.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

BARS = " ▁▂▃▄▅▆▇█"
WIDTH, HEIGHT = 240.0, 48.0
_THIN = 1.5  # the smallest width of a bar

Region = Sequence[float | None]  # from, to; None is infinite


def histogram_svg(edges: Sequence[float], counts: Sequence[int], region: Region | None = None) -> str:
    """The histogram as an SVG; it contains numbers only, no text of a table."""
    low, high = edges[0], edges[-1]
    bars = _bars(edges, counts)
    tallest = max((height for _, _, height in bars), default=0.0) or 1.0
    drawn = "".join(
        f'<rect x="{x:.2f}" y="{HEIGHT - HEIGHT * height / tallest:.2f}" width="{wide:.2f}" '
        f'height="{HEIGHT * height / tallest:.2f}" fill="#4878a8"/>'
        for x, wide, height in bars
        if height > 0
    )
    shade = _shade(low, high, region) if region is not None else ""
    title = html.escape(f"{sum(counts):,} values from {low:g} to {high:g}")
    size = f'width="{WIDTH:.0f}" height="{HEIGHT:.0f}" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{title}</title>{shade}{drawn}</svg>'


def _bars(edges: Sequence[float], counts: Sequence[int]) -> list[tuple[float, float, float]]:
    """Position, width and height of each bin's bar, in the units of the picture."""
    places = [_place(edge, edges[0], edges[-1]) for edge in edges]
    bars = []
    for left, right, count in zip(places[:-1], places[1:], counts, strict=True):
        wide = max(right - left, _THIN)
        bars.append((min(left, WIDTH - wide), wide, count / wide))
    return bars


def _place(value: float, low: float, high: float) -> float:
    """The position of a number on the axis; a single value is in the middle."""
    if not low < high:
        return WIDTH / 2
    share = (value / 2 - low / 2) / (high / 2 - low / 2)  # halves, because high - low may overflow
    return WIDTH * min(max(share, 0.0), 1.0)


def _shade(low: float, high: float, region: Region) -> str:
    start = 0.0 if region[0] is None else _place(region[0], low, high)
    end = WIDTH if region[1] is None else _place(region[1], low, high)
    wide = max(end - start, _THIN)
    return f'<rect x="{min(start, WIDTH - wide):.2f}" y="0" width="{wide:.2f}" height="{HEIGHT:.0f}" fill="#f0c060"/>'


def sparkline(counts: Sequence[float]) -> str:
    """One character per bin; a bin that is not empty has at least the lowest bar.

    >>> sparkline([0, 1, 8])
    ' ▁█'
    """
    most = max(counts, default=0)
    return "".join(BARS[0 if c == 0 else max(1, round(c / most * 8))] for c in counts) if most else ""


def histogram_text(
    edges: Sequence[float], counts: Sequence[int], region: Region | None = None, wide: int = 48, high: int = 5
) -> tuple[list[str], list[bool]]:
    """The histogram as lines of characters, the axis last, thick below the region; and which columns the region covers.

    >>> lines, inside = histogram_text([0, 2, 4], [1, 2], [2, None], wide=4, high=1)
    >>> lines
    ['▄▄██', '──━━']
    """
    even = spread_evenly(edges, counts, wide)
    tallest = max(even) or 1.0
    eighths = [0 if height == 0 else max(1, round(height / tallest * 8 * high)) for height in even]
    lines = [
        "".join(BARS[min(max(eighth - 8 * level, 0), 8)] for eighth in eighths) for level in range(high - 1, -1, -1)
    ]
    inside = _covered(edges[0], edges[-1], region, wide)
    return [*lines, "".join("━" if covered else "─" for covered in inside)], inside


def _covered(low: float, high: float, region: Region | None, wide: int) -> list[bool]:
    """Which of `wide` equal parts of the axis a region covers; none if it is outside the axis."""
    if region is None or (region[0] is not None and region[0] > high) or (region[1] is not None and region[1] < low):
        return [False] * wide
    start = 0.0 if region[0] is None else _place(region[0], low, high) / WIDTH * wide
    end = float(wide) if region[1] is None else _place(region[1], low, high) / WIDTH * wide
    first, last = min(int(start), wide - 1), min(max(int(-(-end // 1)) - 1, int(start)), wide - 1)
    return [first <= place <= last for place in range(wide)]


def spread_evenly(edges: Sequence[float], counts: Sequence[int], bins: int = 16) -> list[float]:
    """The same histogram in bins of equal width.

    >>> spread_evenly([0, 2, 4], [2, 6], 4)
    [1.0, 1.0, 3.0, 3.0]
    """
    even = [0.0] * bins
    for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True):
        start, end = (_place(edge, edges[0], edges[-1]) / WIDTH * bins for edge in (left, right))
        first, last = min(int(start), bins - 1), min(int(end), bins - 1)
        for place in range(first, last + 1):
            part = min(end, place + 1) - max(start, place)
            even[place] += count * (part / (end - start) if end > start else 1.0)
    return even
