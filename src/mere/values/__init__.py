"""What a cell is: its value, its type, its hash."""

from mere.values.hashing import hash_values, mix, string_buffers
from mere.values.normalise import normalise, normalise_cell
from mere.values.types import Inferred, Type, infer, numeric_columns, per_column

__all__ = [
    "Inferred",
    "Type",
    "hash_values",
    "infer",
    "mix",
    "normalise",
    "normalise_cell",
    "numeric_columns",
    "per_column",
    "string_buffers",
]
