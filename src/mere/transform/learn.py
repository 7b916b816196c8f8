"""Which program makes the outputs of these examples from their inputs?  Algorithms 4 and 5 of the thesis.

    R = {(I_i, O_i)}            examples                                 Pool
    TRYLEARNTRANSFORM           algorithm 4, recursive                   Learner.learn
    FINDNEXTBESTLOGICALOP       the operator of the most progress        Learner._best_steps
    progress                    characters of the outputs it produces    _Candidate.progress
    tau                         most operators of a program              MOST_STEPS
    GENEXAMPLESETS              algorithm 5: random sets of b examples   programs_of

Where we depart: the operators are enumerated for one example and tried on the others of the set; among those of equal
progress the one that also fits more of the other examples wins (the thesis leaves this open), then the simpler one.
After a program has been found, the next is learnt from the examples that it does not explain, so that one pair of
tables may need several.  Case does not count while learning; at the end each step gets the case in which the outputs
are written.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mere.transform.finish import finished
from mere.transform.pool import Pool, Tried, explains
from mere.transform.program import Constant, Piece, Program, Step

MOST_STEPS = 10
_SET = 3  # examples per set
_SETS = 20  # sets of examples that are tried per pool
_PATIENCE = 8  # sets without a program after which the pool is given up
_BREADTH = 5  # operators that are tried at each place, best first
_MOST_NODES = 40  # of one search


class _Candidate(NamedTuple):
    progress: int
    cost: int
    step: Step
    made: tuple[str, ...]


class Learner:
    """The search for one program that is consistent with a set of examples of a pool."""

    def __init__(self, pool: Pool, examples: Sequence[int], limit: int | None = None) -> None:
        self.pool = pool
        self.examples = tuple(examples)
        self.limit = limit  # length at which outputs are cut off
        self.nodes = 0
        self._failed: set[tuple[str, ...]] = set()
        self._pieces: dict[tuple[str, ...], list[Tried]] = {}  # by what they make of the examples

    def learn(self) -> tuple[Step, ...] | None:
        """The steps of a program that makes the outputs of all examples."""
        outputs = tuple(self.pool.outputs[example] for example in self.examples)
        for tried in self.pool.pieces(self.examples[0]):
            texts = tuple(text for example in self.examples if (text := tried.made(example)) is not None)
            if len(texts) == len(outputs) and self._fitting(texts, outputs, at_end=True) is not None:
                self._pieces.setdefault(texts, []).append(tried)
        return self._learn(outputs, MOST_STEPS, at_end=True)

    def _learn(self, outputs: tuple[str, ...], left: int, at_end: bool) -> tuple[Step, ...] | None:
        if not any(outputs):
            return ()
        if left <= 0 or not all(outputs) or outputs in self._failed or self.nodes >= _MOST_NODES:
            return None
        self.nodes += 1
        for candidate in self._best_steps(outputs, at_end):
            for places in _occurrences(candidate.made, outputs):
                if (steps := self._around(candidate, outputs, places, left, at_end)) is not None:
                    return steps
        self._failed.add(outputs)
        return None

    def _around(
        self, candidate: _Candidate, outputs: tuple[str, ...], places: tuple[int, ...], left: int, at_end: bool
    ) -> tuple[Step, ...] | None:
        """The program with this step, and what comes before and after it."""
        ends = [place + len(made) for place, made in zip(places, candidate.made, strict=True)]
        before = tuple(output[:place] for output, place in zip(outputs, places, strict=True))
        first = self._learn(before, left - 1, at_end=False)
        if first is None:
            return None
        after = tuple(output[end:] for output, end in zip(outputs, ends, strict=True))
        second = self._learn(after, left - 1 - len(first), at_end)
        return None if second is None else (*first, candidate.step, *second)

    def _best_steps(self, outputs: tuple[str, ...], at_end: bool) -> list[_Candidate]:
        """The operators that every example allows, the most progress first."""
        if len(set(outputs)) == 1:
            return [_Candidate(0, 0, Constant(outputs[0]), outputs)]
        found: dict[tuple[str, ...], list[Tried]] = {}
        for texts, pieces in self._pieces.items():
            fitting = self._fitting(texts, outputs, at_end)
            if fitting is not None:
                found.setdefault(fitting, []).extend(pieces)
        ranked = sorted(found.items(), key=lambda item: -sum(map(len, item[0])))[: 2 * _BREADTH]
        candidates = [_simplest(made, pieces) for made, pieces in ranked]
        if constant := _common_text(outputs):
            made = (constant,) * len(outputs)
            candidates.append(_Candidate(len(constant) * len(outputs), 1, Constant(constant), made))
        candidates.sort(key=lambda candidate: (-candidate.progress, len(set(candidate.made)) == 1, candidate.cost))
        return candidates[:_BREADTH]

    def _fitting(self, texts: tuple[str, ...], outputs: tuple[str, ...], at_end: bool) -> tuple[str, ...] | None:
        """What texts contribute to the outputs; None if one does not fit.  At the end, an output may be cut off."""
        if texts[0] in outputs[0] and all(text in output for text, output in zip(texts, outputs, strict=True)):
            return texts
        if not at_end or self.limit is None:
            return None
        made = []
        for example, text, output in zip(self.examples, texts, outputs, strict=True):
            if text in output:
                made.append(text)
            elif self.limit == len(self.pool.outputs[example]) and text.startswith(output):
                made.append(output)
            else:
                return None
        return tuple(made)


def _simplest(made: tuple[str, ...], pieces: list[Tried]) -> _Candidate:
    """Of the pieces that contribute the same, the one that fits most other examples, then the simplest."""
    best = max(pieces, key=lambda tried: (tried.support, -tried.cost))
    return _Candidate(sum(map(len, made)), best.cost, best.piece, made)


def _occurrences(made: tuple[str, ...], outputs: tuple[str, ...]) -> Iterable[tuple[int, ...]]:
    """Where the contributions are in the outputs: everywhere the first, or everywhere the last occurrence."""
    first = tuple(output.find(text) for text, output in zip(made, outputs, strict=True))
    last = tuple(output.rfind(text) for text, output in zip(made, outputs, strict=True))
    return (first,) if first == last else (first, last)


def _common_text(outputs: tuple[str, ...]) -> str:
    """The longest text that all outputs contain."""
    shortest = min(outputs, key=len)
    best = ""
    for start in range(len(shortest)):
        while start + len(best) < len(shortest) and all(
            shortest[start : start + len(best) + 1] in output for output in outputs
        ):
            best = shortest[start : start + len(best) + 1]
    return best


def cut_length(texts: Sequence[str]) -> int | None:
    """The length at which texts seem to be cut off: many have it, and none is longer."""
    lengths = [len(text) for text in texts]
    most = max(lengths)
    at_most = sum(length == most for length in lengths)
    return most if 4 <= most <= 32 and at_most >= 0.2 * len(lengths) and at_most < len(lengths) else None


def programs_of(pool: Pool, seed: int, out_of_time: Callable[[], bool]) -> list[Program]:
    """Different programs for the examples, each consistent with some set of them."""
    rng = random.Random(seed)  # noqa: S311
    limit = cut_length(pool.texts) if len(pool) >= 8 else None
    unexplained = list(range(len(pool)))
    found: dict[tuple[tuple[Step, ...], int | None], Program] = {}
    for trial in range(_SETS):
        if out_of_time() or not unexplained:
            break
        size = min(_SET if trial % 4 else 2, len(pool))
        first = unexplained[min(int(rng.random() ** 2 * len(unexplained)), len(unexplained) - 1)]
        others = [place for place in (unexplained if trial % 2 else range(len(pool))) if place != first]
        chosen = [first, *rng.sample(others, min(size - 1, len(others)))]
        steps = Learner(pool, chosen, limit).learn()
        if steps is None or not any(isinstance(step, Piece) for step in steps):
            if trial >= _PATIENCE and not found:
                break
            continue
        program = Program(pool.columns, steps, limit)
        if (steps, limit) in found:
            continue
        found[(steps, limit)] = program
        explained = {place for place in unexplained if explains(program, pool, place)}
        unexplained = [place for place in unexplained if place not in explained]
    return [finished(program, pool) for program in found.values()]
