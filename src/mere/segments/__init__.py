"""What an index is made of: tables, segments, snapshots."""

from mere.segments.axis import axis_values
from mere.segments.build import write_segment
from mere.segments.published import histograms_in
from mere.segments.segment import Segment
from mere.segments.snapshot import OpenSnapshot, Snapshot
from mere.segments.summarise import Coded, Part, code_column, digest, merge, summarise
from mere.segments.table import Cells, Columns, Facts, Sets, StagedFile, Table, side_by_side, write_staged

__all__ = [
    "Cells",
    "Coded",
    "Columns",
    "Facts",
    "OpenSnapshot",
    "Part",
    "Segment",
    "Sets",
    "Snapshot",
    "StagedFile",
    "Table",
    "axis_values",
    "code_column",
    "digest",
    "histograms_in",
    "merge",
    "side_by_side",
    "summarise",
    "write_segment",
    "write_staged",
]
