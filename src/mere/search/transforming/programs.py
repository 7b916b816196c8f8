"""What is a program that was learnt from two tables, and how is it saved, loaded and applied to new rows?"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from mere.errors import UsageError
from mere.store import files
from mere.transform import Program, Rule
from mere.transform.outcome import Direction

_FORMAT = "mere programs 1"


@dataclass(frozen=True)
class LearnedProgram:
    """A program over one table, whose outputs are keys of the other; call it with new values to apply it."""

    direction: Direction  # left to right: the program reads the left table
    program: Program
    key: Program  # of the other table: a whole column, or a part of one
    pairs: int = 0  # pairs of rows that it made

    @classmethod
    def of(cls, rule: Rule, pairs: int) -> LearnedProgram:
        return cls(rule.direction, rule.program, rule.key, pairs)

    def __call__(self, values: Any) -> list[str | None]:
        """The keys of new rows: a list of texts, or a frame with the columns of the program."""
        return self.program(values)

    def __str__(self) -> str:
        return str(self.program)

    def reads(self, side: str) -> Program:
        """The program of one side: `program` on the side that it reads, `key` on the other."""
        return self.program if self.direction.startswith(side) else self.key

    @property
    def python(self) -> str:
        """The program as a Python function."""
        return self.program.to_python()

    @property
    def spark_sql(self) -> str:
        """The program as an expression of Spark SQL."""
        return self.program.to_spark_sql()

    def to_json(self) -> dict[str, Any]:
        return {
            "direction": self.direction,
            "pairs": self.pairs,
            "text": str(self.program),
            "key_text": str(self.key),
            "program": self.program.to_json(),
            "key": self.key.to_json(),
            "python": self.python,
            "spark_sql": self.spark_sql,
        }

    @classmethod
    def from_json(cls, document: Any) -> LearnedProgram:
        if document["direction"] not in get_args(Direction):
            raise ValueError(f"unknown direction {document['direction']!r}")
        return cls(
            document["direction"],
            Program.from_json(document["program"]),
            Program.from_json(document["key"]),
            int(document["pairs"]),
        )


def save_programs(programs: Sequence[LearnedProgram], path: str | os.PathLike[str]) -> None:
    """Write programs as a JSON file; it is complete or does not exist."""
    document = {"format": _FORMAT, "programs": [program.to_json() for program in programs]}
    files.publish(os.fspath(path), json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n")


def load_programs(path: str | os.PathLike[str]) -> list[LearnedProgram]:
    """The programs of a file that `TransformJoin.save_programs` or `mere transform --programs` wrote."""
    name = os.fspath(path)
    remedy = "give a file that 'mere transform --programs FILE' wrote"
    if not os.path.isfile(name):
        raise UsageError(f"'{name}' is not a file", remedy)
    try:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        if document["format"] != _FORMAT:
            raise UsageError(f"'{name}' has the format {document['format']!r}, expected {_FORMAT!r}", remedy)
        return [LearnedProgram.from_json(entry) for entry in document["programs"]]
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise UsageError(f"'{name}' is not a file of programs", remedy) from error
