"""Frames as sources: what they become, when they are read again, and where their rows come from later."""

import datetime
import decimal
import os
import shutil
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

import mere
from mere.errors import Corrupt, LakeError, UsageError
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.pipeline.frames import content_of, table_of
from mere.pipeline.given import Given
from mere.pipeline.named_sources import NamedSources
from mere.search.given import texts
from mere.segments import code_column
from mere.segments.snapshot import snapshot_path
from tests.conftest import write_files

CITIES = pd.DataFrame({"city": ["Vienna", "Bern", None], "people": [2_000_000, 134_000, 5]})


class Refusing:
    """An engine that must not be asked for anything."""

    cores = 1

    def run(self, task, payloads, advance=None):
        raise AssertionError(f"nothing was to be done, but '{task}' was")


def rows_of(lake, table):
    with mere.open(lake) as opened:
        return opened.rows(table, raw=True).to_pylist()


def names_in(lake):
    with mere.open(lake) as opened:
        return [table.name for table in opened.tables]


# what a frame becomes

CELLS = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False, width=64),
    pa.string(): st.text(max_size=6),
    pa.large_string(): st.text("aB1 ", max_size=3),
    pa.binary(): st.binary(max_size=3),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("s", "Europe/Vienna"): st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1)),
    pa.time64("us"): st.times(),
    pa.time32("s"): st.times().map(lambda time: time.replace(microsecond=0)),
    pa.decimal128(12, 3): st.decimals(-(10**8), 10**8, places=3),
    pa.duration("us"): st.timedeltas(datetime.timedelta(0), datetime.timedelta(9)),
    pa.dictionary(pa.int32(), pa.string()): st.sampled_from(["red", "green", ""]),
    pa.list_(pa.int64()): st.lists(st.integers(0, 9), max_size=2),
    pa.null(): st.none(),
}


@st.composite
def arrow_tables(draw, types=tuple(CELLS)):
    rows = draw(st.integers(0, 12))
    columns = [
        pa.array(draw(st.lists(st.none() | CELLS[kind], min_size=rows, max_size=rows)), kind)
        for kind in draw(st.permutations(types))[: draw(st.integers(1, len(types)))]
    ]
    return pa.table(columns, names=[f"c{place}" for place in range(len(columns))])


FLAT = tuple(kind for kind in CELLS if not pa.types.is_nested(kind))


@settings(max_examples=25)
@given(arrow_tables(FLAT))
def test_rows_are_the_text_that_the_same_frame_gives_as_a_question(tmp_path_factory, frame):
    lake = tmp_path_factory.mktemp("frame") / "lake"
    index({"mine": frame}, lake, engine=Inline())
    with mere.open(lake) as opened:
        rows = opened.rows("mine", raw=True)
        for name in frame.column_names:
            cells = texts(frame.column(name))
            assert rows.column(name).to_pylist() == cells.to_pylist()
            shares = [hit.evidence["share"] for hit in opened.overlap(frame, on=name, per="column", k=1)]
            assert shares == ([1.0] if len(code_column(cells).hashes) else [])


@given(arrow_tables(), st.data())
def test_the_content_does_not_depend_on_chunks_and_changes_with_every_cell(frame, data):
    cut = data.draw(st.integers(0, frame.num_rows))
    chunks = pa.concat_tables([frame.slice(0, cut), frame.slice(cut)])
    assert content_of(table_of("a", chunks)) == content_of(table_of("a", frame))
    row, place = data.draw(st.integers(0, 11)), data.draw(st.integers(0, frame.num_columns - 1))
    cells, kind = frame.column(place).to_pylist(), frame.schema.field(place).type
    if row < len(cells) and not pa.types.is_null(kind):
        cells[row] = data.draw(CELLS[kind]) if cells[row] is None else None
        other = frame.set_column(place, f"c{place}", pa.array(cells, kind))
        assert content_of(table_of("a", other)) != content_of(table_of("a", frame))


def test_content_is_also_names_and_types():
    first, *others = [{"a": [1]}, {"b": [1]}, {"a": ["1"]}, {"a": [1], "b": [1]}, {"a": [1, 1]}]
    contents = {content_of(table_of("x", pa.table(frame))) for frame in (first, *others)}
    assert len(contents) == 5
    assert content_of(table_of("x", pa.table({"a": []}))) != content_of(table_of("x", pa.table({"b": []})))
    categories = [pl.DataFrame({"a": pl.Series([["u"], [word]], dtype=pl.List(pl.Enum(["u", word])))}) for word in "vw"]
    assert len({content_of(table_of("x", frame)) for frame in categories}) == 2


def text_rows(frame, run_index):
    run_index({"frame": frame})
    return rows_of(run_index.lake, "frame")


def test_types_of_pandas(run_index):
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["b", "a", None]),
            "day": pd.to_datetime(["2020-01-02", None, "2020-01-03"]),
            "zone": pd.to_datetime(["2020-01-02 10:00", None, "2020-07-02 10:00"]).tz_localize("Europe/Vienna"),
            "decimal": [decimal.Decimal("1.10"), None, decimal.Decimal("2.00")],
            "mixed": [1, "one", None],
            "object": [{1}, None, 2.5],
            "nullable": pd.array([1, None, 3], "Int64"),
            "period": pd.period_range("2020-01", periods=3, freq="M"),
            "lists": [[1, 2], None, []],
        }
    )
    first, second, third = text_rows(frame, run_index)
    assert first == {
        "category": "b", "day": "2020-01-02", "zone": "2020-01-02T09:00:00Z", "decimal": "1.10", "mixed": "1",
        "object": "{1}", "nullable": "1", "period": "2020-01", "lists": "[1,2]",
    }  # fmt: skip
    assert second == {**dict.fromkeys(first), "category": "a", "mixed": "one", "period": "2020-02"}
    assert third["zone"] == "2020-07-02T08:00:00Z" and third["object"] == "2.5" and third["lists"] == "[]"


def test_a_named_index_of_pandas_becomes_columns_and_one_without_a_name_is_left_out(run_index):
    named = pd.DataFrame({"v": [1]}, index=pd.MultiIndex.from_tuples([("x", 7)], names=["key", None]))
    assert text_rows(named, run_index) == [{"key": "x", "v": "1"}]
    assert text_rows(pd.DataFrame({"v": [1]}, index=["x"]), run_index) == [{"v": "1"}]


def test_columns_of_frames_get_the_names_that_columns_of_files_would_get(run_index):
    frame = pd.DataFrame([[1, 2, 3, 4, 5]], columns=["a", "a", 2020, "", "a"])
    assert text_rows(frame, run_index) == [{"a": "1", "a_2": "2", "2020": "3", "column_4": "4", "a_3": "5"}]
    several = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("sales", "net"), ("year", "")]))
    assert text_rows(several, run_index) == [{"sales net": "1", "year": "2"}]


class Stream:
    """Anything that gives Arrow batches by the C interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_frames_of_every_library_give_the_same_table_and_the_same_content(run_index):
    table = pa.table({"a": pa.array([1, None]), "b": ["x", "y"]})
    frames = {
        "arrow": table,
        "batch": table.to_batches()[0],
        "reader": table.to_reader(),
        "stream": Stream(table),
        "pandas": pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": ["x", "y"]}),
        "polars": pl.DataFrame({"a": [1, None], "b": ["x", "y"]}),
        "lazy": pl.LazyFrame({"a": [1, 2], "b": ["x", "y"]}).with_columns(a=pl.when(pl.col("a") < 2).then("a")),
        "mapping": {"a": [1, None], "b": ["x", "y"]},
    }
    assert run_index(frames).added == len(frames)
    expected = [{"a": "1", "b": "x"}, {"a": None, "b": "y"}]
    assert {name: rows_of(run_index.lake, name) for name in frames} == dict.fromkeys(frames, expected)
    again = {**frames, "reader": table.to_reader()}
    assert index(again, run_index.lake, engine=Refusing()).unchanged == len(frames)


def test_empty_frames_and_types_that_parquet_lacks_are_tables(run_index):
    run_index(
        {
            "no rows": pa.table({"a": pa.array([], pa.int64())}),
            "odd": pa.table({"runs": pa.RunEndEncodedArray.from_arrays([2, 3], ["x", "y"]), "empty": [{}, {}, None]}),
        }
    )
    assert rows_of(run_index.lake, "no rows") == []
    assert [row["runs"] for row in rows_of(run_index.lake, "odd")] == ["x", "x", "y"]
    with mere.open(run_index.lake) as lake:
        assert lake.columns("no rows") == ["a"]


def test_a_large_frame_is_read_in_several_batches_and_blocks(run_index):
    frame = pa.table({"n": np.arange(150_000), "s": [f"Name {i % 1000}" for i in range(150_000)]})
    run_index({"large": frame}, settings=mere.Settings(split_bytes=100_000))
    with mere.open(run_index.lake) as lake:
        assert lake.rows("large", raw=True).column("n").to_pylist() == [str(i) for i in range(150_000)]
        assert [column.distinct for column in lake.profile("large").columns] == [150_000, 1000]


# when a frame is read again


def test_a_frame_with_the_same_content_is_not_read_again_and_spark_is_not_started(run_index):
    run_index({"cities": CITIES})
    report = index({"cities": CITIES.copy()}, run_index.lake, engine=Refusing())
    assert (report.unchanged, report.changed, report.snapshot) == (1, 0, 1)


def test_a_frame_stays_until_another_comes_under_its_name_or_it_is_forgotten(raw, run_index):
    run_index({"cities": CITIES})
    run_index(raw, {"more": CITIES})
    assert {"cities", "more", "geo/cities.tsv"} <= set(names_in(run_index.lake))
    report = run_index({"cities": CITIES.head(1)})
    assert (report.added, report.changed, report.removed) == (0, 1, 0) and len(rows_of(run_index.lake, "cities")) == 1
    report = run_index(forget=["frame:more"])
    assert report.removed == 1 and "more" not in names_in(run_index.lake)
    with pytest.raises(UsageError, match=r"'frame:more' is not in the lake; known sources: .*frame:cities"):
        run_index(forget=["frame:more"])


def test_an_older_snapshot_has_the_rows_of_its_time(run_index):
    run_index({"cities": CITIES})
    run_index({"cities": CITIES.head(1)})
    with mere.open(run_index.lake, as_of=1) as old, mere.open(run_index.lake) as new:
        assert (old.rows("cities").num_rows, new.rows("cities").num_rows) == (3, 1)


def test_everything_is_read_again_from_the_copies(run_index):
    run_index({"cities": CITIES, "more": CITIES.head(2)})
    before = rows_of(run_index.lake, "cities")
    report = run_index(rebuild=True)
    assert report.added == 2 and rows_of(run_index.lake, "cities") == before
    changed = mere.Settings(histogram_bins="equal-width-20")
    assert run_index(settings=changed).notes == ["settings changed: everything is read again"]
    assert index({"cities": CITIES}, run_index.lake, engine=Refusing()).unchanged == 2, "its content is still known"


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(run_index):
    assert run_index({"cities": CITIES}, dry_run=True).added == 1
    assert not os.path.exists(run_index.lake)
    run_index({"cities": CITIES})
    copies = os.listdir(os.path.join(run_index.lake, "frames"))
    assert run_index({"cities": CITIES.head(1)}, dry_run=True).changed == 1
    assert os.listdir(os.path.join(run_index.lake, "frames")) == copies and len(rows_of(run_index.lake, "cities")) == 3


def test_a_damaged_copy_is_reported_and_can_be_replaced(run_index):
    run_index({"cities": CITIES})
    [name] = os.listdir(os.path.join(run_index.lake, "frames"))
    path = os.path.join(run_index.lake, "frames", name)
    content = bytearray(Path(path).read_bytes())
    content[len(content) // 2] ^= 1
    with open(path, "wb") as file:
        file.write(content)
    for work in (lambda: rows_of(run_index.lake, "cities"), lambda: run_index(rebuild=True)):
        with pytest.raises(Corrupt, match=rf"{name}: checksum"):
            work()
    run_index({"cities": CITIES}, rebuild=True)
    assert len(rows_of(run_index.lake, "cities")) == 3


def test_a_rebuild_after_the_newest_snapshot_was_damaged_still_has_the_frames(run_index):
    run_index({"cities": CITIES})
    run_index({"more": CITIES.head(1)})
    with open(snapshot_path(run_index.lake, 2), "ab") as file:
        file.write(b"damage")
    run_index(rebuild=True)
    assert names_in(run_index.lake) == ["cities"], "as the snapshot before has it"


def test_a_lake_that_was_moved_still_has_the_rows(run_index, tmp_path):
    run_index({"cities": CITIES})
    shutil.move(run_index.lake, tmp_path / "moved")
    assert len(rows_of(tmp_path / "moved", "cities")) == 3


def test_a_frame_can_be_joined_and_assembled_like_any_table(run_index):
    run_index({"cities": CITIES})
    mine = pd.DataFrame({"town": ["VIENNA"], "guests": [3]})
    with mere.open(run_index.lake) as lake:
        [joined] = lake.join(mine, lake.overlap(mine, on="town")[0]).to_dict("records")
        assert joined == {"town": "VIENNA", "guests": 3, "city": "Vienna", "people": 2000000}
        bundle = lake.assemble({"city": ["Oslo"], "people": [1]}, ["cities"], method="exact")
        assert bundle.distinct == 4 and {row["city"] for row in bundle.fetch().to_pylist()} >= {"Oslo", "Vienna"}


# names


def test_a_frame_may_have_a_name_that_looks_like_a_file_in_the_folder_of_another(run_index):
    assert run_index({"a": CITIES, "a/b": CITIES}).notes == []
    assert names_in(run_index.lake) == ["a", "a/b"]


def test_names_of_frames_and_files_that_clash_are_told_apart(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {"a.csv": "k\n1\n"})
    run_index(raw, {"a.csv": CITIES, "b#c": CITIES, "README.md": CITIES})
    names = names_in(run_index.lake)
    assert len(names) == len(set(names)) == 4 and {"b%23c", "README.md"} <= set(names)
    with mere.open(run_index.lake) as lake:
        sources = {lake.profile(name).source for name in names}
    assert sources == {str(raw), "frame:a.csv", "frame:b#c", "frame:README.md"}


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (CITIES, r"without a name; give a mapping \{'name': frame\}"),
        ([CITIES], r"without a name"),
        (pl.LazyFrame({"a": [1]}), r"without a name"),
        ({"": CITIES}, "name must be a text, got ''"),
        ({7: CITIES}, "name must be a text, got 7"),
        ({"a": [1, 2]}, "'a' must be a frame, got list; give a pandas"),
        ({"a": "data/a.csv"}, r"got the path 'data/a.csv'; give paths beside the frames"),
        ({"a": pa.table({})}, "'a' has no columns"),
        ("frame:cities", r"names a frame; hand it in: mere.index\(\{'cities': frame\}, lake\)"),
        (["spark:"], "names no table"),
        (7, "got sources=7; give a folder"),
    ],
)
def test_what_is_not_a_frame_is_refused_with_the_remedy(run_index, sources, message):
    with pytest.raises(UsageError, match=message):
        index(sources, run_index.lake, engine=Inline())
    assert not os.path.exists(os.path.join(run_index.lake, "snapshots"))


def test_a_frame_beyond_a_limit_is_in_quarantine_and_stops_nothing(run_index):
    limits = mere.Settings(limits=mere.Limits(columns=2))
    report = run_index({"wide": pa.table({"a": [1], "b": [2], "c": [3]}), "cities": CITIES}, settings=limits)
    assert [row["path"] for row in report.quarantined] == ["wide"] and "columns" in report.quarantined[0]["reason"]
    assert names_in(run_index.lake) == ["cities"]


def test_a_frame_of_spark_without_a_copy_must_be_given_again_to_be_read_again(run_index):
    named = NamedSources(run_index.lake, Given(), {}, lambda: None)
    with pytest.raises(LakeError, match=r"'orders' cannot be read again; hand it in, or drop it with forget"):
        named.look(["frame:orders"], everything=True)
    assert named.look(["frame:orders"], everything=False) == []


def test_times_with_a_zone_are_compared_in_utc_and_keep_their_zone(tmp_path):
    moments = pd.to_datetime(["2021-07-13 14:05", "2021-01-13 14:05"]).tz_localize("Europe/Vienna")
    index({"orders": pd.DataFrame({"at": moments})}, tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        [table] = lake.tables
        assert lake.rows(table.name).column("at").to_pylist() == list(moments)
        assert lake.rows(table.name).schema.field("at").type.tz == "Europe/Vienna"
        assert lake.rows(table.name, raw=True).column("at").to_pylist() == [
            "2021-07-13T12:05:00Z",
            "2021-01-13T13:05:00Z",
        ]
        assert lake.profile(table.name).columns[0].maximum == "2021-07-13t12:05:00z"
