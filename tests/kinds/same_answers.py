"""Does a lake give the same answers in all ways in which it can be asked?

`questions_of` derives questions of every kind from the lake itself, so that they can be put to any lake: the n-th
question of a kind depends on the lake and on n alone.  `differences` asks each in all ways, and compares everything but
the time: hits, their order, scores, evidence, notes; or the error.

    NumPy         the reference: no kernel, one thread, this process
    kernels       everything compiled
    warmed        compiled as far as `Lake.warm` compiles
    threads       segments in several threads
    tasks         as a batch, in tasks whose arguments and results are JSON
    Python        conditions as Python expressions, not as text
    explained     the evidence of the first hits, asked for by their names
    other lakes   the same tables, indexed in other ways
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from operator import eq, ge, gt, le, lt, ne
from os import PathLike
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import mere
from mere import compiled
from mere.compiled import groups
from mere.errors import MereError
from mere.indexes import KINDS
from mere.language import Expression, at_least, at_most, words
from mere.language.columns import quote_column
from mere.language.numbers import format_number, number_of
from mere.pipeline.engine import Inline
from mere.search.asking import ask as asking
from mere.search.joinable.loose import QUESTIONS
from mere.values import Type

OTHERS = ("where", "joinable")  # questions that are put to several kinds
VALUES = 40  # of a list that is asked with
UNLIMITED = 3600.0  # seconds of learning programs: answers must not depend on the speed of the machine
LARGE = 20_000  # distinct values, or rows: where comparing spellings, or all columns with each other, takes long
Path = str | PathLike[str]


class Column(NamedTuple):
    """A column of the lake that has values, and some of them."""

    table: str
    name: str
    size: int
    type: Type
    low: float
    high: float
    values: list[str]


@dataclass(frozen=True)
class Question:
    """What is asked, as plain values; `python` is the same condition as its text."""

    kind: str
    given: Any
    more: Mapping[str, Any] = field(default_factory=dict)
    python: Expression | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.given!r}, {', '.join(f'{name}={value!r}' for name, value in self.more.items())}"


class Difference(NamedTuple):
    """A question that two ways answer differently; where, and what each says."""

    question: Question
    way: str
    place: str


# questions


def questions_of(lake: mere.Lake, count: int) -> list[Question]:
    """So many questions about a lake, as many of each kind."""
    columns, kinds = columns_of(lake), list(MAKERS)
    made = (MAKERS[kinds[n % len(kinds)]](columns, random.Random(n // len(kinds))) for n in range(count))
    return [question for question in made if question is not None]


def columns_of(lake: mere.Lake) -> list[Column]:
    """The columns of living tables that have values, by table."""
    found = []
    for segment, live in zip(lake._opened.segments, lake._opened.live, strict=True):
        for number, table in enumerate(segment.names):
            known = segment.columns(number)
            for place, column in enumerate(segment.columns_of(number) if live[number] else ()):
                ids = segment.set_of(column)
                if len(ids):
                    values = segment.dictionary.values.take(ids[:VALUES].astype(np.int64)).tolist()
                    ends = float(known.low[place]), float(known.high[place])
                    found.append(
                        Column(table, known.names[place], len(ids), Type(int(known.types[place])), *ends, values)
                    )
    return sorted(found, key=lambda column: (column.table, column.name))


def picked(columns: Sequence[Column], chance: random.Random) -> Column:
    """A column of any size: a power of two first, and then a column of so many values."""
    wanted = chance.choice(sorted({column.size.bit_length() for column in columns}))
    return chance.choice([column for column in columns if column.size.bit_length() == wanted])


def _words(columns: Sequence[Column], chance: random.Random) -> Question:
    column = picked(columns, chance)
    texts = [column.table, column.name, chance.choice(column.values), picked(columns, chance).name]
    known = [word for text in texts for word in re.findall(r"\w+", text)] or ["world"]
    chosen = [chance.choice(known) for _ in range(chance.randint(1, 3))]
    shapes = [lambda w: w, lambda w: w, _misspelled, lambda w: w[:4] + "*", lambda w: f'"{w}"', lambda w: f"column:{w}"]
    text = " ".join(chance.choice(shapes)(word) for word in chosen)
    return Question("keywords", text, {"k": chance.choice([0, 10]), "copies": chance.random() < 0.8})


def _misspelled(word: str) -> str:
    return word[:1] + word[2:] if len(word) > 3 else word + "x"


def _of_sets(
    kind: str, more: Mapping[str, Sequence[Any]], columns: Sequence[Column], chance: random.Random
) -> Question:
    """A column of the lake, or a list of its values with others among them."""
    column = picked(columns, chance)
    options: dict[str, Any] = {name: chance.choice(choices) for name, choices in (_OF_ALL | more).items()}
    if chance.random() < 0.6:
        return Question(kind, column.table, {"on": column.name, **options})
    others = chance.choice(columns).values[: chance.randint(0, 20)]
    return Question(kind, [*column.values, *column.values[:3], *others], options)


_OF_ALL = {"k": [0, 1, 10], "per": ["table", "column"], "numbers": [None, True], "copies": [True, True, False]}
_OF_OVERLAP = {"mode": ["auto", "auto", "merge", "probe", "josie"], "ties": ["likely", "likely", "keys", "name"]}
_OF_CONTAINMENT = {"threshold": [0.1, 0.6, 1.0], "exact": [None, True, False, False], "verify": [True, True, False]}


def _keys(columns: Sequence[Column], chance: random.Random) -> Question:
    table = picked(columns, chance).table
    names = [column.name for column in columns if column.table == table]
    on = chance.sample(names, min(len(names), chance.randint(1, 3)))
    modes, thresholds = ["auto", "auto", "rarest", "mate", "scr", "mcr"], [None, 0.1, 0.5]
    more = {"mode": chance.choice(modes), "threshold": chance.choice(thresholds), "copies": chance.random() < 0.7}
    return Question("composite", table, {"on": on, "k": chance.choice([1, 10]), **more})


def _distribution(columns: Sequence[Column], chance: random.Random) -> Question | None:
    column = _ordered(columns, chance)
    if column is None:
        return None
    more = {"k": chance.choice([0, 10]), "per": chance.choice(["table", "column"])}
    if chance.random() < 0.3:
        return Question("distribution", None, {"like": column.table, "on": column.name, **more})
    mode = chance.choice(["auto", "auto", "profile-scan", "binsort", "normal-dist"])
    return Question("distribution", _predicate(column, chance)[0], {"mode": mode, **more})


def _ordered(columns: Sequence[Column], chance: random.Random) -> Column | None:
    """A column whose values are on an axis."""
    ordered = [column for column in columns if math.isfinite(column.low) and math.isfinite(column.high)]
    return picked(ordered, chance) if ordered else None


def _predicate(column: Column, chance: random.Random) -> tuple[str, Expression]:
    """How much of a column compares with a place between its ends: as a text, and in Python."""
    side, percent = chance.choice(["at least", "at most"]), chance.choice([0, 10, 50, 90, 100])
    name, operator = chance.choice([column.name, column.name, None]), chance.choice(["<", "<=", ">", ">=", "=", "!="])
    place = column.low + (column.high - column.low) * chance.choice([0, 0.1, 0.25, 0.5, 0.75, 1])
    value: Any = _day(place) if column.type is Type.DATETIME else place
    text = f"{side} {percent}% of {quote_column(name)} {operator} {format_number(number_of(value))}"
    share = {"at least": at_least, "at most": at_most}[side](percent / 100, name)
    return text, COMPARISONS[operator](share, value)


COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "!=": ne,
}  # fmt: skip


def _day(seconds: float) -> date:
    day = np.datetime64(int(seconds), "s").astype("datetime64[D]").item()
    return day if isinstance(day, date) else date(2000, 1, 1)


def _where(columns: Sequence[Column], chance: random.Random) -> Question:
    """One to three predicates and words, composed."""
    text, condition = _leaf(columns, chance)
    for _ in range(chance.randint(0, 2)):
        more, leaf = _leaf(columns, chance)
        if chance.random() < 0.5:
            text, condition = f"({text}) and {more}", condition & leaf
        else:
            text, condition = f"{text} or not ({more})", condition | ~leaf
    return Question("where", text, {"k": chance.choice([0, 10])}, condition)


def _leaf(columns: Sequence[Column], chance: random.Random) -> tuple[str, Expression]:
    column = _ordered(columns, chance)
    if column is not None and chance.random() < 0.7:
        return _predicate(column, chance)
    word = chance.choice(re.findall(r"\w+", picked(columns, chance).name) or ["world"])
    return f"'{word}'", words(word)


def _similar(columns: Sequence[Column], chance: random.Random) -> Question | None:
    short = [column for column in columns if column.size <= LARGE and not column.type.is_number]
    if not short:
        return None
    column = picked(short, chance)
    changed = [chance.choice([str, str, _misspelled, str.upper])(value) for value in column.values]
    more = {
        "share": chance.choice([0.2, 0.6]),
        "distance": chance.choice([None, "loose", 0.1]),
        "k": chance.choice([0, 10]),
    }
    scan = (
        {"mode": "scan", "table": column.table} if chance.random() < 0.3 else {}
    )  # of one table: it compares all values
    return Question("similar", changed, {"matches": chance.choice(["best", "all"]), **more, **scan})


def _transform(columns: Sequence[Column], chance: random.Random) -> Question | None:
    texts = [column for column in columns if 8 <= column.size <= LARGE]
    if not texts:
        return None
    change: Callable[[str], str] = chance.choice([_turned, "ID-{}".format, "{} (old)".format, lambda text: text[:-1]])
    values = [change(value) for value in picked(texts, chance).values]
    return Question("transform", values, {"k": 3, "candidates": 3, "seconds": UNLIMITED})


def _turned(text: str) -> str:
    first, _, rest = text.partition(" ")
    return f"{rest}, {first}" if rest else f"{text}."


def _joinable(columns: Sequence[Column], chance: random.Random) -> Question:
    column = picked([column for column in columns if column.size <= LARGE // 10] or columns, chance)
    return Question("joinable", column.table, {"on": column.name, "k": chance.choice([3, 10])})


MAKERS: Mapping[str, Callable[[Sequence[Column], random.Random], Question | None]] = {
    "keywords": _words,
    "overlap": partial(_of_sets, "overlap", _OF_OVERLAP),
    "containment": partial(_of_sets, "containment", _OF_CONTAINMENT),
    "composite": _keys,
    "distribution": _distribution,
    "similar": _similar,
    "transform": _transform,
    "where": _where,
    "joinable": _joinable,
}


# ways to ask


def asked(lake: mere.Lake, question: Question) -> Any:
    """The answer as a document, without the time it took; or the error."""
    given, more = question.given, question.more
    if question.kind == "joinable":
        return _document(lambda: lake.joinable(given, **more))
    if question.kind == "where":
        return _document(lambda: lake.where(given, **more))
    return _document(lambda: lake.ask(question.kind, given, **more))


def asked_as_a_task(lake: mere.Lake, question: Question) -> Any:
    if question.kind in OTHERS:
        return None
    of_answer = {name: question.more[name] for name in ("k", "per", "copies") if name in question.more}
    query = {name: value for name, value in question.more.items() if name not in of_answer}
    first = KINDS[question.kind].parameters[0].name
    query |= {first: question.given} if question.given is not None else {}
    return _document(lambda: lake.batch(question.kind, [query], Inline(), **of_answer)[0])


def asked_in_python(lake: mere.Lake, question: Question) -> Any:
    return None if question.python is None else _document(lambda: lake.where(question.python, **question.more))


def _document(ask: Callable[[], mere.Hits]) -> Any:
    try:
        hits = ask()
    except MereError as error:
        return {"error": str(error)}
    return json.loads(json.dumps({"hits": hits.to_dicts(), "notes": hits.notes}))


def _without_kernels() -> AbstractContextManager[Any]:
    return patch.object(compiled, "ready", lambda *_: False)


def _with_kernels() -> AbstractContextManager[Any]:
    return patch.object(compiled, "ready", lambda *_: True)


def _with_what_is_warm() -> AbstractContextManager[Any]:
    return patch.object(groups, "_states", dict(groups._states))


def _in_threads() -> AbstractContextManager[Any]:
    stack = ExitStack()
    stack.enter_context(_without_kernels())
    stack.enter_context(patch.object(asking, "THREADS_FROM", 0))
    return stack


class Way(NamedTuple):
    """How a lake is asked: in which context, and by which call; a call gives None for what it cannot ask."""

    context: Callable[[], AbstractContextManager[Any]]
    ask: Callable[[mere.Lake, Question], Any] = asked
    warm: bool = False


REFERENCE = Way(_without_kernels)
WAYS: Mapping[str, Way] = {
    "kernels": Way(_with_kernels),
    "warmed": Way(_with_what_is_warm, warm=True),
    "threads": Way(_in_threads),
    "tasks": Way(_without_kernels, asked_as_a_task),
    "Python": Way(_without_kernels, asked_in_python),
}


def answers(path: Path, questions: Sequence[Question], way: Way = REFERENCE) -> Iterator[Any]:
    """The answers of a lake, which is opened anew, asked in one way."""
    with way.context(), patch.dict(QUESTIONS["transform"], seconds=UNLIMITED), mere.open(path) as lake:
        if way.warm:
            lake.warm()
        for question in questions:
            yield way.ask(lake, question)


def differences(
    path: Path, questions: Sequence[Question], others: Mapping[str, Path] | None = None
) -> Iterator[Difference]:
    """Every question that one of the ways answers differently from NumPy; `others` have the same tables."""
    expected = list(answers(path, questions))
    ways = [(name, path, way) for name, way in WAYS.items()]
    ways += [(name, other, REFERENCE) for name, other in (others or {}).items()]
    for name, other, way in ways:
        for question, right, answer in zip(questions, expected, answers(other, questions, way), strict=True):
            if answer is not None and (place := first_difference(right, answer)):
                yield Difference(question, name, place)
    yield from _explained_differently(path, questions, expected)


EXPLAINED = 3  # hits of an answer


def _explained_differently(path: Path, questions: Sequence[Question], expected: Sequence[Any]) -> Iterator[Difference]:
    """Questions whose first hits have other evidence when they are asked for by name."""
    with _with_kernels(), mere.open(path) as lake:
        for question, right in zip(questions, expected, strict=True):
            for hit in right.get("hits", [])[:EXPLAINED] if _can_be_explained(question) else []:
                if place := first_difference(hit["evidence"], _explained(lake, question, hit), "evidence"):
                    yield Difference(question, "explained", place)


def _can_be_explained(question: Question) -> bool:
    """Whether evidence by name is the same: of exact answers, without the number of copies."""
    more = question.more
    exact = question.kind != "containment" or more.get("exact") or (more.get("exact") is None and more.get("verify"))
    return question.kind in ("overlap", "containment", "composite") and bool(exact) and more.get("copies", True)


def _explained(lake: mere.Lake, question: Question, hit: Mapping[str, Any]) -> Any:
    more = {name: value for name, value in question.more.items() if name not in ("k", "per", "copies")}
    named = (hit["table"], hit["columns"])
    document = _document(lambda: lake.explain(question.kind, question.given, named, **more))
    return document["hits"][0]["evidence"] if "hits" in document else document


def first_difference(left: Any, right: Any, place: str = "answer") -> str:
    """Where two documents differ first, and how; nothing if they do not.

    >>> first_difference({"hits": [{"score": 1.0}]}, {"hits": [{"score": 2.0}]})
    'answer.hits[0].score: 1.0, 2.0'
    """
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        inner = (first_difference(left[name], right[name], f"{place}.{name}") for name in left)
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = enumerate(zip(left, right, strict=True))
        inner = (first_difference(one, other, f"{place}[{number}]") for number, (one, other) in pairs)
    else:
        same = left == right or (left != left and right != right)
        return "" if same else f"{place}: {left!r:.300}, {right!r:.300}"
    return next(filter(None, inner), "")
