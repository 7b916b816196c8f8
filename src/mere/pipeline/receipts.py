"""Which files did an interrupted run stage completely, so that the next run need not read them again?

A task leaves one file of receipts in the staging folder; a receipt is found by a key made of everything that decides
what is staged for a unit, and counts only if all its staged files are complete.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict

import xxhash

from mere.errors import Corrupt
from mere.pipeline.records import Outcome, Receipt, Unit
from mere.pipeline.settings import Settings
from mere.search.rules import rules_now
from mere.store import container, files

_STAGING_VERSION = 4  # of staged files and receipts
_SUFFIX = ".receipts.json"


def unit_keys(units: Iterable[Unit], settings: Settings) -> list[str]:
    """For each unit, a name for everything that decides what is staged for it."""
    common = [_STAGING_VERSION, rules_now(), settings.shaping()]
    shaping = json.dumps(common, sort_keys=True)  # the same for all, and slow to make
    return [_key(unit, shaping) for unit in units]


def _key(unit: Unit, shaping: str) -> str:
    span = asdict(unit.span) if unit.span else None
    part = unit.part.to_dict() if unit.part else None
    deciding = [unit.source, unit.path, unit.stamp, unit.decimal, span, shaping, part]
    return xxhash.xxh3_128_hexdigest(json.dumps(deciding, sort_keys=True).encode())


def write_receipts(staging: str, outcomes: dict[str, Outcome]) -> None:
    """Record what was staged, by the keys of the units."""
    paths = {key: outcome.paths() for key, outcome in outcomes.items()}
    entries = {path: container.entry_of(path) for path in set().union(*paths.values())}  # many tables share a file
    receipts = [
        Receipt(key, outcome, {path: entries[path] for path in sorted(paths[key])}).to_dict()
        for key, outcome in outcomes.items()
    ]
    path = os.path.join(staging, f"{uuid.uuid4().hex}{_SUFFIX}")
    with files.written_aside(path, durable=False) as aside:
        files.write_new(aside, [json.dumps(receipts).encode()], durable=False)


def read_receipts(staging: str) -> dict[str, Receipt]:
    """The receipts of an interrupted run, by the keys of the units."""
    receipts: dict[str, Receipt] = {}
    for name in os.listdir(staging) if os.path.isdir(staging) else []:
        if name.endswith(_SUFFIX):
            with suppress(ValueError, KeyError, TypeError, OSError):
                with open(os.path.join(staging, name), encoding="utf-8") as file:
                    documents = json.load(file)
                receipts.update({receipt.key: receipt for receipt in map(Receipt.from_dict, documents)})
    return receipts


def is_complete(receipt: Receipt) -> bool:
    """Whether every staged file that a receipt names is still there, to the last byte."""
    try:
        for path, entry in receipt.files.items():
            container.verify(path, entry)
        return True
    except Corrupt:
        return False


def drop_unreceipted(staging: str) -> None:
    """Delete what no receipt names, to free the space; the next run could not use it."""
    named = {path for receipt in read_receipts(staging).values() for path in receipt.files}
    for name in os.listdir(staging) if os.path.isdir(staging) else []:
        path = os.path.join(staging, name)
        if path not in named and not name.endswith(_SUFFIX):
            files.remove(path)


def clear(staging: str) -> None:
    """Delete what earlier runs staged."""
    with suppress(FileNotFoundError):
        for name in os.listdir(staging):
            files.remove(os.path.join(staging, name))
