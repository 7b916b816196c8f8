"""What would survive a power cut right now?  Watches a folder by recording every sync of this process.

A sync of a file makes its bytes durable, a sync of a folder the names in it.  At any moment `not_durable` compares the
folder with what was synced: every file whose present bytes, and every file or folder whose present name, would be lost.
It knows the disk only, not Mere: whoever wrote a file, and however, is judged alike.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Identity = tuple[int, int]


class Disk:
    """The syncs of this process; what lies below the folder at the beginning counts as durable."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._bytes: dict[Identity, bytes] = {}  # of files, when they were last synced
        self._names: dict[Identity, dict[str, Identity]] = {}  # of folders, when they were last synced
        for path in [folder, *folder.rglob("*")]:
            self._record(path)
        monkeypatch.setattr(os, "fsync", self._fsync)

    def _fsync(self, handle: int) -> None:
        self._record(Path(os.readlink(f"/proc/self/fd/{handle}")))

    def _record(self, path: Path) -> None:
        if path.is_dir():
            self._names[_identity(path)] = {child.name: _identity(child) for child in path.iterdir()}
        else:
            self._bytes[_identity(path)] = path.read_bytes()

    def not_durable(self, leave_out: Callable[[Path], bool] = lambda path: False) -> list[str]:
        """What a power cut would take: 'bytes of PATH' or 'name of PATH', relative to the folder."""
        lost = []
        for path in sorted(self.folder.rglob("*")):
            if leave_out(path):
                continue
            if not path.is_dir() and self._bytes.get(_identity(path)) != path.read_bytes():
                lost.append(f"bytes of {path.relative_to(self.folder)}")
            if self._names.get(_identity(path.parent), {}).get(path.name) != _identity(path):
                lost.append(f"name of {path.relative_to(self.folder)}")
        return lost


def _identity(path: Path) -> Identity:
    facts = path.lstat()
    return facts.st_dev, facts.st_ino


def before_each(monkeypatch: pytest.MonkeyPatch, operation: str, look: Callable[..., Any]) -> None:
    """Call `look` with the arguments of `os.operation` right before each of them, for example of every rename."""
    real = getattr(os, operation)

    def spy(*paths: Any, **options: Any) -> None:
        look(*paths)
        real(*paths, **options)

    monkeypatch.setattr(os, operation, spy)
