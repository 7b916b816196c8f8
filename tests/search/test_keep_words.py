"""Namibia is `NA`: a word for missing values is a value where the lake shows it, or where `keep_words` says so."""

import csv
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mere
from mere.cli import run
from mere.errors import NoSuchTable, UsageError
from mere.indexes import KINDS
from mere.pipeline import Settings, index
from mere.pipeline.engine import Inline
from mere.values import hash_values
from mere.values.nulls import SPELLINGS
from tests.conftest import write_files

COUNTRIES = {
    "AT": "Austria", "DE": "Germany", "FR": "France", "NA": "Namibia", "IT": "Italy", "ES": "Spain",
    "CH": "Switzerland", "PT": "Portugal", "PL": "Poland", "CZ": "Czechia",
}  # fmt: skip
KEYS = [f"{code}-{n}" for code in ("a", "b") for n in range(5)]
FILES = {
    "countries.csv": "iso,name\n" + "".join(f"{code},{name}\n" for code, name in COUNTRIES.items()),
    "codes.csv": "iso,part,size\n" + "".join(f"{code},{n % 2},{n}.5\n" for n, code in enumerate(COUNTRIES)),
    "people.csv": "surname,born\n" + "".join(f"{name},19{n}1\n" for n, name in enumerate([*KEYS[:5], "None", "Null"])),
    "sites.csv": "site,visits\nAT,1\nNA,2\nN/A,3\n",
    "counts.csv": "place,count\n" + "".join(f"p{n},{n}\n" for n in range(40)) + "p40,NA\n",
}  # fmt: skip
MINE = [
    ["NA"], ["AT", "NA"], ["NA", "NA"], ["NA", "AT", "N/A", "", "-"], ["AT", "DE", "FR", "NA", "n/a"],
    ["Austria", "NA", "de", "it"],
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    index([write_files(folder / "raw", FILES)], folder / "lake", engine=Inline())
    return folder


@pytest.fixture(scope="module")
def lake(folder):
    with mere.open(folder / "lake") as opened:
        yield opened


def file_of(tmp_path, codes, name="mine.csv"):
    path = tmp_path / name
    path.write_text("code,place\n" + "".join(f"{code},{n}\n" for n, code in enumerate(codes)))
    return str(path)


def joined(codes):
    """The names that a join with the countries must give, by hand."""
    return [COUNTRIES.get(code.upper()) for code in codes]


@pytest.mark.parametrize("codes", MINE, ids=" ".join)
def test_a_join_with_countries_keeps_namibia(folder, lake, tmp_path, capsys, codes):
    """The same for frames, files and the command line, as rows in memory and as rows that are written."""
    path, hit = file_of(tmp_path, codes), ("countries.csv", "iso")
    for left in (path, pa.table({"code": codes}), pd.DataFrame({"code": codes}), pl.DataFrame({"code": codes})):
        rows = lake.join(left, hit, on="code")
        rows = rows if isinstance(rows, pa.Table) else pa.table({"name": list(rows["name"])})
        assert [None if name != name else name for name in rows["name"].to_pylist()] == joined(codes)
    question = ["join", path, "--on", "code", "--with", "countries.csv", "--lake", str(folder / "lake")]
    for ending in ("csv", "parquet"):
        written = tmp_path / f"joined.{ending}"
        assert run([*question, "-o", str(written), "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["evidence"]["shared"] == len({name for name in joined(codes) if name})
        assert any(note.startswith("'na' in 'code' was read as a value") for note in document["notes"])
        read = {"csv": lambda path: pd.read_csv(path, keep_default_na=False), "parquet": pd.read_parquet}[ending](
            written
        )
        assert read["code"].tolist() == [code if ending == "csv" or code else "" for code in codes]
        assert [name or None for name in read["name"]] == joined(codes)


@pytest.mark.parametrize("codes", [["NA"], ["NA", "NA"], ["", "NA"]], ids=str)
def test_a_column_of_one_word_is_tried_with_a_table_that_is_named(folder, lake, tmp_path, capsys, codes):
    path = file_of(tmp_path, codes)
    assert run(["join", path, "--with", "countries.csv", "--lake", str(folder / "lake"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["columns"] == ["iso"] and document["evidence"]["shared"] == 1
    assert lake.joinable(path, table="countries.csv")[0].evidence["on"] == ["code"]
    assert all(hit.evidence["on"] == ["place"] for hit in lake.joinable(path, k=0))
    assert len(lake.joinable({"a": [""], "b": [None]}, table="countries.csv")) == 0


@pytest.mark.parametrize("codes", MINE, ids=" ".join)
def test_every_question_counts_namibia(folder, lake, tmp_path, capsys, codes):
    path, shared = file_of(tmp_path, codes), len({name for name in joined(codes) if name})
    for given_ in (path, {"code": codes}):
        for kind in ("overlap", "containment", "similar"):
            more = {"threshold": 0.1} if kind == "containment" else {"share": 0} if kind == "similar" else {}
            hit = lake.ask(kind, given_, on="code", table="countries.csv", **more)[0]
            assert hit.columns == ("iso",) and hit.evidence["shared"] == shared
        assert lake.composite(given_, "code", table="countries.csv")[0].evidence["shared"] == shared
        hits = lake.joinable(given_, "code", table="countries.csv")
        assert hits[0].evidence["shared"] == shared
        assert [note for note in hits.notes if "was read as a value" in note] == [
            "'na' in 'code' was read as a value, because it is one in a column of codes of the lake"
        ]
    assert run(["join", path, "--on", "code", "--lake", str(folder / "lake"), "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert next(hit for hit in hits if hit["table"] == "countries.csv")["evidence"]["shared"] == shared


@pytest.mark.parametrize(
    "names",
    [["Anna", "Otto", "NA"], ["Al", "Anna", "Otto", "NA"], ["1", "2", "NA"], ["a1", "b2", "NA"], ["Å", "Ö", "NA"]],
)
def test_a_word_among_values_of_another_form_stays_missing(lake, names):
    hits = lake.overlap(names)
    assert hits.notes[-1:] != [] and any("read as missing: 'na'" in note for note in hits.notes)
    rows = lake.join({"name_": names}, ("countries.csv", "iso"), on="name_")
    assert rows["name"].to_pylist() == [None] * len(names)


def test_words_that_the_lake_does_not_know_stay_missing(lake):
    assert any("read as missing: 'nil'" in note for note in lake.overlap(["abc", "nil"]).notes)
    assert any("read as missing: 'n/a'" in note for note in lake.overlap(["AT", "n/a"]).notes)


def test_where_one_table_is_asked_only_that_one_shows_its_words(folder, lake, tmp_path, capsys):
    """A code that another table has is nothing to a question of `sites.csv`, in which the word is missing."""
    path = file_of(tmp_path, ["AT", "DE", "NA"])
    for table, unmatched in (("sites.csv", {"de"}), ("countries.csv", set())):
        columns = {"sites.csv": "site", "countries.csv": "iso"}
        for given_ in (path, {"code": ["AT", "DE", "NA"]}):
            answers = [
                *(lake.ask(kind, given_, on="code", table=table) for kind in ("overlap", "composite")),
                lake.containment(given_, 0.1, on="code", table=table),
                lake.similar(given_, 0, on="code", table=table),
                lake.joinable(given_, "code", table=table),
                lake.explain("overlap", given_, (table, columns[table]), on="code"),
            ]
            for hits in answers:
                values = {value[0] if isinstance(value, list) else value for value in hits[0].evidence["unmatched"]}
                assert values == unmatched
                assert hits[0].evidence["share"] == (0.5 if unmatched else 1)
                assert any("was read as a value" in note for note in hits.notes) == (not unmatched)
        assert run(["join", path, "--on", "code", "--with", table, "--lake", str(folder / "lake"), "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert set(document["evidence"]["unmatched"]) == unmatched
    with pytest.raises(NoSuchTable, match=r"no table 'nowhere\.csv'"):
        lake.overlap(["AT", "NA"], table="nowhere.csv")


def test_a_join_on_pairs_has_the_words_of_its_question(tmp_path):
    """`None` is a value because a table has it, and is similar to one of another table, which is joined with."""
    names = ["Abel", "Noah", "Erik", "Adam", "None"]
    files = {
        "people.csv": "name,n\n" + "".join(f"{name},{n}\n" for n, name in enumerate(names)),
        "others.csv": "other,n\n" + "".join(f"{name}{name[-1]},{n}\n" for n, name in enumerate(names)),
    }
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    mine = {"mine": ["Abel", "Noah", "Henrietta", "None"]}
    with mere.open(tmp_path / "lake") as lake:
        hit = next(hit for hit in lake.similar(mine, 0, on="mine", distance="loose") if hit.table == "others.csv")
        assert "none" in {pair[0] for pair in hit.evidence["pairs"]}
        assert lake.join(mine, hit, "inner")["mine"].to_pylist() == ["Abel", "Noah", "None"]
        [alone] = lake.similar(mine, 0, on="mine", distance="loose", table="others.csv")
        assert lake.join(mine, alone, "inner")["mine"].to_pylist() == ["Abel", "Noah"]


def test_the_tables_with_a_value_are_looked_for_once(lake):
    for segment in lake._opened.segments:
        owners = segment.table_of_column
        for number in range(-1, len(segment.dictionary.hashes)):
            found = segment.tables_with(number)
            columns = range(len(owners))
            assert found.tolist() == sorted({int(owners[c]) for c in columns if number in segment.set_of(c).tolist()})
            assert segment.tables_with(number) is found


def test_a_dead_table_shows_nothing(tmp_path):
    others = {f"other{n}.csv": f"x,y\nu{n},1\nv{n},2\n" for n in range(12)}
    raw = write_files(tmp_path / "raw", {"a.csv": FILES["countries.csv"], **others})
    index([raw], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        assert any("was read as a value" in note for note in lake.overlap(["NA"]).notes)
    (raw / "a.csv").unlink()
    index([raw], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        assert not all(live.all() for live in lake._opened.live), "its values are still in the segment"
        assert any("read as missing: 'na'" in note for note in lake.overlap(["NA"]).notes)


def test_a_living_table_after_a_dead_one_shows_its_words(tmp_path):
    """Also where the word is the first of the column's values, which are in the order of their hashes."""
    codes = ["na", *(first + second for first in "abcdefg" for second in "klmno")]
    hashes = hash_values(pa.array(codes)).tolist()
    behind = [code for code, number in zip(codes, hashes, strict=True) if number >= hashes[0]]
    assert len(behind) > 4
    files = {f"{name}.csv": f"x,y\n{name},1\nb{name},2\n" for name in "abcdefghijkm"}
    raw = write_files(
        tmp_path / "raw", {**files, "l.csv": "c,n\n" + "".join(f"{c},{n}\n" for n, c in enumerate(behind))}
    )
    index([raw], tmp_path / "lake", engine=Inline())
    (raw / "k.csv").unlink()
    index([raw], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        assert not all(live.all() for live in lake._opened.live)
        assert len(lake.overlap(["NA"])) == 1


def test_answers_do_not_depend_on_segmentation(folder, lake, tmp_path):
    index([folder / "raw"], tmp_path / "single", engine=Inline(), settings=Settings(segment_bytes=1))
    with mere.open(tmp_path / "single") as other:
        assert len(other._opened.segments) > 1
        for codes in MINE:
            one, many = (each.joinable({"code": codes}, "code", k=0) for each in (lake, other))
            assert one.to_dicts() == many.to_dicts() and one.notes == many.notes


words = st.sampled_from(["NA", "na", "N/A", "", "None", "null", "-"])
cells = st.lists(st.one_of(words, st.sampled_from([*COUNTRIES, "xy", "Oslo", "12"])), min_size=1, max_size=12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(codes=cells)
def test_the_rule_agrees_with_brute_force(lake, codes):
    """`NA` is Namibia if at least half of the values beside it are two letters; the lake has no other such word."""
    values = {code.casefold() for code in codes} - SPELLINGS - {""}
    fitting = 2 * sum(len(value) == 2 and value.isalpha() for value in values) >= len(values)
    expected = [None if code.casefold() == "na" and not fitting else COUNTRIES.get(code.upper()) for code in codes]
    assert lake.join({"c": codes}, ("countries.csv", "iso"), on="c")["name"].to_pylist() == expected


# decided by hand


SURNAMES = ["a-0", "b-1", "None", "Null", "N/A"]


def test_keep_words_decides_by_hand_in_every_question(lake, tmp_path):
    mine = tmp_path / "people.csv"
    mine.write_text("surname,place\n" + "".join(f"{name},{n}\n" for n, name in enumerate(SURNAMES)))
    for given_ in ({"surname": SURNAMES}, str(mine)):
        for kind in KINDS.joining():
            if kind.name == "transform":
                continue  # it does not answer for values that are equal as they are
            more = {"threshold": 0.1} if kind.name in ("containment", "composite") else {}
            more |= {"share": 0} if kind.name == "similar" else {}
            hits = lake.ask(kind.name, given_, 0, on="surname", keep_words=["None", "NULL"], **more)
            values = [value for hit in hits for value in hit.evidence["unmatched"]]
            assert {"none", "null"} <= {value[0] if isinstance(value, list) else value for value in values}
            assert not any("'none'" in note for note in hits.notes) and all(
                hit.evidence["keep_words"] == ["None", "NULL"] for hit in hits
            )
        hit = lake.joinable(given_, "surname", keep_words="None")[0]
        assert hit.evidence["keep_words"] == ["None"] and "none" in hit.evidence["unmatched"]
        assert "null" not in hit.evidence["unmatched"]


def test_every_kind_that_takes_a_table_takes_keep_words():
    taking = {kind.name for kind in KINDS.values() if "keep_words" in {each.name for each in kind.parameters}}
    assert taking == set(KINDS) - {"keywords"}


def test_a_distribution_is_the_same_with_a_word_that_is_no_number(lake):
    numbers = [*map(str, range(40)), "NA"]
    plain, kept = (lake.distribution(like={"x": numbers}, on="x", keep_words=words) for words in (None, ["NA"]))
    assert [(hit.table, hit.score) for hit in plain] == [(hit.table, hit.score) for hit in kept]
    with pytest.raises(UsageError, match="got 'x'"):
        lake.distribution(like={"x": numbers}, on="x", keep_words=["x"])


def test_a_join_knows_the_words_of_its_hit(tmp_path):
    files = {"names.csv": "word,meaning\n" + "".join(f"{w},m{w}\n" for w in ("none", "some", "many", "most", "null"))}
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    mine = {"w": ["Some thing", "other things", "None"]}
    with mere.open(tmp_path / "lake") as lake:
        assert len(lake.overlap(mine, on="w")) == 0
        [hit] = lake.overlap(mine, on="w", keep_words=["None"])
        [ranked] = lake.joinable(mine, "w", keep_words=["None"])
        for each in (hit, ranked):
            assert each.evidence["shared"] == 1
            assert lake.join(mine, each)["meaning"].to_pylist() == [None, None, "mnone"]
        target = ("names.csv", "word")
        assert lake.join(mine, target, on="w")["meaning"].to_pylist() == [None, None, None]
        assert lake.join(mine, target, on="w", keep_words=["none"])["meaning"].to_pylist() == [None, None, "mnone"]
        assert lake.plan_join(mine, target, "inner", on="w", keep_words="none").rows == 1
        path = tmp_path / "out.csv"
        lake.join_to(mine, target, path, "inner", on="w", keep_words="none")
        assert list(csv.DictReader(path.open())) == [{"w": "None", "word": "none", "meaning": "mnone"}]
        condition = mere.ask("overlap", values=mine, on="w", keep_words=["None"])
        assert [hit.table for hit in lake.where(condition)] == ["names.csv"]
        assert len(lake.where(mere.ask("overlap", values=mine, on="w"))) == 0


def test_a_table_of_the_lake_is_read_again(lake):
    target = ("countries.csv", "iso")
    assert lake.joinable("sites.csv", "site", table="countries.csv")[0].evidence["shared"] == 1
    for kept in (["NA"], "na"):
        hit = lake.joinable("sites.csv", "site", table="countries.csv", keep_words=kept)[0]
        assert hit.evidence["shared"] == 2 and hit.table != "sites.csv"
        assert lake.overlap("sites.csv", on="site", keep_words=kept)[0].evidence["shared"] == 2
        assert lake.composite("sites.csv", "site", table="countries.csv", keep_words=kept)[0].evidence["shared"] == 2
        assert lake.join("sites.csv", hit)["name"].to_pylist() == ["Austria", "Namibia", None]
        rows = lake.join("sites.csv", target, on="site", keep_words=kept)
        assert rows["name"].to_pylist() == ["Austria", "Namibia", None]
    assert {hit.table for hit in lake.overlap("sites.csv", on="site", keep_words="NA")} == {
        "countries.csv",
        "codes.csv",
    }
    assert lake.join("countries.csv", ("sites.csv", "site"), on="iso", keep_words="NA")["visits"].to_pylist() == [
        1, *[None] * 9
    ]  # fmt: skip


def test_rows_and_profiles_take_the_words_as_values(folder, lake, capsys):
    assert lake.rows("counts.csv").schema.field("count").type == pa.int64()
    rows = lake.rows("counts.csv", keep_words=["NA"])
    assert rows["count"].to_pylist() == [*map(str, range(40)), "NA"]
    assert lake.rows("counts.csv", ["count"], 2, keep_words=["NA"]).to_pydict() == {"count": ["0", "1"]}
    with pytest.warns(UserWarning, match="1 cell of 'count' is not of its type"):
        dropped = lake.rows("counts.csv", misfits="null", keep_words=["NA"])
    assert dropped["count"].to_pylist() == [*range(40), None]
    before, after = lake.profile("counts.csv"), lake.profile("counts.csv", keep_words="NA")
    assert [(c.nulls, c.distinct, c.misfits) for c in before.columns] == [(0, 41, 0), (1, 40, 0)]
    assert [(c.nulls, c.distinct, c.misfits) for c in after.columns] == [(0, 41, 0), (0, 41, 1)]
    tops = [column.top for column in lake.profile("sites.csv", keep_words="NA").columns]
    assert tops == [[("at", 1), ("na", 1)], [("1", 1), ("2", 1), ("3", 1)]]
    assert run(["show", "counts.csv", "--keep-word", "NA", "--lake", str(folder / "lake"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["columns"] == json.loads(json.dumps([vars(column) for column in after.columns]))


def test_the_command_line_takes_several_words(folder, tmp_path, capsys):
    path, lake = tmp_path / "people.csv", ["--lake", str(folder / "lake"), "--json"]
    path.write_text("surname,place\n" + "".join(f"{name},{n}\n" for n, name in enumerate(SURNAMES)))
    kept = ["--keep-word", "None", "--keep-word", "null"]
    for more in ([], ["--by", "overlap"], ["--by", "containment", "--threshold", "0.2"]):
        assert run(["join", str(path), "--on", "surname", *more, *kept, *lake]) == 0
        document = json.loads(capsys.readouterr().out)
        assert {"none", "null"} <= set(document["hits"][0]["evidence"]["unmatched"])
    assert run(["ask", "overlap", str(path), "on=surname", "keep_words=None,null", *lake]) == 0
    assert {"none", "null"} <= set(json.loads(capsys.readouterr().out)["hits"][0]["evidence"]["unmatched"])
    assert run(["join", str(path), "--on", "surname", "--with", "people.csv", *kept, *lake]) == 0
    assert {"none", "null"} <= set(json.loads(capsys.readouterr().out)["evidence"]["unmatched"])
    assert run(["join", str(path), "--with", "people.csv", *kept, *lake]) == 0
    assert {"none", "null"} <= set(json.loads(capsys.readouterr().out)["evidence"]["unmatched"])
    assert run(["paths", str(path), "people.csv", "--least", "1", "--threshold", "0.1", *kept, *lake]) == 0
    assert json.loads(capsys.readouterr().out)["paths"]
    assert run(["join", str(path), "--on", "surname", "--keep-word", "Namibia", *lake]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert "words for missing values, got 'Namibia'" in error["message"] and "--keep-word NA" in error["remedy"]


@pytest.mark.parametrize("words", [["Namibia"], "x", ["NA", ""], [None], [7]])
def test_words_that_are_none_are_refused(lake, words):
    for call in (
        lambda: lake.overlap(["AT"], keep_words=words),
        lambda: lake.joinable({"c": ["AT"]}, "c", keep_words=words),
        lambda: lake.rows("counts.csv", keep_words=words),
        lambda: lake.rows("counts.csv", raw=True, keep_words=words),
        lambda: lake.join({"c": ["AT"]}, ("countries.csv", "iso"), on="c", keep_words=words),
    ):
        with pytest.raises(UsageError, match="'keep_words' must be words for missing values"):
            call()


def test_batches_of_questions_keep_words_too(lake):
    query = lake._asker.query("overlap", {"values": ["None", "a"], "keep_words": ["None"]})
    assert query["values"].values.tolist() in (["none", "a"], ["a", "none"])
