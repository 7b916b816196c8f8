"""Why does a table answer: which keys, in which columns, in how many rows, and what would a join do?

matched_keys  distinct keys of the question in the table      share     of the question's keys
mapping       the table's column for each of the question's   rows      rows of the table that hold a matched key
fan_out       as for joins on one column                      matched, unmatched    a few keys, as lists of values
candidates    rows that hold a value of the key's most distinct column, in the column it is mapped to
checked       mode mate: those of them whose super keys were compared: all, or of very many a part, evenly spread
pruned        mode mate: of these, the rows whose super key says without a look that they hold none of the keys
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mere import compiled
from mere.answers import Hit, shared_evidence
from mere.compiled import Trial
from mere.errors import QueryError
from mere.indexes.composite.numpy import Candidate, Descent
from mere.indexes.composite.plan import Question, example_question
from mere.indexes.composite.row_super_keys import no_super_keys, super_keys_of
from mere.indexes.kind import Part
from mere.indexes.sets.comparing import EXAMPLES
from mere.indexes.sets.evidence import fan_out
from mere.store import offsets_of, places_of

EVIDENCE = compiled.Group("evidence of keys", ("mere.indexes.composite.follow",), compiling=2.0)
MOST_PAIRS = 1 << 18  # of rows and keys, whose super keys are compared for one hit


class Filter(NamedTuple):
    """What a row is compared with before it is looked at."""

    bits: np.ndarray  # of each key
    super_keys: np.ndarray  # of each row of the segment; none but for mode mate


class Followed(NamedTuple):
    """What following one mapping through a table shows."""

    rows: np.ndarray  # rows that hold each key
    checked: int  # rows whose super key was compared
    passing: int  # of the rows checked, those whose super key covers a key


def with_evidence(part: Part, probe: Mapping[str, Any], hits: list[Hit]) -> list[Hit]:
    """The same hits, each with its evidence."""
    question = Question.of(probe)
    for hit in hits:
        if len(hit.columns) != len(question.levels):
            fault = f"a key of {len(question.levels)} columns, and {len(hit.columns)} columns of '{hit.table}'"
            raise QueryError(fault, "name as many columns of the table, in the order of the key")
    ids = part.find(question.values, question.hashes)
    descent, paths = Descent(part, question, ids), question.paths()
    filter_ = Filter(key_bits(question, paths), super_keys_of(part) if probe["mode"] == "mate" else no_super_keys(part))
    keys = Keys(question, paths)
    return [replace(hit, evidence=_evidence(descent, keys, filter_, probe["on"], hit)) for hit in hits]


class Keys:
    """The keys of a question as examples; hits often have the same ones, so each is decoded once."""

    def __init__(self, question: Question, paths: np.ndarray) -> None:
        self._question, self._paths = question, paths
        self._known: dict[int, list[str]] = {}

    def examples(self, numbers: np.ndarray) -> list[list[str]]:
        """The first few of some keys, in alphabetical order."""
        chosen = numbers[:EXAMPLES].tolist()
        for number in chosen:
            if number not in self._known:
                self._known[number] = self._question.key(self._paths[number])
        return sorted(list(self._known[number]) for number in chosen)


def _evidence(descent: Descent, keys: Keys, filter_: Filter, on: list[str] | None, hit: Hit) -> dict[str, Any]:
    question, segment = descent.question, descent.segment
    columns = [segment.column_number(hit.table, column) for column in hit.columns]
    candidates = [descent.candidate(level, columns[place]) for level, place in enumerate(question.levels)]
    table = bisect_left(segment.names, hit.table)
    followed = _followed(descent, table, candidates, filter_)
    matched = np.flatnonzero(followed.rows)
    compared = {"checked": followed.checked, "pruned": followed.checked - followed.passing}
    return {
        **shared_evidence(len(matched), len(question), on, hit.columns),
        "matched_keys": len(matched),
        "rows": int(followed.rows.sum()),
        "fan_out": fan_out(question.counts[matched], followed.rows[matched]),
        "candidates": int(candidates[0].counts.sum(dtype=np.int64)),
        **(compared if len(filter_.super_keys) else {}),
        "matched": keys.examples(matched),
        "unmatched": keys.examples(np.flatnonzero(followed.rows == 0)),
    }


def _followed(descent: Descent, table: int, candidates: list[Candidate], filter_: Filter) -> Followed:
    """What following the mapping of the candidates, one for each level, through a table shows."""
    if compiled.ready(EVIDENCE, lambda: evidence_trial(descent.part)):
        return _followed_compiled(descent, table, candidates, filter_)
    with compiled.time_fallback(EVIDENCE):
        return _followed_in_numpy(descent, table, candidates, filter_)


def evidence_trial(part: Part) -> Trial:
    """Compiles what evidence needs, beside the look-up."""
    return Trial(EVIDENCE, (("follow", lambda: _follow_nothing(part)),))


def _follow_nothing(part: Part) -> None:
    """Follow a key that the part does not have."""
    question, nothing = example_question(part), np.zeros(0, np.int64)
    descent = Descent(part, question, np.full(len(question.hashes), -1))
    candidates = [Candidate(0, nothing, nothing, nothing, 0, 0)] * len(question.levels)
    _followed_compiled(descent, 0, candidates, Filter(key_bits(question, question.paths()), no_super_keys(part)))


def _followed_in_numpy(descent: Descent, table: int, candidates: list[Candidate], filter_: Filter) -> Followed:
    question = descent.question
    started = agreeing = descent.enter(candidates[0])
    for candidate in candidates[1:]:
        agreeing = descent.extend(candidate, agreeing)
    leaves = agreeing.nodes - (len(question.tree.values) - len(question))
    rows = np.bincount(leaves, minlength=len(question))
    if not len(filter_.super_keys):
        return Followed(rows, 0, 0)
    ends = offsets_of(question.tree.keys[1 : 1 + question.tree.starts[1]])
    firsts, counts = ends[started.nodes - 1], np.diff(ends)[started.nodes - 1]
    spread = slice(None, None, 1 + int(counts.sum()) // MOST_PAIRS)
    firsts, counts = firsts[spread], counts[spread]
    numbers = started.rows[spread].astype(np.int64) + int(descent.segment.catalog["table.rows"][:table].sum())
    pairs, owner = places_of(firsts, counts), np.repeat(np.arange(len(numbers)), counts)
    missing = filter_.bits[pairs] & ~filter_.super_keys[numbers][owner]
    passing = len(np.unique(owner[~missing.any(axis=1)]))
    return Followed(rows, len(numbers), passing)


def _followed_compiled(descent: Descent, table: int, candidates: list[Candidate], filter_: Filter) -> Followed:
    from mere.indexes.composite.candidates import Candidates
    from mere.indexes.composite.follow import follow
    from mere.indexes.composite.kernels import stored_of

    edges = offsets_of(np.array([len(candidate.codes) for candidate in candidates]))
    mapping = Candidates(
        table,
        np.arange(len(candidates) + 1),
        np.array([candidate.column for candidate in candidates]),
        np.array([candidate.reach for candidate in candidates]),
        np.array([candidate.counts.sum(dtype=np.int64) for candidate in candidates]),
        np.zeros(len(candidates), np.int64),
        edges[:-1].copy(),
        edges[1:].copy(),
        np.concatenate([candidate.codes for candidate in candidates]).astype(np.uint32),
        np.concatenate([candidate.values for candidate in candidates]).astype(np.uint32),
    )
    tree, stored = descent.question.tree, stored_of(descent.part)
    return Followed(*follow(mapping, filter_.bits, MOST_PAIRS, tree, stored, filter_.super_keys))


def key_bits(question: Question, paths: np.ndarray) -> np.ndarray:
    """The bits of each key: those of all its values."""
    bits = np.zeros((len(question), question.patterns.shape[1]), np.uint64)
    for level in range(paths.shape[1]):
        bits |= question.patterns[question.tree.starts[level] + paths[:, level]]
    return bits
