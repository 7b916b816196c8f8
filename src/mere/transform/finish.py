"""How is a program written that makes the outputs as they are written, and not only up to case?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mere.transform.enumerate_pieces import fold
from mere.transform.pool import Pool, explains
from mere.transform.program import CASES, Cell, Constant, Piece, Program, Step


def finished(program: Program, pool: Pool) -> Program:
    """The program as the outputs are written: the case of every step, and its limit only where it matters."""
    known = [place for place in range(len(pool)) if explains(program, pool, place)][:16]
    if program.limit and all(explains(replace(program, limit=None), pool, place) for place in known):
        program = replace(program, limit=None)
    texts = [pool.texts[place] for place in known]
    for number, step in enumerate(program.steps):
        variants: list[Step] = (
            [replace(step, case=case) for case in CASES]
            if isinstance(step, Piece)
            else [Constant(text) for text in _as_written(step.text, texts)]
        )
        programs = [
            replace(program, steps=(*program.steps[:number], variant, *program.steps[number + 1 :]))
            for variant in variants
        ]
        agreements = [
            sum(_agreement(one.row(pool.inputs[place]), pool.texts[place]) for place in known) for one in programs
        ]
        program = programs[agreements.index(max(agreements))]
    return program


def _as_written(folded: str, texts: Sequence[str]) -> list[str]:
    """How a folded text is written in some texts."""
    found = {folded: None}
    for text in texts:
        place = text.casefold().find(folded)
        if place >= 0:
            found[text[place : place + len(folded)]] = None
    return [text for text in found if fold(f"x{text}x") == fold(f"x{folded}x")]


def _agreement(made: Cell, wanted: str) -> int:
    """How many characters are written as wanted."""
    return sum(a == b for a, b in zip(made or "", wanted, strict=False))
