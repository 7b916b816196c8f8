"""How is the curve of a bundle written to a file?

SVG and HTML are written without other libraries; PNG, and an Axes to draw on, need matplotlib.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from mere.drawing import Step, curve_svg, number_label
from mere.errors import LakeError, UsageError
from mere.store import files

FORMATS = (".svg", ".html", ".png")


def check_plot_path(path: str) -> str:
    """The extension of the path; an error if nothing can be drawn there."""
    extension = os.path.splitext(path)[1].lower()
    if extension not in FORMATS:
        raise UsageError(f"cannot draw to '{path}'", f"choose a name that ends in {', '.join(FORMATS)}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder '{folder}'", "create it, or choose another")
    if extension == ".png":
        _matplotlib()
    return extension


def plotted(steps: Sequence[Step], budget: float | None, path: str | os.PathLike[str] | None) -> Any:
    """The path of the file that was written; without a path, an Axes of matplotlib."""
    if path is None:
        return _axes(steps, budget)
    name = os.fspath(path)
    extension = check_plot_path(name)
    if extension == ".png":
        with files.written_aside(name) as aside:
            _axes(steps, budget).figure.savefig(aside, format="png", dpi=150)
    else:
        files.publish(name, _document(curve_svg(steps, budget), extension).encode())
    return name


def _document(svg: str, extension: str) -> str:
    if extension == ".svg":
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'
    return f'<!doctype html>\n<meta charset="utf-8">\n<title>Distinct rows for a cost</title>\n{svg}\n'


def _matplotlib() -> Any:
    try:
        from matplotlib import figure
    except ModuleNotFoundError as error:
        remedy = "pip install 'mere[plots]', or choose a name that ends in .svg or .html"
        raise LakeError("matplotlib is not installed", remedy) from error
    return figure


def _axes(steps: Sequence[Step], budget: float | None) -> Any:
    """The curve on a new figure that no window shows."""
    axes = _matplotlib().Figure(figsize=(6.4, 3.6), layout="constrained").subplots()
    last = max(step.cost for step in steps) * 1.15 or 1.0
    costs, rows = [*(step.cost for step in steps), last], [*(step.rows for step in steps), steps[-1].rows]
    axes.step(costs, rows, where="post")
    axes.plot(costs[:-1], rows[:-1], "o", markersize=4, color="C0")
    if budget is not None and budget <= last:
        axes.axvline(budget, linestyle="--", color="C1", label="budget")
        axes.legend(loc="lower right")
    axes.set_xlabel("cost")
    axes.set_ylabel("distinct rows")
    axes.set_xlim(left=0)
    _label(axes.yaxis, whole=True)
    _label(axes.xaxis, whole=all(float(step.cost).is_integer() for step in steps))
    return axes


def _label(axis: Any, whole: bool) -> None:
    """Numbers as everywhere in Mere; only whole ones if what is shown has no fractions."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins="auto", integer=whole))
    axis.set_major_formatter(lambda number, place: number_label(number))
