"""What are programs learnt from?  Examples, and what every piece makes of them.

Each piece is tried once on each example of a pool, whatever the sets of examples that programs are learnt from.
"""

from __future__ import annotations

from collections.abc import Sequence

from mere.transform.enumerate_pieces import fold, pieces_in
from mere.transform.program import Cell, Constant, Piece, Program, Step

_SUPPORT = 32  # examples on which operators of equal progress are compared


class Pool:
    """Examples: the cells of some source columns, and the target text that belongs to them."""

    def __init__(self, columns: Sequence[str], inputs: Sequence[tuple[Cell, ...]], outputs: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.inputs = list(inputs)
        self.texts = list(outputs)
        self.outputs = [fold(text) for text in outputs]
        self._pieces: dict[int, list[Tried]] = {}
        self._known: dict[Piece, Tried] = {}

    def __len__(self) -> int:
        return len(self.inputs)

    def pieces(self, example: int) -> list[Tried]:
        """The pieces of an example's cells that occur in its output."""
        if example not in self._pieces:
            found = {}
            for column, cell in enumerate(self.inputs[example]):
                for piece in pieces_in(column, cell, self.outputs[example]) if cell is not None else ():
                    if piece not in found:
                        found[piece] = self._known.setdefault(piece, Tried(piece, self))
            self._pieces[example] = list(found.values())
        return self._pieces[example]


class Tried:
    """A piece, and what it makes of the examples of a pool; each is tried once."""

    __slots__ = ("_made", "_support", "cost", "piece", "pool")

    def __init__(self, piece: Piece, pool: Pool) -> None:
        self.piece, self.pool, self.cost = piece, pool, cost_of(piece)
        self._made: dict[int, Cell] = {}
        self._support = -1

    def made(self, example: int) -> Cell:
        """What the piece gives for an example, folded."""
        if example not in self._made:
            cell = self.pool.inputs[example][self.piece.column]
            text = None if cell is None else self.piece(cell)
            self._made[example] = None if text is None else fold(text) or None
        return self._made[example]

    @property
    def support(self) -> int:
        """How many examples have an output that contains it; twice, if it cuts no number there."""
        if self._support < 0:
            outputs = self.pool.outputs[:_SUPPORT]
            self._support = sum(_contained(self.made(place), output) for place, output in enumerate(outputs))
        return self._support


def _contained(text: Cell, output: str) -> int:
    """1 if an output contains a text; 2 if so and no digits are cut in two."""
    if text is None or text not in output:
        return 0
    place = output.find(text)
    around = output[max(0, place - 1) : place], output[place + len(text) : place + len(text) + 1]
    return 1 if any(c.isdigit() and e.isdigit() for c, e in zip(around, (text[0], text[-1]), strict=True)) else 2


def cost_of(step: Step) -> int:
    """How complicated a step is; the whole cell is the simplest."""
    if isinstance(step, Constant):
        return 1
    cost = 4 * len(step.splits) + 4 * bool(step.keep) + 2 * (step.zeros is not None)
    cost += 6 * (step.start != 0) + 6 * (step.stop is not None)
    for split in step.splits:
        cost += 2 * (len(split.separator) > 2) + 2 * (split.first != split.last) + (split.first < 0)
    return cost


def explains(program: Program, pool: Pool, example: int) -> bool:
    """Whether a program makes the output of an example, up to case and spaces."""
    made = program.row(pool.inputs[example])
    return made is not None and fold(made) == pool.outputs[example]
