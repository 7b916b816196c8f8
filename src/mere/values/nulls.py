"""Which spellings of "nothing" are null in this column?

The empty value always is.  The usual words for it are, unless the column shows that the word is data there:
`na` is Namibia in a column of two-letter codes, and `none` is an answer in a column of short answers that also
says `all`.  The rule looks at the column's distinct values only, so it does not depend on how a table was cut.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
        ".",
        "..",
        "...",
        "?",
        "\\n",
        "<na>",
        "(null)",
        "[null]",
        "nul",
    ]
) | {"not available", "no data", "(blank)"}

_CODE_SHARE = 0.8  # of a column's other values have the spelling's own shape: then it is a code, too...
_MANY = 8  # ...if there are so many others; among fewer, all of them must have it...
_FEWEST = 3  # ...and fewer than this show nothing


def data_after_all(spelling: str, lengths: np.ndarray, values: Callable[[], pa.Array]) -> bool:
    """Whether a null spelling is data in a column whose distinct values, itself included, have these lengths.

    The values themselves are asked for only if the lengths leave it open.
    """
    others = len(lengths) - 1
    needed = others if others < _MANY else _CODE_SHARE * others
    same_length = lengths == len(spelling)
    if not spelling.isalpha() or others < _FEWEST or np.count_nonzero(same_length) - 1 < needed:
        return False
    same_shape = same_length & np.asarray(pc.utf8_is_alpha(values()))
    return bool(np.count_nonzero(same_shape) - 1 >= needed)
