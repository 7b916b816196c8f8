"""On which of my columns is a join tried, if none is named?

On all but measurements (numbers with fractions), empty columns and prose.  Of a wide or long table on as many as can be
looked up in a moment, those first that look like keys: by header, then text and dates before integers, from the left.
What was left out is said in a note.  A column that seems empty is tried if the other table is named: that may show that
`NA` is data.
"""

from __future__ import annotations

import numpy as np

from mere.ranking.names import GENERIC, all_words
from mere.search.given import WholeTable
from mere.values import Type

MOST = 40  # columns
CELLS = 20_000_000  # that are read and coded: a few seconds
_LEAST = 8  # columns of however long a table
_LONGEST = 60  # characters on average: longer text is prose
_ORDER = {Type.TEXT: 0, Type.DATETIME: 1, Type.INTEGER: 2, Type.BOOLEAN: 3, Type.EMPTY: 4}
_KEY_WORDS = GENERIC - {"column"} | {"fips", "iso", "sku", "symbol", "ticker", "zip"}


def chosen_columns(mine: WholeTable, is_named: bool) -> tuple[list[int], list[str]]:
    """The places of the columns to try, ascending, and a note on those that are left out."""
    types, lengths = mine.described()
    repeated = sorted({name for name in mine.names if mine.names.count(name) > 1})
    notes = [f"several columns are called '{name}', and were not tried; rename them" for name in repeated]
    usable = [
        place
        for place, (type_, length) in enumerate(zip(types, lengths, strict=True))
        if type_ in _ORDER
        and (is_named or type_ != Type.EMPTY)
        and length <= _LONGEST
        and mine.names[place] not in repeated
    ]
    most = MOST if mine.stored else int(np.clip(CELLS // max(mine.rows, 1), _LEAST, MOST))
    if len(usable) <= most:
        return usable, notes
    ranked = sorted(usable, key=lambda place: (not _named_like_a_key(mine.names[place]), _ORDER[types[place]], place))
    left_out = len(usable) - most
    note = f"{left_out:,} of {len(mine.names):,} columns were not tried; name others with on='COLUMN'"
    return sorted(ranked[:most]), [*notes, note]


def _named_like_a_key(header: str) -> bool:
    return not _KEY_WORDS.isdisjoint(all_words(header))
