"""The vector of a spelling, made letter by letter from strings: the oracle of the embedder, without its code."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from itertools import pairwise

import numpy as np

_FULL = (1 << 64) - 1
_DIGITS = "0123456789"
_SIGNS = "#$%+<=>£¥°€"
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_SHORT = {
    **{month[:3]: month for month in _MONTHS if month != "may"}, "sept": "september", "apt": "apartment",
    "av": "avenue", "ave": "avenue", "bldg": "building", "blvd": "boulevard", "ct": "court", "dr": "drive",
    "hwy": "highway", "ln": "lane", "pkwy": "parkway", "pl": "place", "rd": "road", "rm": "room", "sq": "square",
    "st": "street", "ste": "suite",
}  # fmt: skip


def spelling_vector(text: str, weights: np.ndarray) -> dict[int, int]:
    """The features of a value with their weights."""
    tokens = _written_out(_tokens(text))
    vector: Counter[int] = Counter()
    total = 0
    for token in tokens:
        hashed = _hash(token, 1 if token[0] in _DIGITS else 2)
        rarity = int(weights[hashed >> 48])
        if token[0] in _DIGITS:
            features, each = [hashed], math.floor(rarity * 112 + 0.5)
        else:
            padded = f"\x01{token}\x01"
            features = [_mixed(ord(a) | ord(b) << 21 | ord(token[0]) << 42) for a, b in pairwise(padded)]
            each = max(1, math.floor(rarity * 64.0 / math.sqrt(len(features)) + 0.5))
        total += each * each * len(features)
        for feature in features:
            vector[feature >> 32] += each
    if len(tokens) > 1 and any(t[0] in _DIGITS for t in tokens) and all(_beside_numbers(t) for t in tokens):
        vector[_sequence(tokens) >> 32] += math.floor(math.sqrt(3.0 * total) + 0.5)
    return dict(sorted(vector.items())[:48])


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Runs of letters, of digits and of signs, and whether each follows a digit directly."""
    tokens: list[tuple[str, bool]] = []
    before = ""
    for letter in map(_folded, text[:512]):
        if letter and before and _class_of(letter) == _class_of(before):
            tokens[-1] = (tokens[-1][0] + letter, tokens[-1][1])
        elif letter:
            tokens.append((letter, _class_of(before) == "digit"))
        before = letter
    return tokens


def _class_of(letter: str) -> str:
    if letter and letter in _DIGITS:
        return "digit"
    return "sign" if letter and letter in _SIGNS else "letter"


def _folded(letter: str) -> str:
    code = ord(letter)
    if letter in _SIGNS:
        return letter
    if code >= 0x2000:
        ranges = [
            (0x2000, 0x2070),
            (0x20A0, 0x2C00),
            (0x2E00, 0x2E80),
            (0x3000, 0x3005),
            (0x3008, 0x3021),
            (0xE000, 0xF900),
        ]
        return "" if any(low <= code < high for low, high in ranges) else letter
    if unicodedata.category(letter)[0] not in "LMN":
        return ""
    parts = unicodedata.normalize("NFKD", letter)
    return parts[0] if len(parts) > 1 and all(unicodedata.combining(part) for part in parts[1:]) else letter


def _written_out(tokens: list[tuple[str, bool]]) -> list[str]:
    words = [token for token, after_digit in tokens if not (after_digit and token in ("st", "nd", "rd", "th"))]
    if not any(word[0] in _DIGITS for word in words):
        return words
    written = [_SHORT.get(word, word) for word in words]
    if words[0] in ("st", "dr", "ste"):
        written[0] = words[0]
    return [(word.lstrip("0") or "0") if word[0] in _DIGITS else word for word in written]


def _beside_numbers(token: str) -> bool:
    return token[0] in _DIGITS or len(token) == 1 or token in (*_MONTHS, "am", "pm")


def _sequence(tokens: list[str]) -> int:
    hashes = [_hash(token, 1 if token[0] in _DIGITS else 2) for token in tokens]
    if any(token in _MONTHS for token in tokens):
        return _mixed((3 + sum(map(_mixed, hashes))) & _FULL)
    state = 3
    for hashed in hashes:
        state = _mixed((state + hashed) & _FULL)
    return state


def _hash(token: str, state: int) -> int:
    for letter in token:
        state = _mixed((state + ord(letter)) & _FULL)
    return state


def _mixed(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _FULL
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _FULL
    return x ^ (x >> 31)
