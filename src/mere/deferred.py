"""How does a package offer names of its modules without importing all of them?

One question from a cold shell needs a few of Mere's modules.  `__getattr__` of a package (PEP 562) imports the module
that has a name when the name is asked for.  No name may be that of a module of the package: importing the module would
hide it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def deferred(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; `homes` has the names of each module."""
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
