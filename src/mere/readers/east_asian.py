"""Which East Asian encoding is a text in?

The common characters of a language have leading bytes of their own in each encoding: the kana, the everyday kanji,
hanzi or hangul. An encoding fits if nearly all characters of the text have those; the encodings are tried from the
one whose leading bytes are the fewest.
"""

from __future__ import annotations

import codecs

SAMPLE = 2_000  # characters
FEWEST = 3  # characters that can speak for an encoding
# Encoding, leading bytes of its common characters, the share of the characters that must have them.
COMMON = (
    ("euc_kr", {*range(0xB0, 0xC9)}, 0.97),
    ("cp932", {0x82, 0x83, *range(0x88, 0x98)}, 0.8),
    ("euc_jp", {0xA4, 0xA5, *range(0xB0, 0xD0)}, 0.97),
    ("gb18030", {*range(0xB0, 0xD8)}, 0.85),
    ("big5", {*range(0xA4, 0xC7)}, 0.85),
)
KANA = {"euc_jp": {0xA4, 0xA5}}  # without any of these, it is Chinese
LEAST_KANA = 0.1
TWO_HIGH_BYTES = ("euc_kr", "euc_jp", "gb18030")  # the second byte of a common character is not ASCII either


def guess_east_asian(sample: bytes) -> str:
    """The encoding, or "" if none fits."""
    return next((name for name, leads, share in COMMON if _fits(sample, name, leads, share)), "")


def _fits(sample: bytes, name: str, leads: set[int], share: float) -> bool:
    try:
        text = codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeDecodeError:
        return False
    wide = [character.encode(name) for character in text if not character.isascii()][:SAMPLE]
    high = 0xA0 if name in TWO_HIGH_BYTES else 0
    common = sum(len(each) == 2 and each[0] in leads and each[1] > high for each in wide)
    kana = sum(each[0] in KANA.get(name, leads) for each in wide)
    return len(wide) >= FEWEST and common >= share * len(wide) and kana >= LEAST_KANA * len(wide)
