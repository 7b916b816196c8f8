"""A kind that is newer than a lake is added without reading a raw file; what it learnt stays the same."""

import numpy as np
import pytest

import mere
from mere.answers import Hit
from mere.errors import LakeError
from mere.indexes import KINDS
from mere.indexes.kind import open_part
from mere.segments import OpenSnapshot
from tests.conftest import write_files
from tests.pipeline.test_updates import files_read


class Wide:
    """Which tables have at least so many columns?  Learns the average width, to prove that training happens once."""

    name = "wide"
    version = 1
    trainings = 0

    def train(self, sample, settings):
        Wide.trainings += 1
        return {"average": np.array([np.mean([len(table.columns) for table in sample])])}

    def build(self, segment, trained, settings):
        return {"widths": np.diff(segment.first_column), "average": np.asarray(trained["average"])}

    def plan(self, query, parts):
        return query

    def search(self, part, probe, bound):
        for table in np.flatnonzero(part.live & (part.arrays["widths"] >= probe["columns"])):
            yield Hit(part.segment.names[table], (), float(part.arrays["widths"][table]))

    def explain(self, part, probe, hits):
        return hits


def averages(lake):
    opened = OpenSnapshot(lake)
    parts = [open_part(Wide(), segment, live) for segment, live in zip(opened.segments, opened.live, strict=True)]
    return {float(part.arrays["average"][0]) for part in parts}


def test_a_new_kind_is_built_from_stored_tables_and_trained_once(raw, run_index, monkeypatch):
    run_index(raw)
    monkeypatch.setitem(KINDS, "wide", Wide())
    with mere.open(run_index.lake) as lake, pytest.raises(LakeError, match="older than its 'wide' index"):
        lake._asker.ask("wide", {"columns": 3})
    seen = files_read(monkeypatch)
    report = run_index()
    assert report.snapshot == 2 and seen == [], "no raw file was read"
    with mere.open(run_index.lake) as lake:
        wide = lake._asker.ask("wide", {"columns": 3})
        assert [hit.table for hit in wide] == ["geo/countries.csv", "sales/orders.json"]
    [average] = averages(run_index.lake)
    write_files(raw, {"very.csv": ",".join(f"c{i}" for i in range(50)) + "\n" + ",".join("1" * 50) + "\n"})
    run_index()
    assert averages(run_index.lake) == {average}, "frozen, though the lake changed"
    assert Wide.trainings == 1
    monkeypatch.setattr(Wide, "version", 2)
    assert run_index().snapshot == 4, "a new version of a kind is built anew, too"
    assert run_index().snapshot == 4 and Wide.trainings == 2
    with mere.open(run_index.lake) as lake:
        assert lake._asker.ask("wide", {"columns": 3})[0].table == "very.csv"
