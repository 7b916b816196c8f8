"""The arrays of a segment and of this kind's part of it, gathered for the kernels, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mere.indexes.kind import Part
from mere.store import offsets_of

if TYPE_CHECKING:
    from mere.indexes.composite.kernels import Stored


def stored_of(part: Part) -> Stored:
    """The part's arrays for the kernels."""
    if "stored" not in part.memo:
        from mere.indexes.composite.kernels import Stored

        segment, arrays = part.segment, part.arrays
        part.memo["stored"] = Stored(
            arrays["list.starts"], arrays["list.columns"],
            segment.values["set.starts"], segment.values["set.ids"], segment.values["set.counts"],
            segment.rows["cells"], segment.rows["starts"], segment.rows["widths"],
            arrays["rows.order"], arrays["rows.starts"], arrays["rows.widths"], arrays["rows.before"],
            segment.first_column, offsets_of(segment.catalog["table.rows"]),
            arrays["column.ranks"], arrays["super.keys"],
        )  # fmt: skip
    return part.memo["stored"]
