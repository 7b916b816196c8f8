"""The fields of dBase records as text columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.readers.as_text import as_text

TYPES = "CNFDLIBYTO+@"  # those that are read
FRACTIONS = "NFBYO"  # those that may have fractions
DAY_ZERO = 2_440_588  # the Julian day of 1970-01-01
TRUE, FALSE = "TtYy", "FfNn"


def text_of(cells: np.ndarray, kind: str, encoding: str) -> pa.Array:
    """A column as text; `cells` has a row of bytes per record."""
    if kind in "IBYTO+@":
        return _binary(np.ascontiguousarray(cells), kind)
    text = pc.utf8_trim(_decoded(np.ascontiguousarray(cells), encoding), " \x00")
    if kind == "D":
        return _dates(text)
    if kind == "L":
        return _logical(text)
    if kind in "NF":  # a number that did not fit is written as asterisks
        return pc.if_else(pc.match_substring_regex(text, r"^[*.]*$"), _none(), text)
    return pc.if_else(pc.equal(text, ""), _none(), text)


def _none() -> pa.Scalar:
    return pa.scalar(None, pa.string())


def _decoded(cells: np.ndarray, encoding: str) -> pa.Array:
    """ASCII is taken as it is; otherwise each cell is decoded."""
    rows, width = cells.shape
    if not rows or cells.max() < 128:
        offsets = np.arange(rows + 1, dtype=np.int32) * width
        return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(cells.tobytes()))
    data = cells.tobytes()
    texts = [data[start : start + width].decode(encoding, "replace") for start in range(0, rows * width, width)]
    return pa.array(texts, pa.string())


def _dates(text: pa.Array) -> pa.Array:
    parts = [pc.utf8_slice_codeunits(text, start, stop) for start, stop in ((0, 4), (4, 6), (6, 8))]
    iso = pc.binary_join_element_wise(*parts, "-")
    return pc.if_else(pc.match_substring_regex(text, r"^\d{8}$"), iso, pc.if_else(pc.equal(text, ""), _none(), text))


def _logical(text: pa.Array) -> pa.Array:
    truth = pc.if_else(pc.is_in(text, pa.array(list(FALSE))), "false", _none())
    return pc.if_else(pc.is_in(text, pa.array(list(TRUE))), "true", truth)


def _binary(cells: np.ndarray, kind: str) -> pa.Array:
    """Numbers and times as FoxPro stores them; a field of another width is shown in hexadecimal digits."""
    width = cells.shape[1]
    if kind in "I+" and width == 4:
        return as_text(pa.array(cells.view("<i4").ravel()))
    if kind in "BO" and width == 8:
        return as_text(pa.array(cells.view("<f8").ravel()))
    if kind == "Y" and width == 8:
        return as_text(pa.array(cells.view("<i8").ravel() / 10_000))
    if kind in "T@" and width == 8:
        return _times(cells)
    return pa.array([row.tobytes().hex() for row in cells], pa.string())


def _times(cells: np.ndarray) -> pa.Array:
    """A Julian day and the milliseconds since midnight; both zero: no time."""
    parts = cells.view("<i4").reshape(-1, 2).astype(np.int64)
    instants = (parts[:, 0] - DAY_ZERO) * 86_400_000 + parts[:, 1]
    return as_text(pa.array(instants, pa.timestamp("ms"), mask=~parts.any(axis=1)))
