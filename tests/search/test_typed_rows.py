"""Rows of tables of the lake, of files and of frames, with their types."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mere
from mere.errors import LakeError, UsageError
from mere.search.typed_rows import facts_of
from tests.conftest import write_files

FILES = {
    "german.csv": "stadt;preis;tag;aktiv;plz\nWien;1.234,50;24.12.2020;ja;01234\nGraz;7,25;01.02.2021;nein;08010\n"
    "Linz;n/a;;ja;00001\n",
    "english.csv": "city,price,day,open,note\nWien,$5.50,2020-12-24,yes,n/a\nGraz,$7.25,2021-02-01,no,\nLinz,,,yes,x\n",
    "misfits.csv": "city,count\n" + "".join(f"c{i},{i}\n" for i in range(20)) + "all,TOT\n",
    "long.csv": "id,x\n1,0.10000000000000001\n2,0.5\n",
    "many/year=2020/a.csv": "city,n\nWien,1\nGraz,2\n",
    "many/year=2021/b.csv": "city,n\nLinz,3\n",
}
TYPED = pa.table(
    {
        "city": ["Wien", "Graz", None],
        "text": ["1", "2", "3"],
        "small": pa.array([1, None, 3], pa.int16()),
        "money": pa.array([Decimal("1.10"), Decimal("2.20"), None], pa.decimal128(20, 2)),
        "moment": pa.array([dt.datetime(2020, 1, 1, 1, 2, 3, 4), None, None], pa.timestamp("us", "Europe/Vienna")),
        "day": pa.array([dt.date(2020, 1, 1), None, None], pa.date32()),
        "flag": [True, None, False],
        "code": pa.array(["a", "b", "a"]).dictionary_encode(),
    }
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from mere.pipeline import index
    from mere.pipeline.engine import Inline

    folder = tmp_path_factory.mktemp("typed")
    raw = write_files(folder / "raw", FILES)
    pq.write_table(TYPED, raw / "typed.parquet")
    index([raw, {"frame": TYPED}], folder / "lake", engine=Inline())
    with mere.open(folder / "lake") as opened:
        yield opened


def test_columns_of_text_files_get_the_types_of_their_profiles(lake: Any) -> None:
    german, english = lake.rows("german.csv"), lake.rows("english.csv")
    assert german.schema.types == [pa.string(), pa.float64(), pa.date32(), pa.string(), pa.string()]
    assert german.to_pydict() == {
        "stadt": ["Wien", "Graz", "Linz"], "preis": [1234.5, 7.25, None],
        "tag": [dt.date(2020, 12, 24), dt.date(2021, 2, 1), None], "aktiv": ["ja", "nein", "ja"],
        "plz": ["01234", "08010", "00001"],
    }  # fmt: skip
    assert english.to_pydict() == {
        "city": ["Wien", "Graz", "Linz"], "price": [5.5, 7.25, None],
        "day": [dt.date(2020, 12, 24), dt.date(2021, 2, 1), None], "open": [True, False, True],
        "note": ["n/a", "", "x"],
    }  # fmt: skip
    assert facts_of(english) == {"price": {"unit": "$"}}


def test_some_rows_and_columns_have_the_types_of_all(lake: Any) -> None:
    for table in ("german.csv", "english.csv", "misfits.csv", "many", "typed.parquet"):
        rows = lake.rows(table)
        assert lake.rows(table, limit=1) == rows.slice(0, 1) and lake.rows(table, limit=0) == rows.slice(0, 0)
        names = rows.column_names[::-1]
        assert lake.rows(table, names) == rows.select(names)
        assert lake.rows(table, names[:1], 2) == rows.select(names[:1]).slice(0, 2)
    with pytest.raises(UsageError, match="no column 'x'"):
        lake.rows("german.csv", ["x"])
    for wrong in (-1, True, 1.5):
        with pytest.raises(UsageError, match="'limit' must be an int >= 0"):
            lake.rows("german.csv", limit=wrong)


def test_raw_rows_are_text_as_it_was_written(lake: Any) -> None:
    rows = lake.rows("german.csv", raw=True)
    assert rows.schema.types == [pa.string()] * 5
    assert rows.column("preis").to_pylist() == ["1.234,50", "7,25", "n/a"]
    assert lake.rows("typed.parquet", raw=True).column("money").to_pylist() == ["1.10", "2.20", None]


def test_misfits_keep_a_column_text_or_are_null_with_a_warning(lake: Any) -> None:
    counts = lake.rows("misfits.csv")
    assert counts.column("count").to_pylist()[-2:] == ["19", "TOT"]
    assert facts_of(counts) == {"count": {"text": "'tot' is not a number"}}
    with pytest.warns(UserWarning, match="1 cell of 'count' is not of its type and is null"):
        assert lake.rows("misfits.csv", misfits="null").column("count").to_pylist()[-2:] == [19, None]
    with pytest.raises(UsageError, match="'misfits' must be 'text' or 'null', got 'drop'"):
        lake.rows("misfits.csv", misfits="drop")


def test_a_number_that_a_float_does_not_hold_gives_a_warning(lake: Any) -> None:
    with pytest.warns(UserWarning, match="'x' have more digits than a float64 holds, for example 0.10000000000000001"):
        assert lake.rows("long.csv").column("x").to_pylist() == [0.1, 0.5]


def test_parts_of_one_table_are_typed_together(lake: Any) -> None:
    assert lake.rows("many").to_pydict() == {
        "city": ["Wien", "Graz", "Linz"],
        "n": [1, 2, 3],
        "year": [2020, 2020, 2021],
    }


@pytest.mark.parametrize("table", ["typed.parquet", "frame"])
def test_files_that_have_types_keep_them(lake: Any, table: str) -> None:
    rows = lake.rows(table)
    expected = TYPED.set_column(7, "code", TYPED.column("code").cast(pa.string()))
    assert rows.schema.types == expected.schema.types and rows.to_pylist() == expected.to_pylist()


def test_a_file_that_changed_is_not_mixed_with_what_was_indexed(tmp_path: Path, run_index: Any) -> None:
    raw = write_files(tmp_path / "raw", {"a.csv": "a,b\nx,1\ny,2\n"})
    run_index(raw)
    (raw / "a.csv").write_text("a,b\nx,1234\n\n")
    with (
        mere.open(run_index.lake) as lake,
        pytest.raises(LakeError, match="had 2 rows when it was indexed, and now has 1"),
    ):
        lake.rows("a.csv")


def test_a_join_has_types_and_a_frame_keeps_its_own(lake: Any, tmp_path: Path) -> None:
    mine = pd.DataFrame(
        {"city": ["Graz", "Wien", "Rom"], "n": ["1", "2", "3"], "x": pd.Series([1, 2, 3], dtype="int16")}
    )
    joined = lake.join(mine, ("english.csv", "city"), on="city")
    assert list(joined["price"])[:2] == [7.25, 5.5] and joined["price"].isna().tolist() == [False, False, True]
    assert list(joined["n"]) == ["1", "2", "3"] and joined["x"].dtype == "int16"
    assert lake.join(mine, ("english.csv", "city"), on="city", raw=True)["price"].tolist()[:2] == ["$7.25", "$5.50"]
    mine.to_csv(tmp_path / "mine.csv", index=False)
    pq.write_table(pa.Table.from_pandas(mine), tmp_path / "mine.parquet")
    hit = ("english.csv", "city")
    from_file = lake.join(tmp_path / "mine.csv", hit, on="city")
    assert from_file.column("n").to_pylist() == [1, 2, 3] and from_file.schema.field("x").type == pa.int64()
    from_parquet = lake.join(tmp_path / "mine.parquet", hit, on="city")
    assert from_parquet.column("n").to_pylist() == ["1", "2", "3"] and from_parquet.schema.field("x").type == pa.int16()
    as_text = lake.join(tmp_path / "mine.parquet", hit, on="city", raw=True)
    assert as_text.schema.types == [pa.string()] * 8
    both = lake.join("german.csv", hit, on="stadt")
    assert both.column("preis").to_pylist() == [1234.5, 7.25, None]
    assert facts_of(both) == {"price": {"unit": "$"}}


def test_a_bundle_has_the_types_of_its_base(lake: Any, tmp_path: Path) -> None:
    (tmp_path / "base.csv").write_text("city,n,year\nRom,5,2020\nPisa,6,2020\n")
    (tmp_path / "more.csv").write_text('city,n,year\nBari,"7,5",2021\nGela,"8,5",2021\n')
    bundle = lake.assemble(tmp_path / "base.csv", ["many"], method="exact")
    assert bundle.fetch().column("n").to_pylist() == [5, 6, 1, 2, 3]
    assert bundle.fetch(raw=True).column("n").to_pylist() == ["5", "6", "1", "2", "3"]
    wider = lake.assemble(tmp_path / "base.csv", ["many", tmp_path / "more.csv"], method="exact").fetch()
    assert wider.column("n").to_pylist()[:2] == [5.0, 6.0] and set(wider.column("n").to_pylist()) >= {7.5, 8.5}
    text = lake.assemble({"city": ["x"], "n": ["y"], "year": [2020]}, ["many"], method="exact").fetch()
    assert text.column("n").to_pylist() == ["y", "1", "2", "3"] and text.column("year").to_pylist()[1:] == [
        2020,
        2020,
        2021,
    ]


def test_digits_that_a_bundle_or_a_transformed_join_loses_are_told(lake: Any, tmp_path: Path, capsys: Any) -> None:
    import json

    from mere.cli import run

    (tmp_path / "base.csv").write_text("id,x\n7,0.20000000000000001\n8,0.5\n")
    bundle = lake.assemble(tmp_path / "base.csv", ["long.csv"], method="exact")
    with pytest.warns(UserWarning, match="'x' have more digits than a float64 holds"):
        assert bundle.fetch().column("x").to_pylist() == [0.2, 0.5, 0.1, 0.5]
    assert bundle.fetch(raw=True).column("x").to_pylist()[0] == "0.20000000000000001"
    out = tmp_path / "out.parquet"
    ask = ["assemble", str(tmp_path / "base.csv"), "--candidates", "long.csv", "--method", "exact", "--lake", lake.path]
    capsys.readouterr()
    assert run([*ask, "-o", str(out), "--json"]) == 0
    assert any("more digits" in note for note in json.loads(capsys.readouterr().out)["notes"])
