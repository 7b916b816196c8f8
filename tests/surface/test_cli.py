"""The commands: they print text or one JSON document, and an error is a message and an exit code."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mere.cli import run
from mere.indexes import KINDS
from mere.pipeline import index
from mere.pipeline.engine import Inline
from mere.segments.snapshot import kept_numbers
from tests.conftest import write_files
from tests.processes import child


@pytest.fixture
def lake(raw, tmp_path):
    index([raw], tmp_path / "lake", engine=Inline())
    return str(tmp_path / "lake")


def document(capsys):
    """The one JSON document on stdout."""
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


COMMANDS = ["index", "info", "tables", "show", "search", "where", "transform", "assemble", "demo", "doctor"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(command, capsys):
    assert run([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Example:" in out and f"mere {command}" in out and "--json" in out


def test_no_arguments_show_the_commands(capsys):
    assert run([]) == 0
    out = capsys.readouterr().out
    assert [command for command in COMMANDS if command not in out] == []


def test_search_prints_one_document(lake, capsys):
    assert run(["search", "countries", "--lake", lake, "--json"]) == 0
    answer = document(capsys)
    assert answer["kind"] == "keywords" and answer["snapshot"] == 1
    assert answer["searched"] == {"tables": 4, "columns": 10, "segments": 1}
    assert answer["hits"][0]["table"] == "geo/countries.csv" and answer["hits"][0]["exact"] is True
    assert set(answer["hits"][0]) == {"table", "columns", "score", "exact", "evidence"}


def test_an_answer_without_hits_is_no_error_and_says_what_was_searched(lake, capsys):
    assert run(["search", "xylophone", "--lake", lake]) == 0
    assert "0 hits" in (out := capsys.readouterr().out) and "4 tables" in out


def test_per_column_gives_a_row_for_each_column(lake, capsys):
    assert run(["search", "column:country", "--per", "column", "--lake", lake, "--json"]) == 0
    assert {(h["table"], *h["columns"]) for h in document(capsys)["hits"]} == {
        ("geo/cities.tsv", "country"), ("sales/orders.json", "country"),
    }  # fmt: skip


def test_tables_and_show_print_tables_and_rows(lake, capsys):
    assert run(["tables", "geo/*", "--lake", lake, "--json"]) == 0
    assert [t["name"] for t in document(capsys)["tables"]] == ["geo/cities.tsv", "geo/countries.csv"]
    assert run(["show", "countries.csv", "--lake", lake, "--rows", "2", "--json"]) == 0
    shown = document(capsys)
    assert shown["rows"] == 4 and shown["raw"][1] == {
        "code": "NA",
        "name": "Namibia",
        "population": "2600000",
    }
    population = shown["columns"][2]
    assert (population["type"], population["minimum"], population["maximum"]) == (
        "integer",
        "2600000",
        "83000000",
    )
    assert sum(population["histogram"]["counts"]) == 4
    assert run(["show", "countries.csv", "--lake", lake, "--rows", "2"]) == 0
    out = capsys.readouterr().out
    assert "█" in out and "Countries and cities of the atlas" in out and "Namibia" in out


def test_info_shows_snapshots_and_quarantine(lake, capsys):
    assert run(["info", "--lake", lake, "--json"]) == 0
    info = document(capsys)
    assert info["snapshots"][0]["tables"] == 4 and len(info["quarantined"]) == 2
    assert run(["info", "--lake", lake]) == 0
    assert "broken/picture.csv" in capsys.readouterr().out


def test_index_hands_on_how_a_source_is_read(tmp_path, monkeypatch, capsys):
    given = []

    def index_in_this_process(sources, lake, **options):
        given.append({name: options[name] for name in ("include", "exclude", "decimal")})
        return index(sources, lake, engine=Inline(), **{**options, "master": None})

    raw = write_files(tmp_path / "raw", dict.fromkeys(["s/a.csv", "s/b.txt", "c.csv"], "k,v\n1,x\n"))
    monkeypatch.setattr("mere.lake.index", index_in_this_process)
    lake = str(tmp_path / "lake")
    flags = ["--include", "s", "--include", "c.csv", "--exclude", "*.txt", "--decimal", "comma"]
    assert run(["index", str(raw), "--lake", lake, *flags]) == 0
    assert run(["index", "--lake", lake]) == 0
    assert run(["index", "--lake", lake, "--exclude", "", "--decimal", "infer"]) == 0
    assert given == [
        {"include": ("s", "c.csv"), "exclude": ("*.txt",), "decimal": "comma"},
        {"include": None, "exclude": None, "decimal": None},
        {"include": None, "exclude": ("",), "decimal": "infer"},
    ]
    capsys.readouterr()
    assert run(["info", "--lake", lake]) == 0
    assert f"source {raw} (--include 's', --include 'c.csv')" in " ".join(capsys.readouterr().out.split())
    assert run(["tables", "--lake", lake, "--json"]) == 0
    assert [table["name"] for table in document(capsys)["tables"]] == ["c.csv", "s/a.csv", "s/b.txt"]


def test_rows_and_the_profile_of_a_folder_that_is_one_table_are_shown(tmp_path, capsys):
    raw = write_files(tmp_path / "raw", {f"s/year={year}/a.csv": f"k,v\n{year},x\n" for year in (2020, 2021)})
    index([raw], tmp_path / "lake", engine=Inline())
    assert run(["show", "s", "--rows", "5", "--lake", str(tmp_path / "lake")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"from {raw} (hive, 2 parts)" in out and "2021" in out


def test_an_older_snapshot_can_be_asked(lake, raw, capsys):
    (raw / "geo/cities.tsv").unlink()
    index([], lake, engine=Inline())
    for as_of, count in [([], 3), (["--as-of", "1"], 4)]:
        assert run(["tables", "--lake", lake, "--json", *as_of]) == 0
        assert len(document(capsys)["tables"]) == count
    assert run(["tables", "--lake", lake, "--json", "--as-of", "7"]) == 1
    assert document(capsys)["error"]["type"] == "NoSuchSnapshot"


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "word"),
    [
        (["show", "nowhere.csv"], 2, "NoSuchTable", "nowhere.csv"),
        (["show", "countrys.csv"], 2, "NoSuchTable", "geo/countries.csv"),
        (["search", 'an "open quote'], 2, "QueryError", "quote"),
        (["search", "colour:red"], 2, "QueryError", "column"),
        (["search", "x", "--k", "-1"], 2, "UsageError", "-1"),
        (["search", "x", "--per", "cell"], 2, "UsageError", "cell"),
        (["search"], 2, "UsageError", "WORDS"),
        (["index", "/no/such/folder"], 2, "UsageError", "/no/such/folder"),
        (["index", "--limit", "columns=many"], 2, "UsageError", "columns=many"),
        (["index", "--limit", "colums=5"], 2, "UsageError", "colums"),
        (["index", "--set", "histogram=x"], 2, "UsageError", "no setting is called 'histogram'"),
        (["index", "--set", "fainder_clusters=many"], 2, "UsageError", "many"),
        (["index", "--set", "fainder_transform=log"], 2, "UsageError", "log"),
        (["index", "--set", "keep_snapshots=-1"], 2, "UsageError", "keep_snapshots"),
        (["index", "--set", "split_bytes=0"], 2, "UsageError", "split_bytes"),
        (["index", "--set", "histogram_bins=equal-depth-²"], 2, "UsageError", "equal-depth-²"),
        (["frobnicate"], 2, "UsageError", "frobnicate"),
    ],
)
def test_an_error_has_the_wrong_value(arguments, code, kind, word, lake, capsys):
    options = [] if arguments == ["frobnicate"] else ["--lake", lake]
    assert run([*arguments, *options, "--json"]) == code
    error = document(capsys)["error"]
    assert error["type"] == kind
    assert word in error["message"] + error["remedy"]
    assert run([*arguments, *options]) == code
    assert capsys.readouterr().err.startswith("mere: ")


def test_no_lake_is_a_clear_error(tmp_path, capsys):
    assert run(["search", "x", "--lake", str(tmp_path / "none"), "--json"]) == 1
    error = document(capsys)["error"]
    assert error["type"] == "NotALake" and "mere index" in error["remedy"]


def test_doctor_names_a_damaged_file_and_exits_with_4(lake, capsys):
    assert run(["doctor", "--lake", lake, "--json"]) == 0
    examined = document(capsys)
    assert {entry["ok"] for entry in examined["lake"]["files"]} == {True}
    names = {os.path.basename(entry["path"]) for entry in examined["lake"]["files"]}
    assert names >= {"00000001.json", "catalog.idx", "values.idx", "rows.idx", *(f"{kind}.idx" for kind in KINDS)}
    victim = next(entry["path"] for entry in examined["lake"]["files"] if entry["path"].endswith("rows.idx"))
    with open(victim, "r+b") as file:
        file.seek(70)
        file.write(b"\xff")
    assert run(["doctor", "--lake", lake]) == 4
    assert victim in capsys.readouterr().out
    assert run(["search", "countries", "--lake", lake]) == 0, "undamaged kinds still answer"


def test_a_corrupt_index_exits_with_4(lake, capsys):
    path = Path(lake, "snapshots", "00000001.json")
    path.write_bytes(path.read_bytes().replace(b'"tables": 4', b'"tables": 5'))
    assert run(["tables", "--lake", lake, "--json"]) == 4
    assert "00000001.json" in document(capsys)["error"]["message"]


def test_cells_cannot_control_the_terminal(tmp_path, capsys):
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "evil.csv").write_text("\x1b[31mred,[bold]x[/bold]\n\x1b]0;owned\x07,=cmd()\nb,c\n")
    index([folder], tmp_path / "lake", engine=Inline())
    assert run(["show", "evil.csv", "--rows", "2", "--lake", str(tmp_path / "lake")]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out
    assert "\\u001b[31mred" in out and "[bold]x[/bold]" in out


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_closed_pipe_is_no_error(lake, options):
    program = f"{sys.executable} -c 'from mere.cli import main; main()'"
    shell = f"set -o pipefail; {program} tables --lake {lake} {' '.join(options)} | true"
    assert subprocess.run(["bash", "-c", shell], capture_output=True).returncode == 0


def test_asking_imports_neither_spark_nor_pandas(lake):
    code = (
        "import sys; from mere.cli import run; run(['search', 'countries', '--lake', sys.argv[1]]);"
        "print([m for m in ('pyspark', 'pandas', 'numba', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, lake], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


@pytest.mark.spark
def test_an_index_run_from_the_shell_reports_quarantine_with_3_and_ctrl_c_with_130(raw, tmp_path):
    command = [
        sys.executable,
        "-c",
        "from mere.cli import main; main()",
        "index",
        str(raw),
        "--lake",
        str(tmp_path / "lake"),
    ]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    report = json.loads(done.stdout)
    assert report["tables"] == 4 and len(report["quarantined"]) == 2
    assert {"snapshot", "tables", "columns", "rows", "bytes", "added", "changed", "removed", "unchanged", "quarantined",
            "seconds"} <= set(report)  # fmt: skip
    (raw / "geo/more.csv").write_text("a,b\n1,2\n")  # work for Spark
    with child(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as interrupted:
        first_line = interrupted.stderr.readline()  # printed when the scan ends, and Spark is about to start
        interrupted.send_signal(signal.SIGINT)
        err = interrupted.stderr.read()
    assert first_line.startswith("scan"), first_line
    assert interrupted.returncode == 130 and "interrupted" in err, err
    assert run(["tables", "--lake", str(tmp_path / "lake")]) == 0
    assert kept_numbers(str(tmp_path / "lake")) == [1], "the lake is as it was"
