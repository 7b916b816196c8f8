"""The weights of the score of joins: written by `training/join_ranking.py`, not by hand.

A weight is what a signal of 1 adds to the logarithm of the odds; USUAL is the mean of a signal over
candidates.
"""

BIAS = -16.303

WEIGHTS = {
    "header": 0.381,
    "same_header": 0.464,
    "named_table": 2.925,
    "key_name": 0.382,
    "my_table": 0.499,
    "folder": 3.304,
    "key": 0.924,
    "unique": 1.973,
    "repeats": -1.206,
    "filled": 0.347,
    "first": 0.599,
    "running": -0.302,
    "size": 1.168,
    "uneven": -2.679,
    "other_type": -0.549,
    "unsupported": -1.944,
    "rows": 3.562,
    "values": 3.153,
    "bits": 1.424,
    "all_bits": 1.678,
    "brings": 0.753,
    "alike": -0.689,
    "trivial": -1.945,
    "my_key": 0.587,
}

USUAL = {
    "header": 0.222,
    "same_header": 0.191,
    "named_table": 0.067,
    "key_name": 0.266,
    "my_table": 0.031,
    "folder": 0.286,
    "key": 0.532,
    "unique": 0.732,
    "repeats": 0.105,
    "filled": 0.984,
    "first": 0.420,
    "running": 0.284,
    "size": 0.575,
    "uneven": 0.302,
    "other_type": 0.030,
    "unsupported": 0.497,
    "rows": 0.676,
    "values": 0.661,
    "bits": 0.432,
    "all_bits": 0.451,
    "brings": 0.526,
    "alike": 0.133,
    "trivial": 0.167,
    "my_key": 0.383,
}
