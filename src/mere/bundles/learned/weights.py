"""Where are the weights of the network?  In the package, as 16-bit floats; see `training/README.md`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from mere.bundles.learned.network import SHAPES, Network
from mere.errors import Corrupt

PATH = Path(__file__).with_name("weights.safetensors")


@cache
def packaged_network() -> Network:
    """The trained network."""
    return read_network(PATH)


def read_network(path: Path) -> Network:
    """The network whose weights a file has."""
    try:
        arrays = load_file(path)
    except (OSError, SafetensorError) as error:
        raise Corrupt(f"{path.name}: the weights of the learned estimator cannot be read ({error})",
                      "install mere again") from error  # fmt: skip
    shapes = {name: array.shape for name, array in arrays.items()}
    if shapes != SHAPES:
        wrong = sorted(name for name in shapes.keys() | SHAPES.keys() if shapes.get(name) != SHAPES.get(name))
        raise Corrupt(f"{path.name}: unexpected shapes of {', '.join(wrong)}", "install mere again")
    return Network({name: array.astype(np.float32) for name, array in arrays.items()})
