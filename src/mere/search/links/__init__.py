"""How good is a join of two columns of a lake, and is it an accident?

columns     what is known of columns: distinct values, filled rows, what makes their matches say little
quality     the score of a link, on arrays: for the join graph and for paths alike
"""

from mere.search.links.columns import ACCIDENTS, Sides, sides_given, sides_stored
from mere.search.links.quality import Linked, PairNames, judge_links, linked

__all__ = ["ACCIDENTS", "Linked", "PairNames", "Sides", "judge_links", "linked", "sides_given", "sides_stored"]
