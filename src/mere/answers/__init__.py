"""What is an answer: hits and their order, how partial answers are merged, what evidence holds, how it is shown."""

from mere.answers.evidence import JOIN_FIELDS, Field, shared_evidence
from mere.answers.hit import Hit, best, best_by, first_best
from mere.answers.hits import Hits
from mere.answers.lazy import LazyHits
from mere.answers.merge import Found, Merged, all_notes, found_from_dict, found_to_dict
from mere.answers.shown import Picture, Shown

__all__ = [
    "JOIN_FIELDS", "Field", "Found", "Hit", "Hits", "LazyHits", "Merged", "Picture", "Shown", "all_notes", "best",
    "best_by", "first_best", "found_from_dict", "found_to_dict", "shared_evidence",
]  # fmt: skip
