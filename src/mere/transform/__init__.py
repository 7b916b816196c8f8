"""Which rows of two tables belong together, although their keys are written differently, and by which program?"""

from mere.transform.program import CASES, KEEPS, MONTHS, Constant, Piece, Program, Split, Step

__all__ = ["CASES", "KEEPS", "MONTHS", "Constant", "Piece", "Program", "Split", "Step"]
