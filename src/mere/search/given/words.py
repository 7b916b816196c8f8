"""Which words for a missing value (`NA`) are data in a column that was handed in?

Those that the question or the join names (`keep_words`); and those that the lake shows to be data: a living column has
the word as a value, so its other values are codes like it (`values/nulls.py`), and at least half of the values beside
it here have its form, too.  A column of one row has no others: what the lake shows decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.errors import UsageError
from mere.segments import Coded, OpenSnapshot, Segment
from mere.store import Strings
from mere.values import hash_values, normalise
from mere.values.nulls import SPELLINGS


def checked_words(words: Iterable[str] | str | None) -> frozenset[str]:
    """The words to keep, as values are compared."""
    several = [words] if isinstance(words, str) else list(words or ())
    known = normalise(pa.array([word if isinstance(word, str) else "" for word in several], pa.string())).to_pylist()
    if unknown := [word for word, value in zip(several, known, strict=True) if value not in SPELLINGS]:
        raise UsageError(
            f"'keep_words' must be words for missing values, got {unknown[0]!r}",
            "docs/reading.md lists them, such as keep_words=['NA']",
        )
    return frozenset(known)


def words_of_lake(opened: OpenSnapshot, column: Coded) -> list[str]:
    """The words that were taken for missing in a column, and that columns of the lake show to be data."""
    fitting = [word for word in column.dropped if word.isalpha() and _has_form(column.values, len(word))]
    return [word for word in fitting if _is_value(opened, word)]


def _has_form(values: Strings, length: int) -> bool:
    """Whether at least half of the values are so many letters."""
    texts = values.to_arrow()
    same = np.asarray(pc.utf8_is_alpha(texts)) & (np.asarray(pc.utf8_length(texts)) == length)
    return bool(2 * np.count_nonzero(same) >= len(values))


def _is_value(opened: OpenSnapshot, word: str) -> bool:
    """Whether a column of a living table has the value."""
    texts = pa.array([word], pa.string())
    value, code = Strings.from_arrow(texts), hash_values(texts)
    return any(
        bool(live[_tables_with(segment, int(segment.dictionary.find(value, code)[0]))].any())
        for segment, live in zip(opened.segments, opened.live, strict=True)
    )


def _tables_with(segment: Segment, number: int) -> np.ndarray | Sequence[int]:
    """The tables that have a value, by its id; none if that is -1."""
    if number < 0:
        return []
    places = np.flatnonzero(segment.values["set.ids"] == number)
    return segment.table_of_column[np.searchsorted(segment.values["set.starts"], places, side="right") - 1]
