"""Many small ranges and numbers in one array, against the plain way."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mere.store import stable_order

numbers = st.integers(0, 3) | st.sampled_from([65535, 65536, 65537, 1 << 31, (1 << 32) - 1])


@given(st.lists(numbers, max_size=30), st.sampled_from([np.uint32, np.int64, np.uint64]))
def test_the_stable_order_is_that_of_numpy(drawn, kind):
    array = np.array(drawn, kind)
    assert stable_order(array).tolist() == np.argsort(array, kind="stable").tolist()
