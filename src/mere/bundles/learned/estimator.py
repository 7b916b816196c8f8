"""How many distinct rows of a table, or of several, meet at least one query?  Estimated by a trained network.

Distinctiveness maximisation (Wang and others, WWW 2025), section 4.

    paper                   here            meaning
    E_C^d                   Summary         a table's embeddings, one per column set
    Component 1             summary         made of the sample of a table: its rows are uniform over the distinct rows
    Components 2-4, alg. 2  distinct        the share of rows that meet a query, times the number of rows
    Component 5, alg. 3     merge           the summary of a union
    L_Q[q]                  shown           the column sets whose embeddings stand for a query, at most 4
    n* + |d| in alg. 4      Summary.rows    added up in merges

The number of rows of a union is, as in the paper, the sum of the tables' rows: rows that several tables hold are
counted once for each of them, and nothing in two embeddings could tell how many these are.  So a copy of a table seems
to add as many rows as the table has; the other methods know better.

Departs: column sets and quantiser are chosen once for all tables of a question; boxes are in an order that does not
depend on the order of the queries; where a query has conditions that its boxes do not express, or columns beyond four
column sets, the estimate is multiplied by the share of the sample's rows in the boxes that meet the query, and a note
says so.

Cost: about 2 ms per table for its summary, and half a millisecond per table and 20 queries for an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mere.bundles.filters import Filters
from mere.bundles.learned.boxes import Box, BoxMaker, columns_in, without_contained
from mere.bundles.learned.column_sets import ColumnSet, choose_column_sets
from mere.bundles.learned.network import ABSENT, SETS, WIDTH, Network
from mere.bundles.learned.quantiser import EVERYTHING, Quantiser, fit_quantiser, sort_keys
from mere.bundles.learned.weights import packaged_network
from mere.bundles.predicates import Predicate
from mere.bundles.relation import Relation
from mere.bundles.sample import Sample
from mere.bundles.schema import Schema
from mere.values import Type

MOST_BOXES = 20  # the network was trained with up to 20 queries
_CORRELATION_ROWS = 4000


@dataclass(frozen=True, eq=False)
class Summary:
    """What is known of a table: one embedding per column set, its number of distinct rows, and the share of its rows in
    the boxes that meet the queries' other conditions, too."""

    embeddings: np.ndarray  # (column sets, WIDTH)
    rows: float
    kept: float


class LearnedEstimator:
    """Estimates for one question: `samples` are those of all its tables, the base's first."""

    def __init__(
        self,
        schema: Schema,
        queries: tuple[Predicate, ...],
        samples: Sequence[Sample],
        network: Network | None = None,
    ) -> None:
        self._network = packaged_network() if network is None else network
        self._filters = Filters(queries=queries)
        self._columns = sorted(set().union(*map(columns_in, queries)))
        self._kinds = {column: _kind(schema.types[column]) for column in self._columns}
        relations = [sample.relation for sample in samples]
        self._quantisers = {column: self._fit(column, relations) for column in self._columns}
        self._boxes = self._make_boxes(queries)
        self._sets = self._choose_sets(relations)
        self._shown = [_shown(box, self._sets) for box in self._boxes]
        self._complete = all(
            not box.left_over and set(box.ranges) <= self._columns_of(shown)
            for box, shown in zip(self._boxes, self._shown, strict=True)
        )
        self._unlimited = not queries or any(not shown for shown in self._shown)
        self._folded_queries = self._fold_queries()

    @property
    def column_sets(self) -> list[tuple[int, ...]]:
        """The places in the schema of the columns that are summarised together."""
        return list(self._sets)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of the estimates."""
        notes = [
            "the numbers of the learned method are rough, and rows that several tables hold are counted repeatedly; "
            "method='sketch' is closer"
        ]
        if not self._complete:
            notes.append(
                f"conditions that are no ranges (such as LIKE), or on more than {SETS} sets of columns, are estimated "
                "from the samples alone"
            )
        if len(self._boxes) > MOST_BOXES:
            notes.append(
                f"the learned method was trained with up to {MOST_BOXES} queries, these are {len(self._boxes)}"
            )
        return tuple(notes)

    def summary(self, sample: Sample) -> Summary:
        """The summary of a table."""
        codes = self._codes(sample.relation)
        embeddings = [self._network.mean_embedding(_pairs(codes, columns)) for columns in self._sets]
        stacked = np.stack(embeddings) if embeddings else np.zeros((0, WIDTH), np.float32)
        return Summary(stacked, sample.distinct, 1.0 if self._complete else self._kept(sample.relation, codes))

    def merge(self, these: Summary, others: Summary) -> Summary:
        """The summary of the union of two tables; one without rows changes nothing."""
        if not these.rows or not others.rows:
            return these if these.rows else others
        rows = these.rows + others.rows
        kept = (these.kept * these.rows + others.kept * others.rows) / rows
        return Summary(self._network.merge(these.embeddings, others.embeddings), rows, kept)

    def distinct(self, summary: Summary) -> float:
        """How many distinct rows meet at least one query."""
        return float(self.distinct_many([summary])[0])

    def distinct_many(self, summaries: Sequence[Summary]) -> np.ndarray:
        """The same for several summaries at once."""
        rows = np.array([summary.rows * summary.kept for summary in summaries])
        if self._unlimited:
            return rows
        if not self._boxes or not len(rows):
            return np.zeros(len(rows))
        padded = np.stack([np.pad(summary.embeddings, ((0, 1), (0, 0))) for summary in summaries])
        per_query = padded[:, self._places()].reshape(len(rows), len(self._boxes), SETS * WIDTH)
        return rows * self._network.fraction(self._network.fold_tables(per_query), self._folded_queries)

    def _fit(self, column: int, relations: Sequence[Relation]) -> Quantiser:
        present = [part for relation in relations if (part := relation.columns[column]) is not None]
        keys = [sort_keys(part, self._kinds[column]) for part in present]
        counts = [np.bincount(part.codes, minlength=len(part.values) + 1)[1:] for part in present]
        return fit_quantiser(keys, counts, self._kinds[column])

    def _make_boxes(self, queries: Sequence[Predicate]) -> list[Box]:
        maker = BoxMaker(self._quantisers, max(1, MOST_BOXES // max(1, len(queries))))
        return without_contained([box for query in queries for box in maker.boxes(query)])

    def _choose_sets(self, relations: Sequence[Relation]) -> list[ColumnSet]:
        columns = sorted({column for box in self._boxes for column in box.ranges})
        if not columns:
            return []
        share = max(1, _CORRELATION_ROWS // len(relations))
        codes = [self._codes(relation) for relation in relations]
        pooled = np.concatenate([np.stack([table[column][:share] for column in columns], axis=1) for table in codes])
        return choose_column_sets([frozenset(box.ranges) for box in self._boxes], columns, pooled)

    def _codes(self, relation: Relation) -> dict[int, np.ndarray]:
        return {
            column: quantiser.code_rows(relation.columns[column], self._kinds[column], relation.rows)
            for column, quantiser in self._quantisers.items()
        }

    def _kept(self, relation: Relation, codes: dict[int, np.ndarray]) -> float:
        inside = np.zeros(relation.rows, bool)
        for box, shown in zip(self._boxes, self._shown, strict=True):
            inside |= _rows_in(box, self._columns_of(shown), codes, relation.rows)
        return float(self._filters.rows(relation).sum() / inside.sum()) if inside.any() else 1.0

    def _columns_of(self, shown: Sequence[int]) -> set[int]:
        return {column for place in shown for column in self._sets[place]}

    def _places(self) -> np.ndarray:
        """Per box the places of its column sets; the place after the last one stands for zeros."""
        padded = [[*shown, *[len(self._sets)] * (SETS - len(shown))] for shown in self._shown]
        return np.array(padded, np.int64)

    def _fold_queries(self) -> np.ndarray:
        if self._unlimited or not self._boxes:
            return np.zeros((1, 2 * SETS * WIDTH), np.float32)
        rows = np.zeros((len(self._boxes), SETS, 2 * WIDTH), np.float32)
        for number, (box, shown) in enumerate(zip(self._boxes, self._shown, strict=True)):
            for slot, place in enumerate(shown):
                rows[number, slot] = self._network.embed_rows(_corners(box, self._sets[place])).ravel()
        return self._network.fold_queries(rows.reshape(len(self._boxes), -1))


def _kind(kind: Type) -> Type:
    return kind if kind.has_order else Type.TEXT


def _shown(box: Box, sets: Sequence[ColumnSet]) -> list[int]:
    """The column sets that stand for a box: at each step the one with the most of its columns not yet shown."""
    shown: list[int] = []
    missing = set(box.ranges)
    while missing and len(shown) < SETS:
        place = max(range(len(sets)), key=lambda place: (len(missing & set(sets[place])), -place))
        shown.append(place)
        missing -= set(sets[place])
    return sorted(shown)


def _pairs(codes: dict[int, np.ndarray], columns: ColumnSet) -> np.ndarray:
    first = codes[columns[0]].astype(np.int64)
    second = codes[columns[1]] if len(columns) == 2 else np.full(len(first), ABSENT)
    return np.stack([first, second], axis=1)


def _corners(box: Box, columns: ColumnSet) -> np.ndarray:
    """The lowest and the highest codes of a box in a column set, (2, 2)."""
    ranges = [box.ranges.get(column, EVERYTHING) for column in columns]
    if len(ranges) == 1:
        ranges.append((ABSENT, ABSENT))
    return np.array(ranges).T


def _rows_in(box: Box, columns: set[int], codes: dict[int, np.ndarray], rows: int) -> np.ndarray:
    inside = np.ones(rows, bool)
    for column, (low, high) in box.ranges.items():
        if column in columns:
            inside &= (codes[column] >= low) & (codes[column] <= high)
    return inside
