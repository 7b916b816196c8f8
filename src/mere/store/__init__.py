"""How bytes are stored: files, containers of arrays, strings, dictionaries."""

from mere.store.container import Container
from mere.store.dictionary import Dictionary, distinct, unite
from mere.store.ragged import equal_ranges, narrowest, places_of, stable_order, sums_of
from mere.store.strings import Strings, offsets_of

__all__ = [
    "Container",
    "Dictionary",
    "Strings",
    "distinct",
    "equal_ranges",
    "narrowest",
    "offsets_of",
    "places_of",
    "stable_order",
    "sums_of",
    "unite",
]
