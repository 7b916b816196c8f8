"""Rows decoded from a segment are the values of the rows that were indexed, in their order."""

import hypothesis.strategies as st
import pyarrow as pa
from hypothesis import given, settings

from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.search.catalog import find_table
from mere.segments import OpenSnapshot, code_column
from mere.segments.stored_rows import stored_batches

CELLS = st.none() | st.sampled_from(["AT", "NA", "na", "", " at ", "12.0", "012", "Straße", "NULL", "x" * 300])


@settings(max_examples=25)
@given(st.integers(0, 9).flatmap(lambda rows: st.lists(st.lists(CELLS, min_size=rows, max_size=rows), min_size=1)))
def test_every_row_of_every_column_is_decoded(tmp_path_factory, columns):
    lake = str(tmp_path_factory.mktemp("stored") / "lake")
    arrays = [pa.array(cells, pa.string()) for cells in columns]
    other = pa.table({"also": ["first", "in the segment", None]})
    table = pa.table(arrays, names=[f"c{place}" for place in range(len(arrays))])
    index({"a": other, "b": table}, lake, engine=Inline())
    opened = OpenSnapshot(lake)
    for batch_rows in (1, 4, 1000):
        decoded = pa.Table.from_batches(stored_batches(*find_table(opened, "b"), batch_rows))
        assert decoded.schema == table.schema
        assert [column.to_pylist() for column in decoded.columns] == [values_of(cells) for cells in arrays]


def values_of(cells):
    coded = code_column(cells)
    values = [None, *coded.values.tolist()]
    return [values[code] for code in coded.codes.tolist()]
