"""Where in a segment is a clause of a question matched: by the word itself, or by another form or a compound of it?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from mere.indexes.keywords.compounds import Compound
from mere.indexes.keywords.fields import NAMES
from mere.indexes.keywords.postings import Postings, among, union
from mere.indexes.keywords.query import Option


class Sought(NamedTuple):
    """What a clause looks for, and in which fields (none given: in all)."""

    fields: tuple[int, ...]
    quoted: bool
    options: tuple[Option, ...]
    forms: tuple[Option, ...] = ()
    parts: tuple[Compound, ...] = ()


def sought_of(clause: Mapping[str, Any]) -> Sought:
    """What a clause of a probe looks for; the probe may have been written as JSON."""
    options, forms = (_options(clause[key]) for key in ("options", "forms"))
    return Sought(
        tuple(clause["fields"]), clause["quoted"], options, forms, tuple(Compound(*part) for part in clause["parts"])
    )


def _options(given: Iterable[Iterable[Iterable[str]]]) -> tuple[Option, ...]:
    return tuple(tuple(tuple(slot) for slot in option) for option in given)


class Matches(NamedTuple):
    """The occurrences of a clause, and those of other forms and of compounds of its word; no two have one in common."""

    exact: np.ndarray
    forms: np.ndarray
    compounds: np.ndarray

    @property
    def all(self) -> np.ndarray:
        return union(list(self))


def matches_of(postings: Postings, sought: Sought) -> Matches:
    """The occurrences in live tables, each counted once."""
    exact = postings.find(sought.options, sought.fields, sought.quoted)
    forms = _without(postings.find(sought.forms, sought.fields, sought.quoted), exact)
    compounds = union([of_compound(postings, sought, compound) for compound in sought.parts])
    return Matches(exact, forms, _without(_without(compounds, exact), forms))


def _without(occurrences: np.ndarray, others: np.ndarray) -> np.ndarray:
    return occurrences[~among(occurrences, others)] if occurrences.size and others.size else occurrences


def of_compound(postings: Postings, sought: Sought, compound: Compound) -> np.ndarray:
    """Where a compound occurs outside cells, but not where it is also cut into its two parts."""
    word, first, second = compound
    fields = tuple(field for field in sought.fields or NAMES if field in NAMES)
    if not fields:
        return postings.find(())
    uncut = postings.find((((word,),),), fields)
    if not uncut.size:
        return uncut
    return uncut[~among(uncut, postings.find((((first,), (second,)),), fields))]
