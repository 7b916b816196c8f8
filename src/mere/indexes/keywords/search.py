"""Which tables of one segment have the best scores?

Every clause gives its occurrences, sorted by table, field and position; counts and scores are sums over
runs of them.  `ranking` has the formula.  The columns that matched are listed for the best k only, evidence is left
to `evidence`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mere.answers import Hit
from mere.indexes.keywords.build import POSITION_BITS
from mere.indexes.keywords.cells import TYPES
from mere.indexes.keywords.evidence import Places
from mere.indexes.keywords.fields import Field
from mere.indexes.keywords.matching import Matches, matches_of, sought_of
from mere.indexes.keywords.naming import named_tables
from mere.indexes.keywords.postings import Postings, changes, postings_of, tables_of
from mere.indexes.keywords.ranking import B_OF_CELLS, K1, OTHER_FORMS, WEIGHT, B
from mere.indexes.kind import Meeting, Part
from mere.store import Strings

_WEIGHT = np.array([WEIGHT[field] for field in Field])
_B = np.array([B_OF_CELLS if field == Field.VALUE else B for field in Field])


def hits_of(part: Part, probe: Mapping[str, Any], bound: float) -> list[Hit]:
    """The segment's best k hits that reach the bound, best first, without their evidence."""
    postings = postings_of(part)
    matches = [matches_of(postings, sought_of(clause)) for clause in probe["clauses"]]
    scores = _scores(postings, probe, matches)
    tables = np.flatnonzero((scores > 0) & (scores >= bound))
    best = tables[np.lexsort((tables, -scores[tables]))][: probe["k"] or None]  # tables are in the order of their names
    asked = [own.all for own, clause in zip(matches, probe["clauses"], strict=True) if not clause["excluded"]]
    names, places = Strings.mapped(part.segment.catalog, "table.name"), Places(part, best, asked)
    return [
        Hit(names[table], places.columns(rank, range(len(asked))), float(scores[table]))
        for rank, table in enumerate(best.tolist())
    ]


def without_cells(part: Part, probe: Mapping[str, Any], meeting: Meeting) -> Meeting:
    """The same, nothing sure of tables whose cells, which their owner keeps, may have words of the question."""
    texts = np.isin(part.segment.catalog["column.types"], [int(type_) for type_ in TYPES])
    withheld = part.segment.profile_only & (np.bincount(part.segment.table_of_column, texts, len(meeting.may)) > 0)
    in_cells = {
        clause["excluded"] for clause in probe["clauses"] if not clause["fields"] or Field.VALUE in clause["fields"]
    }
    unknown = withheld & ~meeting.may & bool(in_cells)
    sure = meeting.sure & ~(withheld & (True in in_cells))
    return meeting._replace(degree=np.where(unknown, np.nan, meeting.degree), may=meeting.may | unknown, sure=sure)


def _scores(postings: Postings, probe: Mapping[str, Any], matches: Sequence[Matches]) -> np.ndarray:
    """The score of every table; 0 where the question's conditions are not met."""
    tables = len(postings.live)
    score, allowed, has_word = np.zeros(tables), np.ones(tables, bool), np.zeros(tables, bool)
    present, complete = np.zeros(tables), np.ones(tables, bool)
    for clause, own in zip(probe["clauses"], matches, strict=True):
        worth = _worth(postings, own)
        if clause["excluded"]:
            allowed &= worth == 0
            continue
        x = _frequency(postings, own, probe)
        score += clause["weight"] * (x / (K1 + x) + clause["presence"] * worth)
        present += clause["weight"] * worth
        if clause["known"]:
            complete &= worth > 0
        if clause["must"]:
            allowed &= worth > 0
        else:
            has_word |= worth > 0
    if any(not clause["must"] and not clause["excluded"] for clause in probe["clauses"]):
        allowed &= has_word
    score += probe["complete"] * np.where(complete, present, 0.0)
    score[named_tables(postings, _naming(probe, matches))] += probe["named"]
    return np.where(allowed, score, 0.0)


def _naming(probe: Mapping[str, Any], matches: Sequence[Matches]) -> list[Matches]:
    """The matches of the words that a table's name has to consist of."""
    return [own for clause, own in zip(probe["clauses"], matches, strict=True) if clause["naming"]]


def _worth(postings: Postings, matches: Matches) -> np.ndarray:
    """Per table: 1 if it has the word itself, 1/2 if it has only other spellings, else 0."""
    worth = np.zeros(len(postings.live))
    for others in (matches.forms, matches.compounds):
        worth[tables_of(others)] = 1 / OTHER_FORMS
    worth[tables_of(matches.exact)] = 1.0
    return worth


def _frequency(postings: Postings, matches: Matches, probe: Mapping[str, Any]) -> np.ndarray:
    """x of every table: counts per field, weighed, and set against the field's length."""
    places = np.concatenate(matches) >> np.uint64(POSITION_BITS)  # by table, then field
    if not places.size:
        return np.zeros(len(postings.live))
    order = np.argsort(places, kind="stable")
    starts = changes(places[order])
    worth = np.repeat([OTHER_FORMS, 1, 1], [len(own) for own in matches])
    places, counts = places[order][starts], np.add.reduceat(worth[order], starts) / OTHER_FORMS
    tables, fields = (places >> np.uint64(3)).astype(np.int64), (places & np.uint64(7)).astype(np.int64)
    length = postings.lengths(tables, fields) / np.array(probe["averages"])[fields]
    if probe["looked_up"]:
        length = np.sqrt(np.sqrt(length))
    x = _WEIGHT[fields] * counts / ((1.0 - _B[fields]) + _B[fields] * length)
    return np.bincount(tables, x, minlength=len(postings.live))
