"""Which East Asian encoding is a text in?

An encoding **fits** if nearly all characters of the text have the leading bytes of its language's everyday characters:
kana, kanji, hanzi or hangul.  The same bytes may fit several, as those of EUC-JP without kana fit GB 18030.  Of those
that fit, the likeliest is taken: common characters (`east_asian_characters`) are likelier than other everyday ones, and
these than the rest.  What is nearly as likely is told as uncertain.
"""

from __future__ import annotations

import codecs
import math
import re
from functools import lru_cache
from typing import NamedTuple

from mere.readers.east_asian_characters import HANGUL, JAPANESE, SIMPLIFIED, TRADITIONAL

SAMPLE = 2_000  # characters
FEWEST = 3  # characters that can speak for an encoding
SURE = 5.0  # difference of log likelihoods that makes a choice sure: 150 times as likely; the lists are rough
ASCII = -math.log(64)  # of a letter, digit or mark
KANA = "\u3041-\u30fe"
NEUTRAL = re.compile(
    r"[\u2000-\u2bff\u3000-\u303f\uff01-\uff5e\uffe0-\uffe6\u00a7\u00b0\u00b1\u00d7]"
)  # punctuation, signs
RARE = 0.03 / 5_000  # a character that is neither common nor an everyday one


class Encoding(NamedTuple):
    """What is usual in an encoding of one language."""

    name: str
    leads: frozenset[int]  # leading bytes of everyday characters
    share: float  # of the characters must have them
    common: frozenset[str]  # characters that are common in tables
    common_share: float  # of the characters of a text, about
    everyday: int  # how many characters have the leading bytes
    kana_share: float = 0.0


ENCODINGS = (
    Encoding("euc_kr", frozenset(range(0xB0, 0xC9)), 0.97, frozenset(HANGUL), 0.75, 2_350),
    Encoding("cp932", frozenset({0x82, 0x83, *range(0x88, 0x98)}), 0.8, frozenset(JAPANESE), 0.4, 2_965, 0.35),
    Encoding("euc_jp", frozenset({0xA4, 0xA5, *range(0xB0, 0xD0)}), 0.97, frozenset(JAPANESE), 0.4, 2_965, 0.35),
    Encoding("gb18030", frozenset(range(0xB0, 0xD8)), 0.85, frozenset(SIMPLIFIED), 0.75, 3_755),
    Encoding("big5", frozenset(range(0xA4, 0xC7)), 0.85, frozenset(TRADITIONAL), 0.65, 5_401),
)
TWO_HIGH_BYTES = ("euc_kr", "euc_jp", "gb18030")  # the second byte of a common character is not ASCII either


@lru_cache(maxsize=8)
def guess_east_asian(sample: bytes) -> tuple[str, ...]:
    """The likeliest encoding, and those that are nearly as likely; empty if none fits."""
    texts = {each.name: text for each in ENCODINGS if (text := _fitting(sample, each))}
    likelihoods = {each.name: _likelihood(texts[each.name], each) for each in ENCODINGS if each.name in texts}
    names = sorted(likelihoods, key=lambda name: -likelihoods[name])
    return tuple(name for name in names if likelihoods[name] > likelihoods[names[0]] - SURE)


def _fitting(sample: bytes, encoding: Encoding) -> str:
    """The text, if its characters are everyday ones of the encoding's language."""
    try:
        text = codecs.getincrementaldecoder(encoding.name)().decode(sample)
    except UnicodeDecodeError:
        return ""
    text = NEUTRAL.sub("", text)
    wide = [character.encode(encoding.name) for character in text if not character.isascii()][:SAMPLE]
    high = 0xA0 if encoding.name in TWO_HIGH_BYTES else 0
    everyday = sum(len(each) == 2 and each[0] in encoding.leads and each[1] > high for each in wide)
    return text if len(wide) >= FEWEST and everyday >= encoding.share * len(wide) else ""


def _likelihood(text: str, encoding: Encoding) -> float:
    """The logarithm; that of ASCII characters counts as well, because an encoding may take them for second bytes."""
    wide = re.sub(r"[\x00-\x7f]", "", text)
    kana = len(re.findall(f"[{KANA}]", wide)) if encoding.kana_share else 0
    common = sum(character in encoding.common for character in wide)
    leads = [character.encode(encoding.name)[0] in encoding.leads for character in wide]
    everyday = sum(leads) - kana - common
    rest = 1 - encoding.kana_share - encoding.common_share
    chances = {
        encoding.kana_share / 170: kana, encoding.common_share / len(encoding.common): common,
        rest / encoding.everyday: everyday, RARE: len(wide) - sum(leads),
    }  # fmt: skip
    return (len(text) - len(wide)) * ASCII + sum(count * math.log(chance) for chance, count in chances.items() if count)
