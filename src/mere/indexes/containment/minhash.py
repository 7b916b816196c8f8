"""How is a set of any size written as a few numbers from which the similarity of two sets can be estimated?

MinHash (Broder 1997): under each of `HASHES` hash functions, the smallest hash of the set's values.  Two sets agree in
one place with a probability that is their Jaccard similarity.

The i-th function takes a value's 64-bit hash x to the upper half of multipliers[i] * x + summands[i] (Dietzfelbinger's
multiply-shift); the numbers come from a fixed stream and are part of the format.  The smallest hash is scattered over
all 32-bit numbers, one to one (the finaliser of MurmurHash3, Appleby), so that signatures spread evenly, however large
their sets, and a place in a sorted list of them can be guessed.
"""

from __future__ import annotations

import numpy as np

from mere import compiled
from mere.compiled import Trial, read_only
from mere.indexes.containment import numpy as in_numpy
from mere.indexes.containment.records import HASHES, MULTIPLIERS, SUMMANDS

SIGNING = compiled.Group("signing", ("mere.indexes.containment.kernels",), compiling=1.0)


def signatures(hashes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The signature of each set, whose values' hashes lie between two starts; no set is empty."""
    out = np.empty((len(starts) - 1, HASHES), np.uint32)
    if compiled.ready(SIGNING, trial):
        _sign_compiled(hashes, starts, out)
        return out
    with compiled.time_fallback(SIGNING):
        in_numpy.sign(hashes, starts, out)
    return out


def _sign_compiled(hashes: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
    """Write the signature of each set into `out`."""
    from mere.indexes.containment import kernels

    kernels.sign(read_only(hashes), read_only(starts), read_only(MULTIPLIERS), read_only(SUMMANDS), out)


def trial() -> Trial:
    """Compiles what signing needs."""
    no_hashes, starts, out = np.zeros(0, np.uint64), np.zeros(1, np.int64), np.empty((0, HASHES), np.uint32)
    return Trial(SIGNING, (("sign", lambda: _sign_compiled(no_hashes, starts, out)),))
