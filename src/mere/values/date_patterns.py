"""How are dates and times written?  One regular expression per family of formats, for values that are normalised."""

from __future__ import annotations

_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?"
_TIME = (
    rf"(?:[t ,]+{_CLOCK}"
    r"(?: ?(?P<half>am|pm|a\.m\.|p\.m\.))?(?: ?(?P<zone>z|utc|gmt|[+-][0-9]{2}:?(?:[0-9]{2})?))?)?"
)
_MONTH = (
    r"(?P<word>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
FAMILIES = {
    "iso": rf"^(?P<year>[12][0-9]{{3}})[-/](?P<month>[0-9]{{1,2}})[-/](?P<day>[0-9]{{1,2}}){_TIME}$",
    "month": r"^(?P<year>(?:1[5-9]|20|21)[0-9]{2})[-/](?P<month>0[1-9]|1[0-2])$",
    "numeric": rf"^(?P<first>[0-9]{{1,2}})(?P<mark>[-/.])(?P<other>[0-9]{{1,2}})[-/.]{_YEAR}{_TIME}$",
    "day-month": rf"^(?:[a-z]{{3,9}},? )?(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?[- ]{_MONTH}[-, ]+{_YEAR}{_TIME}$",
    "month-day": rf"^(?:[a-z]{{3,9}},? )?{_MONTH} (?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,? (?P<year>[0-9]{{4}}){_TIME}$",
    "clock": rf"^{_CLOCK}(?: ?(?P<half>am|pm))?$",
}
LOOKS = (
    r"^[0-9]{1,4}[-/.: ]|^[0-9]{1,2}(st|nd|rd|th) |"
    r"^([a-z]{3,9},? )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|[0-9])[^-/.: ]*[-/.: ]"
)
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
