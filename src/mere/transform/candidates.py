"""Which rules may join a source table with a target table?  The examples of every pair of columns, and what they teach.

For every target column that could be a key, examples are looked for in every source column and in whole rows; the pairs
of columns with the strongest examples are learnt from (algorithm 5).  With `parts`, the parts of composite target
columns are targets, too (section 4.4.3): "George Clinton (1777 - 1795)" has the parts before " (" and after it.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import nlargest

from mere.transform.agreement import WIDEST
from mere.transform.canonical import LONGEST, tokens
from mere.transform.clock import Clock
from mere.transform.enumerate_pieces import separators
from mere.transform.learn import Pool, programs_of
from mere.transform.outcome import Direction, Options, Rule
from mere.transform.pairs import Example, TargetIndex, find_examples
from mere.transform.program import Cell, Piece, Program, Split
from mere.transform.tables import LONGEST_KEY, Keys, Rows, Side, keys_of

_LEAST_DISTINCT = 0.5  # a target column is a key if so many of its rows differ in it
_MOST_GROUPS = 6  # pairs of columns that are learnt from
_MOST_COLUMN_PAIRS = 150  # in which examples are looked for
_RARE_WORD = 5  # texts that may have a word that two columns are compared by
_MOST_EQUAL = 20_000  # rows up to which columns are compared for equal values
_LEAST_EQUAL = 0.05  # of the different values of one of them
_MOST_EXAMPLES = 60
_BEST = 20  # of them
_SHARING = 0.5  # of what the best examples share, in samples
_MOST_COLUMNS = 4  # source columns that a program may read
_SEEN = 200  # texts that say how a composite column is built


@dataclass(frozen=True)
class Candidate:
    """A rule, and the rows of the other table that it finds for rows of its source."""

    rule: Rule
    keys: Keys
    partners: dict[int, list[int]]  # source row, target rows
    made: Rows  # the source rows of all keys that the program made, found or not
    tried: int  # source rows that the program was run on


def sides_of(candidate: Candidate, left: Side, right: Side) -> tuple[Side, Side]:
    """The source and the target of a rule."""
    return (left, right) if candidate.rule.direction == "left to right" else (right, left)


@dataclass
class Search:
    """From one table to the other: what is looked for, in which rows, and until when."""

    source: Side
    target: Side
    direction: Direction
    options: Options
    rows: tuple[list[int], list[int]]  # samples of the distinct rows
    clock: Clock
    keys: dict[Program, Keys] = field(default_factory=dict)  # of targets that were learnt for
    learnt: set[Rule] = field(default_factory=set)  # each is judged once

    @property
    def sampled(self) -> bool:
        return len(self.rows[0]) < len(self.source.rows) or len(self.rows[1]) < len(self.target.rows)

    def candidates(self, parts: bool) -> list[Candidate]:
        """The rules that were learnt, in no order."""
        with self.clock.timed("examples"):
            groups = self._groups(parts)[:_MOST_GROUPS]
        found: list[Candidate] = []
        with self.clock.timed("learning"):
            if not parts:
                found += self._equal_columns()
            for group in groups:
                if self.clock.out_of_time():
                    break
                found += self._learnt(group)
        return found

    def _equal_columns(self) -> Iterator[Candidate]:
        """The rules for columns that hold the same values: they need no examples."""
        if len(self.target.rows) > _MOST_EQUAL:
            return
        whole = {name: Program((name,), (Piece(0),)) for name in self.source.names[:WIDEST]}
        made = {name: keys_of(self.source.outputs(program, self.rows[0])) for name, program in whole.items()}
        for key in targets(self.target, self.rows[1], parts=False):
            theirs = {one for one in keys_of(self.target.outputs(key, self.rows[1])) if one is not None}
            if self.clock.out_of_time() or len(theirs) < max(2, _LEAST_DISTINCT * len(self.rows[1])):
                continue
            for name, program in whole.items():
                mine = {one for one in made[name] if one is not None}
                if len(mine & theirs) >= max(2, _LEAST_EQUAL * min(len(mine), len(theirs))):
                    yield from self._candidate(program, key)

    def _candidate(self, program: Program, key: Program) -> Iterator[Candidate]:
        """A rule with the rows that it finds, if it finds any and is new."""
        rule = Rule(self.direction, used_columns(program), key)
        if rule in self.learnt:
            return
        self.learnt.add(rule)
        if key not in self.keys:
            self.keys[key] = Keys(self.target, key)
        partners, made = self.keys[key].partners(self.source, rule.program, self.rows[0])
        if partners:
            yield Candidate(rule, self.keys[key], partners, made, len(self.rows[0]))

    def _groups(self, parts: bool) -> list[_Group]:
        groups = []
        sources = self._sources(list(targets(self.target, self.rows[1], parts)))
        for key, several in sources.items():
            if self.clock.out_of_time():
                break
            texts = self.target.outputs(key, self.rows[1])
            if len({text for text in texts if text is not None}) < max(2, _LEAST_DISTINCT * len(texts)):
                continue
            index = TargetIndex(texts)
            for names in several:
                if self.clock.out_of_time():
                    break
                examples = [
                    example._replace(target=self.rows[1][example.target])
                    for example in find_examples(self._items(names), index, self.clock.out_of_time)
                ]
                if len(examples) >= 2:
                    strength = sum(example.score for example in examples) / len(names) ** 0.5
                    groups.append(_Group(names, key, examples, strength))
        return sorted(groups, key=lambda group: -group.strength)

    def _sources(self, keys: list[Program]) -> dict[Program, list[tuple[str, ...]]]:
        """The source columns in which examples for each target are looked for, and whole rows.

        In wide tables only the pairs of columns that have the most words in common: all would take too long.
        """
        names = self.source.names[:WIDEST]
        if len(names) * len(keys) <= _MOST_COLUMN_PAIRS:
            several = [*((name,) for name in names), *([tuple(names[:8])] if len(names) > 1 else [])]
            return dict.fromkeys(keys, several)
        mine = {name: self._words([self.source.cells(name, row) for row in self.rows[0][:_SEEN]]) for name in names}
        common = {}
        for key in keys:
            theirs = self._words(self.target.outputs(key, self.rows[1][:_SEEN]))
            for name, words in mine.items():
                common[key, name] = sum(len(word) for word in words.keys() & theirs if theirs[word] <= _RARE_WORD)
        found: dict[Program, list[tuple[str, ...]]] = defaultdict(list)
        for key, name in nlargest(_MOST_COLUMN_PAIRS, common, key=lambda pair: common[pair]):
            found[key].append((name,))
        return found

    @staticmethod
    def _words(texts: list[Cell]) -> Counter[str]:
        return Counter(word for text in texts if text is not None for word in set(tokens(text)))

    def _items(self, names: tuple[str, ...]) -> list[tuple[int, tuple[str, ...]]]:
        """The rows that differ in these columns, with their canonical cells."""
        items: dict[tuple[str, ...], int] = {}
        for row in self.rows[0]:
            if cells := self.source.canonical(names, row):
                items.setdefault(cells, row)
        return [(row, cells) for cells, row in items.items()]

    def _learnt(self, group: _Group) -> Iterator[Candidate]:
        some = self._some(group.examples)
        texts = self.target.outputs(group.key, [example.target for example in some])
        known = [(one, text) for one, text in zip(some, texts, strict=True) if text and len(text) <= LONGEST_KEY]
        if len(known) < 2:
            return
        examples, outputs = [example for example, _ in known], [text for _, text in known]
        names = self._relevant(group.names, examples, outputs)
        inputs = [tuple(self._short_cell(name, example.source) for name in names) for example in examples]
        for program in programs_of(Pool(names, inputs, outputs), self.options.seed, self.clock.out_of_time):
            yield from self._candidate(program, group.key)

    def _some(self, examples: list[Example]) -> list[Example]:
        """The best examples and some others: the best ones alone are longer than most, and lack leading zeros."""
        if self.sampled:  # most rows of a sample have no partner in the other: their best ones share little
            best = nlargest(_BEST, (example.score for example in examples))
            examples = [example for example in examples if example.score >= _SHARING * sum(best) / len(best)]
        if len(examples) <= _MOST_EXAMPLES:
            return examples
        rng = random.Random(self.options.seed)  # noqa: S311
        chosen = [*examples[:_BEST], *rng.sample(examples[_BEST:], _MOST_EXAMPLES - _BEST)]
        return rng.sample(chosen, len(chosen))

    def _short_cell(self, name: str, row: int) -> Cell:
        """A cell to learn from: a long one would take too long, and there are others."""
        cell = self.source.cells(name, row)
        return cell if cell is None or len(cell) <= LONGEST_KEY else None

    def _relevant(self, names: tuple[str, ...], examples: list[Example], outputs: list[str]) -> list[str]:
        """The group's columns, and others that share words or numbers with the outputs."""
        shared: Counter[str] = Counter()
        for example, output in list(zip(examples, outputs, strict=True))[:30]:
            wanted = set(tokens(output))
            for name in self.source.names[:WIDEST]:
                cell = self.source.cells(name, example.source)
                shared[name] += cell is not None and not wanted.isdisjoint(tokens(cell))
        others = [name for name, count in shared.most_common() if count >= 0.3 * min(len(examples), 30)]
        first = names if len(names) == 1 else ()
        return list(dict.fromkeys([*first, *others]))[:_MOST_COLUMNS] or list(names[:_MOST_COLUMNS])


@dataclass(frozen=True)
class _Group:
    """The examples for some source columns and one target."""

    names: tuple[str, ...]
    key: Program
    examples: list[Example]
    strength: float


def targets(side: Side, rows: list[int], parts: bool) -> Iterator[Program]:
    """The columns of a table as targets; with `parts`, the parts of its composite columns instead."""
    for name in side.names[:WIDEST]:
        if not parts:
            yield Program((name,), (Piece(0),))
            continue
        texts = [cell for row in rows[:_SEEN] if (cell := side.cells(name, row)) is not None]
        seen = Counter(separator for text in texts for separator in separators(text[:LONGEST]) if separator != " ")
        for separator, count in seen.most_common(4):
            if count >= 0.6 * len(texts):
                for place in (0, -1) if count < 0.9 * len(texts) else (0, 1, -1):
                    yield Program((name,), (Piece(0, (Split(separator, place, place),)),))


def used_columns(program: Program) -> Program:
    """The program with only the columns that it reads."""
    places = sorted({step.column for step in program.steps if isinstance(step, Piece)})
    steps = tuple(
        replace(step, column=places.index(step.column)) if isinstance(step, Piece) else step for step in program.steps
    )
    return Program(tuple(program.columns[place] for place in places), steps, program.limit)
