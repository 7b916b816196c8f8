"""Some hundred damaged files of every format: each is indexed or refused with a reason, and none ends its process.

`benchmarks/mutated_files.py` reads as many as one likes.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.mutations import mutated, seed_files

from mere.pipeline import Settings
from mere.pipeline.careful import read
from mere.pipeline.payloads import ReadTask
from mere.pipeline.records import Outcome, Unit
from mere.readers import Limits

SETTINGS = Settings(limits=Limits(memory_bytes=4 << 30))
FILES = 200


def outcomes_of(folder: Path, files: dict[str, bytes]) -> dict[str, Outcome]:
    """What becomes of files, by name, each read in a child process with limits."""
    (folder / "staging").mkdir()
    units = []
    for name, data in files.items():
        path = folder / name
        path.write_bytes(data)
        units.append(Unit(str(folder), name, str(path), name, len(data), "", (), False, len(data)))
    task = ReadTask(units, str(folder / "staging"), SETTINGS, careful=True)
    return {outcome.path: outcome for outcome in read(task)}


def test_the_files_that_are_mutated_can_be_read(tmp_path):
    seeds, _ = seed_files()
    outcomes = outcomes_of(tmp_path, {f"a.{extension}": data for extension, data in seeds.items()})
    assert {path: outcome.reason for path, outcome in outcomes.items() if not outcome.tables} == {}


def test_every_mutated_file_is_indexed_or_refused_with_a_reason(tmp_path):
    seeds, _ = seed_files()
    files = {f"{n}.{extension}": data for n in range(FILES) for extension, data in [mutated(seeds, 1, n)]}
    outcomes = outcomes_of(tmp_path, files)
    assert outcomes.keys() == files.keys()
    reasons = {path: outcome.reason for path, outcome in outcomes.items()}
    assert [path for path, outcome in outcomes.items() if not outcome.tables and not outcome.reason] == []
    bad = re.compile(r"ended the process|took more than|unexpected [A-Z]\w+:")
    assert {path: reason for path, reason in reasons.items() if bad.search(reason)} == {}
    assert 20 < sum(bool(outcome.tables) for outcome in outcomes.values()) < FILES - 20
