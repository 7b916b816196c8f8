"""Which columns are compared, and which columns of the base only number its rows?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mere.bundles.relation import Column, Relation
from mere.errors import UsageError
from mere.search.assembling.inputs import Table
from mere.search.given import only_column, split_names
from mere.values import Type, column_key

_NUMBERED_ROWS = 20  # of a column of integers that differ: fewer may differ by chance
_ID_ENDINGS = ("id", "uuid", "guid", "key", "index", "rowno", "rownumber", "recordno", "unnamed0")


def compared_columns(base: Table, exclude: Any) -> list[str]:
    """The columns of the base without those that are excluded; several may be in one text, separated by commas."""
    excluded = [exclude] if isinstance(exclude, str) else () if exclude is None else exclude
    if not isinstance(excluded, Sequence) or not all(isinstance(name, str) for name in excluded):
        raise UsageError(f"expected names of columns, got exclude={exclude!r}", "exclude=['id'], for example")
    if not base.columns:
        raise UsageError(f"the base '{base.name}' has no columns", "give a table with named columns")
    names = [name for text in excluded for name in split_names(text, list(base.columns))]
    left_out = {only_column(list(base.columns), name, f"the base '{base.name}'") for name in names}
    kept = [name for name in base.columns if name not in left_out]
    if not kept:
        raise UsageError("all columns of the base are excluded", "leave out fewer with exclude=")
    return kept


def numbering_note(base: Relation) -> list[str]:
    """A note on columns that differ in every row and look as if they only number the rows."""
    pairs = zip(base.schema.names, base.schema.types, base.columns, strict=True)
    names = [name for name, type_, column in pairs if column is not None and _numbers_rows(name, type_, column)]
    if not names or len(names) == len(base.schema.names):
        return []
    several = len(names) > 1
    listed = ", ".join(f"'{name}'" for name in names)
    return [
        f"{listed} differ{'' if several else 's'} in every row of the base, so no two rows are equal; leave "
        f"{'them' if several else 'it'} out with exclude={names!r} if {'they' if several else 'it'} only "
        f"number{'' if several else 's'} the rows"
    ]


def _numbers_rows(name: str, type_: Type, column: Column) -> bool:
    rows = len(column.codes)
    if rows < 2 or len(column.values) != rows or not np.all(column.codes):
        return False
    return column_key(name).endswith(_ID_ENDINGS) or (type_ is Type.INTEGER and rows >= _NUMBERED_ROWS)
