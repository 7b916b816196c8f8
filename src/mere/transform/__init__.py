"""Which rows of two tables belong together, although their keys are written differently, and by which program?"""

from mere.transform.outcome import Columns, Conflict, Options, Outcome, Rule
from mere.transform.program import CASES, KEEPS, MONTHS, Constant, Piece, Program, Split, Step

__all__ = [
    "CASES", "KEEPS", "MONTHS", "Columns", "Conflict", "Constant", "Options", "Outcome", "Piece", "Program", "Rule",
    "Split", "Step",
]  # fmt: skip
