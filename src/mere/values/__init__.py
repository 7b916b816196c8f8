"""What is the value of a cell, its type, its hash?

`VERSION` counts the rules: forms of values, numbers, dates, nulls, hashes.  A lake records it (`search/rules.py`); a
change of what any cell becomes raises it, or lakes are asked with other values than they hold, and find nothing.
`tests/values/test_version.py` notices.
"""

from mere.values.codes import codes_among
from mere.values.compared import Form, compared_forms, usual_numbers, written_numbers
from mere.values.conventions import NUMBER_SHARE, Evidence, Known, Readings, decide, decimal_commas, evidence_of
from mere.values.dates import parse_dates, spelled_moment
from mere.values.day_orders import DAY_FIRST, MONTH_FIRST, day_order, has_open_dates
from mere.values.hashing import check_hashes, hash_values, mix, string_buffers
from mere.values.normalise import canonical_numbers, fold, normalise, normalise_cell
from mere.values.spelled import Spelled, classify, plain_numbers
from mere.values.tuples import (
    ROW_HASHES_VERSION,
    cell_terms,
    column_key,
    column_keys,
    key_hashes,
    row_hashes,
    value_terms,
)  # fmt: skip
from mere.values.typed import Typed, typed_values
from mere.values.types import Inferred, Type, infer, infer_types, numeric_values, parse_numbers, per_column
from mere.values.written import Written, read_number

VERSION = 2  # 1: all rules before lakes recorded them

__all__ = [
    "DAY_FIRST",
    "MONTH_FIRST",
    "NUMBER_SHARE",
    "ROW_HASHES_VERSION",
    "Evidence",
    "Form",
    "Inferred",
    "Known",
    "Readings",
    "Spelled",
    "Type",
    "Typed",
    "Written",
    "canonical_numbers",
    "cell_terms",
    "check_hashes",
    "classify",
    "codes_among",
    "column_key",
    "column_keys",
    "compared_forms",
    "day_order",
    "decide",
    "decimal_commas",
    "evidence_of",
    "fold",
    "has_open_dates",
    "hash_values",
    "infer",
    "infer_types",
    "key_hashes",
    "mix",
    "normalise",
    "normalise_cell",
    "numeric_values",
    "parse_dates",
    "parse_numbers",
    "per_column",
    "plain_numbers",
    "read_number",
    "row_hashes",
    "spelled_moment",
    "string_buffers",
    "typed_values",
    "usual_numbers",
    "value_terms",
    "written_numbers",
]
