"""The kinds a lake has: register one here, and it is built, searched and tested like the others."""

from mere.indexes.composite import Composite
from mere.indexes.containment import Containment
from mere.indexes.keywords import Keywords
from mere.indexes.kind import Kind
from mere.indexes.overlap import Overlap

KINDS: dict[str, Kind] = {kind.name: kind for kind in (Keywords(), Overlap(), Containment(), Composite())}

__all__ = ["KINDS", "Kind"]
