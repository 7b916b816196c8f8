"""Small lakes with difficult cases: ties, equal columns, empty columns, tables without rows, names in many scripts.

Some tables are published profiles: they have histograms and no rows.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from mere.segments import Facts, Table, digest, summarise
from mere.values import Type

WORDS = (
    *("world", "cup", "worldcup", "WorldCup", "price", "prices", "country", "countries", "gas", "box"),
    *("boxes", "CO2", "co", "2", "2019", "2020", "name", "id", "x", "code", "a1b2c3d4", "HTTPServer", "IDs"),
    *("covid19", "Straße", "STRASSE", "Köln", "naïve", "İzmir", "ﬁsh", "ключ", "κλειδί", "नमस्ते"),
    *("人口", "日本", "データ"),
)
_GAPS = ["", " ", " ", "_", "_", "-", "  ", ".", "・"]
_CELLS = [None, "", "NA", "-", "1", "1.0", "2", "007", "2020-01-31", "true", "x" * 80, "A  b", "\u00a0"]


def _texts(count: int) -> list[str]:
    """Words joined in many ways, with a fixed seed, so that Hypothesis makes one choice per text."""
    chance, made = random.Random(2019), list(WORDS)
    while len(made) < count:
        more = "".join(chance.choice(_GAPS) + chance.choice(WORDS) for _ in range(chance.randint(1, 3)))
        made.append(chance.choice(WORDS) + more)
    return made


texts = st.sampled_from(_texts(400))
words = st.sampled_from(WORDS)
cells = st.sampled_from([*_CELLS, *_texts(80)])
abouts = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"title": texts}),
    st.fixed_dictionaries(
        {},
        optional={
            "title": texts,
            "description": st.lists(texts, max_size=4).map(" ".join),
            "keywords": st.lists(texts, max_size=2),
            "licence": st.just("CC0-1.0"),
            "columns": st.dictionaries(texts, texts, max_size=2),
        },
    ),
)


@st.composite
def frames(draw: Any) -> pa.Table:
    """A raw table: any number of columns but none twice, all text; empty, constant, repeating or free."""
    headers = draw(st.lists(texts, max_size=4, unique=True))
    rows = draw(st.sampled_from([0, 1, 2, 4, 12]))
    chosen = draw(st.lists(cells, min_size=1, max_size=4))
    shapes = [[None], chosen[:1], chosen, chosen[::-1], [None, *chosen]]
    columns = [(draw(st.sampled_from(shapes)) * rows)[:rows] for _ in headers]
    return pa.table([pa.array(column, pa.string()) for column in columns], names=headers)


numbers = st.sampled_from([-3.0, 0.0, 0.0, 0.5, 1.0, 2.0, 2.0, 7.0, 40.0, 1577836800.0, 1e300])


@st.composite
def published(draw: Any) -> dict[str, Any]:
    """What is published about one column: its type, and sometimes a histogram, with bins of no width and no rows."""
    column = {"type": int(draw(st.sampled_from(list(Type))))}
    edges = sorted(draw(st.lists(numbers, min_size=2, max_size=7)))
    counts = [draw(st.sampled_from([0, 1, 1, 2, 5, 100])) for _ in edges[1:]]
    inner = zip(edges[:-2], edges[1:-1], counts[:-1], strict=True)
    counts = [0 if left == right else count for left, right, count in inner] + counts[-1:]
    return {**column, "edges": edges, "counts": counts} if sum(counts) and draw(st.booleans()) else column


@st.composite
def profile_only(draw: Any) -> tuple[dict[str, Any], pa.Table]:
    """A table whose rows stay with their owner: what is published, and the columns without a row."""
    headers = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    columns = [draw(published()) for _ in headers]
    return {"rows": 9, "columns": columns}, pa.table([pa.array([], pa.string()) for _ in headers], names=headers)


@st.composite
def facts(draw: Any) -> Facts:
    folder = draw(st.sampled_from(["", "", "World Cup/", "data/prices/", "Köln/人口/"]))
    member = draw(st.sampled_from(["", "", "", "Sheet 1", "data/world_cup.csv"]))
    path = folder + draw(texts) + draw(st.sampled_from([".csv", ".parquet", ".csv.gz", ""]))
    source = draw(st.sampled_from(["/lakes/open data", "s3://bucket/WorldCup/", "here"]))
    return Facts(f"{path}#{member}" if member else path, source, path, member, about=draw(abouts))


@st.composite
def lakes(draw: Any) -> list[Table]:
    """Tables with different names; in some lakes, some have equal contents, and some are published profiles."""
    size = draw(st.sampled_from([1, 2, 3, 4, 5, 6, 8]))
    known = draw(st.lists(facts(), min_size=size, max_size=size, unique_by=lambda fact: fact.name))
    contents = draw(st.lists(st.one_of(frames(), frames(), profile_only()), min_size=1, max_size=size))
    repeated = [contents[i % len(contents)] for i in range(size)]
    for fact, content in zip(known, repeated, strict=True):
        fact.published = dict(content[0]) if isinstance(content, tuple) else {}
    return summarise(known, digest([content[1] if isinstance(content, tuple) else content for content in repeated]))


@st.composite
def cuts(draw: Any, tables: Sequence[Table]) -> list[list[Table]]:
    """The tables, distributed over segments."""
    owner = [draw(st.integers(0, 3)) for _ in tables]
    groups = [[table for table, o in zip(tables, owner, strict=True) if o == n] for n in range(4)]
    return [group for group in groups if group]
