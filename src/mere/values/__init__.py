"""What a cell is: its value, its type, its hash."""

from mere.values.hashing import hash_values, string_buffers
from mere.values.normalise import normalise, normalise_cell
from mere.values.types import Inferred, Type, infer, per_column

__all__ = [
    "Inferred",
    "Type",
    "hash_values",
    "infer",
    "normalise",
    "normalise_cell",
    "per_column",
    "string_buffers",
]
