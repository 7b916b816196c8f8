"""A lake that was closed says so, whatever is asked of it."""

import pytest

import mere
from mere.errors import LakeError
from mere.segments import OpenSnapshot

QUESTIONS = {
    "tables": lambda lake, folder: lake.tables,
    "profile": lambda lake, folder: lake.profile("geo/cities.tsv"),
    "rows": lambda lake, folder: lake.rows("geo/cities.tsv"),
    "keywords": lambda lake, folder: lake.keywords("countries"),
    "overlap": lambda lake, folder: lake.overlap(["AT"]),
    "containment": lambda lake, folder: lake.containment(["AT"], 1.0),
    "composite": lambda lake, folder: lake.composite({"a": ["AT"]}),
    "distribution": lambda lake, folder: lake.distribution("at least 1% of any column > 0"),
    "where": lambda lake, folder: lake.where("at least 1% of any column > 0"),
    "export_profiles": lambda lake, folder: lake.export_profiles(),
    "join": lambda lake, folder: lake.join("geo/cities.tsv", ("geo/countries.csv", "code"), on="country"),
    "graph": lambda lake, folder: lake.graph(folder / "graph"),
    "warm": lambda lake, folder: lake.warm(),
    "quarantine": lambda lake, folder: lake.quarantine(),
    "info": lambda lake, folder: lake.info(),
}


@pytest.fixture
def lake(raw, run_index):
    run_index(raw)
    return run_index.lake


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_closed_lake_answers_no_question_and_says_why(lake, tmp_path, question):
    with mere.open(lake) as closed:
        pass
    with pytest.raises(LakeError, match=r"the lake '.*lake' is closed; open it again") as error:
        QUESTIONS[question](closed, tmp_path)
    assert type(error.value) is LakeError


def test_a_lake_that_was_asked_before_it_was_closed_says_so_too(lake, tmp_path):
    with mere.open(lake) as closed:
        for name in ("keywords", "overlap", "containment", "composite", "distribution", "where", "export_profiles"):
            QUESTIONS[name](closed, tmp_path)
    for name in ("keywords", "overlap", "containment", "composite", "distribution", "where", "export_profiles"):
        with pytest.raises(LakeError, match="is closed"):
            QUESTIONS[name](closed, tmp_path)


def test_a_closed_lake_still_has_its_number_and_a_name(lake):
    with mere.open(lake) as closed:
        assert "4 tables" in repr(closed)
    assert closed.snapshot == 1 and repr(closed) == f"<Lake '{lake}', closed>"
    closed.close()  # a second time is fine


def test_a_segment_of_a_closed_snapshot_maps_no_more_files(lake):
    opened = OpenSnapshot(lake)
    [segment] = opened.segments
    opened.close()
    with pytest.raises(LakeError, match="is closed"):
        segment.names  # noqa: B018 (the access is what is tested)
