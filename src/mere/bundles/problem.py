"""What is asked: a base table, offered tables with prices, filters, a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mere.bundles.relation import Relation
from mere.bundles.sample import DEFAULT_SIZE, Sample, sample_of
from mere.bundles.schema import Schema

if TYPE_CHECKING:
    from mere.bundles.filters import Filters


@dataclass(frozen=True, eq=False)
class Offer:
    """A table that can be taken, and its price.  Its rows are read when they are needed.

    `stored_sample` gives the sample of a given size that was made when the table was indexed (without a size, of the
    size that was stored); None if there is none, or if it was made of other columns than those that are compared.
    """

    name: str
    price: float
    rows: int
    relation: Callable[[], Relation]
    stored_sample: Callable[[int | None], Sample | None] = lambda size: None

    def sample(self, size: int | None) -> Sample:
        """The stored sample, or else one made of the rows now; without a size, of the size that is stored or usual."""
        stored = self.stored_sample(size)
        return sample_of(self.relation(), size or DEFAULT_SIZE) if stored is None else stored


@dataclass(frozen=True, eq=False)
class Problem:
    """A base table, the tables that are offered, what rows are wanted, and how much may be spent."""

    schema: Schema
    base: Relation
    offers: tuple[Offer, ...]
    filters: Filters
    budget: float
    sample_size: int | None = None  # None: as stored


@dataclass(frozen=True, eq=False)
class Signatures:
    """How many distinct rows are held by exactly which tables.

    Row i of `masks` has one bit per table, the lowest bit of the first word for the base, then the offers in their
    order; `counts[i]` is how many distinct rows meet the filters and are in exactly these tables.
    """

    masks: np.ndarray  # uint64 (signatures, words)
    counts: np.ndarray  # int64
    tables: int  # the base included
