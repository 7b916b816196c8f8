"""How many of the query's values does each set match, and which pairs of values match?  Posting lists, or a scan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from mere import compiled
from mere.compiled import Trial, read_only
from mere.indexes.kind import Arrays, Part
from mere.indexes.similar.records import Lists, Matches, Vectors, Wanted, no_vectors, some_of
from mere.indexes.similar.sparse import numpy as in_numpy
from mere.indexes.similar.sparse.build import least_cosine
from mere.indexes.similar.sparse.records import LEVELS, REACH, SEVERAL, Asked, Inverted, Postings, Text
from mere.indexes.similar.spelling import Statistics, tables_of
from mere.indexes.similar.spelling.features import MOST_GRAMS
from mere.store import Strings, offsets_of, places_of

SPARSE = compiled.Group(
    "similar", ("mere.indexes.similar.sparse.kernels", "mere.indexes.similar.spelling.kernels"), compiling=14.0
)
_PAIRS = 1 << 21  # matching pairs that a scan keeps at once, at least as many as the query has values
_FEATURE = 8  # bytes of a feature of a vector that is kept
_QUERIES = 64  # values of the query that are looked for at once in NumPy
_VALUES = 1 << 12  # values that a scan in NumPy embeds at once


class Limits(NamedTuple):
    """How a question may be answered."""

    scan: bool = False  # compare all values, without the index
    memory: int = 128 << 20  # bytes for vectors that are kept for the next query value


_USUAL = Limits()


def counted(part: Part, vectors: Vectors, equal: np.ndarray, wanted: Wanted, limits: Limits = _USUAL) -> np.ndarray:
    """Per set, how many of the query's values match; exact where it reaches `wanted.need`."""
    if limits.scan or wanted.limit > REACH:
        return _counted_by_scan(part, vectors, equal, wanted)
    counts, done = np.zeros(len(wanted.owned), np.int64), 0
    while done < len(vectors.norms):  # in NumPy some values at a time, until the kernels are ready
        ready = compiled.ready(SPARSE, lambda: trial(part))
        end = len(vectors.norms) if ready else min(done + _QUERIES, len(vectors.norms))
        asked = asked_of(some_of(vectors, done, end), equal[done:end], Statistics.read(part.arrays), wanted.limit)
        if ready:  # a set that reaches `need` has at least the rest of it among these values
            rest = wanted._replace(need=max(1, wanted.need - int(counts.max(initial=0))))
            counts += counted_compiled(part, asked, rest, limits.memory // _FEATURE)[0]
        else:
            with compiled.time_fallback(SPARSE):
                counts += _counted_in_numpy(part, asked, wanted)
        done = end
    return counts


def _counted_in_numpy(part: Part, asked: Asked, wanted: Wanted) -> np.ndarray:
    pairs = in_numpy.candidates(postings_of(part), asked, least_cosine(wanted.limit))
    matches = in_numpy.verified(pairs, _texts(part), asked, Statistics.read(part.arrays), wanted.limit)
    return _sets_matched(lists_of(part), [matches, equal_pairs(asked.equal)], len(wanted.owned))


def counted_compiled(part: Part, asked: Asked, wanted: Wanted, room: int = 1 << 24) -> tuple[np.ndarray, int]:
    """The same by kernels, and how many texts were embedded; `room` is for features of vectors that are kept."""
    from mere.indexes.similar.sparse import kernels

    counts = np.zeros(len(wanted.owned), np.int64)
    least = max(least_cosine(wanted.limit), 0.0) ** 2 * (1 - 1e-9)
    what = (float(wanted.limit), least, int(wanted.need), read_only(wanted.owned), max(room, MOST_GRAMS))
    tables = tables_of(Statistics.read(part.arrays))
    embedded = kernels.count(postings_of(part), _text(part), tables, _read_only(asked), what, counts)
    return counts, embedded


def matched(part: Part, vectors: Vectors, limit: float, chosen: np.ndarray) -> Iterator[Matches]:
    """All matching pairs of the query's values and the chosen places, piece by piece."""
    values, inverted, done = postings_of(part).values[chosen], in_numpy.inverted(vectors), 0
    while done < len(chosen):
        if compiled.ready(SPARSE, lambda: trial(part)):
            size, pairs = scan_compiled(part, values[done:], inverted, limit, _PAIRS + len(vectors.norms))
        else:
            size = min(_VALUES, len(chosen) - done)
            with compiled.time_fallback(SPARSE):
                texts = part.segment.dictionary.values.take(values[done : done + size])
                pairs = in_numpy.scan(texts, inverted, Statistics.read(part.arrays), limit)
        yield pairs._replace(place=chosen[done + pairs.place])
        done += size


def scan_compiled(part: Part, values: np.ndarray, inverted: Inverted, limit: float, room: int) -> tuple[int, Matches]:
    """Scan values by a kernel until the room is full: how many were done, and the pairs."""
    from mere.indexes.similar.sparse import kernels

    room = min(room, max(1, len(values)) * max(1, len(inverted.norms)))
    out = Matches(np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.float64))
    tables = tables_of(Statistics.read(part.arrays))
    asked = Inverted(*map(read_only, inverted))
    done, count = kernels.scan(read_only(values), _text(part), tables, asked, float(limit), out)
    return done, Matches(*(side[:count] for side in out))


def _counted_by_scan(part: Part, vectors: Vectors, equal: np.ndarray, wanted: Wanted) -> np.ndarray:
    """The counts from the pairs of all values."""
    chosen = np.arange(len(part.arrays["values"]))
    pieces = chain(matched(part, vectors, wanted.limit, chosen), [equal_pairs(equal)])
    return _sets_matched(lists_of(part), pieces, len(wanted.owned))


def _sets_matched(lists: Lists, pieces: Iterable[Matches], sets: int) -> np.ndarray:
    """Per set, how many different query values are paired with one of its values."""
    keys = np.zeros(0, np.int64)
    for pairs in pieces:
        for entry, places in expanded(lists.starts, pairs.place):
            new = (lists.sets[places].astype(np.int64) << 32) | pairs.query[entry]
            keys = np.union1d(keys, new)
    return np.bincount(keys >> 32, minlength=sets)


def expanded(starts: np.ndarray, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The entries of some rows of lists, a limited number at a time: which of `rows` each is of, and its place."""
    sizes = starts[rows + 1] - starts[rows]
    running = offsets_of(sizes)
    begin = 0
    while begin < len(rows):
        end = max(begin + 1, int(np.searchsorted(running, running[begin] + _PAIRS, side="right")) - 1)
        entry = np.repeat(np.arange(begin, end), sizes[begin:end])
        yield entry, places_of(starts[rows[begin:end]], sizes[begin:end])
        begin = end


def lists_of(part: Part) -> Lists:
    """The sets of every value of the part."""
    if "lists" not in part.memo:
        size = len(part.arrays["values"])
        sets, entry = sets_of_places(part.arrays, np.arange(size))
        part.memo["lists"] = Lists(np.searchsorted(entry, np.arange(size + 1)), sets)
    return part.memo["lists"]


def sets_of_places(arrays: Arrays, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All sets of these places, and which of the places each belongs to, ascending."""
    owner, starts = arrays["value.sets"][places], arrays["list.starts"].astype(np.int64)
    listed = np.flatnonzero(owner >= SEVERAL)
    number = (owner[listed] & np.uint32(SEVERAL - 1)).astype(np.int64)
    sizes = np.ones(len(places), np.int64)
    sizes[listed] = starts[number + 1] - starts[number]
    entry = np.repeat(np.arange(len(places)), sizes)
    sets = owner[entry]
    sets[owner[entry] >= SEVERAL] = arrays["list.sets"][places_of(starts[number], sizes[listed])]
    return sets, entry


def equal_pairs(equal: np.ndarray) -> Matches:
    """The pairs of the query's values with equal ones."""
    known = np.flatnonzero(equal >= 0)
    return Matches(known, equal[known], np.zeros(len(known)))


def asked_of(vectors: Vectors, equal: np.ndarray, statistics: Statistics, limit: float) -> Asked:
    """The query's values with their prefixes."""
    cosine = max(least_cosine(limit), 0.0)
    prefixes = in_numpy.prefixes(vectors, statistics.ranks, cosine)
    starts = offsets_of(np.bincount(prefixes.owners, minlength=len(vectors.norms)))
    return Asked(vectors, starts, prefixes.features, in_numpy.levels_with_matches(prefixes.left, cosine), equal)


def postings_of(part: Part) -> Postings:
    """The part's arrays for the engine."""
    if "postings" not in part.memo:
        arrays = part.arrays
        starts = arrays["posting.starts"]
        shift = 32 - ((starts.shape[1] - 1) // LEVELS).bit_length() + 1
        names = ("posting.places", "value.sets", "list.starts", "list.sets")
        lists = [arrays[name] for name in names]
        part.memo["postings"] = Postings(
            arrays["values"], arrays["bitmaps"], arrays["least"], arrays["masses"], shift, starts, *lists
        )
    return part.memo["postings"]


def _texts(part: Part) -> tuple[Strings, np.ndarray]:
    return part.segment.dictionary.values, postings_of(part).values


def _text(part: Part) -> Text:
    values = part.segment.dictionary.values
    return Text(read_only(values.offsets), read_only(values.data))


def _read_only(asked: Asked) -> Asked:
    vectors = Vectors(*map(read_only, asked.vectors))
    return Asked(vectors, *map(read_only, asked[1:]))


def trial(part: Part) -> Trial:
    """Compiles what a question needs."""
    postings_of(part), _text(part)  # opened now: the lake may be closed when the kernels are compiled
    nothing = no_vectors()
    asked = asked_of(nothing, np.zeros(0, np.int64), Statistics.read(part.arrays), 0.0)
    wanted = Wanted(0.0, 1, np.zeros(0, bool))
    no_values, inverted = np.zeros(0, np.uint32), in_numpy.inverted(nothing)
    return Trial(
        SPARSE,
        (
            ("count", lambda: counted_compiled(part, asked, wanted)),
            ("scan", lambda: scan_compiled(part, no_values, inverted, 0.0, 1)),
        ),
    )
