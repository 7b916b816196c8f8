"""Which rows does a bundle have, as they are spelled in their tables?

The rows of the base come first, then those of the chosen tables in their order; of equal rows the first is kept.  Rows
are equal if both of their 64-bit hashes are: the same notion by which they were counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa

from mere.bundles.exact_rows import equal_rows, wanted_rows
from mere.bundles.filters import Filters
from mere.bundles.schema import Schema
from mere.errors import LakeError
from mere.search.assembling.inputs import Member
from mere.search.assembling.united import of_one_type, united
from mere.search.joining import take_rows
from mere.search.typed_rows import warn_of_losses

PROVENANCE = "table"


def union_of_rows(
    members: Sequence[Member], schema: Schema, filters: Filters, limit: int | None, raw: bool = False
) -> pa.Table:
    """The distinct rows that meet the filters, at most `limit`, with the name of the table that each was found in.

    Columns have their types if all tables fit the type of the first; otherwise, and with `raw`, they are as spelled.
    """
    kept = _distinct_rows(members, schema, filters, limit)
    shown = [(member, rows) for member, rows in zip(members, kept, strict=True) if len(rows)]
    spelled = cache(lambda: [_cells(member, schema, rows, raw=True) for member, rows in shown])
    parts = spelled() if raw else [_cells(member, schema, rows, raw=False) for member, rows in shown]
    owners = [
        pa.array([member.table.name] * len(rows), pa.string()) for member, rows in zip(members, kept, strict=True)
    ]
    frame = members[0].table.given is not None
    columns = []
    for place in range(len(schema.names)):
        column = of_one_type([part[place] for part in parts], widen=not frame)
        columns.append(united([part[place] for part in spelled()]) if column is None else column)
    provenance = pa.chunked_array(owners, pa.string())
    return pa.table([*columns, provenance], names=[*schema.names, provenance_name(schema.names)])


def provenance_name(names: Sequence[str]) -> str:
    """What the column with the tables' names is called: `table`, unless the base has such a column.

    >>> provenance_name(["a"]), provenance_name(["Table", "a"])
    ('table', 'table_2')
    """
    used = {name.casefold() for name in names}
    numbered = (f"{PROVENANCE}_{number}" for number in range(2, len(used) + 3))
    return next(name for name in (PROVENANCE, *numbered) if name not in used)


def _distinct_rows(
    members: Sequence[Member], schema: Schema, filters: Filters, limit: int | None
) -> list[np.ndarray]:  # fmt: skip
    """The numbers of the rows that are kept of each table, ascending."""
    wanted = [wanted_rows(member.relation(schema), filters) for member in members]
    rows = [numbers for _, _, numbers in wanted]
    order, new = equal_rows(*(np.concatenate([each[side] for each in wanted]) for side in (0, 1)))
    kept = np.sort(np.minimum.reduceat(order, np.flatnonzero(new)) if len(order) else order)[:limit]
    ends = np.cumsum([len(numbers) for numbers in rows])
    cuts = np.searchsorted(kept, ends)
    starts = [0, *cuts[:-1].tolist()]
    return [numbers[kept[a:b] - (end - len(numbers))]
            for numbers, a, b, end in zip(rows, starts, cuts.tolist(), ends.tolist(), strict=True)]  # fmt: skip


def _cells(member: Member, schema: Schema, rows: np.ndarray, raw: bool) -> list[pa.ChunkedArray]:
    """The cells of some rows in the columns of the schema; null in a column that is lacking."""
    cells = warn_of_losses(member.table.rows_read(raw), stacklevel=5)
    if cells.num_rows != member.table.rows:
        raise LakeError(
            f"'{member.table.name}' had {member.table.rows:,} rows and now has {cells.num_rows:,}",
            "bring the lake up to date with 'mere index'",
        )
    places = schema.places(cells.column_names)
    taken = iter(take_rows(cells.select([place for place in places if place is not None]), rows).columns)
    return [pa.chunked_array([pa.nulls(len(rows))]) if place is None else next(taken) for place in places]
