"""What tables are there, and what is in one?"""

from __future__ import annotations

import difflib
import fnmatch
import html
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mere.drawing import histogram_svg
from mere.errors import NoSuchTable, ProfileOnly, UsageError
from mere.segments import Columns, Facts, OpenSnapshot, Segment
from mere.values import Type, spelled_moment

_TOP = 5
_MOST_COMPARED = 50_000  # names looked at for a near miss


@dataclass(frozen=True)
class TableInfo:
    """One line of `mere tables`."""

    name: str
    rows: int | None  # of a table without rows here, as many as its owner counted
    columns: int
    format: str
    source: str
    profile_only: bool = False  # its rows stay with their owner

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
        """Those whose name matches a glob, or holds the text."""
        glob = pattern if any(c in pattern for c in "*?[") else f"*{pattern}*"
        return Tables([info for info in self._infos if fnmatch.fnmatch(info.name.casefold(), glob.casefold())])

    def to_dicts(self) -> list[dict[str, Any]]:
        return [info.to_dict() for info in self._infos]

    def to_arrow(self) -> Any:
        import pyarrow as pa

        types = {"name": pa.string(), "rows": pa.int64(), "columns": pa.int64(), "format": pa.string()}
        more = [("source", pa.string()), ("profile_only", pa.bool_())]
        return pa.Table.from_pylist(self.to_dicts(), pa.schema([*types.items(), *more]))

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        import polars

        return polars.from_arrow(self.to_arrow())

    def __repr__(self) -> str:
        lines = [
            f"{counted(info.rows):>12} x {info.columns:<5} {info.name}{' (profile only)' if info.profile_only else ''}"
            for info in self._infos[:20]
        ]
        more = [f"... and {len(self) - 20:,} more"] if len(self) > 20 else []
        return "\n".join([f"<{len(self):,} tables>", *lines, *more])

    def _repr_html_(self) -> str:
        names = ("name", "rows", "columns", "format", "source", "profile_only")
        rows = "".join(_html_row([str(getattr(info, name)) for name in names]) for info in self._infos)
        return f"<table><thead>{_html_row(list(names), 'th')}</thead><tbody>{rows}</tbody></table>"


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of one column."""

    name: str
    type: str
    distinct: int | None  # None: not told by the owner of a table whose rows are not here
    nulls: int | None
    misfits: int
    minimum: str | None
    maximum: str | None
    examples: list[str]
    top: list[tuple[str, int]]  # the most frequent values with their rows
    histogram: dict[str, Any] | None  # {"low", "high", "counts"}: equal bins; others come with their "edges"
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
    rows: int | None  # of a table without rows here, as many as its owner counted
    bytes: int
    dialect: dict[str, Any]
    about: dict[str, Any]
    issues: list[str]
    columns: list[ColumnProfile]
    snapshot: int
    profile_only: bool = False  # its rows stay with their owner
    conditions: list[dict[str, Any]] | None = None  # what its columns' histograms say of predicates, if asked

    def to_dict(self) -> dict[str, Any]:
        told = asdict(self)
        if self.conditions is None:
            del told["conditions"]
        return told

    def __repr__(self) -> str:
        lines = [
            f"  {column.name}: {column.type}, {counted(column.distinct)} distinct, {counted(column.nulls)} null"
            for column in self.columns
        ]
        return "\n".join([f"<{self.name}: {self._size()}, {len(self.columns)} columns>", *lines])

    def _size(self) -> str:
        return f"{counted(self.rows)} rows{', profile only' if self.profile_only else ''}"

    def _repr_html_(self) -> str:
        names = ("name", "type", "distinct", "nulls", "minimum", "maximum")
        judged: dict[str, str] = {}
        for said in self.conditions or []:
            drawn = f"<br>{histogram_svg(**said['histogram'], region=said['region'])}<br>{html.escape(verdict(said))}"
            judged[said["column"]] = judged.get(said["column"], "") + drawn
        rows = "".join(
            _html_row(
                [str(getattr(column, name)) for name in names], more=_picture(column) + judged.get(column.name, "")
            )
            for column in self.columns
        )
        caption = f"<caption>{html.escape(self.name)}: {self._size()}</caption>"
        return f"<table>{caption}<thead>{_html_row([*names, 'spread'], 'th')}</thead><tbody>{rows}</tbody></table>"


def verdict(said: dict[str, Any]) -> str:
    """What a histogram says of a predicate, in words.

    >>> verdict({"condition": "at least 30% of age < 40", "label": "possible", "fraction": [0.25, 0.5]})
    'at least 30% of age < 40: possible (25% to 50%)'
    """
    low, high = said["fraction"]
    share = f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
    return f"{said['condition']}: {said['label']} ({share})"


def counted(number: int | None) -> str:
    """A number as it is shown; one that nobody told is a question mark."""
    return "?" if number is None else f"{number:,}"


def _html_row(cells: list[str], tag: str = "td", more: str | None = None) -> str:
    """A row of escaped cells, and one that is markup already."""
    drawn = "" if more is None else f"<{tag}>{more}</{tag}>"
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + drawn + "</tr>"


def _picture(column: ColumnProfile) -> str:
    if column.histogram is None:
        return ""
    counts = column.histogram["counts"]
    low, high = column.histogram["low"], column.histogram["high"]
    even = [low * (1 - i / len(counts)) + high * (i / len(counts)) for i in range(len(counts) + 1)]
    return histogram_svg(column.histogram.get("edges", even), counts)


def all_tables(opened: OpenSnapshot) -> Tables:
    infos = []
    for segment, live in zip(opened.segments, opened.live, strict=True):
        widths = np.diff(segment.first_column)
        for number in np.flatnonzero(live).tolist():
            facts = segment.facts(number)
            rows, only = rows_of(facts), bool(facts.published)
            infos.append(TableInfo(facts.name, rows, int(widths[number]), facts.format, facts.source, only))
    return Tables(sorted(infos, key=lambda info: info.name))


def rows_of(facts: Facts) -> int | None:
    """How many rows a table has, here or with its owner; None if he does not say."""
    return facts.published.get("rows") if facts.published else facts.rows


def find_rows(opened: OpenSnapshot, name: str) -> tuple[Segment, int]:
    """The segment and number of a living table whose rows are here."""
    segment, number = find_table(opened, name)
    if segment.profile_only[number]:
        raise profile_only(segment.facts(number))
    return segment, number


def profile_only(facts: Facts) -> ProfileOnly:
    """The fault of whoever asks for rows that stay with their owner."""
    return ProfileOnly(facts.name, facts.published.get("source") or f"'{facts.path}' does not say who that is")


def find_table(opened: OpenSnapshot, name: str) -> tuple[Segment, int]:
    """The segment and number of a living table; a name without its folders will do if only one table has it."""
    if not isinstance(name, str):
        raise UsageError(f"a table's name is text, got {name!r}", "'mere tables' lists them")
    for segment, live in zip(opened.segments, opened.live, strict=True):
        number = bisect_left(segment.names, name)
        if number < len(segment.names) and segment.names[number] == name and live[number]:
            return segment, number
    return _find_by_ending(opened, name)


def _find_by_ending(opened: OpenSnapshot, name: str) -> tuple[Segment, int]:
    living = [
        (found, segment, number)
        for segment, live in zip(opened.segments, opened.live, strict=True)
        for number, found in enumerate(segment.names)
        if live[number]
    ]
    short = [place for place in living if place[0].endswith(f"/{name}")]
    if len(short) == 1:
        return short[0][1:]
    if short:
        listed = ", ".join(sorted(found for found, _, _ in short)[:4])
        raise NoSuchTable(f"{len(short)} tables are called '{name}': {listed}", "give more of the path")
    close = difflib.get_close_matches(name, [found for found, _, _ in living[:_MOST_COMPARED]], 3, 0.5)
    remedy = f"did you mean {' or '.join(close)}?" if close else "'mere tables' lists them"
    raise NoSuchTable(f"no table '{name}' among {len(living):,}", remedy)


def profile(opened: OpenSnapshot, name: str) -> Profile:
    """Everything known of a table, read from its segment alone."""
    segment, number = find_table(opened, name)
    facts, known = segment.facts(number), segment.columns(number)
    described = facts.about.get("columns", {})
    about = {name: value for name, value in facts.to_dict().items() if name != "published"}
    if facts.published:
        told = zip(known.names, facts.published["columns"], strict=True)
        columns = [_published_profile(name, column, described) for name, column in told]
        return Profile(**{**about, "rows": rows_of(facts)}, columns=columns, snapshot=opened.number, profile_only=True)
    columns = [
        _column_profile(segment, column, known.slice(place, place + 1), described)
        for place, column in enumerate(segment.columns_of(number))
    ]
    return Profile(**about, columns=columns, snapshot=opened.number)


def _published_profile(name: str, told: dict[str, Any], described: dict[str, str]) -> ColumnProfile:
    """What an owner tells of a column."""
    kind = Type(told["type"])
    low, high = (on_axis(told[end], kind) if end in told else None for end in ("low", "high"))
    drawn = None
    if "edges" in told:
        edges = told["edges"]
        drawn = {"low": edges[0], "high": edges[-1], "edges": edges, "counts": told["counts"]}
    return ColumnProfile(
        name, kind.word, told.get("distinct"), told.get("nulls"), 0, low, high, [], [], drawn, described.get(name, "")
    )


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
    often = np.flatnonzero(counts > least)
    often = np.concatenate([often, np.flatnonzero(counts == least)[: 4 * _TOP]]) if len(often) < _TOP else often
    values = segment.dictionary.values
    ranked = sorted(((int(counts[i]), values[int(ids[i])]) for i in often), key=lambda one: (-one[0], one[1]))
    return [(value, count) for count, value in ranked[:_TOP]]


def _histogram(known: Columns) -> dict[str, Any] | None:
    if np.isnan(known.low[0]):
        return None
    return {"low": float(known.low[0]), "high": float(known.high[0]), "counts": known.histogram[0].tolist()}
