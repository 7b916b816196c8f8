"""The same question, answered from its definition: every word of every table is compared with every clause.

`brute_reading` reads tables and questions, `brute_forms` knows other forms of words.  Shared with the index are the
numbers of the fields, the lists of words and endings, and the constants of the ranking; nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mere.answers import Hit, best
from mere.indexes.keywords.fields import NO_COLUMN, Field
from mere.indexes.keywords.ranking import (
    B_OF_CELLS,
    COMPLETE,
    FEW,
    K1,
    LOOKED_UP,
    OTHER_FORMS,
    PRESENCE,
    WEIGHT,
    B,
)
from mere.segments import Table
from tests.oracles.keywords_forms import are_forms, spoken
from tests.oracles.keywords_reading import (
    FILTERS,
    Clause,
    Option,
    Slot,
    Word,
    clauses_of,
    is_unspaced,
    names_of,
    words_of_table,
)

Place = tuple[Field, int, int]  # field, position (in cells: the column), column


@dataclass(frozen=True)
class Spelling:
    """One way in which a clause may be written in the lake."""

    option: Option
    how: str  # word, form, part or correction
    cut: Option = ()  # of a compound: its two parts; where they are beside it, it does not count
    quoted: bool = False

    @property
    def in_cells(self) -> bool:
        """Whether it is looked for in cells: a word, a phrase, or what is written without spaces."""
        words = [word for slot in self.option for word in slot]
        return len(self.option) == 1 or self.quoted or any(is_unspaced(word) for word in words)


@dataclass(frozen=True)
class Sought:
    """A clause, the ways it may be written, and the weight of a match."""

    clause: Clause
    spellings: tuple[Spelling, ...]
    weight: float = 0.0
    known: bool = False  # whether a table has it
    presence: float = 0.0


@dataclass(frozen=True)
class Question:
    """What is the same for all tables."""

    sought: list[Sought]
    averages: dict[Field, float]
    corrected: dict[str, list[str]]
    looked_up: bool  # whether only cells have the words
    complete: float  # what a table with all words gets for each


def brute(query: str | Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any]) -> list[Hit]:
    """The best k tables for a line of keywords, in order."""
    text, k = (query, 0) if isinstance(query, str) else (query["text"], query.get("k", 0))
    lake = [words_of_table(table) for table in tables]
    weighed, corrected = list[Sought](), dict[str, list[str]]()
    clauses, sentence = clauses_of(text)
    for clause in clauses:
        sought, distance, instead = _corrected(_sought(clause, lake), lake)
        weighed.append(_weighed(sought, distance, lake))
        corrected |= instead
    asked = [sought for sought in weighed if not sought.clause.excluded]
    looked_up = all(sought.presence for sought in asked if sought.known)
    if looked_up:
        weighed = [replace(sought, presence=LOOKED_UP) for sought in weighed]
    complete = COMPLETE if not sentence and len(asked) <= FEW else 0.0
    averages = {field: _average(lake, field) for field in Field}
    question = Question(weighed, averages, corrected, looked_up, complete)
    hits = (_hit(table, words, question) for table, words in zip(tables, lake, strict=True))
    return best([hit for hit in hits if hit is not None], k)


def _weighed(sought: Sought, distance: int, lake: list[list[Word]]) -> Sought:
    matches = [places for words in lake if (places := _matches(sought, words))]
    weight = _idf(len(lake), len(matches)) / (1.0 + distance)
    in_cells = all(field == Field.VALUE for places in matches for field, _, _ in places)
    return replace(sought, weight=weight, known=bool(matches), presence=PRESENCE if matches and in_cells else 0.0)


def _sought(clause: Clause, lake: list[list[Word]]) -> Sought:
    """The clause as typed, in other forms, and as a part of compounds."""
    hows = ["part" if _is_joined(clause, option) else "word" for option in clause.options]
    pairs = zip(clause.options, hows, strict=True)
    spellings = [Spelling(option, how, quoted=clause.quoted) for option, how in pairs]
    if clause.word:
        terms, languages = sorted({word.term for words in lake for word in words}), spoken(lake)
        for option in clause.options:
            forms = [term for term in terms if are_forms(option[-1][0], term, languages)]
            spellings += [Spelling((*option[:-1], (form,)), "form") for form in forms]
    if clause.word and not clause.excluded:
        spellings += [Spelling(((word,),), "part", ((a,), (b,))) for word, a, b in _compounds(clause.word, lake)]
    return Sought(clause, tuple(spellings))


def _is_joined(clause: Clause, option: Option) -> bool:
    return bool(clause.word) and len(option) == 1 and option != ((clause.word,),)


def _compounds(word: str, lake: list[list[Word]]) -> list[tuple[str, str, str]]:
    """The words outside cells that are this word and another one, with both in order."""
    names = {own.term for words in lake for own in words if own.field != Field.VALUE}
    if len(word) < 4 or not word.isalpha():
        return []
    pairs = [(word, name) for name in names] + [(name, word) for name in names]
    return sorted({(a + b, a, b) for a, b in pairs if a + b in names and len(a + b) - len(word) >= 3})


def _idf(tables: int, holding: int) -> float:
    """How rare a word is."""
    return math.log(1.0 + (tables - holding + 0.5) / (holding + 0.5))


def _average(lake: list[list[Word]], field: Field) -> float:
    lengths = [length for words in lake if (length := _length(words, field))]
    return sum(lengths) / len(lengths) if lengths else 0.0


def _length(words: list[Word], field: Field) -> int:
    """Positions with a word; of cells, the different words of each column."""
    of_cells = field == Field.VALUE
    return len({(word.term, word.column) if of_cells else word.position for word in words if word.field == field})


def _matches(sought: Sought, words: list[Word]) -> dict[Place, Spelling]:
    """Where the clause is matched, and by which spelling; the word itself comes before other forms."""
    places: dict[Place, Spelling] = {}
    for spelling in sought.spellings:
        for place in _places(spelling, sought.clause.fields, words):
            places.setdefault(place, spelling)
    return places


def _places(spelling: Spelling, fields: tuple[Field, ...], words: list[Word]) -> dict[Place, str]:
    """Where the spelling is found, with the first cell that has it."""
    terms: dict[tuple[Field, int], set[str]] = {}
    for word in words:
        terms.setdefault((word.field, word.position), set()).add(word.term)

    def found(option: Option, word: Word) -> bool:
        return all(_fills(terms.get((word.field, word.position + i)), slot) for i, slot in enumerate(option))

    places: dict[Place, str] = {}
    for word in words:
        in_cell = word.field == Field.VALUE
        if (fields and word.field not in fields) or not found(spelling.option, word):
            continue
        if in_cell and not spelling.in_cells:
            continue
        if not spelling.cut or (not in_cell and not found(spelling.cut, word)):
            places.setdefault((word.field, word.column if in_cell else word.position, word.column), word.value)
    return places


def _fills(terms: set[str] | None, slot: Slot) -> bool:
    return any(t.startswith(p[:-1]) if p.endswith("*") else t == p for t in terms or () for p in slot)


def _hit(table: Table, words: list[Word], question: Question) -> Hit | None:
    score, evidence, columns, plain = 0.0, dict[str, Any](terms={}, matches={}), set(), []
    present, complete = 0.0, True
    for sought in question.sought:
        clause, places = sought.clause, _matches(sought, words)
        if clause.excluded:
            if places:
                return None
            continue
        if clause.must and not places:
            return None
        if not clause.must:
            plain.append(bool(places))
        if places:
            x = _frequency(places, words, question)
            worth = 1.0 if any(_is_exact(spelling) for spelling in places.values()) else 1.0 / OTHER_FORMS
            score += sought.weight * (x / (K1 + x) + sought.presence * worth)
            present += sought.weight * worth
            evidence["terms"][clause.text] = _filters(places)
            evidence["matches"][clause.text] = _explained(sought, table, words)
            columns |= {column for _, _, column in places} - {NO_COLUMN}
        elif sought.known:
            complete = False
    if plain and not any(plain):
        return None
    score += question.complete * present if complete else 0.0
    score += _of_name(table, words, question)
    if question.corrected:
        evidence["corrected"] = question.corrected
    if table.facts.published:
        evidence["profile_only"] = True
    names = tuple(table.columns.names[c] for c in sorted(columns))
    return Hit(table.facts.name, names, score, True, evidence)


def _of_name(table: Table, words: list[Word], question: Question) -> float:
    """What the table gets if its name is just the words, as typed or in other forms."""
    naming, filled = [], set[int]()
    for sought in question.sought:
        clause = sought.clause
        if clause.excluded or (clause.fields and Field.TABLE not in clause.fields):
            continue
        places = _matches(sought, words).items()
        positions = {position for (field, position, _), own in places if field == Field.TABLE and not own.cut}
        if not positions:
            return 0.0
        filled |= positions
        naming.append(sought.weight)
    names = [set(range(start, start + size)) for start, size in names_of(table) if size == len(naming) > 0]
    return sum(naming) if any(name <= filled for name in names) else 0.0


def _explained(sought: Sought, table: Table, words: list[Word]) -> list[dict[str, Any]]:
    """Each spelling that the table has: how it came about, its fields, and its first cell."""
    explained: dict[str, dict[str, Any]] = {}
    for spelling in sought.spellings:
        found = " ".join(" or ".join(slot) for slot in spelling.option)
        places = _places(spelling, sought.clause.fields, words)
        if not places or found in explained:
            continue
        explained[found] = {"found": found, "how": spelling.how, "in": _filters(places)}
        if cells := [(column, value) for (field, _, column), value in places.items() if field == Field.VALUE]:
            column, value = min(cells, key=lambda cell: cell[0])
            explained[found] |= {"column": table.columns.names[column], "value": value}
    return list(explained.values())


def _filters(places: Iterable[Place]) -> list[str]:
    """The filters that search the fields of these places, in the order of the fields."""
    fields = {field for field, _, _ in places}
    return [name for name, filtered in FILTERS.items() if fields & set(filtered)]


def _frequency(places: dict[Place, Spelling], words: list[Word], question: Question) -> float:
    x = 0.0
    for field in sorted({field for field, _, _ in places}):
        own = [spelling for (f, _, _), spelling in places.items() if f == field]
        exact = sum(_is_exact(spelling) for spelling in own)
        count = (OTHER_FORMS * exact + len(own) - exact) / OTHER_FORMS
        b = B_OF_CELLS if field == Field.VALUE else B
        length = _length(words, field) / question.averages[field]
        x += WEIGHT[field] * count / ((1.0 - b) + b * (math.sqrt(math.sqrt(length)) if question.looked_up else length))
    return x


def _is_exact(spelling: Spelling) -> bool:
    """Whether it is the word as typed, joined with its neighbour, or corrected."""
    return spelling.how != "form" and not spelling.cut


def _corrected(sought: Sought, lake: list[list[Word]]) -> tuple[Sought, int, dict[str, list[str]]]:
    """The clause; if no table has it in any field, with the nearest known words for unknown ones."""
    clause = sought.clause
    anywhere = replace(sought, clause=replace(clause, fields=()))
    known = any(_matches(anywhere, words) for words in lake)
    if known or clause.excluded or not (clause.word or clause.quoted):
        return sought, 0, {}
    if clause.word:
        options, distance = _nearest(clause, clause.word, lake, with_halves=True)
        instead = {clause.text: [" ".join(slot[0] for slot in option) for option in options]}
        corrections = tuple(Spelling(option, "correction") for option in options)
        return (replace(sought, spellings=corrections), distance, instead) if options else (sought, 0, {})
    terms = {word.term for words in lake for word in words}
    slots, instead, total = list[Slot](), {}, 0
    for slot in clause.options[0]:
        options, distance = ((), 0) if slot[0] in terms else _nearest(clause, slot[0], lake)
        if options:
            instead[slot[0]] = [option[0][0] for option in options]
        slots.append(tuple(option[0][0] for option in options) or slot)
        total += distance
    return (
        replace(sought, spellings=(Spelling(tuple(slots), "correction" if total else "word", quoted=True),)),
        total,
        instead,
    )


def _nearest(
    clause: Clause, word: str, lake: list[list[Word]], with_halves: bool = False
) -> tuple[tuple[Option, ...], int]:
    """The nearest words of names, headers and descriptions that are in the fields of the clause; or else of cells."""
    most = 0 if word.isnumeric() or len(word) < 4 else 1 if len(word) < 8 else 2
    names = tuple(field for field in Field if field != Field.VALUE)
    candidates: list[Option] = [((term,),) for term in {w.term for words in lake for w in words if w.field in names}]
    if with_halves:
        candidates += [((word[:i],), (word[i:],)) for i in range(3, len(word) - 2)]
    nearest = _least_distant(word, candidates, clause.fields or names, lake, most)
    if nearest[0] or (clause.fields and Field.VALUE not in clause.fields):
        return nearest
    of_cells = {w.term for words in lake for w in words if w.field == Field.VALUE and w.term[0] == word[0]}
    return _least_distant(word, [((term,),) for term in of_cells], (Field.VALUE,), lake, most)


def _least_distant(
    word: str, candidates: list[Option], fields: tuple[Field, ...], lake: list[list[Word]], most: int
) -> tuple[tuple[Option, ...], int]:
    for distance in range(1, most + 1):
        known = []
        for option in candidates:
            spelled = " ".join(slot[0] for slot in option)
            if alignment(word, spelled) == distance:
                spelling = Spelling(option, "correction")
                holding = sum(bool(_places(spelling, fields, words)) for words in lake)
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
