"""How many rows hold a value: one byte for most, and the same answers where that is not enough."""

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.segments import Facts, Segment, digest, summarise, write_segment
from mere.segments.build import MANY
from tests.kinds.harness import folder

repeats = st.sampled_from([1, 2, MANY - 1, MANY, MANY + 1, 700])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(repeats, max_size=4), min_size=1, max_size=3))
def test_counts_are_those_of_the_rows(lake):
    tables = [
        pa.table({"a": pa.array([f"v{i}" for i, n in enumerate(counts) for _ in range(n)], pa.string())})
        for counts in lake
    ]
    with folder() as path:
        summaries = summarise([Facts(f"t{i}", "s", f"t{i}") for i in range(len(lake))], digest(tables))
        segment = Segment(path, write_segment(path, summaries))
        expected = [np.bincount(segment.codes_of(c), minlength=1)[1:] for c in range(segment.column_count)]
        flat = np.concatenate(expected)
        for column, counts in enumerate(expected):
            assert segment.counts_of(column).tolist() == counts.tolist()
            assert segment.table(column).sets.counts.tolist() == counts.tolist()
        assert segment.counts_between(0, len(flat)).tolist() == flat.tolist()
        assert segment.counts_at(np.arange(len(flat))[::-1]).tolist() == flat[::-1].tolist()
        assert segment.values["set.counts"].dtype == np.uint8
