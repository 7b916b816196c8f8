"""What can be set for a lake, with its default; settings travel with the snapshot."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from mere.errors import UsageError
from mere.indexes.composite.build import USUAL
from mere.indexes.composite.super_keys import recipe_of
from mere.indexes.distribution.build import USUAL as BINS_USUAL
from mere.indexes.distribution.fainder import PREFIX
from mere.indexes.distribution.fainder import recipe_of as fainder_recipe
from mere.indexes.distribution.histograms import strategy_of
from mere.readers import Limits

MIB = 1 << 20
_LEAST = {"keep_snapshots": 1, "segment_bytes": 1, "split_bytes": 1, "small_segments": 0, "containment_partitions": 1}


@dataclass(frozen=True)
class Settings:
    """How a lake is read and kept.  What changes the index itself forces a rebuild when it changes."""

    limits: Limits = field(default_factory=Limits)
    keywords_values: bool = False  # index cells as words too: finds more, and takes more room
    join_numbers: bool = True  # index columns of numbers for joins, too: only questions in numbers see them
    containment_partitions: int = 32  # of set sizes, when the lake's first tables are seen
    super_keys: str = USUAL  # how rows are summed up for keys of several columns; xash-128 is the paper's
    histogram_bins: str = BINS_USUAL  # how columns of numbers and dates are summed up
    fainder_clusters: int = 0  # with 250, say, the FAINDER paper's index is built too, to compare with
    fainder_bins: int = 5_000  # of all clusters together
    fainder_clustering: str = "k-means"  # or agglomerative, hdbscan
    fainder_transform: str = "quantile"  # or standard, robust, none
    fainder_smoothing: float = 1.0  # the larger, the more alike the clusters' shares of the bins
    split_bytes: int = 32 * MIB  # a larger CSV is read by several tasks
    segment_bytes: int = 96 * MIB  # of staged tables: what one segment aims at; a question visits every segment
    small_segments: int = 6  # more small segments than this are compacted into one
    keep_snapshots: int = 3

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            if not getattr(self, name) >= least:
                raise UsageError(f"setting '{name}' is {getattr(self, name)!r}", f"give {least} or more")
        recipe_of(self.super_keys)  # what is wrong is refused before anything is read
        strategy_of(self.histogram_bins)
        fainder_recipe(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(document: dict[str, Any]) -> Settings:
        return Settings(**{**document, "limits": Limits.from_dict(document.get("limits", {}))})

    def shaping(self) -> dict[str, Any]:
        """The settings that decide what an index holds."""
        return {
            "limits": self.limits.to_dict(),
            "keywords_values": self.keywords_values,
            "join_numbers": self.join_numbers,
            "containment_partitions": self.containment_partitions,
            "super_keys": self.super_keys,
            "histogram_bins": self.histogram_bins,
            **{name: value for name, value in asdict(self).items() if name.startswith(PREFIX)},
        }
