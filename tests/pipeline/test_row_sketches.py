"""Every index run leaves sketches of rows: the same however the lake was made, and absent only in older lakes."""

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mere
from mere.bundles.relation import relation_of_stored
from mere.bundles.sample import sample_of
from mere.bundles.schema import Schema
from mere.bundles.stored import stored_sample
from mere.errors import UsageError
from mere.pipeline import Settings, index
from mere.pipeline.compaction import lacks_a_kind
from mere.pipeline.engine import Inline
from mere.segments import SKETCHES, SKETCHES_VERSION, OpenSnapshot
from mere.segments.open_snapshot import verify
from mere.segments.row_sketch import DEFAULT_SIZE
from mere.segments.snapshot import read_snapshot
from mere.values import Type
from tests.conftest import write_files
from tests.pipeline.test_updates import files_read

SMALL = Settings(sketch_size=16)
GOLDEN = Path(__file__).with_name("golden") / "format-1.zip"


def table(rows, start=0):
    return "id,group\n" + "".join(f"{i % 40},g{i % 3}\n" for i in range(start, start + rows))


def sketches(lake):
    """Of each table: its size, its distinct rows, its threshold, the numbers of its rows."""
    found = {}
    for segment in OpenSnapshot(str(lake)).segments:
        arrays = segment.sketches
        for number, name in enumerate(segment.names):
            rows = arrays["rows"][arrays["starts"][number] : arrays["starts"][number + 1]].tolist()
            facts = [int(arrays[array][number]) for array in ("distinct", "threshold")]
            found[name] = (arrays.meta["size"], *facts, rows)
    return found


@pytest.fixture
def many(tmp_path):
    return write_files(tmp_path / "many", {f"t{i}.csv": table(10 * i + 1, i) for i in range(8)})


def test_sketches_do_not_depend_on_segments_updates_or_compaction(many, run_index, tmp_path):
    fresh = tmp_path / "fresh"
    index([many], fresh, engine=Inline(), settings=SMALL)
    expected = sketches(fresh)
    assert {name: (size, distinct, len(rows)) for name, (size, distinct, _, rows) in expected.items()} == {
        f"t{i}.csv": (16, 10 * i + 1, 16 if 10 * i + 1 > 16 else 0) for i in range(8)
    }
    later = {path: path.read_bytes() for path in sorted(many.iterdir())[4:]}
    for path in later:
        path.unlink()
    run_index(many, settings=SMALL.replace(segment_bytes=1))
    for path, content in later.items():
        path.write_bytes(content)
        run_index(many)
    assert len(OpenSnapshot(run_index.lake).segments) > 1 and sketches(run_index.lake) == expected
    run_index(settings=SMALL, compact=True)
    assert len(OpenSnapshot(run_index.lake).segments) == 1 and sketches(run_index.lake) == expected


@pytest.mark.spark
def test_spark_makes_the_sketches_of_one_process_from_a_file_that_is_cut(tmp_path, spark):
    raw = write_files(tmp_path / "raw", {"large.csv": table(3000)})
    index([raw], tmp_path / "here", engine=Inline(), settings=SMALL)
    index([raw], tmp_path / "there", spark=spark, settings=SMALL.replace(split_bytes=4096))
    assert sketches(tmp_path / "here") == sketches(tmp_path / "there")
    assert sketches(tmp_path / "here")["large.csv"][1] == 120, "lcm(40, 3) distinct rows"


def test_a_stored_sample_is_read_from_the_lake(many, run_index):
    run_index(many, settings=SMALL)
    [segment] = OpenSnapshot(run_index.lake).segments
    schema = Schema(("group", "id"), (Type.TEXT, Type.INTEGER))
    for number in range(8):
        expected = sample_of(relation_of_stored(segment, number, schema), 10)
        stored = stored_sample(segment, number, schema, 10)
        assert np.array_equal(stored.hashes, expected.hashes)
        assert (stored.threshold, stored.distinct) == (expected.threshold, expected.distinct)
        assert stored_sample(segment, number, Schema(("id",), (Type.INTEGER,)), 10) is None, "'group' is not compared"


def test_a_lake_without_sketches_answers_and_gets_them_from_the_next_run(tmp_path, monkeypatch):
    lake = tmp_path / "golden"
    with zipfile.ZipFile(GOLDEN) as archive:
        archive.extractall(lake)
    with mere.open(lake) as opened:
        assert [segment.sketches for segment in opened._opened.segments] == [None, None]
        assert [hit.table for hit in opened.overlap(["Vienna"])] == ["geo/cities.csv"]
    read = files_read(monkeypatch)
    index([], lake, engine=Inline())
    assert not read and sketches(lake)["people.csv"][0] == DEFAULT_SIZE


def test_a_segment_whose_sketches_are_missing_or_older_is_due(many, run_index):
    run_index(many)
    [entry] = read_snapshot(run_index.lake, 1).segments
    others = {name: file for name, file in entry.files.items() if name != SKETCHES}
    older = replace(entry.files[SKETCHES], version=SKETCHES_VERSION - 1)
    assert not lacks_a_kind(entry)
    assert lacks_a_kind(replace(entry, files=others))
    assert lacks_a_kind(replace(entry, files={**others, SKETCHES: older}))


def test_a_table_known_by_its_profile_has_no_sketch(many, run_index, tmp_path):
    run_index(many, settings=SMALL)
    (tmp_path / "public").mkdir()
    with mere.open(run_index.lake) as owner:
        owner.export_profiles(path=tmp_path / "public" / "p.json")
    index([tmp_path / "public"], tmp_path / "finder", engine=Inline(), settings=SMALL)
    [segment] = OpenSnapshot(str(tmp_path / "finder")).segments
    assert segment.profile_only.all()
    schema = Schema(("id", "group"), (Type.INTEGER, Type.TEXT))
    for number, (_, distinct, threshold, rows) in enumerate(sketches(tmp_path / "finder").values()):
        assert (distinct, threshold, rows) == (0, 2**64 - 1, [])
        assert stored_sample(segment, number, schema, 16) is None


def test_another_size_makes_other_sketches(many, run_index):
    run_index(many, settings=SMALL)
    report = run_index(settings=Settings(sketch_size=20))
    assert "settings changed" in report.notes[0]
    assert {size for size, *_ in sketches(run_index.lake).values()} == {20}
    with pytest.raises(UsageError, match="at least 16"):
        Settings(sketch_size=15)


def test_a_flipped_byte_of_the_sketches_is_reported(many, run_index):
    run_index(many)
    [path] = Path(run_index.lake).glob(f"segments/*/{SKETCHES}")
    content = bytearray(path.read_bytes())
    content[70] ^= 1
    path.write_bytes(content)
    assert [name for name, fault in verify(run_index.lake) if fault] == [str(path)]
