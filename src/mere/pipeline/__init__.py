"""Spark: scan, read, train, build, commit, compact, batch search.  The only package that imports pyspark."""

from mere.pipeline.index import index
from mere.pipeline.report import Report
from mere.pipeline.settings import Settings

__all__ = ["Report", "Settings", "index"]
