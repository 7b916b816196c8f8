"""Which values are codes, such as abkh1244?  Of two codes it says nothing that they are spelled alike."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_PART = r"(\S*\p{Nd}\S*|\S{1,3})"  # of a code: it has a digit, or is a letter or three
_LETTERS = r"^[a-z]{1,11}$"  # a code without digits; of banks they have 8 or 11
_FEWEST = 8  # of fewer values the same length is no evidence of a form
_SAME = 0.9  # of the values


def codes_among(values: pa.Array) -> np.ndarray:
    """Which distinct values of a column are codes: they have digits, and no words beside them; or they are letters, of
    one length in nearly the whole column.

    >>> codes_among(pa.array(["abkh1244", "sw1a 1aa", "007", "vienna", "boeing 737"])).tolist()
    [True, True, True, False, False]
    """
    lengths = np.asarray(pc.binary_length(values))
    codes = _match(values, f"^{_PART}( {_PART})*$") & _match(values, r"\p{Nd}")
    letters = _match(values, _LETTERS) & (lengths == np.bincount(lengths, minlength=1).argmax())
    return codes | letters if letters.sum() >= max(_SAME * len(values), _FEWEST) else codes


def _match(texts: pa.Array, pattern: str) -> np.ndarray:
    return np.asarray(pc.match_substring_regex(texts, pattern))
