"""How do tables become a segment?

Three files: `catalog.idx` (what `mere tables` and `mere show` print), `values.idx` (one dictionary of all distinct
values, and each column's set of ids with counts) and `rows.idx` (every cell as a code into its column's set).
The build task adds the sketches of rows (`row_sketch`) and one file per kind.  The same tables give the same bytes,
whichever task builds them and in any order.

The dictionary is united range by range of the hash; its distinct values have to fit in memory, once.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from mere.segments.entries import SegmentEntry
from mere.segments.sources import stored_source
from mere.segments.table import Columns, Table
from mere.store import Strings, container, files, offsets_of, unite
from mere.store.container import FileEntry, Pieces

CATALOG_VERSION = ROWS_VERSION = 1
VALUES_VERSION = 2  # 1 is read, too: its counts are uint32, without `set.many`
MANY = 255  # the count in a byte of whatever has as many rows, or more


def write_segment(folder: str, tables: list[Table]) -> SegmentEntry:
    """Write the three core files of a segment; return its entry, to which others are added."""
    tables = sorted(tables, key=lambda table: table.facts.name)
    files.make_folder(folder)
    return SegmentEntry(
        id=os.path.basename(folder),
        files={
            "catalog.idx": _write_catalog(os.path.join(folder, "catalog.idx"), tables),
            "values.idx": _write_values(os.path.join(folder, "values.idx"), tables),
            "rows.idx": _write_rows(os.path.join(folder, "rows.idx"), tables),
        },
        tables=len(tables),
        columns=sum(len(table.columns) for table in tables),
        rows=sum(table.facts.rows for table in tables),
        cells=sum(table.facts.rows * len(table.columns) for table in tables),
        first=tables[0].facts.name,
    )


def _write_catalog(path: str, tables: list[Table]) -> FileEntry:
    lake = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    facts = [json.dumps(_facts_to_store(t, lake), ensure_ascii=False, sort_keys=True) for t in tables]
    widths = np.array([len(table.columns) for table in tables], np.int64)
    arrays: dict[str, np.ndarray | Pieces] = {
        "table.first_column": offsets_of(widths),
        "table.rows": np.array([table.facts.rows for table in tables], np.int64),
        **Strings.of(table.facts.name for table in tables).arrays("table.name"),
        **Strings.of(facts).arrays("table.facts"),
        **Columns.concat([table.columns for table in tables]).arrays(),
    }
    return container.write(path, "catalog", CATALOG_VERSION, arrays)


def _facts_to_store(table: Table, lake: str) -> dict[str, Any]:
    return {**table.facts.to_dict(), "source": stored_source(lake, table.facts.source)}


def _write_values(path: str, tables: list[Table]) -> FileEntry:
    sets = [column for table in tables for column in table.sets.each()]
    sizes = np.array([len(hashes) for _, hashes in sets], np.int64)
    ids = np.empty(int(sizes.sum()), np.uint32)
    hashes, lengths, data = [], [], []
    for values, fresh_hashes in unite(sets, ids):
        hashes.append(fresh_hashes)
        lengths.append(values.lengths())
        data.append(values.data)
    arrays: dict[str, np.ndarray | Pieces] = {
        "hashes": hashes,
        "value.offsets": offsets_of(np.concatenate(lengths)),
        "value.data": data,
        "set.starts": offsets_of(sizes),
        "set.ids": ids,
        **_counts(tables),
    }
    return container.write(path, "values", VALUES_VERSION, arrays)


def _counts(tables: list[Table]) -> dict[str, np.ndarray | Pieces]:
    """The rows of each value of a column in one byte, because few values have many; those that have, apart."""
    small, many, large, done = [], [np.empty(0, np.int64)], [np.empty(0, np.uint32)], 0
    for table in tables:
        counts = table.sets.counts
        small.append(np.minimum(counts, MANY).astype(np.uint8))
        places = np.flatnonzero(counts >= MANY)
        many.append(places + done)
        large.append(counts[places].astype(np.uint32))
        done += len(counts)
    return {"set.counts": small, "set.many": np.concatenate(many), "set.many_counts": np.concatenate(large)}


def _write_rows(path: str, tables: list[Table]) -> FileEntry:
    sizes = np.concatenate([np.diff(table.cells.starts) for table in tables])
    data = [piece for table in tables for piece in table.cells.data] or [np.empty(0, np.uint8)]
    arrays: dict[str, np.ndarray | Pieces] = {
        "cells": data,
        "starts": offsets_of(sizes),
        "widths": np.concatenate([table.cells.widths for table in tables]),
    }
    return container.write(path, "rows", ROWS_VERSION, arrays)
