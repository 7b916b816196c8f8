"""The kinds a lake has: register one here, and it is built, searched, shown and tested like the others.

A kind is imported when it is asked for, so that a question imports only the kind that answers it.
"""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module

from mere.indexes.kind import Kind

_CLASSES = {
    "keywords": ("Keywords", False),
    "overlap": ("Overlap", True),
    "containment": ("Containment", True),
    "composite": ("Composite", True),
    "distribution": ("Distribution", False),
    "similar": ("Similar", True),
    "transform": ("Transform", True),
}  # by the package, which is called like the kind: the class, and whether its hits can be joined with


class Kinds(MutableMapping[str, Kind]):
    """Kinds by name, in the order they were registered in."""

    def __init__(self, classes: Mapping[str, tuple[str, bool]]) -> None:
        self._kinds: dict[str, Kind | None] = dict.fromkeys(classes)
        self._classes = classes

    def joining(self) -> list[Kind]:
        """The kinds whose hits can be joined with."""
        joins = {name: bool(kind.joins) if kind else self._classes[name][1] for name, kind in self._kinds.items()}
        return [self[name] for name in self if joins[name]]

    def __getitem__(self, name: str) -> Kind:
        kind = self._kinds[name]
        if kind is None:
            module = import_module(f"mere.indexes.{name}")
            kind = getattr(module, self._classes[name][0])()
            self._kinds[name] = kind
        return kind

    def __setitem__(self, name: str, kind: Kind) -> None:
        self._kinds[name] = kind

    def __delitem__(self, name: str) -> None:
        del self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def __contains__(self, name: object) -> bool:
        return name in self._kinds


KINDS = Kinds(_CLASSES)

__all__ = ["KINDS", "Kind"]
