"""The slow answer: count the columns of every table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import Hit
from mere.segments import Table


def brute(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any]) -> list[Hit]:
    widths = {table.facts.name: len(table.columns.names) // settings.get("wide_unit", 1) for table in tables}
    wide = [(-width, name) for name, width in widths.items() if width >= query["columns"]]
    hits = [Hit(name, (), float(-width), True, {"width": -width}) for width, name in sorted(wide)]
    return hits[: query["k"] or None]
