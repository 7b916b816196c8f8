"""Which candidates have one of the wanted licences, according to the descriptions beside them?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mere.errors import UsageError
from mere.search.assembling.candidates import Candidates, Refusal
from mere.values import column_key


def keep_licences(found: Candidates, licences: Any) -> Candidates:
    """The candidates whose descriptions name one of these licences; the others are rejected."""
    wanted = [licences] if isinstance(licences, str) else () if licences is None else licences
    if not isinstance(wanted, Sequence) or not all(isinstance(name, str) and name.strip() for name in wanted):
        shown = list(wanted) if isinstance(wanted, tuple) else wanted
        raise UsageError(f"expected names of licences, got licences={shown!r}", "licences=['CC0-1.0'], for example")
    if not wanted:
        return found
    kept, refused = [], list(found.refused)
    for member in found.members:
        licence = member.table.licence()
        if any(names_licence(licence, name) for name in wanted):
            kept.append(member)
        else:
            reason = f"its licence is '{licence}'" if licence else "its description names no licence"
            refused.append(Refusal(member.table.name, "licence", reason, member.table.rows))
    return Candidates(kept, refused, found.notes)


def names_licence(text: str, wanted: str) -> bool:
    """Whether a licence is the wanted one; a version that was not asked for may follow.

    >>> names_licence("CC BY 4.0", "cc-by"), names_licence("CC-BY-NC-4.0", "CC-BY"), names_licence("MIT License", "MIT")
    (True, False, True)
    """
    found, asked = (re.sub(r"licen[cs]e$", "", column_key(name)) for name in (text, wanted))
    return found == asked or (found.startswith(asked) and re.fullmatch(r"v?\d+", found[len(asked) :]) is not None)
