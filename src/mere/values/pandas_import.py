"""How does a short-lived process avoid the import of pandas?

pyarrow imports pandas, if it is installed, when it first converts a Python object, which takes a large part of the
time of a command.  A process that never returns a pandas frame can let that import fail.  Only processes that Mere
starts do so (the command line, Spark workers), never the process of a caller.
"""

from __future__ import annotations

import sys


def block_pandas_import() -> None:
    """Let pyarrow find no pandas in this process, unless pandas is already imported."""
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([None])  # pyarrow tries to import pandas now, and never again
    finally:
        sys.meta_path.remove(_NoPandas)


class _NoPandas:
    """An import finder that refuses pandas and leaves all other modules to the other finders."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("the import of pandas is blocked in this process", name=name)
