"""Small outcomes made by hand, and two tables that they are about."""

from __future__ import annotations

import numpy as np

from mere.transform import Columns, Conflict, Constant, Options, Outcome, Piece, Program, Rule, Split

STAFF = {
    "person": ["Obama, Barack (1961-)", "Curie, Marie (1867-)", "Plato", None, "Lovelace, Ada (1815-)"],
    "age": [63, 157, 2452, 1, 209],
}
BADGES = {
    "holder": ["Ada Lovelace", "Barack Obama", "Marie Currie", "Nobody"],
    "age": [1.0, 2.0, None, 4.5],
}
TURNED = Program(
    ("person",),
    (Piece(0, (Split(" (", 0, 0), Split(", ", 1, 1))), Constant(" "), Piece(0, (Split(" (", 0, 0), Split(", ", 0, 0)))),
)
HOLDER = Program(("holder",), (Piece(0),))
RULE = Rule("left to right", TURNED, HOLDER)


def staff_and_badges(left: Columns, right: Columns, options: Options, progress: object = None) -> Outcome:
    """Two pairs by a program, one by similarity; conflicts; two left rows and a right row without a partner."""
    return Outcome(
        left_rows=np.array([4, 1, 0]),
        right_rows=np.array([0, 2, 1]),
        rule=np.array([0, -1, 0]),
        score=np.array([1.0, 0.92, 1.0]),
        rules=(RULE,),
        conflicts=(Conflict("left", 2, (0, 3), ()), Conflict("right", 1, (0, 1), (0,))),
        notes=("a sample of the rows was used; seconds=600 gives more time",),
        seconds={"learning": 0.25},
    )


def refusing(left: Columns, right: Columns, options: Options, progress: object = None) -> Outcome:
    return Outcome.refusal("the join looks like an accident: 3 of 100 rows match")
