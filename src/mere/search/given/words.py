"""Which words for a missing value (`NA`) are data in a column that was handed in?

Those that the question or the join names (`keep_words`); and those that the other side shows to be data: a column of it
has the word as a value, so its other values are codes like it (`values/nulls.py`), and at least half of the values
beside it here have its form, too.  A column of one row has no others: what the other side shows decides.

The other side is the table that a question names, else every living table of the lake.  Joins have no need to name one:
a word that their table lacks joins with nothing, but by the pairs of a question, which has read it as a value.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.errors import UsageError
from mere.search.catalog import find_table
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


def words_of_lake(opened: OpenSnapshot, column: Coded, table: str | None) -> list[str]:
    """The words that were taken for missing in a column, and that the lake, or this table of it, shows to be data."""
    fitting = [word for word in column.dropped if word.isalpha() and _has_form(column.values, len(word))]
    return [word for word in fitting if _is_value(opened, word, table)]


def _has_form(values: Strings, length: int) -> bool:
    """Whether at least half of the values are so many letters."""
    texts = values.to_arrow()
    same = np.asarray(pc.utf8_is_alpha(texts)) & (np.asarray(pc.utf8_length(texts)) == length)
    return bool(2 * np.count_nonzero(same) >= len(values))


def _is_value(opened: OpenSnapshot, word: str, table: str | None) -> bool:
    """Whether a column of a living table, or of this one, has the value."""
    texts = pa.array([word], pa.string())
    value, code = Strings.from_arrow(texts), hash_values(texts)
    deciding = zip(opened.segments, opened.live, strict=True) if table is None else [_only(opened, table)]
    return any(
        bool(tables[segment.tables_with(int(segment.dictionary.find(value, code)[0]))].any())
        for segment, tables in deciding
    )


def _only(opened: OpenSnapshot, table: str) -> tuple[Segment, np.ndarray]:
    """The segment of a table, and which of its tables this one is."""
    segment, number = find_table(opened, table)
    return segment, np.arange(segment.table_count) == number
