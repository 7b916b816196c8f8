"""Small tables, queries and networks for the tests of the learned estimator."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from mere.bundles.learned.network import SHAPES, Network
from mere.bundles.predicates import And, Compare, Constant, IsNull, Like, Not, OneOf, Or
from mere.bundles.relation import Relation, relation_of_cells
from mere.bundles.sample import Sample, sample_of
from mere.bundles.schema import Schema
from mere.values import Type

SCHEMA = Schema(("size", "city", "day"), (Type.INTEGER, Type.TEXT, Type.DATETIME))
SIZE, CITY, DAY = range(3)
CITIES = ["graz", "linz", "wien", "steyr", None]


def random_network(seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    weights = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}
    return Network({name: array * np.float32(1.5 / len(array) ** 0.5) for name, array in weights.items()})


def relation_of(rows: list[tuple], names: tuple[str, ...] = SCHEMA.names) -> Relation:
    """Rows of (size, city, day of January 2020); None is null."""
    cells = [[None if cell is None else str(cell) for cell in column] for column in zip(*rows, strict=True)]
    return relation_of_cells("t", names, [pa.array(column, pa.string()) for column in cells or [[]] * 3], SCHEMA)


def random_rows(count: int, seed: int) -> list[tuple]:
    rng = np.random.default_rng(seed)
    return [
        (int(rng.integers(0, 1000)), CITIES[int(rng.integers(0, 5))], f"2020-01-{int(rng.integers(1, 29)):02d}")
        for _ in range(count)
    ]


def random_sample(count: int, seed: int, size: int = 1000) -> Sample:
    return sample_of(relation_of(random_rows(count, seed)), size)


_numbers = st.integers(-3, 12).map(float)
_words = st.sampled_from(["graz", "linz", "wien", "steyr", "bonn", "zell"])
_operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
_leaves = st.one_of(
    st.builds(Compare, st.just(SIZE), _operators, _numbers),
    st.builds(Compare, st.just(CITY), _operators, _words),
    st.builds(OneOf, st.just(SIZE), st.lists(_numbers, min_size=1, max_size=4).map(tuple), st.booleans()),
    st.builds(OneOf, st.just(CITY), st.lists(_words, min_size=1, max_size=4).map(tuple)),
    st.builds(Like, st.just(CITY), st.sampled_from(["%i%", "g%", "_ien"])),
    st.builds(IsNull, st.sampled_from([SIZE, CITY])),
    st.builds(Constant, st.sampled_from([True, False, None])),
)
predicates = st.recursive(
    _leaves,
    lambda parts: st.one_of(
        st.builds(Not, parts),
        st.builds(And, st.lists(parts, min_size=1, max_size=3).map(tuple)),
        st.builds(Or, st.lists(parts, min_size=1, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
tables = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.sampled_from(CITIES), st.just("2020-01-01")),
    min_size=1,
    max_size=30,
)
