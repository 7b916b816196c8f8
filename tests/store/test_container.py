"""A file of named arrays: what is written is read back, and every damage is reported."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mere.errors import Corrupt
from mere.store import Container, container

arrays = st.dictionaries(
    st.text(min_size=1, max_size=8),
    hnp.arrays(
        st.sampled_from([np.uint8, np.int64, np.float64, np.uint32]),
        hnp.array_shapes(min_dims=1, max_dims=2, min_side=0),
    ),
    max_size=5,
)


@given(arrays, st.dictionaries(st.text(max_size=5), st.integers(0, 9), max_size=3))
@settings(max_examples=100, deadline=None)
def test_arrays_come_back_as_they_were_written(tmp_path_factory, named, meta):
    path = str(tmp_path_factory.mktemp("c") / "a.idx")
    entry = container.write(path, "test", 3, named, meta)
    read = Container(path, "test", 3, entry)
    assert set(read) == set(named) and read.meta == meta
    assert entry == container.entry_of(path) and entry.version == 3
    for name, array in named.items():
        np.testing.assert_array_equal(read[name], array)
        assert read[name].dtype == array.dtype
        assert not read[name].flags.writeable


def test_an_array_in_pieces_is_one_array(tmp_path):
    container.write(str(tmp_path / "a.idx"), "test", 1, {"a": [np.arange(3), np.arange(3, 7)]})
    assert Container(str(tmp_path / "a.idx"), "test", 1)["a"].tolist() == list(range(7))


def test_arrays_start_on_multiples_of_64(tmp_path):
    path = str(tmp_path / "a.idx")
    container.write(path, "test", 1, {"a": np.arange(3, dtype=np.uint8), "b": np.arange(5.0)})
    read = Container(path, "test", 1)
    assert all(read[name].ctypes.data % 64 == 0 for name in read)


def test_every_flipped_byte_is_reported_with_the_name_of_the_file(tmp_path):
    path = tmp_path / "a.idx"
    entry = container.write(str(path), "test", 1, {"a": np.arange(20)})
    content = path.read_bytes()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 0x40
        path.write_bytes(damaged)
        with pytest.raises(Corrupt, match=r"a\.idx"):
            Container(str(path), "test", 1, entry)


def test_every_missing_byte_is_reported_with_the_name_of_the_file(tmp_path):
    path = tmp_path / "a.idx"
    entry = container.write(str(path), "test", 1, {"a": np.arange(20)})
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(Corrupt, match=r"a\.idx"):
            Container(str(path), "test", 1, entry)


def test_a_complete_file_in_the_wrong_place_is_reported(tmp_path):
    entry = container.write(str(tmp_path / "a.idx"), "test", 1, {"a": np.arange(20)})
    container.write(str(tmp_path / "b.idx"), "test", 1, {"a": np.arange(1, 21)})
    with pytest.raises(Corrupt, match=r"b\.idx"):
        Container(str(tmp_path / "b.idx"), "test", 1, entry)
    with pytest.raises(Corrupt, match="holds test version 1, expected other version 2"):
        Container(str(tmp_path / "b.idx"), "other", 2)


def test_a_file_is_never_overwritten(tmp_path):
    container.write(str(tmp_path / "a.idx"), "test", 1, {})
    with pytest.raises(FileExistsError):
        container.write(str(tmp_path / "a.idx"), "test", 1, {})
