"""Small lakes of misspelt, abbreviated and reformatted values, as parts of segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
from hypothesis import strategies as st

from mere.indexes import KINDS
from mere.indexes.kind import Part
from mere.segments import Facts, Table, digest, summarise
from tests.kinds.harness import build_parts, folder

SIMILAR = KINDS["similar"]
WORDS = (
    "germany", "germny", "grmany", "united", "untied", "states", "state", "kingdom", "kingdoms", "zürich", "zurich",
    "market", "markt", "st", "street", "ave", "avenue", "mar", "march", "may", "12th", "12", "012", "2019", "2020", "7",
    "a", "b", "am", "日本", "日本人", "ключ", "ключи", "x" * 30, "saint", "dr", "北", "a+",
    "c++", "c#", "5€", "100%", "°",
)  # fmt: skip
texts = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
punctuated = st.builds(lambda parts, gap: gap.join(parts), st.lists(st.sampled_from(WORDS), max_size=4),
                       st.sampled_from([" ", "-", ", ", "/", "", "·"]))  # fmt: skip
joined = st.lists(st.sampled_from(["1", "2", "sep", "apt", "nov", "av", "st"]), max_size=16).map("".join)
values = st.one_of(texts, punctuated, joined, st.sampled_from(["-", "...", "1", "00", "٣"]))
columns = st.lists(values, max_size=8)


def tables_of(contents: Sequence[Sequence[str]]) -> list[Table]:
    """One table with one column for each of the lists."""
    facts = [Facts(f"t{number}", "", f"t{number}") for number in range(len(contents))]
    frames = [pa.table({"c": pa.array(list(cells), pa.string())}) for cells in contents]
    return summarise(facts, digest(frames))


@contextmanager
def part_of(contents: Sequence[Sequence[str]]) -> Iterator[tuple[Part, list[Table], dict]]:
    """One segment of these columns, its tables, and what was learnt."""
    tables = tables_of(contents)
    trained = dict(SIMILAR.train(tables, {}))
    with folder() as path:
        [part] = build_parts(SIMILAR, path, [tables], trained, {})
        yield part, tables, trained
