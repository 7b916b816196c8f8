"""What is the answer to `mere.assemble`: tables to take, what each adds, and the forms it converts to."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from mere.answers.hits import require
from mere.bundles.choose import Money
from mere.bundles.filters import Filters
from mere.bundles.outcome import Assembly, Chosen, Point
from mere.bundles.schema import Schema
from mere.drawing import Step, curve_svg, number_label
from mere.errors import UsageError
from mere.search.assembling.inputs import Member
from mere.search.assembling.plotting import plotted
from mere.search.assembling.rows import union_of_rows
from mere.search.assembling.united import as_given
from mere.segments import OpenSnapshot

_SHOWN = 20  # rejected tables in a notebook
_LONG = 2.0**53  # from here on, not every integer is a float


@dataclass(frozen=True, eq=False)
class Parts:
    """What a bundle was assembled from: the tables by name, and what rows were wanted of them."""

    schema: Schema
    filters: Filters
    base: Member
    candidates: dict[str, Member]

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(member.table.rows for member in (self.base, *self.candidates.values()))


class Bundle:
    """The tables to take for a budget, those that are left and why, and how many distinct rows that gives.

    `own` is a snapshot that was opened for this bundle alone: it is open until the bundle is closed or deleted.
    """

    def __init__(self, assembly: Assembly, parts: Parts, budget: float | None, own: OpenSnapshot | None = None) -> None:
        self._parts, self._own = parts, own
        self.method, self.exact, self.budget = assembly.method, assembly.exact, _plain(budget)
        self.base, self.base_exact = round(assembly.base), assembly.base_exact
        self.chosen = _whole_gains(self.base, assembly.chosen)
        self.rejected = [replace(rejected, price=_plain(rejected.price), gain=_whole(rejected.gain))
                         for rejected in assembly.rejected]  # fmt: skip
        self.distinct = round(assembly.distinct)
        self.interval = _whole_interval(assembly.interval)
        self.cost = _paid(assembly.cost, budget)
        self.curve = [Point(_paid(point.cost, budget), round(point.distinct), point.tables) for point in assembly.curve]
        self.counted = list(assembly.counted)
        self.notes = list(assembly.notes)
        self.seconds = {stage: round(seconds, 3) for stage, seconds in assembly.seconds.items()}

    def __len__(self) -> int:
        return len(self.chosen)

    def __enter__(self) -> Bundle:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the lake if it was opened for this bundle, by its path; also happens when the bundle is deleted."""
        if self._own is not None:
            self._own.close()

    def fetch(self, limit: int | None = None, *, raw: bool = False) -> Any:
        """The distinct rows of the base and the chosen tables that meet the queries, at most `limit`.

        In the columns of the base that were compared, as in the first table that has the row, and a column
        `table` with the name of that table (of a base that is a frame: `base`, or `base (mine)` if a candidate is
        called so).  Arrow, or the type of the base if that is a pandas or polars frame.  Numbers, dates and booleans
        have their types where every table's cells fit the type of the base's; `raw`: cells of files and tables of the
        lake are text as it was written.
        """
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise UsageError(f"'limit' must be an int >= 0, got {limit!r}", "leave it out for all rows")
        members = [self._parts.base, *(self._parts.candidates[chosen.table] for chosen in self.chosen)]
        rows = union_of_rows(members, self._parts.schema, self._parts.filters, limit, raw)
        return as_given(rows, self._parts.base.table.given)

    def columns_in(self, table: str) -> tuple[int, int]:
        """How many of the compared columns a candidate has, and how many there are."""
        if table not in self._parts.candidates:
            listed = ", ".join(map(repr, list(self._parts.candidates)[:_SHOWN]))
            raise UsageError(f"'{table}' is not a candidate that could be chosen", f"those are {listed or 'none'}")
        places = self._parts.schema.places(self._parts.candidates[table].table.columns)
        return sum(place is not None for place in places), len(places)

    # other forms

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of the bundle."""
        return {
            "chosen": [{"table": c.table, "price": c.price, "gain": c.gain, "distinct": c.distinct}
                       for c in self.chosen],
            "rejected": [{"table": r.table, "price": r.price, "gain": r.gain, "reason": r.reason, "code": r.code}
                         for r in self.rejected],
            "distinct": self.distinct,
            "interval": None if self.interval is None else list(self.interval),
            "exact": self.exact,
            "method": self.method,
            "budget": self.budget,
            "cost": self.cost,
            "base": self.base,
            "base_exact": self.base_exact,
            "curve": [{"cost": p.cost, "distinct": p.distinct, "tables": list(p.tables)} for p in self.curve],
            "counted": self.counted,
            "notes": self.notes,
            "seconds": self.seconds,
        }  # fmt: skip

    def to_arrow(self) -> pa.Table:
        """One row per candidate, the chosen ones first, in their order."""
        rows: list[dict[str, Any]] = [
            {"table": c.table, "status": "chosen", "price": c.price, "gain": c.gain, "distinct": c.distinct}
            for c in self.chosen
        ]
        rows += [
            {"table": r.table, "status": "rejected", "price": r.price, "gain": r.gain, "code": r.code,
             "reason": r.reason}
            for r in self.rejected
        ]  # fmt: skip
        numbers = {"price": pa.float64(), "gain": pa.int64(), "distinct": pa.int64()}
        names = ("table", "status", "price", "gain", "distinct", "code", "reason")
        return pa.Table.from_pylist(rows, pa.schema([(name, numbers.get(name, pa.string())) for name in names]))

    def to_pandas(self) -> Any:
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        return require("polars").from_arrow(self.to_arrow())

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the curve of rows against cost: to a .svg, .html or .png file, or as an Axes of matplotlib.

        Returns the path, or the Axes if there is none.  Only .png and the Axes need matplotlib (extra `plots`).
        """
        return plotted(self.steps(), self.budget, path)

    def steps(self) -> list[Step]:
        """The curve as it is drawn."""
        return [Step(point.cost, point.distinct, ", ".join(point.tables)) for point in self.curve]

    # shown

    def summary(self) -> str:
        """How many rows the bundle has, in one line."""
        limit = ", no limit" if self.budget is None else f" of {price_text(self.budget)}"
        spent = f"cost {price_text(self.cost)}{limit}"
        return (
            f"{_counted(len(self), 'table')}, {spent}: {_counted(self.distinct, 'distinct row')}, "
            f"{self.distinct - self.base:,} more than the base ({self.certainty()})"
        )

    def certainty(self) -> str:
        """Whether the number of rows is exact; if not, between which numbers it is, if they differ."""
        if self.exact:
            return "exact"
        if self.interval is None:
            return "estimated"
        if self.interval[0] == self.interval[1]:
            return f"estimated: {self.distinct:,}"
        return f"estimated: 95 % between {self.interval[0]:,} and {self.interval[1]:,}"

    def __repr__(self) -> str:
        lines = [
            f"{c.table}: price {price_text(c.price)}, {c.gain:+,} row{'' if c.gain == 1 else 's'}" for c in self.chosen
        ]
        more = [f"{_counted(len(self.rejected), 'table')} rejected"] if self.rejected else []
        return "\n".join([f"<{self.summary()}>", *lines, *more])

    def _repr_html_(self) -> str:
        about = [self.summary(), *(f"note: {note}" for note in self.notes)]
        caption = "<br>".join(html.escape(line) for line in about)
        chosen = [[c.table, price_text(c.price), f"{c.gain:,}", f"{c.distinct:,}"] for c in self.chosen]
        rejected = [[r.table, price_text(r.price), r.reason] for r in self.rejected[:_SHOWN]]
        if len(self.rejected) > _SHOWN:
            rejected.append([f"... and {len(self.rejected) - _SHOWN:,} more", "", ""])
        tables = ((("table", "price", "new rows", "rows"), chosen), (("rejected", "price", "reason"), rejected))
        return (
            f"<p>{caption}</p>"
            + "".join(_html_table(header, rows) for header, rows in tables if rows)
            + curve_svg(self.steps(), self.budget)
        )


def _whole_gains(base: int, chosen: Sequence[Chosen]) -> list[Chosen]:
    """The chosen tables in whole rows: the gains add up to the last number of rows, also if they were estimated."""
    rows, whole = base, []
    for each in chosen:
        total = round(each.distinct)
        whole.append(Chosen(each.table, _plain(each.price) or 0, total - rows, total))
        rows = total
    return whole


def _whole_interval(interval: tuple[float, float] | None) -> tuple[int, int] | None:
    return None if interval is None else (math.floor(interval[0]), math.ceil(interval[1]))


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def _plain(number: float | None) -> float | None:
    """A number without a fraction as an int, unless it has more digits than a float."""
    if number is None:
        return None
    plain = float(number)
    return int(plain) if plain.is_integer() and plain < _LONG else plain


def highest_cost(budget: float) -> float:
    """The budget, with what a sum of prices may be above it because sums are rounded."""
    return Money(np.zeros(1), budget).limit


def _paid(cost: float, budget: float | None) -> float:
    """A cost as it is shown: not above the budget because a sum was rounded."""
    rounded_up = budget is not None and budget < cost <= highest_cost(float(budget))
    return _plain(budget if rounded_up else cost) or 0


def price_text(price: float | None) -> str:
    """A price as it is shown; a question mark if there is none."""
    return "?" if price is None else number_label(price)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _html_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
