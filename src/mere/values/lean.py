"""How does a short-lived process avoid paying for pandas?

pyarrow imports pandas, if it is installed, the first time it meets a Python object: time that a
question from a cold shell does not have.  A process that will never hand out a pandas frame can tell pyarrow
that there is none.  Only processes of our own do that (the command line, our Spark workers), never a caller's.
"""

from __future__ import annotations

import sys


def spare_pandas() -> None:
    """Let pyarrow find no pandas in this process, unless it is already here."""
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([None])  # pyarrow looks for pandas now, and never again
    finally:
        sys.meta_path.remove(_NoPandas)


class _NoPandas:
    """A finder that finds no pandas, and leaves everything else to the others."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not looked for in this process", name=name)
