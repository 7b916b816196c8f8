"""A folder that is one table is one table: its rows are those of its parts, and an update equals a new build."""

import json
import os
import shutil
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mere
from mere.pipeline import Settings, index, stage_files, stage_parts, tasks
from mere.pipeline.engine import Inline
from mere.readers import RawTable, with_first_row
from tests.conftest import touch, write_files
from tests.pipeline.test_updates import checksums, files_read, names

FROZEN = ("containment.idx", "composite.idx", "similar.idx")  # hold what each lake learnt from its first tables
COLUMNS = ("id", "city", "amount", "note")
CELLS = ["1", "2", "30", "0.5", "x", "Bern", "AT", "NA", "CH", "de", "none", "n/a", "2020-01-02", None]
KEYS = [None, "2020", "2021", "01", "New York", "a/b", "ü=1"]


@st.composite
def rows(draw, columns=COLUMNS, most=4):
    """The rows of one part: some of the columns, in some order."""
    chosen = draw(st.lists(st.sampled_from(columns), min_size=1, unique=True))
    cells = st.lists(st.sampled_from(CELLS), min_size=len(chosen), max_size=len(chosen))
    return [dict(zip(chosen, row, strict=True)) for row in draw(st.lists(cells, min_size=1, max_size=most))]


def write_part(path: Path, part: list[dict]) -> None:
    """A part as Parquet, JSON Lines, JSON or CSV without a header, by its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        columns = {name: pa.array([row[name] for row in part], pa.string()) for name in part[0]}
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in part))
    elif path.suffix == ".csv":
        path.write_text("".join(f"{row.get('code', 'x')},{row.get('city', 'y')}\n" for row in part))
    else:
        path.write_text(json.dumps(part[0]))


def folder_of(keys: dict[str, str | None]) -> str:
    encoded = {key: "__HIVE_DEFAULT_PARTITION__" if v is None else quote(v, safe="") for key, v in keys.items()}
    return "/".join(f"{quote(key, safe='')}={value}" for key, value in encoded.items())


def united(parts: list[tuple[dict, list[dict]]]) -> list[dict]:
    """The brute-force union: partition values win, a column that a part lacks is null."""
    full = [{**{k: v for k, v in row.items() if k not in keys}, **keys} for keys, part in parts for row in part]
    columns = list(dict.fromkeys(name for row in full for name in row))
    return [{name: row.get(name) for name in columns} for row in full]


def profiles(lake, table):
    """What is known of a table and of its columns, but for what tells where it came from."""
    with mere.open(lake) as opened:
        document = opened.profile(table).to_dict()
    return document["rows"], [{k: v for k, v in column.items() if k != "examples"} for column in document["columns"]]


def run(sources, lake, **options):
    return index(sources, lake, engine=Inline(), **options)


@settings(max_examples=10)
@given(data=st.data())
def test_hive_partitions_are_the_union_of_their_files(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hive")
    keys = st.fixed_dictionaries({"year": st.sampled_from(KEYS), "the city": st.sampled_from(KEYS)})
    parts = data.draw(st.lists(st.tuples(keys, rows((*COLUMNS, "year"))), min_size=1, max_size=5))
    paths = {}
    for number, (values, part) in enumerate(parts):
        path = f"deep/sales/{folder_of(values)}/file{number}.{data.draw(st.sampled_from(['parquet', 'jsonl']))}"
        write_part(folder / "raw" / path, part)
        paths[path] = values, part
    run([folder / "raw"], folder / "lake", settings=Settings(split_bytes=data.draw(st.sampled_from([1, 1 << 25]))))
    expected = united([paths[path] for path in sorted(paths)])
    write_part(folder / "plain/sales.parquet", expected)
    run([folder / "plain"], folder / "single")
    assert names(folder / "lake") == ["deep/sales"]
    assert profiles(folder / "lake", "deep/sales") == profiles(folder / "single", "sales.parquet")
    with mere.open(folder / "lake") as lake:
        assert lake.rows("deep/sales", raw=True).to_pylist() == expected
        assert lake.rows("deep/sales", limit=2, raw=True).to_pylist() == expected[:2]


def test_keys_are_typed_columns_and_months_are_numbers(tmp_path, run_index):
    raw = write_files(
        tmp_path / "raw",
        {f"s/year={year}/month=0{month}/p.csv": f"id,v\n{month},x\n" for year in (2020, 2021) for month in (1, 2)},
    )
    run_index(raw)
    with mere.open(run_index.lake) as lake:
        columns = {column.name: (column.type, column.maximum) for column in lake.profile("s").columns}
        assert columns["year"] == ("integer", "2021") and columns["month"] == ("integer", "2")
        assert [hit.table for hit in lake.overlap(["2020", "2021"], k=1)] == ["s"]
        joined = lake.join(pa.table({"when": ["2021"]}), ("s", "year"), on="when")
        assert joined.num_rows == 2


def test_spark_output_is_a_table_with_or_without_its_marker(tmp_path, run_index):
    raw = write_files(
        tmp_path / "raw",
        {
            "out/part-00000-3a.csv": "a,b\n1,x\n", "out/part-00001-3a.csv": "a,b\n2,y\n", "out/_SUCCESS": "",
            "out/part-00002-3a.csv": "", "old/part-r-00000.csv": "a,b\n1,x\n", "old/other.csv": "k,v\n1,2\n",
            "one/part-1.csv": "a,b\n1,x\n",
        },
    )  # fmt: skip
    report = run_index(raw)
    assert names(run_index.lake) == ["old", "old/other.csv", "one/part-1.csv", "out"]
    assert report.quarantined == [], "an empty part has no rows"
    with mere.open(run_index.lake) as lake:
        assert lake.rows("out", raw=True).to_pydict() == {"a": ["1", "2"], "b": ["x", "y"]}


def test_parts_without_rows_are_a_table_without_rows_until_they_have_some(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {"out/part-00000.csv": "a,b\n", "out/part-00001.csv": "a,b\n"})
    run_index(raw)
    with mere.open(run_index.lake) as lake:
        assert lake.profile("out").rows == 0 and lake.rows("out", raw=True).to_pydict() == {"a": [], "b": []}
    write_files(raw, {"out/part-00001.csv": "a,b\n1,x\n"})
    run_index()
    with mere.open(run_index.lake) as lake:
        assert lake.profile("out").rows == 1 and lake.rows("out", raw=True).to_pydict() == {"a": ["1"], "b": ["x"]}


def test_a_source_that_is_one_table_is_called_by_its_folder(tmp_path, run_index):
    source = write_files(tmp_path / "orders", {"year=2020/a.csv": "a,b\n1,x\n", "year=2021/a.csv": "a,b\n2,y\n"})
    run_index(source)
    assert names(run_index.lake) == ["orders"]


def test_parts_that_cannot_be_read_are_in_quarantine_and_the_others_are_the_table(tmp_path, run_index):
    raw = write_files(
        tmp_path / "raw", {"s/k=1/a.csv": "a,b\n1,x\n", "s/k=2/a.parquet": "no parquet", "s/k=3/a.csv": "a,c\n2,y\n"}
    )
    report = run_index(raw)
    assert [row["path"] for row in report.quarantined] == ["s/k=2/a.parquet"]
    with mere.open(run_index.lake) as lake:
        profile = lake.profile("s")
        assert profile.rows == 2 and [column.name for column in profile.columns] == ["a", "b", "k", "c"]
        assert "1 of 3 files could not be read" in profile.issues[0]
        assert "2 of 2 parts lack some of the columns" in profile.issues[1]


def test_a_column_of_the_name_of_a_key_gives_way_and_this_is_told(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {f"s/k={k}/a.csv": "a,k\n1,x\n" for k in "12"})
    run_index(raw)
    with mere.open(run_index.lake) as lake:
        assert lake.rows("s", raw=True).to_pydict() == {"a": ["1", "1"], "k": ["1", "2"]}
        assert lake.profile("s").issues == [
            "the values of 'k' are those of the partition, not those of the file (in 2 of 2 parts)"
        ]


def test_a_readme_describes_the_table_and_a_sidecar_is_no_part(tmp_path, run_index):
    raw = write_files(
        tmp_path / "raw",
        {"s/README.md": "# Zanzibar\n\nCloves.\n", "s/k=1/a.csv": "a,b\n1,x\n", "s/k=2/a.csv": "a,b\n1,x\n"},
    )
    run_index(raw)
    with mere.open(run_index.lake) as lake:
        assert [hit.table for hit in lake.keywords("zanzibar")] == ["s"]


def test_numbered_files_are_united_only_if_asked_and_only_if_their_columns_are_equal(tmp_path, run_index):
    files = {f"d_{i:03}.csv": f"k,v\n{i},x\n" for i in range(3)} | {f"e_{i}.csv": f"k{i},v\n{i},x\n" for i in range(2)}
    raw = write_files(tmp_path / "raw", {**files, "d_x.csv": "k,v\n7,y\n"})
    run_index(raw)
    assert names(run_index.lake) == ["d_000.csv", "d_001.csv", "d_002.csv", "d_x.csv", "e_0.csv", "e_1.csv"]
    run_index(settings=Settings(unite_parts=True))
    assert names(run_index.lake) == ["d_*.csv", "d_x.csv", "e_0.csv", "e_1.csv"]
    write_files(raw, {"d_003.csv": "k,other\n1,2\n"})
    run_index()
    assert names(run_index.lake) == sorted([*files, "d_003.csv", "d_x.csv"]), (
        "one with other columns, and none is united"
    )
    (raw / "d_003.csv").unlink()
    run_index()
    assert names(run_index.lake) == ["d_*.csv", "d_x.csv", "e_0.csv", "e_1.csv"]


@pytest.mark.parametrize("large", [0, 1 << 16])
def test_json_objects_of_one_shape_are_rows_and_others_stay_tables(tmp_path, run_index, monkeypatch, large):
    monkeypatch.setattr(stage_parts, "_LARGE_OBJECT", large)  # whether they are opened as files of their own first
    objects = {
        f"users/{i}.json": json.dumps({"id": i, "name": f"n{i}", **({"age": i} if i % 2 else {})}) for i in range(6)
    }
    others = {"users/settings.json": '{"theme": "dark", "size": 3}', "users/all.json": '[{"a": 1}, {"a": 2}]'}
    raw = write_files(tmp_path / "raw", {**objects, **others})
    run_index(raw)
    assert names(run_index.lake) == ["users", "users/all.json", "users/settings.json"]
    with mere.open(run_index.lake) as lake:
        assert lake.rows("users", raw=True).to_pydict()["age"] == [None, "1", None, "3", None, "5"]
    for i in range(4):
        (raw / f"users/{i}.json").unlink()
    run_index()
    assert names(run_index.lake) == ["users/4.json", "users/5.json", "users/all.json", "users/settings.json"]


def test_rows_of_json_objects_have_the_names_of_their_files_unless_they_have_such_a_column(tmp_path, run_index):
    named = {f"a/{name}.json": json.dumps({"id": at, "n": at * 2}) for at, name in enumerate(["x", "été", "z.1"])}
    own = {f"b/{at}.json": json.dumps({"id": at, "file_name": f"scan {at}"}) for at in range(3)}
    run_index(write_files(tmp_path / "raw", {**named, **own}))
    with mere.open(run_index.lake) as lake:
        assert lake.rows("a", raw=True).to_pydict()["file_name"] == ["x.json", "z.1.json", "été.json"]
        assert lake.rows("b", raw=True).to_pydict() == {
            "id": ["0", "1", "2"],
            "file_name": ["scan 0", "scan 1", "scan 2"],
        }
        assert [hit.table for hit in lake.overlap(["z.1.json"], k=2)] == ["a"]
        assert not lake.profile("b").issues


@settings(max_examples=15)
@given(data=st.data())
def test_names_of_files_are_the_same_after_updates_as_in_a_new_lake(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("objects")
    raw, lake = folder / "raw", folder / "lake"
    keys = st.lists(st.sampled_from("abcdefgh"), min_size=3, max_size=8, unique=True)
    for step in range(data.draw(st.integers(2, 3))):
        for key in data.draw(keys, label=f"written in step {step}"):
            own = {"file_name": "own"} if data.draw(st.booleans()) else {}
            write_files(raw, {f"o/{key}.json": json.dumps({"id": key, "step": step, "n": 7, **own})})
        gone = data.draw(st.sampled_from([None, *sorted((raw / "o").iterdir())]))
        if gone and len(list((raw / "o").iterdir())) > 3:
            gone.unlink()
        run([raw], lake)
    run([], lake, compact=True)
    run([raw], folder / "fresh")
    assert checksums(lake, but=FROZEN) == checksums(folder / "fresh", but=FROZEN)


def spied(lake_run, **options):
    """The files that a run reads."""
    with pytest.MonkeyPatch.context() as patched:
        seen = files_read(patched)
        lake_run(**options)
    return sorted(seen)


def test_an_update_reads_only_the_parts_that_changed(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {f"s/k={k}/a.csv": f"a,b\n{k},x{k}\n{k},y\n" for k in range(6)})
    run_index(raw)
    (raw / "s/k=0/a.csv").write_text("a,b\n9,new\n")
    shutil.rmtree(raw / "s/k=3")
    write_files(raw, {"s/k=2/more.csv": "a,c\n5,c\n"})
    assert spied(run_index) == ["s/k=0/a.csv", "s/k=2/more.csv"]
    with mere.open(run_index.lake) as lake:
        assert lake.rows("s", raw=True).to_pydict() == {
            "a": ["9", "1", "1", "2", "2", "5", "4", "4", "5", "5"],
            "b": ["new", "x1", "y", "x2", "y", None, "x4", "y", "x5", "y"],
            "k": ["0", "1", "1", "2", "2", "2", "4", "4", "5", "5"],
            "c": [None] * 5 + ["c"] + [None] * 4,
        }
        assert lake.profile("s").rows == 10
    shutil.rmtree(raw / "s/k=5")
    assert spied(run_index) == []
    mere.index(raw, tmp_path / "fresh", engine=Inline())
    run_index(compact=True)
    assert checksums(run_index.lake, but=FROZEN) == checksums(tmp_path / "fresh", but=FROZEN)


def test_keys_are_in_the_order_of_the_path_after_an_update_too(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {f"s/year=2020/month={m}/day=1/a.csv": "a,b\n1,2\n" for m in (1, 2)})
    run_index(raw)
    write_files(raw, {"s/year=2021/month=1/day=1/a.csv": "a,b\n3,4\n"})
    for _ in range(2):
        run_index()
        with mere.open(run_index.lake) as lake:
            assert lake.profile("s").dialect["keys"] == ["year", "month", "day"]
        (raw / "s/year=2020/month=2/day=1/a.csv").unlink(missing_ok=True)


def test_a_spelling_of_null_that_turns_out_to_be_data_has_all_parts_read_again(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {"s/k=1/a.csv": "code,n\nna,1\n12,2\n", "s/k=2/a.csv": "code,n\nx1,1\n"})
    run_index(raw)
    with mere.open(run_index.lake) as lake:
        assert lake.profile("s").columns[0].nulls == 1
    codes = ["at", "ch", "de", "fr", "it", "es", "pt", "se", "no", "dk"]
    write_files(raw, {"s/k=3/a.csv": "code,n\n" + "".join(f"{code},1\n" for code in codes)})
    assert spied(run_index) == ["s/k=1/a.csv", "s/k=2/a.csv", "s/k=3/a.csv"]
    with mere.open(run_index.lake) as lake:
        assert lake.profile("s").columns[0].nulls == 0


@settings(max_examples=12)
@given(data=st.data())
def test_an_update_gives_the_bytes_of_a_new_build(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("updates")
    raw, lake = folder / "raw", folder / "lake"
    chosen = Settings(split_bytes=data.draw(st.sampled_from([1, 40, 1 << 25])), unite_parts=True, segment_bytes=1 << 30)
    places = [f"s/{folder_of({'k': key})}/{name}" for key in KEYS[:3] for name in ("a.parquet", "b.jsonl")]
    places += [f"o/{i}.json" for i in range(4)] + [f"n/d_{i}.parquet" for i in range(3)] + ["p/part-00000.jsonl"]
    places += [f"h/part-0000{i}.csv" for i in range(4)]
    write_files(raw, {"always.csv": "k,v\n1,2\n"})
    time = 0
    for step in range(data.draw(st.integers(2, 4))):
        for place in data.draw(st.lists(st.sampled_from(places), max_size=8, unique=True)):
            if (raw / place).exists() and data.draw(st.booleans(), label=f"remove {place}"):
                (raw / place).unlink()
            else:
                write_part(raw / place, data.draw(rows(("id", "city", "code"), 3), label=place))
                time += 1
                os.utime(raw / place, ns=(time, time))
        run([raw], lake, settings=chosen if not step else None)
    run([], lake, compact=True)
    run([raw], folder / "fresh", settings=chosen)
    assert names(lake) == names(folder / "fresh")
    assert checksums(lake, but=FROZEN) == checksums(folder / "fresh", but=FROZEN)
    for table in names(lake):
        with mere.open(lake) as one, mere.open(folder / "fresh") as other:
            assert one.rows(table) == other.rows(table)


def test_an_interrupted_run_does_not_read_the_parts_again(tmp_path, run_index, monkeypatch):
    raw = write_files(tmp_path / "raw", {f"s/k={k}/a.csv": f"a,b\n{k},x\n" for k in range(4)})
    with monkeypatch.context() as patched:
        patched.setitem(tasks.TASKS, "build", lambda payload: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_index(raw)
    seen = files_read(monkeypatch)
    run_index(raw)
    assert seen == [] and names(run_index.lake) == ["s"]


def test_many_small_parts_are_staged_together(tmp_path, run_index, monkeypatch):
    raw = write_files(tmp_path / "raw", {f"s/k={k}/a.csv": f"a,b\n{k},x\n" for k in range(60)})  # of one task
    written = []
    monkeypatch.setattr(stage_files.PartBlocks, "_write", counting(stage_files.PartBlocks._write, written))
    run_index(raw)
    assert len(written) == 1
    with mere.open(run_index.lake) as lake:
        assert lake.profile("s").rows == 60


def counting(function, calls):
    def counted(*arguments):
        calls.append(1)
        return function(*arguments)

    return counted


def test_a_large_part_is_read_in_spans_and_stays_in_its_place(tmp_path, run_index):
    big = "id,word\n" + "".join(f"{i},w{i % 7}\n" for i in range(3000))
    raw = write_files(
        tmp_path / "raw", {"s/k=1/a.csv": "id,word\n-1,first\n", "s/k=2/b.csv": big, "s/k=3/c.csv": "id\n-3\n-4\n"}
    )
    run_index(raw, settings=Settings(split_bytes=4096))
    with mere.open(run_index.lake) as lake:
        ids = lake.rows("s", columns=["id"], raw=True).to_pydict()["id"]
        assert ids == ["-1", *map(str, range(3000)), "-3", "-4"] and lake.profile("s").rows == 3003
        column = lake.profile("s").columns[0]
        assert (column.distinct, column.minimum, column.maximum) == (3003, "-4", "2999")


def test_a_part_that_changed_since_is_refused_when_rows_are_read(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {f"s/k={k}/a.csv": "a,b\n1,x\n" for k in range(2)})
    run_index(raw)
    (raw / "s/k=1/a.csv").write_text("a,b\n1,x\n2,y\n")
    with mere.open(run_index.lake) as lake, pytest.raises(mere.LakeError, match="has changed"):
        lake.rows("s", raw=True)


def test_a_part_the_machine_failed_to_read_is_tried_again(tmp_path, run_index, monkeypatch):
    raw = write_files(tmp_path / "raw", {f"s/k={k}/a.csv": f"a,b\n{k},x\n" for k in range(3)})
    real = stage_files.readers.open_tables

    def failing(path, *rest, **options):
        if "k=1" in path:
            raise OSError(5, "Input/output error")
        return real(path, *rest, **options)

    with monkeypatch.context() as patched:
        patched.setattr(stage_files.readers, "open_tables", failing)
        run_index(raw)
    with mere.open(run_index.lake) as lake:
        assert lake.profile("s").rows == 2
    run_index()
    with mere.open(run_index.lake) as lake:
        assert lake.profile("s").rows == 3 and lake.profile("s").issues == []
        assert lake.rows("s", raw=True).to_pydict()["a"] == ["0", "1", "2"]


def test_a_source_that_is_gone_keeps_its_united_table(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {f"s/k={k}/a.csv": f"a,b\n{k},x\n" for k in range(3)})
    other = write_files(tmp_path / "other", {"t.csv": "k,v\n1,2\n"})
    run_index(raw, other)
    os.rename(raw, tmp_path / "away")
    (other / "t.csv").write_text("k,v\n1,2\n3,4\n")
    run_index()
    assert names(run_index.lake) == ["s", "t.csv"]
    os.rename(tmp_path / "away", raw)
    write_files(raw, {"s/k=3/a.csv": "a,b\n3,x\n"})
    assert spied(run_index) == ["s/k=3/a.csv"]
    with mere.open(run_index.lake) as lake:
        assert lake.profile("s").rows == 4


def test_a_touched_readme_has_the_parts_read_again_and_describes_them_anew(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {f"s/k={k}/a.csv": f"a,b\n{k},x\n" for k in range(2)})
    run_index(raw)
    write_files(raw, {"s/README.md": "# Zanzibar\n"})
    run_index()
    touch(raw / "s/README.md")
    assert len(spied(run_index)) == 2
    with mere.open(run_index.lake) as lake:
        assert [hit.table for hit in lake.keywords("zanzibar")] == ["s"]


def test_parts_without_a_header_are_told_from_parts_with_one(tmp_path, run_index):
    people = ["alice,berlin", "bob,bern", "carol,rome", "dave,paris", "erin,oslo", "frank,london"]
    lines = {"words": people, "mixed": [f"{name},{number}" for number, name in enumerate(people)]}
    for name, rows_ in lines.items():
        write_files(
            tmp_path / "raw",
            {f"{name}/part-0000{i}.csv": "\n".join(rows_[2 * i : 2 * i + 2]) + "\n" for i in range(3)}
            | {f"{name}_named/part-0000{i}.csv": f"who,where\n{people[i]}\n" for i in range(3)},
        )
    run_index(tmp_path / "raw")
    expected = [tuple(person.split(",")) for person in people]
    with mere.open(run_index.lake) as lake:
        assert [tuple(row.values()) for row in lake.rows("words", raw=True).to_pylist()] == expected
        assert lake.profile("words").rows == 6 and lake.profile("words").columns[0].distinct == 6
        assert "the first row of 3 parts is data" in lake.profile("words").issues[0]
        assert [tuple(row.values())[:2] for row in lake.rows("mixed", raw=True).to_pylist()] == expected
        assert [tuple(row.values()) for row in lake.rows("words_named", raw=True).to_pylist()] == expected[:3]
        assert [column.name for column in lake.profile("words_named").columns] == ["who", "where"]
    write_files(tmp_path / "raw", {"words/part-00003.csv": "gus,athens\nhal,sofia\n"})
    assert set(spied(run_index)) == {"words/part-00003.csv"}
    with mere.open(run_index.lake) as lake:
        assert [tuple(row.values()) for row in lake.rows("words", raw=True).to_pylist()] == [
            *expected,
            ("gus", "athens"),
            ("hal", "sofia"),
        ]
    mere.index(tmp_path / "raw", tmp_path / "fresh", engine=Inline())
    run_index(compact=True)
    assert checksums(run_index.lake, but=FROZEN) == checksums(tmp_path / "fresh", but=FROZEN)


def test_a_part_whose_header_was_taken_for_data_is_read_like_the_others(tmp_path, run_index, monkeypatch):
    raw = write_files(tmp_path / "raw", {f"s/k={i}/a.csv": f"who,where\nalice,{i}\nbob,{i}\n" for i in range(4)})
    real = stage_files.readers.open_tables

    def mistaken(path, *rest, **options):
        for table in real(path, *rest, **options):
            yield without_header(table) if "k=2" in path else table

    monkeypatch.setattr("mere.readers.open_tables", mistaken)
    run_index(raw)
    with mere.open(run_index.lake) as lake:
        assert lake.profile("s").rows == 8 and lake.profile("s").issues == []
        assert [column.name for column in lake.profile("s").columns] == ["who", "where", "k"]
        assert lake.rows("s", raw=True).to_pydict()["where"] == ["0", "0", "1", "1", "2", "2", "3", "3"]


def without_header(table):
    """What a reader gives that takes the header for data."""
    dialect = {**table.dialect, "header_rows": 0}
    return RawTable(
        "", ["column_1", "column_2"], "csv", dialect, lambda findings: with_first_row(table, "data").batches()
    )


NUMBERS = [
    "1",
    "30",
    "5.00",
    "2.5",
    "1,234",
    "1.234",
    "28,9",
    "6.718,21",
    "1,234.5",
    "€ 5",
    "12%",
    "(3)",
    "TOT",
    "n/a",
    "x",
    "",
]
PLAIN = ["1", "30", "5.00", "2.5", "0.125", "TOT", "n/a", "x"]


@settings(max_examples=12)
@given(data=st.data())
def test_numbers_of_an_update_are_read_as_by_a_new_build(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    raw, lake = folder / "raw", folder / "lake"
    cells = st.sampled_from(data.draw(st.sampled_from([NUMBERS, PLAIN, [*PLAIN, "1.234"], [*PLAIN, "28,9"]])))
    part = st.lists(st.tuples(cells, cells), min_size=1, max_size=5)
    time = 0
    for _ in range(data.draw(st.integers(2, 4))):
        for key in data.draw(st.lists(st.sampled_from("1234"), min_size=1, unique=True)):
            place = raw / f"s/k={key}/a.csv"
            if place.exists() and data.draw(st.booleans(), label=f"remove {key}"):
                place.unlink()
            else:
                rows_ = "".join(f"{a};{b};w{i}\n" for i, (a, b) in enumerate(data.draw(part, label=key)))
                write_files(place.parent, {"a.csv": f"first;second;word\n{rows_}"})
                time += 1
                os.utime(place, ns=(time, time))
        run([raw], lake)
    run([], lake, compact=True)
    run([raw], folder / "fresh")
    assert names(lake) == names(folder / "fresh")
    assert checksums(lake, but=FROZEN) == checksums(folder / "fresh", but=FROZEN)


DECIMALS = [
    st.builds("{},{:02d}".format, st.integers(0, 99), st.integers(0, 99)),
    st.builds("{},{:03d}".format, st.integers(-9, 999), st.integers(0, 999)),
    st.builds("{}.{:03d}".format, st.integers(0, 99), st.integers(0, 999)),
    st.builds("€ {}.{:03d},5".format, st.integers(1, 9), st.integers(0, 999)),
    st.builds("{}.{:03d}.{:03d}".format, st.integers(1, 9), st.integers(0, 999), st.integers(0, 999)),
    st.builds("{} %".format, st.integers(0, 99)),
    st.builds("({})".format, st.integers(1, 99)),
    st.integers(0, 5000).map(str),
    st.sampled_from(["TOT", "n/a", "-"]),
]


@settings(max_examples=20)
@given(data=st.data())
def test_parts_that_come_leave_the_numbers_of_stored_ones_as_they_are(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("decimals")
    raw, lake = folder / "raw", folder / "lake"
    styles = st.lists(st.sampled_from(DECIMALS), min_size=1, max_size=2).map(st.one_of)
    columns = [st.one_of(DECIMALS[:2]), data.draw(styles), data.draw(styles)]
    for key in data.draw(st.permutations("1234"))[: data.draw(st.integers(2, 4))]:
        lines = data.draw(st.lists(st.tuples(*columns).map(";".join), min_size=3, max_size=8), label=key)
        write_files(raw, {f"s/k={key}/a.csv": "\n".join(["first;second;third", *lines, ""])})
        run([raw], lake)
    run([], lake, compact=True)
    run([raw], folder / "fresh")
    assert checksums(lake, but=FROZEN) == checksums(folder / "fresh", but=FROZEN)


def test_an_update_with_decimal_commas_keeps_stored_numbers_and_reads_only_new_parts(tmp_path, run_index):
    raw = write_files(tmp_path / "raw", {"s/k=1/a.csv": "word;weight\na;1,234\nb;-2,125\nc;3,75\nd;1.125\n"})
    run_index(raw)
    write_files(raw, {"s/k=2/a.csv": "word;weight\ne;4,5\nf;1.234\ng;1,125\n"})
    assert spied(run_index) == ["s/k=2/a.csv"]
    with mere.open(run_index.lake) as lake:
        weights = [["1.234"], ["-2.125"], ["3.75"], ["1125"], ["4.5"], ["1234"], ["1.125"]]
        assert [bool(lake.overlap(weight, k=1).hits) for weight in weights] == [True] * len(weights)
        column = lake.profile("s").columns[1]
        assert (column.distinct, column.minimum, column.maximum) == (7, "-2.125", "1234")


SKUS = st.lists(st.fixed_dictionaries({"sku": st.sampled_from(["a", "b", "c"])}), max_size=3)
ORDER = st.fixed_dictionaries(
    {"id": st.integers(1, 9), "who": st.fixed_dictionaries({"name": st.sampled_from(["Ann", "Bob"])}), "items": SKUS,
     "tags": st.lists(st.sampled_from(["x", "y"]), max_size=12)}
)  # fmt: skip


def flat_order(order):
    """The row of an order: objects are columns, lists are compact JSON text."""
    lists = {name: json.dumps(order[name], separators=(",", ":")) for name in ("items", "tags")}
    return {"id": str(order["id"]), "who.name": order["who"]["name"], **lists}


@settings(max_examples=15)
@given(data=st.data())
def test_lists_in_parts_stay_text_whatever_one_part_contains(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lists")
    kind, most = data.draw(st.sampled_from([("s/part-{}.jsonl", 3), ("s/part-{}.parquet", 3), ("s/{}.json", 1)]))
    parts = data.draw(st.lists(st.lists(ORDER, min_size=1, max_size=most), min_size=3, max_size=4))
    types = pa.schema(
        {"id": pa.int64(), "who": pa.struct({"name": pa.string()}), "items": pa.list_(pa.struct({"sku": pa.string()})),
         "tags": pa.list_(pa.string())}
    )  # fmt: skip
    for number, part in enumerate(parts):
        path = folder / "raw" / kind.format(f"{number:05}")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            pq.write_table(pa.Table.from_pylist(part, types), path)
        else:
            path.write_text("".join(json.dumps(order) + "\n" for order in part))
    run([folder / "raw"], folder / "lake")
    assert names(folder / "lake") == ["s"]
    with mere.open(folder / "lake") as lake:
        given = [{"file_name": f"{number:05}.json"} if most == 1 else {} for number in range(len(parts))]
        assert lake.rows("s", raw=True).to_pylist() == [
            {**flat_order(order), **file} for file, part in zip(given, parts, strict=True) for order in part
        ]
        [note] = lake.profile("s").issues
        assert (
            note == f"lists stay JSON text, because the table has several files (in {len(parts)} of {len(parts)} parts)"
        )


@pytest.mark.parametrize("large", [0, 1 << 16])
def test_a_json_file_that_turns_out_to_be_no_part_has_tables_of_its_lists(tmp_path, run_index, monkeypatch, large):
    monkeypatch.setattr(stage_parts, "_LARGE_OBJECT", large)  # whether they are opened as files of their own first
    orders = {f"o/{i}.json": json.dumps({"id": i, "who": "Ann", "items": [{"sku": i}]}) for i in range(3)}
    several = json.dumps([{"no": 1, "lines": [{"q": 1}, {"q": 2}]}, {"no": 2, "lines": []}])
    other = json.dumps({"title": "t", "lines": [{"q": 1}, {"q": 2}]})
    run_index(write_files(tmp_path / "raw", {**orders, "o/all.json": several, "o/other.json": other}))
    assert names(run_index.lake) == ["o", "o/all.json", "o/all.json#lines", "o/other.json#lines"]


def test_parts_that_are_nothing_but_a_list_of_records_are_these_records(tmp_path, run_index):
    parts = {f"s/k={k}/a.json": json.dumps({"results": [{"a": i, "l": [i]} for i in range(k)]}) for k in (1, 2)}
    run_index(write_files(tmp_path / "raw", parts))
    with mere.open(run_index.lake) as lake:
        assert names(run_index.lake) == ["s#results"]
        assert lake.rows("s#results", raw=True).to_pydict() == {
            "a": ["0", "0", "1"], "l": ["[0]", "[0]", "[1]"], "k": ["1", "2", "2"],
        }  # fmt: skip


def test_parts_without_a_header_that_are_all_read_again_have_none_still(tmp_path, run_index):
    lines = {"0": ["na,berlin", "x1,bern"], "1": ["y2,rome", "z3,paris"]}
    raw = write_files(tmp_path / "raw", {f"s/part-0000{i}.csv": "\n".join(each) + "\n" for i, each in lines.items()})
    run_index(raw)
    codes = ["at", "ch", "de", "fr", "it", "es", "pt", "se", "no", "dk", "pl", "cz", "hu", "ro"]
    write_files(raw, {"s/part-00002.csv": "".join(f"{code},town {code}\n" for code in codes)})
    assert set(spied(run_index)) == {"s/part-00000.csv", "s/part-00001.csv", "s/part-00002.csv"}
    with mere.open(run_index.lake) as lake:
        assert lake.profile("s").rows == 4 + len(codes) and lake.profile("s").columns[0].nulls == 0
        assert lake.rows("s", raw=True).to_pydict()["column_1"] == ["na", "x1", "y2", "z3", *codes]
