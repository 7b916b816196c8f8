"""The same question, answered from its definition: every word of every table is compared with every clause.

`brute_reading` reads tables and questions.  Shared with the index are the numbers of the fields, the limits on values
and the constants of the ranking; nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mere.answers import Hit, best
from mere.indexes.keywords.brute_reading import FILTERS, Clause, Option, Slot, Word, clauses_of, words_of_table
from mere.indexes.keywords.fields import NO_COLUMN, Field
from mere.indexes.keywords.ranking import K1, OTHER_FORMS, WEIGHT, B
from mere.segments import Table

Places = set[tuple[Field, int, int]]  # field, position, column


def brute(query: str | Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any]) -> list[Hit]:
    """The best k tables for a line of keywords, in order."""
    text, k = (query, 0) if isinstance(query, str) else (query["text"], query.get("k", 0))
    lake = [words_of_table(table, bool(settings.get("keywords_values"))) for table in tables]
    weighed, corrected = [], dict[str, list[str]]()
    for clause in clauses_of(text):
        clause, distance, instead = _corrected(clause, lake)
        holding = sum(bool(_matches(clause, words) | _matches(_forms(clause), words)) for words in lake)
        weighed.append((clause, _idf(len(lake), holding) / (1.0 + distance)))
        corrected |= instead
    averages = {field: _average(lake, field) for field in Field}
    pairs = zip(tables, lake, strict=True)
    hits = (_hit(table, words, weighed, averages, corrected) for table, words in pairs)
    return best([hit for hit in hits if hit is not None], k)


def _idf(tables: int, holding: int) -> float:
    """How rare a word is."""
    return math.log(1.0 + (tables - holding + 0.5) / (holding + 0.5))


def _average(lake: list[list[Word]], field: Field) -> float:
    lengths = [length for words in lake if (length := _length(words, field))]
    return sum(lengths) / len(lengths) if lengths else 0.0


def _length(words: list[Word], field: Field) -> int:
    return len({word.position for word in words if word.field == field})


def _matches(clause: Clause, words: list[Word]) -> Places:
    """Where the clause is matched."""
    terms: dict[tuple[Field, int], set[str]] = {}
    for word in words:
        terms.setdefault((word.field, word.position), set()).add(word.term)
    return {
        (word.field, word.position, word.column)
        for word in words
        for option in clause.options
        if (not clause.fields or word.field in clause.fields)
        and all(_fills(terms.get((word.field, word.position + i)), slot) for i, slot in enumerate(option))
    }


def _fills(terms: set[str] | None, slot: Slot) -> bool:
    return any(t.startswith(p[:-1]) if p.endswith("*") else t == p for t in terms or () for p in slot)


def _forms(clause: Clause) -> Clause:
    return replace(clause, options=clause.forms)


def _hit(
    table: Table,
    words: list[Word],
    weighed: list[tuple[Clause, float]],
    averages: dict[Field, float],
    corrected: dict[str, list[str]],
) -> Hit | None:
    score, terms, columns, plain = 0.0, {}, set(), []
    for clause, weight in weighed:
        exact = _matches(clause, words)
        forms = _matches(_forms(clause), words) - exact
        places = exact | forms
        if clause.excluded:
            if places:
                return None
            continue
        if clause.must and not places:
            return None
        if not clause.must:
            plain.append(bool(places))
        if places:
            x = _frequency(exact, forms, words, averages)
            score += weight * (x / (K1 + x))
            terms[clause.text] = _filters(places)
            columns |= {column for _, _, column in places} - {NO_COLUMN}
    if plain and not any(plain):
        return None
    evidence: dict[str, Any] = {"terms": terms, "corrected": corrected} if corrected else {"terms": terms}
    if table.facts.published:
        evidence["profile_only"] = True
    names = tuple(table.columns.names[c] for c in sorted(columns))
    return Hit(table.facts.name, names, score, True, evidence)


def _filters(places: Places) -> list[str]:
    """The filters that search the fields of these places, in the order of the fields."""
    fields = {field for field, _, _ in places}
    return [name for name, filtered in FILTERS.items() if fields & set(filtered)]


def _frequency(exact: Places, forms: Places, words: list[Word], averages: dict[Field, float]) -> float:
    x = 0.0
    for field in sorted({field for field, _, _ in exact | forms}):
        in_exact, in_forms = (sum(f == field for f, _, _ in places) for places in (exact, forms))
        count = (OTHER_FORMS * in_exact + in_forms) / OTHER_FORMS
        x += WEIGHT[field] * count / ((1.0 - B) + B * (_length(words, field) / averages[field]))
    return x


def _corrected(clause: Clause, lake: list[list[Word]]) -> tuple[Clause, int, dict[str, list[str]]]:
    """The clause; if no table has it in any field, with the nearest known words for unknown ones."""
    anywhere = replace(clause, fields=(), options=clause.options + clause.forms)
    known = any(_matches(anywhere, words) for words in lake)
    if known or clause.excluded or not (clause.word or clause.quoted):
        return clause, 0, {}
    clause = replace(clause, forms=())
    if clause.word:
        options, distance = _nearest(clause, clause.word, lake, with_halves=True)
        instead = {clause.text: [" ".join(slot[0] for slot in option) for option in options]}
        return (replace(clause, options=options), distance, instead) if options else (clause, 0, {})
    terms = {word.term for words in lake for word in words}
    slots, instead, total = list[Slot](), {}, 0
    for slot in clause.options[0]:
        options, distance = ((), 0) if slot[0] in terms else _nearest(clause, slot[0], lake)
        if options:
            slot = tuple(option[0][0] for option in options)
            instead[clause.options[0][len(slots)][0]] = list(slot)
        slots.append(slot)
        total += distance
    return replace(clause, options=(tuple(slots),)), total, instead


def _nearest(
    clause: Clause, word: str, lake: list[list[Word]], with_halves: bool = False
) -> tuple[tuple[Option, ...], int]:
    most = 0 if word.isnumeric() or len(word) < 4 else 1 if len(word) < 8 else 2
    candidates: list[Option] = [((term,),) for term in {word.term for words in lake for word in words}]
    if with_halves:
        candidates += [((word[:i],), (word[i:],)) for i in range(3, len(word) - 2)]
    for distance in range(1, most + 1):
        known = []
        for option in candidates:
            spelled = " ".join(slot[0] for slot in option)
            if alignment(word, spelled) == distance:
                holding = sum(bool(_matches(replace(clause, options=(option,)), words)) for words in lake)
                known += [(-holding, spelled, option)] if holding else []
        if known:
            return tuple(option for _, _, option in sorted(known)[:5]), distance
    return (), 0


def alignment(a: str, b: str) -> int:
    """The optimal string alignment distance.

    >>> alignment("wrold", "world"), alignment("worldcup", "world cup"), alignment("ca", "abc")
    (1, 1, 3)
    """
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (x != y))
            if i > 1 and j > 1 and (x, a[i - 2]) == (b[j - 2], y):
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
