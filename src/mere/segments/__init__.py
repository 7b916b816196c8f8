"""What an index is made of: tables, segments, snapshots."""

from mere.segments.axis import axis_values
from mere.segments.build import write_segment
from mere.segments.entries import NamedFile, SegmentEntry, TrainedEntry
from mere.segments.open_snapshot import OpenSnapshot
from mere.segments.plain_numbers import readings_of
from mere.segments.published import histograms_in
from mere.segments.row_blocks import RowBlock, digest, merge
from mere.segments.row_sketch import write_sketches
from mere.segments.segment import SKETCHES, SKETCHES_VERSION, Segment
from mere.segments.snapshot import Snapshot
from mere.segments.summarise import Coded, block_evidence, code_column, summarise, table_dates, table_decimal
from mere.segments.table import Cells, Columns, Facts, Sets, StagedFile, Table, side_by_side, write_staged

__all__ = [
    "SKETCHES",
    "SKETCHES_VERSION",
    "Cells",
    "Coded",
    "Columns",
    "Facts",
    "NamedFile",
    "OpenSnapshot",
    "RowBlock",
    "Segment",
    "SegmentEntry",
    "Sets",
    "Snapshot",
    "StagedFile",
    "Table",
    "TrainedEntry",
    "axis_values",
    "block_evidence",
    "code_column",
    "digest",
    "histograms_in",
    "merge",
    "readings_of",
    "side_by_side",
    "summarise",
    "table_dates",
    "table_decimal",
    "write_segment",
    "write_sketches",
    "write_staged",
]
