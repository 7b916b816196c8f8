"""Which files are hidden files or markers of programs, and not data?"""

from __future__ import annotations

import os

MARKERS = {"thumbs.db", "desktop.ini", "_success", "_committed", "_started", "_metadata", "_common_metadata"}


def is_hidden(name: str) -> bool:
    """Dot files, lock files and the marker files that Spark and others write next to their data."""
    base = os.path.basename(name.rstrip("/"))
    return base.startswith((".", "~$", "_committed_", "_started_")) or base.lower() in MARKERS
