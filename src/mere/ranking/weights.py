"""The weights of the score of joins: written by `training/join_ranking.py`, not by hand.

A weight is what a signal of 1 adds to the logarithm of the odds; USUAL is the mean of a signal over
candidates.
"""

BIAS = -16.397

WEIGHTS = {
    "header": 0.415,
    "same_header": 0.476,
    "named_table": 3.254,
    "key_name": 0.320,
    "my_table": 0.522,
    "folder": 3.820,
    "key": 0.894,
    "unique": 1.947,
    "repeats": -1.196,
    "filled": 0.331,
    "first": 0.635,
    "running": -0.448,
    "size": 1.147,
    "uneven": -2.759,
    "other_type": -0.561,
    "rows": 3.555,
    "values": 3.150,
    "bits": 1.450,
    "all_bits": 1.612,
    "brings": 0.732,
    "alike": -0.613,
    "trivial": -1.725,
    "my_key": 0.426,
}

USUAL = {
    "header": 0.212,
    "same_header": 0.182,
    "named_table": 0.063,
    "key_name": 0.282,
    "my_table": 0.029,
    "folder": 0.218,
    "key": 0.549,
    "unique": 0.743,
    "repeats": 0.100,
    "filled": 0.984,
    "first": 0.436,
    "running": 0.298,
    "size": 0.571,
    "uneven": 0.307,
    "other_type": 0.031,
    "rows": 0.689,
    "values": 0.674,
    "bits": 0.430,
    "all_bits": 0.461,
    "brings": 0.527,
    "alike": 0.128,
    "trivial": 0.266,
    "my_key": 0.402,
}
