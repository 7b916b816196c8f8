"""Learns the weights of the score of joins from declared foreign keys.

    python training/join_ranking.py LAKE --keys KEYS.csv... [--queries FOLDER] [-o src/mere/ranking/weights.py]

LAKE is an index of the tables that KEYS.csv (evidence, left_path, left_cols, right_path, right_cols, arity, ...) names;
a left table that is not in the lake is looked for among the files of --queries (`queries.json`).

`join_lists.py` says how they are learnt.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from join_lists import fit, lists_of, model_of, read_keys

import mere
from mere.ranking import SIGNALS, Model


def written(model: Model) -> str:
    """The module with the weights."""
    lines = ['"""The weights of the score of joins: written by `training/join_ranking.py`, not by hand.', ""]
    lines += ["A weight is what a signal of 1 adds to the logarithm of the odds; USUAL is the mean of a signal over"]
    lines += ["candidates.", '"""', "", f"BIAS = {model.bias:.3f}", ""]
    for name, values in (("WEIGHTS", model.weights), ("USUAL", model.usual)):
        lines += [f"{name} = {{"]
        lines += [f'    "{signal}": {value:.3f},' for signal, value in zip(SIGNALS, values.tolist(), strict=True)]
        lines += ["}", ""]
    return "\n".join(lines)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("lake")
    arguments.add_argument("--keys", type=Path, nargs="+", required=True)
    arguments.add_argument("--queries", type=Path)
    arguments.add_argument("-o", "--output", type=Path)
    options = arguments.parse_args()
    with mere.open(options.lake) as lake:
        lists = lists_of(lake, read_keys(options.keys), options.queries)
    weights = fit(lists)
    for named in (True, False):
        places = np.array([each.place(weights) for each in lists if each.named == named])
        shares = f"first {np.mean(places == 1):.3f}, in the first three {np.mean(places <= 3):.3f}"
        print(f"{len(places)} lists, {'column' if named else 'none'} named: {shares}")
    text = written(model_of(weights, lists))
    print(text) if options.output is None else options.output.write_text(text)


if __name__ == "__main__":
    main()
