"""Where is kept what can be made again?"""

from __future__ import annotations

import contextlib
import os
import tempfile


def cache_folder() -> str:
    """A folder that only this user can write to: nobody else can place a program in it."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(home, "mere")
    with contextlib.suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.access(folder, os.W_OK):
        return folder
    return tempfile.mkdtemp(prefix="mere-cache-")  # the user has no home directory, or it is read-only
