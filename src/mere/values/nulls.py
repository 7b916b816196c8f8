"""Which spellings of a missing value are null in a column?

The empty value always is.  The usual words are, unless the other values of the column show that the word is data:
`na` is Namibia in a column of two-letter codes, and `none` is an answer in a column of short answers with `most`.
The rule depends on the column's distinct values only, and so not on how a table was divided.

A dash beside a currency (`$ -`) is null like the dash alone: spreadsheets write it for zero, people for what they do
not know.  So is `:`, Eurostat's missing value, also with one of its flags (`: c`, confidential)
behind a blank; `:p` is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.values.units import CURRENCIES

FLAGS = "bcdefnprsuz"  # of Eurostat, behind a number or a colon
SPELLINGS = frozenset(
    [
        "na",
        "n/a",
        "n.a.",
        "n.a",
        "nan",
        "null",
        "none",
        "nil",
        "missing",
        "#n/a",
        "#na",
        "#null!",
        "#value!",
        "#ref!",
        "#div/0!",
        "-",
        "--",
        "---",
        "\u2013",
        "\u2014",
        ".",
        "..",
        "...",
        "?",
        "\\n",
        "<na>",
        "(null)",
        "[null]",
        "nul",
        "not available",
        "no data",
        "(blank)",
        ":",
        *(f": {flag}" for flag in FLAGS),
        *(f"{unit} -" for unit in CURRENCIES),
        *(f"- {unit}" for unit in CURRENCIES),
        *(f"{unit}-" for unit in CURRENCIES if not unit[-1].isalpha()),
    ]
)

_CODE_SHARE = (
    0.8  # of a column's other values have the length of the spelling, and letters only: then it is data, too...
)
_MANY = 8  # ...if there are so many others; if there are fewer, all of them must...
_FEWEST = 3  # ...and fewer than this are not enough


@cache
def null_spellings() -> pa.Array:
    """The spellings as an Arrow array; made when it is needed, because pyarrow then imports pandas."""
    return pa.array(sorted(SPELLINGS), pa.string())


def is_data(spelling: str, lengths: np.ndarray, values: Callable[[], pa.Array]) -> bool:
    """Whether a null spelling is data in a column whose distinct values, itself included, have these lengths.

    The values themselves are computed only if the lengths do not decide.
    """
    others = len(lengths) - 1
    needed = others if others < _MANY else _CODE_SHARE * others
    same_length = lengths == len(spelling)
    if not spelling.isalpha() or others < _FEWEST or np.count_nonzero(same_length) - 1 < needed:
        return False
    same_shape = same_length & np.asarray(pc.utf8_is_alpha(values()))
    return bool(np.count_nonzero(same_shape) - 1 >= needed)
