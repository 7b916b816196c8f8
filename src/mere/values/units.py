"""Which signs and words beside a number are its unit: currencies, percent?

Values arrive folded to lower case.  A unit has one name, however it is written: `€` and `eur` are EUR.  A plain `$` may
be the dollar of many countries, so it stays `$`.  Letters right before digits only are a code: `chf100` is a flight,
`rs7412` a gene, while `chf 100`, `chf100.50` and `100chf` are amounts.  Codes of currencies that are English words
(`all`, `top`, `pen`) are left out: `top 10` is no amount of money.
"""

from __future__ import annotations

import re

_CODES_TEXT = (
    "aed ars aud bdt bgn bhd brl byn cad chf clp cny cop crc czk dkk dop dzd egp eur gbp ghs hkd hrk huf idr ils inr "
    "iqd isk jod jpy kes krw kwd kzt lbp lkr mxn myr ngn nok npr nzd omr php pkr pln qar ron rsd rub sar sek sgd thb "
    "tnd try twd uah ugx usd uyu uzs vnd xaf xof zar"
)
_CODES = _CODES_TEXT.split()
_DOLLARS = {"us": "USD", "au": "AUD", "a": "AUD", "ca": "CAD", "c": "CAD", "hk": "HKD", "nz": "NZD", "s": "SGD",
            "r": "BRL", "mx": "MXN", "nt": "TWD"}  # fmt: skip
_WORDS = {"kr": "kr", "kr.": "kr", "zł": "PLN", "kč": "CZK", "rs": "Rs", "rs.": "Rs", "fr.": "CHF", "ft": "HUF",
          "円": "JPY", "元": "CNY", "원": "KRW"}  # fmt: skip
_SIGNS = {"€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₺": "TRY", "₩": "KRW", "₪": "ILS", "₫": "VND", "₴": "UAH"}

PERCENT = ("%", "‰")
CURRENCY_SIGNS = "$¢£¤¥฿৳₠-₿"  # for a class of characters in a regular expression
_WRITTEN = sorted([*_CODES, *(f"{start}$" for start in _DOLLARS), *_WORDS], key=len, reverse=True)
UNIT = f"(?:{'|'.join(map(re.escape, _WRITTEN))}|[{CURRENCY_SIGNS}%‰])"  # as Python and RE2 read it
CURRENCIES = [*_WRITTEN, *"$¢£¤¥฿৳", *map(chr, range(ord("₠"), ord("₿") + 1))]  # as they are written
GLUED = "[a-złč]$"  # a unit that ends in a letter, without the blank behind it


def unit_name(written: str) -> str:
    """The name of a unit; empty if there is none.

    >>> unit_name("€"), unit_name("usd"), unit_name("us$"), unit_name("$"), unit_name("%")
    ('EUR', 'USD', 'USD', '$', '%')
    """
    if written.endswith("$") and written[:-1] in _DOLLARS:
        return _DOLLARS[written[:-1]]
    if written in _CODES:
        return written.upper()
    return _SIGNS.get(written) or _WORDS.get(written) or written
