"""What bytes are: files, containers of arrays, strings, dictionaries."""

from mere.store.container import Container
from mere.store.dictionary import Dictionary, distinct, unite
from mere.store.strings import Strings, offsets_of

__all__ = ["Container", "Dictionary", "Strings", "distinct", "offsets_of", "unite"]
