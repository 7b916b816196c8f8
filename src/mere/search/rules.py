"""Under which rules were the tables of a lake read, and are they still the rules?

What a value is (`mere.values`) and how a raw file is read (`mere.readers`) have a version each.  The lake records both
for every raw file, and with its snapshot how many tables were read under which.  A table of other rules is stale: a
question is asked with values of today, and may not find those of then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from mere import readers, values
from mere.segments import Snapshot


class Rules(NamedTuple):
    """The versions that a table was read under."""

    values: int
    reading: int


UNRECORDED = Rules(1, 1)  # of all that was read before versions were recorded


def rules_now() -> Rules:
    return Rules(values.VERSION, readers.VERSION)


def counted(tables: Iterable[tuple[str, Rules]]) -> list[dict[str, int]]:
    """How many tables there are of each rules; one of several files counts as the oldest of them."""
    oldest: dict[str, Rules] = {}
    for name, rules in tables:
        oldest[name] = min(rules, oldest.get(name, rules))
    return [{**rules._asdict(), "tables": number} for rules, number in sorted(Counter(oldest.values()).items())]


def stale_tables(snapshot: Snapshot) -> list[str]:
    """Whatever is stale, as `12 of 2,286 tables: rules of values 2, now 3`; nothing if all is of today."""
    known = snapshot.rules or [{**UNRECORDED._asdict(), "tables": snapshot.totals.get("tables", 0)}]
    total = sum(each["tables"] for each in known)
    every = f"{total:,} table{'' if total == 1 else 's'}"
    compared = [(each["tables"], _differences(Rules(each["values"], each["reading"]))) for each in known]
    return [f"{number:,} of {every}: rules {', and '.join(them)}" for number, them in compared if number and them]


def _differences(rules: Rules) -> list[str]:
    versions = zip(Rules._fields, rules, rules_now(), strict=True)
    return [f"of {name} {version}, now {now}" for name, version, now in versions if version != now]


def notes_on(snapshot: Snapshot) -> list[str]:
    """What every answer says of a lake that is stale."""
    return [f"{stale}; run 'mere index'" for stale in stale_tables(snapshot)]
