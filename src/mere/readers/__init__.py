"""Which tables does a raw file contain, as text, and which faults were found in them?

`VERSION` counts the rules of reading.  A lake records it (`search/rules.py`); a change of what any file is read as
raises it, so that `mere index` reads the files of existing lakes again.  `tests/readers/test_version.py` notices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mere.deferred import deferred

if TYPE_CHECKING:
    from mere.readers.descriptions import Description, describe
    from mere.readers.first_rows import top_of, with_first_row
    from mere.readers.hidden import is_hidden
    from mere.readers.limits import Limits
    from mere.readers.opening import open_profiles, open_tables, reopen
    from mere.readers.partitions import columns_with_values, values_of_object, with_values
    from mere.readers.profiles import lies_beside
    from mere.readers.sidecars import is_sidecar, may_be_profile, sidecars_of
    from mere.readers.splits import ChunkScan, Span, plan_spans, read_span, scan_chunk, sniff_splittable
    from mere.readers.table import RawTable, concatenated

VERSION = 2  # 1: all rules before lakes recorded them

__all__ = [
    "ChunkScan",
    "Description",
    "Limits",
    "RawTable",
    "Span",
    "columns_with_values",
    "concatenated",
    "describe",
    "is_hidden",
    "is_sidecar",
    "lies_beside",
    "may_be_profile",
    "open_profiles",
    "open_tables",
    "plan_spans",
    "read_span",
    "reopen",
    "scan_chunk",
    "sidecars_of",
    "sniff_splittable",
    "top_of",
    "values_of_object",
    "with_first_row",
    "with_values",
]

_HOMES = {
    "descriptions": ("Description", "describe"),
    "first_rows": ("top_of", "with_first_row"),
    "hidden": ("is_hidden",),
    "limits": ("Limits",),
    "opening": ("open_profiles", "open_tables", "reopen"),
    "partitions": ("columns_with_values", "values_of_object", "with_values"),
    "profiles": ("lies_beside",),
    "sidecars": ("is_sidecar", "may_be_profile", "sidecars_of"),
    "splits": ("ChunkScan", "Span", "plan_spans", "read_span", "scan_chunk", "sniff_splittable"),
    "table": ("RawTable", "concatenated"),
}
__getattr__ = deferred(__name__, _HOMES)
