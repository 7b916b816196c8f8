"""Which single-byte code page is a text in?

Each code page turns a byte beyond ASCII into another character. The one that is chosen makes them likeliest, given
the characters before and after, in one language: letters in pairs as the language has them, capitals where words
start, signs outside of words. The pairs are counted in some common words of each language (`spelling_samples.py`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from mere.readers.spelling_samples import CYRILLIC, GREEK, LATIN, SEMITIC

# Prior weight of each code page; letters of latin-1 and windows-1252 are the same.
PAGES = {
    "cp1252": 1.0, "cp1250": 0.5, "cp1251": 0.5, "cp1253": 0.5, "cp1254": 0.3, "cp1257": 0.02, "iso8859_2": 0.2,
    "iso8859_7": 0.1, "iso8859_5": 0.02, "koi8_r": 0.3, "koi8_u": 0.1, "cp866": 0.1, "mac_roman": 0.1,
    "mac_cyrillic": 0.001, "mac_latin2": 0.01, "cp850": 0.02, "cp852": 0.02,
    "cp1255": 0.3, "cp1256": 0.3,
}  # fmt: skip
USUAL = "cp1252"  # unless another one is surely better
PLAUSIBLE = -11.0  # average log likelihood of a character in the right code page
FEWEST = 3  # different characters with neighbours that can speak for another page...
VERY_SURE, PLAUSIBLE_FEW = 20.0, -8.0  # ...unless they are as usual there, and as odd here, as `zł` is in Polish prices
SAMPLE = 1_000  # characters beyond ASCII that are looked at
SURE = 3.0  # difference of log likelihoods that makes a choice sure, e^3 = 20 times as likely
SIGNS = frozenset("’‘“”„‚«»¿¡–—…™®ºª°²³†½¼¾€£§©•·±×\u00a0µ‰№")
# Log likelihoods: of a character with its two neighbours, and what a capital letter adds.
UNKNOWN_LETTER, CAPITAL, CAPITAL_INSIDE = -16.0, -1.0, -7.0
RARE_SIGN, SIGN_INSIDE, SIGN, USUAL_SIGN = -17.0, -14.0, -10.0, -6.0
POWERS = "mMtT0123456789)"  # what stands before a square or a cube: m², ft³, 10², but not the zł of another page
LAST_LATIN = "\u024f"  # letters beyond are not beside ASCII letters
LAST_LETTERS = (LAST_LATIN, "\u03ff", "\u052f")  # of the Latin, Greek and Cyrillic scripts
NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True)
class Guess:
    """`others` are code pages that are nearly as likely, and would give another text."""

    encoding: str
    likelihood: float  # log likelihood of a character beyond ASCII, on average
    others: tuple[str, ...] = ()


@lru_cache(maxsize=8)
def guess_code_page(sample: bytes) -> Guess:
    """The likeliest code page of some bytes, of which some are not ASCII."""
    texts = {page: f" {sample.decode(page, 'replace')} " for page in PAGES}
    scored = {page: _score(text) for page, text in texts.items()}
    scores = {page: each.total + math.log(PAGES[page]) for page, each in scored.items()}
    best = max(scores, key=lambda page: scores[page])
    margin = scores[best] - scores[USUAL]
    few = scored[best].kinds < FEWEST and (margin < VERY_SURE or scored[best].likelihood < PLAUSIBLE_FEW)
    if margin < SURE or scored[best].likelihood < PLAUSIBLE or few:
        best = USUAL
    close = [page for page in scores if page != best and scores[page] > scores[best] - SURE]
    return Guess(best, scored[best].likelihood, tuple(page for page in close if texts[page] != texts[best]))


class Score(NamedTuple):
    total: float  # log likelihood of all characters beyond ASCII, in the language that fits best
    likelihood: float  # the same on average
    kinds: int  # how many different ones, with their neighbours


def _score(text: str) -> Score:
    triples = Counter(text[match.start() - 1 : match.end() + 1] for match in _first(NOT_ASCII, text))
    score = sum(count * _sign(triple) for triple, count in triples.items() if not triple[1].isalpha())
    letters = [(triple, count) for triple, count in triples.items() if triple[1].isalpha()]
    if letters:
        languages = _languages()[_script(letters[len(letters) // 2][0][1])]
        score += max(sum(count * pairs.likelihood(triple) for triple, count in letters) for pairs in languages)
    return Score(score, score / max(1, triples.total()), len(triples))


def _first(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    matches = pattern.finditer(text)
    return [match for _, match in zip(range(SAMPLE), matches, strict=False)]


def _sign(triple: str) -> float:
    """A sign is likely where it usually stands: quotes and apostrophes at words, dashes between blanks..."""
    before, sign, after = triple[0], triple[1], triple[2]
    if sign not in SIGNS:
        return RARE_SIGN
    opens = after.isalnum() and not before.isalnum()
    closes = before.isalnum() and not after.isalnum()
    usual = {
        "’": before.isalpha(), "–": before == after, "—": before == after,
        "€": (opens and after.isdigit()) or (closes and before.isdigit()),
        "²": closes and before in POWERS, "³": closes and before in POWERS,
        "£": opens and not after.isalpha(), "\u00a0": before.isalnum() or before == " ",
    }  # fmt: skip
    if usual.get(sign, (opens and sign in "‘“„‚«¿¡") or (closes and sign in "”“»…™®ºª°")):
        return USUAL_SIGN
    return SIGN_INSIDE if before.isalpha() or after.isalpha() else SIGN


class Pairs:
    """How often the special letters of one language occur, and what stands before and after them."""

    def __init__(self, words: str) -> None:
        triples = [
            (" ", *word, " ")[place : place + 3]
            for word in words.split()
            for place in range(len(word))
            if not word[place].isascii()
        ]
        self._letters = Counter(letter for _, letter, _ in triples)
        self._before = Counter((before, letter) for before, letter, _ in triples)
        self._after = Counter((letter, after) for _, letter, after in triples)
        self._alone = Counter(word for word in words.split() if len(word) == 1)
        self._total = len(triples)
        self._known: dict[str, float] = {}

    def likelihood(self, triple: str) -> float:
        known = self._known.get(triple)
        if known is None:
            known = self._known[triple] = self._likelihood(triple)
        return known

    def _likelihood(self, triple: str) -> float:
        before, letter, after = (_plain(character) for character in triple)
        count = self._letters[letter]
        capital = 0.0
        if triple[1] != letter:
            capital = CAPITAL_INSIDE if triple[0].islower() else CAPITAL
        if before + after == "  " and not self._alone[letter]:
            return UNKNOWN_LETTER
        if not count or (letter > LAST_LATIN and (triple[0] + triple[2]).isascii() and (before + after).strip()):
            return UNKNOWN_LETTER + capital
        first, second = self._before[(before, letter)], self._after[(letter, after)]
        around = math.log((first + 0.3) / (count + 9)) + math.log((second + 0.3) / (count + 9))
        return math.log(count / self._total) + around + capital


def _plain(character: str) -> str:
    """Small, and a space if it is not a letter."""
    return character.lower()[:1] if character.isalpha() else " "


def _script(letter: str) -> int:
    return sum(letter > last for last in LAST_LETTERS)


@lru_cache(maxsize=1)
def _languages() -> list[list[Pairs]]:
    return [[Pairs(words) for words in script.values()] for script in (LATIN, GREEK, CYRILLIC, SEMITIC)]
