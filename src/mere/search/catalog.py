"""Which tables are in a snapshot, and where is one of them?"""

from __future__ import annotations

import fnmatch
import html
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from mere.answers.hits import require
from mere.errors import NoSuchTable, ProfileOnly, UsageError
from mere.segments import Facts, OpenSnapshot, Segment

_MOST_COMPARED = 50_000  # names compared with a wrong one
_LETTERS_PER_EDIT = 5  # a name that is suggested may differ by one letter; by one more per so many if it starts alike
_LEAST_START = 4  # letters of a start by which a name is suggested


@dataclass(frozen=True)
class TableInfo:
    """One line of `mere tables`."""

    name: str
    rows: int | None  # None: the owner of a published profile does not say
    columns: int
    format: str
    source: str
    profile_only: bool = False  # its owner publishes a profile and keeps the rows
    hidden: bool = False  # a sheet that its workbook hides

    @property
    def marks(self) -> list[str]:
        """What a person who reads the name should know, in words."""
        return [*(["profile only"] if self.profile_only else []), *(["hidden"] if self.hidden else [])]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def name_matches(name: str, pattern: str) -> bool:
    """Whether a name matches a glob, or contains the text.

    >>> name_matches("Sales/Orders.csv", "sales/*.csv"), name_matches("Orders", "order"), name_matches("Orders", "o?")
    (True, True, False)
    """
    glob = pattern if any(c in pattern for c in "*?[") else f"*{pattern}*"
    return fnmatch.fnmatchcase(name.casefold(), glob.casefold())


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
        return Tables([info for info in self._infos if name_matches(info.name, pattern)])

    def to_dicts(self) -> list[dict[str, Any]]:
        return [info.to_dict() for info in self._infos]

    def to_arrow(self) -> Any:
        import pyarrow as pa

        numbers = {"rows": pa.int64(), "columns": pa.int64(), "profile_only": pa.bool_(), "hidden": pa.bool_()}
        names = [field.name for field in fields(TableInfo)]
        schema = pa.schema([(name, numbers.get(name, pa.string())) for name in names])
        return pa.Table.from_pylist(self.to_dicts(), schema)

    def to_pandas(self) -> Any:
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        return require("polars").from_arrow(self.to_arrow())

    def __repr__(self) -> str:
        lines = [_line(info) for info in self._infos[:20]]
        more = [f"... and {len(self) - 20:,} more"] if len(self) > 20 else []
        return "\n".join([f"<{plural(len(self), 'table')}>", *lines, *more])

    def _repr_html_(self) -> str:
        names = ("name", "rows", "columns", "format", "source", "profile_only", "hidden")
        rows = "".join(html_row([str(getattr(info, name)) for name in names]) for info in self._infos)
        return f"<table><thead>{html_row(list(names), tag='th')}</thead><tbody>{rows}</tbody></table>"


def _line(info: TableInfo) -> str:
    mark = f" ({', '.join(info.marks)})" if info.marks else ""
    return f"{number_text(info.rows):>12} x {info.columns:<5} {info.name}{mark}"


def number_text(number: int | None) -> str:
    """A number as it is shown; a question mark if it is unknown."""
    return "?" if number is None else f"{number:,}"


def plural(number: int | None, noun: str) -> str:
    """A number with its noun."""
    return f"{number_text(number)} {noun}{'' if number == 1 else 's'}"


def html_row(cells: list[str], markup: str | None = None, tag: str = "td") -> str:
    """A row of escaped cells, and a last cell that is HTML already."""
    last = "" if markup is None else f"<{tag}>{markup}</{tag}>"
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + last + "</tr>"


def all_tables(opened: OpenSnapshot) -> Tables:
    infos = []
    for segment, live in zip(opened.segments, opened.live, strict=True):
        widths = np.diff(segment.first_column)
        for number in np.flatnonzero(live).tolist():
            facts = segment.facts(number)
            columns, is_profile = int(widths[number]), bool(facts.published)
            infos.append(
                TableInfo(facts.name, rows_of(facts), columns, facts.format, facts.source, is_profile, facts.hidden)
            )
    return Tables(sorted(infos, key=lambda info: info.name))


def rows_of(facts: Facts) -> int | None:
    """How many rows a table has; of a published profile, as its owner says, or None."""
    return facts.published.get("rows") if facts.published else facts.rows


def find_rows(opened: OpenSnapshot, name: str) -> tuple[Segment, int]:
    """The segment and number of a live table that has rows in this lake."""
    segment, number = find_table(opened, name)
    if segment.profile_only[number]:
        raise _profile_only_error(segment.facts(number))
    return segment, number


def _profile_only_error(facts: Facts) -> ProfileOnly:
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
    raise NoSuchTable(f"no table '{name}' among {plural(len(names), 'table')}", _did_you_mean(name, names))


def _did_you_mean(name: str, names: list[str]) -> str:
    """The remedy for a wrong name: tables whose name differs by a few letters, or starts so.

    Folders and extensions are left out of the comparison, since unrelated tables share them; they decide the order.
    """
    from rapidfuzz import fuzz, process  # imported only for a wrong name
    from rapidfuzz.distance import OSA

    wanted, with_member = _stem(name, "#" in name), "#" in name
    stems = {full_name: _stem(full_name, with_member) for full_name in names[:_MOST_COMPARED]}
    edits = 1 + len(wanted) // _LETTERS_PER_EDIT if len(wanted) > 2 else 0
    near = process.extract(wanted, stems, scorer=OSA.distance, limit=None, score_cutoff=edits)
    ranks = {
        full_name: float(distance) for stem, distance, full_name in near if distance <= 1 or stem[:2] == wanted[:2]
    }
    if len(wanted) >= _LEAST_START:
        ranks = {full_name: edits + 1.0 for full_name, stem in stems.items() if stem.startswith(wanted)} | ranks
    if not ranks:
        return "Lake.tables lists the names"
    order = sorted(ranks, key=lambda full_name: (ranks[full_name], -fuzz.ratio(name, full_name), full_name))
    return f"did you mean {' or '.join(order[:3])}?"


def _stem(name: str, with_member: bool) -> str:
    """The name of a table's file without folders and extensions, in lower case; with its member if that is compared."""
    file, mark, member = name.partition("#")
    stem = file.rpartition("/")[2].lower().lstrip(".")
    return (stem.partition(".")[0] or stem) + (mark + member.lower() if with_member else "")
