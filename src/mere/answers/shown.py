"""How are hits shown?

A kind lists the columns in which its hits are shown (`Shown`); a terminal, a notebook and a page draw the same list.
A cell is text or a `Picture`; text is escaped by whoever draws it, a picture is drawn as SVG or as a line of
characters.  A column without a single non-empty cell is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mere.answers.hit import Hit


@dataclass(frozen=True)
class Picture:
    """A histogram to draw, with the part of the axis that a predicate covers."""

    edges: Sequence[float]
    counts: Sequence[int]
    region: Sequence[float | None] | None = None


HIDDEN = " (hidden)"  # after the name of a table that its workbook hides
Cell = str | Picture | tuple[Picture, ...]  # of several pictures, a terminal draws the first


@dataclass(frozen=True)
class Shown:
    """One column in which hits are shown: its header, the cell of a hit, and how it is set."""

    header: str
    cell: Callable[[Hit], Cell]
    right: bool = False  # a number: aligned to the right, and never cut
    width: int | None = None  # characters in a terminal, at most
    whole: bool = False  # never cut
    name: bool = False  # cut in the middle, not at its end
    rank: int | None = None  # in a narrow terminal, the largest is left out first, 0 never; default: its position
    below: bool = False  # prose: in a narrow terminal, it stands below its hit
    full: bool = False  # a name to be typed: where a terminal cuts it, it is repeated below its hit


def shown_cells(columns: Sequence[Shown], hits: Iterable[Hit]) -> tuple[list[Shown], list[list[Cell]]]:
    """The columns that have at least one non-empty cell, and the rows of cells."""
    rows = [[column.cell(hit) for column in columns] for hit in hits]
    kept = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    return [columns[place] for place in kept], [[row[place] for place in kept] for row in rows]


def percent(share: float) -> str:
    """A share in percent that says 100% only of all, and 0% only of nothing.

    >>> percent(1.0), percent(0.9962), percent(0.5), percent(0.002)
    ('100%', '>99%', '50%', '<1%')
    """
    if 0.995 <= share < 1:
        return ">99%"
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def range_of(bounds: Sequence[float]) -> str:
    """The bounds of a fraction.

    >>> range_of([0.25, 0.5]), range_of([0.5, 0.5])
    ('25% to 50%', '50%')
    """
    low, high = bounds
    return f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"


def marked_number(hit: Hit, number: float, digits: int = 3) -> str:
    """A number of a hit; marked if the hit is not exact."""
    return f"{'' if hit.exact else '~'}{number:.{digits}g}"


def score_cell(hit: Hit) -> Cell:
    return marked_number(hit, hit.score, 4)


def table_cell(hit: Hit) -> Cell:
    """The table; of a sheet that the workbook hides, with a mark."""
    return hit.table + (HIDDEN if hit.evidence.get("hidden") else "")


def columns_cell(hit: Hit) -> Cell:
    return ", ".join(hit.columns[:4]) + (f" and {len(hit.columns) - 4:,} more" if len(hit.columns) > 4 else "")


def evidence_cell(hit: Hit) -> Cell:
    return json.dumps(hit.evidence, ensure_ascii=False, default=str) if hit.evidence else ""


TABLE = Shown("table", table_cell, name=True, rank=0, full=True)
COLUMNS = Shown("columns", columns_cell, width=40, name=True)
DEFAULT_SHOWN = (
    Shown("score", score_cell, right=True),
    TABLE,
    COLUMNS,
    Shown("evidence", evidence_cell, width=70),
)


def picture_of(evidence: Mapping[str, Any]) -> Cell:
    """The histogram of some evidence, if it has one."""
    drawn = evidence.get("histogram")
    return Picture(drawn["edges"], drawn["counts"], evidence.get("region")) if drawn else ""


def _join_cell(hit: Hit) -> Cell:
    """many-to-one, 13,979 rows"""
    fan_out = hit.evidence.get("fan_out")
    return f"{fan_out['shape']}, {fan_out['rows']:,} row{'' if fan_out['rows'] == 1 else 's'}" if fan_out else "?"


def _examples(name: str, most: int) -> Callable[[Hit], Cell]:
    def cell(hit: Hit) -> Cell:
        examples = hit.evidence.get(name, [])[:most]
        return ", ".join(one if isinstance(one, str) else f"({', '.join(one)})" for one in examples)

    return cell


def _codes_cell(hit: Hit) -> Cell:
    """01001 = 1001 (5 digits)"""
    codes = hit.evidence.get("codes")
    if not codes:
        return ""
    examples = [" = ".join(pair) for pair in codes.get("examples", [])[:1]]
    return f"{examples[0] if examples else 'zeros restored'} ({codes['digits']} digits)"


def join_shown(counted: str, mark: str = "~") -> tuple[Shown, ...]:
    """How every joining kind shows its hits: `counted` is what is counted, `mark` precedes what is not exact."""
    return (
        Shown("share", lambda hit: f"{'' if hit.exact else mark}{percent(hit.evidence['share'])}", right=True),
        Shown(counted, lambda hit: f"{'' if hit.exact else mark}{hit.evidence['shared']:,}", right=True),
        TABLE,
        Shown("columns", lambda hit: ", ".join(hit.columns), width=40, name=True, rank=1, full=True),
        Shown("codes", _codes_cell),
        Shown("join", _join_cell, whole=True),
        Shown("matched", _examples("matched", 3), width=36),
        Shown("unmatched", _examples("unmatched", 3), width=36),
    )
