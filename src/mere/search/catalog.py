"""What tables are there, and what is in one?"""

from __future__ import annotations

import fnmatch
import html
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from mere.drawing import histogram_svg
from mere.errors import NoSuchTable, ProfileOnly, UsageError
from mere.segments import Columns, Facts, OpenSnapshot, Segment
from mere.values import Type, spelled_moment

_TOP = 5
_MOST_COMPARED = 50_000  # names compared with a wrong one
_LEAST_LIKENESS = 70  # of 100, for a name that is suggested: 2 * common subsequence / both lengths


@dataclass(frozen=True)
class TableInfo:
    """One line of `mere tables`."""

    name: str
    rows: int | None  # None: the owner of a published profile does not say
    columns: int
    format: str
    source: str
    profile_only: bool = False  # its owner publishes a profile and keeps the rows

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Tables(Sequence[TableInfo]):
    """The living tables of a snapshot, in the order of their names."""

    def __init__(self, infos: list[TableInfo]) -> None:
        self._infos = infos

    def __len__(self) -> int:
        return len(self._infos)

    def __getitem__(self, place: Any) -> Any:
        return self._infos[place]

    def __iter__(self) -> Iterator[TableInfo]:
        return iter(self._infos)

    def __contains__(self, name: object) -> bool:
        return any(name in (info, info.name) for info in self._infos)

    def matching(self, pattern: str) -> Tables:
        """The tables whose name matches a glob, or contains the text."""
        glob = pattern if any(c in pattern for c in "*?[") else f"*{pattern}*"
        return Tables([info for info in self._infos if fnmatch.fnmatch(info.name.casefold(), glob.casefold())])

    def to_dicts(self) -> list[dict[str, Any]]:
        return [info.to_dict() for info in self._infos]

    def to_arrow(self) -> Any:
        import pyarrow as pa

        numbers = {"rows": pa.int64(), "columns": pa.int64(), "profile_only": pa.bool_()}
        names = [field.name for field in fields(TableInfo)]
        schema = pa.schema([(name, numbers.get(name, pa.string())) for name in names])
        return pa.Table.from_pylist(self.to_dicts(), schema)

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        import polars

        return polars.from_arrow(self.to_arrow())

    def __repr__(self) -> str:
        lines = [_line(info) for info in self._infos[:20]]
        more = [f"... and {len(self) - 20:,} more"] if len(self) > 20 else []
        return "\n".join([f"<{_plural(len(self), 'table')}>", *lines, *more])

    def _repr_html_(self) -> str:
        names = ("name", "rows", "columns", "format", "source", "profile_only")
        rows = "".join(_html_row([str(getattr(info, name)) for name in names]) for info in self._infos)
        return f"<table><thead>{_html_row(list(names), tag='th')}</thead><tbody>{rows}</tbody></table>"


def _line(info: TableInfo) -> str:
    mark = " (profile only)" if info.profile_only else ""
    return f"{number_text(info.rows):>12} x {info.columns:<5} {info.name}{mark}"


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
        return "\n".join([f"<{self.name}: {self._size()}, {_plural(len(self.columns), 'column')}>", *lines])

    def _size(self) -> str:
        return f"{_plural(self.rows, 'row')}{', profile only' if self.profile_only else ''}"

    def _repr_html_(self) -> str:
        names = ("name", "type", "distinct", "nulls", "minimum", "maximum")
        pictures = {column.name: _picture(column) for column in self.columns}
        for condition in self.conditions or []:
            svg = histogram_svg(**condition["histogram"], region=condition["region"])
            pictures[condition["column"]] += f"<br>{svg}<br>{html.escape(verdict(condition))}"
        rows = "".join(
            _html_row([str(getattr(column, name)) for name in names], pictures[column.name]) for column in self.columns
        )
        caption = f"<caption>{html.escape(self.name)}: {self._size()}</caption>"
        header = _html_row([*names, "histogram"], tag="th")
        return f"<table>{caption}<thead>{header}</thead><tbody>{rows}</tbody></table>"


def verdict(condition: dict[str, Any]) -> str:
    """Whether a column meets a predicate by its histogram, and its share of rows that do, as text.

    >>> verdict({"condition": "at least 30% of age < 40", "label": "possible", "fraction": [0.25, 0.5]})
    'at least 30% of age < 40: possible (25% to 50%)'
    """
    low, high = condition["fraction"]
    share = f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
    return f"{condition['condition']}: {condition['label']} ({share})"


def number_text(number: int | None) -> str:
    """A number as it is shown; a question mark if it is unknown."""
    return "?" if number is None else f"{number:,}"


def _plural(number: int | None, noun: str) -> str:
    return f"{number_text(number)} {noun}{'' if number == 1 else 's'}"


def _html_row(cells: list[str], markup: str | None = None, tag: str = "td") -> str:
    """A row of escaped cells, and a last cell that is HTML already."""
    last = "" if markup is None else f"<{tag}>{markup}</{tag}>"
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + last + "</tr>"


def _picture(column: ColumnProfile) -> str:
    if column.histogram is None:
        return ""
    counts = column.histogram["counts"]
    low, high = column.histogram["low"], column.histogram["high"]
    equal_width = [low * (1 - i / len(counts)) + high * (i / len(counts)) for i in range(len(counts) + 1)]
    return histogram_svg(column.histogram.get("edges", equal_width), counts)


def all_tables(opened: OpenSnapshot) -> Tables:
    infos = []
    for segment, live in zip(opened.segments, opened.live, strict=True):
        widths = np.diff(segment.first_column)
        for number in np.flatnonzero(live).tolist():
            facts = segment.facts(number)
            columns, is_profile = int(widths[number]), bool(facts.published)
            infos.append(TableInfo(facts.name, rows_of(facts), columns, facts.format, facts.source, is_profile))
    return Tables(sorted(infos, key=lambda info: info.name))


def rows_of(facts: Facts) -> int | None:
    """How many rows a table has; of a published profile, as its owner says, or None."""
    return facts.published.get("rows") if facts.published else facts.rows


def find_rows(opened: OpenSnapshot, name: str) -> tuple[Segment, int]:
    """The segment and number of a live table that has rows in this lake."""
    segment, number = find_table(opened, name)
    if segment.profile_only[number]:
        raise profile_only(segment.facts(number))
    return segment, number


def profile_only(facts: Facts) -> ProfileOnly:
    """The error for a question that needs the rows of a published profile."""
    return ProfileOnly(facts.name, facts.published.get("source") or f"'{facts.path}' does not name the owner")


def find_table(opened: OpenSnapshot, name: str) -> tuple[Segment, int]:
    """The segment and number of a live table; its folders may be left out if only one table has the name."""
    if not isinstance(name, str):
        raise UsageError(f"expected the name of a table, got {name!r}", "Lake.tables lists the names")
    for segment, live in zip(opened.segments, opened.live, strict=True):
        number = bisect_left(segment.names, name)
        if number < len(segment.names) and segment.names[number] == name and live[number]:
            return segment, number
    return _find_by_ending(opened, name)


def _find_by_ending(opened: OpenSnapshot, name: str) -> tuple[Segment, int]:
    tables = [
        (full_name, segment, number)
        for segment, live in zip(opened.segments, opened.live, strict=True)
        for number, full_name in enumerate(segment.names)
        if live[number]
    ]
    matches = [table for table in tables if table[0].endswith(f"/{name}")]
    if len(matches) == 1:
        return matches[0][1:]
    if matches:
        listed = ", ".join(sorted(full_name for full_name, _, _ in matches)[:4])
        raise NoSuchTable(f"{len(matches)} tables are called '{name}': {listed}", "give more of the path")
    names = [full_name for full_name, _, _ in tables]
    raise NoSuchTable(f"no table '{name}' among {_plural(len(names), 'table')}", _did_you_mean(name, names))


def _did_you_mean(name: str, names: list[str]) -> str:
    """The remedy for a wrong name: the most similar names, compared without the folders that it leaves out."""
    from rapidfuzz import fuzz, process  # imported only for a wrong name

    parts = name.count("/") + 1
    endings = {full_name: "/".join(full_name.split("/")[-parts:]) for full_name in names[:_MOST_COMPARED]}
    similar = process.extract(name, endings, scorer=fuzz.ratio, limit=3, score_cutoff=_LEAST_LIKENESS)
    if not similar:
        return "Lake.tables lists the names"
    return f"did you mean {' or '.join(full_name for _, _, full_name in similar)}?"


def profile(opened: OpenSnapshot, name: str) -> Profile:
    """What is known of a table, read from its segment only."""
    segment, number = find_table(opened, name)
    facts, known = segment.facts(number), segment.columns(number)
    described = facts.about.get("columns", {})
    about = {name: value for name, value in facts.to_dict().items() if name != "published"}
    if facts.published:
        published = zip(known.names, facts.published["columns"], strict=True)
        columns = [_published_profile(name, column, described) for name, column in published]
        return Profile(**{**about, "rows": rows_of(facts)}, columns=columns, snapshot=opened.number, profile_only=True)
    columns = [
        _column_profile(segment, column, known.slice(place, place + 1), described)
        for place, column in enumerate(segment.columns_of(number))
    ]
    return Profile(**about, columns=columns, snapshot=opened.number)


def _published_profile(name: str, column: dict[str, Any], described: dict[str, str]) -> ColumnProfile:
    """A column as its owner published it (`segments/published.py`)."""
    kind = Type(column["type"])
    low, high = (on_axis(column[end], kind) if end in column else None for end in ("low", "high"))
    histogram = None
    if "edges" in column:
        edges = column["edges"]
        histogram = {"low": edges[0], "high": edges[-1], "edges": edges, "counts": column["counts"]}
    return ColumnProfile(
        name, kind.word, column.get("distinct"), column.get("nulls"), 0, low, high, [], [], histogram,
        described.get(name, ""),
    )  # fmt: skip


def on_axis(number: float, kind: Type) -> str:
    """A number of a column's axis as its values are spelled."""
    if kind == Type.DATETIME:
        return spelled_moment(number)
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def _column_profile(segment: Segment, number: int, known: Columns, described: dict[str, str]) -> ColumnProfile:
    kind = Type(int(known.types[0]))
    return ColumnProfile(
        known.names[0], kind.word, len(segment.set_of(number)), int(known.nulls[0]), int(known.misfits[0]),
        known.lows[0] or None, known.highs[0] or None, known.examples[0], _top(segment, number),
        _histogram(known) if kind.has_order else None, described.get(known.names[0], ""),
    )  # fmt: skip


def _top(segment: Segment, column: int) -> list[tuple[str, int]]:
    """The most frequent values; ties in the order of the values."""
    counts, ids = segment.counts_of(column), segment.set_of(column)
    if len(counts) == 0:
        return []
    least = np.partition(counts, -_TOP)[-_TOP] if len(counts) > _TOP else 0
    frequent = np.flatnonzero(counts > least)
    if len(frequent) < _TOP:
        frequent = np.concatenate([frequent, np.flatnonzero(counts == least)[: 4 * _TOP]])
    values = segment.dictionary.values
    ranked = sorted(((int(counts[i]), values[int(ids[i])]) for i in frequent), key=lambda pair: (-pair[0], pair[1]))
    return [(value, count) for count, value in ranked[:_TOP]]


def _histogram(known: Columns) -> dict[str, Any] | None:
    if np.isnan(known.low[0]):
        return None
    return {"low": float(known.low[0]), "high": float(known.high[0]), "counts": known.histogram[0].tolist()}
