"""Arguments that make no sense are refused, with what was expected, what was given, and the remedy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mere
from mere.cli import run
from mere.errors import UsageError
from mere.pipeline.engine import Inline


@pytest.fixture
def lake(raw: Path, run_index: Any) -> Any:
    run_index(raw)
    with mere.open(run_index.lake) as opened:
        yield opened


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda lake: lake.overlap(["AT"], numbers="no"), "'numbers' must be True or False, got 'no'"),
        (lambda lake: lake.containment(["AT"], exact="false"), "'exact' must be True or False"),
        (lambda lake: lake.overlap("geo/cities.tsv", on=["city", "country"]), "one column is asked for"),
        (lambda lake: lake.batch("overlap", "geo/cities.tsv", Inline()), "expected a list of queries, got str"),
        (lambda lake: lake.ask("overlap", ["AT"], rows=3), "'overlap' has no parameter 'rows'"),
        (lambda lake: lake.ask("none", ["AT"]), "no kind 'none'"),
        (lambda lake: mere.index([], lake.path, settings={"keep_snapshots": 2}), "expected Settings, got settings="),
    ],
)
def test_python_refuses_what_makes_no_sense(lake: Any, ask: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(lake)


def test_one_column_may_be_named_in_a_list(lake: Any) -> None:
    assert lake.overlap("geo/cities.tsv", on=["country"]).to_dicts() == lake.overlap(
        "geo/cities.tsv", on="country"
    ).to_dicts()  # fmt: skip


def test_a_condition_takes_what_is_asked_with_by_position(lake: Any) -> None:
    by_name = lake.where(mere.ask("overlap", values=["AT", "CH"]))
    assert by_name and lake.where(mere.ask("overlap", ["AT", "CH"])).to_dicts()[0]["table"] == by_name[0].table


def test_only_guaranteed_tables_are_exact(lake: Any) -> None:
    hits = lake.where(mere.ask("distribution", like="normal(0, 1)") | mere.words("city"), 0)
    assert {hit.exact for hit in hits} == {True, False}
    assert [hit.exact for hit in hits] == [hit.evidence["label"] == "guaranteed" for hit in hits]


def test_a_key_in_a_condition_keeps_all_its_columns(lake: Any) -> None:
    frame = {"where": ["AT", "CH"], "town": ["Vienna", "Bern"]}
    [hit] = lake.where(mere.ask("composite", frame=frame), 1)
    assert hit.columns == ("country", "city")
    assert lake.join(frame, hit, on=["where", "town"]).num_rows == 2


def test_the_shell_says_what_a_question_asks_with(lake: Any, capsys: Any) -> None:
    assert run(["ask", "overlap", "mode=josie", "--lake", lake.path]) == 2
    assert "'overlap' asks with values, and none is given" in capsys.readouterr().err
    assert run(["profile"]) == 0
    assert "export" in capsys.readouterr().out


def test_a_source_without_files_is_noted(raw: Path, run_index: Any, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    assert f"source '{tmp_path / 'nothing'}' has no files" in run_index(raw, tmp_path / "nothing").notes


def test_frames_of_a_library_that_is_not_installed_are_refused_with_the_remedy(lake: Any) -> None:
    script = (
        "import sys; sys.modules['polars'] = None\n"
        "import mere\n"
        "try:\n    mere.open(sys.argv[1]).keywords('city').to_polars()\n"
        "except mere.LakeError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, lake.path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "polars is not installed; pip install 'mere[polars]'"
