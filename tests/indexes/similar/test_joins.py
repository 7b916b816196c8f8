"""Joining on the pairs of a hit: rows of the best match, of all matches, and of none."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mere
from mere.errors import QueryError, UsageError
from mere.search.joining import HOW
from tests.indexes.similar.lakes import texts
from tests.search.joined import Side, join

cells = st.lists(st.one_of(st.none(), texts, st.sampled_from(["A", "a", "b", "8,5 €", "1.234 €", "(7)"])), max_size=7)


def brute_join(left: list, right: list, matching: list, how: str) -> list[tuple]:
    """Rows of (left row, right row), None where there is none; in the order of the side that is kept."""
    from mere.values import normalise_cell

    def value(cell: str | None) -> str | None:
        return normalise_cell(cell) if cell else None

    met = [(i, j) for i, mine in enumerate(left) for j, theirs in enumerate(right)
           if mine and theirs and (value(mine), value(theirs)) in matching]  # fmt: skip
    lonely_left = [(i, None) for i in range(len(left)) if i not in {pair[0] for pair in met}]
    lonely_right = [(None, j) for j in range(len(right)) if j not in {pair[1] for pair in met}]
    if how == "right":
        return sorted([*met, *lonely_right], key=lambda pair: (pair[1], -1 if pair[0] is None else pair[0]))
    rows = met if how == "inner" else sorted([*met, *lonely_left], key=lambda p: (p[0], -1 if p[1] is None else p[1]))
    return [*rows, *(lonely_right if how == "outer" else [])]


@given(cells, cells, st.sampled_from(HOW), st.data())
def test_rows_are_joined_where_their_values_are_paired(left: list, right: list, how: str, data: Any) -> None:
    from mere.values import normalise_cell

    mine, theirs = ([normalise_cell(cell) for cell in side if cell] for side in (left, right))
    some = st.tuples(st.sampled_from([*mine, "absent"]), st.sampled_from([*theirs, "absent"]))
    matching = data.draw(st.lists(some, max_size=8))
    sides = [pa.table({"c": pa.array(side, pa.string()), name: list(range(len(side)))})
             for side, name in ((left, "i"), (right, "j"))]  # fmt: skip
    joined = join(Side(sides[0], ["c"]), Side(sides[1], ["c"]), how, matching)
    found = list(zip(joined["i"].to_pylist(), joined["j"].to_pylist(), strict=True))
    assert found == brute_join(left, right, matching, how)


def test_two_spellings_of_a_number_are_one_value_of_a_pair() -> None:
    mine = Side(pa.table({"c": ["5€", "5 €", "6 €"], "i": [0, 1, 2]}), ["c"])
    assert join(mine, Side(pa.table({"c": ["A"]}), ["c"]), "inner", [("5€", "a")])["i"].to_pylist() == [0, 1]


@pytest.mark.parametrize("cell", ["5€", "1.234,5 €", "(7) €"])
def test_a_pair_of_texts_joins_rows_of_a_column_that_is_read_as_numbers(cell: str) -> None:
    mine = Side(pa.table({"c": [cell, "8 €", "9"], "i": [0, 1, 2]}), ["c"])
    theirs = Side(pa.table({"c": ["a", "b"]}), ["c"])
    joined = join(mine, theirs, "inner", [(cell, "a"), ("8 €", "b"), ("10 €", "a")])
    assert list(zip(joined["i"].to_pylist(), joined["c_right"].to_pylist(), strict=True)) == [(0, "a"), (1, "b")]
    other_unit = cell.replace("€", "$")
    assert join(mine._replace(table=mine.table.slice(0, 1)), theirs, "inner", [(other_unit, "a")]).num_rows == 0


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("similar")
    (folder / "raw").mkdir()
    (folder / "raw" / "countries.csv").write_text(
        "country,code\nGermany,DE\nGermany,DEU\nUnited States,US\nSlovakia,SK\nSlovenia,SI\nKorea (South),KR\n"
    )
    (folder / "raw" / "rivers.csv").write_text("river,length\nRhine,1233\nDanube,2850\nElbe,1094\n")
    mere.index(folder / "raw", folder / "lake")
    with mere.open(folder / "lake") as opened:
        yield opened


MINE = {"land": ["Germny", "Unted States", "South Korea", "Elsewhere", None], "n": [1, 2, 3, 4, 5]}


@pytest.mark.spark
def test_a_join_follows_the_pairs_of_the_hit(lake: mere.Lake) -> None:
    [hit] = lake.similar(MINE, on="land")
    assert (hit.table, hit.columns, hit.score) == ("countries.csv", ("country",), 0.75)
    assert {pair[0]: pair[1] for pair in hit.evidence["pairs"]} == {
        "germny": "germany", "unted states": "united states", "south korea": "korea (south)",
    }  # fmt: skip
    assert hit.evidence["fan_out"]["shape"] == "one-to-many" and hit.evidence["equal"] == 0
    joined = lake.join(pa.table(MINE), hit)
    assert joined["code"].to_pylist() == ["DE", "DEU", "US", "KR", None, None]
    assert lake.join(pa.table(MINE), hit, "inner")["n"].to_pylist() == [1, 1, 2, 3]


@pytest.mark.spark
def test_all_matches_are_joined_if_asked_for(lake: mere.Lake) -> None:
    [best] = lake.similar(["Slovania"], distance=0.45, table="countries.csv")
    [hit] = lake.similar(["Slovania"], distance=0.45, table="countries.csv", matches="all")
    assert [pair[1] for pair in best.evidence["pairs"]] == [hit.evidence["pairs"][0][1]]
    assert sorted(pair[1] for pair in hit.evidence["pairs"]) == ["slovakia", "slovenia"]
    assert hit.evidence["fan_out"]["rows"] == 2
    assert lake.join({"c": ["Slovania"]}, hit, on="c")["code"].to_pylist() == ["SK", "SI"]


@pytest.mark.spark
def test_the_least_share_and_the_best_k(lake: mere.Lake) -> None:
    assert not lake.similar(["Germny", "x", "y", "z"])
    assert [hit.score for hit in lake.similar(["Germny", "x", "y", "z"], 0.25)] == [0.25]
    assert len(lake.similar(["Germny", "Rhin", "Danub"], 0, 1, "loose")) == 1
    assert lake.similar(["Germny", "Rhin", "Danub"], 0, 1, "loose")[0].table == "rivers.csv"


@pytest.mark.spark
def test_a_question_without_hits_says_what_to_ask_instead(lake: mere.Lake) -> None:
    assert lake.similar(["Germny", "x", "y"]).notes == [
        "no column matches 60% of the values; share=0 gives the best ones and distance='loose' matches more"
    ]
    assert lake.similar(["nothing"], 0, distance="loose").notes == ["no value matches"]
    assert not lake.similar(["Germny"]).notes


@pytest.mark.spark
def test_numbers_are_not_compared_by_spelling(lake: mere.Lake) -> None:
    answer = lake.similar([1233, 2850, 7])
    assert not answer and len(answer.notes) == 1 and "numbers, which have no spelling" in answer.notes[0]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"share": 1.5}, "'share' must be from 0 to 1, got 1.5"),
        ({"share": "all"}, "'share' must be from 0 to 1, got 'all'"),
        ({"distance": "far"}, "no distance is called 'far'"),
        ({"distance": -0.1}, "'distance' must be from 0 to 1"),
        ({"distance": 0.8}, "'distance' must be at most 0.7"),
        ({"memory": 0}, "'memory' must be an int of at least 1"),
        ({"matches": "some"}, "'matches' must be one of best, all"),
        ({"mode": "hnsw"}, "'mode' must be one of auto, scan, pexeso, pexeso-h"),
        ({"embedder": "glove"}, "indexed with the embedder 'spelling', got 'glove'"),
    ],
)
def test_wrong_arguments_are_refused(lake: mere.Lake, arguments: dict, fault: str) -> None:
    with pytest.raises((QueryError, UsageError), match=fault):
        lake.similar(["Germny"], **arguments)
