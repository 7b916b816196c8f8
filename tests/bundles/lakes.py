"""Small tables for the tests of bundles, and what is true of them by plain sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import pyarrow as pa
from hypothesis import strategies as st

from mere.bundles.filters import parse_filters
from mere.bundles.problem import Offer, Problem
from mere.bundles.relation import Relation, relation_of_cells
from mere.bundles.schema import Schema
from mere.values import Type

NAMES = ("a", "b", "c")
TYPES = (Type.INTEGER, Type.TEXT, Type.TEXT)
Row = tuple[str | None, ...]

cells = st.tuples(
    st.one_of(st.none(), st.integers(0, 4).map(str)),
    st.one_of(st.none(), st.sampled_from(["x", "y", "é", "日本", "it's"])),
    st.one_of(st.none(), st.sampled_from(["p", "q"])),
)
tables = st.lists(cells, max_size=12)
prices = st.integers(0, 6).map(float)
QUERIES = (
    ([], lambda row: True),
    (["a >= 2"], lambda row: row[0] is not None and int(row[0]) >= 2),
    (["b = 'x'", "c IS NULL"], lambda row: row[1] == "x" or row[2] is None),
    (["a < 3 AND NOT (b = 'y')"], lambda row: None not in row[:2] and int(row[0]) < 3 and row[1] != "y"),
    (["a = 9"], lambda row: False),
)


def relation(name: str, rows: Sequence[Row], schema: Schema, names: Sequence[str] = NAMES) -> Relation:
    columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(len(names))]
    return relation_of_cells(name, names, columns, schema)


def problem(
    base: Sequence[Row],
    offers: Sequence[tuple[Sequence[Row], float]],
    queries: list[str],
    budget: float,
    size: int = 1000,
) -> Problem:
    schema = Schema(NAMES, TYPES)
    made = [relation(f"t{number}", rows, schema) for number, (rows, _) in enumerate(offers)]
    offered = tuple(
        Offer(table.name, price, table.rows, lambda table=table: table)
        for table, (_, price) in zip(made, offers, strict=True)
    )
    return Problem(schema, relation("base", base, schema), offered, parse_filters(queries, schema), budget, size)


def union(base: Sequence[Row], tables: Sequence[Sequence[Row]], meets: Callable[[Row], bool]) -> int:
    """How many distinct rows the base and some tables have that meet a filter."""
    return len({row for table in (base, *tables) for row in table if meets(row)})


def best_bundle(base, offers, meets, budget: float) -> int:
    """The most rows that any bundle has, by trying all of them."""
    most = 0
    for count in range(len(offers) + 1):
        for bundle in combinations(offers, count):
            if sum(price for _, price in bundle) <= budget:
                most = max(most, union(base, [rows for rows, _ in bundle], meets))
    return most
