"""Why does a table answer: which keys, in which columns, in how many rows, and what would a join do?

matched_keys  distinct keys of the question in the table      share     of the question's keys
mapping       the table's column for each of the question's   rows      rows of the table that hold a matched key
fan_out       as for joins on one column                      matched, unmatched    a few keys, as lists of values
checked       rows that hold a value of the key's most distinct column, in the column it is mapped to
pruned        of these, the rows whose super key says without a look at them that they hold none of the keys
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.composite.plain import Agreeing, Descent
from mere.indexes.composite.question import Question
from mere.indexes.kind import Part
from mere.indexes.sets.evidence import EXAMPLES, column_of, fan_out
from mere.store import compiled, offsets_of, places_of

_PAIRS = 1 << 18  # of rows and keys, tested together


def with_evidence(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits, each with its evidence."""
    question = Question.of(probe)
    ids = part.segment.dictionary.find(question.values, question.hashes)
    descent, paths = Descent(part, question, ids), question.paths()
    keys = key_bits(question, paths)
    return [replace(hit, evidence=_evidence(part, descent, paths, keys, probe["on"], hit)) for hit in hits]


def _evidence(
    part: Part, descent: Descent, paths: np.ndarray, keys: np.ndarray, on: list[str] | None, hit: Hit
) -> dict[str, Any]:
    question = descent.question
    columns = [column_of(part.segment, hit.table, column) for column in hit.columns]
    by_level = [columns[place] for place in question.levels]
    started = descent.enter(descent.candidate(0, by_level[0]))
    agreeing = started
    for level, column in enumerate(by_level[1:], 1):
        agreeing = descent.extend(descent.candidate(level, column), agreeing)
    rows = np.bincount(agreeing.nodes - (len(question.tree.values) - len(question)), minlength=len(question))
    matched = np.flatnonzero(rows)
    names = [str(place + 1) for place in range(len(columns))] if on is None else on
    return {
        "matched_keys": len(matched),
        "share": len(matched) / len(question),
        "rows": len(agreeing.rows),
        "mapping": dict(zip(names, hit.columns, strict=True)),
        "fan_out": fan_out(question.counts[matched], rows[matched]),
        "checked": len(started.rows),
        "pruned": len(started.rows) - _passing(part, hit.table, question, keys, started),
        "matched": _examples(question, paths, matched),
        "unmatched": _examples(question, paths, np.flatnonzero(rows == 0)),
        **({} if on is None else {"on": on}),
    }


def key_bits(question: Question, paths: np.ndarray) -> np.ndarray:
    """The bits of each key: those of all its values."""
    bits = np.zeros((len(question), question.patterns.shape[1]), np.uint64)
    for level in range(paths.shape[1]):
        bits |= question.patterns[question.tree.starts[level] + paths[:, level]]
    return bits


def _passing(part: Part, table: str, question: Question, keys: np.ndarray, started: Agreeing) -> int:
    """How many of the rows have a super key that covers one of the keys below their node."""
    number = bisect_left(part.segment.names, table)
    first = int(part.segment.catalog["table.rows"][:number].sum())
    theirs = part.arrays["super.keys"]
    ends = offsets_of(question.tree.keys[1 : 1 + question.tree.starts[1]])
    lows, counts = ends[started.nodes - 1], np.diff(ends)[started.nodes - 1]
    if compiled.ready():
        from mere.indexes.composite.kernels import covering_rows

        return int(covering_rows(keys, theirs, first + started.rows.astype(np.int64), lows, counts))
    passing = 0
    for rows in np.array_split(np.arange(len(lows)), 1 + int(counts.sum()) // _PAIRS):
        pairs, owner = places_of(lows[rows], counts[rows]), np.repeat(np.arange(len(rows)), counts[rows])
        missing = keys[pairs] & ~theirs[first + started.rows[rows].astype(np.int64)][owner]
        covered = np.zeros(len(rows), bool)
        covered[owner[~missing.any(axis=1)]] = True
        passing += int(covered.sum())
    return passing


def _examples(question: Question, paths: np.ndarray, chosen: np.ndarray) -> list[list[str]]:
    return sorted(question.key(paths[number]) for number in chosen[:EXAMPLES].tolist())
