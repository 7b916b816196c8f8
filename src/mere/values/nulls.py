"""Which spellings of "nothing" are null in this column?

The empty value always is.  The usual words for it are, unless the column shows that the word is data there:
`na` is Namibia in a column of two-letter codes, and `none` is an answer in a column of short answers that also
says `all`.  The rule looks at the column's distinct values only, so it does not depend on how a table was cut.
"""

from __future__ import annotations

import numpy as np

SPELLINGS = frozenset(
    "na n/a n.a. n.a nan null none nil missing #n/a #na #null! #value! #ref! #div/0! "
    "- -- --- . .. ... ? \\n <na> (null) [null] nul".split()
) | {"not available", "no data", "(blank)"}

_CODE_SHARE = 0.8  # of a column's other values have the spelling's own shape: then it is a code, too
_FEWEST_CODES = 8  # distinct values: fewer show nothing


def data_after_all(spelling: str, lengths: np.ndarray, alphabetic: np.ndarray) -> bool:
    """Whether a null spelling is data in a column whose other distinct values have these byte lengths."""
    if not spelling.isalpha() or len(lengths) < _FEWEST_CODES:
        return False
    same_shape = alphabetic & (lengths == len(spelling))
    return bool(same_shape.mean() >= _CODE_SHARE)
