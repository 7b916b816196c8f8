"""How are files read, so that none of them stops the run?

A task reads its files in its own process, and notes in a journal which one it is about to open.  When that process
ends, the next attempt finds the journal.  It reads the suspect alone, in a child process with limits of memory and
time, and the other files a few at a time, in such processes as well: there may be more than one bad file.  If a child
ends, its files are read again one by one; a file that ends a child of its own is guilty, and is quarantined with the
reason.

Cost: nothing but the journal while no process ends; then one fork for each of a few files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mere.pipeline.child import Ended, overtime, run_in_child
from mere.pipeline.journal import Journal, suspects
from mere.pipeline.payloads import ReadTask, SniffTask
from mere.pipeline.receipts import unit_keys, write_receipts
from mere.pipeline.records import Outcome, Unit
from mere.pipeline.stage_files import read_units
from mere.readers import RawTable, sniff_splittable
from mere.values.pandas_import import block_pandas_import

_TOGETHER = 16  # files that one child reads
_SLACK = 60  # seconds that a child may take for what is not reading


def read(task: ReadTask) -> list[Outcome]:
    """What became of each unit of a task; carefully if a process has ended while it read one of them."""
    reading = _CarefulReading(task)
    if not task.careful and not reading.suspects.keys() & reading.keys.values():
        try:
            with Journal(task.staging, task.watch) as journal:
                return list(read_units(task.units, task.staging, task.settings, journal))
        except MemoryError:  # of a process without a limit: find out which file it was
            pass
    return list(reading.outcomes())


def sniff(task: SniffTask) -> RawTable | None:
    """How a large file is written, if it can be cut; a file that has ended a process is not cut."""
    if task.full in suspects(task.staging):
        return None
    with Journal(task.staging, task.watch) as journal:
        journal.begin(task.full, task.settings.limits.seconds)
        return sniff_splittable(task.full, task.settings.limits)


@dataclass
class _CarefulReading:
    task: ReadTask

    @cached_property
    def keys(self) -> dict[int, str]:
        """Of each unit, by its place in the task."""
        return dict(enumerate(unit_keys(self.task.units, self.task.settings)))

    @cached_property
    def suspects(self) -> dict[str, bool]:
        return suspects(self.task.staging)

    def outcomes(self) -> Iterator[Outcome]:
        trusted = [number for number, key in self.keys.items() if key not in self.suspects]
        for start in range(0, len(trusted), _TOGETHER):
            yield from self._read(trusted[start : start + _TOGETHER])
        for number, key in self.keys.items():
            if key in self.suspects:
                yield from self._read([number])

    def _read(self, numbers: list[int]) -> list[Outcome]:
        """Read some units in a child; if it ends without a result, each of them in a child of its own."""
        if len(numbers) == 1 and self._took_too_long(numbers[0]):
            return [self._guilty(numbers[0], Ended(reason=overtime(self._seconds(numbers[0]))))]
        units = [self.task.units[number] for number in numbers]
        limits = self.task.settings.limits
        seconds = _SLACK + sum(map(self._seconds, numbers))
        ended = run_in_child(lambda: self._work(units), self.task.staging, limits.memory_bytes, seconds)
        if ended.result is not None:
            return list(map(Outcome.from_dict, ended.result["outcomes"]))
        if len(numbers) > 1:
            return [outcome for number in numbers for outcome in self._read([number])]
        if self._took_too_long(numbers[0]):
            ended = Ended(reason=overtime(self._seconds(numbers[0])))
        return [self._guilty(numbers[0], ended)]

    def _work(self, units: list[Unit]) -> dict[str, list[dict[str, object]]]:
        block_pandas_import()
        with Journal(self.task.staging, watch=True) as journal:
            outcomes = read_units(units, self.task.staging, self.task.settings, journal)
            return {"outcomes": [outcome.to_dict() for outcome in outcomes]}

    def _seconds(self, number: int) -> int:
        return self.task.settings.limits.seconds_for(self.task.units[number].weight)

    def _took_too_long(self, number: int) -> bool:
        return suspects(self.task.staging).get(self.keys[number], False)

    def _guilty(self, number: int, ended: Ended) -> Outcome:
        unit = self.task.units[number]
        offset = unit.span.offset if unit.span else 0
        outcome = Outcome(unit.source, unit.path, reason=ended.reason, offset=offset, again=ended.by_others)
        if not outcome.again:
            write_receipts(self.task.staging, {self.keys[number]: outcome})
        return outcome
