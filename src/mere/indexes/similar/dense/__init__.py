"""Which stored dense vectors are close to those of a query?  Exact, for vectors that a model made and a part keeps.

    records    what the modules exchange
    mapping    the few numbers that bound distances, and the blocks
    product    matrix products
    engines    looking for pairs with either, and counting sets
    kernels    the same, compiled
    plan       which engine is faster for a question
    search     `counted` and `matched`

The paper (PEXESO; Dong, Takeoka, Xiao, Oyamada; ICDE 2021) maps vectors to their distances from pivots; here they are
mapped to coordinates on principal axes, which bound distances better (`mapping`).
"""

from mere.indexes.similar.dense.engines import DENSE, trial
from mere.indexes.similar.dense.mapping import arrays_of, principal_axes
from mere.indexes.similar.dense.records import ENGINES, Options, vectors_at
from mere.indexes.similar.dense.search import counted, matched

__all__ = ["DENSE", "ENGINES", "Options", "arrays_of", "counted", "matched", "principal_axes", "trial", "vectors_at"]
