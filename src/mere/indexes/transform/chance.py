"""Does chance explain what a program matches?

A program that keeps only something short of my values, such as three letters, finds partners in any column that has
most texts of this shape.  Matches must be `TIMES` as many as chance gives, which `mere.transform.accidents` estimates.
Programs that keep all that is rare in my values are not judged by this: codes from 01 to 99 are dense, and true.
"""

from __future__ import annotations

from collections.abc import Sequence

from mere.indexes.transform.learning import compared
from mere.transform import Rule
from mere.transform.accidents import Shapes

TIMES = 2.0
MOST_OUTPUTS = 2_000  # that are judged, of each program; values are in the order of hashes


def explained_by_chance(rules: Sequence[Rule], mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the outputs of the programs are keys hardly more often than other texts of their shapes."""
    found, expected = 0, 0.0
    for rule in rules:
        source, target = (mine, theirs) if rule.direction == "left to right" else (theirs, mine)
        keys = {key for key in compared(rule.key.over([target])) if key}
        shapes = Shapes(sorted(keys))
        outputs = {output for output in compared(rule.program.over([source[:MOST_OUTPUTS]])) if output}
        found += len(outputs & keys)
        expected += sum(map(shapes.chance, sorted(outputs)))
    return found < TIMES * expected
