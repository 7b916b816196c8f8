"""How are the numbers of a table read whose rows are partly new and partly stored?

Stored rows have plain numbers, and show no longer how these were written.  But what they showed adds up, as `Evidence`,
and is kept with the dataset.  If rows only came, the evidence of all rows is known; if some went, it is known only if
all numbers were plain before: then the stored rows show what the raw ones did, but for points as in `5.00` and last
zeros as in `1.10`.  Stored rows can be kept if their columns would be read as they were.  Dates are stored as they are
written: what they show is always taken from the rows at hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mere.values import Evidence, Readings
from mere.values.conventions import BARE, FOOTNOTE, MARKED
from mere.values.spelled import Kind

_SPECIAL = [Kind.COMMA, Kind.EITHER, MARKED, FOOTNOTE, BARE]  # cells that a point alone does not explain


@dataclass(frozen=True)
class KeptEvidence:
    """What the cells of a table are, as far as numbers are concerned."""

    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # by name: a row of `Evidence.to_list`
    exact: bool = True  # points as in `5.00` are counted

    def to_dict(self) -> dict[str, Any]:
        return {"columns": {name: list(row) for name, row in self.columns.items()}, "exact": self.exact}

    def of(self, names: Sequence[str]) -> Evidence:
        """The evidence of these columns; none of a column that is new."""
        [nothing] = Evidence.nothing(1).to_list()
        return Evidence.from_list([self.columns.get(name, nothing) for name in names])

    def added(self, names: Sequence[str], fresh: Evidence, united: Evidence, appended: bool) -> KeptEvidence | None:
        """The evidence after an update; None if it is not known.

        `fresh` is that of new rows, `united` that of all rows as they are at hand; `appended` if no rows went.
        """
        was_plain = is_plain(self.of(list(self.columns)))
        if appended and (self.exact or (was_plain and is_plain(fresh))):
            all_, exact = self.of(names) + fresh, self.exact
        elif was_plain and is_plain(united):
            all_, exact = united, False
        else:
            return None
        if not exact and (all_.versions(tens=False) & ~self.of(names).versions()).any():
            return None  # the zero of 1.10 is lost in stored numbers
        all_ = replace(all_, days=united.days)
        return KeptEvidence(dict(zip(names, all_.to_list(), strict=True)), exact)


def is_plain(evidence: Evidence) -> bool:
    """Whether all numbers are written without units, and with no mark but the decimal point."""
    return not evidence.cells[:, _SPECIAL].any() and not any(evidence.units)


def numbers_hold(before: Readings, now: Readings, evidence: Evidence) -> bool:
    """Whether stored rows of this evidence, whose columns were read as `before`, are what `now` would make of them."""
    same = before.numbers == now.numbers
    for name in ("lists", "footnotes", "comma", "units", "degrees"):
        same &= np.array(getattr(before, name)) == np.array(getattr(now, name))
    plain = ~evidence.cells[:, _SPECIAL].any(axis=1) & np.array([not units for units in evidence.units], bool)
    text = ~before.numbers & (plain | ~now.numbers)
    is_known = before.decimals[0] in ("", now.decimals[0]) and np.array_equal(before.versions, now.versions)
    return is_known and bool((same | text | (plain & before.numbers & now.numbers)).all())
