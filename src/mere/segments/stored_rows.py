"""What are the rows of a table, as its segment stores them?

Values as they are compared: in lower case, numbers in one form, and so on; the raw spelling is not stored.  For tables
that have no raw file to read again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from mere.segments.segment import Segment
from mere.store import Strings

_BATCH_ROWS = 65_536


def stored_batches(segment: Segment, number: int, batch_rows: int = _BATCH_ROWS) -> Iterator[pa.RecordBatch]:
    """The rows of one table in their order, as text; at least one batch, so that the columns are known."""
    columns = segment.columns_of(number)
    names = segment.column_names[columns.start : columns.stop]
    rows = int(segment.catalog["table.rows"][number])
    for start in range(0, max(rows, 1), batch_rows):
        span = slice(start, min(start + batch_rows, rows))
        yield pa.RecordBatch.from_arrays([_cells(segment, column, span) for column in columns], names=names)


def _cells(segment: Segment, column: int, span: slice) -> pa.Array:
    """Some rows of a column; each distinct value among them is decoded once."""
    used, places = np.unique(segment.codes_of(column)[span], return_inverse=True)
    if len(used) == 0:
        return pa.array([], pa.string())
    nulls = int(used[0] == 0)  # code 0 is null
    ids = segment.set_of(column)[used[nulls:].astype(np.int64) - 1]
    values = segment.dictionary.values.take(ids) if len(ids) else Strings.of([])
    numbers = pa.array(places - nulls, pa.int64(), mask=places < nulls)
    return values.to_arrow().cast(pa.string()).take(numbers)
