"""Which sets match the most values of a question, by the engine of the PEXESO paper?

"Efficient Joinable Table Discovery in Data Lakes: A High-Dimensional Similarity-Based Approach" (PEXESO), sections III
and IV, as the modes `pexeso` and `pexeso-h`.  Exact: its counts equal those of comparing all pairs.

    pivots        which vectors are pivots, and the distances of all others from them
    grid          the cells of the pivot space that hold vectors, and the inverted index of their sets
    blocking      algorithm 1: the cells that must be verified for each query vector
    search        algorithms 2 and 3: verification, with or without the inverted index
    costs         the cost model that chooses the depth of the grid
    partitions    section IV: which sets are indexed together
    build         the index, in memory
    descent       algorithm 1, compiled
    kernels       mapping and verification, compiled

The paper's claims about complexity do not hold in general and are not repeated: a question costs at least one look at
every cell that is near a query vector, and their number grows with the limit up to all of them.
"""

from mere.indexes.similar.pexeso.build import prepared
from mere.indexes.similar.pexeso.partitions import partitions
from mere.indexes.similar.pexeso.records import Counters, Index
from mere.indexes.similar.pexeso.search import counted

__all__ = ["Counters", "Index", "counted", "partitions", "prepared"]
