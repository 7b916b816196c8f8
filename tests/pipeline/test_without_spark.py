"""Whoever only asks needs no Spark; whoever indexes without it is told how to install it."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mere
from mere.cli import doctor
from mere.errors import SparkError
from mere.pipeline import session
from tests.conftest import write_files

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]

REFUSE_SPARK = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pyspark", "py4j"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refuse())
"""


def run_without_spark(code, *arguments):
    """Run in a process that has neither pyspark nor py4j; what it printed."""
    command = [sys.executable, "-c", REFUSE_SPARK + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def package_names(requirements):
    return {re.split(r"[\[<>=!~ ]", requirement)[0] for requirement in requirements}


def test_pyspark_is_an_extra_and_part_of_all():
    extras = PROJECT["optional-dependencies"]
    assert "pyspark" not in package_names(PROJECT["dependencies"])
    assert "pyspark" in package_names(extras["spark"]) and re.search(r"\bspark\b", extras["all"][0])


def test_what_the_compiled_kernels_import_is_declared_and_numba_is_bounded():
    assert "llvmlite" in package_names(PROJECT["dependencies"])
    [numba] = [requirement for requirement in PROJECT["dependencies"] if requirement.startswith("numba")]
    assert ">=" in numba and "<" in numba


def test_every_question_is_answered_without_pyspark(raw, run_index):
    run_index(raw)
    code = """
import json, mere
with mere.open(sys.argv[1]) as lake:
    asked = [lake.keywords("countries"), lake.overlap(["AT", "CH"]), lake.containment(["AT", "CH"], 0.5)]
    asked += [lake.composite({"c": ["AT"], "n": ["Austria"]}), lake.where("at least 1% of any column > 0")]
    answers = [[hit.table for hit in hits] for hits in asked]
    answers.append([table.name for table in lake.tables])
    answers.append(lake.rows("geo/cities.tsv").num_rows)
    answers.append(len(lake.quarantine()))
print(json.dumps(answers))
"""
    keywords, overlap, containment, composite, where, tables, rows, quarantined = json.loads(
        run_without_spark(code, run_index.lake)
    )
    assert keywords[0] == composite[0] == "geo/countries.csv"
    assert {"geo/countries.csv", "geo/cities.tsv", "sales/orders.json"} == set(overlap) == set(containment)
    assert "geo/countries.csv" in where and len(tables) == 4 and rows == 3 and quarantined == 2


def test_indexing_and_graphs_and_batches_without_pyspark_say_how_to_install_it(raw, run_index, tmp_path):
    run_index(raw)
    code = """
import json, mere
from mere.cli import run
from mere.errors import SparkError

def remedy(work):
    try:
        work()
    except SparkError as error:
        return error.remedy

with mere.open(sys.argv[2]) as lake:
    remedies = [
        remedy(lambda: mere.index(sys.argv[1], sys.argv[3])),
        remedy(lambda: mere.index(sys.argv[1], sys.argv[3], master="local[2]")),
        remedy(lambda: lake.graph(sys.argv[3] + ".graph")),
        remedy(lambda: lake.batch("keywords", ["countries"], object())),
    ]
code = run(["index", sys.argv[1], "--lake", sys.argv[3]])
print(json.dumps([remedies, code]))
"""
    printed = run_without_spark(code, raw, run_index.lake, tmp_path / "new")
    remedies, exit_code = json.loads(printed.splitlines()[-1])
    assert remedies == ["run pip install 'mere[spark]'"] * 4 and exit_code == 1


def test_an_update_that_has_no_work_for_spark_does_without_pyspark(raw, run_index):
    run_index(raw)
    (raw / "sales/notes.csv").unlink()
    code = "import mere; print(mere.index([], sys.argv[1]).removed)"
    assert run_without_spark(code, run_index.lake) == "1\n"


def test_doctor_says_that_spark_and_java_are_needed_only_to_index(monkeypatch, tmp_path):
    monkeypatch.setattr(session, "find_java", lambda: None)
    monkeypatch.setattr(doctor, "_installed_version", lambda package: None)
    checks = {check["name"]: check for check in doctor.examine(None)["checks"]}
    for name, remedy in [("Spark", "pip install 'mere[spark]'"), ("Java", "pip install 'mere[java]'")]:
        assert not checks[name]["ok"] and checks[name]["optional"]
        assert "asking works without it" in checks[name]["remedy"] and remedy in checks[name]["remedy"]


def test_a_missing_java_is_reported_with_its_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(session, "find_java", lambda: None)
    raw = write_files(tmp_path / "raw", {"a.csv": "k\n1\n"})
    monkeypatch.setattr(session, "_already_running", lambda master: None)
    with pytest.raises(SparkError, match=r"Java 17.*pip install 'mere\[java\]'"):
        mere.index(raw, tmp_path / "lake")
