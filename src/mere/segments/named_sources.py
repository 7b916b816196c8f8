"""Which sources of a lake are not paths?

    frame:NAME     a frame that the caller handed in under this name
    spark:NAME     a table of a Spark catalog

A path is kept as an absolute one, so that it never starts like this.
"""

from __future__ import annotations

FRAME = "frame:"
SPARK = "spark:"


def is_path(source: str) -> bool:
    return not source.startswith((FRAME, SPARK))


def name_in(source: str) -> str:
    """The name of a frame or of a Spark table.

    >>> name_in("frame:orders"), name_in("spark:shop.orders")
    ('orders', 'shop.orders')
    """
    return source.partition(":")[2]
