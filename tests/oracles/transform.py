"""The same question, answered from its definition: sets of pieces, made word by word, and every pair of values."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from mere.answers import Hit, best
from mere.indexes.sets.question import distinct_of
from mere.segments import Table
from mere.transform import MONTHS, Options, Program, Rule
from mere.transform.accidents import Shapes
from mere.transform.match import match
from mere.values import Type, hash_values, mix, normalise_cell
from tests.oracles.ranking import tie_of

_FULL = (1 << 64) - 1
_WORDS = re.compile(r"[a-z\u0080-\U0010ffff]+|[0-9]+")
Column = tuple[str, str, dict[str, int]]  # table, column, the rows that hold each value; in the order of hashes


def brute(query: Mapping[str, Any], tables: Sequence[Table], settings: Mapping[str, Any]) -> list[Hit]:
    """The best k columns, or tables, by how many of the query's values match and agree, in order."""
    mine = distinct_of(query["values"])
    counts = dict(zip(mine.values.tolist(), mine.counts.tolist(), strict=True))
    every = [column for table in tables for column in _columns(table, settings)]
    weights = _weights(every, counts, settings)
    chosen = _candidates(query, every, weights, settings)
    hits: list[Hit] = []
    for table in tables:
        found = []
        for name, column, theirs in every:
            if name == table.facts.name and _may_answer(query, name) and tuple(theirs) in chosen:
                rules = _rules(list(counts), list(theirs), query.get("many_to_many", False))
                pairs = brute_pairs(rules, list(counts), list(theirs))
                score, mean, rare = brute_agreement(pairs, list(counts), weights)
                likely = rare >= 0.99 or not brute_chance(rules, list(counts), list(theirs))
                equal = query.get("table") is None and all(left == right for left, right in pairs)
                key = query.get("many_to_many") or brute_key(pairs, len(counts), len(theirs))
                if not equal and key and pairs and mean >= 0.6 and likely and score >= query.get("share", 0.3) - 1e-9:
                    tie = tie_of(query, list(counts), mine.numeric, table, table.columns.names.index(column))
                    evidence = {
                        "shared": len({left for left, _ in pairs}),
                        "pairs": [list(pair) for pair in pairs],
                        "agreement": mean,
                    }
                    found.append(Hit(name, (column,), score, False, evidence, tie))
        hits += found if query.get("per") == "column" else best(found, 1)
    return best(hits, query.get("k", 10))


def _columns(table: Table, settings: Mapping[str, Any]) -> list[Column]:
    """The columns with values that are indexed."""
    values, counts, starts = table.sets.values.tolist(), table.sets.counts.tolist(), table.sets.starts
    numbers = settings.get("join_numbers", True)
    return [
        (table.facts.name, name, dict(zip(values[a:b], counts[a:b], strict=True)))
        for name, kind, (a, b) in zip(table.columns.names, table.columns.types, pairwise(starts.tolist()), strict=True)
        if b > a and (numbers or kind not in (Type.INTEGER, Type.DECIMAL))
    ]


def _may_answer(query: Mapping[str, Any], table: str) -> bool:
    return table != query.get("skip") and query.get("table") in (None, table)


def _stored(values: Iterable[str], settings: Mapping[str, Any]) -> tuple[int, list[int]]:
    """How many pieces a column has, and those that are stored."""
    pieces = sorted({piece for text in values for piece in brute_pieces(text)})
    return len(pieces), pieces[: settings.get("transform_pieces", 512)]


def _weights(every: Sequence[Column], mine: Iterable[str], settings: Mapping[str, Any]) -> dict[int, int]:
    """The weight of each piece of mine."""
    having = Counter(piece for _, _, theirs in every for piece in _stored(theirs, settings)[1])
    pieces = {piece for text in mine for piece in brute_pieces(text)}
    return {piece: math.floor(16 * math.log(1 + len(every) / max(1, having[piece])) + 0.5) ** 2 for piece in pieces}


def _candidates(
    query: Mapping[str, Any], every: Sequence[Column], weights: Mapping[int, int], settings: Mapping[str, Any]
) -> set[tuple[str, ...]]:
    """The values of the columns that share the rarest pieces with mine, without those that hold mine as they are."""
    mine = set(distinct_of(query["values"]).values.tolist())
    scores = {}
    for name, _, theirs in every:
        size, stored = _stored(theirs, settings)
        if _may_answer(query, name) and (total := sum(weights.get(piece, 0) for piece in stored)):
            scores[tuple(theirs)] = total * math.sqrt(size) / len(stored)
    order = sorted(scores, key=lambda values: (-scores[values], _contents(values)))
    if query.get("table") is None:
        order = [values for values in order if len(mine & set(values)) < 0.8 * len(mine)]
    return set(order[: query.get("candidates", 20)])


def brute_agreement(
    pairs: Sequence[tuple[str, str]], mine: Sequence[str], weights: Mapping[int, int]
) -> tuple[float, float, float]:
    """The score of the pairs; how much my matched values agree on average, and by the lake alone."""
    having = Counter(piece for text in mine for piece in brute_pieces(text))
    own = {piece: math.floor(16 * math.log(len(mine) / count) + 0.5) for piece, count in having.items()}
    degrees: dict[str, int] = {}
    by_lake: dict[str, int] = {}
    for left, right in pairs:
        shared = brute_pieces(left) & brute_pieces(right)
        in_lake, in_column = _degree(left, shared, weights), 0
        if brute_words(right) <= brute_pieces(left):
            in_column = _degree(left, shared & brute_pieces(left, with_letters=True), own)
        by_lake[left] = max(by_lake.get(left, 0), in_lake)
        degrees[left] = max(degrees.get(left, 0), in_lake, in_column)
    if not pairs:
        return 0.0, 0.0, 0.0
    total, distinct, matched = sum(degrees.values()), len({right for _, right in pairs}), 1000 * len(degrees)
    return min(total, 1000 * distinct) / (1000 * len(mine)), total / matched, sum(by_lake.values()) / matched


def _degree(text: str, shared: set[int], weights: Mapping[int, int]) -> int:
    """The weight of the best shared piece, in thousandths of the best piece of a value."""
    most, found = (max((weights[piece] for piece in pieces), default=0) for pieces in (brute_pieces(text), shared))
    return 1000 * found // max(1, most)


def _contents(values: Sequence[str]) -> int:
    return _mixed(sum(_mixed(_hash(text)) for text in values) & _FULL)


def brute_words(text: str) -> set[int]:
    """The pieces of a value that are words."""
    return {_word_hash(word) >> 32 for word in _words(text)}


def _words(text: str) -> list[str]:
    bare = "".join(c for c in unicodedata.normalize("NFD", text[:256]) if not unicodedata.combining(c))
    if not text[:256].isascii():
        bare = "".join(c if c.isascii() or c.isalnum() else " " for c in bare)
    return _WORDS.findall(bare)


def _word_hash(word: str) -> int:
    return _hash(_number_of_month(word.lstrip("0") or "0" if _is_number(word) else word))


def _is_number(word: str) -> bool:
    return word[0] in "0123456789"


def brute_pieces(text: str, with_letters: bool = False) -> set[int]:
    """The pieces of a value, or those of them that are not only of numbers and months."""
    words = _words(text)
    hashes = [_word_hash(word) for word in words]
    made: list[tuple[tuple[str, ...], int]] = [((word,), one) for word, one in zip(words, hashes, strict=True)]
    made += [((word,), _hash(word[1:])) for word in words if "a" <= word[0] <= "z" and len(word.encode()) >= 5]
    if len(words) > 1:
        mixed = [_mixed(one) for one in hashes]
        pairs = zip(pairwise(words), pairwise(mixed), strict=True)
        made += [(two, _mixed(sum(both) & _FULL)) for two, both in pairs]
        made += [(tuple(words), _mixed(sum(mixed) & _FULL)), (tuple(words), _hash("".join(words)))]
    return {piece >> 32 for used, piece in made if not with_letters or not all(map(_is_number_or_month, used))}


def _is_number_or_month(word: str) -> bool:
    return _is_number(word) or _number_of_month(word) != word


def _number_of_month(word: str) -> str:
    numbers = [number for number, month in enumerate(MONTHS, 1) if word in (month, month[:3])]
    return str(numbers[0]) if numbers else "9" if word == "sept" else word


def _hash(text: str) -> int:
    return int(hash_values(pa.array([text], pa.string()))[0])


def _mixed(number: int) -> int:
    return int(mix(np.array([number], np.uint64))[0])


def _rules(mine: list[str], theirs: list[str], many_to_many: bool) -> tuple[Rule, ...]:
    """What `mere.transform` learns; it has oracles of its own."""
    options = Options(seconds=3600, fuzzy=False, accidents=True, many_to_many=many_to_many)
    outcome = match({"mine": mine}, {"theirs": theirs}, options)
    return () if outcome.refused else outcome.rules


def brute_pairs(rules: Sequence[Rule], mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, str]]:
    """Every pair that a rule makes, of each of my values by the first rule that makes one."""
    pairs = []
    for left in mine:
        for rule in rules:
            found = [right for right in theirs if _matches(rule, left, right)]
            pairs += [(left, right) for right in found]
            if found:
                break
    return pairs


def _matches(rule: Rule, mine: str, theirs: str) -> bool:
    source, target = (mine, theirs) if rule.direction == "left to right" else (theirs, mine)
    outputs = [rule.program.row([source]), rule.key.row([target])]
    values = [None if output is None else normalise_cell(output) for output in outputs]
    return bool(values[0]) and values[0] == values[1]


def brute_chance(rules: Sequence[Rule], mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether chance gives half as many matches; the estimate of chance is that of `mere.transform`."""
    found, expected = 0, 0.0
    for rule in rules:
        source, target = (mine, theirs) if rule.direction == "left to right" else (theirs, mine)
        keys, outputs = _outputs(rule.key, target), _outputs(rule.program, source)
        found += sum(output in keys for output in outputs)
        expected += sum(Shapes(sorted(keys)).chance(output) for output in sorted(outputs))
    return found < 2 * expected


def brute_key(pairs: Sequence[tuple[str, str]], mine: int, theirs: int) -> bool:
    """Whether one side has one partner each: at most two pairs in a hundred, or two, are accidental."""
    matched_of = len({left for left, _ in pairs}), len({right for _, right in pairs})
    sides = zip((mine, theirs), matched_of, strict=True)
    return not pairs or min(values * (len(pairs) / matched - 1) for values, matched in sides) <= max(
        2, 0.02 * len(pairs)
    )


def _outputs(program: Program, values: Sequence[str]) -> set[str]:
    outputs = [program.row([value]) for value in values]
    return {normalise_cell(output) for output in outputs if output is not None} - {""}
