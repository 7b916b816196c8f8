"""Which letters, words and hashes do the vectors of spellings consist of?  Constants and tables, part of the format."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np

from mere.compiled import read_only
from mere.indexes.similar.embedders.abbreviations import ABBREVIATIONS, MONTHS, NOT_FIRST

BUCKETS = 1 << 16  # of hashes of words and of features
MOST_GRAMS = 48  # features of one value
MOST_LETTERS = 512  # of one value; what follows is not looked at
EDGE = 1  # stands before the first and after the last letter of a word
WORD_SEED, NUMBER_SEED, SEQUENCE_SEED = 2, 1, 3
WORD, NUMBER, SEQUENCE = 64.0, 112.0, 3.0  # factors of weights; of the sequence, in square
ORDINALS = ("st", "nd", "rd", "th")
PLAIN_WORDS = (*sorted({*MONTHS.values(), "may"}), "am", "pm")  # beside which numbers are a date or a time
SIGNS = "#$%+<=>£¥°€"  # are kept, as words of their own: "A+" is not "A"
TABLE_END = 0x2000  # letters beyond are kept as they are, except in these ranges
SEPARATORS = (
    (0x2000, 0x2070),
    (0x20A0, 0x20AC),
    (0x20AD, 0x2C00),
    (0x2E00, 0x2E80),
    (0x3000, 0x3005),
    (0x3008, 0x3021),
    (0xE000, 0xF900),
)

BUCKET_BITS = 12  # first bits of a hash: some hundred words are known, so most buckets are empty
ABBREVIATION, FIRST_STAYS, PLAIN, ORDINAL = 1, 2, 4, 8  # what is known of a word


class Tables(NamedTuple):
    """Letters and words, for kernels."""

    letters: np.ndarray  # uint32 per code point below TABLE_END: the letter without accent, 0 if it separates words
    keys: np.ndarray  # uint64: hashes of the words that are known, ascending
    buckets: np.ndarray  # int64: where the keys with each first bits start, and where the last ones end
    known: np.ndarray  # uint8: what is known of each
    starts: np.ndarray  # int64: where what each stands for begins
    spelled: np.ndarray  # uint32: what they stand for
    weights: np.ndarray  # uint8 per bucket of words


def mix_int(x: int) -> int:
    """`values.mix` of one number."""
    full = (1 << 64) - 1
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & full
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & full
    return x ^ (x >> 31)


def word_hash(word: str, seed: int = WORD_SEED) -> int:
    """The 64-bit hash of a run of letters, or of digits."""
    state = seed
    for letter in word:
        state = mix_int((state + ord(letter)) & ((1 << 64) - 1))
    return state


@cache
def letter_table() -> np.ndarray:
    """Per code point below `TABLE_END` the letter that it is read as, 0 if it separates words."""
    return np.array([_folded(code) for code in range(TABLE_END)], np.uint32)


def _folded(code: int) -> int:
    """
    >>> [chr(_folded(ord(letter))) for letter in "aéй9"], _folded(ord("-"))
    (['a', 'e', 'и', '9'], 0)
    """
    if chr(code) in SIGNS:
        return code
    if unicodedata.category(chr(code))[0] not in "LMN":
        return 0
    parts = unicodedata.normalize("NFKD", chr(code))
    is_accented = len(parts) > 1 and all(unicodedata.combining(part) for part in parts[1:])
    return ord(parts[0]) if is_accented else code


@cache
def known_words() -> dict[str, tuple[int, str]]:
    """Per word what is known of it, and what it stands for."""
    known: dict[str, tuple[int, str]] = dict.fromkeys(PLAIN_WORDS, (PLAIN, ""))
    for short, long in ABBREVIATIONS.items():
        flags = ABBREVIATION | (FIRST_STAYS if short in NOT_FIRST else 0)
        known[short] = (flags | known.get(short, (0, ""))[0], long)
    for ending in ORDINALS:
        flags, long = known.get(ending, (0, ""))
        known[ending] = (flags | ORDINAL, long)
    return known


@cache
def fixed_tables() -> Tables:
    """The tables but for the words' weights, which each lake learns."""
    words = sorted(known_words().items(), key=lambda item: word_hash(item[0]))
    spelled = [long for _, (_, long) in words]
    starts = np.cumsum([0, *(len(long) for long in spelled)]).astype(np.int64)
    keys = np.array([word_hash(word) for word, _ in words], np.uint64)
    buckets = np.searchsorted(keys >> np.uint64(64 - BUCKET_BITS), np.arange((1 << BUCKET_BITS) + 1))
    return Tables(
        read_only(letter_table()),
        read_only(keys),
        read_only(buckets),
        read_only(np.array([flags for _, (flags, _) in words], np.uint8)),
        read_only(starts),
        read_only(np.array([ord(letter) for long in spelled for letter in long], np.uint32)),
        read_only(np.zeros(BUCKETS, np.uint8)),
    )
