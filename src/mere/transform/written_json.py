"""How is a transformation program saved, and read again?

    {"version": 1, "columns": ["name"], "limit": 8,
     "steps": [{"column": "name", "split": [[", ", 1, 1]], "stop": 1, "case": "lower"}, {"constant": "."}]}

A split is its separator, first and last part.  A field of a step that has its default is left out.  Whoever reads such
a document may not have written it: every field is checked, and an error names the step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from mere.errors import UsageError
from mere.transform.program import CASES, KEEPS, Constant, Piece, Program, Split, Step

VERSION = 1
MOST_SPLITS = 2
MOST_ZEROS = 1000  # a document must not make a cell of any length
FARTHEST = 1_000_000  # position, from the start or the end
_DEFAULTS = {f.name: f.default for f in fields(Piece) if f.name not in ("column", "splits")}


def as_json(program: Program) -> dict[str, Any]:
    """The program as a document of dicts, lists, texts and numbers."""
    _distinct(program.columns)
    limit = {} if program.limit is None else {"limit": program.limit}
    steps = [_step_as_json(step, program.columns) for step in program.steps]
    return {"version": VERSION, "columns": list(program.columns), **limit, "steps": steps}


def _step_as_json(step: Step, columns: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(step, Constant):
        return {"constant": step.text}
    splits = {"split": [[s.separator, s.first, s.last] for s in step.splits]} if step.splits else {}
    changed = {name: getattr(step, name) for name, default in _DEFAULTS.items() if getattr(step, name) != default}
    return {"column": columns[step.column], **splits, **changed}


def from_json(document: Any) -> Program:
    """The program that `as_json` wrote."""
    _keys(document, "a program", {"version", "columns", "steps"}, {"limit"})
    if document["version"] != VERSION or isinstance(document["version"], bool):
        raise _fault("version", document["version"], f"this Mere reads version {VERSION}")
    columns = document["columns"]
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise _fault("columns", columns, "give a list of column names")
    _distinct(columns)
    if not isinstance(document["steps"], list) or not document["steps"]:
        raise _fault("steps", document["steps"], "give a list of one or more steps")
    limit = _checked(
        "limit", document.get("limit"), _is_positive, "give a number of characters from 1, or leave it out"
    )
    steps = [_step(step, f"step {number}", columns) for number, step in enumerate(document["steps"], 1)]
    return Program(tuple(columns), tuple(steps), limit)


def _step(step: Any, place: str, columns: list[str]) -> Step:
    if isinstance(step, Mapping) and "constant" in step:
        _keys(step, place, {"constant"}, set())
        if not isinstance(step["constant"], str):
            raise _fault(f"constant of {place}", step["constant"], "give a text")
        return Constant(step["constant"])
    _keys(step, place, {"column"}, {"split", *_DEFAULTS})
    if step["column"] not in columns:
        raise _fault(f"column of {place}", step["column"], f"the program's columns are: {', '.join(columns) or 'none'}")
    given = {name: _checked(f"{name} of {place}", step[name], *_CHECKS[name]) for name in _DEFAULTS if name in step}
    return Piece(columns.index(step["column"]), _splits(step.get("split", []), place), **given)


def _splits(splits: Any, place: str) -> tuple[Split, ...]:
    if not isinstance(splits, list) or len(splits) > MOST_SPLITS:
        raise _fault(f"split of {place}", splits, f"give a list of at most {MOST_SPLITS} splits")
    for split in splits:
        if not (isinstance(split, list) and len(split) == 3 and _is_text(split[0]) and all(map(_is_int, split[1:]))):
            raise _fault(
                f"split of {place}", split, "give [separator, first part, last part], for example [', ', 0, 0]"
            )
    return tuple(Split(*split) for split in splits)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= FARTHEST


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_positive(value: Any) -> bool:
    return value is None or (_is_int(value) and value >= 1)


_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "keep": (lambda value: isinstance(value, str) and value in KEEPS, f"give one of {', '.join(KEEPS[1:])}"),
    "month": (lambda value: isinstance(value, bool), "give true or false"),
    "zeros": (
        lambda value: value is None or (_is_int(value) and 0 <= value <= MOST_ZEROS),
        f"give 0 to remove leading zeros, or the number of characters to fill up to, at most {MOST_ZEROS}",
    ),
    "start": (_is_int, "give a position: 0 is the first character, -1 the last"),
    "stop": (lambda value: value is None or _is_int(value), "give a position: 0 is the first character, -1 the last"),
    "case": (lambda value: isinstance(value, str) and value in CASES, f"give one of {', '.join(CASES[1:])}"),
}


def _checked(name: str, value: Any, accepted: Callable[[Any], bool], remedy: str) -> Any:
    if not accepted(value):
        raise _fault(name, value, remedy)
    return value


def _keys(given: Any, place: str, required: set[str], optional: set[str]) -> None:
    if not isinstance(given, Mapping):
        raise UsageError(f"{place}: expected an object, got {given!r}", "give what to_json of a program returns")
    for key in sorted(required - given.keys()):
        raise UsageError(f"{place} has no '{key}'", f"it needs {', '.join(sorted(required))}")
    for key in given:
        if key not in required | optional:
            allowed = ", ".join(sorted(required | optional))
            raise UsageError(f"{place} has an unknown key {key!r}", f"it may have {allowed}")


def _distinct(columns: Sequence[str]) -> None:
    name, times = max(Counter(columns).items(), key=lambda item: item[1], default=("", 0))
    if times > 1:
        raise _fault("columns", list(columns), f"give '{name}' once, or rename one of them")


def _fault(name: str, value: Any, remedy: str) -> UsageError:
    return UsageError(f"{name}: got {value!r}", remedy)
