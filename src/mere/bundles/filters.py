"""What rows are wanted?  Those that meet at least one of several SQL queries.

    SELECT * FROM t WHERE price < 100 AND city = 'Graz'     a query
    price < 100 AND city = 'Graz'                           the same, in short

`parse_sql` has the accepted part of SQL, `evaluate` what it means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mere.bundles.evaluate import Plan, columns_of
from mere.bundles.parse_sql import parse
from mere.bundles.predicates import Predicate
from mere.bundles.relation import Relation
from mere.bundles.schema import Schema
from mere.bundles.sql_faults import EXAMPLE
from mere.errors import UsageError


@dataclass(frozen=True)
class Filters:
    """Queries as they were written, and parsed.  Without queries, every row is wanted."""

    texts: tuple[str, ...] = ()
    queries: tuple[Predicate, ...] = ()
    notes: tuple[str, ...] = ()  # what may not have been meant

    def columns(self) -> set[int]:
        """The places in the schema of the columns that the queries use."""
        return set().union(*map(columns_of, self.queries))

    def rows(self, relation: Relation) -> np.ndarray:
        """Whether each row meets at least one query."""
        if not self.queries:
            return np.ones(relation.rows, bool)
        return np.logical_or.reduce(self.each(relation))

    def each(self, relation: Relation) -> list[np.ndarray]:
        """For each query, whether each row meets it."""
        return self._plan.rows_of_each(relation)

    @cached_property
    def _plan(self) -> Plan:
        return Plan(self.queries)


def parse_filters(queries: str | Sequence[str], schema: Schema, excluded: Sequence[str] = ()) -> Filters:
    """The filters that these texts stand for; a single text is one query.  `excluded`: columns that have no place."""
    texts = (queries,) if isinstance(queries, str) else queries
    if not isinstance(texts, list | tuple):
        raise UsageError(f"expected a list of SQL texts, got {queries!r}", f'e.g. queries=["{EXAMPLE}"]')
    for text in texts:
        if not isinstance(text, str):
            raise UsageError(f"expected an SQL text, got {text!r}", f'e.g. queries=["{EXAMPLE}"]')
    notes: list[str] = []
    parsed = tuple(parse(text, schema, excluded, notes) for text in texts)
    return Filters(tuple(texts), parsed, tuple(dict.fromkeys(notes)))
