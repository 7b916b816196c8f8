"""The weights of the score of joins: written by `training/join_ranking.py`, not by hand.

A weight is what a signal of 1 adds to the logarithm of the odds; USUAL is the mean of a signal over
candidates.
"""

BIAS = -11.128

WEIGHTS = {
    "header": 0.270,
    "same_header": 0.350,
    "named_table": 2.228,
    "key_name": 0.357,
    "my_table": 0.370,
    "folder": 2.496,
    "key": 0.766,
    "unique": 1.557,
    "repeats": -0.946,
    "filled": 0.268,
    "first": 0.513,
    "running": -0.121,
    "size": 0.926,
    "uneven": -1.998,
    "other_type": -0.422,
    "unsupported": -2.471,
    "rows": 2.798,
    "values": 2.486,
    "bits": 1.010,
    "all_bits": 1.283,
    "brings": 0.593,
    "alike": -0.537,
    "trivial": -2.772,
    "my_key": 0.478,
    "two_keys": -1.526,
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
