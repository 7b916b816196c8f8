"""What is known of a table: its columns, their types, counts, ranges and histograms?"""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mere.answers.shown import range_of
from mere.drawing import histogram_svg
from mere.search.catalog import find_table, html_row, number_text, plural, rows_of
from mere.search.typed_rows import summarised_again
from mere.segments import Columns, OpenSnapshot
from mere.segments.plain_numbers import numbers_in_doubt
from mere.store import Strings
from mere.values import Type, spelled_moment

_TOP = 5  # most frequent values of a column


class Valued(NamedTuple):
    """The distinct values of a column, by their places among strings, and how many rows have each."""

    strings: Strings
    ids: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of one column."""

    name: str
    type: str
    distinct: int | None  # None: the owner of a published profile does not say
    nulls: int | None
    misfits: int
    minimum: str | None
    maximum: str | None
    examples: list[str]
    top: list[tuple[str, int]]  # the most frequent values, and how many rows have each
    histogram: dict[str, Any] | None  # {"low", "high", "counts"} of bins of equal width; "edges" too, if they are not
    description: str = ""


@dataclass(frozen=True)
class Profile:
    """What is known of one table: `mere show`."""

    name: str
    source: str
    path: str
    member: str
    repeat: int
    format: str
    rows: int | None  # None: the owner of a published profile does not say
    bytes: int
    dialect: dict[str, Any]
    about: dict[str, Any]
    issues: list[str]
    columns: list[ColumnProfile]
    snapshot: int
    profile_only: bool = False  # its owner publishes a profile and keeps the rows
    numbers: dict[str, Any] = field(default_factory=dict)  # decimal mark, units and what is unsure: docs/numbers.md
    hidden: bool = False  # a sheet that its workbook hides
    conditions: list[dict[str, Any]] | None = None  # per predicate and column: what the histogram shows, if asked

    def to_dict(self) -> dict[str, Any]:
        document = asdict(self)
        if self.conditions is None:
            del document["conditions"]
        return document

    def __repr__(self) -> str:
        lines = [
            f"  {column.name}: {column.type}, {number_text(column.distinct)} distinct, {number_text(column.nulls)} null"
            for column in self.columns
        ]
        return "\n".join([f"<{self.name}: {self._size()}, {plural(len(self.columns), 'column')}>", *lines])

    def _size(self) -> str:
        marks = {"profile only": self.profile_only, "hidden": self.hidden}
        return ", ".join([plural(self.rows, "row"), *(mark for mark, is_so in marks.items() if is_so)])

    def _repr_html_(self) -> str:
        names = ("name", "type", "distinct", "nulls", "minimum", "maximum")
        pictures = {column.name: _picture(column) for column in self.columns}
        for condition in self.conditions or []:
            drawn = condition.get("histogram")
            svg = histogram_svg(**drawn, region=condition.get("region")) if drawn else ""
            if condition["column"] in pictures:
                pictures[condition["column"]] += f"<br>{svg}<br>{html.escape(verdict(condition))}"
        rows = "".join(
            html_row([str(getattr(column, name)) for name in names], pictures[column.name]) for column in self.columns
        )
        caption = f"<caption>{html.escape(self.name)}: {self._size()}</caption>"
        header = html_row([*names, "histogram"], tag="th")
        return f"<table>{caption}<thead>{header}</thead><tbody>{rows}</tbody></table>"


def verdict(condition: dict[str, Any]) -> str:
    """Whether a column meets a condition and, of a predicate, the share of rows that do, as text.

    >>> verdict({"condition": "at least 30% of age < 40", "label": "possible", "fraction": [0.25, 0.5]})
    'at least 30% of age < 40: possible (25% to 50%)'
    """
    label = condition.get("label", "met")
    share = f" ({range_of(condition['fraction'])})" if "fraction" in condition else ""
    return f"{condition['condition']}: {label}{share}"


def _picture(column: ColumnProfile) -> str:
    if column.histogram is None:
        return ""
    counts = column.histogram["counts"]
    low, high = column.histogram["low"], column.histogram["high"]
    equal_width = [low * (1 - i / len(counts)) + high * (i / len(counts)) for i in range(len(counts) + 1)]
    return histogram_svg(column.histogram.get("edges", equal_width), counts)


def profile(opened: OpenSnapshot, name: str, keep_words: frozenset[str] = frozenset()) -> Profile:
    """What is known of a table, read from its segment only; from its raw rows if words for missing values are kept."""
    segment, number = find_table(opened, name)
    facts, known = segment.facts(number), segment.columns(number)
    strings = segment.dictionary.values
    valued = [Valued(strings, segment.set_of(c), segment.counts_of(c)) for c in segment.columns_of(number)]
    if keep_words and not facts.published:
        table = summarised_again(opened, name, keep_words)
        facts, known = replace(facts, numbers=table.facts.numbers), table.columns
        spans = pairwise(table.sets.starts.tolist())
        valued = [Valued(table.sets.values, np.arange(*span), table.sets.counts[slice(*span)]) for span in spans]
    described = facts.about.get("columns", {})
    about = {name: value for name, value in facts.to_dict().items() if name not in ("published", "lost")}
    if facts.published:
        published = zip(known.names, facts.published["columns"], strict=True)
        columns = [_published_profile(name, column, described) for name, column in published]
        return Profile(**{**about, "rows": rows_of(facts)}, columns=columns, snapshot=opened.number, profile_only=True)
    examples = dict(zip(known.names, known.examples, strict=True))
    about["issues"] = [*facts.issues, *numbers_in_doubt(facts.numbers, examples)]
    columns = [_column_profile(known.slice(place, place + 1), values, described) for place, values in enumerate(valued)]
    return Profile(**about, columns=columns, snapshot=opened.number, hidden=facts.hidden)


def _published_profile(name: str, column: dict[str, Any], described: dict[str, str]) -> ColumnProfile:
    """A column as its owner published it (`segments/published.py`)."""
    kind = Type(column["type"])
    low, high = (_axis_text(column[end], kind) if end in column else None for end in ("low", "high"))
    histogram = None
    if "edges" in column:
        edges = column["edges"]
        histogram = {"low": edges[0], "high": edges[-1], "edges": edges, "counts": column["counts"]}
    return ColumnProfile(
        name, kind.word, column.get("distinct"), column.get("nulls"), 0, low, high, [], [], histogram,
        described.get(name, ""),
    )  # fmt: skip


def _axis_text(number: float, kind: Type) -> str:
    """A number of a column's axis as its values are spelled."""
    if kind == Type.DATETIME:
        return spelled_moment(number)
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def _column_profile(known: Columns, values: Valued, described: dict[str, str]) -> ColumnProfile:
    kind = Type(int(known.types[0]))
    return ColumnProfile(
        known.names[0], kind.word, len(values.ids), int(known.nulls[0]), int(known.misfits[0]),
        known.lows[0] or None, known.highs[0] or None, known.examples[0], _top(values),
        _histogram(known) if kind.has_order else None, described.get(known.names[0], ""),
    )  # fmt: skip


def _top(values: Valued) -> list[tuple[str, int]]:
    """The most frequent values; ties in the order of the values."""
    strings, ids, counts = values
    if len(counts) == 0:
        return []
    least = np.partition(counts, -_TOP)[-_TOP] if len(counts) > _TOP else 0
    frequent = np.flatnonzero(counts > least)
    if len(frequent) < _TOP:
        frequent = np.concatenate([frequent, np.flatnonzero(counts == least)[: 4 * _TOP]])
    ranked = sorted(((int(counts[i]), strings[int(ids[i])]) for i in frequent), key=lambda pair: (-pair[0], pair[1]))
    return [(value, count) for count, value in ranked[:_TOP]]


def _histogram(known: Columns) -> dict[str, Any] | None:
    if np.isnan(known.low[0]):
        return None
    return {"low": float(known.low[0]), "high": float(known.high[0]), "counts": known.histogram[0].tolist()}
