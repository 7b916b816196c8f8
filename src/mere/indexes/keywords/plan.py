"""Which statistics of the lake does a question need before its segments are searched?

How many live tables there are, how long their fields are, how many contain each word; and, for a word
that none contains, the nearest words of the lake.  The probe is plain JSON and has all that `search` needs:

    k         hits wanted of each segment, 0 for all
    clauses   text, fields, options, forms, must, excluded (see `query`), and weight: the weight of a match
    averages  per field, its words in an average table that has the field
    corrected typed word -> words searched for instead
    notes     sentences for the reader of the answer
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mere.indexes.keywords import typos
from mere.indexes.keywords.fields import Field
from mere.indexes.keywords.postings import Postings, count_tables, postings_of
from mere.indexes.keywords.query import Clause, Option, Slot, parse, unpack
from mere.indexes.keywords.ranking import weight
from mere.indexes.kind import Part

Probe = dict[str, Any]


def probe_of(query: str | Mapping[str, Any], parts: Sequence[Part]) -> Probe:
    text, k = unpack(query)
    clauses, lake = parse(text), [postings_of(part) for part in parts]
    tables, present, total = _totals(lake)
    averages = [t / p if p else 0.0 for t, p in zip(total.tolist(), present.tolist(), strict=True)]
    planned, corrected = [], dict[str, list[str]]()
    for clause in clauses:
        clause, holding, distance = _known(clause, lake), _holding(lake, clause.both, clause.fields), 0
        if not holding and _may_be_corrected(clause, lake):
            clause, instead, distance = _correct(clause, lake)
            corrected |= instead
            holding = _holding(lake, clause.options, clause.fields) if instead else 0
        planned.append(_planned(clause, weight(tables, holding, distance)))
    notes = [f"no table contains '{word}'; searched for {_either(new)}" for word, new in corrected.items()]
    if not present[Field.VALUE] and any(Field.VALUE in clause.fields for clause in clauses):
        notes.append("the keywords of this lake do not include values: index it with keywords_values=True to add them")
    return {"k": k, "clauses": planned, "averages": averages, "corrected": corrected, "notes": notes}


def _totals(lake: Sequence[Postings]) -> tuple[int, np.ndarray, np.ndarray]:
    tables, present, total = 0, np.zeros(len(Field), np.int64), np.zeros(len(Field), np.int64)
    for postings in lake:
        live, with_field, words = postings.totals
        tables, present, total = tables + live, present + with_field, total + words
    return tables, present, total


def _holding(lake: Sequence[Postings], options: Sequence[Option], fields: Sequence[int] = ()) -> int:
    """How many live tables of the lake contain any of the options."""
    return sum(count_tables(postings.find(options, fields)) for postings in lake)


def _known(clause: Clause, lake: Sequence[Postings]) -> Clause:
    """The clause without the options that no live table contains, unless there are no others."""
    if len(clause.both) == 1:
        return clause
    options = tuple(o for o in clause.options if _holding(lake, (o,), clause.fields))
    forms = tuple(o for o in clause.forms if _holding(lake, (o,), clause.fields))
    return replace(clause, options=options, forms=forms) if options or forms else clause


def _planned(clause: Clause, weight: float) -> Probe:
    return {
        "text": clause.text,
        "fields": [int(field) for field in clause.fields],
        "options": clause.options,
        "forms": clause.forms,
        "must": clause.must,
        "excluded": clause.excluded,
        "weight": weight,
    }


def _either(words: list[str]) -> str:
    return " or ".join(f"'{word}'" for word in words)


def _may_be_corrected(clause: Clause, lake: Sequence[Postings]) -> bool:
    """Whether it is a word or a phrase that no table contains in any field."""
    literal = clause.excluded or not (clause.word or clause.quoted)
    return not literal and not _holding(lake, clause.both)


def _correct(clause: Clause, lake: Sequence[Postings]) -> tuple[Clause, dict[str, list[str]], int]:
    """The clause with the nearest words of the lake, the corrections, and their total distance."""
    if clause.word:
        options, distance = _nearest(clause.word, lake, clause.fields, split=True)
        instead = {clause.text: [_spelled(option) for option in options]} if options else {}
        return replace(clause, options=options or clause.options), instead, distance
    (phrase,), slots, instead, distance = clause.options, [], {}, 0
    for slot in phrase:
        options, slips = _nearest(slot[0], lake, clause.fields) if not _holding(lake, ((slot,),)) else ((), 0)
        slots.append(_one_slot(options) or slot)
        distance += slips
        if options:
            instead[slot[0]] = [_spelled(option) for option in options]
    return replace(clause, options=(tuple(slots),)), instead, distance


def _nearest(
    word: str, lake: Sequence[Postings], fields: Sequence[int], split: bool = False
) -> tuple[tuple[Option, ...], int]:
    """The nearest words of the lake, the most frequent first, and their distance."""
    halves = typos.halves(word) if split else []
    reach: dict[Option, int] = {((left,), (right,)): 1 for left, right in halves}
    for postings in lake:
        reach |= {((term,),): d for term, d in typos.nearby(word, postings.terms).items()}
    for distance in range(1, typos.slips(word) + 1):
        holding = {o: _holding(lake, (o,), fields) for o, d in reach.items() if d == distance}
        known = sorted((-count, _spelled(option), option) for option, count in holding.items() if count)
        if known:
            return tuple(option for _, _, option in known[: typos.MOST]), distance
    return (), 0


def _spelled(option: Option) -> str:
    return " ".join(slot[0] for slot in option)


def _one_slot(options: Sequence[Option]) -> Slot:
    return tuple(option[0][0] for option in options)
