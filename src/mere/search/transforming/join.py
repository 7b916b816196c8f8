"""`mere.transform_join`: match the rows of two tables although their keys are written differently.

No columns are named and no examples given.  `mere.transform` finds pairs of rows, learns the programs that turn a key
of one table into a key of the other, and refuses a join that looks like an accident.  Here the two tables are read,
the arguments checked, and the outcome becomes a `TransformJoin`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mere.errors import UsageError
from mere.search.transforming.result import TransformJoin
from mere.search.transforming.sides import SIDES, Side, read_side
from mere.transform import Options, Outcome

Progress = Callable[[str], None]
Names = str | Sequence[str]
Wanted = tuple[list[str] | None, list[str] | None]  # columns of the left table, and of the right one; None for all

ON_REMEDY = "give two names, as in on=('my column', 'their column'), or leave it out"


def transform_join(
    left: Any,
    right: Any,
    *,
    on: tuple[Names, Names] | None = None,
    seconds: float = 120,
    fuzzy: bool = True,
    accidents: bool = False,
    many_to_many: bool = False,
    most_programs: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> TransformJoin:
    """Match the rows of two tables although their keys are written differently, and learn how they differ.

    `left`, `right`: pandas, polars, Arrow or Spark frames, mappings of columns, lists of rows, or paths of files.
    `on`: a column (or a list of columns) of each, if they are known.  `seconds`: the time limit; what has been found
    until then is the answer.  `fuzzy`: match rows that are left over by similarity.  `accidents`: also accept a join
    that looks like an accident.  `many_to_many`: also one of which neither side is a key.  `most_programs`: in all.
    `seed`: of the samples.  `progress`: a function that is called with a sentence now and then.
    """
    options = checked_options(
        seconds=seconds, most_programs=most_programs, fuzzy=fuzzy, accidents=accidents, many_to_many=many_to_many,
        seed=seed,
    )  # fmt: skip
    if progress is not None and not callable(progress):
        raise UsageError(f"'progress' must be a function of one text, got {progress!r}", "progress=print, for example")
    return _joined((left, right), _wanted_columns(on), options, progress)


def _joined(tables: tuple[Any, Any], on: Wanted, options: Options, progress: Progress | None) -> TransformJoin:
    started = time.perf_counter()
    sides: list[Side] = []
    for name, given, columns in zip(SIDES, tables, on, strict=True):
        if progress is not None:
            progress(f"reading the {name} table")
        sides.append(read_side(name, given, columns))
    left, right = sides
    reading = time.perf_counter() - started
    outcome = _matched(left, right, options, progress)
    return TransformJoin(replace(outcome, seconds={"reading": reading, **outcome.seconds}), left, right)


def _matched(left: Side, right: Side, options: Options, progress: Progress | None) -> Outcome:
    if fault := left.fault() or right.fault():
        return Outcome.refusal(fault)
    from mere.transform.match import match  # compiled code is loaded only now

    return match(left.cells(), right.cells(), options, progress)


def checked_options(**given: Any) -> Options:
    """The options, each of the right type and in its range."""
    for name in ("fuzzy", "accidents", "many_to_many"):
        if not isinstance(given[name], bool):
            raise UsageError(f"'{name}' must be True or False, got {given[name]!r}", "choose one of them")
    seconds = given["seconds"]
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise UsageError(f"'seconds' must be a number above 0, got {seconds!r}", "seconds=120 is the default")
    for name, least in (("most_programs", 1), ("seed", 0)):
        number = given[name]
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            default = getattr(Options(), name)
            raise UsageError(f"'{name}' must be an int >= {least}, got {number!r}", f"{name}={default} is the default")
    return Options(**given)


def _wanted_columns(on: Any) -> Wanted:
    if on is None:
        return None, None
    if isinstance(on, str) or not isinstance(on, Sequence) or len(on) != 2:
        raise UsageError(f"expected a column of each table, got {on!r}", ON_REMEDY)
    names = [[side] if isinstance(side, str) else list(side) if isinstance(side, list | tuple) else [] for side in on]
    if not all(names) or not all(isinstance(name, str) for side in names for name in side):
        raise UsageError(f"expected a column of each table, got {on!r}", ON_REMEDY)
    return names[0], names[1]
