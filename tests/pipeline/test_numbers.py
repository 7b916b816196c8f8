"""Numbers of files in different conventions meet in one lake: joins, conditions, profiles, and what is unsure."""

import json
import sqlite3

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mere
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.pipeline.journal import Journal
from mere.pipeline.records import Unit
from mere.pipeline.stage_files import load_staged, read_units
from tests.conftest import write_files

FILES = {
    "german.csv": "ort;preis;menge\nwien;6.718,21 €;913.446\nlinz;28,90 €;1.500\ngraz;1.200,00 €;12.000\n",
    "english.csv": "city,price,amount\nVienna,$6718.21,913446\nLinz,$28.90,1500\nGraz,\"$1,200\",12000\n",
    "unsure.csv": "name,weight\na,913.446\nb,1.500\nc,12.000\n",
    "labels.csv": "group,count\nx,5\ny,7\nz,<5\nw,9\nTOT,TOT\nv,8\n",
}  # fmt: skip


@pytest.fixture
def lake(tmp_path):
    raw = write_files(tmp_path / "raw", FILES)
    index([raw], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as opened:
        yield opened


def test_the_profile_tells_the_convention_the_units_and_what_is_unsure(lake):
    german, english, unsure = (lake.profile(f"{name}.csv").to_dict() for name in ("german", "english", "unsure"))
    assert german["numbers"] == {"decimal": "comma", "units": {"preis": "EUR"}}
    assert [(column["type"], column["minimum"], column["maximum"]) for column in german["columns"][1:]] == [
        ("decimal", "28.9", "6718.21"), ("integer", "1500", "913446"),
    ]  # fmt: skip
    assert german["columns"][1]["examples"][0] == "6.718,21 €"
    assert english["numbers"] == {"decimal": "point", "units": {"price": "$"}} and not english["issues"]
    assert unsure["numbers"] == {"unsure": {"weight": "decimal"}}
    assert "'weight'" in unsure["issues"][0] and "--decimal comma" in unsure["issues"][0]
    assert json.dumps(german)


def test_labels_are_misfits_of_a_column_of_numbers(lake):
    column = lake.profile("labels.csv").columns[1]
    assert (column.type, column.misfits, column.maximum) == ("integer", 2, "9")
    [hit] = lake.distribution("at least 50% of count > 7", k=0)
    assert hit.evidence["rows"] == 4 and hit.evidence["label"] == "guaranteed"  # of the cells that are numbers


def test_numbers_join_across_conventions(lake, tmp_path):
    hits = lake.overlap(["$6,718.21", "28.90", "€ 1 200"], k=9)
    assert {(hit.table, hit.columns[0], hit.score) for hit in hits} == set()  # two currencies are text
    for mine in (["6.718,21", "28,9", "1.200,00"], ["6718.21", "28.90", "1200"], [6718.21, 28.9, 1200.0]):
        found = {(hit.table, hit.columns[0], hit.score) for hit in lake.overlap(mine, k=9)}
        assert {("german.csv", "preis", 3), ("english.csv", "price", 3)} <= found
    file = write_files(tmp_path / "mine", {"q.csv": "menge;x\n913.446;1,5\n1.500;2,5\n"})
    hits = lake.overlap(f"{file}/q.csv", on="menge", k=9)
    assert {(hit.table, hit.score) for hit in hits} == {("german.csv", 2), ("english.csv", 2)}
    keys = lake.composite(f"{file}/q.csv", on=["menge"], k=9)
    assert {(hit.table, hit.score) for hit in keys} == {("german.csv", 2), ("english.csv", 2)}
    joined = lake.join(f"{file}/q.csv", ("english.csv", "amount"), "inner", on="menge")
    assert joined.column("menge").to_pylist() == ["913.446", "1.500"]
    assert joined.column("city").to_pylist() == ["Vienna", "Linz"]
    back = lake.join("german.csv", ("english.csv", ["price", "amount"]), "inner", on=["preis", "menge"])
    assert back.column("ort").to_pylist() == ["wien", "linz", "graz"]


def test_a_query_column_that_may_be_read_in_two_ways_is_noted(lake):
    assert any("the query column may" in note for note in lake.overlap(["913.446", "1.500"]).notes)
    assert not any("the query column may" in note for note in lake.overlap([913.446, 1.5]).notes)


@pytest.mark.parametrize("predicate", ["at least 50% of weight < 1000", "at least 50% of weight > 1000"])
def test_no_answer_about_an_unsure_column_is_guaranteed(lake, predicate):
    [hit] = lake.distribution(predicate, k=0)
    assert (hit.table, hit.evidence["label"], hit.exact) == ("unsure.csv", "possible", False) and hit.evidence["unsure"]
    for condition in (predicate, f"not ({predicate})"):
        [found] = [hit for hit in lake.where(condition, k=0) if hit.table == "unsure.csv"]
        assert found.evidence["label"] == "possible"


def test_a_column_that_is_sure_is_guaranteed(lake):
    [hit] = lake.distribution("at least 60% of menge > 1000", k=0)
    assert (hit.table, hit.evidence["label"]) == ("german.csv", "guaranteed") and "unsure" not in hit.evidence


def test_a_table_read_in_blocks_is_read_like_one_in_one_piece(tmp_path):
    rows = "".join(f"{i}.446;{i},0;{1 + i % 7}.500\n" for i in range(1, 400))
    raw = write_files(tmp_path / "raw", {"t.csv": f"a;b;c\n{rows}"})
    profiles = []
    for name, settings in (("whole", Settings()), ("cut", Settings(split_bytes=600))):
        index([raw], tmp_path / name, engine=Inline(), settings=settings)
        with mere.open(tmp_path / name) as opened:
            profiles.append(opened.profile("t.csv").to_dict())
    whole, cut = ({**profile, "dialect": None, "issues": None} for profile in profiles)
    assert whole == cut and whole["numbers"]["decimal"] == "comma"
    assert [column["maximum"] for column in whole["columns"]] == ["399446", "399", "7500"]


def test_the_decimal_mark_of_a_unit_decides(tmp_path):
    raw = write_files(tmp_path / "raw", {"t.csv": FILES["unsure.csv"]})
    found = {}
    for decimal in ("", "point", "comma"):
        unit = Unit(str(raw), "t.csv", f"{raw}/t.csv", "t.csv", 1, "s", (), False, 1, decimal=decimal)
        staging = tmp_path / f"staging{decimal}"
        staging.mkdir()
        with Journal(str(staging)) as journal:
            [outcome] = read_units([unit], str(staging), Settings(), journal)
        table = load_staged(outcome.tables[0], {})
        found[decimal] = table.columns.highs[1], table.facts.numbers
    assert found[""] == ("913.446", {"unsure": {"weight": "decimal"}})
    assert found["point"] == ("913.446", {"given": "point", "decimal": "point"})
    assert found["comma"] == ("913446", {"given": "comma", "decimal": "comma"})


def test_the_share_of_numbers_is_a_setting(tmp_path):
    raw = write_files(tmp_path / "raw", {"t.csv": FILES["labels.csv"]})
    index([raw], tmp_path / "lake", engine=Inline(), settings=Settings(number_share=0.9))
    with mere.open(tmp_path / "lake") as opened:
        assert opened.profile("t.csv").columns[1].type == "text"
    for share in (0.3, 1.5):
        with pytest.raises(mere.UsageError, match="number_share"):
            Settings(number_share=share)


def _text_and_fractions(kind, folder, columns):
    """A file of this format, or the frame itself."""
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    path = folder / f"t.{kind}"
    folder.mkdir()
    if kind == "frame":
        return pa.table(columns)
    if kind == "parquet":
        pq.write_table(pa.table(columns), path)
    elif kind == "json":
        path.write_text(json.dumps(rows))
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "sqlite":
        with sqlite3.connect(path) as database:
            database.execute(f"CREATE TABLE t ({', '.join(columns)})")
            database.executemany("INSERT INTO t VALUES (?, ?, ?)", [tuple(row.values()) for row in rows])
        database.close()
    else:
        book = openpyxl.Workbook()
        for row in [list(columns), *zip(*columns.values(), strict=True)]:
            book.active.append(row)
        book.save(path)
    return path


TEXTS = {"k": ["a", "b", "c", "d"], "w": ["84,48", "3,5", "2,25", "1,75"], "n": ["913.446", "12.345", "7.891", "1.234"]}
ALONE = {"k": ["a", "b", "c", "d"], "v": [8.5, 3.5, 2.25, 1.75], "n": ["913.446", "12.345", "7.891", "1.234"]}
FRACTIONS = {"k": ["a", "b", "c", "d"], "w": ["x", "y", "z", "v"], "n": [913.446, 12.345, 7.891, 1.234]}


@pytest.mark.parametrize("kind", ["frame", "parquet", "json", "jsonl", "sqlite", "xlsx"])
@pytest.mark.parametrize(
    ("columns", "decimal", "first"),
    [(TEXTS, "comma", "913446"), (ALONE, "point", "913.446"), (FRACTIONS, "point", "913.446")],
)
def test_only_fractions_that_are_numbers_speak_for_the_point_in_the_lake_and_in_a_question(
    tmp_path, kind, columns, decimal, first
):
    given = _text_and_fractions(kind, tmp_path / "raw", columns)
    source = {"t": given} if kind == "frame" else [tmp_path / "raw"]
    index(source, tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        [table] = lake.tables
        numbers = lake.profile(table.name).to_dict()["numbers"]
        assert (numbers["decimal"], "unsure" in numbers) == (decimal, False)
        for mine in (given, pa.table(columns)):
            answer = lake.overlap(mine, on="n")
            assert [(hit.columns, hit.score) for hit in answer] == [(("n",), 4)]
            assert not any("decimal" in note for note in answer.notes)
            assert lake.join(mine, (table.name, "n"), "inner", on="n").num_rows == 4
        assert lake.overlap([float(first)])[0].columns == ("n",)


def test_a_folder_of_typed_files_keeps_the_point_when_a_file_is_added(tmp_path):
    for year in (2019, 2020, 2021):
        folder = tmp_path / "raw" / "parts" / f"year={year}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table(ALONE), folder / "t.parquet")
        if year > 2019:
            index([tmp_path / "raw"], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        [table] = lake.tables
        assert (table.rows, lake.profile(table.name).to_dict()["numbers"]) == (12, {"decimal": "point", "typed": True})


def test_a_hit_on_a_column_that_may_be_read_in_two_ways_is_not_exact(lake):
    mine = {"w": [913.446, 1.5, 12.0], "n": ["a", "b", "c"]}
    answers = [
        lake.overlap(mine, on="w", k=9),
        lake.containment(mine, 0.9, on="w"),
        lake.composite(mine, on=["n", "w"], k=9),
        lake.explain("overlap", mine["w"], ("unsure.csv", "weight")),
    ]
    for answer in answers:
        [hit] = [hit for hit in answer if hit.table == "unsure.csv"]
        assert (hit.exact, hit.evidence["unsure"]) == (False, True)
        assert any("'weight' of 'unsure.csv'" in note for note in answer.notes)
    sure = lake.overlap(["a", "b"], k=9)
    assert [(hit.table, hit.exact, "unsure" in hit.evidence) for hit in sure] == [("unsure.csv", True, False)]
    assert not any("otherwise" in note for note in sure.notes)


@pytest.mark.parametrize(
    ("sidecar", "document"),
    [
        (
            "unsure.csv-metadata.json",
            {
                "@context": "http://www.w3.org/ns/csvw",
                "url": "unsure.csv",
                "tableSchema": {
                    "columns": [
                        {"name": "name"},
                        {"name": "weight", "datatype": {"base": "decimal", "format": {"decimalChar": ","}}},
                    ]
                },
            },
        ),
        (
            "datapackage.json",
            {
                "resources": [
                    {
                        "path": "unsure.csv",
                        "schema": {"fields": [{"name": "name"}, {"name": "weight", "decimalChar": ","}]},
                    }
                ]
            },
        ),
    ],
)
def test_a_description_says_how_numbers_are_written(tmp_path, sidecar, document):
    raw = write_files(tmp_path / "raw", {"unsure.csv": FILES["unsure.csv"], sidecar: json.dumps(document)})
    index([raw], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as opened:
        profile = opened.profile("unsure.csv").to_dict()
        assert profile["numbers"] == {"given": "comma", "decimal": "comma"} and not profile["issues"]
        assert profile["columns"][1]["maximum"] == "913446"
    index([raw], tmp_path / "lake", engine=Inline(), decimal="point")  # what the user says counts more
    with mere.open(tmp_path / "lake") as opened:
        assert opened.profile("unsure.csv").columns[1].maximum == "913.446"
