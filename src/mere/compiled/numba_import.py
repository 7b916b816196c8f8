"""How is Numba imported without SciPy?

Numba imports `scipy.linalg` to find out whether a function of its own can call BLAS, and that takes as long as the rest
of Numba.  No kernel here multiplies matrices.  For other code in the process, only Numba's `np.convolve` and
`np.correlate` become slower.  For a moment, `import scipy.linalg` fails in every thread: so this is for processes whose
threads are all our own, which are those that build segments.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from threading import Lock

_UNUSED = "scipy.linalg"
_LOCK = Lock()


def import_numba_alone() -> None:
    """Import Numba, and let it find no SciPy; without effect where one of them is already imported."""
    with _LOCK:
        if "numba" in sys.modules or _UNUSED in sys.modules:
            return
        sys.modules[_UNUSED] = None  # type: ignore[assignment]
        try:
            with suppress(ImportError):  # the kernels' own imports will say so
                import numba.np.arraymath  # noqa: F401
        finally:
            sys.modules.pop(_UNUSED, None)
