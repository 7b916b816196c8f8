"""Where are files kept that can be made again?"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from functools import cache


def cache_folder() -> str:
    """A folder that only this user can write to: nobody else can place a program in it."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(home, "mere")
    with contextlib.suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder if os.access(folder, os.W_OK) else _temporary_folder()


@cache
def _temporary_folder() -> str:
    """The folder of a process whose user has no home directory, or a read-only one; removed when the process ends."""
    folder, process = tempfile.mkdtemp(prefix="mere-cache-"), os.getpid()

    def remove() -> None:
        if os.getpid() == process:  # a forked process uses the folder of its parent
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
