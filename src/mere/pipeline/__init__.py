"""Spark: scan, read, train, build, commit, compact, batch search.  The only room that imports pyspark."""

from mere.pipeline.index import Report, index
from mere.pipeline.settings import Settings

__all__ = ["Report", "Settings", "index"]
