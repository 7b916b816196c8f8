"""The kinds a lake has: register one here, and it is built, searched and tested like the others."""

from mere.indexes.keywords import Keywords
from mere.indexes.kind import Kind

KINDS: dict[str, Kind] = {kind.name: kind for kind in (Keywords(),)}

__all__ = ["KINDS", "Kind"]
