"""Building loads Numba without SciPy, and other code in the process finds both."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
import numpy as np
from mere.compiled.numba_import import import_numba_alone
import_numba_alone()
assert "numba.np.arraymath" in sys.modules
print("scipy.linalg" in sys.modules)
import scipy.linalg
from numba import njit
print(njit(lambda a, b: np.dot(a, b))(np.ones((2, 3)), np.ones((3, 2))).tolist())
print(njit(lambda a, b: np.convolve(a, b))(np.array([1.0, 2.0]), np.array([1.0, 3.0])).tolist())
"""


def test_numba_is_imported_without_scipy_which_other_code_can_still_use() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("False\n[[3.0, 3.0], [3.0, 3.0]]\n[1.0, 5.0, 6.0]\n", 0), done.stderr


def test_nothing_changes_where_scipy_is_already_imported() -> None:
    script = "import sys, scipy.linalg\nfrom mere.compiled.numba_import import import_numba_alone\n"
    script += "import_numba_alone()\nprint(sys.modules['scipy.linalg'] is scipy.linalg)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
