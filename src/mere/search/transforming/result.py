"""What is the answer to `mere.transform_join`: pairs of rows, what made each, and the forms it converts to."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mere.answers.hits import require
from mere.search.given import same_type
from mere.search.joining import check_how, side_by_side, take_rows
from mere.search.transforming import keys
from mere.search.transforming.programs import LearnedProgram, save_programs
from mere.search.transforming.sides import Side
from mere.transform import Conflict, Outcome

_SHOWN = 20  # pairs in a notebook


class Pair(NamedTuple):
    """A row of each table that belong together, and what says so."""

    left_row: int
    right_row: int
    by: str  # "program 1", "program 2", ..., or "fuzzy"
    score: float  # 1 for a program, the similarity for a fuzzy match


class TransformJoin:
    """Which rows of two tables belong together, by which programs; or the reason why there is no join."""

    def __init__(self, outcome: Outcome, left: Side, right: Side) -> None:
        self._outcome, self._left, self._right = outcome, left, right
        self.refused: str | None = outcome.refused
        made = np.bincount(outcome.rule[outcome.rule >= 0].astype(int), minlength=len(outcome.rules)).tolist()
        self.programs = [LearnedProgram.of(rule, pairs) for rule, pairs in zip(outcome.rules, made, strict=True)]
        self.conflicts: list[Conflict] = list(outcome.conflicts)
        self.notes = [*left.notes, *right.notes, *outcome.notes]
        self.seconds = {stage: round(seconds, 3) for stage, seconds in outcome.seconds.items()}
        self.rows = {"left": left.table.num_rows, "right": right.table.num_rows}

    # the pairs

    def __len__(self) -> int:
        return len(self._outcome.left_rows)

    def __bool__(self) -> bool:
        return self.refused is None

    @cached_property
    def pairs(self) -> list[Pair]:
        """The pairs of rows, in the order of the left table."""
        rows = zip(*(self._table.column(name).to_pylist() for name in Pair._fields), strict=True)
        return [Pair(*cells) for cells in rows]

    @cached_property
    def _order(self) -> np.ndarray:
        return np.lexsort((self._outcome.right_rows, self._outcome.left_rows))

    @cached_property
    def _table(self) -> pa.Table:
        """The pairs without their keys."""
        outcome, order = self._outcome, self._order
        names = pa.array([*(f"program {number}" for number in range(1, len(self.programs) + 1)), "fuzzy"])
        by = names.take(pa.array(np.where(outcome.rule < 0, len(self.programs), outcome.rule)[order], pa.int64()))
        return pa.table(
            {
                "left_row": pa.array(outcome.left_rows[order], pa.int64()),
                "right_row": pa.array(outcome.right_rows[order], pa.int64()),
                "by": by,
                "score": pa.array(outcome.score[order], pa.float64()),
            }
        )

    @property
    def unmatched(self) -> dict[str, list[int]]:
        """The numbers of the rows of each table that have no partner."""
        return {side: rows.tolist() for side, rows in self._missing.items()}

    @cached_property
    def _missing(self) -> dict[str, np.ndarray]:
        partners = {"left": self._outcome.left_rows, "right": self._outcome.right_rows}
        return {side: np.setdiff1d(np.arange(rows), partners[side]) for side, rows in self.rows.items()}

    @property
    def coverage(self) -> dict[str, float]:
        """The share of the rows of each table that have a partner."""
        return {side: (rows - len(self._missing[side])) / rows if rows else 0.0 for side, rows in self.rows.items()}

    @property
    def unmatched_left(self) -> Any:
        """The rows of the left table that have no partner; a frame of the type that was given."""
        return same_type(take_rows(self._left.shown(False), self._missing["left"]), self._left.given)

    @property
    def unmatched_right(self) -> Any:
        """The rows of the right table that have no partner; a frame of the type that was given."""
        return same_type(take_rows(self._right.shown(False), self._missing["right"]), self._right.given)

    # other forms

    def frame(self, how: str = "inner", *, raw: bool = False) -> Any:
        """The joined rows with all columns of both; of the type of the left table.  A name of both gets `_right`.

        `how`: `inner`, only pairs; `left`, also the left rows without a partner; `right`; `outer`, both.  Numbers,
        dates and booleans of files have their types; `raw`: text as it was written.
        """
        return same_type(self.joined(how, raw=raw), self._left.given)

    def joined(self, how: str = "inner", *, raw: bool = False) -> pa.Table:
        """The joined rows as Arrow."""
        check_how(how)
        left_rows, right_rows = keys.rows_of_join(
            (self._outcome.left_rows, self._outcome.right_rows), (self._missing["left"], self._missing["right"]), how
        )
        return side_by_side(self._left.shown(raw), left_rows, self._right.shown(raw), right_rows)

    def to_arrow(self) -> pa.Table:
        """One row per pair: the rows, the texts that were matched, the program that made it, and the score."""
        table = self._table
        made_by = self._outcome.rule[self._order]
        for place, side in ((2, self._left), (3, self._right)):
            columns = [program.reads(side.name).columns for program in self.programs]
            rows = table.column(f"{side.name}_row").to_numpy()
            table = table.add_column(place, f"{side.name}_key", keys.key_texts(side, columns, rows, made_by))
        return table

    def to_pandas(self) -> Any:
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        return require("polars").from_arrow(self.to_arrow())

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of the join."""
        return {
            "pairs": [[pair.left_row, pair.right_row] for pair in self.pairs],
            "programs": [program.to_json() for program in self.programs],
            "coverage": self.coverage,
            "refused": self.refused,
            "rows": self.rows,
            "matches": [{"by": pair.by, "score": pair.score} for pair in self.pairs],
            "conflicts": [_conflict(conflict) for conflict in self.conflicts],
            "unmatched": self.unmatched,
            "notes": self.notes,
            "seconds": self.seconds,
        }

    def save_programs(self, path: str | os.PathLike[str]) -> None:
        """Write the programs as JSON; `mere.load_programs` reads them."""
        save_programs(self.programs, path)

    # shown

    @property
    def advice(self) -> str:
        """What to try after a refusal; empty if there is nothing to try."""
        if self.refused is None or self._left.fault() or self._right.fault():
            return ""
        return (
            "on= names the columns to match; accidents=True also accepts a join that looks like an accident, "
            "many_to_many=True one of which neither side is a key"
        )

    def summary(self) -> str:
        """What was matched, in one line."""
        if self.refused is not None:
            return f"no join: {self.refused}"
        fuzzy = int((self._outcome.rule < 0).sum())
        made = [(len(self) - fuzzy, _counted(len(self.programs), "program")), (fuzzy, "similarity")]
        by = " and ".join(f"{pairs:,} by {maker}" for pairs, maker in made if pairs)
        return f"{self._share('left')} match {self._share('right')}" + (f": {by}" if by else "")

    def _share(self, side: str) -> str:
        rows = self.rows[side]
        return f"{rows - len(self._missing[side]):,} of {_counted(rows, f'{side} row')}"

    def __repr__(self) -> str:
        lines = [f"program {number}, {program.direction}: {program}" for number, program in self._numbered()]
        return "\n".join([f"<{self.summary()}>", *lines, *([self.advice] if self.advice else [])])

    def _repr_html_(self) -> str:
        about = [self.summary(), self.advice, *(f"note: {note}" for note in self.notes)]
        programs = [
            [f"program {number}", program.direction, str(program), f"{program.pairs:,}"]
            for number, program in self._numbered()
        ]
        shown = self.to_arrow().slice(0, _SHOWN)
        pairs = [["" if cell is None else str(cell) for cell in row.values()] for row in shown.to_pylist()]
        caption = "<br>".join(html.escape(line) for line in about if line)
        return f"<p>{caption}</p>" + "".join(
            _html_table(header, rows)
            for header, rows in ((("", "direction", "program", "pairs"), programs), (shown.column_names, pairs))
            if rows
        )

    def _numbered(self) -> Iterable[tuple[int, LearnedProgram]]:
        return enumerate(self.programs, 1)


def _conflict(conflict: Conflict) -> dict[str, Any]:
    return {
        "side": conflict.side, "row": int(conflict.row), "partners": [int(row) for row in conflict.partners],
        "taken": [int(row) for row in conflict.taken],
    }  # fmt: skip


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _html_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
