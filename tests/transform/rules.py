"""Rules between two tables, as candidates that the search could have found."""

from __future__ import annotations

from mere.transform import Constant, Piece, Program, Rule, Split
from mere.transform.candidates import Candidate
from mere.transform.tables import Keys, Side


def whole(column: str) -> Program:
    return Program((column,), (Piece(0),))


def word(column: str, place: int) -> Program:
    return Program((column,), (Piece(0, (Split(" ", place, place),)),))


def after(text: str, column: str) -> Program:
    """A text, and the whole cell."""
    return Program((column,), (Constant(text), Piece(0)))


def candidate(left: Side, right: Side, program: Program, key: Program, backwards: bool = False) -> Candidate:
    """The rule from left to right, or backwards, run on all rows."""
    source, target = (right, left) if backwards else (left, right)
    keys = Keys(target, key)
    partners, made = keys.partners(source, program, source.rows)
    rule = Rule("right to left" if backwards else "left to right", program, key)
    return Candidate(rule, keys, partners, made, len(source.rows))
