"""What does a question about distributions ask: a predicate, or a shape to be like?

    predicate   {"predicate": a Predicate, several of the same column, or their text, "mode", "table"}
    shape       {"like": {"edges", "counts"}, "column", "table", "skip"}

Both have `k`, `per` and `notes`.  A probe holds plain values and arrays only; `predicates_in` restores the predicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mere.errors import QueryError, UsageError
from mere.indexes.distribution.fainder import BASELINES
from mere.indexes.distribution.fainder import MODES as PAPER
from mere.indexes.distribution.likeness import FARTHEST, curve_like, numbers_like
from mere.indexes.distribution.named import compared_histograms, named_histograms
from mere.indexes.distribution.unknown import unknown_columns
from mere.indexes.inputs import Distinct, Inputs
from mere.indexes.kind import Part
from mere.indexes.sets.question import distinct_of
from mere.language import Predicate, SameColumn, parse
from mere.language.columns import fitting
from mere.language.numbers import Moment
from mere.values import DAY_FIRST, day_order, has_open_dates, infer, parse_numbers

_OPEN_DATES = "{} has dates in which the day or the month may be first: they were read with the {} first"
MODES = ("auto", *PAPER, *BASELINES)
_WRONG = "name some that do not meet the condition"
APPROXIMATE = {  # modes whose answers are not those of the histograms, and how they differ
    "low-memory": f"may miss columns, and may {_WRONG}",
    "full-recall": f"misses no column, but may {_WRONG}",
    "full-precision": "names only columns that meet the condition, but may miss some",
    "normal-dist": f"may miss columns, and may {_WRONG}",
}
MISSING = ("low-memory", "full-precision", "normal-dist")  # modes that may miss columns


def distribution_query(given: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """The query of a question: a predicate, or something to be like."""
    predicate, like = given["predicate"], given["like"]
    if (predicate is None) == (like is None):
        raise UsageError("a question about distributions takes a predicate, or like=", "give one of them")
    if given["sure"] and like is not None:
        raise UsageError("sure= goes with a predicate, and not with like=", "leave it out")
    table = inputs.table(given["table"], with_rows=False)
    if like is None:
        return {"predicate": predicate, "mode": given["mode"], "table": table, "sure": given["sure"]}
    return {**_shape(like, given["on"], inputs), "column": given["column"], "table": table}


def _shape(given: Any, on: str | None, inputs: Inputs) -> dict[str, Any]:
    """A distribution to compare with: of a curve by its name, of a published histogram, or of a column's numbers."""
    if isinstance(given, Mapping) and given.keys() == {"edges", "counts"}:
        return {"like": dict(given), "skip": None}
    if isinstance(given, str) and on is None:
        return {"like": curve_like(given), "skip": None}
    if (published := inputs.published_histogram(given, on)) is not None:
        return {"like": {"edges": published.edges, "counts": published.counts}, "skip": published.table}
    column = inputs.column(given, on)
    cells = distinct_of(column.cells)
    order, notes = "", list(column.notes)
    if not cells.numeric and has_open_dates(values := cells.values.to_arrow()):
        silent = day_order(values) is None  # it shows neither order, so its table may decide
        order = inputs.day_order(given, on) if silent else ""
        what, first = f"'{column.name}'" if column.name else "the query column", "month" if silent else "day"
        notes += [] if order else [_OPEN_DATES.format(what, first)]
    return {"like": numbers_like(_numbers(cells, order == DAY_FIRST)), "skip": column.table, "notes": notes}


def _numbers(column: Distinct, day_first: bool) -> list[float]:
    """The numbers of a column, each as often as it occurs; `day_first`: the order of dates that do not show it."""
    counts = np.asarray(column.counts, np.int64)
    values, ends = column.values.to_arrow(), np.array([0, len(counts)])
    numbers = parse_numbers(values) if column.numeric else infer(values, ends, counts, day_first=day_first).numbers
    finite = np.flatnonzero(np.isfinite(numbers))
    return np.repeat(numbers[finite], counts[finite]).tolist()


def distribution_probe(query: Mapping[str, Any], parts: Sequence[Part] = ()) -> dict[str, Any]:
    """The probe of a question."""
    if query.get("like") is not None:
        return _like_probe(query)
    predicates = _checked_predicates(query.get("predicate"))
    mode = _checked_mode(query.get("mode") or "auto", parts)
    approximate = [f"mode '{mode}' is approximate: it {APPROXIMATE[mode]}"] if mode in APPROXIMATE else []
    return {
        "predicates": [_packed(predicate) for predicate in predicates],
        "table": query.get("table"),
        "mode": mode,
        "approximate": mode in APPROXIMATE,
        "misses": mode in MISSING,
        "sure": bool(query.get("sure")),
        "k": int(query.get("k", 10)),
        "per": query.get("per", "table"),
        "notes": [*(query.get("notes") or []), *approximate, *unknown_column(parts, predicates[0])],
    }


def _checked_predicates(given: Any) -> tuple[Predicate, ...]:
    predicate = parse(given) if isinstance(given, str) else given
    if isinstance(predicate, SameColumn):
        return predicate.predicates
    if not isinstance(predicate, Predicate):
        remedy = "write for example: at least 30% of age < 40; or join several by 'and' and 'of the same column'"
        raise QueryError(f"'{given}' is not one predicate", remedy)
    return (predicate,)


def _checked_mode(mode: str, parts: Sequence[Part]) -> str:
    if mode not in MODES:
        raise QueryError(f"no mode '{mode}'", f"choose one of {', '.join(MODES)}")
    if mode in PAPER and any("fainder.starts" not in part.arrays for part in parts):
        raise QueryError(f"mode '{mode}' needs the paper's index", "run 'mere index --set fainder_clusters=250'")
    return mode


def _packed(predicate: Predicate) -> dict[str, Any]:
    """A predicate in plain values."""
    low, high = predicate.value if isinstance(predicate.value, tuple) else (predicate.value, predicate.value)
    return {
        "column": predicate.column,
        "side": predicate.side,
        "fraction": [predicate.fraction.numerator, predicate.fraction.denominator],
        "operator": predicate.operator,
        "range": [repr(float(low)), repr(float(high))],  # as text: JSON has no infinities
        "dated": predicate.dated,
    }


def unknown_column(parts: Sequence[Part], predicate: Predicate) -> list[str]:
    """A note if no column has the name that a predicate uses, with similar names."""
    column = predicate.column
    if column is None or any(
        compared_histograms(part, predicate.dated)[named_histograms(part, column)].any()
        or unknown_columns(part, column, predicate.dated).size
        for part in parts
    ):
        return []
    from rapidfuzz import fuzz, process

    what = "dates" if predicate.dated else "numbers"
    names = sorted({part.segment.column_name(c) for part in parts for c in part.arrays["hist.columns"].tolist()})
    close = process.extract(column, names, scorer=fuzz.ratio, limit=3, score_cutoff=70, processor=str.casefold)
    similar = f"; similar names: {', '.join(name for name, _, _ in close)}" if close else ""
    return [f"no column of {what} is called '{column}'{similar}"] if parts else []


def _like_probe(query: Mapping[str, Any]) -> dict[str, Any]:
    """The probe of a shape: its edges and counts, the columns that may answer, and a table that may not."""
    fitting(query.get("column"), [""])
    edges = np.asarray(query["like"]["edges"], float)
    if np.abs(edges).max(initial=0.0) > FARTHEST:
        raise QueryError(f"numbers beyond {FARTHEST:g} cannot be compared with", "leave them out")
    return {
        "like.edges": edges,
        "like.counts": np.asarray(query["like"]["counts"], float),
        "column": query.get("column"),
        "table": query.get("table"),
        "skip": query.get("skip"),
        "k": int(query.get("k", 10)),
        "per": query.get("per", "table"),
        "notes": list(query.get("notes") or []),
    }


def predicates_in(probe: Mapping[str, Any]) -> tuple[Predicate, ...]:
    """The predicates of a probe: one, or several of the same column."""
    return tuple(_unpacked(packed) for packed in probe["predicates"])


def _unpacked(packed: Mapping[str, Any]) -> Predicate:
    low, high = (Moment(end) if packed["dated"] else float(end) for end in packed["range"])
    value = (low, high) if packed["operator"] == "between" else low
    return Predicate(packed["column"], packed["side"], Fraction(*packed["fraction"]), packed["operator"], value)
