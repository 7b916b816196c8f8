"""Join paths: the best of all, over links that are worth following; asked from the lake, or read from a graph."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import shlex
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.errors import UsageError
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.search.links.quality import UNITS, score_of
from mere.search.paths.best_paths import best_paths
from mere.search.paths.link import Link, Links
from tests.conftest import write_files
from tests.oracles.paths import brute

TABLES = "abcdef"
some_links = st.lists(
    st.builds(
        Link, st.sampled_from(TABLES), st.sampled_from("xyz"), st.sampled_from(TABLES), st.sampled_from("xyz"),
        st.sampled_from([0, 1, 5]), st.sampled_from([0, 3, UNITS]), st.sampled_from([0, 3, UNITS]),
        st.sampled_from([5, 6]),
    ),
    max_size=25,
    unique_by=lambda link: frozenset([(link.left, link.left_column), (link.right, link.right_column)]),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(links=some_links, k=st.integers(0, 6), longest=st.integers(1, 5))
def test_the_best_paths_are_the_best_of_all_paths(links: list[Link], k: int, longest: int) -> None:
    found = best_paths(Links(links), "a", "b", k, longest)
    truth = brute(links, "a", "b", k, longest)
    assert [(path.cost, path.tables, path.copies) for path in found] == [
        (path.cost, path.tables, path.copies) for path in truth
    ]
    assert [tuple(link.columns for link in path.links) for path in found] == [path.columns for path in truth]


@settings(max_examples=200, deadline=None)
@given(links=some_links, longest=st.integers(1, 4))
def test_the_way_back_is_as_good(links: list[Link], longest: int) -> None:
    there = {(path.cost, path.tables) for path in best_paths(Links(links), "a", "b", 0, longest)}
    back = {(path.cost, path.tables[::-1]) for path in best_paths(Links(links), "b", "a", 0, longest)}
    of_copies = {tables for path in best_paths(Links(links), "b", "a", 0, longest) for tables in path.copies}
    assert {cost for cost, _ in there} == {cost for cost, _ in back}
    assert {tables for _, tables in there} <= {tables for _, tables in back} | {tables[::-1] for tables in of_copies}


# lakes


def random_lake(chance: random.Random) -> dict[str, dict[str, list[str]]]:
    """Tables whose columns are drawn from a few pools of words, and columns that match by accident."""
    pools = [[f"{name}{n:02d}" for n in range(14)] for name in ("red", "sea", "owl")]
    accidents = [["x", "y", "z", "q", "r", "s"], ["2001-05-01", "2001-05-02", "2001-05-03", "2001-05-04"]]
    tables = {}
    for number in range(chance.randint(3, 7)):
        rows = chance.randint(1, 16)
        columns: dict[str, list[str]] = {}
        for header in chance.sample(["colour", "bird", "port", "day"], chance.randint(1, 3)):
            pool = chance.choice([*pools, *pools, *accidents])
            values = chance.sample(pool, chance.randint(1, len(pool)))
            columns[header] = [chance.choice(values) for _ in range(rows)]
            if chance.random() < 0.5:
                columns[header] = (values * rows)[:rows]
        tables[f"t{number}.csv"] = columns
    return tables


def as_csv(columns: dict[str, list[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def all_links(tables: dict[str, dict[str, list[str]]], least: int, threshold: float) -> list[Link]:
    """Every link, from its definition."""
    columns = [(table, name, cells) for table, named in tables.items() for name, cells in named.items()]
    links = []
    for left, right in combinations(columns, 2):
        mine, theirs = set(left[2]), set(right[2])
        shared = len(mine & theirs)
        smaller = min(len(mine), len(theirs))
        accident = any(len(values) <= 2 or len(min(values)) in (1, 10) for values in (mine, theirs))
        if left[0] == right[0] or shared < least or shared / smaller < threshold or accident:
            continue
        cover = (shared / max(len(mine), len(theirs))) ** 0.25
        score = shared / smaller * cover * (shared / (shared + 10)) * (1 if left[1] == right[1] else 0.75)
        unique = (len(mine) / len(left[2]), len(theirs) / len(right[2]))
        costs = [round(-math.log2(part) * UNITS) for part in (score, *unique)]
        links.append(Link(*left[:2], *right[:2], *costs, shared))
    return links


def found_in(paths: Any) -> list[Any]:
    return [
        (path.score, tuple(path.tables), tuple((s.left_column, s.right_column) for s in path.steps), path.copies)
        for path in paths
    ]


@pytest.mark.parametrize("seed", range(8))
def test_paths_are_those_of_all_links_however_the_lake_is_cut(tmp_path: Path, seed: int) -> None:
    chance = random.Random(f"paths {seed}")
    tables = random_lake(chance)
    raw = write_files(tmp_path / "raw", {name: as_csv(columns) for name, columns in tables.items()})
    least, threshold = chance.choice([1, 3, 5]), chance.choice([0.3, 0.5, 0.9])
    links = all_links(tables, least, threshold)
    for size in (1, 1 << 30):
        lake_path = tmp_path / f"lake {size}"
        index([raw], lake_path, engine=Inline(), settings=mere.Settings(segment_bytes=size, small_segments=99))
        with mere.open(lake_path) as lake:
            graph = tmp_path / f"graph {size}"
            lake.graph(graph, threshold, least=least, engine=Inline())
            for longest in (1, 2, 3, 4):
                first, second = chance.sample(sorted(tables), 2)
                k = chance.choice([0, 1, 3])
                truth = brute(links, first, second, k, longest)
                options: dict[str, Any] = {"least": least, "threshold": threshold}
                paths = lake.paths(first, second, k, longest, **options)
                assert found_in(paths) == [(score_of(path.cost), *path[1:]) for path in truth]
                assert found_in(lake.paths(first, second, k, longest, graph=graph, **options)) == found_in(paths)
                files = [raw / first, raw / second]
                if tables[first] != tables[second]:
                    check_raw_ends(lake, files, (first, second), (longest, options), graph)


def check_raw_ends(lake: Any, files: list[Path], names: tuple[str, str], asked: Any, graph: Path) -> None:
    """Files have the links of the tables that they are, and are themselves none of the tables."""
    longest, options = asked
    for ends in ((files[0], names[1]), (names[0], files[1]), (files[0], files[1])):
        paths = lake.paths(*ends, 0, longest, **options)
        again = lake.paths(*ends, 0, longest, graph=graph, **options)
        assert found_in(paths) == found_in(again)
        inside = {tuple(path.tables[1:-1]) for path in paths} | {
            tuple(tables[1:-1]) for path in paths for tables in path.copies
        }
        plain = lake.paths(*names, 0, longest, **options)
        wanted = {tuple(path.tables[1:-1]) for path in plain} | {
            tuple(tables[1:-1]) for path in plain for tables in path.copies
        }
        assert wanted <= inside


SHOP = {
    "orders.csv": "order,customer_id,amount\n" + "".join(f"o{i},k{i % 20},{i}.5\n" for i in range(60)),
    "customers.csv": "id,name,town\n" + "".join(f"k{i},name {i},town{i % 10}\n" for i in range(25)),
    "towns.csv": "town,region\n" + "".join(f"town{i},region{i % 6}\n" for i in range(12)),
    "regions.csv": "region,order\n" + "".join(f"region{i},first{i}\n" for i in range(6)),
    "weather.csv": "day,degrees\n" + "".join(f"2024-01-{i:02d},{i}\n" for i in range(1, 29)),
    "sales.csv": "day,letter,sold\n" + "".join(f"2024-01-{i:02d},{'abcdef'[i % 6]},{i}\n" for i in range(1, 29)),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("shop")
    index([write_files(folder / "raw", SHOP)], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as lake:
        yield lake


def test_a_path_says_what_each_join_does(shop: Any) -> None:
    [path] = shop.paths("orders.csv", "regions.csv")
    assert path.tables == ["orders.csv", "customers.csv", "towns.csv", "regions.csv"]
    steps = [(s.left_column, s.right_column, s.shared, s.containment, s.contained, s.shape, s.rows) for s in path.steps]
    assert steps == [
        ("customer_id", "id", 20, 1.0, 0.8, "many-to-one", 60),
        ("town", "town", 10, 1.0, 10 / 12, "many-to-one", 25),
        ("region", "region", 6, 1.0, 1.0, "many-to-one", 12),
    ]
    assert (path.kept, path.rows, path.exact) == (60.0, 60.0, False)
    [back] = shop.paths("regions.csv", "orders.csv")
    assert back.tables == path.tables[::-1] and back.score == path.score
    assert [step.shape for step in back.steps] == ["one-to-many"] * 3
    assert back.rows == pytest.approx(6 * 2 * 25 / 12 * 60 / 25, abs=0.05)


def test_the_commands_of_a_path_join_its_tables(shop: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MERE_LAKE", shop.path)
    for ends, rows in ((("orders.csv", "regions.csv"), 60), (("regions.csv", "orders.csv"), 60)):
        [path] = shop.paths(*ends)
        for old in tmp_path.glob("joined_*.csv"):
            old.unlink()
        for command in path.commands:
            assert run(shlex.split(command)[1:]) == 0
        written = list(csv.DictReader((tmp_path / "joined_3.csv").read_text().splitlines()))
        assert len(written) == rows and {"region", "amount", "order_right"} <= set(written[0])
    mine = (
        write_files(tmp_path / "mine", {"my, own.csv": "who\n" + "".join(f"K{i}\n" for i in range(9))}) / "my, own.csv"
    )
    [path] = shop.paths("regions.csv", mine)
    assert path.commands[0].startswith(f"mere join {shlex.quote(str(mine))} --on who --with customers.csv --column id ")
    assert len(path.commands) == 3 and " --with regions.csv " in path.commands[2]
    other = write_files(tmp_path / "other", {"b.csv": "who\n" + "".join(f"k{i}\n" for i in range(3, 12))}) / "b.csv"
    assert [path.commands for path in shop.paths(mine, other)] == [()]  # `mere join` joins with tables of the lake


NAMES = [
    "Abel",
    "Noah",
    "Erik",
    "Adam",
    "Henrietta",
    "Maximilian",
    "Wilhelmina",
    "Josephine",
    "Alexandra",
    "None",
    "Null",
]
MISSING = {
    name: f"surname,{name}\n" + "".join(f"{surname},{name}-{n}\n" for n, surname in enumerate(NAMES * times))
    for times, name in ((1, "mine"), (1, "town"), (2, "birth"))
}


def test_the_commands_of_a_path_keep_its_words(tmp_path: Path, monkeypatch: Any) -> None:
    """What is joined is what was counted: `None` is a surname at an end, and missing in tables that are joined with."""
    short = [name for name in NAMES if len(name) == 4]
    files = {
        "people.csv": "surname,post\n" + "".join(f"{name},p-{n}\n" for n, name in enumerate(short * 3)),
        "posts.csv": "post,pay\n" + "".join(f"p-{n},{n}.5\n" for n in range(15)),
        **{f"{name}.csv": text for name, text in MISSING.items() if name != "mine"},
    }  # fmt: skip
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    mine = str(write_files(tmp_path / "mine", {"mine.csv": MISSING["mine"]}) / "mine.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MERE_LAKE", str(tmp_path / "lake"))
    without = set()
    with mere.open(tmp_path / "lake") as lake:
        for ends, kept in product(permutations([mine, *files], 2), (None, "Null", ["None", "--"])):
            for path in lake.paths(*ends, keep_words=kept, longest=2, least=2):
                for old in tmp_path.glob("joined_*.csv"):
                    old.unlink()
                for command in path.commands:
                    assert run(shlex.split(command)[1:]) == 0
                if len(path.commands) == 1:
                    written = (tmp_path / "joined_1.csv").read_text().splitlines()
                    assert len(list(csv.DictReader(written))) == path.rows, (ends, kept, path.commands)
                assert not any("--keep-word" in command for command in path.commands[1:])
                if not path.commands:
                    without.add((frozenset(ends), str(kept)))
    missing = combinations([mine, "town.csv", "birth.csv"], 2)
    assert without == {(frozenset(ends), kept) for ends in missing for kept in ("Null", "['None', '--']")}


def test_files_and_frames_are_ends(shop: Any, tmp_path: Path) -> None:
    frame = {"buyer": [f"K{i} " for i in range(8)], "n": list(range(8))}
    paths = shop.paths(frame, "towns.csv")
    assert [path.tables for path in paths] == [["the first frame", "customers.csv", "towns.csv"]]
    assert paths[0].kept == 8.0 and paths[0].commands == (), "`mere join` takes files"
    direct = shop.paths(frame, {"x": [f"k{i}" for i in range(2, 9)]})
    assert [path.tables for path in direct] == [["the first frame", "the second frame"]]
    assert direct[0].exact and direct[0].rows == 6.0 and direct[0].steps[0].shared == 6


def test_matches_by_accident_are_left_out_and_said(shop: Any) -> None:
    nothing = shop.paths("weather.csv", "sales.csv")
    assert list(nothing) == []
    assert any("dates (2)" in note and "one-letter codes (1)" in note for note in nothing.notes)
    assert any("no column of 'weather.csv' is linked with a table of the lake" in note for note in nothing.notes)
    assert "no path of at most 3 steps" in nothing.summary() and nothing.searched["tables"] == len(SHOP)
    kept = shop.paths("weather.csv", "sales.csv", accidents=True)
    assert kept[0].steps[0].left_column == "day"


def test_limits_of_questions_are_said(shop: Any) -> None:
    one = shop.paths("orders.csv", "regions.csv", questions=1)
    assert list(one) == [] and one.notes[0].startswith("stopped after ")
    assert "paths of three or more steps may be missing" in one.notes[0]
    assert list(shop.paths("orders.csv", "regions.csv", longest=2)) == []
    assert len(shop.paths("orders.csv", "customers.csv", longest=1)) == 1


def test_copies_are_one_path(tmp_path: Path) -> None:
    files = {**SHOP, "again/customers.csv": SHOP["customers.csv"], "old/customers.csv": SHOP["customers.csv"]}
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        paths = lake.paths("orders.csv", "towns.csv", 1)
    assert paths[0].tables == ["orders.csv", "again/customers.csv", "towns.csv"]
    assert [tables[1] for tables in paths[0].copies] == ["customers.csv", "old/customers.csv"]


def test_an_answer_converts_and_is_shown(shop: Any, capsys: Any, tmp_path: Path) -> None:
    paths = shop.paths("orders.csv", "regions.csv")
    assert paths[0] is next(iter(paths)) and len(paths) == 1 and "orders.csv -> customers.csv" in repr(paths)
    assert paths.to_pandas().loc[0, "kept"] == 60.0 and paths.to_polars().shape == (1, 8)
    assert json.loads(paths.to_arrow().column("steps")[0].as_py())[0]["shared"] == 20
    assert "customer_id = id" in paths._repr_html_()
    arguments = ["paths", "orders.csv", "regions.csv", "--lake", shop.path]
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "customer_id of orders.csv" in out and "= id of customers.csv" in out and "about 60 rows" in out
    assert "mere join orders.csv --on customer_id --with customers.csv --column id --how inner -o joined_1.csv" in out
    assert max(len(line) for line in out.splitlines() if "mere join" not in line and "note" not in line) <= 110
    assert run([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "paths" and document["paths"] == json.loads(json.dumps(paths.to_dicts()))
    graph = tmp_path / "graph"
    shop.graph(graph, engine=Inline())
    assert run([*arguments, "--graph", str(graph), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["paths"] == document["paths"]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("orders.csv", "orders.csv"), "both ends are 'orders.csv'"),
        (("orders.csv", "nowhere.csv"), "no table 'nowhere.csv'"),
        (("orders.csv", "towns.csv", -1), "'k' must be a whole number from 0 on"),
        (("orders.csv", "towns.csv", 5, 9), "'longest' must be a whole number from 1 to 5"),
        (("orders.csv", 7), "expected a frame"),
    ],
)
def test_wrong_requests_are_refused(shop: Any, arguments: Any, fault: str) -> None:
    with pytest.raises(mere.MereError, match=fault):
        shop.paths(*arguments)


def test_wrong_options_are_refused(shop: Any, tmp_path: Path) -> None:
    for option in ({"least": 0}, {"threshold": 0}, {"questions": 0}, {"seconds": 0}):
        with pytest.raises(UsageError, match=next(iter(option))):
            shop.paths("orders.csv", "towns.csv", **option)
    with pytest.raises(UsageError, match="no graph"):
        shop.paths("orders.csv", "towns.csv", graph=tmp_path / "none")
    (tmp_path / "empty").mkdir()
    assert list(shop.paths("orders.csv", "towns.csv", graph=tmp_path / "empty")) == []
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "old").mkdir()
    pq.write_table(pa.table({"left_table": ["a"]}), tmp_path / "old" / "part.parquet")
    with pytest.raises(UsageError, match="not a graph of this version"):
        shop.paths("orders.csv", "towns.csv", graph=tmp_path / "old")


def test_a_graph_that_names_columns_which_are_gone_is_told(tmp_path: Path) -> None:
    raw = write_files(tmp_path / "raw", {"a.csv": "city,x\n" + "".join(f"Town {n},{n}\n" for n in range(30))})
    write_files(raw, {"b.csv": "city,y\n" + "".join(f"Town {n},{n}\n" for n in range(30))})
    index([raw], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        lake.graph(tmp_path / "graph", engine=Inline())
        assert len(lake.paths("a.csv", "b.csv", graph=tmp_path / "graph")) == 1
    (raw / "b.csv").write_text((raw / "b.csv").read_text().replace("city", "town"))
    index([], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        paths = lake.paths("a.csv", "b.csv", graph=tmp_path / "graph")
    assert len(paths) == 0 and any("1 column that this snapshot does not have" in note for note in paths.notes)


def test_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    raw = write_files(tmp_path / "raw", {"a.csv": "city\nBern\nOslo\n"})
    index([raw], tmp_path / "lake", engine=Inline())
    twice = pa.table([["Bern"], ["Oslo"]], names=["k", "k"])
    with mere.open(tmp_path / "lake") as lake, pytest.raises(UsageError, match="several columns called 'k'"):
        lake.paths(twice, "a.csv")
