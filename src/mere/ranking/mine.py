"""What is known of my column, to compare others with: its name, its table, its values in a few numbers?

A probe carries it (`fields_of`, `Mine.of`): plain values, so that every segment and every process sees the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mere.ranking.names import Words, folders, plain, table_words, words
from mere.store import Strings
from mere.values import parse_numbers

QUANTILES = (np.arange(9) + 1) / 10
_SAMPLE = 200  # values whose distribution is compared: the first by hash, which is a random choice


@dataclass(frozen=True, eq=False)
class Mine:
    """My column."""

    header: str  # empty if it has none
    table: str  # the name or path of its table; empty if unknown
    in_lake: bool  # whether the table is one of the lake, so that folders can be compared
    headers: Sequence[str]  # of its table
    distinct: int
    numeric: bool
    quantiles: np.ndarray = field(default_factory=lambda: np.empty(0))  # of the values, if they are numbers
    recoded: bool = False  # whether its codes are compared without, or with, leading zeros

    @staticmethod
    def of(probe: Mapping[str, Any]) -> Mine:
        """My column, as a probe carries it."""
        return Mine(
            probe["on"] or "",
            probe["my_table"] or "",
            probe["skip"] is not None,
            probe["my_headers"],
            len(probe["hashes"]),
            len(probe["my_quantiles"]) > 0,
            probe["my_quantiles"],
        )

    @property
    def digits(self) -> bool:
        """Whether its values are numbers, or codes of digits that match numbers."""
        return self.numeric or self.recoded

    @cached_property
    def words(self) -> Words:
        return words(self.header)

    @cached_property
    def plain(self) -> str:
        return plain(self.header)

    @cached_property
    def table_words(self) -> Words:
        return table_words(self.table)

    @cached_property
    def folders(self) -> tuple[str, ...]:
        return folders(self.table)


def quantiles_of(values: Strings, numeric: bool) -> np.ndarray:
    """The deciles of a column of numbers; empty for any other."""
    if not numeric or len(values) == 0:
        return np.empty(0)
    numbers = parse_numbers(values.slice(0, min(len(values), _SAMPLE)).to_arrow())
    numbers = numbers[np.isfinite(numbers)]
    # halved, because the difference of two floats, which quantiles are made of, may be more than a float
    return 2 * np.quantile(numbers / 2, QUANTILES) if len(numbers) else np.empty(0)
