"""Which names are nobody's data?"""

from __future__ import annotations

import os

JUNK = {"thumbs.db", "desktop.ini", "_success", "_committed", "_started"}


def is_hidden(name: str) -> bool:
    """Dot files, lock files and the markers that engines leave beside their data."""
    base = os.path.basename(name.rstrip("/"))
    return base.startswith((".", "~$", "_committed_", "_started_")) or base.lower() in JUNK
