"""What did an index run do, and what does the lake hold now?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Report:
    """What an index run did, and what the lake holds now."""

    snapshot: int
    totals: dict[str, int]
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    stale: int = 0  # files that did not change, and are read again because the rules did
    metadata: int = 0
    hidden: int = 0
    quarantined: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    dry_run: bool = False

    def to_dict(self) -> dict[str, Any]:
        counts = {
            name: getattr(self, name) for name in ("added", "changed", "removed", "unchanged", "stale", "metadata")
        }
        return {
            "snapshot": self.snapshot,
            **{name: self.totals.get(name, 0) for name in ("tables", "columns", "rows", "bytes")},
            **counts,
            "hidden": self.hidden,
            "quarantined": self.quarantined,
            "notes": self.notes,
            "seconds": round(self.seconds, 3),
            "stages": {name: round(seconds, 3) for name, seconds in self.stages.items()},
            **({"dry_run": True} if self.dry_run else {}),
        }
