"""What can be set for a lake?  Settings travel with the snapshot.

Those of reading and storing are declared here; every kind declares its own (`Kind.settings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rapidfuzz import process

from mere.errors import UsageError
from mere.indexes import KINDS
from mere.indexes.declare import Setting, checked_settings
from mere.readers import Limits
from mere.segments.row_sketch import DEFAULT_SIZE as DEFAULT_SKETCH
from mere.values import NUMBER_SHARE

MIB = 1 << 20


def _check_share(share: float) -> None:
    if share > 1:
        raise UsageError(f"setting 'number_share' must be at most 1, got {share!r}", f"the default is {NUMBER_SHARE}")


STORAGE = (
    Setting(
        "split_bytes", 32 * MIB, "a CSV file larger than this is read by several tasks", shapes_index=False, least=1
    ),
    Setting(
        "segment_bytes", 96 * MIB, "size of the staged tables that one segment aims at", shapes_index=False, least=1
    ),
    Setting("small_segments", 6, "more small segments than this are compacted into one", shapes_index=False, least=0),
    Setting(
        "number_share",
        NUMBER_SHARE,
        "a column is one of numbers, or of dates, if at least this share of its cells are",
        least=0.5,
        check=lambda settings: _check_share(settings["number_share"]),
    ),
    Setting("sketch_size", DEFAULT_SKETCH, "rows that stand for a table in estimates over several tables", least=16),
    Setting("unite_parts", False, "numbered files of the same columns (data_001.csv, data_002.csv) are one table"),
    Setting("keep_snapshots", 3, "snapshots that are kept", shapes_index=False, least=1),
)


def declared_settings() -> dict[str, Setting]:
    """Every setting but the limits of reading, by its name: of the kinds, in their order, then of storage."""
    of_kinds = [setting for kind in KINDS.values() for setting in kind.settings]
    return {setting.name: setting for setting in [*of_kinds, *STORAGE]}


class Settings:
    """How a lake is read and kept; immutable.  A change of what shapes the index has everything read again.

    >>> Settings(keep_snapshots=5).keep_snapshots
    5
    """

    limits: Limits

    def __init__(self, limits: Limits | None = None, **given: Any) -> None:
        declared = declared_settings()
        for name in given:
            if name not in declared:
                raise UsageError(f"no setting is called '{name}'", similar_settings(name))
        values = {name: given.get(name, setting.default) for name, setting in declared.items()}
        checked_settings(declared.values(), values)
        self.__dict__.update(values, limits=limits or Limits())

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no setting is called '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("settings are immutable; use replace()")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(sorted((name, str(value)) for name, value in self.__dict__.items())))

    def __repr__(self) -> str:
        changed = [f"{name}={getattr(self, name)!r}" for name, setting in declared_settings().items()
                   if getattr(self, name) != setting.default]  # fmt: skip
        return f"Settings({', '.join(changed)})"

    def replace(self, **changes: Any) -> Settings:
        return Settings(**{**self.__dict__, **changes})

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "limits": self.limits.to_dict()}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Settings:
        """Settings that were stored; those of a kind that is not registered any more are left out."""
        known = {name: value for name, value in document.items() if name in declared_settings()}
        return Settings(Limits.from_dict(document.get("limits", {})), **known)

    def shaping(self) -> dict[str, Any]:
        """The settings that decide what an index holds."""
        shaping = [name for name, setting in declared_settings().items() if setting.shapes_index]
        return {"limits": self.limits.to_dict(), **{name: getattr(self, name) for name in shaping}}


def similar_settings(name: str) -> str:
    """The remedy for a name that is not a setting."""
    names = list(declared_settings())
    similar = [known for known, _, _ in process.extract(name, names, limit=3, score_cutoff=75)]
    return f"did you mean {' or '.join(similar)}?" if similar else f"choose one of {', '.join(names)}"
