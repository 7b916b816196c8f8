"""How many distinct rows do tables have that meet the queries?  A trained network's estimate: `method="ml"`.

`estimator` has the method, `quantiser`, `column_sets` and `boxes` turn cells, columns and queries into what the network
takes, `network` is its forward pass in NumPy, and `weights` reads what `training/assemble_train.py` wrote.
"""

from mere.bundles.learned.estimator import LearnedEstimator, Summary

__all__ = ["LearnedEstimator", "Summary"]
