"""How are histograms and curves drawn?  As an SVG for pages and notebooks, or as lines of characters for a terminal."""

from mere.drawing.curves import Step, curve_svg, curve_text, number_label
from mere.drawing.histograms import HEIGHT, WIDTH, histogram_svg, histogram_text, sparkline, spread_evenly

__all__ = [
    "HEIGHT", "WIDTH", "Step", "curve_svg", "curve_text", "histogram_svg", "histogram_text", "number_label",
    "sparkline", "spread_evenly",
]  # fmt: skip
