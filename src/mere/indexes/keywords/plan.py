"""Which statistics of the lake does a question need before its segments are searched?

How many live tables there are, how long their fields are, how many contain each word; which languages the lake is
written in; which other forms and compounds of a word there are; and, for a word that no table contains, the nearest
words of the lake.  The probe is plain JSON and has all that `search` needs:

    k         hits wanted of each segment, 0 for all
    clauses   text, word, fields, options, must, excluded (see `query`); forms: the options in other forms;
              parts: compounds with the word; corrected: whether its options are corrections; known: whether a table
              has it; naming: whether a name may consist of it; weight and presence: of a match (see `ranking`)
    looked_up whether only cells have the words
    complete  what a table with all words gets for each
    named     what a table gets whose name is just the words
    averages  per field, its words in an average table that has the field
    corrected typed word -> words searched for instead
    notes     sentences for the reader of the answer
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mere.indexes.keywords import typos
from mere.indexes.keywords.compounds import Compound, compounds
from mere.indexes.keywords.fields import NAMES, Field
from mere.indexes.keywords.matching import Sought, matches_of
from mere.indexes.keywords.postings import Postings, count_tables, fields_of, postings_of
from mere.indexes.keywords.query import Clause, Option, Slot, parse, unpack
from mere.indexes.keywords.ranking import COMPLETE, FEW, LOOKED_UP, PRESENCE, weight
from mere.indexes.keywords.stems import forms, languages_of
from mere.indexes.kind import Part

Probe = dict[str, Any]
Lake = Sequence[Postings]
_SHORTEST_BEGINNING = 4  # letters of a word that are proposed instead of it


def probe_of(query: str | Mapping[str, Any], parts: Sequence[Part]) -> Probe:
    text, k = unpack(query)
    question, lake = parse(text), [postings_of(part) for part in parts]
    tables, present, total = _totals(lake)
    averages = [t / p if p else 0.0 for t, p in zip(total.tolist(), present.tolist(), strict=True)]
    languages = languages_of([postings.languages for postings in lake])
    planned, corrected = list[Probe](), dict[str, list[str]]()
    for clause in question.clauses:
        sought, distance = _known(clause, lake, languages), 0
        holding = _holding(sought, lake)
        if not holding.tables and _may_be_corrected(clause, sought, lake):
            sought, instead, distance = _correct(clause, sought, lake)
            corrected |= instead
            holding = _holding(sought, lake) if instead else holding
        own = {"weight": weight(tables, holding.tables, distance), "corrected": distance > 0}
        planned.append({**_planned(clause, sought), **own, "known": holding.tables > 0, "presence": holding.presence})
    bonuses = _bonuses(planned, question.sentence)
    notes = [f"no table contains '{word}'; searched for {_either(new)}" for word, new in corrected.items()]
    notes += [_not_found(clause, lake) for clause, own in zip(question.clauses, planned, strict=True) if _is_lost(own)]
    return {"k": k, "clauses": planned, "averages": averages, "corrected": corrected, "notes": notes, **bonuses}


def _bonuses(clauses: list[Probe], sentence: bool) -> Probe:
    """What belongs to the question as a whole; a question that looks a value up changes its clauses."""
    asked = [clause for clause in clauses if not clause["excluded"]]
    looked_up = all(clause["presence"] for clause in asked if clause["known"])
    if looked_up:
        for clause in asked:
            clause["presence"] = LOOKED_UP
    complete = 0.0 if sentence or len(asked) > FEW else COMPLETE
    named = sum(clause["weight"] for clause in asked if clause["naming"])
    return {"looked_up": looked_up, "complete": complete, "named": named}


def advice(query: Mapping[str, Any]) -> str:
    """What to try if no table meets all conditions of a question."""
    text, _ = unpack(query)
    clauses = parse(text).clauses
    if len(clauses) > 1 and any(not clause.plain for clause in clauses):
        return "no table meets every condition; leave out a filter, a quotation or an excluded word"
    return ""


def _totals(lake: Lake) -> tuple[int, np.ndarray, np.ndarray]:
    tables, present, total = 0, np.zeros(len(Field), np.int64), np.zeros(len(Field), np.int64)
    for postings in lake:
        live, with_field, words = postings.totals
        tables, present, total = tables + live, present + with_field, total + words
    return tables, present, total


class _Holding(NamedTuple):
    """How many live tables of the lake have a match, and whether one of them has it outside its cells."""

    tables: int
    named: bool

    @property
    def presence(self) -> float:
        return PRESENCE if self.tables and not self.named else 0.0


def _holding(sought: Sought, lake: Lake) -> _Holding:
    tables, named = 0, False
    for postings in lake:
        occurrences = matches_of(postings, sought).all
        tables += count_tables(occurrences)
        named = named or bool((fields_of(occurrences) != Field.VALUE).any())
    return _Holding(tables, named)


def _has(lake: Lake, word: Slot, fields: Sequence[int] = ()) -> bool:
    """Whether a live table of the lake has the word."""
    return any(postings.find(((word,),), fields).size for postings in lake)


def _known(clause: Clause, lake: Lake, languages: tuple[str, ...]) -> Sought:
    """What to look for: the options, and the other forms and compounds that the lake has."""
    if not clause.word:
        return Sought(clause.fields, clause.quoted, clause.options)
    inflected = (_inflected(option, lake, languages) for option in clause.options)
    known = tuple(option for option in inflected if option[-1])
    parts = () if clause.excluded else _compounds(clause.word, lake)
    return Sought(clause.fields, False, clause.options, known, parts)


def _inflected(option: Option, lake: Lake, languages: tuple[str, ...]) -> Option:
    """The option, its last word replaced by the other forms of it that some segment has."""
    *others, (word,) = option
    start, candidates = forms(word, languages)
    known = {form for postings in lake for form in postings.known(start, candidates)}
    return (*others, tuple(sorted(known)))


def _compounds(word: str, lake: Lake) -> tuple[Compound, ...]:
    """The compounds with this word whose other part is a name, or part of a name, of a live table."""
    found = {compound for postings in lake for compound in compounds(word, postings.names, postings.backwards)}
    rests = {compound: compound.second if compound.first == word else compound.first for compound in found}
    return tuple(sorted(compound for compound, rest in rests.items() if _has(lake, (rest,), NAMES)))


def _planned(clause: Clause, sought: Sought) -> Probe:
    return {
        **sought._asdict(),
        "text": clause.text,
        "word": clause.word,
        "must": clause.must,
        "excluded": clause.excluded,
        "naming": not clause.excluded and (not clause.fields or Field.TABLE in clause.fields),
    }


def _either(words: list[str]) -> str:
    return " or ".join(f"'{word}'" for word in words)


def _may_be_corrected(clause: Clause, sought: Sought, lake: Lake) -> bool:
    """Whether it is a word or a phrase that no table contains in any field."""
    literal = clause.excluded or not (clause.word or clause.quoted)
    return not literal and not _holding(sought._replace(fields=()), lake).tables


def _correct(clause: Clause, sought: Sought, lake: Lake) -> tuple[Sought, dict[str, list[str]], int]:
    """The nearest words of the lake instead, the corrections, and their total distance."""
    if clause.word:
        options, distance = _nearest(clause.word, lake, clause.fields, split=True)
        instead = {clause.text: [_spelled(option) for option in options]} if options else {}
        return Sought(clause.fields, False, options or clause.options), instead, distance
    (phrase,), slots, instead, distance = clause.options, [], {}, 0
    for slot in phrase:
        options, slips = _nearest(slot[0], lake, clause.fields) if not _has(lake, slot) else ((), 0)
        slots.append(_one_slot(options) or slot)
        distance += slips
        if options:
            instead[slot[0]] = [_spelled(option) for option in options]
    return sought._replace(options=(tuple(slots),)), instead, distance


def _nearest(word: str, lake: Lake, fields: Sequence[int], split: bool = False) -> tuple[tuple[Option, ...], int]:
    """The nearest words of names, headers and descriptions, or else of cells, and their distance."""
    reach = typos.slips(word)
    halves = typos.halves(word) if split else []
    near: dict[Option, int] = {((left,), (right,)): 1 for left, right in halves}
    for postings in lake:
        near |= {((term,),): d for term, d in typos.nearby(word, postings.names, reach).items()}
    nearest = _most_frequent(near, lake, tuple(fields or NAMES), reach)
    return nearest if nearest[0] else _nearest_in_cells(word, lake, fields, reach)


def _nearest_in_cells(word: str, lake: Lake, fields: Sequence[int], reach: int) -> tuple[tuple[Option, ...], int]:
    """The nearest words of cells that start with the same letter."""
    if fields and Field.VALUE not in fields:
        return (), 0
    near: dict[Option, int] = {}
    for postings in lake:
        near |= {((term,),): d for term, d in typos.nearby(word, postings.cells, reach, word[0]).items()}
    return _most_frequent(near, lake, (Field.VALUE,), reach)


def _most_frequent(
    reached: Mapping[Option, int], lake: Lake, fields: tuple[int, ...], reach: int
) -> tuple[tuple[Option, ...], int]:
    """Of these, those with the least distance that a live table has, the most frequent first; and the distance."""
    for distance in range(1, reach + 1):
        near = [Sought(fields, False, (option,)) for option, d in reached.items() if d == distance]
        counts = [(_holding(sought, lake).tables, sought.options[0]) for sought in near]
        known = sorted((-count, _spelled(option), option) for count, option in counts if count)
        if known:
            return tuple(option for _, _, option in known[: typos.MOST]), distance
    return (), 0


def _is_lost(planned: Probe) -> bool:
    return not planned["known"] and not planned["excluded"]


def _not_found(clause: Clause, lake: Lake) -> str:
    """What to try for a clause that no table meets."""
    if clause.fields and _holding(Sought((), clause.quoted, clause.options), lake).tables:
        return f"nothing matches {clause.text}, but tables have it in other places; leave out the filter"
    if clause.quoted:
        return f"no table contains {clause.text}; leave out the quotes to search for its words"
    if not clause.word:
        return f"no word starts like {clause.text}; try a shorter beginning"
    near, _ = _nearest_in_cells(clause.word, lake, clause.fields, _reach_of_proposals(clause.word))
    proposals = [f"words like it: {', '.join(map(_spelled, near))}"] if near else []
    if beginning := _known_beginning(clause.word, lake):
        proposals.append(f"some start like it: try {beginning}*")
    return "; ".join([f"no table contains '{clause.text}'", *(proposals or ["try another word for it"])])


def _reach_of_proposals(word: str) -> int:
    """A word that is only proposed may have one slip more than a correction."""
    return typos.slips(word) and typos.slips(word) + 1


def _known_beginning(word: str, lake: Lake) -> str:
    """The longest beginning of the word that another word has; empty if it is short."""
    beginnings = (word[:length] for length in range(len(word) - 1, _SHORTEST_BEGINNING - 1, -1))
    return next((beginning for beginning in beginnings if _has(lake, (f"{beginning}*",))), "")


def _spelled(option: Option) -> str:
    return " ".join(slot[0] for slot in option)


def _one_slot(options: Sequence[Option]) -> Slot:
    return tuple(option[0][0] for option in options)
