"""One logical table of a raw file, and what was repaired or lost while reading it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mere.errors import CannotWrite
from mere.readers.panics import panics_as_errors

if TYPE_CHECKING:
    from mere.readers.descriptions import Description

BATCH_ROWS = 65_536
BATCH_BYTES = 16 << 20


class Findings:
    """Counts what was repaired and what was lost, one sentence per kind of fault.

    A sentence contains `{n}` for its count, so that a million faults make one line, and `{singular|plural}` for words
    that depend on it.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self.lost = False

    def note(self, sentence: str, count: int = 1, *, lost: bool) -> None:
        if count:
            self._counts[sentence] = self._counts.get(sentence, 0) + count
            self.lost = self.lost or lost

    def add(self, other: Findings) -> None:
        """Add what another one has counted."""
        for sentence, count in other._counts.items():
            self.note(sentence, count, lost=other.lost)

    def counts(self) -> dict[str, int]:
        """How often each sentence was noted."""
        return dict(self._counts)

    def sentences(self) -> list[str]:
        """
        >>> findings = Findings()
        >>> findings.note("{n} {cell was|cells were} cut", 1, lost=True)
        >>> findings.note("{n} {row was|rows were} dropped", 1200, lost=True)
        >>> findings.sentences()
        ['1 cell was cut', '1,200 rows were dropped']
        """
        return [_counted(sentence, count) for sentence, count in self._counts.items()]


_SINGULAR_OR_PLURAL = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")


def _counted(sentence: str, count: int) -> str:
    if "{n}" not in sentence:
        return sentence
    number = _SINGULAR_OR_PLURAL.sub(r"\1" if count == 1 else r"\2", sentence)
    return number.replace("{n}", f"{count:,}")


Read = Callable[[Findings], Iterator[pa.RecordBatch]]


class RawTable:
    """A table as text: every column is `pa.string()`, null only where the cell is absent.

    `issues`, `lost` and `typed` are complete once `batches()` is exhausted; `batches()` may be called again.
    """

    def __init__(self, member: str, columns: list[str], format: str, dialect: dict[str, Any], read: Read) -> None:
        self.member = member
        self.columns = columns
        self.format = format
        self.dialect = dialect
        self._read = read
        self._findings = Findings()
        self.published: dict[str, Any] = {}  # for a table without rows: see `segments/published.py`
        self.describes: dict[str, bool] = {}  # the files it describes, and whether each is next to the profile
        self.about: Description | None = None  # what the file itself says about the table
        self.typed = False  # fractions in it are numbers, not text, and were written with a decimal point by Mere
        self.read_own_types: Read | None = None  # of a file whose columns have types: its rows with these

    def __repr__(self) -> str:
        return f"RawTable(member={self.member!r}, format={self.format!r}, columns={len(self.columns)})"

    @property
    def issues(self) -> list[str]:
        return self._findings.sentences()

    @property
    def lost(self) -> bool:
        return self._findings.lost

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(name, pa.string()) for name in self.columns])

    def batches(self, own_types: bool = False) -> Iterator[pa.RecordBatch]:
        """The rows in order. A fault ends the table early and becomes an issue, never an exception.

        With `own_types`, columns of a file that has types (`read_own_types`) keep them; nested ones are text.
        """
        findings = self._findings = Findings()
        read = self.read_own_types if own_types and self.read_own_types else self._read
        try:
            with panics_as_errors():
                for batch in read(findings):
                    if batch.num_rows:
                        yield batch
        except (MemoryError, CannotWrite, GeneratorExit):
            raise
        except Exception as fault:
            findings.note(f"reading ended early after {_fault(fault)}", lost=True)


def concatenated(batches: list[pa.RecordBatch], columns: list[str]) -> pa.Table:
    """The batches of a raw table as one table; a later batch may have more columns than the first."""
    if not batches:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    if all(batch.schema == batches[0].schema for batch in batches):
        return pa.Table.from_batches(batches)
    return pa.concat_tables([pa.Table.from_batches([batch]) for batch in batches], promote_options="default")


def _fault(fault: Exception) -> str:
    text = brief(fault)
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def brief(fault: BaseException) -> str:
    """The message of an error on one line.

    >>> brief(ValueError("no such\\n  column"))
    'no such column'
    """
    return " ".join(str(fault).split())[:200]
