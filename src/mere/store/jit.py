"""How are kernels compiled, and where is the machine code kept?

`@kernel` compiles without the GIL and keeps the result.  Numba notices when the file of a kernel changes, but not when
one that it calls does, and would go on using the old code; so the code is kept in a folder that is named by all the
sources there are: any change of any kernel starts a new one.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numba
import xxhash

from mere.store.files import cache_folder


def _folder() -> str:
    """A folder of the user's own for this very state of the kernels."""
    package = Path(__file__).parent.parent
    digest = xxhash.xxh3_64(f"{package} {numba.__version__}".encode())
    for source in sorted([*package.glob("store/*.py"), *package.glob("indexes/**/*.py")]):
        digest.update(source.read_bytes())
    return os.path.join(cache_folder(), f"kernels-{digest.hexdigest()}")


numba.config.CACHE_DIR = _folder()  # type: ignore[attr-defined]
kernel: Any = partial(numba.njit, nogil=True, cache=True)
