"""The paper's algorithms, and one more, by name: exact like the default, compiled, for comparison and for cold rows.

    mate      Algorithm 1: start from the key's column with the fewest values, tables in the order of their rows with
              such a value, both table filters, super keys to dismiss rows, then the cells of the rows that are left
    scr       the same without super keys: single-column retrieval
    mcr       only rows that hold a value of every column of the key, by row lists alone: multi-column retrieval
    rarest    every key starts from its rarest value and looks at the other values' columns in the same table

    by_rows   mate, scr, mcr        rarest   the last one        pairs    what both share: mappings as numbers

They are there to be compared with, and cannot be interrupted.  All of them look at rows without knowing the mapping: a
row that holds a key adds it to every mapping that fits, and the best mapping is taken at the table's end (equation 2).
Where a table has too many mappings, its best one is found by the descent.

Departs from Algorithm 1: rows checked and rows matched are counted (it forgets to), a table is dropped only if another
is strictly better, so that ties go by name, and distinct keys are counted, not rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mere.indexes.composite.evidence import key_bits
from mere.indexes.composite.kernels import context_of
from mere.indexes.composite.matches import TableMatch, Wanted, matches_in
from mere.indexes.composite.modes.by_rows import WAYS, Way, tables_by_rows
from mere.indexes.composite.modes.pairs import Keys
from mere.indexes.composite.modes.rarest import tables_by_rarest
from mere.indexes.composite.plan import Question
from mere.indexes.composite.row_super_keys import no_super_keys, super_keys_of
from mere.indexes.kind import Part


def best_tables(mode: str, part: Part, question: Question, ids: np.ndarray, wanted: Wanted) -> Iterator[TableMatch]:
    """The tables wanted, found by a mode."""
    context, _ = context_of(part, question, ids, wanted)
    keys = keys_of(question, ids)
    if mode == "rarest":
        yield from matches_in(tables_by_rarest(keys, wanted, context))
    else:
        super_keys = super_keys_of(part) if mode == "mate" else no_super_keys(part)
        yield from matches_in(tables_by_rows(Way(WAYS[mode], super_keys), keys, wanted, context))


def keys_of(question: Question, ids: np.ndarray) -> Keys:
    """The question's keys, grouped by their value in the column with the fewest values."""
    paths, starts = question.paths(), question.tree.starts
    first = int(np.argmin(np.diff(starts)))
    grouped = np.argsort(paths[:, first], kind="stable")
    edges = np.searchsorted(paths[grouped, first], np.arange(starts[first + 1] - starts[first] + 1))
    return Keys(ids[starts[:-1] + paths.astype(np.int64)], key_bits(question, paths), first, grouped, edges)
