"""What the documents name exists: packages, files, links, commands, flags, fields of JSON documents."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from mere.cli import run
from mere.cli.app import app
from mere.indexes import KINDS
from tests.docs.conftest import Demo
from tests.docs.documents import DOCUMENTS, ROOT, blocks, code_names, commands, tables, text_of

PACKAGE = ROOT / "src" / "mere"
ARCHITECTURE = text_of("ARCHITECTURE.md")
PROJECT = tomllib.loads(text_of("pyproject.toml"))["tool"]
every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def packages_named() -> list[str]:
    [rows] = [table[1:] for table in tables(ARCHITECTURE) if table[0][0] == "package"]
    return [cells[0].strip("`") for cells in rows]


def test_the_map_names_every_package() -> None:
    modules = {path.stem for path in PACKAGE.glob("*.py")} | {
        path.parent.name for path in PACKAGE.glob("*/__init__.py")
    }
    assert sorted(packages_named()) == sorted(modules - {"__init__"})


def test_the_map_has_the_order_of_the_imports() -> None:
    [layers] = [
        contract["layers"]
        for contract in PROJECT["importlinter"]["contracts"]
        if contract.get("containers") == ["mere"]
    ]
    assert packages_named() == layers[::-1]


def test_the_map_names_every_kind() -> None:
    [row] = [cells for table in tables(ARCHITECTURE) for cells in table if cells[0] == "`indexes`"]
    folders = {path.parent.name for path in PACKAGE.glob("indexes/*/__init__.py")}
    assert set(code_names(row[1])) & folders == folders == {*KINDS, "sets"}


@every_document
def test_outputs_are_shown_only_where_they_are_compared(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    consoles = [block for block in blocks(text) if block.language == "console"]
    assert document.name == "README.md" or not any(command.shown for block in consoles for command in commands(block))
    compared = [Path(path).name for path in PROJECT["pytest"]["ini_options"]["testpaths"]]
    assert document.name in compared or ">>> " not in text


@every_document
def test_files_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|benchmarks|\w+)/[\w/]+\.(?:py|md))`", text)
    missing = [path for path in named if not any((base / path).exists() for base in (ROOT, PACKAGE))]
    assert missing == []


@every_document
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (document.parent / target).exists()] == []


def test_every_document_can_be_reached_from_the_readme() -> None:
    assert [path.name for path in DOCUMENTS if path.name not in text_of("README.md") and path.name != "README.md"] == []


@every_document
def test_commands_and_flags_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    lines = [line.removeprefix("$ ") for block in blocks(text) for line in block.lines]
    named = [*re.findall(r"`(mere [a-z][^`]*)`", text), *(line for line in lines if re.match(r"mere [a-z]", line))]
    for line in named:
        command = command_of(line)
        flags = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        used = re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", line.split(" #")[0])
        assert set(used) <= flags | {"--help"}, line


def command_of(line: str) -> click.Command:
    """The command that a line calls."""
    command: click.Command = app
    context = click.Context(app)
    for word in line.split()[1:]:
        if not isinstance(command, click.Group):
            break
        assert word in command.list_commands(context), line
        command = command.get_command(context, word)  # type: ignore[assignment]
    return command


def test_documents_with_examples_are_run() -> None:
    with_examples = {str(path.relative_to(ROOT)) for path in DOCUMENTS if "\n>>> " in path.read_text(encoding="utf-8")}
    options = PROJECT["pytest"]["ini_options"]
    collected = {path for path in options["testpaths"] if path.endswith(".md")}
    assert with_examples == collected
    assert all(f"--doctest-glob={Path(path).name}" in options["addopts"] for path in collected)


@every_document
def test_extras_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    groups = re.findall(r"(?:mere|\.)\[([\w,]+)\]'|extra `(\w+)`", text)
    named = {extra for group in groups for names in group for extra in names.split(",") if extra}
    assert named <= set(tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"])


def test_every_benchmark_is_part_of_make_bench() -> None:
    others = {"measuring.py", "labelled_tables.py", "join_quality.py", "join_ranking.py"}
    others |= {"mutations.py", "assemble_workloads.py", "assemble_baselines.py", "assemble_answers.py"}
    others |= {f"reading_{part}.py" for part in ("faults", "files", "shapes", "tables", "tools", "words")}
    programs = {path.name for path in (ROOT / "benchmarks").glob("*.py")} - others
    assert set(re.findall(r"benchmarks/(\w+\.py)", text_of("Makefile"))) == programs


JOIN = ["join", "my_markets.csv", "--on", "code", "--k", "1"]
DOCUMENTED = {  # the first cell of the table in docs/json.md: a command that prints this document
    "`mere join --with`": ["join", "my_markets.csv", "--on", "code", "--with", "country_codes.csv"],
    "`mere transform`": ["transform", "my_staff.csv", "my_badges.csv"],
    "`mere paths`": ["paths", "my_markets.csv", "country_codes.csv"],
    "`mere assemble`": ["assemble", "my_houses.csv", "--budget", "110", "--prices", "my_prices.csv"],
    "`mere tables`": ["tables"],
    "`mere show`": ["show", "country_codes.csv"],
    "`mere info`": ["info"],
    "`mere profile export -o FILE`": ["profile", "export", "country_codes.csv", "-o", "profile.json"],
    "`mere doctor`": ["doctor", "--lake", "lake"],
}


def documented_fields(cell: str) -> set[str]:
    """The fields of a document, without those of what is inside them, and without those of other options."""
    always = re.sub(r"\([^)]*\)", "", re.split(r"; |, and `lake`", cell)[0])
    return set(code_names(always)) - {"--lake"} | ({"lake"} if "and `lake`" in cell else set())


def json_table() -> dict[str, str]:
    [rows] = [table[1:] for table in tables(text_of("docs/json.md")) if table[0] == ["command", "document"]]
    return dict(rows)


def document_of(arguments: list[str], capsys: Any) -> dict[str, Any]:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("command", DOCUMENTED)
def test_json_documents_have_the_fields_that_are_listed(command: str, in_the_demo: Demo, capsys: Any) -> None:
    assert set(document_of(DOCUMENTED[command], capsys)) == documented_fields(json_table()[command])


def test_answers_and_hits_have_the_fields_that_are_listed(in_the_demo: Demo, capsys: Any) -> None:
    answer = document_of(JOIN, capsys)
    assert {*answer, "notes"} == documented_fields(next(iter(json_table().values())))
    assert set(answer["hits"][0]) == documented_fields(json_table()["a hit"])


def test_programs_have_the_fields_that_are_listed(in_the_demo: Demo, capsys: Any) -> None:
    learnt = document_of(DOCUMENTED["`mere transform`"], capsys)
    assert set(learnt["programs"][0]) == documented_fields(json_table()["a program of it"])


def test_paths_and_their_steps_have_the_fields_that_are_listed(in_the_demo: Demo, capsys: Any) -> None:
    path = document_of(DOCUMENTED["`mere paths`"], capsys)["paths"][0]
    assert set(path) == documented_fields(json_table()["a path of it"])
    assert set(path["steps"][0]) == documented_fields(json_table()["a step of it"])


def test_tables_of_a_bundle_have_the_fields_that_are_listed(in_the_demo: Demo, capsys: Any) -> None:
    bundle = document_of(DOCUMENTED["`mere assemble`"], capsys)
    for name in ("chosen", "rejected"):
        assert set(bundle[name][0]) == documented_fields(json_table()[f"a {name} table of it"])
    assert set(bundle["curve"][0]) == {"cost", "distinct", "tables"}


def test_columns_of_a_table_have_the_fields_that_are_listed(in_the_demo: Demo, capsys: Any) -> None:
    shown = document_of(["show", "country_codes.csv"], capsys)
    assert set(shown["columns"][0]) == documented_fields(json_table()["a column of it"])


QUESTIONS = {
    "keywords": ["search", "hospital"],
    "overlap": [*JOIN, "--by", "overlap"],
    "containment": [*JOIN, "--threshold", "0.5", "--approximate", "--no-verify"],
    "composite": ["join", "my_markets.csv", "--on", "country,year", "--by", "composite", "--k", "1"],
    "distribution": ["ask", "distribution", "at least 30% of age < 40"],
    "similar": ["join", "my_suppliers.csv", "--on", "supplier", "--by", "similar"],
    "transform": ["join", "my_codes.csv", "--on", "code", "--by", "transform", "--seconds", "600"],
    "where": ["where", "at least 30% of age < 40"],
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_every_field_of_the_evidence_is_documented(kind: str, in_the_demo: Demo, capsys: Any) -> None:
    text = text_of("docs/json.md")
    documented = {name for cells in rows_of(text, kind) for name in code_names(cells[1])}
    documented |= {cells[0].strip("`") for table in tables(text) for cells in table[1:] if table[0][0] == "field"}
    if kind in ("containment", "composite", "similar", "transform"):
        documented |= {name for cells in rows_of(text, "overlap") for name in code_names(cells[1])}
    codes = [row.split(",")[0] for row in Path("my_markets.csv").read_text().splitlines()[1:]]
    Path("my_codes.csv").write_text("\n".join(["code", *(f"market {code} (2024)" for code in sorted(set(codes)))]))
    hits = document_of(QUESTIONS[kind], capsys)["hits"]
    assert hits
    for hit in hits:
        assert set(hit["evidence"]) <= documented


def rows_of(text: str, kind: str) -> list[list[str]]:
    return [cells for table in tables(text) for cells in table[1:] if kind in code_names(cells[0])]
