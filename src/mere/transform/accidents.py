"""Is a join an accident?  Row numbers match row numbers, years match years, and say nothing.

Tests which the thesis lacks; without them about a fifth of unrelated tables are joined.

- How many matches would chance give?  A key of a certain shape (five letters, a dash, two digits) is one of so many
  texts as its places allow; the denser the target's keys are among them, the more often a text of that shape is a key.
  Keys that number the rows, and numbers below a thousand that are only part of the keys, are always explained by it.
- If chance explains the matches: do the other columns of the matched rows agree more than those of rows that were
  paired at random?  Then the key is true although it is short.  So is one of whole dates, if nearly all of both pair.
- The same is asked of the pieces alone that a program copies: `INV-1000` and `abcd1000` share a number by chance, where
  most numbers occur.  What the program does not read must then be constant on both sides, as the prefix of `KD-1000`.

Last, a join must cover enough of one of the tables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from math import log2

import numpy as np
import pyarrow as pa

from mere.transform.agreement import Agreement
from mere.transform.candidates import Candidate, sides_of
from mere.transform.canonical import shape_of, tokens, unread
from mere.transform.cardinality import unread_of
from mere.transform.choose import has_rare_constant
from mere.transform.program import Constant, Piece
from mere.transform.tables import Side
from mere.values import codes_among

_LETTERS_AT_LEAST = 8  # different letters per place of a word, seen or not
_FEW_KEYS = 5  # of one shape: their digits may be any
_TIMES_CHANCE = 2.0  # matches must be so many times what chance gives
_TIMES_LEARNT = 4.0  # and so many, if a text of the program was learnt to fit some keys
_AGREEMENT_LIFT = 1.5
_MOST_ROWS = 300
_CONSECUTIVE = 1.1  # consecutive numbers may have a few gaps
_LONG = 6  # letters and digits of a key, on average
_NEARLY_ALL = 0.8  # of the keys of both tables
_ALL = 0.95  # of the keys of both tables, if they are small numbers
_SMALL_NUMBER = re.compile("[0.]*[0-9]{0,3}")
_COLLAPSED = 3  # rows per partner: such a program, with a constant of its own, fits a few rows by accident
_DIGITS = re.compile("[0-9]+")
_MOST_KEYS = 2000  # that are looked at
# Of one table's rows, so many must have a partner: less than so many rows with a partner, the share.
_LEAST_COVERAGE = ((30, 0.45), (200, 0.2), (10**12, 0.05))
_CODES = 0.5  # of the keys
_LEAST_OF_ALL = 0.2  # where keys are put together from pieces, and nothing of the values on both sides is left out


class Shapes:
    """The keys of a target by shape, and how dense they are among the texts of that shape."""

    def __init__(
        self, keys: Sequence[str], count: int | None = None
    ) -> None:  # `count`: the keys are a sample of so many
        by_shape: dict[str, list[str]] = defaultdict(list)
        times = 1.0 if count is None else count / max(1, len(keys))
        for key in keys:
            by_shape[shape_of(key)].append(key)
        self._density = {shape: min(1.0, times * _density(shape, same)) for shape, same in by_shape.items()}

    def chance(self, key: str) -> float:
        """The probability that a text of the shape of this key is a key."""
        return self._density.get(shape_of(key), 0.0)


def _density(shape: str, keys: Sequence[str]) -> float:
    possible = 0.0  # log2
    for place, kind in enumerate(shape):
        seen = len({key[place] for key in keys})
        if kind == "a":
            possible += log2(max(seen, _LETTERS_AT_LEAST))
        elif kind == "0":
            possible += log2(10 if len(keys) < _FEW_KEYS else seen)
    if set(shape) == {"0"} and len(keys) >= _FEW_KEYS:  # of numbers, those between the smallest and the largest
        possible = min(possible, log2(int(max(keys)) - int(min(keys)) + 1))
    return min(1.0, len(set(keys)) / 2 ** min(possible, 1000.0))


def explained_by_chance(candidate: Candidate, copied: bool = False) -> bool:
    """Whether chance gives about as many matches.

    A program that writes a text which only some keys have is judged among those, and more strictly: of the many texts
    that it could have written, it was learnt to write one that fits.  `copied`: only what it copies is looked at.
    """
    keys = candidate.keys.rows
    rare = has_rare_constant(candidate)
    texts = _texts(candidate)
    like = [key for key in sorted(keys) if not rare or all(text in key for text in texts)]
    without = texts if copied else []
    shapes = Shapes([_without(key, without) for key in like[:: max(1, len(like) // _MOST_KEYS)]], len(like))
    made = sorted(candidate.made)[:: max(1, len(candidate.made) // _MOST_KEYS)]
    expected = sum(shapes.chance(_without(key, without)) for key in made)
    return sum(key in keys for key in made) < (_TIMES_LEARNT if rare else _TIMES_CHANCE) * expected + 1


def rows_agree(candidate: Candidate, agreement: Agreement) -> bool:
    """Whether matched rows share more, outside of the key, than rows paired at random."""
    forwards = candidate.rule.direction == "left to right"
    pairs = [(row, rows[0]) if forwards else (rows[0], row) for row, rows in candidate.partners.items()][:_MOST_ROWS]
    without = agreement.columns_of(candidate.rule)
    half = max(1, len(pairs) // 2)
    turned = [(one, pairs[(place + half) % len(pairs)][1]) for place, (one, _) in enumerate(pairs)]
    true, shifted = (sum(agreement.of(*pair, without) for pair in chosen) for chosen in (pairs, turned))
    return true > _AGREEMENT_LIFT * shifted + len(pairs)


def is_serial(keys: Collection[str]) -> bool:
    """Whether keys are consecutive numbers from 0 or 1 on, with the same text around them: they number rows."""
    around = {_DIGITS.sub("0", key) for key in keys}
    if len(keys) < _FEW_KEYS or len(around) != 1 or next(iter(around)).count("0") != 1:
        return False
    numbers = [int(match.group()) for key in keys if (match := _DIGITS.search(key))]
    return min(numbers) <= 1 and max(numbers) - min(numbers) < _CONSECUTIVE * len(set(numbers))


def are_small_numbers(candidate: Candidate) -> bool:
    """Whether a program makes keys of numbers below a thousand: they occur in every table."""
    texts = _texts(candidate)
    return all(_SMALL_NUMBER.fullmatch(_without(key, texts)) for key in candidate.made if key in candidate.keys.rows)


def _texts(candidate: Candidate) -> list[str]:
    """What a program writes in all keys."""
    return [step.text.casefold().strip() for step in candidate.rule.program.steps if isinstance(step, Constant)]


def _without(key: str, texts: Sequence[str]) -> str:
    """What is copied of a key."""
    for text in texts:
        key = key.replace(text, " ", 1)
    return key.strip()


def covers(candidate: Candidate, share: float) -> bool:
    """Whether so many of the keys that are made exist, and so many of those that exist are made."""
    found = sum(key in candidate.keys.rows for key in candidate.made)
    return found >= share * max(len(candidate.made), len(candidate.keys.rows))


def is_complete(candidate: Candidate) -> bool:
    """Whether nearly all keys of both tables are found, and are long enough to say something, such as whole dates."""
    found = [key for key in candidate.made if key in candidate.keys.rows]
    long = sum(sum(map(str.isalnum, key)) for key in found) >= _LONG * len(found)
    return long and covers(candidate, _NEARLY_ALL)


def dense_pieces(candidate: Candidate, agreement: Agreement) -> str | None:
    """Why the pieces that a program copies say nothing: nearly all occur, and what is not read differs by row.

    What is constant, as the prefix of a code, does not.  Whole dates are judged by `is_complete`.
    """
    if not explained_by_chance(candidate, copied=True):
        return None
    made, keys = candidate.made, candidate.keys.rows
    found = [key for key in made if key in keys]
    if is_complete(candidate) and len(tokens(_without(found[0], _texts(candidate)))) > 1:
        return None
    rule, (source, target) = candidate.rule, sides_of(candidate, agreement.left, agreement.right)
    mine = unread_of(source, rule.program, {key: made[key] for key in found})
    theirs = unread_of(target, rule.key, {key: keys[key] for key in found})
    if not has_rare_constant(candidate) and all(len({*rest} - {()}) <= 1 for rest in (mine, theirs)):
        return None
    return (
        f"what '{rule.program}' copies, as for '{found[0]}', any value has a partner for by chance, "
        "and what it does not read differs from row to row"
    )


def accident(candidate: Candidate, agreement: Agreement) -> str | None:
    """Why a candidate is taken for an accident; None if it is not."""
    names = f"'{', '.join(candidate.rule.program.columns)}' and '{candidate.rule.key.columns[0]}'"
    if is_serial(candidate.made) and is_serial(candidate.keys.rows):
        if rows_agree(candidate, agreement):
            return None
        return f"{names} only number the rows, and the other columns of the matched rows do not agree"
    likely = (are_small_numbers(candidate) and not covers(candidate, _ALL)) or explained_by_chance(candidate)
    if not likely or is_complete(candidate):
        dense = dense_pieces(candidate, agreement)
        return None if dense is None or rows_agree(candidate, agreement) else dense
    if rows_agree(candidate, agreement):
        return None
    example = next(key for key in candidate.keys.rows if key in candidate.made)
    return (
        f"{names} only match as often as "
        f"such short values (like '{example}') do by chance, and the other columns of the matched rows do not agree"
    )


def too_few(chosen: Sequence[Candidate], pairs: Sequence[tuple[int, int]], left: Side, right: Side) -> str | None:
    """Why the pairs cover too little of both tables to be called a join; None if they do not."""
    ones, others = len({one for one, _ in pairs}), len({other for _, other in pairs})
    first = chosen[0]
    found = sum(key in first.keys.rows for key in first.made)
    kept = found / max(1, len(first.made))  # of the different keys that the program makes, how many exist
    mine, theirs = ones / len(left.rows), others / len(right.rows)
    by_source = min(mine if first.rule.direction == "left to right" else theirs, kept)
    by_target = theirs if first.rule.direction == "left to right" else mine
    least = next(share for most, share in _LEAST_COVERAGE if min(ones, others) < most)
    if are_equal_codes(first):
        least = _LEAST_COVERAGE[-1][1]
    elif _reads_all(first, left, right):
        least = min(least, _LEAST_OF_ALL)
    collapsed = has_rare_constant(first) and max(ones, others) > _COLLAPSED * min(ones, others)
    if max(by_source, by_target) >= least and not collapsed:
        return None
    return (
        f"only {ones:,} of {len(left.rows):,} rows on the left and {others:,} of {len(right.rows):,} on the right have "
        f"a partner by '{first.rule.program}', too few to tell a join from an accident"
    )


def are_equal_codes(candidate: Candidate) -> bool:
    """Whether values are equal, and codes with letters: nobody writes those of another."""
    rule = candidate.rule
    found = [key for key in candidate.made if key in candidate.keys.rows]
    is_code = codes_among(pa.array(found, pa.string())) & np.array([any(map(str.isalpha, key)) for key in found])
    return rule.program.steps == rule.key.steps == (Piece(0),) and bool(is_code.mean() >= _CODES)


def _reads_all(candidate: Candidate, left: Side, right: Side) -> bool:
    """Whether a program puts keys together that hold all words of both values, for nearly all rows with a partner."""
    rule = candidate.rule
    source, target = sides_of(candidate, left, right)
    values = [
        (
            key,
            source.canonical(rule.program.columns, candidate.made[key][0]),
            target.canonical(rule.key.columns, rows[0]),
        )
        for key, rows in candidate.keys.rows.items()
        if key in candidate.made
    ]
    complete = sum(
        not unread(" ".join(mine), key) and not unread(" ".join(theirs), key) for key, mine, theirs in values
    )
    pieces = sum(isinstance(step, Piece) for step in rule.program.steps)
    return pieces > 1 and complete >= _NEARLY_ALL * len(values)
