"""Over which tables can two tables be joined?  Join paths, the best first.

link          a link of two tables by a column of each (how good it is: `search.links`)
best_paths    the best k paths over known links
ends          the two tables that are given: tables of the lake, files, frames
asking        the links of a table, from the index of `overlap`
exploring     which tables to ask, until no better path can exist or the limits are reached
reading       the links that `mere graph` has written
evidence      what a join does at each step, and how many rows arrive
answer        `Paths`, `Path` and `Step`
finding       from a request to an answer
"""

from mere.search.paths.answer import Path, Paths, Step
from mere.search.paths.finding import Request, find_paths

__all__ = ["Path", "Paths", "Request", "Step", "find_paths"]
