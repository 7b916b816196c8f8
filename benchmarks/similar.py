"""How fast are columns found that match mine although values are misspelt?

    OPENBLAS_NUM_THREADS=1 python benchmarks/similar.py FOLDER [--columns N]

One process, one thread, one segment, one run, one warm-up.  Questions are text columns of the lake with one typing
error in every value.  Against the strongest simple baseline for sparse vectors, SciPy's product of sparse matrices (the
matrix of the lake's vectors is given to it), Mere without an index (`scan`), and the PEXESO paper's engine with and
without its inverted index (on few questions: pivots refuse hardly anything at these distances).  All count the same
matches, which is checked.  What is stored, how fast values are embedded, and what indexing costs come first.
`similar_dense.py` is the same for the vectors of models, `similar_quality.py` asks whether the matches are right.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse as matrices

import mere
from measuring import indexed_twice, report, timed
from mere.indexes import KINDS
from mere.indexes.kind import Part
from mere.indexes.similar import by_pexeso, pexeso, spelling
from mere.indexes.similar import search as similar
from mere.indexes.similar.records import TOLERANCE, Vectors, Wanted
from mere.indexes.similar.sparse import search as sparse
from mere.store import places_of

SIZES = ((10, 100), (100, 1_000), (1_000, 2_000))
DISTANCES = ("strict", "normal", "loose")
FEW = 8  # values that the paper's engine is asked with, of each of two columns
SIMILAR = KINDS["similar"]


class Question(NamedTuple):
    """A column's values, embedded, and where equal values are."""

    probe: dict[str, Any]
    vectors: Vectors
    equal: np.ndarray
    wanted: Wanted


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--columns", type=int, default=3, help="questions of each size")
    arguments.add_argument("--seed", type=int, default=5)
    options = arguments.parse_args()
    with indexed_twice(options.folder) as (lake, whole):
        [part] = whole._asker.parts(SIMILAR)
        stored(lake, part)
        for size in SIZES:
            columns = misspelt_columns(part, size, options)
            for distance in DISTANCES:
                compare(part, columns, size, distance)
        paper(part, [values[:FEW] for values in misspelt_columns(part, SIZES[0], options)[:2]])


def stored(lake: mere.Lake, part: Part) -> None:
    """What the kind costs a lake."""
    info, segments = lake.info(), lake._opened.segments
    cells = sum(segment.entry.cells for segment in segments) / 1e6
    trained = {name: part.arrays[name] for name in ("embedder", "word.weights", "gram.ranks")}
    build, _ = timed(lambda: [SIMILAR.build(segment, trained, {}) for segment in segments])
    values = part.segment.dictionary.values.take(part.arrays["values"])
    short = values.take(np.flatnonzero(values.lengths() <= 24))
    embedding, _ = timed(lambda: spelling.embed_compiled(short, spelling.Statistics.read(part.arrays)))
    size = info["files"]["similar.idx"]
    report(
        f"{len(values):,} distinct text values, {len(part.arrays['column.starts']) - 1:,} distinct sets",
        [
            ("stored bytes per raw byte", f"{size / info['bytes']:.3f}", "<= 0.4"),
            ("per million cells", f"{build / cells:.2f} s, {size / cells / 1e6:.2f} MB", ""),
            ("short values embedded per second", f"{len(short) / embedding:,.0f}", ">= 300,000"),
        ],
    )


def misspelt_columns(part: Part, size: tuple[int, int], options: Any) -> list[list[str]]:
    """Text columns with so many distinct values, one typing error in each value, never in its first letter."""
    chance, segment = random.Random(options.seed), part.segment
    sets = part.arrays["set.of_column"]
    fitting = [c for c in range(segment.column_count) if size[0] <= len(segment.set_of(c)) < size[1]]
    fitting = [column for column in fitting if sets[column] != 0xFFFFFFFF]
    columns = []
    while fitting and len(columns) < options.columns:
        column = fitting.pop(chance.randrange(len(fitting)))
        values = segment.dictionary.values.take(segment.set_of(column)).tolist()
        if sum(any(letter.isalpha() for letter in value) for value in values) > len(values) / 2:
            columns.append([misspelt(value, chance) for value in values])
    return columns


def misspelt(value: str, chance: random.Random) -> str:
    if len(value) < 4:
        return value
    place = chance.randrange(1, len(value))
    head, here, tail = value[:place], value[place], value[place + 1 :]
    return chance.choice([head + tail, head + here + here + tail, head + "o" + tail])


def asked(part: Part, values: list[str], distance: str, share: float = 0.6) -> Question:
    query = {"values": values, "share": share, "distance": distance, "k": 10, "per": "table"}
    probe = dict(SIMILAR.plan(query, [part]))
    equal = similar.equal_places(part, similar.Question.of(probe))
    owned = np.ones(len(part.arrays["column.starts"]) - 1, bool)
    return Question(probe, similar.vectors_of(probe), equal, Wanted(probe["limit"], probe["need"], owned))


def compare(part: Part, columns: list[list[str]], size: tuple[int, int], distance: str) -> None:
    systems = {
        "Mere": lambda q: sparse.counted(part, q.vectors, q.equal, q.wanted),
        "Mere, scan": lambda q: sparse.counted(part, q.vectors, q.equal, q.wanted, sparse.Limits(scan=True)),
        "SciPy product": Product(part).counted,
    }
    seconds = dict.fromkeys(systems, 0.0)
    verified, pairs = 0, 0
    for number, values in enumerate([columns[0], *columns]):  # the first is a warm-up
        question, counts = asked(part, values, distance), {}
        for name, system in systems.items():
            took, counts[name] = timed(lambda s=system, q=question: s(q))
            seconds[name] += took if number else 0.0
        expected = counts["SciPy product"]
        reached = expected >= question.wanted.need
        for name, found in counts.items():
            assert np.array_equal(found[reached], expected[reached]), name
            assert not (found[~reached] >= question.wanted.need).any(), name
        if number:
            known = sparse.asked_of(
                question.vectors, question.equal, spelling.Statistics.read(part.arrays), question.wanted.limit
            )
            verified += sparse.counted_compiled(part, known, question.wanted)[1]
            pairs += len(values) * len(part.arrays["values"])
    total = sum(map(len, columns))
    rows = [
        (name, f"{1e3 * took / len(columns):,.1f} ms, {1e6 * took / total:,.0f} us per value", "")
        for name, took in seconds.items()
    ]
    rows.append(("values that Mere embedded, of all pairs", f"{verified:,} of {pairs:,}", ""))
    rows += [
        (f"ratio: {name} / Mere", f"{took / seconds['Mere']:.1f}", ">= 1")
        for name, took in seconds.items()
        if name != "Mere"
    ]
    title = f"{distance}: {len(columns)} questions of {size[0]:,} to {size[1]:,} values ({total:,} in all), share 0.6"
    report(title, rows)


class Product:
    """The product of two sparse matrices, and counting what is close enough."""

    def __init__(self, part: Part) -> None:
        values = part.segment.dictionary.values.take(part.arrays["values"])
        vectors = spelling.embed_compiled(values, spelling.Statistics.read(part.arrays))
        self.lists = sparse.lists_of(part)
        self.features, columns = np.unique(vectors.grams, return_inverse=True)
        self.matrix = self._matrix(vectors, columns).T.tocsr()

    def _matrix(self, vectors: Vectors, columns: np.ndarray) -> matrices.csr_matrix:
        lengths = np.sqrt(np.maximum(vectors.norms, 1).astype(np.float64))
        weights = vectors.weights / np.repeat(lengths, np.diff(vectors.starts))
        shape = (len(vectors.norms), len(self.features))
        return matrices.csr_matrix((weights, columns, vectors.starts), shape)

    def counted(self, question: Question) -> np.ndarray:
        vectors = question.vectors
        column = np.minimum(np.searchsorted(self.features, vectors.grams), len(self.features) - 1)
        known = self.features[column] == vectors.grams
        mine = self._matrix(vectors._replace(weights=np.where(known, vectors.weights, 0)), column)
        limit = question.wanted.limit + TOLERANCE
        sets, keys = len(question.wanted.owned), [np.zeros(0, np.int64)]
        for start in range(0, mine.shape[0], 64):
            found = (mine[start : start + 64] @ self.matrix).tocoo()
            distance = np.sqrt(np.maximum(0.0, 2.0 - 2.0 * found.data))
            query, place = found.row[distance <= limit] + start, found.col[distance <= limit]
            sizes = self.lists.starts[place + 1] - self.lists.starts[place]
            owners = self.lists.sets[places_of(self.lists.starts[place], sizes)].astype(np.int64)
            keys.append(np.unique(owners << 32 | np.repeat(query, sizes)))
        equal = sparse.equal_pairs(question.equal)
        sizes = self.lists.starts[equal.place + 1] - self.lists.starts[equal.place]
        owners = self.lists.sets[places_of(self.lists.starts[equal.place], sizes)].astype(np.int64)
        keys.append(owners << 32 | np.repeat(equal.query, sizes))
        return np.bincount(np.unique(np.concatenate(keys)) >> 32, minlength=sets)


def paper(part: Part, columns: list[list[str]]) -> None:
    """The paper's engine on spellings: how many distances it computes."""
    lists = sparse.lists_of(part)
    building, [(index, _)] = timed(
        lambda: list(by_pexeso.indexes(part, lists, len(part.arrays["column.starts"]) - 1, 1 << 40))
    )
    rows = [("build", f"{building:.1f} s", "")]
    for distance in ("strict", "normal"):
        questions = [asked(part, values, distance) for values in columns]
        ours = sum(timed(lambda q=q: sparse.counted(part, q.vectors, q.equal, q.wanted))[0] for q in questions)
        for name, inverted in (("pexeso", True), ("pexeso-h", False)):
            seconds, distances = 0.0, 0
            for question in questions:
                took, (_, counters) = timed(
                    lambda q=question, i=inverted: pexeso.counted(index, q.vectors, q.wanted, i)
                )
                seconds, distances = seconds + took, distances + counters.distances
            rows.append((f"{name}, {distance}", f"{seconds:.2f} s, {distances:,} distances", ""))
            rows.append((f"ratio: {name} / Mere, {distance}", f"{seconds / ours:,.0f}", ""))
    report(f"The paper's engine, {len(columns)} questions of {sum(map(len, columns)):,} values in all", rows)


if __name__ == "__main__":
    main()
