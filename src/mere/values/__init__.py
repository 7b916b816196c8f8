"""What is the value of a cell, its type, its hash?"""

from mere.values.dates import day_order, parse_dates, spelled_moment
from mere.values.hashing import check_hashes, hash_values, mix, string_buffers
from mere.values.normalise import normalise, normalise_cell
from mere.values.tuples import (
    ROW_HASHES_VERSION,
    cell_terms,
    column_key,
    column_keys,
    key_hashes,
    keyed_terms,
    row_hashes,
)  # fmt: skip
from mere.values.types import Inferred, Type, infer, numeric_columns, parse_numbers, per_column
from mere.values.usual import usual_forms, usual_numbers

__all__ = [
    "ROW_HASHES_VERSION",
    "Inferred",
    "Type",
    "cell_terms",
    "check_hashes",
    "column_key",
    "column_keys",
    "day_order",
    "hash_values",
    "infer",
    "key_hashes",
    "keyed_terms",
    "mix",
    "normalise",
    "normalise_cell",
    "numeric_columns",
    "parse_dates",
    "parse_numbers",
    "per_column",
    "row_hashes",
    "spelled_moment",
    "string_buffers",
    "usual_forms",
    "usual_numbers",
]
