"""`mere where`: how its answers look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from mere.cli.render import clean, console, grid, row
from mere.drawing import histogram_text, sparkline, spread_evenly

if TYPE_CHECKING:
    from mere.answers import Hit, Hits
    from mere.search import Profile


_DRAWN = 8  # histograms of several lines


def show_conditions(hits: Hits) -> None:
    """One row a hit: how well it fits, whether surely, and what the histograms say."""
    out = console()
    for note in hits.notes:
        out.print(Text(f"note: {clean(note)}"))
    if hits.hits:
        table = grid("score", "label", "table", "columns", "spread", "why", right=("score",))
        for hit in hits:
            columns = ", ".join(hit.columns[:4]) + (" …" if len(hit.columns) > 4 else "")
            row(
                table,
                f"{hit.score:.3g}",
                hit.evidence["label"] + (", profile only" if hit.evidence.get("profile_only") else ""),
                clean(hit.table),
                clean(columns, 40),
                _spread(hit),
                _why(hit),
            )
        out.print(table)
    out.print(Text(hits.summary()))


def show_alike(hits: Hits) -> None:
    """One row a hit: how like it is, and how far values would have to move."""
    out = console()
    for note in hits.notes:
        out.print(Text(f"note: {clean(note)}"))
    if hits.hits:
        table = grid("score", "distance", "table", "column", "spread", right=("score", "distance"))
        for hit in hits:
            away = f"{hit.evidence['distance']:.4g}"
            row(table, f"{hit.score:.3g}", away, clean(hit.table), clean(hit.columns[0], 40), _spread(hit))
        out.print(table)
    out.print(Text(hits.summary()))


def show_judged(profile: Profile) -> None:
    """The histograms that predicates speak of, with the part of the axis that counts; a few, if they are many."""
    from mere.search.catalog import verdict
    from mere.values import spelled_moment

    out, ranges = console(), {c.name: (c.minimum, c.maximum, c.type == "datetime") for c in profile.columns}
    said = profile.conditions or []
    for one in said[:_DRAWN]:
        lines, inside = histogram_text(**one["histogram"], region=one["region"])
        out.print(Text(f"\n{clean(one['column'], 60)}  {clean(verdict(one), 200)}"))
        for line in lines:
            drawn = Text(f"  {line}")
            for place, covered in enumerate(inside):
                drawn.stylize("bold yellow" if covered else "dim", place + 2, place + 3)
            out.print(drawn)
        low, high, dated = ranges[one["column"]]
        edges = [spelled_moment(edge) if dated else f"{edge:g}" for edge in _ends(one)]
        ends = [clean(end or edge, 20) for end, edge in zip((low, high), edges, strict=True)]
        out.print(Text(f"  {ends[0]}{ends[1]:>{max(1, len(inside) - len(ends[0]))}}"))
    if len(said) > _DRAWN:
        out.print(Text(f"... and {len(said) - _DRAWN:,} more columns: --json lists them all"))
    if profile.conditions == []:
        out.print(Text("no column of numbers or dates is meant by the condition"))


def _ends(said: dict[str, Any]) -> tuple[float, float]:
    return said["histogram"]["edges"][0], said["histogram"]["edges"][-1]


def _spread(hit: Hit) -> str:
    """The histogram of the best column, in a line."""
    drawn = hit.evidence.get("histogram") or next(
        (reason["histogram"] for reason in hit.evidence.get("reasons", []) if "histogram" in reason), None
    )
    return sparkline(spread_evenly(drawn["edges"], drawn["counts"])) if drawn else ""


def _why(hit: Hit) -> str:
    """The bounds that the histograms give, condition by condition."""
    if "fraction" in hit.evidence:
        return _bounds(hit.evidence)
    said = {reason["condition"]: reason for reason in reversed(hit.evidence["reasons"])}  # the best column of each
    return clean("; ".join(f"{condition}: {_reason(reason)}" for condition, reason in reversed(said.items())), 100)


def _reason(reason: dict[str, Any]) -> str:
    return _bounds(reason) if "fraction" in reason else "yes"


def _bounds(evidence: dict[str, Any]) -> str:
    low, high = evidence["fraction"]
    return f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
