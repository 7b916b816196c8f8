"""How are abbreviations in dates and addresses written out before a value is embedded?

PEXESO (Dong, Takeoka, Xiao, Oyamada; ICDE 2021) does so in date and address columns (section II).  Here the value
itself decides: only a value with a digit can be a date or an address.  (`spelling` has the same words, and drops the
endings of ordinals.)  The rule:

- a token is a longest run of the letters a-z and of characters beyond ASCII; the value is normalised, so casefolded;
- a token that is a key of `ABBREVIATIONS` is replaced; all other characters stay as they are;
- except: the first token of the value, if it is in `NOT_FIRST` ("st. mary's 12" is a saint); and a token directly
  after a digit, unless it is a month ("1st", "3rd" are ordinals, "12mar1998" is a date).

Left out, because another meaning is as frequent in values with digits: `ft` (feet), `mt` (Montana, tons), `fl`
(Florida), and the compass letters (n, s, ne ...: initials, the s of "john's 2", Nebraska).
"""

from __future__ import annotations

import re

MONTHS = {
    "jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june", "jul": "july", "aug": "august",
    "sep": "september", "sept": "september", "oct": "october", "nov": "november", "dec": "december",
}  # fmt: skip
ADDRESS_WORDS = {
    "apt": "apartment", "av": "avenue", "ave": "avenue", "bldg": "building", "blvd": "boulevard", "ct": "court",
    "dr": "drive", "hwy": "highway", "ln": "lane", "pkwy": "parkway", "pl": "place", "rd": "road", "rm": "room",
    "sq": "square", "st": "street", "ste": "suite",
}  # fmt: skip
ABBREVIATIONS = MONTHS | ADDRESS_WORDS
NOT_FIRST = frozenset({"dr", "st", "ste"})  # doctor, saint, sainte

_DIGIT = re.compile("[0-9]")
_TOKEN = re.compile("[a-z\x80-\U0010ffff]+")


def expanded(text: str) -> str:
    """The normalised value with its abbreviations written out.

    >>> expanded("12 mar 1998"), expanded("616 east 9th st."), expanded("st mary, 3rd ave"), expanded("st andrews rd")
    ('12 march 1998', '616 east 9th street.', 'st mary, 3rd avenue', 'st andrews rd')
    """
    return _TOKEN.sub(_written_out, text) if _DIGIT.search(text) else text


def _written_out(match: re.Match[str]) -> str:
    token, text, start = match[0], match.string, match.start()
    if token in ADDRESS_WORDS and start > 0 and "0" <= text[start - 1] <= "9":
        return token
    if token in NOT_FIRST and not _TOKEN.search(text, 0, start):
        return token
    return ABBREVIATIONS.get(token, token)
