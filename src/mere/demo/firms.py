"""The names of firms, written in two ways: as a user types them, and as a public register has them.

No name is written the same in both; at the default distance eleven of the twelve are found, and the last is not.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import numpy as np

from mere.demo.company import amounts, days
from mere.demo.encode import Columns, Files, as_csv
from mere.demo.world import COUNTRIES, LAST_NAMES, pick, stream

REGISTER = "business/company_register.csv"


class Firm(NamedTuple):
    typed: str
    registered: str
    town: str


FIRMS = [
    Firm("Mueller & Soehne GmbH", "Müller & Söhne GmbH", "Hamburg"),
    Firm("ACME Corporation", "Acme Corp.", "Toronto"),
    Firm("Whitfeild Ceramics Ltd", "Whitfield Ceramics Ltd.", "Leeds"),
    Firm("Lindquist Textil AB", "Lindqvist Textil AB", "Malmö"),
    Firm("Ferreira e Filhos Lda.", "Ferreira & Filhos, Lda", "Porto"),
    Firm("Oakrige Timber Company", "Oakridge Timber Company", "Portland"),
    Firm("Pacific Metal, Inc.", "Pacific Metals Inc", "Oakland"),
    Firm("Harbor Glass Supply", "Harbour Glass Supply Ltd.", "Bristol"),
    Firm("Societe Nouvelle du Bois", "Société Nouvelle de Bois", "Lyon"),
    Firm("Berg Verpakkingen bv", "Berg Verpakking BV", "Rotterdam"),
    Firm("Anatolia Textiles", "Anatolian Textiles", "Izmir"),
    Firm("Tanaka Glass Works", "Tanaka Glassworks", "Osaka"),
]
_TRADES = ["Furniture", "Lighting", "Logistics", "Paper", "Packaging", "Ceramics", "Timber", "Metals", "Textiles"]
_FORMS = ["GmbH", "Ltd.", "Corp.", "Inc", "AB", "BV"]


def files(seed: int) -> Files:
    yield REGISTER, as_csv(_register(seed))


def suppliers(seed: int) -> Columns:
    """The user's table: from whom, and for how much, somebody bought."""
    rng = stream(seed, "my suppliers")
    return {
        "supplier": [firm.typed for firm in FIRMS],
        "spent": amounts(rng, 20_000, len(FIRMS)),
        "last_order": days(rng, date(2024, 1, 1), 366, len(FIRMS)),
    }


def _register(seed: int) -> Columns:
    """The same firms under their registered names, among others; in order of their numbers."""
    rng = stream(seed, "company register")
    cities = [city for country in COUNTRIES for city in country.cities]
    others = [(name, pick(rng, cities, 1)[0]) for name in _other_names()]
    listed = [(firm.registered, firm.town) for firm in FIRMS] + others
    shuffled = [listed[place] for place in rng.permutation(len(listed)).tolist()]
    return {
        "number": [f"R{n:05}" for n in np.cumsum(rng.integers(1, 90, len(listed))).tolist()],
        "name": [name for name, _ in shuffled],
        "town": [town for _, town in shuffled],
        "founded": rng.integers(1890, 2020, len(listed)).tolist(),
    }


def _other_names() -> list[str]:
    return [f"{name} {_TRADES[n % len(_TRADES)]} {_FORMS[n % len(_FORMS)]}" for n, name in enumerate(LAST_NAMES)]
