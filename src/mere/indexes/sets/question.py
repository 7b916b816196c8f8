"""What does a question about one column ask: which distinct values, and how many rows hold each?

The cells of a query are treated as the cells of a lake: normalised, spellings of null left out unless the column shows
that they are data, typed by the same rule.  So a column asks for exactly the values it would have if it were indexed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from mere.compiled import read_only
from mere.errors import QueryError
from mere.indexes.declare import Parameter, Setting
from mere.indexes.inputs import NOWHERE, Distinct, Inputs, Origin
from mere.ranking.mine import quantiles_of
from mere.segments import code_column
from mere.store import Strings

COINCIDENCE = "integers occur in unrelated columns; a match of numbers alone may be a coincidence"

TIES = ("likely", "keys", "name")  # what breaks a tie of scores
VALUES = Parameter(
    "values",
    "a list, a pandas, polars or Arrow column; or a frame, a file or a table of the lake with `on`",
)
ON = Parameter("on", "the column of what was given")
NUMBERS = Parameter(
    "numbers", "whether columns of numbers may answer; by default, if the values are numbers", type=bool,
    flags="--numbers/--no-numbers",
)  # fmt: skip
TABLE = Parameter("table", "the only table to look at")
TIE_BREAK = Parameter(
    "ties", "which of two equal scores comes first: the more 'likely' join, by names, keys and ranges (`mere.ranking`);"
    " columns that look like 'keys' (few rows per value); or by 'name'",
    default="likely", choices=TIES, flags="--ties",
)  # fmt: skip
JOIN_NUMBERS = Setting(
    "join_numbers", True, "index columns of numbers for joins on one column", flag="--numbers/--no-numbers"
)


@dataclass(frozen=True, eq=False)
class Question:
    """A column as a set: its distinct values in the order of (hash, bytes), and the rows that hold each."""

    values: Strings
    hashes: np.ndarray
    counts: np.ndarray
    numbers: bool  # whether columns of numbers may answer

    def __len__(self) -> int:
        return len(self.hashes)

    @staticmethod
    def of(probe: Mapping[str, Any]) -> Question:
        """The question of a probe; read-only, as it is in another process, so that kernels are compiled once."""
        values = Strings(read_only(probe["value.offsets"]), read_only(probe["value.data"]))
        return Question(values, read_only(probe["hashes"]), probe["counts"], probe["numbers"])


def column_query(given: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """The query of a question about one column; a table of the lake does not answer a question of its own."""
    column = inputs.column(given["values"], given["on"])
    return {
        **given,
        "values": column.cells,
        "on": column.name,
        "skip": column.table,
        "table": inputs.table(given["table"], with_rows=True),
        "notes": list(column.notes),
        "origin": column.origin,
    }


def probe_of(query: Mapping[str, Any]) -> dict[str, Any]:
    """The probe of a question about one column.

    `values` are cells (a sequence of strings, or an Arrow array of them) or `Distinct`; `on` is what the column is
    called where it comes from; `numbers` says whether columns of numbers may answer (None: if the values are numbers
    themselves); `table` and `skip` name the only table that may answer, or one that may not; `ties` says which of two
    equal scores comes first; `k` and `per` are the same for every kind.
    """
    values, hashes, counts, numeric, dropped, unsure = distinct_of(query["values"])
    wanted = query.get("numbers")
    notes = list(query.get("notes") or [])
    if len(hashes) == 0:
        notes.append("the query column has no values: all its cells are null")
    if dropped:
        notes.append(f"read as missing: {', '.join(repr(spelling) for spelling in sorted(dropped))}")
    if numeric and wanted is None:
        notes.append(COINCIDENCE)
    return {
        **values.arrays("value"),
        "hashes": hashes,
        "counts": counts,
        "numbers": numeric if wanted is None else bool(wanted),
        "unsure": unsure,
        "table": query.get("table"),
        "skip": query.get("skip"),
        "ties": _ties(query.get("ties")),
        "on": query.get("on"),
        **fields_of(query.get("origin") or NOWHERE, values, numeric),
        "k": int(query.get("k", 10)),
        "per": query.get("per", "table"),
        "notes": notes,
    }


def fields_of(origin: Origin, values: Strings, numeric: bool) -> dict[str, Any]:
    """What `ranking.Mine` needs of my column besides its values."""
    table, headers = origin
    return {"my_table": table, "my_headers": list(headers), "my_quantiles": quantiles_of(values, numeric)}


def _ties(ties: Any) -> str:
    if ties not in (None, *TIES):
        raise QueryError(f"'ties' must be one of {', '.join(TIES)}, got {ties!r}", "leave it out for 'likely'")
    return ties or "likely"


def distinct_of(given: Any) -> Distinct:
    """The distinct values of a column of cells."""
    if isinstance(given, Distinct):
        return given
    column = code_column(cells_of(given))
    dropped = tuple(column.dropped)
    return Distinct(column.values, column.hashes, column.counts(), column.numeric, dropped, column.unsure)


def cells_of(values: Any) -> pa.Array:
    """Cells of any type as an Arrow array of text."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.Array):
        return values if pa.types.is_string(values.type) else values.cast(pa.string())
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise QueryError(f"'values' must be a column of cells, got {values!r}", "give a list, or an Arrow array")
    try:
        return pa.array([None if cell is None else str(cell) for cell in values], pa.string())
    except UnicodeEncodeError as error:
        raise QueryError(f"a value is not valid Unicode: {error}", "decode the column first") from error


def checked_threshold(threshold: Any) -> float:
    """The least share of the query's values that a hit must have."""
    number = isinstance(threshold, int | float | np.integer | np.floating) and not isinstance(threshold, bool)
    if not number or not 0 < threshold <= 1:
        raise QueryError(f"'threshold' must be above 0 and at most 1, got {threshold!r}", "0.6 is 60 % of the values")
    return float(threshold)


def least_overlap(share: float, size: int) -> int:
    """The smallest overlap, not 0, that is at least this share of the query.

    >>> least_overlap(0.6, 5), least_overlap(0.5, 5), least_overlap(0.0, 5)
    (3, 3, 1)
    """
    least = max(1, math.ceil(share * size))
    if least > 1 and (least - 1) / size >= share:  # the product was rounded up
        return least - 1
    return least + 1 if size and least / size < share else least
