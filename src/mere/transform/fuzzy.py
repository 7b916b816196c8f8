"""Which of the rows that are left over belong together, although no program says so?  Algorithm 6 of the thesis.

    C, K         the source texts and the target keys          _Texts.mine, _Texts.theirs
    d_t, 1 - s   distance, threshold                            1 - similarity, `threshold`
    constraint   no row may get a second partner (4.10)        of the rows that programs matched, nearly none would

The threshold is the lowest at which nearly no row that a program has matched would find another partner: those rows
show how similar texts are that do not belong together.  If it lets hardly more pairs through than rows that have no
partner would make, there are none.  (The thesis searches for it by halving, in the wrong direction;
here it is a quantile.)  Then a pair of rows must be each other's best, by a margin.  Similarities are computed for keys
that share rare pieces (`pairs.TargetIndex`), so that the cost is linear in the rows.  Two codes are no pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest

import pyarrow as pa
from rapidfuzz.distance import Indel

from mere.transform.candidates import Candidate
from mere.transform.canonical import canonical, tokens
from mere.transform.pairs import TargetIndex
from mere.transform.similarity import Weights
from mere.transform.tables import Side
from mere.values import codes_among

WRONG = 0.01  # of the pairs may be
TIMES_CHANCE = 4.0  # pairs must be so many times what the matched rows let expect, if that is more than one
TOLERATED = 0.05  # share of the matched rows that may have another key as similar as the threshold
LEAST = 0.5  # similarity
MARGIN = 1.1
_NEIGHBOURS = 6  # keys that are compared per row
_MOST_MATCHED = 400  # matched rows that show what is not similar enough


@dataclass(frozen=True)
class Fuzzy:
    source: int
    target: int
    score: float


class _Texts:
    """The texts of both sides: what the program makes of a row, and what it reads; the key, and its whole column."""

    def __init__(self, candidate: Candidate, source: Side, target: Side) -> None:
        self.source, self.target, self.rule = source, target, candidate.rule
        self.keys = dict(zip(target.rows, candidate.keys.texts, strict=True))
        keyed = {row for rows in candidate.keys.rows.values() for row in rows}
        self.index = TargetIndex([text if row in keyed else None for row, text in self.keys.items()])
        self.codes = _codes(map(canonical, map(self.read, source.rows))), _codes(self.index.texts)
        self.weights = Weights(
            [*(self.read(row) for row in source.rows[:5000]), *(text for text in candidate.keys.texts[:5000] if text)]
        )

    def read(self, row: int) -> str:
        """What the program reads of a source row."""
        return " ".join(cell for name in self.rule.program.columns if (cell := self.source.cells(name, row)))

    def similarities(self, row: int) -> list[tuple[float, int]]:
        """The similarity of a source row to the keys that share the most with it: with their rows, best first."""
        read = self.read(row)
        made = self.source.outputs(self.rule.program, [row])[0]
        texts = [canonical(read), *([canonical(made)] if made else [])]
        scores = self.index.scores(texts)
        near = nlargest(_NEIGHBOURS, scores, key=lambda place: (scores[place], -place))
        found = []
        for place in near:
            key = self.index.texts[place]
            if (texts[0] in self.codes[0] and key in self.codes[1]) or _other_numbers(texts, key):
                continue
            score = self.weights.similarity(read, key)
            if made:
                score = max(score, Indel.normalized_similarity(canonical(made), key) ** 2)
            found.append((score, self.target.rows[self.index.rows[place]]))
        return sorted(found, reverse=True)


def _codes(texts: Iterable[str]) -> set[str]:
    """The texts that are codes, of which it says nothing that two are spelled alike; all, if half of them are."""
    values = list(dict.fromkeys(texts))
    codes = {text for text, code in zip(values, codes_among(pa.array(values, pa.string())), strict=True) if code}
    return set(values) if 2 * len(codes) >= len(values) else codes


def _other_numbers(texts: Sequence[str], key: str) -> bool:
    """Whether a key has other numbers: 1234 is spelt like 1235, but is no spelling of it."""
    numbers = {word for text in texts for word in tokens(text) if word.isdigit()}
    theirs = {word for word in tokens(key) if word.isdigit()}
    return bool(numbers and theirs) and not (numbers <= theirs or theirs <= numbers)


def fuzzy_pairs(
    candidate: Candidate,
    sides: tuple[Side, Side],
    matched: dict[int, set[int]],
    out_of_time: Callable[[], bool],
) -> list[Fuzzy]:
    """Pairs of rows that the rules left over; `matched` has the target rows of every source row that has any."""
    source, target = sides
    texts = _Texts(candidate, source, target)
    threshold, chance = _threshold(texts, matched, out_of_time)
    taken = {row for rows in matched.values() for row in rows}
    several = _several_per_target(texts, matched)
    best: dict[int, list[tuple[float, int]]] = {}
    for row in source.rows:
        if row in matched or out_of_time():
            continue
        found = texts.similarities(row)
        open_ones = [(score, other) for score, other in found if several or other not in taken]
        if open_ones and open_ones[0][0] > threshold:
            best[row] = open_ones
    pairs = _mutual(best, texts, several)
    expected = chance * (len(source.rows) - len(matched))
    return pairs if expected <= 1 or len(pairs) >= TIMES_CHANCE * expected else []


def _mutual(best: dict[int, list[tuple[float, int]]], texts: _Texts, several: bool) -> list[Fuzzy]:
    """The pairs that are each other's best, by a margin."""
    rivals: dict[int, dict[str, float]] = {}
    for row, found in best.items():
        for score, other in found:
            by_text = rivals.setdefault(other, {})
            by_text[texts.read(row)] = max(score, by_text.get(texts.read(row), 0.0))
    pairs = []
    for row, found in best.items():
        score, other = found[0]
        second = found[1][0] if len(found) > 1 and texts.keys[found[1][1]] != texts.keys[other] else 0.0
        others = [rival for text, rival in rivals[other].items() if text != texts.read(row)]
        if score >= MARGIN * second and (several or score >= MARGIN * max(others, default=0.0)):
            pairs.append(Fuzzy(row, other, round(score, 4)))
    return pairs


def _threshold(texts: _Texts, matched: dict[int, set[int]], out_of_time: Callable[[], bool]) -> tuple[float, float]:
    """The lowest similarity that nearly no matched row has to a key that is not its own, and how likely that is.

    Of so many rows that are left over as well, few in comparison with the pairs that there are.
    """
    wrong = []
    for row in list(matched)[:_MOST_MATCHED]:
        if out_of_time():
            break
        own = {texts.keys[other] for other in matched[row]}
        others = [score for score, other in texts.similarities(row) if texts.keys[other] not in own]
        wrong.append(max(others, default=0.0))
    left_over = len(texts.source.rows) - len(matched)
    tolerated = min(TOLERATED, WRONG * len(matched) / max(1, left_over))
    wrong.sort(reverse=True)
    threshold = max(LEAST, wrong[max(0, math.ceil(tolerated * len(wrong)) - 1)] if wrong else 0.0)
    return threshold, (1 + sum(score > threshold for score in wrong)) / (1 + len(wrong))


def _several_per_target(texts: _Texts, matched: dict[int, set[int]]) -> bool:
    """Whether different source texts have the same partner: then rows that have one may get another."""
    by_target: dict[int, set[str]] = {}
    for row, others in matched.items():
        for other in others:
            by_target.setdefault(other, set()).add(texts.read(row))
    return sum(len(seen) > 1 for seen in by_target.values()) > 0.1 * len(by_target)


def oriented(pairs: Sequence[tuple[int, int]], candidate: Candidate) -> list[tuple[int, int]]:
    """Pairs of left and right rows as pairs of source and target rows, and the other way round."""
    forwards = candidate.rule.direction == "left to right"
    return [pair if forwards else (pair[1], pair[0]) for pair in pairs]
