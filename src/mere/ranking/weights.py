"""The weights of the score of joins: written by `training/join_ranking.py`, not by hand.

A weight is what a signal of 1 adds to the logarithm of the odds; USUAL is the mean of a signal over
candidates.
"""

BIAS = -16.146

WEIGHTS = {
    "header": 0.346,
    "same_header": 0.449,
    "named_table": 2.860,
    "key_name": 0.459,
    "my_table": 0.475,
    "folder": 3.203,
    "key": 0.983,
    "unique": 1.998,
    "repeats": -1.215,
    "filled": 0.344,
    "first": 0.659,
    "running": -0.155,
    "size": 1.188,
    "uneven": -2.564,
    "other_type": -0.541,
    "unsupported": -3.171,
    "rows": 3.592,
    "values": 3.190,
    "bits": 1.296,
    "all_bits": 1.646,
    "brings": 0.761,
    "alike": -0.689,
    "trivial": -3.558,
    "my_key": 0.614,
    "two_keys": -1.958,
}

USUAL = {
    "header": 0.224,
    "same_header": 0.191,
    "named_table": 0.071,
    "key_name": 0.241,
    "my_table": 0.032,
    "folder": 0.297,
    "key": 0.498,
    "unique": 0.717,
    "repeats": 0.110,
    "filled": 0.983,
    "first": 0.392,
    "running": 0.259,
    "size": 0.579,
    "uneven": 0.300,
    "other_type": 0.028,
    "unsupported": 0.462,
    "rows": 0.650,
    "values": 0.634,
    "bits": 0.436,
    "all_bits": 0.444,
    "brings": 0.527,
    "alike": 0.134,
    "trivial": 0.169,
    "my_key": 0.379,
    "two_keys": 0.022,
}
