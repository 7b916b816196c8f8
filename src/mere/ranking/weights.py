"""The weights of the score of joins: written by `training/join_ranking.py`, not by hand.

A weight is what a signal of 1 adds to the logarithm of the odds; USUAL is the mean of a signal over candidates.
"""

BIAS = -11.0

WEIGHTS = {
    "header": 1.0,
    "same_header": 0.8,
    "named_table": 2.0,
    "key_name": 0.8,
    "my_table": 0.7,
    "folder": 2.5,
    "unique": 2.0,
    "repeats": -1.0,
    "filled": 0.5,
    "first": 0.6,
    "running": -0.8,
    "size": 1.0,
    "uneven": -2.0,
    "other_type": -0.5,
    "rows": 3.0,
    "values": 2.5,
    "bits": 1.5,
    "all_bits": 1.5,
    "brings": 0.5,
    "alike": -0.5,
    "trivial": -2.0,
}

USUAL = {
    "header": 0.1,
    "same_header": 0.1,
    "named_table": 0.1,
    "key_name": 0.1,
    "my_table": 0.1,
    "folder": 0.1,
    "unique": 0.5,
    "repeats": 0.3,
    "filled": 1.0,
    "first": 0.2,
    "running": 0.1,
    "size": 0.5,
    "uneven": 0.3,
    "other_type": 0.0,
    "rows": 0.5,
    "values": 0.5,
    "bits": 0.3,
    "all_bits": 0.4,
    "brings": 0.5,
    "alike": 0.1,
    "trivial": 0.3,
}
