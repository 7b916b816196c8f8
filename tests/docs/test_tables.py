"""The tables of the documents say what the code declares: settings, limits, kinds, fields, commands, methods."""

from __future__ import annotations

import inspect
import re
from dataclasses import asdict
from typing import Any

import pytest

import mere
from mere.answers import Field
from mere.bundles.outcome import METHODS, REASONS
from mere.cli.app import COMMANDS
from mere.errors import MereError
from mere.indexes import KINDS
from mere.indexes.similar.embedders import NAMES, Distances, glove, own, wordllama
from mere.indexes.similar.state import SPELLING
from mere.pipeline.settings import declared_settings
from mere.readers import Limits
from mere.search.asking.conditions import FIELDS
from mere.values.nulls import FLAGS, SPELLINGS
from mere.values.units import CURRENCIES
from tests.docs.documents import code_names, sections, tables, text_of

MODES, JSON, PYTHON = text_of("docs/modes.md"), text_of("docs/json.md"), text_of("docs/python.md")
SETTINGS, ASSEMBLE = text_of("docs/settings.md"), text_of("docs/assemble.md")
READING = text_of("docs/reading.md")


def rows_below(text: str, *header: str) -> list[list[str]]:
    """The rows of the one table with this header."""
    [rows] = [table[1:] for table in tables(text) if table[0] == list(header)]
    assert rows
    return rows


def test_every_setting_is_documented() -> None:
    documented = {
        cells[0].strip("`"): (cells[1].strip("`"), cells[2], cells[3].strip("`"), cells[4])
        for cells in rows_below(SETTINGS, "setting", "default", "shapes the index", "flag", "meaning")
    }
    assert documented == {
        name: (str(setting.default), "yes" if setting.shapes_index else "no", setting.flag, setting.meaning)
        for name, setting in declared_settings().items()
    }


def test_every_limit_is_documented() -> None:
    rows = rows_below(SETTINGS, "limit", "default", "meaning")
    documented = {cells[0].strip("`"): int(cells[1].strip("`")) for cells in rows}
    assert documented == asdict(Limits())
    assert all(meaning for _, _, meaning in rows)


def test_every_kind_is_documented() -> None:
    rows = rows_below(MODES, "kind", "question", "answer", "method", "command")
    assert [cells[0].strip("`") for cells in rows] == list(KINDS)
    assert set(KINDS) <= set(sections(MODES))
    for _, _, _, method, _ in rows:
        assert hasattr(mere.Lake, method.strip("`").removeprefix("Lake."))


def test_every_parameter_is_documented() -> None:
    rows = rows_below(MODES, "kind", "parameter", "default", "choices")
    documented = [
        (cells[0].strip("`"), cells[1].strip("`"), cells[2].strip("`"), code_names(cells[3])) for cells in rows
    ]
    assert documented == [
        (kind.name, parameter.name, "" if parameter.default is None else str(parameter.default), [*parameter.choices])
        for kind in KINDS.values()
        for parameter in kind.parameters
    ]


def test_the_words_for_missing_values_are_listed() -> None:
    listed = {name for cells in rows_below(READING, "words", "") for name in code_names(cells[0])}
    patterns = {f": {flag}" for flag in FLAGS} | {
        word for word in SPELLINGS if any(unit in word for unit in CURRENCIES)
    }
    examples = {": c", "$ -", "- eur"}
    assert {name.casefold() for name in listed} == (SPELLINGS - patterns) | examples


MODES_OF = {kind.name: p.choices for kind in KINDS.values() for p in kind.parameters if p.name == "mode"}


@pytest.mark.parametrize("kind", MODES_OF)
def test_every_mode_is_explained(kind: str) -> None:
    rows = rows_below(sections(MODES)[kind], "mode", "algorithm")
    assert [name for cells in rows for name in code_names(cells[0])] == list(MODES_OF[kind])


def test_every_embedder_is_documented_with_its_distances() -> None:
    listed = rows_below(MODES, "embedder", "`strict`", "`normal`", "`loose`", "two values are close if")
    documented = {cells[0].strip("`"): Distances(*map(float, cells[1:4])) for cells in listed}
    models = {"wordllama": wordllama.DISTANCES, "glove": glove.DISTANCES}
    assert documented == {SPELLING.name: SPELLING.distances, **models, "your own": own.UNCALIBRATED}
    choices = rows_below(SETTINGS, "`similar_embedder`", "what it is", "what it needs")
    assert [cells[0].strip("`") for cells in choices] == [SPELLING.name, *NAMES, "module:function"]


def test_the_shared_evidence_of_joins_is_documented() -> None:
    rows = rows_below(JSON, "field", "meaning")
    names = {cells[0].strip("`") for cells in rows}
    for kind in KINDS.values():
        if kind.joins:
            assert {field.keys[0] for field in kind.fields[:7]} <= names
    assert names == {"shared", "share", "mapping", "fan_out", "matched", "unmatched", "on"}


def test_every_column_of_frames_is_documented() -> None:
    rows = rows_below(JSON, "kind", "column", "type", "meaning")
    documented: dict[str, list[list[str]]] = {}
    for kind, column, kind_of_value, meaning in rows:
        documented.setdefault(kind.strip("`"), []).append([column.strip("`"), kind_of_value.strip("`"), meaning])
    overlap = documented["overlap"]
    documented["containment"][:1] = overlap
    documented["composite"][:1] = overlap[:7]
    documented["similar"][:1] = overlap[:7]
    documented["transform"][:1] = overlap[:7]
    assert documented == {
        **{name: [_described(field) for field in kind.fields] for name, kind in KINDS.items()},
        "where": [_described(field) for field in FIELDS],
    }


def _described(field: Field) -> list[str]:
    return [field.name, field.type, field.meaning]


def test_every_score_is_documented() -> None:
    assert [cells[0].strip("`") for cells in rows_below(JSON, "kind", "score")] == [*KINDS, "where"]


def test_every_command_is_documented() -> None:
    rows = rows_below(sections(text_of("docs/operations.md"))["Commands"], "command", "what it does")
    assert {cells[0].strip("`").removeprefix("mere "): cells[1] for cells in rows} == {
        name: meaning for name, (_, meaning) in COMMANDS.items()
    }


def test_every_exit_code_is_documented() -> None:
    documented = {int(cells[0]) for cells in rows_below(JSON, "code", "meaning")}
    raised = {error.exit_code for error in [MereError, *_below(MereError)]}
    assert documented == {0, 3, 130} | raised


def _below(error: type[MereError]) -> list[type[MereError]]:
    return [deeper for child in error.__subclasses__() for deeper in (child, *_below(child))]


def public_members() -> dict[str, Any]:
    return {name: member for name, member in vars(mere.Lake).items() if not name.startswith("_")} | {"path": None}


def test_every_public_member_of_a_lake_is_documented() -> None:
    cells = [cell for table in tables(PYTHON) if "`Lake`" in table[0][0] for cell, *_ in table[1:]]
    documented = {re.match(r"\w+", name)[0] for cell in cells for name in code_names(cell)}  # type: ignore[index]
    assert documented == set(public_members())


def test_documented_signatures_are_those_of_the_methods() -> None:
    members = public_members()
    signatures = [found for found in re.findall(r"`(\w+)\(([^`]*)\)`", PYTHON) if found[0] in members]
    assert len(signatures) >= 15
    for name, arguments in signatures:
        written = [argument.split("=")[0].strip(" *") for argument in arguments.split(",")]
        parameters = list(inspect.signature(members[name]).parameters)[1:]
        assert [argument for argument in written if argument] == parameters, name


def test_every_public_name_is_documented() -> None:
    [functions] = [table for table in tables(PYTHON) if table[0][0] == "function"]
    named = " ".join(cells[0] for cells in functions[1:])
    assert all(name in named for name in mere.__all__ if name != "Lake")


def test_every_public_member_of_a_bundle_is_documented() -> None:
    rows = rows_below(ASSEMBLE, "member of `Bundle`", "what it gives")
    documented = {re.match(r"\w+", name)[0] for cells in rows for name in code_names(cells[0])}  # type: ignore[index]
    bundle = mere.assemble({"a": [1]}, {"b": {"a": [2]}}, method="exact")
    assert documented == {name for name in dir(bundle) if not name.startswith("_")}


def test_every_argument_of_assemble_is_documented() -> None:
    rows = rows_below(ASSEMBLE, "argument of `assemble`", "default", "meaning")
    documented = [(name, cells[1].strip("`")) for cells in rows for name in code_names(cells[0])]
    parameters = inspect.signature(mere.assemble).parameters.values()
    assert documented == [
        (p.name, "" if p.default in (inspect.Parameter.empty, None) else str(p.default)) for p in parameters
    ]
    of_the_lake = list(inspect.signature(mere.Lake.assemble).parameters)[1:]
    assert of_the_lake == [p.name for p in parameters if p.name != "lake"]


def test_every_method_and_reason_of_assemble_is_documented() -> None:
    methods = rows_below(ASSEMBLE, "method", "how it counts", "how it chooses", "the number of rows")
    assert [cells[0].strip("`") for cells in methods] == list(METHODS)
    assert [cells[0].strip("`") for cells in rows_below(ASSEMBLE, "`code` of a rejected table", "why")] == list(REASONS)


def test_every_public_member_of_a_transform_join_is_documented() -> None:
    rows = rows_below(PYTHON, "member of `TransformJoin`", "what it gives")
    documented = {re.match(r"\w+", name)[0] for cells in rows for name in code_names(cells[0])}  # type: ignore[index]
    result = mere.transform_join({}, {})
    assert documented | {"joined"} == {name for name in dir(result) if not name.startswith("_")}


def test_every_argument_of_transform_join_is_documented() -> None:
    rows = rows_below(PYTHON, "argument", "default", "meaning")
    documented = [(name, cells[1].strip("`")) for cells in rows for name in code_names(cells[0])]
    parameters = inspect.signature(mere.transform_join).parameters.values()
    assert documented == [
        (p.name, "" if p.default in (inspect.Parameter.empty, None) else str(p.default)) for p in parameters
    ]
