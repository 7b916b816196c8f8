"""The kinds a lake has: register one here, and it is built, searched, shown and tested like the others."""

from mere.indexes.composite import Composite
from mere.indexes.containment import Containment
from mere.indexes.distribution import Distribution
from mere.indexes.keywords import Keywords
from mere.indexes.kind import Kind
from mere.indexes.overlap import Overlap
from mere.indexes.similar import Similar
from mere.indexes.transform import Transform

_ALL: tuple[Kind, ...] = (
    Keywords(), Overlap(), Containment(), Composite(), Distribution(), Similar(), Transform(),
)  # fmt: skip
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}

__all__ = ["KINDS", "Kind"]
