"""Which abbreviations are written out before a value is embedded?  (PEXESO, section II-A: dates and addresses.)

Only in values that hold a digit, where "mar" is a month and "st" a street.
"""

from __future__ import annotations

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_ADDRESSES = {
    "st": "street", "str": "street", "ave": "avenue", "av": "avenue", "rd": "road", "blvd": "boulevard", "dr": "drive",
    "ln": "lane", "ct": "court", "pl": "place", "sq": "square", "hwy": "highway", "pkwy": "parkway", "apt": "apartment",
    "ste": "suite", "bldg": "building", "rm": "room", "fl": "floor", "ter": "terrace", "expy": "expressway",
}  # fmt: skip
ABBREVIATIONS = {**{month[:3]: month for month in MONTHS if month != "may"}, "sept": "september", **_ADDRESSES}
NOT_FIRST = ("st", "dr")  # as the first word of a value: saint, doctor
