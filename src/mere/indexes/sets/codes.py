"""Which columns have my digit codes in another spelling: without their leading zeros, or with them?

Codes such as 01001 (FIPS, ZIP, ISO 3166 numeric) lose their zeros wherever they were read as numbers.  Values stay
compared as they are (007 is not 7); a question of codes is put a second time, with the values **recoded**:

    lost in theirs    my codes have as many digits each, some with leading zeros: they are asked for without the zeros
    lost in mine      my values are integers: they are asked for with zeros, to as many digits as the longest has, and
                      to one more

Each value of mine is recoded to another one, so values and codes correspond one to one.  Codes of different lengths
are not recoded: 1 may be 01 or 001.  A hit by codes counts only where it is better than what equal values give, comes
after those by equal values with the same score, and its evidence has `codes`.

Codes without zeros are integers, which occur in unrelated columns.  So a column of numbers that has more than twice as
many values as mine does not answer by codes if they are short (three digits or fewer), or if it holds running numbers
(nearly all of 1 to n); unless the question names its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mere.answers import Field, Hit
from mere.indexes.declare import Parameter
from mere.indexes.kind import Part
from mere.indexes.sets.duplicate_sets import is_numeric
from mere.indexes.sets.question import COINCIDENCE, Question
from mere.ranking.mine import quantiles_of
from mere.segments import Segment
from mere.store import Strings
from mere.values import hash_values

CODES = Parameter(
    "codes", "whether codes of digits may also match without, or with, their leading zeros (01001 and 1001)",
    default=True, type=bool, flags="--codes/--no-codes",
)  # fmt: skip
CODES_FIELD = Field(
    "codes", "json", "of a match by codes: digits, where the zeros are lost (mine or theirs), examples of pairs"
)
_FEWEST = 3  # values: fewer digits are not evidence of a code
_SHARE = 0.9  # of the values are digits
_LONGEST = 18  # digits
_EXAMPLES = 3
_SHORT = 3  # digits
_TIMES = 2  # so many times the values of mine are many
_DENSE = 0.9  # of the numbers from 0 or 1 on: running numbers

Probe = Mapping[str, Any]
Explain = Callable[[Part, Probe, list[Hit]], list[Hit]]


class Recoding(NamedTuple):
    """How my values are spelled in the other column."""

    digits: int
    lost_in: str  # "mine" or "theirs"

    def theirs(self, mine: str) -> str:
        """
        >>> Recoding(5, "theirs").theirs("01001"), Recoding(5, "mine").theirs("1001"), Recoding(2, "theirs").theirs("x")
        ('1001', '01001', 'x')
        """
        if not _is_digits(mine):
            return mine
        return (mine.lstrip("0") or "0") if self.lost_in == "theirs" else mine.zfill(self.digits)

    def mine(self, theirs: str) -> str:
        """The value of mine that is spelled like this in the other column."""
        back = Recoding(self.digits, "mine" if self.lost_in == "theirs" else "theirs")
        return back.theirs(theirs)


def recodings(values: Strings) -> tuple[list[Recoding], list[str]]:
    """How else these distinct values may be spelled, and notes on that."""
    texts = values.to_arrow()
    digits = np.asarray(pc.match_substring_regex(texts, "^[0-9]+$"))
    lengths = values.lengths()[digits]
    if len(lengths) < _FEWEST or len(lengths) < _SHARE * len(texts) or lengths.max() > _LONGEST:
        return [], []
    longest, shortest = int(lengths.max()), int(lengths.min())
    has_zeros = bool(pc.any(pc.match_substring_regex(texts, "^0[0-9]+$")).as_py())
    if not has_zeros:
        wider = [longest] if shortest < longest else []
        return [Recoding(width, "mine") for width in (*wider, longest + 1)], []
    if shortest < longest:
        fault = f"codes of {shortest} to {longest} digits, some with leading zeros"
        return [], [f"{fault}: columns without these zeros are not asked, because lengths differ"]
    return [Recoding(longest, "theirs")], [
        f"codes of {longest} digits: columns without their leading zeros are asked, too; {COINCIDENCE}"
    ]


def with_codes(probe: Probe, wanted: bool | None, numbers: bool | None) -> dict[str, Any]:
    """The probe, and the recoded values; columns of numbers may answer unless `numbers` is False."""
    values = Strings(probe["value.offsets"], probe["value.data"])
    found, notes = recodings(values) if wanted else ([], [])
    more: dict[str, Any] = {"codes": [list(recoding) for recoding in found], "code_numbers": numbers is not False}
    for number, recoding in enumerate(found):
        texts = pa.array([recoding.theirs(value) for value in values.tolist()], pa.large_string())
        hashes = hash_values(texts)
        order = np.argsort(hashes, kind="stable")
        recoded = Strings.from_arrow(texts).take(order).arrays(f"code{number}.value")
        as_numbers = quantiles_of(Strings.from_arrow(texts), recoding.lost_in == "theirs")
        more |= recoded | {
            f"code{number}.hashes": hashes[order],
            f"code{number}.counts": probe["counts"][order],
            f"code{number}.my_quantiles": as_numbers,
            f"code{number}.changed": np.asarray(pc.not_equal(texts, values.to_arrow()))[order],
        }
    return {**probe, **more, "notes": [*probe["notes"], *notes]}


def recoded_probes(probe: Probe) -> Iterator[tuple[Recoding, dict[str, Any]]]:
    """The same question with the values of each recoding."""
    for number, recoding in enumerate(probe["codes"]):
        names = ("value.offsets", "value.data", "hashes", "counts", "my_quantiles")
        values = {name: probe[f"code{number}.{name}"] for name in names}
        digits = recoding[0] if probe["table"] is None else None
        values |= {"code_changed": probe[f"code{number}.changed"], "code_digits": digits}
        yield Recoding(*recoding), {**probe, **values, "numbers": probe["code_numbers"]}


def may_match(part: Part, recoding: Recoding, asked: Probe) -> bool:
    """Whether a part has a value that is spelled in another way than mine; if not, equal values match as much.

    Codes without zeros are asked of columns of numbers, which do not answer to text: there they may match more.
    """
    if recoding.lost_in == "theirs":
        return True
    question = Question.of(asked)
    return bool((part.find(question.values, question.hashes)[asked["code_changed"]] >= 0).any())


def coincident(segment: Segment, columns: np.ndarray, size: int, digits: int) -> np.ndarray:
    """Which columns hold numbers that match so many codes (`size`), of so many digits, by coincidence."""
    catalog, starts = segment.catalog, segment.values["set.starts"]
    distinct = starts[columns + np.uint32(1)] - starts[columns]
    low, high = catalog["column.low"][columns], catalog["column.high"][columns]
    running = ((low == 0) | (low == 1)) & (distinct >= _DENSE * (high - np.maximum(low, 0) + 1))
    many = is_numeric(catalog["column.types"][columns]) & (distinct > _TIMES * size)
    return many & (running | (digits <= _SHORT))


def marked(hit: Hit, recoding: Recoding | None) -> Hit:
    """A hit by codes, or by equal values, which comes first if both have the same score."""
    if recoding is None:
        return replace(hit, tie=(0.0, *hit.tie))
    codes = {"digits": recoding.digits, "lost_in": recoding.lost_in}
    return replace(hit, tie=(1.0, *hit.tie), evidence={**hit.evidence, "codes": codes})


def better_of(hits: Iterable[Hit], per: str) -> list[Hit]:
    """The best hit of each table (or column)."""
    best: dict[Any, Hit] = {}
    for hit in hits:
        owner = hit.table if per == "table" else (hit.table, hit.columns)
        known = best.get(owner)
        if known is None or hit.order < known.order:
            best[owner] = hit
    return list(best.values())


def explained_by(explain: Explain, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
    """The hits with their evidence: those by codes with that of the recoded question, in my spelling."""
    explained = list(hits)
    asked_with: list[tuple[Recoding | None, Probe]] = [(None, probe), *recoded_probes(probe)]
    for recoding, asked in asked_with:
        places = [place for place, hit in enumerate(hits) if recoding_of(hit.evidence) == recoding]
        answers = explain(part, asked, [hits[place] for place in places]) if places else []
        for place, hit in zip(places, answers, strict=True):
            explained[place] = hit if recoding is None else _in_my_spelling(part.segment, asked, hit, recoding)
    return explained


def recoding_of(evidence: Mapping[str, Any]) -> Recoding | None:
    """How the values of a hit by codes are spelled; None if it is a hit by equal values."""
    codes = evidence.get("codes")
    return None if codes is None else Recoding(int(codes["digits"]), str(codes["lost_in"]))


def _in_my_spelling(segment: Segment, asked: Probe, hit: Hit, recoding: Recoding) -> Hit:
    evidence = dict(hit.evidence)
    for name in ("matched", "unmatched"):
        evidence[name] = sorted(recoding.mine(value) for value in evidence[name])
    evidence["codes"] = {**evidence["codes"], "examples": _examples(segment, asked, hit, recoding)}
    return replace(hit, evidence=evidence)


def _examples(segment: Segment, asked: Probe, hit: Hit, recoding: Recoding) -> list[list[str]]:
    """A few pairs of a value of mine and one of theirs that are spelled differently: the first by hash."""
    question = Question.of(asked)
    ids = segment.dictionary.find(question.values, question.hashes)
    matched = np.flatnonzero(
        np.isin(ids, segment.set_of(segment.column_number(hit.table, hit.columns[0]))) & (ids >= 0)
    )
    pairs = ([recoding.mine(question.values[place]), question.values[place]] for place in matched.tolist())
    return sorted(islice((pair for pair in pairs if pair[0] != pair[1]), _EXAMPLES))


def _is_digits(value: str) -> bool:
    return value.isascii() and value.isdigit()
