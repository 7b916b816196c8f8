"""The numbers of a file that is given are read like those of the same file in the lake."""

import json
import os
import tempfile
from contextlib import closing

from hypothesis import given, settings
from hypothesis import strategies as st

from mere.bundles.schema import Schema
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.search.assembling.inputs import Stored, read_table, table_of_the_lake
from mere.search.catalog import find_table
from mere.segments import OpenSnapshot
from mere.values import Type

WAYS = [
    "{a},{b:02d}",
    "{c},{d:03d}",
    "{e}.{d:03d}",
    "{a}.{c}",
    "{a}.00",
    "{d}",
    "€ {c}.{d:03d},5",
    "{a}%",
    "<{c}",
    "n/a",
]


@st.composite
def written_columns(draw):
    """Three columns of numbers, each written in one to three ways."""
    random = draw(st.randoms(use_true_random=False))
    ways = [random.sample(WAYS, random.choice([1, 1, 2, 3])) for _ in range(3)]

    def cell(choices):
        parts = {"a": random.randint(0, 99), "b": random.randint(0, 99), "c": random.randint(1, 9)}
        return random.choice(choices).format(**parts, d=random.randint(0, 999), e=random.randint(1, 99))

    rows = [[f"id{row}", *map(cell, ways)] for row in range(random.randint(6, 30))]
    fractions = random.random() < 0.3
    return [[*row, row_number + 0.125] if fractions else row for row_number, row in enumerate(rows)]


@settings(deadline=None, max_examples=40)
@given(written_columns(), st.sampled_from(["csv", "json"]), st.sampled_from([0.5, 0.66, 0.9]))
def test_a_file_has_the_rows_of_the_same_file_in_the_lake(rows, format, share):
    names = ["k", "a", "b", "c", "v"][: len(rows[0])]
    with tempfile.TemporaryDirectory() as folder:
        raw, lake = os.path.join(folder, "raw"), os.path.join(folder, "lake")
        os.mkdir(raw)
        path = os.path.join(raw, f"t.{format}")
        with open(path, "w", encoding="utf-8") as file:
            if format == "json":
                json.dump([dict(zip(names, row, strict=True)) for row in rows], file)
            else:
                file.write("".join(";".join(map(str, row)) + "\n" for row in [names, *rows]))
        index([raw], lake, engine=Inline(), settings=Settings(number_share=share))
        with closing(OpenSnapshot(lake)) as opened:
            segment, number = find_table(opened, f"t.{format}")
            stored = table_of_the_lake(opened, Stored(segment, number))
            types = [Type(int(t)) for t in segment.catalog["column.types"][: len(names)]]
            schema = Schema(tuple(names), tuple(types))
            mine = read_table(path, opened, "mine").relation(schema).hashes()
            assert sorted(mine.tolist()) == sorted(stored.relation(schema).hashes().tolist())
