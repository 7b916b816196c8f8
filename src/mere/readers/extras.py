"""Libraries that only some formats need: imported when such a file is read, refused with the name of the extra."""

from __future__ import annotations

import importlib
from typing import Any

from mere.errors import Unreadable
from mere.readers.source import Source


def need(library: str, extra: str, source: Source) -> Any:
    """The library, or `Unreadable` that says how to install it."""
    try:
        return importlib.import_module(library)
    except ImportError as fault:
        message = f"{source.name}: the library '{library}' that reads it is not installed"
        raise Unreadable(message, f"install it with: pip install 'mere[{extra}]'") from fault
