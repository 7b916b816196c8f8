"""Which names are nobody's data, and which endings are known?"""

from __future__ import annotations

import os

FORMATS = {
    "csv": (".csv", ".tsv", ".tab", ".psv", ".ssv", ".txt", ".dat", ".data"),
    "json": (".json", ".geojson", ".topojson"),
    "jsonl": (".jsonl", ".ndjson", ".geojsonl", ".jsonlines", ".ldjson"),
    "parquet": (".parquet", ".pq", ".parq"),
    "arrow": (".arrow", ".feather", ".ipc", ".arrows"),
    "excel": (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"),
}
JUNK = {"thumbs.db", "desktop.ini", "_success", "_committed", "_started"}


def is_hidden(name: str) -> bool:
    """Dot files, lock files and the markers that engines leave beside their data."""
    base = os.path.basename(name.rstrip("/"))
    return base.startswith((".", "~$", "_committed_", "_started_")) or base.lower() in JUNK
